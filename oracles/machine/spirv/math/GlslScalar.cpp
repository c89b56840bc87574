// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// GLSL.std.450: functions that work component by component. Where Vulkan says that the precision is
// inherited from an expression, that expression is evaluated on intervals.
#include "oracles/machine/spirv/ops/Ops.h"

#include "llvm/ADT/bit.h"
#include <algorithm>
#include <cmath>
#include <limits>
#include <spirv/unified1/GLSL.std.450.h>

using namespace llvm;
using namespace assay;
using namespace assay::reference;

static constexpr double Infinity = std::numeric_limits<double>::infinity();
static const Interval one = Interval::point(1), two = Interval::point(2);

/// To the next integer; a half goes up or down.
static double roundHalfTo(double x, bool up) {
  double whole = floorOf(x), rest = x - whole;
  return rest > 0.5 || (rest == 0.5 && up) ? whole + 1 : whole;
}
/// Halves may go either way.
static Interval roundHalf(Interval a) {
  if (a.isEmpty())
    return a;
  double lo = roundHalfTo(a.lo, false), hi = roundHalfTo(a.hi, true);
  // As with the other roundings, what becomes zero keeps its sign.
  return {lo == 0 ? std::copysign(lo, a.lo) : lo, hi == 0 ? std::copysign(hi, a.hi) : hi, a.nan};
}

/// Zeros keep their signs.
static double signOf(double x) {
  return x > 0 ? 1 : x < 0 ? -1 : x;
}
/// Of NaN nothing is said but that the result is a sign.
static Interval sign(Interval a) {
  if (a.nan)
    return {-1, 1, true};
  return {signOf(a.lo), signOf(a.hi), false};
}

/// x - floor(x). Just below an integer the difference rounds to 1, which some keep below it.
static Interval fract(Interval a, const FloatRules &rules) {
  if (a.isEmpty() || a.lo == -Infinity || a.hi == Infinity)
    return Interval::whole();
  double lo = floorOf(a.lo), hi = floorOf(a.hi);
  if (lo != hi)
    return {0, 1, a.nan};
  Interval result = flush(sub(a, Interval::point(lo), rules), rules); // Correctly rounded.
  if (result.hi == 1)
    result.lo = std::min(result.lo, 1 - powerOfTwo(-formatOf(rules.width).precision));
  return result;
}

/// Times a correctly rounded constant: either neighbour of the exact one.
static Interval timesConstant(Interval a, double constant, const FloatRules &rules) {
  Interval factor{floorToWidth(constant, rules.width), ceilToWidth(constant, rules.width), false};
  return step::mul(a, factor, rules);
}
static Interval toRadians(Interval a, const FloatRules &rules) {
  return timesConstant(a, Pi / 180, rules);
}
static Interval toDegrees(Interval a, const FloatRules &rules) {
  return timesConstant(a, 180 / Pi, rules);
}

