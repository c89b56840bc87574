// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Intrinsics on integers: minima, bits, funnel shifts, saturation, overflow; and AMDGPU's own.
#include "oracles/ir/Elementwise.h"
#include "oracles/ir/Handlers.h"
#include "llvm/IR/IntrinsicsAMDGPU.h"

using namespace llvm;
using namespace assay;

namespace assay::ir {

using BinaryInteger = APInt (*)(const APInt &, const APInt &);
using UnaryInteger = APInt (*)(const APInt &);

template <BinaryInteger function>
static void apply(Machine &, const Inst &, const Scalar &a, const Scalar &b, Scalar &result) {
  result.bits = function(a.bits, b.bits);
}

template <UnaryInteger function>
static void apply(Machine &, const Inst &, const Scalar &a, Scalar &result) {
  result.bits = function(a.bits);
}

template <BinaryInteger function> static constexpr Handler binary = mapBinary<apply<function>>;
template <UnaryInteger function> static constexpr Handler unary = mapUnary<apply<function>>;

/// Operand 1 as a flag that is the same everywhere: what makes zero, or the least number, poison.
static bool isFlagged(const Inst &inst) {
  return !inst.operands[1].constant->bits.isZero();
}

/// abs, of the least number itself or poison.
static void absolute(Machine &, const Inst &inst, const Scalar &a, Scalar &result) {
  result.bits = a.bits.abs();
  if (isFlagged(inst) && a.bits.isMinSignedValue())
    setPoison(result, inst.bits);
}

/// ctlz, cttz: the width for zero, or poison.
template <bool isLeading>
static void countZeros(Machine &, const Inst &inst, const Scalar &a, Scalar &result) {
  result.bits = APInt(inst.bits, isLeading ? a.bits.countl_zero() : a.bits.countr_zero(), false,
                      /*implicitTrunc=*/true);
  if (isFlagged(inst) && a.bits.isZero())
    setPoison(result, inst.bits);
}

/// ctpop.
static void countOnes(Machine &, const Inst &inst, const Scalar &a, Scalar &result) {
  result.bits = APInt(inst.bits, a.bits.popcount(), false, /*implicitTrunc=*/true);
}

/// fshl, fshr: the amount is taken modulo the width. Works for any width, not only powers of two.
template <bool isLeft>
static void funnelShift(Machine &, const Inst &inst, const Scalar &a, const Scalar &b,
                        const Scalar &amount, Scalar &result) {
  unsigned width = inst.bits;
  auto shift = static_cast<unsigned>(amount.bits.urem(width));
  APInt both = a.bits.zext(2 * width).shl(width) | b.bits.zext(2 * width);
  result.bits = isLeft ? both.shl(shift).lshr(width).trunc(width) : both.lshr(shift).trunc(width);
}

using ShiftInteger = APInt (APInt::*)(const APInt &) const;

/// Saturating shifts, poison where the amount is too large.
template <ShiftInteger function>
static void shiftSaturated(Machine &, const Inst &inst, const Scalar &a, const Scalar &b,
                           Scalar &result) {
  if (b.bits.uge(inst.bits))
    return setPoison(result, inst.bits);
  result.bits = (a.bits.*function)(b.bits);
}

/// ucmp, scmp: -1, 0 or 1.
template <bool isSigned>
static void threeWay(Machine &, const Inst &inst, const Scalar &a, const Scalar &b,
                     Scalar &result) {
  bool less = isSigned ? a.bits.slt(b.bits) : a.bits.ult(b.bits);
  int order = less ? -1 : a.bits == b.bits ? 0 : 1;
  result.bits = APInt(inst.bits, static_cast<uint64_t>(static_cast<int64_t>(order)), true,
                      /*implicitTrunc=*/true);
}

using OverflowFunction = APInt (APInt::*)(const APInt &, bool &) const;

/// {results, overflow bits}.
template <OverflowFunction function> static void withOverflow(Machine &machine, const Inst &inst) {
  uint32_t half = inst.count / 2;
  for (Lane *lane : machine.group()) {
    const Scalar *a = lane->get(inst.operands[0]), *b = lane->get(inst.operands[1]);
    Scalar *result = lane->slots + inst.slot;
    for (uint32_t i = 0; i < half; ++i) {
      if (a[i].isPoison || b[i].isPoison) {
        setPoison(result[i], inst.bits);
        setPoison(result[half + i], 1);
        continue;
      }
      bool overflow = false;
      result[i] = {(a[i].bits.*function)(b[i].bits, overflow)};
      result[half + i] = {APInt(1, overflow)};
    }
  }
}

/// amdgcn.ubfe, sbfe: width bits from offset on; the low five bits of both count (LLVM's
/// AMDGPUUsage and the ISA manuals, V_BFE_U32).
template <bool isSigned>
static void bitField(Machine &, const Inst &inst, const Scalar &a, const Scalar &offset,
                     const Scalar &width, Scalar &result) {
  unsigned mask = inst.bits - 1;
  auto first = static_cast<unsigned>(offset.bits.getZExtValue() & mask);
  auto count = static_cast<unsigned>(width.bits.getZExtValue() & mask);
  if (!count) {
    result.bits = APInt::getZero(inst.bits);
    return;
  }
  count = std::min(count, inst.bits - first);
  APInt field = a.bits.extractBits(count, first);
  result.bits = isSigned ? field.sext(inst.bits) : field.zext(inst.bits);
}

/// Products of the low 24 bits.
/// Bits \p shift to \p shift + 31 of the product are the result.
template <bool isSigned, unsigned shift>
static void multiply24(Machine &, const Inst &inst, const Scalar &a, const Scalar &b,
                       Scalar &result) {
  auto extend = [](const APInt &bits) {
    APInt low = bits.trunc(24);
    return isSigned ? low.sext(64) : low.zext(64);
  };
  result.bits = (extend(a.bits) * extend(b.bits)).lshr(shift).trunc(32).zextOrTrunc(inst.bits);
}

/// v_alignbyte_b32: {a, b} shifted right by the low two bits of the third operand in bytes.
static void alignByte(Machine &, const Inst &, const Scalar &a, const Scalar &b, const Scalar &c,
                      Scalar &result) {
  uint64_t both = a.bits.getZExtValue() << 32 | b.bits.getZExtValue();
  result.bits = APInt(32, static_cast<uint32_t>(both >> (8 * (c.bits.getZExtValue() & 3))));
}

/// v_perm_b32: each byte of the third operand chooses one of {a, b}, lowest first, the sign of one
/// of their halves (8 to 11), zeros (12), or ones.
static void permuteBytes(Machine &, const Inst &, const Scalar &a, const Scalar &b, const Scalar &c,
                         Scalar &result) {
  uint64_t both = a.bits.getZExtValue() << 32 | b.bits.getZExtValue();
  uint32_t bytes = 0;
  for (unsigned i = 0; i < 4; ++i) {
    uint64_t select = c.bits.extractBitsAsZExtValue(8, i * 8);
    uint64_t byte = 0xff;
    if (select < 8)
      byte = both >> (8 * select);
    else if (select < 12)
      byte = both >> (16 * (select - 8) + 15) & 1 ? 0xff : 0;
    else if (select == 12)
      byte = 0;
    bytes |= static_cast<uint32_t>(byte & 0xff) << (8 * i);
  }
  result.bits = APInt(32, bytes);
}

ArrayRef<IntrinsicRow> integerIntrinsics() {
  static constexpr IntrinsicRow Rows[] = {
      {Intrinsic::umin, binary<leastUnsigned>},
      {Intrinsic::umax, binary<mostUnsigned>},
      {Intrinsic::smin, binary<leastSigned>},
      {Intrinsic::smax, binary<mostSigned>},
      {Intrinsic::abs, mapUnary<absolute>},
      {Intrinsic::ctlz, mapUnary<countZeros<true>>},
      {Intrinsic::cttz, mapUnary<countZeros<false>>},
      {Intrinsic::ctpop, mapUnary<countOnes>},
      {Intrinsic::bswap, unary<[](const APInt &a) { return a.byteSwap(); }>},
      {Intrinsic::bitreverse, unary<[](const APInt &a) { return a.reverseBits(); }>},
      {Intrinsic::fshl, mapTernary<funnelShift<true>>},
      {Intrinsic::fshr, mapTernary<funnelShift<false>>},
      {Intrinsic::uadd_sat, binary<[](const APInt &a, const APInt &b) { return a.uadd_sat(b); }>},
      {Intrinsic::sadd_sat, binary<[](const APInt &a, const APInt &b) { return a.sadd_sat(b); }>},
      {Intrinsic::usub_sat, binary<[](const APInt &a, const APInt &b) { return a.usub_sat(b); }>},
      {Intrinsic::ssub_sat, binary<[](const APInt &a, const APInt &b) { return a.ssub_sat(b); }>},
      {Intrinsic::ushl_sat, mapBinary<shiftSaturated<&APInt::ushl_sat>>},
      {Intrinsic::sshl_sat, mapBinary<shiftSaturated<&APInt::sshl_sat>>},
      {Intrinsic::ucmp, mapBinary<threeWay<false>>},
      {Intrinsic::scmp, mapBinary<threeWay<true>>},
      {Intrinsic::uadd_with_overflow, withOverflow<&APInt::uadd_ov>},
      {Intrinsic::sadd_with_overflow, withOverflow<&APInt::sadd_ov>},
      {Intrinsic::usub_with_overflow, withOverflow<&APInt::usub_ov>},
      {Intrinsic::ssub_with_overflow, withOverflow<&APInt::ssub_ov>},
      {Intrinsic::umul_with_overflow, withOverflow<&APInt::umul_ov>},
      {Intrinsic::smul_with_overflow, withOverflow<&APInt::smul_ov>},
      {Intrinsic::amdgcn_perm, mapTernary<permuteBytes>},
      {Intrinsic::amdgcn_ubfe, mapTernary<bitField<false>>},
      {Intrinsic::amdgcn_sbfe, mapTernary<bitField<true>>},
      {Intrinsic::amdgcn_mul_u24, mapBinary<multiply24<false, 0>>},
      {Intrinsic::amdgcn_mul_i24, mapBinary<multiply24<true, 0>>},
      {Intrinsic::amdgcn_mulhi_u24, mapBinary<multiply24<false, 32>>},
      {Intrinsic::amdgcn_mulhi_i24, mapBinary<multiply24<true, 32>>},
      {Intrinsic::amdgcn_alignbyte, mapTernary<alignByte>},
  };
  return Rows;
}

} // namespace assay::ir
