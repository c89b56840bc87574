// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/machine/gcn/sanitizer/Hazards.h"

#include "oracles/machine/gcn/Program.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/bit.h"

using namespace llvm;
using namespace assay;
using namespace assay::gcn;

Hazards::Hazards(const Program &program) : m_trackers(makeTrackers(program)) {}

/// \p producer and \p slot may be missing: then the message names no earlier instruction, or no
/// register.
void gcn::reportHazard(Wave &wave, const MicroOp &op, SanitizerRule rule, const Inst *producer,
                       std::optional<unsigned> slot) {
  const SanitizerRuleText &text = sanitizerRules()[unsigned(rule)];
  Violation violation{text.id, text.title};
  if (slot) {
    violation.subject = registerName(*slot);
    violation.text += " (" + violation.subject + ")";
  }
  if (producer) {
    violation.text += ": " + describeProducer(*producer);
    violation.signature = producer->mnemonic;
    violation.producer = producer;
  }
  violation.text += "; " + std::string(text.explanation) + ",";
  wave.report(op, violation);
}

/// Reports \p pending when \p op uses a register that it is about. Rows without consumed registers
/// always match.
void Hazards::check(Wave &wave, const MicroOp &op, const OpFacts &facts, const Pending &pending) {
  const HazardRow &row = hazardRows()[pending.row];
  std::optional<unsigned> slot;
  if (row.consumed != HazardEffect::None) {
    RegisterSet consumed =
        hazardRegisters(op, facts, row.consumed, row.registers, wave.waveSize) & pending.registers;
    if (consumed.empty())
      return;
    if (row.consumed != HazardEffect::Hwreg)
      slot = consumed.first();
  }
  reportHazard(wave, op, row.rule, pending.producer->inst, slot);
}

/// Of those of one row that wait to be resolved, each register counts for its last producer.
void Hazards::add(const Wave &wave, const MicroOp &op, const OpFacts &facts) {
  for (uint32_t left = facts.produces; left; left &= left - 1) {
    auto index = static_cast<uint8_t>(countr_zero(left));
    const HazardRow &row = hazardRows()[index];
    Pending pending{index, ~uint64_t(0), &op,
                    hazardRegisters(op, facts, row.produced, row.registers, wave.waveSize)};
    if (row.produced != HazardEffect::None && pending.registers.empty())
      continue;
    if (row.fact().distance) {
      pending.end = m_states + statesOf(op, facts) + row.fact().distance;
      m_pending.push_back(pending);
      continue;
    }
    erase_if(m_pending, [&](Pending &each) {
      if (each.row == index)
        each.registers = each.registers - pending.registers;
      return each.row == index && each.registers.empty();
    });
    m_pending.push_back(pending);
  }
}

/// Ends hazards of registers that were written again, in rows where that is enough.
void Hazards::endByWrites(const OpFacts &facts) {
  for (Pending &pending : m_pending)
    if (hazardRows()[pending.row].fact().endsByWrite)
      pending.registers = pending.registers - facts.writes;
  erase_if(m_pending, [](const Pending &each) {
    return hazardRows()[each.row].fact().endsByWrite && each.registers.empty();
  });
}

/// Order matters: \p op may use what it resolves, and does not consume what it produces itself.
void Hazards::step(Wave &wave, const MicroOp &op, const OpFacts &facts) {
  erase_if(m_pending, [&](const Pending &each) { return each.end <= m_states; });
  for (const Pending &pending : m_pending)
    if (facts.consumes >> pending.row & 1)
      check(wave, op, facts, pending);
  erase_if(m_pending,
           [&](const Pending &each) { return facts.resolves & hazardRows()[each.row].resolvers; });
  endByWrites(facts);
  if (facts.produces)
    add(wave, op, facts);
}