/// Inherited from sin(x) / cos(x).
static Interval tangent(Interval a, const FloatRules &rules) {
  return divide(sinInterval(a, rules), cosInterval(a, rules), rules);
}
/// 1 - x * x, with the product fused or not.
static Interval oneMinusSquare(Interval a, const FloatRules &rules) {
  return hull(step::sub(one, step::mulUnrounded(a, a, rules), rules),
              step::sub(one, step::mul(a, a, rules), rules));
}
/// Inherited from atan2(x, sqrt(1 - x * x)). Undefined outside of [-1, 1], unbounded where the
/// operand reaches outside.
static Interval arcSine(Interval a, const FloatRules &rules) {
  if (!a.isEmpty() && (a.lo > 1 || a.hi < -1))
    return Interval::undefined();
  if (a.lo < -1 || a.hi > 1)
    return Interval::whole();
  return atan2Interval(a, squareRoot(maximum(oneMinusSquare(a, rules), Interval::point(0)), rules),
                       rules);
}
/// Inherited from atan2(sqrt(1 - x * x), x), as arcSine().
static Interval arcCosine(Interval a, const FloatRules &rules) {
  if (!a.isEmpty() && (a.lo > 1 || a.hi < -1))
    return Interval::undefined();
  if (a.lo < -1 || a.hi > 1)
    return Interval::whole();
  return atan2Interval(squareRoot(maximum(oneMinusSquare(a, rules), Interval::point(0)), rules), a,
                       rules);
}
/// A product with 0.5, which rounds only denormals.
static Interval halfOf(Interval a, const FloatRules &rules) {
  return step::mul(a, Interval::point(0.5), rules);
}
/// A result inherited from a formula that overflows for the finite operand \p a: it may be as far
/// off as that, in either direction.
static Interval withoutBound(Interval result, Interval a) {
  bool isFinite = !a.isEmpty() && a.lo > -Infinity && a.hi < Infinity;
  bool overflows = result.lo == -Infinity || result.hi == Infinity;
  return isFinite && overflows ? Interval::whole() : result;
}
/// Inherited from (exp(x) - exp(-x)) * 0.5.
static Interval hyperbolicSine(Interval a, const FloatRules &rules) {
  Interval grows = expInterval(a, rules), falls = expInterval(negate(a), rules);
  return withoutBound(halfOf(step::sub(grows, falls, rules), rules), a);
}
/// Inherited from (exp(x) + exp(-x)) * 0.5.
static Interval hyperbolicCosine(Interval a, const FloatRules &rules) {
  Interval grows = expInterval(a, rules), falls = expInterval(negate(a), rules);
  return withoutBound(halfOf(step::add(grows, falls, rules), rules), a);
}
/// Inherited from sinh(x) / cosh(x).
static Interval hyperbolicTangent(Interval a, const FloatRules &rules) {
  return divide(hyperbolicSine(a, rules), hyperbolicCosine(a, rules), rules);
}
/// x * x + \p b, with the product fused or not.
static Interval squarePlus(Interval a, double b, const FloatRules &rules) {
  Interval c = Interval::point(b);
  return hull(step::add(step::mulUnrounded(a, a, rules), c, rules),
              step::add(step::mul(a, a, rules), c, rules));
}
/// Inherited from log(x + sqrt(x * x + 1)).
static Interval areaSine(Interval a, const FloatRules &rules) {
  return logInterval(step::add(a, squareRoot(squarePlus(a, 1, rules), rules), rules), rules);
}
/// Inherited from log(x + sqrt(x * x - 1)). Undefined below 1.
static Interval areaCosine(Interval a, const FloatRules &rules) {
  if (!a.isEmpty() && a.hi < 1)
    return Interval::undefined();
  if (a.lo < 1)
    return Interval::whole();
  return logInterval(
      step::add(a, squareRoot(maximum(squarePlus(a, -1, rules), Interval::point(0)), rules), rules),
      rules);
}
/// Inherited from log((1 + x) / (1 - x)) * 0.5. Undefined from 1 and from -1 on.
static Interval areaTangent(Interval a, const FloatRules &rules) {
  if (!a.isEmpty() && (a.lo >= 1 || a.hi <= -1))
    return Interval::undefined();
  if (a.lo <= -1 || a.hi >= 1)
    return Interval::whole();
  return halfOf(
      logInterval(divide(step::add(one, a, rules), step::sub(one, a, rules), rules), rules), rules);
}

// Functions that are undefined below zero, at it, or at the origin ("GLSL.std.450").
template <Interval (*Function)(Interval, const FloatRules &), bool IncludesZero>
static Interval fromZero(Interval a, const FloatRules &rules) {
  bool isOutside = !a.isEmpty() && (a.hi < 0 || (!IncludesZero && a.hi == 0));
  return isOutside ? Interval::undefined() : Function(a, rules);
}
/// Undefined for a negative base, and for zero to the power of zero or less.
static Interval power(Interval x, Interval y, const FloatRules &rules) {
  bool isNegative = !x.isEmpty() && x.hi < 0;
  bool isNoPower = x.isExactly(0) && !y.isEmpty() && y.hi <= 0;
  return isNegative || isNoPower ? Interval::undefined() : powInterval(x, y, rules);
}
/// The square of a float, for compilers that make it of a power of the constant 2 (LLVM,
/// SimplifyLibCalls.cpp, optimizePow; Mesa, nir_opt_algebraic.py), as IEEE 754 has it.
static Status raise(Invocation &invocation, const Inst &inst) {
  const Scalar *exponent = invocation.at(inst.op[1]);
  bool isSquare = inst.rules.isIeee && inst.op[1] & ConstantBit;
  for (uint32_t i = 0; i < inst.n && isSquare; ++i)
    isSquare = !exponent[i].flags && fromBits(exponent[i].bits, inst.rules.width) == 2;
  if (!isSquare)
    return floatBinary<power>(invocation, inst);
  Scalar *dst = invocation.at(inst.dst);
  const Scalar *x = invocation.at(inst.op[0]);
  for (uint32_t i = 0; i < inst.n; ++i) {
    Interval base = absolute(intervalOf(x[i], inst.rules)); // Both factors are one number.
    dst[i] = x[i].isPoison() ? inheritPoison(x[i], x[i])
                             : scalarOf(step::mul(base, base, inst.rules), inst.rules);
  }
  return Status::Next;
}

