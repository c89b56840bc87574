// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Dot products of two f16 or bf16 pairs. GFX11 and GFX12 align the terms on a common grid, cut off
// what is below it, and round the sum once, as measured (docs/errata-amdgpu.md, "Dot products of
// floats"); the generations before follow the manual: one rounded fma a term. No mode field but
// FP16_OVFL matters.
#include "oracles/machine/gcn_alu/Convert.h"
#include "oracles/machine/gcn_alu/Lift.h"
#include "oracles/machine/gcn_alu/Tables.h"
#include <algorithm>

using namespace llvm;
using namespace assay::gcn;

namespace {
/// A term of the sum: units * 2^exponent, the sign apart.
struct Term {
  uint64_t units = 0;
  int exponent = 0;
  bool negative = false;

  /// Exponent of the highest bit; far below every other when there is none.
  int top() const { return units ? exponent + 63 - int(countl_zero(units)) : nothing; }

  static constexpr int nothing = -1024;
};

/// An aligned sum: units * 2^grid.
struct Aligned {
  int64_t units = 0;
  int grid = 0;
};

/// How one result format is made of an aligned sum.
struct Target {
  unsigned fraction; ///< Bits.
  int maxExponent;   ///< Also the bias.
  bool keepsDenormals;
  bool saturates; ///< FP16_OVFL.
};

/// What the sources say of a result that no arithmetic is needed for.
enum class Special { None, FactorNan, Invalid, AddendNan, Infinite, NegativeInfinite };

} // namespace

/// Exponent at which a factor's unit 1.0 stands; denormals have that of the smallest normal.
template <typename T> static int scaleOf(T factor) {
  int field = int(magnitudeOf(factor) >> FloatFormat<T>::fraction);
  return std::max(field, 1) - FloatFormat<T>::maxExponent;
}

/// The significand as an integer, with the hidden bit.
template <typename T> static uint64_t unitsOf(T value) {
  uint64_t fraction = magnitudeOf(value) & fractionMask<T>;
  bool isNormal = magnitudeOf(value) > fractionMask<T>;
  return isNormal ? fraction | (uint64_t(1) << FloatFormat<T>::fraction) : fraction;
}

/// A number as a term; \p value is finite.
template <typename T> static Term termOf(T value) {
  return {unitsOf(value), scaleOf(value) - int(FloatFormat<T>::fraction), signOf(value)};
}

/// The exact product of two finite factors.
template <typename T> static Term productOf(T a, T b) {
  return {unitsOf(a) * unitsOf(b), scaleOf(a) + scaleOf(b) - 2 * int(FloatFormat<T>::fraction),
          signOf(a) != signOf(b)};
}

/// \p term in units of 2^grid, cut off. The grid is chosen for terms that are not 0.
static int64_t cutTo(const Term &term, int grid) {
  if (term.units == 0)
    return 0;
  int shift = term.exponent - grid;
  if (shift >= 0)
    return int64_t(term.units << shift);
  return shift <= -64 ? 0 : int64_t(term.units >> -shift);
}

/// Whether cutTo() loses bits.
static bool losesBits(const Term &term, int grid) {
  int shift = term.exponent - grid;
  if (shift >= 0 || term.units == 0)
    return false;
  return shift <= -64 || (term.units & ((uint64_t(1) << -shift) - 1)) != 0;
}

/// \p value / 2^\p shift to the nearest even; a negative shift goes left.
static uint64_t shiftToEven(uint64_t value, int shift) {
  if (shift <= 0)
    return value << -shift;
  if (shift >= 64)
    return 0;
  uint64_t kept = value >> shift, rest = value & ((uint64_t(1) << shift) - 1);
  uint64_t half = uint64_t(1) << (shift - 1);
  return kept + unsigned(rest > half || (rest == half && (kept & 1)));
}

