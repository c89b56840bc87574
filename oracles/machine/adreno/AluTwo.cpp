// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Category 2. What an instruction computes: Mesa 25.0, ir3_compiler_nir.c, by the NIR operation
// that it represents.
#include "oracles/machine/adreno/Lift.h"
#include "oracles/machine/adreno/Numbers.h"
#include "oracles/machine/gcn_alu/Transcendental.h"

#include "llvm/ADT/bit.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>

using namespace llvm;
using namespace assay;
using namespace assay::adreno;

#define LANE(NAME)                                                                                 \
  template <unsigned Bits>                                                                         \
  static uint32_t NAME(uint32_t a, uint32_t b, uint32_t, const AluContext &context)

template <unsigned Bits> static constexpr uint32_t Mask = Bits == 32 ? ~0U : (1U << Bits) - 1;
/// Of a number of so many bits.
template <unsigned Bits> static int32_t asSigned(uint32_t value) {
  return int32_t(SignExtend64<Bits>(value));
}

/// Rounded once. Of halves the sum is rounded to odd first, which leaves it so.
LANE(addFloat) {
  const Arithmetic &arithmetic = context.arithmetic;
  if constexpr (Bits == 32)
    return resultOf(operandOf(a, arithmetic) + operandOf(b, arithmetic), arithmetic);
  return bitsOfNumber<Bits>(
      gcn::addOdd(numberOf<Bits>(a, arithmetic), numberOf<Bits>(b, arithmetic)), arithmetic);
}
/// Rounded once; products of halves are exact before.
LANE(mulFloat) {
  const Arithmetic &arithmetic = context.arithmetic;
  if constexpr (Bits == 32)
    return resultOf(operandOf(a, arithmetic) * operandOf(b, arithmetic), arithmetic);
  return bitsOfNumber<Bits>(numberOf<Bits>(a, arithmetic) * numberOf<Bits>(b, arithmetic),
                            arithmetic);
}

/// Where exactly one source is NaN, the other one, or NaN. \p T has the sources' numbers exactly.
template <bool WantsLess, typename T>
static T chooseNumber(T x, T y, const Arithmetic &arithmetic) {
  bool isUnordered = x != x || y != y;
  T number = x != x ? y : x;
  T other = arithmetic.minMaxIgnoresNan ? number : x + y;
  // Of zeros, -0 is the less.
  bool takesFirst = x == y ? gcn::signOf(x) == WantsLess : (x < y) == WantsLess;
  return isUnordered ? other : takesFirst ? x : y;
}
template <unsigned Bits, bool WantsLess>
static uint32_t choose(uint32_t a, uint32_t b, const Arithmetic &arithmetic) {
  if constexpr (Bits == 32)
    return resultOf(
        chooseNumber<WantsLess>(operandOf(a, arithmetic), operandOf(b, arithmetic), arithmetic),
        arithmetic);
  return bitsOfNumber<Bits>(chooseNumber<WantsLess>(numberOf<Bits>(a, arithmetic),
                                                    numberOf<Bits>(b, arithmetic), arithmetic),
                            arithmetic);
}
/// By Arithmetic::minMaxIgnoresNan.
LANE(minFloat) {
  return choose<Bits, true>(a, b, context.arithmetic);
}
LANE(maxFloat) {
  return choose<Bits, false>(a, b, context.arithmetic);
}

/// -1, 0 or 1; of NaN 0 (NIR's fsign).
LANE(signFloat) {
  double value = numberOf<Bits>(a, context.arithmetic);
  double sign = value > 0 ? 1.0 : value < 0 ? -1.0 : gcn::isNan(value) ? 0.0 : value;
  return bitsOfNumber<Bits>(sign, context.arithmetic);
}
/// (neg) and (abs) alone, which flush a denormal all the same.
LANE(copyFloat) {
  Float<Bits> value = asFloat<Bits>(a);
  return gcn::bitsOf(context.arithmetic.flushesDenormals ? gcn::flushed(value) : value);
}
/// The source as (neg) and (abs) have made it.
LANE(copy) {
  return a;
}

/// Functions that give whole numbers, for roundFloat().
static double floorOf(double x) {
  return gcn::floorExact(x);
}
/// Toward positive infinity.
static double ceilOf(double x) {
  return -gcn::floorExact(-x);
}
/// To the nearest; ties to even.
static double evenOf(double x) {
  return gcn::nearestEven(x);
}
/// Toward zero.
static double truncOf(double x) {
  return gcn::truncateExact(x);
}
/// Ties away from zero.
static double awayOf(double x) {
  double magnitude = gcn::floorExact(gcn::absolute(x) + 0.5);
  return gcn::withSign(magnitude, gcn::signOf(x));
}

/// Infinities stay, NaN is the one NaN, and zeros keep the sign of the source.
template <unsigned Bits, double (*Function)(double)>
static uint32_t roundFloat(uint32_t a, uint32_t, uint32_t, const AluContext &context) {
  double value = numberOf<Bits>(a, context.arithmetic);
  if (gcn::isNan(value) || gcn::isInfinite(value))
    return bitsOfNumber<Bits>(value, context.arithmetic);
  return bitsOfNumber<Bits>(gcn::withSign(Function(value), gcn::signOf(value)), context.arithmetic);
}