/// Undefined where both are exactly zero.
static Interval angle(Interval y, Interval x, const FloatRules &rules) {
  return y.isExactly(0) && x.isExactly(0) ? Interval::undefined() : atan2Interval(y, x, rules);
}

/// 0 below the edge, 1 from it on; either where the intervals meet or NaN is involved.
static Interval stepAt(Interval edge, Interval x) {
  if (edge.isEmpty() || x.isEmpty() || edge.nan || x.nan)
    return {0, 1, false};
  if (x.hi < edge.lo)
    return Interval::point(0);
  return x.lo >= edge.hi ? one : Interval{0, 1, false};
}

/// a * b + c, fused or not: the two instructions themselves, and no approximation of them.
static Interval multiplyAdd(Interval a, Interval b, Interval c, const FloatRules &rules) {
  return flush(add(flush(mulUnrounded(a, b, rules), rules), c, rules), rules);
}

/// x * (1 - a) + y * a, each product fused or not, or x + a * (y - x); by IEEE 754 the former.
static Interval mix(Interval x, Interval y, Interval a, const FloatRules &rules) {
  Interval left = step::mulUnrounded(x, step::sub(one, a, rules), rules),
           right = step::mulUnrounded(y, a, rules);
  Interval sum = step::add(left, right, rules);
  return rules.isIeee ? sum : hull(sum, multiplyAdd(a, step::sub(y, x, rules), x, rules));
}

/// t * t * (3 - 2 * t) of the clamped t. Undefined for edges that are not in order, unless
/// practical rules give the formula a meaning.
static Interval smoothStep(Interval edge0, Interval edge1, Interval x, const FloatRules &rules) {
  bool isOrdered = edge0.hi < edge1.lo, isReversed = edge1.hi < edge0.lo;
  // As IEEE 754 divides by zero, equal edges are a step.
  bool isStep = rules.isIeee && edge0.isPoint() && edge1.isPoint() && edge0.lo == edge1.lo;
  if (rules.isPractical && (isReversed || isStep) && !x.nan)
    isOrdered = true; // The formula has a meaning.
  else if (edge0.lo >= edge1.hi)
    return Interval::undefined();
  if (!isOrdered || x.nan)
    return Interval::whole();
  Interval t =
      clampTo(divide(step::sub(x, edge0, rules), step::sub(edge1, edge0, rules), rules), 0, 1);
  if (t.nan)
    return Interval::whole();
  Interval inner = hull(step::sub(Interval::point(3), step::mulUnrounded(two, t, rules), rules),
                        step::sub(Interval::point(3), step::mul(two, t, rules), rules));
  return clampTo(step::mul(step::mul(t, t, rules), inner, rules), 0, 1.00001);
}

/// With bounds the wrong way round: in practice that of the two functions which comes last.
static Interval clampAll(Interval x, Interval lo, Interval hi, const FloatRules &rules) {
  if (lo.isEmpty() || hi.isEmpty())
    return Interval::whole();
  Interval usual = minimum(maximum(x, lo), hi);
  if (rules.isPractical && lo.lo > hi.hi)
    return rules.isIeee ? usual : hull(usual, maximum(minimum(x, hi), lo));
  return lo.lo > hi.hi ? Interval::undefined() : usual;
}