/// Bits of \p sum in the format of \p target, to nearest even. Zero is positive.
static uint32_t encode(const Aligned &sum, const Target &target) {
  if (sum.units == 0)
    return 0;
  auto magnitude = uint64_t(sum.units < 0 ? -sum.units : sum.units);
  uint32_t sign = unsigned(sum.units < 0) << (target.fraction == 10 ? 15 : 31);
  int top = 63 - int(countl_zero(magnitude));
  int exponent = top + sum.grid, minExponent = 1 - target.maxExponent;
  auto fraction = int(target.fraction);
  if (exponent < minExponent && target.keepsDenormals) {
    uint64_t units = shiftToEven(magnitude, minExponent - fraction - sum.grid);
    return units ? sign | uint32_t(units) : 0;
  }
  uint64_t units = shiftToEven(magnitude, top - fraction);
  if (units >> (fraction + 1)) {
    units >>= 1;
    ++exponent;
  }
  if (exponent < minExponent)
    return 0;
  uint32_t infinity = uint32_t(2 * target.maxExponent + 1) << fraction;
  if (exponent > target.maxExponent)
    return sign | (infinity - (target.saturates ? 1 : 0));
  return sign | (uint32_t(exponent + target.maxExponent - 1) << fraction) + uint32_t(units);
}

/// Two products and the addend.
template <typename T, typename A> struct Sources {
  T a[2];
  T b[2];
  A c;
};

/// GFX11 takes denormal bf16 factors and f32 addends for 0.
template <typename T, typename A>
static Sources<T, A> takeSources(uint32_t a, uint32_t b, A c, const AluMode &mode) {
  Sources<T, A> sources{
      {T{uint16_t(a)}, T{uint16_t(a >> 16)}}, {T{uint16_t(b)}, T{uint16_t(b >> 16)}}, c};
  if (mode.gfxMajor >= 12)
    return sources;
  if constexpr (!std::is_same_v<T, Half>)
    for (T *factor : {&sources.a[0], &sources.a[1], &sources.b[0], &sources.b[1]})
      *factor = flushed(*factor);
  if constexpr (!std::is_same_v<A, Half>)
    sources.c = flushed(c);
  return sources;
}

/// NaNs of factors come first, then invalid operations, NaNs of the addend, and infinities.
template <typename T, typename A> static Special specialOf(const Sources<T, A> &sources) {
  bool plus = false, minus = false, invalid = false;
  for (unsigned index : {0u, 1u}) {
    T a = sources.a[index], b = sources.b[index];
    if (isNan(a) || isNan(b))
      return Special::FactorNan;
    invalid |= (isInfinite(a) && isZero(b)) || (isZero(a) && isInfinite(b));
    if (isInfinite(a) || isInfinite(b))
      (signOf(a) != signOf(b) ? minus : plus) = true;
  }
  if (invalid || (plus && minus))
    return Special::Invalid;
  if (isNan(sources.c))
    return Special::AddendNan;
  if (isInfinite(sources.c))
    (signOf(sources.c) ? minus : plus) = true;
  if (plus && minus)
    return Special::Invalid;
  return minus ? Special::NegativeInfinite : plus ? Special::Infinite : Special::None;
}

/// The grid of products: 24 bits below the larger one's scale.
template <typename T> static int productGrid(T a, T b) {
  return unitsOf(a) && unitsOf(b) ? scaleOf(a) + scaleOf(b) - 24 : Term::nothing;
}

/// Seen from the addend's sign, a term of the other sign counts one unit more.
template <typename T, typename A>
static Aligned sumGfx11(const Sources<T, A> &sources, const Term &c, int floorOfC) {
  Term terms[] = {c, productOf(sources.a[0], sources.b[0]), productOf(sources.a[1], sources.b[1])};
  if (!(terms[0].units | terms[1].units | terms[2].units))
    return {};
  int top = std::max({floorOfC, c.top(), terms[1].top(), terms[2].top()});
  int grid = std::max(
      {productGrid(sources.a[0], sources.b[0]), productGrid(sources.a[1], sources.b[1]), top - 26});
  int64_t total = 0;
  for (const Term &term : terms)
    total += term.negative != c.negative ? ~cutTo(term, grid) : cutTo(term, grid);
  return {c.negative ? -total : total, grid};
}

/// Toward minus infinity.
static int64_t floorTo(const Term &term, int grid) {
  int64_t units = cutTo(term, grid);
  return term.negative ? -units - losesBits(term, grid) : units;
}

/// The products first, on a grid of their own; then their sum and the addend. An addend of which
/// nothing remains counts only where the grid is below \p floorOfC.
template <typename T, typename A>
static Aligned sumGfx12(const Sources<T, A> &sources, const Term &c, int floorOfC) {
  int pairGrid =
      std::max(productGrid(sources.a[0], sources.b[0]), productGrid(sources.a[1], sources.b[1]));
  int grid = std::max(pairGrid, std::max(floorOfC, c.top()) - 26);
  bool isLost = grid > floorOfC && cutTo(c, grid) == 0;
  int64_t total = isLost ? 0 : floorTo(c, grid);
  int64_t pair = floorTo(productOf(sources.a[0], sources.b[0]), pairGrid) +
                 floorTo(productOf(sources.a[1], sources.b[1]), pairGrid);
  Term sum{uint64_t(pair < 0 ? -pair : pair), pairGrid, pair < 0};
  return {total + floorTo(sum, grid), grid};
}

