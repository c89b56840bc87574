// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Dot products of integers (SPV_KHR_integer_dot_product, SPIR-V 1.6 "Arithmetic Instructions"), of
// vectors or of four bytes packed into a dword.
#include "oracles/machine/spirv/ops/Ops.h"

#include "support/Error.h"

using namespace llvm;
using namespace assay;
using namespace assay::reference;

/// Bit of Inst::extra: the operands are packed.
static constexpr uint32_t PackedOperands = 1;

/// n counts the components, sourceWidth their bits, op[2] is the accumulator where there is one.
template <bool Accumulates>
static Error prepareDot(Decoder &decoder, Operands operands, Inst &inst) {
  size_t values = Accumulates ? 3 : 2;
  if (Error error = prepareIds(decoder, operands.take_front(values), inst))
    return error;
  const spirv::Type &type = decoder.module().type(decoder.typeOf(operands[0]));
  if (type.kind == spirv::TypeKind::Vector) {
    inst.n = type.count;
    return Error::success();
  }
  if (operands.size() <= values || operands[values] != 0)
    return unsupported("packed vector format");
  inst.extra = PackedOperands;
  inst.n = 4;
  inst.sourceWidth = 8;
  return Error::success();
}

/// Component \p i of an operand, extended by its sign or by zeros.
static __int128 componentOf(const Scalar *operand, uint32_t i, bool isSigned, const Inst &inst) {
  uint64_t bits = inst.extra & PackedOperands ? operand->bits >> (8 * i) & 0xff : operand[i].bits;
  return isSigned ? signExtend(bits, inst.sourceWidth) : static_cast<__int128>(bits);
}

/// Clamps \p value to the integers of \p width bits.
static __int128 saturate(__int128 value, unsigned width, bool isSigned) {
  __int128 one = 1;
  __int128 lowest = isSigned ? -(one << (width - 1)) : 0;
  __int128 highest = (one << (isSigned ? width - 1 : width)) - 1;
  return value < lowest ? lowest : value > highest ? highest : value;
}

/// The sum is computed without overflow. The accumulating forms saturate the last addition and are
/// undefined where the sum of products overflows by itself.
template <bool LeftSigned, bool RightSigned, bool Accumulates>
static Status dot(Invocation &invocation, const Inst &inst) {
  const Scalar *a = invocation.at(inst.op[0]), *b = invocation.at(inst.op[1]);
  uint32_t scalars = inst.extra & PackedOperands ? 1 : inst.n;
  Scalar poison = inheritPoison(poisonOf(a, scalars), poisonOf(b, scalars));
  __int128 sum = 0;
  for (uint32_t i = 0; i < inst.n; ++i)
    sum += componentOf(a, i, LeftSigned, inst) * componentOf(b, i, RightSigned, inst);
  if (Accumulates) {
    const Scalar &old = *invocation.at(inst.op[2]);
    poison = inheritPoison(poison, old);
    // Only the last addition may overflow.
    if (!poison.isPoison() && sum != saturate(sum, inst.width, LeftSigned))
      poison = Scalar::undefined(Cause::Math);
    sum += LeftSigned ? static_cast<__int128>(signExtend(old.bits, inst.width))
                      : static_cast<__int128>(old.bits);
    sum = saturate(sum, inst.width, LeftSigned);
  }
  *invocation.at(inst.dst) =
      poison.isPoison() ? poison : Scalar::exact(static_cast<uint64_t>(sum) & maskOf(inst.width));
  return Status::Next;
}

/// Template arguments of dot: signedness of both operands, and whether it accumulates.
ArrayRef<OpRow> reference::integerDotOps() {
  using spv::Op;
  static const OpRow rows[] = {
      {uint32_t(Op::OpSDot), prepareDot<false>, dot<true, true, false>},
      {uint32_t(Op::OpUDot), prepareDot<false>, dot<false, false, false>},
      {uint32_t(Op::OpSUDot), prepareDot<false>, dot<true, false, false>},
      {uint32_t(Op::OpSDotAccSat), prepareDot<true>, dot<true, true, true>},
      {uint32_t(Op::OpUDotAccSat), prepareDot<true>, dot<false, false, true>},
      {uint32_t(Op::OpSUDotAccSat), prepareDot<true>, dot<true, false, true>},
  };
  return rows;
}