// The NaN-aware ones give the other operand where one is NaN.
static Interval dropNan(Interval result, Interval a, Interval b) {
  if (a.isEmpty())
    return b;
  if (b.isEmpty())
    return a;
  if (a.nan)
    result = hull(result, {b.lo, b.hi, false});
  if (b.nan)
    result = hull(result, {a.lo, a.hi, false});
  result.nan = a.nan && b.nan;
  return result;
}
/// The lesser operand; NaN is ignored.
static Interval numberMin(Interval a, Interval b) {
  Interval result{std::min(a.lo, b.lo), std::min(a.hi, b.hi), false};
  return dropNan(result, a, b);
}
/// The greater operand; NaN is ignored.
static Interval numberMax(Interval a, Interval b) {
  Interval result{std::max(a.lo, b.lo), std::max(a.hi, b.hi), false};
  return dropNan(result, a, b);
}
/// numberMin(numberMax(x, lo), hi). Undefined for bounds in the wrong order.
static Interval numberClamp(Interval x, Interval lo, Interval hi) {
  if (lo.isEmpty() || hi.isEmpty())
    return Interval::whole();
  if (lo.lo > hi.hi)
    return Interval::undefined();
  return numberMin(numberMax(x, lo), hi);
}

static uint64_t minUnsigned(uint64_t a, uint64_t b, unsigned) {
  return std::min(a, b);
}
static uint64_t maxUnsigned(uint64_t a, uint64_t b, unsigned) {
  return std::max(a, b);
}
static uint64_t minSigned(uint64_t a, uint64_t b, unsigned width) {
  return signExtend(a, width) < signExtend(b, width) ? a : b;
}
static uint64_t maxSigned(uint64_t a, uint64_t b, unsigned width) {
  return signExtend(a, width) > signExtend(b, width) ? a : b;
}
/// The smallest number stays as it is.
static uint64_t absInt(uint64_t a, unsigned width) {
  return signExtend(a, width) < 0 ? 0 - a : a;
}
/// Returns -1, 0 or 1 in 64 bits; the handler cuts it to the width.
static uint64_t signInt(uint64_t a, unsigned width) {
  int64_t value = signExtend(a, width);
  return static_cast<uint64_t>(value > 0 ? 1 : value < 0 ? -1 : 0);
}
/// Index of the lowest set bit; all ones for 0.
static uint64_t findLowest(uint64_t a, unsigned) {
  return a ? static_cast<uint64_t>(countr_zero(a)) : ~0ull;
}
/// Index of the highest set bit; all ones for 0.
static uint64_t findHighest(uint64_t a, unsigned) {
  return a ? static_cast<uint64_t>(63 - countl_zero(a)) : ~0ull;
}
/// Of negative numbers the highest clear bit; all ones for 0 and -1.
static uint64_t findHighestSigned(uint64_t a, unsigned width) {
  return findHighest(signExtend(a, width) < 0 ? ~a & maskOf(width) : a, width);
}

/// Integer clamp: undefined where the bounds are the wrong way round.
template <bool IsSigned> static Status clampInt(Invocation &invocation, const Inst &inst) {
  Scalar *dst = invocation.at(inst.dst);
  const Scalar *x = invocation.at(inst.op[0]), *lo = invocation.at(inst.op[1]),
               *hi = invocation.at(inst.op[2]);
  auto less = [&](uint64_t a, uint64_t b) {
    return IsSigned ? signExtend(a, inst.width) < signExtend(b, inst.width) : a < b;
  };
  for (uint32_t i = 0; i < inst.n; ++i) {
    if ((x[i].flags | lo[i].flags | hi[i].flags) & Poison)
      dst[i] = inheritPoison(inheritPoison(x[i], lo[i]), hi[i]);
    else if (less(hi[i].bits, lo[i].bits))
      dst[i] = Scalar::undefined(Cause::Math);
    else
      dst[i] = less(x[i].bits, lo[i].bits) ? lo[i] : less(hi[i].bits, x[i].bits) ? hi[i] : x[i];
  }
  return Status::Next;
}

