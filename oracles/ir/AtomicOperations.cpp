// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What atomic operations make of the value they find: a table by operation.
#include "oracles/ir/Accesses.h"
#include "oracles/ir/Floats.h"
#include "llvm/ADT/APFloat.h"

using namespace llvm;
using namespace assay;

namespace assay::ir {

using BinOp = AtomicRMWInst::BinOp;
using IntegerFunction = APInt (*)(const APInt &old, const APInt &operand);
using FloatFunction = APFloat (*)(const APFloat &old, const APFloat &operand);

namespace {
/// What one operation stores, from the value it finds and its operand.
struct OperationRow {
  BinOp operation;
  IntegerFunction integers; ///< Null: of floats.
  FloatFunction floats;
  bool isBitwise = false; ///< What is poison in a byte stays therein.
};
} // namespace

/// All operations that the interpreter has; others are unsupported.
static constexpr OperationRow Operations[] = {
    {BinOp::Xchg, [](const APInt &, const APInt &b) { return b; }, nullptr},
    {BinOp::Add, [](const APInt &a, const APInt &b) { return a + b; }, nullptr},
    {BinOp::Sub, [](const APInt &a, const APInt &b) { return a - b; }, nullptr},
    {BinOp::And, [](const APInt &a, const APInt &b) { return a & b; }, nullptr, true},
    {BinOp::Nand, [](const APInt &a, const APInt &b) { return ~(a & b); }, nullptr, true},
    {BinOp::Or, [](const APInt &a, const APInt &b) { return a | b; }, nullptr, true},
    {BinOp::Xor, [](const APInt &a, const APInt &b) { return a ^ b; }, nullptr, true},
    {BinOp::Max, [](const APInt &a, const APInt &b) { return APIntOps::smax(a, b); }, nullptr},
    {BinOp::Min, [](const APInt &a, const APInt &b) { return APIntOps::smin(a, b); }, nullptr},
    {BinOp::UMax, [](const APInt &a, const APInt &b) { return APIntOps::umax(a, b); }, nullptr},
    {BinOp::UMin, [](const APInt &a, const APInt &b) { return APIntOps::umin(a, b); }, nullptr},
    {BinOp::UIncWrap,
     [](const APInt &a, const APInt &b) {
       return a.uge(b) ? APInt::getZero(a.getBitWidth()) : a + 1;
     },
     nullptr},
    {BinOp::UDecWrap,
     [](const APInt &a, const APInt &b) { return a.isZero() || a.ugt(b) ? b : a - 1; }, nullptr},
    {BinOp::USubCond, [](const APInt &a, const APInt &b) { return a.uge(b) ? a - b : a; }, nullptr},
    {BinOp::USubSat, [](const APInt &a, const APInt &b) { return a.usub_sat(b); }, nullptr},
    {BinOp::FAdd, nullptr, [](const APFloat &a, const APFloat &b) { return a + b; }},
    {BinOp::FSub, nullptr, [](const APFloat &a, const APFloat &b) { return a - b; }},
    {BinOp::FMax, nullptr, [](const APFloat &a, const APFloat &b) { return maxnum(a, b); }},
    {BinOp::FMin, nullptr, [](const APFloat &a, const APFloat &b) { return minnum(a, b); }},
    {BinOp::FMaximum, nullptr, [](const APFloat &a, const APFloat &b) { return maximum(a, b); }},
    {BinOp::FMinimum, nullptr, [](const APFloat &a, const APFloat &b) { return minimum(a, b); }},
};

/// Computes on floats, with denormal operands and results flushed as \p denormals says. \p element
/// has the type of both.
static APInt applyFloats(const OperationRow &row, const Element &element, DenormalMode denormals,
                         const APInt &old, const APInt &operand) {
  auto read = [&](const APInt &bits) {
    return flushDenormal(denormals.Input, APFloat(element.type->getFltSemantics(), bits));
  };
  return flushDenormal(denormals.Output, row.floats(read(old), read(operand))).bitcastToAPInt();
}

/// Returns the new value of one element. Poison spreads to the whole element, or for bitwise
/// operations stays in its bytes.
static Scalar apply(const OperationRow &row, const Element &element, DenormalMode denormals,
                    const Scalar &old, const Scalar &operand) {
  if (row.operation == BinOp::Xchg)
    return operand;
  Scalar result;
  bool isPoison = old.isPoison || operand.isPoison;
  if (isPoison && !row.isBitwise)
    setPoison(result, element.bits);
  else if (row.integers)
    result.bits = row.integers(old.bits, operand.bits);
  else
    result.bits = applyFloats(row, element, denormals, old.bits, operand.bits);
  if (isPoison && row.isBitwise)
    setPoisonBytes(result, poisonMask(old) | poisonMask(operand));
  return result;
}

void atomicPlace(Machine &machine, Lane &lane, const Place &place, const Shape &shape,
                 const AccessMode &mode, BinOp operation, const Scalar *operand, Scalar *old) {
  const OperationRow *row =
      find_if(Operations, [&](const OperationRow &r) { return r.operation == operation; });
  if (row == std::end(Operations))
    return machine.stop(RunState::Unsupported,
                        "atomicrmw " + AtomicRMWInst::getOperationName(operation));
  AccessMode plain;
  readPlace(machine, lane, place, shape, plain, old);
  recordAccess(machine, lane, place, shape.storeBytes, mode, Event::Kind::AtomicRmw);
  SmallVector<Scalar, 4> values;
  for (const Element &element : shape.elements) {
    size_t i = values.size();
    values.push_back(apply(*row, element, mode.denormals, old[i], operand[i]));
  }
  writePlace(machine, lane, place, shape, plain, values.data());
}

} // namespace assay::ir