/// lt le gt ge eq ne. A NaN is unequal to everything.
template <unsigned Condition, typename T> static uint32_t compare(T a, T b) {
  switch (Condition) {
  case 0:
    return a < b;
  case 1:
    return a <= b;
  case 2:
    return a > b;
  case 3:
    return a >= b;
  case 4:
    return a == b;
  default:
    return a != b;
  }
}
#define COMPARISON(NAME)                                                                           \
  template <unsigned Bits, unsigned Condition>                                                     \
  static uint32_t NAME(uint32_t a, uint32_t b, uint32_t, const AluContext &context)
/// 1 or 0; denormals count as zero where they are flushed.
COMPARISON(compareFloat) {
  const Arithmetic &arithmetic = context.arithmetic;
  if constexpr (Bits == 32)
    return compare<Condition>(operandOf(a, arithmetic), operandOf(b, arithmetic));
  return compare<Condition>(numberOf<Bits>(a, arithmetic), numberOf<Bits>(b, arithmetic));
}
/// 1 or 0.
COMPARISON(compareUnsigned) {
  return compare<Condition>(a, b);
}
/// 1 or 0, of operands with a sign.
COMPARISON(compareSigned) {
  return compare<Condition>(asSigned<Bits>(a), asSigned<Bits>(b));
}

/// Integers: modulo 2^32 or 2^16, or in the range of the type with (sat).
LANE(add) {
  return (a + b) & Mask<Bits>;
}
LANE(subtract) {
  return (a - b) & Mask<Bits>;
}
/// The largest number where the sum exceeds the width.
LANE(addUnsignedSaturated) {
  return uint32_t(std::min<uint64_t>(uint64_t(a) + b, Mask<Bits>));
}
/// 0 where the difference is negative.
LANE(subtractUnsignedSaturated) {
  return a > b ? a - b : 0;
}
/// The nearest number of so many bits.
template <unsigned Bits> static uint32_t saturateSigned(int64_t value) {
  return uint32_t(std::clamp<int64_t>(value, minIntN(Bits), maxIntN(Bits))) & Mask<Bits>;
}
LANE(addSignedSaturated) {
  return saturateSigned<Bits>(int64_t(asSigned<Bits>(a)) + asSigned<Bits>(b));
}
LANE(subtractSignedSaturated) {
  return saturateSigned<Bits>(int64_t(asSigned<Bits>(a)) - asSigned<Bits>(b));
}
LANE(minUnsigned) {
  return std::min(a, b);
}
LANE(maxUnsigned) {
  return std::max(a, b);
}
LANE(minSigned) {
  return asSigned<Bits>(a) < asSigned<Bits>(b) ? a : b;
}
LANE(maxSigned) {
  return asSigned<Bits>(a) > asSigned<Bits>(b) ? a : b;
}
/// Logic: (neg) of a source is its complement.
LANE(bitAnd) {
  return a & b;
}
LANE(bitOr) {
  return a | b;
}
LANE(bitXor) {
  return a ^ b;
}
LANE(bitNot) {
  return ~a & Mask<Bits>;
}
/// 24 bits of each; the result has 32 bits whatever the sources have (Mesa, ir3_cf.c,
/// is_safe_conv).
LANE(mulUnsigned24) {
  return (a & 0xffffff) * (b & 0xffffff);
}
/// The same with signs.
LANE(mulSigned24) {
  constexpr unsigned Used = Bits < 24 ? Bits : 24;
  return uint32_t(int64_t(asSigned<Used>(a & Mask<Used>)) * asSigned<Used>(b & Mask<Used>));
}
/// The lower halves.
LANE(mulLow) {
  return (a & 0xffff) * (b & 0xffff);
}
/// The bits of the width in the opposite order.
LANE(reverse) {
  return reverseBits(a) >> (32 - Bits);
}
/// -1 where no bit is set: Mesa takes 31 minus it where it is not negative (nir_op_ufind_msb).
LANE(leadingZeros) {
  return a ? unsigned(countl_zero(a)) - (32 - Bits) : Mask<Bits>;
}
/// Of the bits that differ from the sign; -1 where none does.
LANE(leadingSigns) {
  uint32_t value = uint32_t(asSigned<Bits>(a));
  value = (value >> 31 ? ~value : value) & Mask<Bits>;
  return value ? unsigned(countl_zero(value)) - (32 - Bits) : Mask<Bits>;
}
/// By Arithmetic::countsHalf.
LANE(countBits) {
  return unsigned(popcount(context.arithmetic.countsHalf ? a & 0xffff : a));
}

