// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/machine/gcn/Sanitizer.h"

#include "oracles/machine/gcn/Definedness.h"
#include "oracles/machine/gcn/ExportRules.h"
#include "oracles/machine/gcn/Hazards.h"
#include "oracles/machine/gcn/InFlight.h"
#include "oracles/machine/gcn/Program.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace assay;
using namespace assay::gcn;
using namespace assay::simt;

static constexpr SanitizerRuleText RuleTexts[] = {
#define SANITIZER_RULE(ENUMERATOR, ID, TITLE, EXPLANATION) {ID, TITLE, EXPLANATION, false},
#define TRAP_RULE(ENUMERATOR, ID, TITLE, EXPLANATION) {ID, TITLE, EXPLANATION, true},
#include "oracles/machine/gcn/Sanitizer.def"
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

namespace {

/// All in one observer: a virtual call for each would cost more than they do.
class Sanitizer final : public WaveObserver {
public:
  Sanitizer(Wave &wave, ShadowBytes &lds)
      : m_first(wave.group->program->ops().data()), m_facts(wave.group->program->facts().data()),
        m_definedness(wave, lds), m_hazards(*wave.group->program) {
    if (wave.group->exportPlan)
      m_exports.emplace(*wave.group->exportPlan);
  }

  void before(Wave &wave, const MicroOp &op) override {
    const OpFacts &facts = factsOf(op);
    if (!wave.scoreboard.empty())
      m_inFlight.before(wave, op, facts);
    m_definedness.before(wave, op, facts);
    m_hazards.before(wave, op, facts);
  }
  void access(Wave &wave, const MicroOp &op, const MemoryEvent &event) override {
    m_definedness.access(wave, op, factsOf(op), event);
    if (m_exports)
      m_exports->access(wave, op, event);
  }
  void after(Wave &wave, const MicroOp &op) override {
    m_definedness.after(wave, op, factsOf(op));
    if (m_exports)
      m_exports->after(wave, op);
  }

private:
  const OpFacts &factsOf(const MicroOp &op) const { return m_facts[&op - m_first]; }

  const MicroOp *m_first;
  const OpFacts *m_facts;
  OperandsInFlight m_inFlight;
  Definedness m_definedness;
  Hazards m_hazards;
  std::optional<ExportRules> m_exports; ///< Of graphics.
};

} // namespace

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
  wave.observers.push_back(std::make_unique<Sanitizer>(wave, group.shadowLds->bytes));
}