ArrayRef<OpRow> reference::glslScalarOps() {
  static const OpRow rows[] = {
      {GLSLstd450Round, prepareIds, floatUnary<roundHalf>},
      {GLSLstd450RoundEven, prepareIds, floatUnary<roundToEven>},
      {GLSLstd450Trunc, prepareIds, floatUnary<roundToZero>},
      {GLSLstd450FAbs, prepareIds, floatUnary<absolute>},
      {GLSLstd450SAbs, prepareIds, intUnary<absInt>},
      {GLSLstd450FSign, prepareIds, floatUnary<sign>},
      {GLSLstd450SSign, prepareIds, intUnary<signInt>},
      {GLSLstd450Floor, prepareIds, floatUnary<roundDown>},
      {GLSLstd450Ceil, prepareIds, floatUnary<roundUp>},
      {GLSLstd450Fract, prepareIds, floatUnary<fract>},
      {GLSLstd450Radians, prepareIds, floatUnary<toRadians>},
      {GLSLstd450Degrees, prepareIds, floatUnary<toDegrees>},
      {GLSLstd450Sin, prepareIds, floatUnary<sinInterval>},
      {GLSLstd450Cos, prepareIds, floatUnary<cosInterval>},
      {GLSLstd450Tan, prepareIds, floatUnary<tangent>},
      {GLSLstd450Asin, prepareIds, floatUnary<arcSine>},
      {GLSLstd450Acos, prepareIds, floatUnary<arcCosine>},
      {GLSLstd450Atan, prepareIds, floatUnary<atanInterval>},
      {GLSLstd450Sinh, prepareIds, floatUnary<hyperbolicSine>},
      {GLSLstd450Cosh, prepareIds, floatUnary<hyperbolicCosine>},
      {GLSLstd450Tanh, prepareIds, floatUnary<hyperbolicTangent>},
      {GLSLstd450Asinh, prepareIds, floatUnary<areaSine>},
      {GLSLstd450Acosh, prepareIds, floatUnary<areaCosine>},
      {GLSLstd450Atanh, prepareIds, floatUnary<areaTangent>},
      {GLSLstd450Atan2, prepareIds, floatBinary<angle>},
      {GLSLstd450Pow, prepareIds, raise},
      {GLSLstd450Exp, prepareIds, floatUnary<expInterval>},
      {GLSLstd450Log, prepareIds, floatUnary<fromZero<logInterval, false>>},
      {GLSLstd450Exp2, prepareIds, floatUnary<exp2Interval>},
      {GLSLstd450Log2, prepareIds, floatUnary<fromZero<log2Interval, false>>},
      {GLSLstd450Sqrt, prepareIds, floatUnary<fromZero<squareRoot, true>>},
      {GLSLstd450InverseSqrt, prepareIds, floatUnary<fromZero<inverseSqrt, false>>},
      {GLSLstd450FMin, prepareIds, floatBinary<minimum>},
      {GLSLstd450UMin, prepareIds, intBinary<minUnsigned>},
      {GLSLstd450SMin, prepareIds, intBinary<minSigned>},
      {GLSLstd450FMax, prepareIds, floatBinary<maximum>},
      {GLSLstd450UMax, prepareIds, intBinary<maxUnsigned>},
      {GLSLstd450SMax, prepareIds, intBinary<maxSigned>},
      {GLSLstd450FClamp, prepareIds, floatTernary<clampAll>},
      {GLSLstd450UClamp, prepareIds, clampInt<false>},
      {GLSLstd450SClamp, prepareIds, clampInt<true>},
      {GLSLstd450FMix, prepareIds, floatTernary<mix>},
      {GLSLstd450Step, prepareIds, floatBinary<stepAt>},
      {GLSLstd450SmoothStep, prepareIds, floatTernary<smoothStep>},
      {GLSLstd450Fma, prepareIds, floatTernary<multiplyAdd>},
      {GLSLstd450FindILsb, prepareIds, intUnary<findLowest>},
      {GLSLstd450FindSMsb, prepareIds, intUnary<findHighestSigned>},
      {GLSLstd450FindUMsb, prepareIds, intUnary<findHighest>},
      {GLSLstd450NMin, prepareIds, floatBinary<numberMin>},
      {GLSLstd450NMax, prepareIds, floatBinary<numberMax>},
      {GLSLstd450NClamp, prepareIds, floatTernary<numberClamp>},
  };
  return rows;
}
