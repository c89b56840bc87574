// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/machine/gcn/sanitizer/InFlight.h"

#include "oracles/machine/gcn/Program.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace assay;
using namespace assay::gcn;

/// Reports that \p op overwrites the vector register \p slot, which \p producer may not have read
/// yet.
static void reportInFlight(Wave &wave, const MicroOp &op, const MicroOp &producer,
                           SanitizerRule rule, unsigned slot) {
  std::string name = registerName(slot);
  Violation violation{sanitizerRuleId(rule), "overwrites " + name + " before expcnt says that " +
                                                 describeProducer(*producer.inst) +
                                                 " has read it,"};
  violation.signature = producer.inst->mnemonic;
  violation.producer = producer.inst;
  violation.subject = name + " expcnt";
  wave.report(op, violation);
}

/// Checks writes to vector registers that an unfinished export or GDS instruction reads. The wait
/// for expcnt may be over for GDS while its entry stays on the scoreboard.
void OperandsInFlight::before(Wave &wave, const MicroOp &op, const OpFacts &facts) {
  constexpr uint8_t Exp = counterBit(WaitCounter::Exp);
  if (facts.is(ClassCounterWait) && op.limits.max[unsigned(WaitCounter::Exp)] == 0)
    m_gdsRead = wave.sequence;
  const Program &program = *wave.group->program;
  for (const WaitScoreboard::Entry &entry : wave.scoreboard.entries()) {
    const OpFacts &reader = program.facts()[entry.producer];
    const MicroOp &producer = program.ops()[entry.producer];
    bool isExport = reader.is(ClassExport) && entry.event.counters & Exp;
    bool isGds = producer.inst->mods.gds && entry.sequence >= m_gdsRead;
    if (!isExport && !isGds)
      continue;
    RegisterSet both = reader.reads.vectors() & facts.writes.vectors();
    if (!both.empty())
      reportInFlight(wave, op, producer,
                     isExport ? SanitizerRule::WarExport : SanitizerRule::WarGds, both.first());
  }
}
