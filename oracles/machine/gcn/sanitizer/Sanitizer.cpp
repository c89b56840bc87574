// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/machine/gcn/sanitizer/Sanitizer.h"

#include "oracles/machine/gcn/Program.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace assay;
using namespace assay::gcn;
using namespace assay::simt;

/// One row for each SanitizerRule, in its order.
static constexpr SanitizerRuleText RuleTexts[] = {
#define SANITIZER_RULE(ENUMERATOR, ID, TITLE, EXPLANATION) {ID, TITLE, EXPLANATION, false},
#define TRAP_RULE(ENUMERATOR, ID, TITLE, EXPLANATION) {ID, TITLE, EXPLANATION, true},
#include "oracles/machine/gcn/sanitizer/Sanitizer.def"
};

ArrayRef<SanitizerRuleText> gcn::sanitizerRules() {
  return RuleTexts;
}

const char *gcn::sanitizerRuleId(SanitizerRule rule) {
  return RuleTexts[unsigned(rule)].id;
}

bool gcn::isSanitizerRule(StringRef id) {
  return any_of(RuleTexts, [&](const SanitizerRuleText &rule) { return id == rule.id; });
}

Sanitizer::Sanitizer(Wave &wave, ShadowBytes &lds)
    : m_first(wave.group->program->ops().data()), m_facts(wave.group->program->facts().data()),
      m_definedness(wave, lds), m_hazards(*wave.group->program) {
  if (wave.group->exportPlan)
    m_exports.emplace(*wave.group->exportPlan);
}

/// The slow path of before(). Operands in flight matter only while a counter is raised.
void Sanitizer::check(Wave &wave, const MicroOp &op, const OpFacts &facts) {
  if (!wave.scoreboard.empty())
    m_inFlight.before(wave, op, facts);
  m_definedness.before(wave, op, facts);
  m_hazards.before(wave, op, facts);
}

/// Definedness needs the access for loads as well; rules of exports, only for graphics.
void Sanitizer::access(Wave &wave, const MicroOp &op, const MemoryEvent &event) {
  m_definedness.access(wave, op, factsOf(op), event);
  if (m_exports)
    m_exports->access(wave, op, event);
}

/// The first wave of a workgroup creates the shadow of its LDS, which is undefined except for the
/// bytes that the launch filled.
void gcn::addSanitizers(Wave &wave) {
  Workgroup &group = *wave.group;
  if (!group.shadowLds) {
    auto shadow = std::make_unique<ShadowLds>();
    shadow->bytes.reset(group.lds.size(), 0xff);
    for (uint32_t i = 0; i < group.filledLds; ++i)
      *shadow->bytes.find(i) = 0;
    group.shadowLds = shadow.get();
    group.observers.push_back(std::move(shadow));
  }
  auto sanitizer = std::make_unique<Sanitizer>(wave, group.shadowLds->bytes);
  wave.sanitizer = sanitizer.get();
  wave.observers.push_back(std::move(sanitizer));
}