/// NaNs as the unit makes them: those of factors have a payload of their own.
template <typename A> static A specialResult(Special special, A c) {
  constexpr uint32_t factorNan = std::is_same_v<A, float>  ? 0xffc00a3d
                                 : std::is_same_v<A, Half> ? 0xfe3d
                                                           : 0xfffd;
  switch (special) {
  case Special::FactorNan:
    return floatOf<A>(BitsOf<A>(factorNan));
  case Special::AddendNan:
    return quieten(c);
  case Special::Infinite:
  case Special::NegativeInfinite:
    return infinity<A>(special == Special::NegativeInfinite);
  default:
    return defaultNan<A>();
  }
}

/// Factors T, addend and result A. A bf16 result is the upper half of the rounded f32 one.
template <typename T, typename A>
static A dotMeasured(uint32_t a, uint32_t b, A c, const AluMode &mode) {
  bool isGfx12 = mode.gfxMajor >= 12;
  Sources<T, A> sources = takeSources<T, A>(a, b, c, mode);
  if (Special special = specialOf(sources); special != Special::None)
    return specialResult(special, c);
  constexpr bool toHalf = std::is_same_v<A, Half>;
  Target target{toHalf ? 10u : 23u, toHalf ? 15 : 127, isGfx12 || toHalf,
                toHalf && mode.fp16Overflow};
  Term addend = termOf(sources.c);
  int floorOfC = toHalf ? -14 : isGfx12 ? -126 : Term::nothing;
  Aligned sum = isGfx12 ? sumGfx12(sources, addend, floorOfC) : sumGfx11(sources, addend, floorOfC);
  uint32_t bits = encode(sum, target);
  return floatOf<A>(BitsOf<A>(std::is_same_v<A, Brain> ? bits >> 16 : bits));
}

/// GFX9 and GFX10, which have only f32 sums of f16 products. f32 denormals are flushed, as LLVM
/// says (performFMACombine), f16 ones follow the mode.
static float dotByManual(uint32_t a, uint32_t b, float c, AluMode mode) {
  mode.f32DenormIn = mode.f32DenormOut = false;
  for (unsigned shift : {0u, 16u}) {
    auto x = convertFloat<float>(Half{uint16_t(a >> shift)}, mode);
    auto y = convertFloat<float>(Half{uint16_t(b >> shift)}, mode);
    c = floatFma(x, y, c, mode);
  }
  return c;
}

/// Chooses the generation's way of summing.
template <typename T, typename A, typename P>
static A dotFloats(P a, P b, A c, const AluMode &mode) {
  if constexpr (std::is_same_v<A, float> && std::is_same_v<T, Half>)
    if (mode.gfxMajor < 11)
      return dotByManual(a.bits, b.bits, c, mode);
  return dotMeasured<T, A>(a.bits, b.bits, c, mode);
}

/// The destination is the addend.
template <typename T, typename P>
static float dotFloatsOld(P a, P b, Old<float> c, const AluMode &mode) {
  return dotFloats<T, float>(a, b, c.value, mode);
}

/// The Old forms read the third source from the destination register.
static constexpr AluOp rows[] = {
    valu<dotFloats<Half, float, PkHalf>>("v_dot2_f32_f16"),
    valu<dotFloats<Brain, float, PkBrain>>("v_dot2_f32_bf16", 11),
    valu<dotFloats<Half, Half, PkHalf>>("v_dot2_f16_f16", 11),
    valu<dotFloats<Brain, Brain, PkBrain>>("v_dot2_bf16_bf16", 11),
    valu<dotFloatsOld<Half, PkHalf>>("v_dot2c_f32_f16", 9, 10),
    valu<dotFloatsOld<Half, PkHalf>>("v_dot2acc_f32_f16@11-11|v_dual_dot2acc_f32_f16", 11),
    valu<dotFloatsOld<Brain, PkBrain>>("v_dual_dot2acc_f32_bf16", 11),
};

void assay::gcn::addValuDotFloatRows(RowSink sink) {
  sink(rows);
}
