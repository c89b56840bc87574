// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Values that go from lane to lane: who takes what of whom is said by a function, one lane at a
// time.
#pragma once

#include "oracles/ir/Machine.h"

namespace assay::ir {

/// What a lane takes.
struct Choice {
  enum Kind : uint8_t {
    Old,  ///< Its old value; poison where the exchange has none.
    Zero, ///< 0.
    Lane, ///< That of a lane; if that does not run, `otherwise`.
  };
  Kind kind = Old;
  unsigned lane = 0;
  Kind otherwise = Old;
};

constexpr unsigned NoOperand = ~0u;

/// The operands of an exchange that have a value for each lane.
struct Exchange {
  unsigned oldOperand; ///< Or NoOperand.
  unsigned sourceOperand;
};

/// Runs an exchange of values of any number of scalars; \p choose says what each lane of the group
/// takes. All sources are read before any result is written.
template <class Choose>
void runExchange(Machine &machine, const Inst &inst, Exchange exchange, Choose choose) {
  std::vector<Scalar> results;
  results.reserve(machine.group().size() * inst.count);
  for (Lane *lane : machine.group()) {
    Choice choice = choose(*lane);
    const Scalar *source = nullptr;
    if (choice.kind == Choice::Lane) {
      for (Lane *other : machine.group())
        if (other->number == choice.lane)
          source = other->get(inst.operands[exchange.sourceOperand]);
      if (!source)
        choice.kind = choice.otherwise;
    }
    if (choice.kind == Choice::Old && exchange.oldOperand != NoOperand)
      source = lane->get(inst.operands[exchange.oldOperand]);
    for (uint32_t i = 0; i < inst.count; ++i) {
      if (source)
        results.push_back(source[i]);
      else if (choice.kind == Choice::Zero)
        results.push_back({llvm::APInt::getZero(inst.bits)});
      else
        setPoison(results.emplace_back(), inst.bits);
    }
  }
  auto next = results.begin();
  for (Lane *lane : machine.group()) {
    std::move(next, next + inst.count, lane->slots + inst.slot);
    next += inst.count;
  }
}

/// ds.bpermute: operand 0 is four times the lane to read, among the \p reach lanes, a power of two,
/// that the reader is one of; operand 1 what it reads, 0 of a lane that does not run. Poison as
/// operand 0 is undefined behaviour.
void permuteBackward(Machine &machine, const Inst &inst, unsigned reach);

} // namespace assay::ir
