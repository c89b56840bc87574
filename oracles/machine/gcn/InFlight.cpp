// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/machine/gcn/InFlight.h"

#include "oracles/machine/gcn/Program.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace assay;
using namespace assay::gcn;

static void reportInFlight(Wave &wave, const MicroOp &op, const MicroOp &producer,
                           SanitizerRule rule, unsigned slot) {
  std::string name = registerName(slot);
  Objection objection{sanitizerRuleId(rule),
                      "overwrites " + name + " before expcnt says that '" + producer.inst->text +
                          "' at pc 0x" + utohexstr(producer.inst->pc, true) + " has read it"};
  objection.signature = producer.inst->mnemonic;
  objection.producer = producer.inst;
  objection.subject = name + " expcnt";
  wave.report(op, objection);
}

void gcn::checkOperandsInFlight(Wave &wave, const MicroOp &op, const OpFacts &facts) {
  constexpr uint8_t Exp = counterBit(WaitCounter::Exp);
  const Program &program = *wave.group->program;
  for (const WaitScoreboard::Entry &entry : wave.scoreboard.entries()) {
    if (!(entry.event.counters & Exp))
      continue;
    const OpFacts &reader = program.facts()[entry.producer];
    if (!reader.is(ClassExport | ClassLds))
      continue;
    RegisterSet both = reader.reads.vectors() & facts.writes.vectors();
    if (both.empty())
      continue;
    SanitizerRule rule = reader.is(ClassExport) ? SanitizerRule::WarExport : SanitizerRule::WarGds;
    reportInFlight(wave, op, program.ops()[entry.producer], rule, both.first());
  }
}
