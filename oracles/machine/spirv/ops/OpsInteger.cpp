// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Integer arithmetic ("Arithmetic Instructions").
#include "oracles/machine/spirv/ops/Ops.h"

#include "support/Error.h"
#include "support/Fault.h"

using namespace llvm;
using namespace assay;
using namespace assay::reference;

/// Bits of a scalar's payload; a boolean has one.
static uint8_t bitsOf(const spirv::Type &type) {
  if (type.kind == spirv::TypeKind::Pointer)
    return 64; // A device address; of others nobody asks.
  return type.kind == spirv::TypeKind::Bool ? 1 : static_cast<uint8_t>(type.width);
}

/// Without operands, sourceWidth is the width of the result.
Error reference::prepareIds(Decoder &decoder, Operands operands, Inst &inst) {
  if (Error error = decoder.refs(operands, inst))
    return error;
  spirv::Id type = inst.source->typeId;
  Expected<uint32_t> count = decoder.scalarCount(type);
  if (!count)
    return count.takeError();
  inst.n = *count;
  inst.width = bitsOf(decoder.scalarType(type));
  inst.sourceWidth = inst.width;
  if (!operands.empty())
    if (spirv::Id source = decoder.typeOf(operands[0]))
      inst.sourceWidth = bitsOf(decoder.scalarType(source));
  return Error::success();
}

/// Prepares the operands of an instruction that reads whole vectors: n is the number of scalars of
/// the first operand, not of the result.
Error reference::prepareWhole(Decoder &decoder, Operands operands, Inst &inst) {
  if (Error error = prepareIds(decoder, operands, inst))
    return error;
  Expected<uint32_t> count = decoder.scalarCount(decoder.typeOf(operands[0]));
  if (!count)
    return count.takeError();
  inst.n = *count;
  return Error::success();
}

static uint64_t negateInt(uint64_t a, unsigned) {
  return 0 - a;
}
static uint64_t addInt(uint64_t a, uint64_t b, unsigned) {
  return a + b;
}
/// Wraps around; the caller masks the result.
static uint64_t subInt(uint64_t a, uint64_t b, unsigned) {
  return faultPlanted(Fault::ReferenceSubtract) ? a + b : a - b;
}
static uint64_t mulInt(uint64_t a, uint64_t b, unsigned) {
  return a * b;
}

/// \p b is not 0.
static uint64_t divUnsigned(uint64_t a, uint64_t b, unsigned) {
  return a / b;
}
static uint64_t modUnsigned(uint64_t a, uint64_t b, unsigned) {
  return a % b;
}
/// \p b is not 0, and the quotient does not overflow.
static uint64_t divSigned(uint64_t a, uint64_t b, unsigned width) {
  return static_cast<uint64_t>(signExtend(a, width) / signExtend(b, width));
}
/// Of operands that are not negative, so that the sign of OpSRem and that of OpSMod are one.
static uint64_t remSigned(uint64_t a, uint64_t b, unsigned width) {
  return static_cast<uint64_t>(signExtend(a, width) % signExtend(b, width));
}

/// Vulkan leaves OpSRem and OpSMod of a negative operand undefined ("Vulkan Environment for
/// SPIR-V", "Precision and Operation of SPIR-V Instructions").
enum class Division : uint8_t { Unsigned, Signed, SignedRemainder };

/// Division by zero and overflow of a signed quotient are undefined behaviour, whatever is done
/// with the result.
template <uint64_t (*Function)(uint64_t, uint64_t, unsigned), Division Kind>
static Status divideInt(Invocation &invocation, const Inst &inst) {
  Scalar *dst = invocation.at(inst.dst);
  const Scalar *a = invocation.at(inst.op[0]), *b = invocation.at(inst.op[1]);
  uint64_t mask = maskOf(inst.width), smallest = uint64_t(1) << (inst.width - 1);
  for (uint32_t i = 0; i < inst.n; ++i) {
    if ((a[i].flags | b[i].flags) & Poison) {
      dst[i] = inheritPoison(a[i], b[i]);
      continue;
    }
    if (b[i].bits == 0)
      return invocation.execution->undefinedBehavior("UB-DIV0", invocation, inst,
                                                     "division by zero");
    if (Kind != Division::Unsigned && a[i].bits == smallest && b[i].bits == mask)
      return invocation.execution->undefinedBehavior("UB-DIV0", invocation, inst,
                                                     "the quotient overflows");
    if (Kind == Division::SignedRemainder && ((a[i].bits | b[i].bits) & smallest)) {
      dst[i] = Scalar::undefined(Cause::Math);
      continue;
    }
    dst[i] = Scalar::exact(Function(a[i].bits, b[i].bits, inst.width) & mask);
  }
  return Status::Next;
}

