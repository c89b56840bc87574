// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ops among the active lanes of a wave.
#include "oracles/ir/Exchange.h"
#include "oracles/ir/Floats.h"
#include "oracles/machine/ir/Calls.h"

using namespace llvm;
using namespace assay;
using namespace assay::irm;
using ir::Inst;
using ir::Lane;
using ir::RunState;
using ir::Scalar;

/// The mask of operand 0 of \p lane, of its first 64 bits; nothing where it is poison.
static std::optional<uint64_t> maskOf(const Inst &inst, const Lane &lane) {
  const Scalar *words = lane.get(inst.operands[0]);
  if (words[0].isPoison || words[1].isPoison)
    return std::nullopt;
  return words[0].bits.getZExtValue() | words[1].bits.getZExtValue() << 32;
}

/// Four dwords, of which the last two are 0. Lanes that do not run have a bit of 0.
static void runBallot(ir::Machine &machine, const Inst &inst) {
  uint64_t mask = 0;
  for (const Lane *lane : machine.group()) {
    const Scalar &predicate = *lane->get(inst.operands[0]);
    if (predicate.isPoison)
      return machine.stop(RunState::Undefined, "a ballot of poison");
    mask |= uint64_t(!predicate.bits.isZero()) << lane->number;
  }
  for (Lane *lane : machine.group())
    for (unsigned i = 0; i < 4; ++i)
      lane->slots[inst.slot + i] = {APInt(inst.bits, i < 2 ? (mask >> (32 * i)) & UINT32_MAX : 0)};
}

/// Counts the bits of a ballot in lanes below the lane's number.
static void runCountBelow(ir::Machine &machine, const Inst &inst) {
  for (Lane *lane : machine.group()) {
    std::optional<uint64_t> mask = maskOf(inst, *lane);
    if (mask)
      lane->slots[inst.slot] = {
          APInt(inst.bits, popcount(*mask & ((uint64_t(1) << lane->number) - 1)))};
    else
      ir::setPoison(lane->slots[inst.slot], inst.bits);
  }
}

/// The lane that a lane reads, from its operands; NoLane where that is poison.
using ChooseLane = unsigned (*)(const Inst &inst, const Lane &lane);
static constexpr unsigned NoLane = ~0u;

/// Poison of a lane that does not run.
template <ChooseLane choose> static void runRead(ir::Machine &machine, const Inst &inst) {
  ir::runExchange(machine, inst, {ir::NoOperand, 0}, [&](const Lane &lane) -> ir::Choice {
    return {ir::Choice::Lane, choose(inst, lane), ir::Choice::Old};
  });
}

/// Operand 1 is the number of the lane.
static unsigned chosenLane(const Inst &inst, const Lane &lane) {
  const Scalar &number = *lane.get(inst.operands[1]);
  return number.isPoison ? NoLane : static_cast<unsigned>(number.bits.getLimitedValue(NoLane));
}

/// Operand 1 is XORed with the lane's number.
static unsigned maskedLane(const Inst &inst, const Lane &lane) {
  const Scalar &mask = *lane.get(inst.operands[1]);
  return mask.isPoison ? NoLane
                       : lane.number ^ static_cast<unsigned>(mask.bits.getLimitedValue(NoLane));
}

/// Operand 1 has two bits for each lane of a quad: the lane of the quad that it reads.
static unsigned quadLane(const Inst &inst, const Lane &lane) {
  return (lane.number & ~3u) | ((immediate(inst, 1) >> (2 * (lane.number & 3))) & 3);
}

/// The value of the lowest active lane.
static void runBroadcastFirst(ir::Machine &machine, const Inst &inst) {
  Scalar first = *machine.group().front()->get(inst.operands[0]);
  for (Lane *lane : machine.group())
    lane->slots[inst.slot] = first;
}

namespace {
/// What reductions and scans combine with.
struct Operation {
  APInt (*combine)(const Inst &inst, const APInt &a, const APInt &b);
  APInt (*neutral)(const Inst &inst); ///< Of nothing: of an exclusive scan's first lane.
};
} // namespace

/// Of the result, which has one element.
static const fltSemantics &semanticsOf(const Inst &inst) {
  return inst.shape->elements.front().type->getFltSemantics();
}

/// Applies \p function to two values of the type of \p inst, given as bits.
template <APFloat (*function)(const APFloat &, const APFloat &)>
static APInt combineFloats(const Inst &inst, const APInt &a, const APInt &b) {
  const fltSemantics &semantics = semanticsOf(inst);
  return function(APFloat(semantics, a), APFloat(semantics, b)).bitcastToAPInt();
}

static APFloat addFloats(const APFloat &a, const APFloat &b) {
  return a + b;
}
static APFloat multiplyFloats(const APFloat &a, const APFloat &b) {
  return a * b;
}

