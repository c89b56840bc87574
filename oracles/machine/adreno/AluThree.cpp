// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Categories 3 and 4. Mesa 25.0, ir3-cat3.xml (documentation of each), ir3_compiler_nir.c.
#include "oracles/machine/adreno/Lift.h"
#include "oracles/machine/adreno/Numbers.h"
#include "oracles/machine/gcn_alu/Transcendental.h"

#include "llvm/Support/MathExtras.h"
#include <algorithm>

using namespace llvm;
using namespace assay;
using namespace assay::adreno;

#define LANE(NAME)                                                                                 \
  static uint32_t NAME(uint32_t a, uint32_t b, uint32_t c, const AluContext &context)
#define SIZED_LANE(NAME) template <unsigned Bits> LANE(NAME)

/// By Arithmetic::fusesMad, rounded once or twice.
SIZED_LANE(madFloat) {
  const Arithmetic &arithmetic = context.arithmetic;
  if (Bits == 32 && !arithmetic.fusesMad) {
    float product = operandOf(
        resultOf(operandOf(a, arithmetic) * operandOf(b, arithmetic), arithmetic), arithmetic);
    return resultOf(product + operandOf(c, arithmetic), arithmetic);
  }
  double product = numberOf<Bits>(a, arithmetic) * numberOf<Bits>(b, arithmetic);
  if (!arithmetic.fusesMad)
    product = numberOf<Bits>(bitsOfNumber<Bits>(product, arithmetic), arithmetic);
  return bitsOfNumber<Bits>(gcn::addOdd(product, numberOf<Bits>(c, arithmetic)), arithmetic);
}
/// mad.u16 and mad.s16: of halves, modulo 2^16.
LANE(mad16) {
  return (a * b + c) & 0xffff;
}
/// Products of the lower 24 bits, sums of all.
LANE(madUnsigned24) {
  return (a & 0xffffff) * (b & 0xffffff) + c;
}
/// The same with signs.
LANE(madSigned24) {
  return uint32_t(SignExtend64<24>(a & 0xffffff) * SignExtend64<24>(b & 0xffffff)) + c;
}
/// The product of one lower and one upper half, shifted up: with mull.u and a second one, a 32-bit
/// product.
LANE(madShifted) {
  return ((a & 0xffff) * (b >> 16) << 16) + c;
}
/// sel: the first source where the second is not 0, else the third.
LANE(selectNonZero) {
  return b ? a : c;
}
/// Modulo 2^32; stores cut halves.
LANE(addThree) {
  return a + b + c;
}

/// (b shifted by a), then masked or merged.
SIZED_LANE(shiftRightMask) {
  return (b >> a % Bits) & c;
}
/// shlm.
SIZED_LANE(shiftLeftMask) {
  return (b << a % Bits) & c;
}
/// shrg.
SIZED_LANE(shiftRightMerge) {
  return (b >> a % Bits) | c;
}
/// shlg.
SIZED_LANE(shiftLeftMerge) {
  return ((b << a % Bits) | c) & (Bits == 32 ? ~0U : 0xffffU);
}
/// andg.
SIZED_LANE(andMerge) {
  return (b & a) | c;
}

/// The products of \p Count bytes of the first two sources, and the third source (Mesa 25.0,
/// ir3-cat3.xml, dp2acc and dp4acc: SRC1 has bytes with or without signs, SRC2 bytes without).
template <unsigned Count>
static int64_t sumOfProducts(uint32_t a, uint32_t b, uint32_t c, const AluContext &context) {
  int64_t sum = context.fields.isMixed ? int64_t(int32_t(c)) : int64_t(c);
  for (unsigned i = 0; i < Count; ++i) {
    unsigned shift = 8 * (i + (Count == 2 && context.fields.isHigh ? 2 : 0));
    auto first = uint8_t(a >> shift), second = uint8_t(b >> shift);
    sum += (context.fields.isMixed ? int8_t(first) : int(first)) * int(second);
  }
  return sum;
}
/// Modulo 2^32.
template <unsigned Count> LANE(dotProduct) {
  return uint32_t(sumOfProducts<Count>(a, b, c, context));
}
/// (sat): in the range of 32 bits, with signs where the first source has them.
template <unsigned Count> LANE(dotProductSaturated) {
  int64_t sum = sumOfProducts<Count>(a, b, c, context);
  return uint32_t(context.fields.isMixed ? std::clamp<int64_t>(sum, INT32_MIN, INT32_MAX)
                                         : std::min<int64_t>(sum, UINT32_MAX));
}

#define ALU(KIND) ValueKind::KIND, ValueKind::KIND
#define DOT(NAME, COUNT)                                                                           \
  {NAME, ALU(Signed), lift<dotProduct<COUNT>, 3>, nullptr, lift<dotProductSaturated<COUNT>, 3>}