/// Results are a structure of two equal members; n counts the components of one.
static Error preparePair(Decoder &decoder, Operands operands, Inst &inst) {
  if (Error error = prepareIds(decoder, operands, inst))
    return error;
  inst.n /= 2;
  inst.width = inst.sourceWidth;
  return Error::success();
}

namespace {
/// Two results: sum and carry, or the halves of a product.
struct Pair {
  uint64_t low, high;
};
} // namespace
/// The carry is 1 where the sum of \p width bits wraps around.
static Pair addCarry(uint64_t a, uint64_t b, unsigned width) {
  uint64_t sum = (a + b) & maskOf(width);
  return {sum, sum < a};
}
/// The caller masks the difference.
static Pair subBorrow(uint64_t a, uint64_t b, unsigned) {
  return {a - b, a < b};
}
/// The high half begins at bit \p width; the caller masks both.
static Pair mulUnsigned(uint64_t a, uint64_t b, unsigned width) {
  unsigned __int128 product = static_cast<unsigned __int128>(a) * b;
  return {static_cast<uint64_t>(product), static_cast<uint64_t>(product >> width)};
}
/// As mulUnsigned(), for operands that are extended by their signs.
static Pair mulSigned(uint64_t a, uint64_t b, unsigned width) {
  __int128 product = static_cast<__int128>(signExtend(a, width)) * signExtend(b, width);
  return {static_cast<uint64_t>(product), static_cast<uint64_t>(product >> width)};
}

/// Writes the low results, then the high ones: the two members of the structure.
template <Pair (*Function)(uint64_t, uint64_t, unsigned)>
static Status intPair(Invocation &invocation, const Inst &inst) {
  Scalar *dst = invocation.at(inst.dst);
  const Scalar *a = invocation.at(inst.op[0]), *b = invocation.at(inst.op[1]);
  uint64_t mask = maskOf(inst.width);
  for (uint32_t i = 0; i < inst.n; ++i) {
    if ((a[i].flags | b[i].flags) & Poison) {
      dst[i] = dst[i + inst.n] = inheritPoison(a[i], b[i]);
      continue;
    }
    Pair pair = Function(a[i].bits, b[i].bits, inst.width);
    dst[i] = Scalar::exact(pair.low & mask);
    dst[i + inst.n] = Scalar::exact(pair.high & mask);
  }
  return Status::Next;
}

/// Integer arithmetic. OpSRem and OpSMod share a function because negative operands are undefined.
ArrayRef<OpRow> reference::arithmeticOps() {
  using spv::Op;
  static const OpRow rows[] = {
      {uint32_t(Op::OpSNegate), prepareIds, intUnary<negateInt>},
      {uint32_t(Op::OpIAdd), prepareIds, intBinary<addInt>},
      {uint32_t(Op::OpISub), prepareIds, intBinary<subInt>},
      {uint32_t(Op::OpIMul), prepareIds, intBinary<mulInt>},
      {uint32_t(Op::OpUDiv), prepareIds, divideInt<divUnsigned, Division::Unsigned>},
      {uint32_t(Op::OpSDiv), prepareIds, divideInt<divSigned, Division::Signed>},
      {uint32_t(Op::OpUMod), prepareIds, divideInt<modUnsigned, Division::Unsigned>},
      {uint32_t(Op::OpSRem), prepareIds, divideInt<remSigned, Division::SignedRemainder>},
      {uint32_t(Op::OpSMod), prepareIds, divideInt<remSigned, Division::SignedRemainder>},
      {uint32_t(Op::OpIAddCarry), preparePair, intPair<addCarry>},
      {uint32_t(Op::OpISubBorrow), preparePair, intPair<subBorrow>},
      {uint32_t(Op::OpUMulExtended), preparePair, intPair<mulUnsigned>},
      {uint32_t(Op::OpSMulExtended), preparePair, intPair<mulSigned>},
  };
  return rows;
}
