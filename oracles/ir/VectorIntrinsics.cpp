// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Intrinsics that rearrange vectors, and that reduce them to one element.
#include "oracles/ir/Floats.h"
#include "oracles/ir/Handlers.h"

using namespace llvm;
using namespace assay;

namespace assay::ir {

using IntegerStep = APInt (*)(const APInt &, const APInt &);
using FloatStep = APFloat (*)(const APFloat &, const APFloat &);

/// One element more into \p result.
template <IntegerStep step>
static void reduceStep(const Inst &, const Scalar &value, Scalar &result) {
  result.bits = step(result.bits, value.bits);
}

template <FloatStep step>
static void reduceStep(const Inst &inst, const Scalar &value, Scalar &result) {
  APFloat next = step(toFloat(inst, result), toFloat(inst, value));
  result.bits = flushDenormal(inst.denormals.Output, next).bitcastToAPInt();
}

/// \p vectorOperand: which operand the vector is; the one before it, if any, is where to start.
template <void (*step)(const Inst &, const Scalar &, Scalar &), unsigned vectorOperand>
static void runReduce(Machine &machine, const Inst &inst) {
  const Operand &operand = inst.operands[vectorOperand];
  for (Lane *lane : machine.group()) {
    const Scalar *vector = lane->get(operand);
    Scalar result = vectorOperand ? *lane->get(inst.operands[0]) : vector[0];
    bool isPoison = result.isPoison;
    for (uint32_t i = vectorOperand ? 0 : 1; i < operand.count; ++i) {
      isPoison |= vector[i].isPoison;
      if (!isPoison)
        step(inst, vector[i], result);
    }
    if (isPoison)
      setPoison(result, inst.bits);
    lane->slots[inst.slot] = std::move(result);
  }
}

/// Handlers of reductions without a start value: they begin with element 0.
template <IntegerStep step> static constexpr Handler integers = runReduce<reduceStep<step>, 0>;
template <FloatStep step> static constexpr Handler floats = runReduce<reduceStep<step>, 0>;
/// In order, from operand 0 on.
template <FloatStep step> static constexpr Handler ordered = runReduce<reduceStep<step>, 1>;

/// vector.reverse.
static void runReverse(Machine &machine, const Inst &inst) {
  for (Lane *lane : machine.group()) {
    const Scalar *vector = lane->get(inst.operands[0]);
    std::reverse_copy(vector, vector + inst.count, lane->slots + inst.slot);
  }
}

/// vector.insert(vector, part, index) and vector.extract(vector, index): the index is constant.
static void runInsert(Machine &machine, const Inst &inst) {
  uint64_t first = inst.operands[2].constant->bits.getLimitedValue();
  for (Lane *lane : machine.group()) {
    Scalar *result = lane->slots + inst.slot;
    std::copy_n(lane->get(inst.operands[0]), inst.count, result);
    const Scalar *part = lane->get(inst.operands[1]);
    for (uint64_t i = 0; i < inst.operands[1].count; ++i)
      if (first + i < inst.count)
        result[first + i] = part[i];
  }
}

/// Elements beyond the vector are poison.
static void runExtract(Machine &machine, const Inst &inst) {
  uint64_t first = inst.operands[1].constant->bits.getLimitedValue();
  for (Lane *lane : machine.group()) {
    const Scalar *vector = lane->get(inst.operands[0]);
    Scalar *result = lane->slots + inst.slot;
    for (uint64_t i = 0; i < inst.count; ++i) {
      if (first + i < inst.operands[0].count)
        result[i] = vector[first + i];
      else
        setPoison(result[i], inst.bits);
    }
  }
}

static APInt sum(const APInt &a, const APInt &b) {
  return a + b;
}
static APInt product(const APInt &a, const APInt &b) {
  return a * b;
}
static APInt conjunction(const APInt &a, const APInt &b) {
  return a & b;
}
static APInt disjunction(const APInt &a, const APInt &b) {
  return a | b;
}
static APInt difference(const APInt &a, const APInt &b) {
  return a ^ b;
}
static APFloat floatSum(const APFloat &a, const APFloat &b) {
  return a + b;
}
static APFloat floatProduct(const APFloat &a, const APFloat &b) {
  return a * b;
}

ArrayRef<IntrinsicRow> vectorIntrinsics() {
  static constexpr IntrinsicRow Rows[] = {
      {Intrinsic::vector_reduce_add, integers<sum>},
      {Intrinsic::vector_reduce_mul, integers<product>},
      {Intrinsic::vector_reduce_and, integers<conjunction>},
      {Intrinsic::vector_reduce_or, integers<disjunction>},
      {Intrinsic::vector_reduce_xor, integers<difference>},
      {Intrinsic::vector_reduce_smin, integers<leastSigned>},
      {Intrinsic::vector_reduce_smax, integers<mostSigned>},
      {Intrinsic::vector_reduce_umin, integers<leastUnsigned>},
      {Intrinsic::vector_reduce_umax, integers<mostUnsigned>},
      {Intrinsic::vector_reduce_fmin, floats<minnum>},
      {Intrinsic::vector_reduce_fmax, floats<maxnum>},
      {Intrinsic::vector_reduce_fminimum, floats<minimum>},
      {Intrinsic::vector_reduce_fmaximum, floats<maximum>},
      {Intrinsic::vector_reduce_fadd, ordered<floatSum>},
      {Intrinsic::vector_reduce_fmul, ordered<floatProduct>},
      {Intrinsic::vector_reverse, runReverse},
      {Intrinsic::vector_insert, runInsert},
      {Intrinsic::vector_extract, runExtract},
  };
  return Rows;
}

} // namespace assay::ir