// sad.s16 and sad.s32 are the sum of three (Mesa, ir3_compiler_nir.c, nir_op_iadd3).
/// Instructions of category 3; a width that has no kernels does not exist.
static constexpr AluRow Three[] = {
    {"mad.u16", ALU(Unsigned), nullptr, lift<mad16, 3>},
    {"mad.s16", ALU(Signed), nullptr, lift<mad16, 3>},
    {"madsh.m16", ALU(Unsigned), lift<madShifted, 3>, nullptr},
    {"mad.u24", ALU(Unsigned), lift<madUnsigned24, 3>, nullptr},
    {"mad.s24", ALU(Signed), lift<madSigned24, 3>, nullptr},
    {"mad.f16", ALU(Float), nullptr, lift<madFloat<16>, 3>},
    {"mad.f32", ALU(Float), lift<madFloat<32>, 3>, nullptr},
    {"sel.b16", ValueKind::Bits, ValueKind::Unsigned, nullptr, lift<selectNonZero, 3>},
    {"sel.b32", ValueKind::Bits, ValueKind::Unsigned, lift<selectNonZero, 3>, nullptr},
    {"sad.s16", ALU(Signed), nullptr, lift<addThree, 3>},
    {"sad.s32", ALU(Signed), lift<addThree, 3>, nullptr},
    {"shrm", ValueKind::Bits, ValueKind::Unsigned, lift<shiftRightMask<32>, 3>,
     lift<shiftRightMask<16>, 3>},
    {"shlm", ValueKind::Bits, ValueKind::Unsigned, lift<shiftLeftMask<32>, 3>,
     lift<shiftLeftMask<16>, 3>},
    {"shrg", ValueKind::Bits, ValueKind::Unsigned, lift<shiftRightMerge<32>, 3>,
     lift<shiftRightMerge<16>, 3>},
    {"shlg", ValueKind::Bits, ValueKind::Unsigned, lift<shiftLeftMerge<32>, 3>,
     lift<shiftLeftMerge<16>, 3>},
    {"andg", ValueKind::Bits, ValueKind::Unsigned, lift<andMerge<32>, 3>, lift<andMerge<16>, 3>},
    DOT("dp2acc", 2),
    DOT("dp4acc", 4),
};

ArrayRef<AluRow> adreno::threeSourceRows() {
  return Three;
}

// Special functions: the correctly rounded value, from which the hardware's approximation differs
// by a few units. sin and cos are taken of radians.

/// \p bits, so many units in the last place nearer to zero; zeros, infinities and NaNs stay.
template <unsigned Bits> static uint32_t approximate(uint32_t bits, uint32_t units) {
  constexpr uint32_t Infinity = gcn::infinityBits<Float<Bits>>;
  uint32_t magnitude = bits & (maskTrailingOnes<uint32_t>(Bits - 1));
  return magnitude > units && magnitude < Infinity ? bits - units : bits;
}

/// The function of a number, rounded once, then made less exact by Arithmetic::specialUnits.
template <unsigned Bits, typename Function>
static uint32_t special(uint32_t a, uint32_t, uint32_t, const AluContext &context) {
  double value = numberOf<Bits>(a, context.arithmetic);
  uint32_t bits =
      bitsOfNumber<Bits>(gcn::isNan(value) ? value : Function::quick(value), context.arithmetic);
  return approximate<Bits>(bits, context.arithmetic.specialUnits);
}

namespace {

constexpr double TurnsOfRadian = 0x1.45f306dc9c883p-3;

/// sin and cos of an angle in radians, by those of turns.
struct SinRadians {
  static double quick(double x) { return gcn::SinTurns::quick(x * TurnsOfRadian); }
};
struct CosRadians {
  static double quick(double x) { return gcn::CosTurns::quick(x * TurnsOfRadian); }
};

} // namespace

#define SPECIAL(NAME, FUNCTION)                                                                    \
  {NAME, ALU(Float), liftNarrow<special<32, FUNCTION>, 1>, liftNarrow<special<16, FUNCTION>, 1>}

/// Instructions of category 4; those with h take and give halves alike.
static constexpr AluRow Special[] = {
    SPECIAL("rcp", gcn::Reciprocal),  SPECIAL("rsq", gcn::InverseRoot),
    SPECIAL("log2", gcn::Log2),       SPECIAL("exp2", gcn::Exp2),
    SPECIAL("sin", SinRadians),       SPECIAL("cos", CosRadians),
    SPECIAL("sqrt", gcn::SquareRoot), SPECIAL("hrsq", gcn::InverseRoot),
    SPECIAL("hlog2", gcn::Log2),      SPECIAL("hexp2", gcn::Exp2),
};

ArrayRef<AluRow> adreno::specialRows() {
  return Special;
}