/// The amount to shift by, and whether nothing is left.
template <unsigned Bits> static bool shiftsOut(uint32_t &amount, const AluContext &context) {
  if (context.arithmetic.shifts == ShiftRule::Zero && amount >= Bits)
    return true;
  amount %= Bits;
  return false;
}
/// By Arithmetic::shifts, as the other two.
LANE(shiftLeft) {
  return shiftsOut<Bits>(b, context) ? 0 : (a << b) & Mask<Bits>;
}
LANE(shiftRight) {
  return shiftsOut<Bits>(b, context) ? 0 : a >> b;
}
/// An amount that leaves nothing gives copies of the sign.
LANE(shiftRightSigned) {
  if (shiftsOut<Bits>(b, context))
    b = Bits - 1;
  return uint32_t(asSigned<Bits>(a) >> b) & Mask<Bits>;
}

#define ONE(NAME, KIND, RESULT, FUNCTION)                                                          \
  {NAME, ValueKind::KIND, ValueKind::RESULT, lift<FUNCTION<32>, 1>, lift<FUNCTION<16>, 1>}
#define ROUNDING(NAME, FUNCTION)                                                                   \
  {NAME, ValueKind::Float, ValueKind::Float, liftNarrow<roundFloat<32, FUNCTION>, 1>,              \
   liftNarrow<roundFloat<16, FUNCTION>, 1>}
#define TWO(NAME, KIND, RESULT, FUNCTION)                                                          \
  {NAME, ValueKind::KIND, ValueKind::RESULT, lift<FUNCTION<32>, 2>, lift<FUNCTION<16>, 2>}
#define CONDITIONS(FUNCTION, BITS)                                                                 \
  &LiftedConditions<FUNCTION<BITS, 0>, FUNCTION<BITS, 1>, FUNCTION<BITS, 2>, FUNCTION<BITS, 3>,    \
                    FUNCTION<BITS, 4>, FUNCTION<BITS, 5>>::kernels
#define COMPARING(NAME, KIND, FUNCTION)                                                            \
  {NAME, ValueKind::KIND, ValueKind::Unsigned, CONDITIONS(FUNCTION, 32), CONDITIONS(FUNCTION, 16)}
#define SATURATING(NAME, KIND, FUNCTION, SATURATED)                                                \
  {NAME,                                                                                           \
   ValueKind::KIND,                                                                                \
   ValueKind::KIND,                                                                                \
   lift<FUNCTION<32>, 2>,                                                                          \
   lift<FUNCTION<16>, 2>,                                                                          \
   lift<SATURATED<32>, 2>,                                                                         \
   lift<SATURATED<16>, 2>}

/// Instructions of category 2. Of conversions between widths, see Mesa's ir3_output_conv_type.
static constexpr AluRow Rows[] = {
    TWO("add.f", Float, Float, addFloat),
    TWO("min.f", Float, Float, minFloat),
    TWO("max.f", Float, Float, maxFloat),
    TWO("mul.f", Float, Float, mulFloat),
    ONE("sign.f", Float, Float, signFloat),
    COMPARING("cmps.f", Float, compareFloat),
    ONE("absneg.f", Float, Float, copyFloat),
    ROUNDING("floor.f", floorOf),
    ROUNDING("ceil.f", ceilOf),
    ROUNDING("rndne.f", evenOf),
    ROUNDING("rndaz.f", awayOf),
    ROUNDING("trunc.f", truncOf),
    SATURATING("add.u", Unsigned, add, addUnsignedSaturated),
    SATURATING("add.s", Signed, add, addSignedSaturated),
    SATURATING("sub.u", Unsigned, subtract, subtractUnsignedSaturated),
    SATURATING("sub.s", Signed, subtract, subtractSignedSaturated),
    COMPARING("cmps.u", Unsigned, compareUnsigned),
    COMPARING("cmps.s", Signed, compareSigned),
    TWO("min.u", Unsigned, Unsigned, minUnsigned),
    TWO("min.s", Signed, Signed, minSigned),
    TWO("max.u", Unsigned, Unsigned, maxUnsigned),
    TWO("max.s", Signed, Signed, maxSigned),
    ONE("absneg.s", Signed, Signed, copy),
    TWO("and.b", Bits, Unsigned, bitAnd),
    TWO("or.b", Bits, Unsigned, bitOr),
    ONE("not.b", Bits, Unsigned, bitNot),
    TWO("xor.b", Bits, Unsigned, bitXor),
    TWO("mul.u24", Unsigned, Unsigned, mulUnsigned24),
    TWO("mul.s24", Signed, Signed, mulSigned24),
    TWO("mull.u", Unsigned, Unsigned, mulLow),
    ONE("bfrev.b", Bits, Unsigned, reverse),
    ONE("clz.s", Signed, Signed, leadingSigns),
    ONE("clz.b", Bits, Signed, leadingZeros),
    TWO("shl.b", Bits, Unsigned, shiftLeft),
    TWO("shr.b", Bits, Unsigned, shiftRight),
    TWO("ashr.b", Bits, Unsigned, shiftRightSigned),
    ONE("cbits.b", Bits, Unsigned, countBits),
};

ArrayRef<AluRow> adreno::twoSourceRows() {
  return Rows;
}