static APInt zeroOf(const Inst &inst) {
  return APInt::getZero(inst.bits);
}
static APInt onesOf(const Inst &inst) {
  return APInt::getAllOnes(inst.bits);
}
template <bool isNegative> static APInt infinityOf(const Inst &inst) {
  return APFloat::getInf(semanticsOf(inst), isNegative).bitcastToAPInt();
}

/// In the order of the numbers that are in the IR (compiler/lgc/Builder.h, SubgroupOperation).
static constexpr Operation operations[] = {
    {[](const Inst &, const APInt &a, const APInt &b) { return a + b; }, zeroOf},
    {combineFloats<addFloats>, zeroOf},
    {[](const Inst &, const APInt &a, const APInt &b) { return a * b; },
     [](const Inst &inst) { return APInt(inst.bits, 1); }},
    {combineFloats<multiplyFloats>,
     [](const Inst &inst) { return APFloat::getOne(semanticsOf(inst)).bitcastToAPInt(); }},
    {[](const Inst &, const APInt &a, const APInt &b) { return ir::leastSigned(a, b); },
     [](const Inst &inst) { return APInt::getSignedMaxValue(inst.bits); }},
    {[](const Inst &, const APInt &a, const APInt &b) { return ir::leastUnsigned(a, b); }, onesOf},
    {combineFloats<minimumnum>, infinityOf<false>},
    {[](const Inst &, const APInt &a, const APInt &b) { return ir::mostSigned(a, b); },
     [](const Inst &inst) { return APInt::getSignedMinValue(inst.bits); }},
    {[](const Inst &, const APInt &a, const APInt &b) { return ir::mostUnsigned(a, b); }, zeroOf},
    {combineFloats<maximumnum>, infinityOf<true>},
    {[](const Inst &, const APInt &a, const APInt &b) { return a & b; }, onesOf},
    {[](const Inst &, const APInt &a, const APInt &b) { return a | b; }, zeroOf},
    {[](const Inst &, const APInt &a, const APInt &b) { return a ^ b; }, zeroOf},
};

/// Combines what the active lanes have for which \p isPart holds, in their order.
template <typename IsPart>
static Scalar combineLanes(ir::Machine &machine, const Inst &inst, uint64_t operation,
                           IsPart isPart) {
  Scalar result{operations[operation].neutral(inst)};
  bool isFirst = true;
  for (const Lane *lane : machine.group()) {
    if (!isPart(*lane))
      continue;
    const Scalar &value = *lane->get(inst.operands[0]);
    if (value.isPoison)
      return Scalar{APInt(inst.bits, 0), true};
    result.bits =
        isFirst ? value.bits : operations[operation].combine(inst, result.bits, value.bits);
    isFirst = false;
  }
  return result;
}

/// Gives the lanes of the group their results, in its order.
static void setAll(ir::Machine &machine, const Inst &inst, ArrayRef<Scalar> values) {
  for (auto [lane, value] : zip_equal(machine.group(), values))
    lane->slots[inst.slot] = value;
}

/// Operands: value, operation, cluster size; 0 is the whole wave. Results are written after all
/// have been computed, because operands may share slots with them.
static void runReduce(ir::Machine &machine, const Inst &inst) {
  uint64_t operation = immediate(inst, 1), size = immediate(inst, 2);
  if (operation >= std::size(operations))
    return machine.stop(RunState::Unsupported, "a subgroup operation");
  SmallVector<Scalar, 64> values;
  for (const Lane *own : machine.group())
    values.push_back(combineLanes(machine, inst, operation, [&](const Lane &lane) {
      return size == 0 || lane.number / size == own->number / size;
    }));
  setAll(machine, inst, values);
}

/// Operands: value, operation, whether it is exclusive.
static void runScan(ir::Machine &machine, const Inst &inst) {
  uint64_t operation = immediate(inst, 1);
  bool isExclusive = immediate(inst, 2) != 0;
  if (operation >= std::size(operations))
    return machine.stop(RunState::Unsupported, "a subgroup operation");
  SmallVector<Scalar, 64> values;
  for (const Lane *own : machine.group())
    values.push_back(combineLanes(machine, inst, operation, [&](const Lane &lane) {
      return lane.number < own->number || (lane.number == own->number && !isExclusive);
    }));
  setAll(machine, inst, values);
}

ArrayRef<OpRow> irm::subgroupOps() {
  static constexpr OpRow Rows[] = {
      {"subgroup.ballot", runBallot},
      {"subgroup.count.below", runCountBelow},
      {"subgroup.broadcast.first", runBroadcastFirst},
      {"subgroup.broadcast", runRead<chosenLane>},
      {"subgroup.shuffle", runRead<chosenLane>},
      {"subgroup.shuffle.xor", runRead<maskedLane>},
      {"subgroup.quad.permute", runRead<quadLane>},
      {"subgroup.reduce", runReduce},
      {"subgroup.scan", runScan},
  };
  return Rows;
}
