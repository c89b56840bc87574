// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Intrinsics on floating-point numbers. Exact ones by APFloat; transcendental ones by the host's
// library in double, rounded: no machine's last bits, but the same before and after a lowering.
#include "oracles/ir/Floats.h"
#include "oracles/ir/Handlers.h"
#include "llvm/ADT/APSInt.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsAMDGPU.h"
#include <cmath>

using namespace llvm;
using namespace assay;

namespace assay::ir {

using UnaryFloat = APFloat (*)(const APFloat &);
using BinaryFloat = APFloat (*)(const APFloat &, const APFloat &);
using HostUnary = double (*)(double);
using HostBinary = double (*)(double, double);

/// Sets \p value as the result with flags and denormal mode of \p inst; poison if an operand breaks
/// its fast-math flags.
static void finish(const Inst &inst, bool isPoison, const APFloat &value, Scalar &result) {
  setFloat(inst, value, result);
  if (isPoison)
    setPoison(result, inst.bits);
}

template <UnaryFloat function>
static void apply(Machine &, const Inst &inst, const Scalar &a, Scalar &result) {
  APFloat x = toFloat(inst, a);
  finish(inst, breaksFastMath(inst, x), function(x), result);
}

template <BinaryFloat function>
static void apply(Machine &, const Inst &inst, const Scalar &a, const Scalar &b, Scalar &result) {
  APFloat x = toFloat(inst, a), y = toFloat(inst, b);
  finish(inst, breaksFastMath(inst, x) || breaksFastMath(inst, y), function(x, y), result);
}

template <UnaryFloat function> static constexpr Handler unary = mapUnary<apply<function>>;
template <BinaryFloat function> static constexpr Handler binary = mapBinary<apply<function>>;

/// Rounds to a whole number.
template <APFloat::roundingMode mode> static APFloat roundTo(const APFloat &value) {
  APFloat result = value;
  result.roundToIntegral(mode);
  return result;
}

/// False for types that hold more than double does.
static bool fitsHost(const fltSemantics &semantics) {
  return APFloat::semanticsPrecision(semantics) <= 53;
}
static constexpr StringLiteral widerThanHost = "a function of numbers wider than double";

/// \p value in double; false for types that hold more than double does.
/// The conversion is exact.
static bool toHost(const APFloat &value, double &result) {
  if (!fitsHost(value.getSemantics()))
    return false;
  APFloat wide = value;
  bool losesInfo = false;
  wide.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &losesInfo);
  result = wide.convertToDouble();
  return true;
}

/// Rounds a double to \p semantics.
static APFloat fromHost(double value, const fltSemantics &semantics) {
  APFloat result(value);
  bool losesInfo = false;
  result.convert(semantics, APFloat::rmNearestTiesToEven, &losesInfo);
  return result;
}

template <HostUnary function>
static void host(Machine &machine, const Inst &inst, const Scalar &a, Scalar &result) {
  APFloat x = toFloat(inst, a);
  double value = 0;
  if (!toHost(x, value))
    return machine.stop(RunState::Unsupported, widerThanHost);
  finish(inst, breaksFastMath(inst, x), fromHost(function(value), x.getSemantics()), result);
}

template <HostBinary function>
static void host(Machine &machine, const Inst &inst, const Scalar &a, const Scalar &b,
                 Scalar &result) {
  APFloat x = toFloat(inst, a), y = toFloat(inst, b);
  double first = 0, second = 0;
  if (!toHost(x, first) || !toHost(y, second))
    return machine.stop(RunState::Unsupported, widerThanHost);
  finish(inst, breaksFastMath(inst, x) || breaksFastMath(inst, y),
         fromHost(function(first, second), x.getSemantics()), result);
}

template <HostUnary function> static constexpr Handler hostUnary = mapUnary<host<function>>;
template <HostBinary function> static constexpr Handler hostBinary = mapBinary<host<function>>;

/// a * b + c, rounded once; fmuladd is computed in the same way.
static void fusedMultiply(Machine &, const Inst &inst, const Scalar &a, const Scalar &b,
                          const Scalar &c, Scalar &result) {
  APFloat x = toFloat(inst, a), y = toFloat(inst, b), z = toFloat(inst, c);
  bool isPoison = breaksFastMath(inst, x) || breaksFastMath(inst, y) || breaksFastMath(inst, z);
  x.fusedMultiplyAdd(y, z, APFloat::rmNearestTiesToEven);
  finish(inst, isPoison, x, result);
}

/// Signs are bits, of NaNs too.
static void absolute(Machine &, const Inst &inst, const Scalar &a, Scalar &result) {
  result.bits = a.bits;
  result.bits.clearBit(inst.bits - 1);
  if (breaksFastMath(inst, toFloat(inst, a)))
    setPoison(result, inst.bits);
}

/// The magnitude of \p a with the sign of \p b. Bits of NaNs are kept.
static void copySign(Machine &, const Inst &inst, const Scalar &a, const Scalar &b,
                     Scalar &result) {
  result.bits = a.bits;
  result.bits.setBitVal(inst.bits - 1, b.bits.isNegative());
  if (breaksFastMath(inst, toFloat(inst, a)) || breaksFastMath(inst, toFloat(inst, b)))
    setPoison(result, inst.bits);
}

/// Of operand 0, where the result is no float or another one.
static const fltSemantics &operandSemantics(const Inst &inst) {
  return inst.ir->getOperand(0)->getType()->getScalarType()->getFltSemantics();
}

/// is.fpclass: whether the class of \p a is in the mask of operand 1.
static void isClass(Machine &, const Inst &inst, const Scalar &a, Scalar &result) {
  uint64_t mask = inst.operands[1].constant->bits.getZExtValue();
  result.bits = APInt(1, (APFloat(operandSemantics(inst), a.bits).classify() & mask) != 0);
}

/// fptoui.sat, fptosi.sat.
template <bool isSigned>
static void toIntegerSaturated(Machine &, const Inst &inst, const Scalar &a, Scalar &result) {
  APSInt integer(inst.bits, !isSigned);
  bool isExact = false;
  APFloat(operandSemantics(inst), a.bits)
      .convertToInteger(integer, APFloat::rmTowardZero, &isExact);
  result.bits = integer; // Of a NaN it is 0, else the nearest.
}

/// ldexp: the exponent is of another type, and for a vector a vector.
/// Exponents are clamped to +-100000, which no type reaches.
static void scaleExponent(Machine &, const Inst &inst, const Scalar &a, const Scalar &b,
                          Scalar &result) {
  APFloat x = toFloat(inst, a);
  int64_t exponent = std::clamp<int64_t>(
      b.bits.trunc(std::min(64u, b.bits.getBitWidth())).getSExtValue(), -100000, 100000);
  finish(inst, breaksFastMath(inst, x),
         scalbn(x, static_cast<int>(exponent), APFloat::rmNearestTiesToEven), result);
}

/// powi: the exponent is one integer for all elements. Unsupported for types wider than double.
static void runPowi(Machine &machine, const Inst &inst) {
  const fltSemantics &semantics = inst.shape->elements.front().type->getFltSemantics();
  if (!fitsHost(semantics))
    return machine.stop(RunState::Unsupported, widerThanHost);
  for (Lane *lane : machine.group()) {
    const Scalar *a = lane->get(inst.operands[0]);
    const Scalar &exponent = *lane->get(inst.operands[1]);
    Scalar *result = lane->slots + inst.slot;
    for (uint32_t i = 0; i < inst.count; ++i) {
      double value = 0;
      if (a[i].isPoison || exponent.isPoison || !toHost(toFloat(inst, a[i]), value)) {
        setPoison(result[i], inst.bits);
        continue;
      }
      clearPoison(result[i]);
      double power = std::pow(value, static_cast<double>(exponent.bits.getSExtValue()));
      setFloat(inst, fromHost(power, semantics), result[i]);
    }
  }
}

/// frexp: {fractions, exponents}; exponents of infinity and NaN are not specified, here 0.
static void runFrexp(Machine &machine, const Inst &inst) {
  uint32_t half = inst.count / 2;
  for (Lane *lane : machine.group()) {
    const Scalar *a = lane->get(inst.operands[0]);
    Scalar *result = lane->slots + inst.slot;
    for (uint32_t i = 0; i < half; ++i) {
      unsigned width = inst.shape->elements[half + i].bits;
      if (a[i].isPoison) {
        setPoison(result[i], inst.bits);
        setPoison(result[half + i], width);
        continue;
      }
      int exponent = 0;
      APFloat fraction = frexp(toFloat(inst, a[i]), exponent, APFloat::rmNearestTiesToEven);
      if (!fraction.isFinite())
        exponent = 0;
      result[i] = {fraction.bitcastToAPInt()};
      result[half + i] = {APInt(width, static_cast<uint64_t>(int64_t(exponent)), true,
                                /*implicitTrunc=*/true)};
    }
  }
}

/// v_med3_f32: the middle one; with a NaN, the least of the others (ISA manuals, V_MED3_F32).
static void median(Machine &, const Inst &inst, const Scalar &a, const Scalar &b, const Scalar &c,
                   Scalar &result) {
  APFloat x = toFloat(inst, a), y = toFloat(inst, b), z = toFloat(inst, c);
  if (x.isNaN() || y.isNaN() || z.isNaN())
    return finish(inst, false, minnum(minnum(x, y), z), result);
  APFloat low = minnum(x, y), high = maxnum(x, y);
  finish(inst, false, maxnum(low, minnum(high, z)), result);
}

/// v_fract: at most the largest number below 1 of the type, also where the difference rounds up;
/// NaN for infinity (ISA manuals, V_FRACT_F32).
static APFloat fraction(const APFloat &value) {
  if (!value.isFinite())
    return APFloat::getNaN(value.getSemantics());
  APFloat result = value, limit(value.getSemantics(), 1);
  result.subtract(roundTo<APFloat::rmTowardNegative>(value), APFloat::rmNearestTiesToEven);
  limit.next(/*nextDown=*/true);
  return result > limit ? limit : result;
}

/// The mode that a constrained intrinsic names; to nearest where it leaves that open.
static RoundingMode roundingOf(const Inst &inst) {
  RoundingMode mode = cast<ConstrainedFPIntrinsic>(inst.ir)->getRoundingMode().value_or(
      RoundingMode::NearestTiesToEven);
  return mode == RoundingMode::Dynamic ? RoundingMode::NearestTiesToEven : mode;
}

using RoundedOperation = APFloat::opStatus (APFloat::*)(const APFloat &, RoundingMode);

/// A constrained operation in its rounding mode.
template <RoundedOperation operation>
static void rounded(Machine &, const Inst &inst, const Scalar &a, const Scalar &b, Scalar &result) {
  APFloat x = toFloat(inst, a);
  (x.*operation)(toFloat(inst, b), roundingOf(inst));
  setFloat(inst, x, result);
}

/// Constrained fma.
static void roundedFma(Machine &, const Inst &inst, const Scalar &a, const Scalar &b,
                       const Scalar &c, Scalar &result) {
  APFloat x = toFloat(inst, a);
  x.fusedMultiplyAdd(toFloat(inst, b), toFloat(inst, c), roundingOf(inst));
  setFloat(inst, x, result);
}

/// Constrained fptrunc.
static void roundedTrunc(Machine &, const Inst &inst, const Scalar &a, Scalar &result) {
  APFloat x = toOperandFloat(inst, a);
  bool losesInfo = false;
  x.convert(inst.shape->elements.front().type->getFltSemantics(), roundingOf(inst), &losesInfo);
  setFloat(inst, x, result);
}

/// cvt.pkrtz: two numbers as halves, rounded toward zero.
static void runPackHalves(Machine &machine, const Inst &inst) {
  for (Lane *lane : machine.group())
    for (unsigned i = 0; i < 2; ++i) {
      const Scalar &number = *lane->get(inst.operands[i]);
      Scalar &result = lane->slots[inst.slot + i];
      if (number.isPoison) {
        setPoison(result, inst.bits);
        continue;
      }
      APFloat value = toOperandFloat(inst, number);
      bool losesInfo = false;
      value.convert(APFloat::IEEEhalf(), APFloat::rmTowardZero, &losesInfo);
      clearPoison(result);
      setFloat(inst, value, result);
    }
}

ArrayRef<IntrinsicRow> floatIntrinsics() {
  static constexpr IntrinsicRow Rows[] = {
      {Intrinsic::fabs, mapUnary<absolute>},
      {Intrinsic::copysign, mapBinary<copySign>},
      {Intrinsic::floor, unary<roundTo<APFloat::rmTowardNegative>>},
      {Intrinsic::ceil, unary<roundTo<APFloat::rmTowardPositive>>},
      {Intrinsic::trunc, unary<roundTo<APFloat::rmTowardZero>>},
      {Intrinsic::rint, unary<roundTo<APFloat::rmNearestTiesToEven>>},
      {Intrinsic::nearbyint, unary<roundTo<APFloat::rmNearestTiesToEven>>},
      {Intrinsic::roundeven, unary<roundTo<APFloat::rmNearestTiesToEven>>},
      {Intrinsic::round, unary<roundTo<APFloat::rmNearestTiesToAway>>},
      {Intrinsic::canonicalize,
       unary<[](const APFloat &a) { return a.isSignaling() ? a.makeQuiet() : a; }>},
      {Intrinsic::minnum, binary<minnum>},
      {Intrinsic::maxnum, binary<maxnum>},
      {Intrinsic::minimum, binary<minimum>},
      {Intrinsic::maximum, binary<maximum>},
      {Intrinsic::minimumnum, binary<minimumnum>},
      {Intrinsic::maximumnum, binary<maximumnum>},
      {Intrinsic::fma, mapTernary<fusedMultiply>},
      {Intrinsic::fmuladd, mapTernary<fusedMultiply>},
      {Intrinsic::ldexp, mapBinary<scaleExponent>},
      {Intrinsic::frexp, runFrexp},
      {Intrinsic::powi, runPowi},
      {Intrinsic::experimental_constrained_fadd, mapBinary<rounded<&APFloat::add>>},
      {Intrinsic::experimental_constrained_fsub, mapBinary<rounded<&APFloat::subtract>>},
      {Intrinsic::experimental_constrained_fmul, mapBinary<rounded<&APFloat::multiply>>},
      {Intrinsic::experimental_constrained_fma, mapTernary<roundedFma>},
      {Intrinsic::experimental_constrained_fptrunc, mapUnary<roundedTrunc>},
      {Intrinsic::amdgcn_cvt_pkrtz, runPackHalves},
      {Intrinsic::is_fpclass, mapUnary<isClass>},
      {Intrinsic::fptoui_sat, mapUnary<toIntegerSaturated<false>>},
      {Intrinsic::fptosi_sat, mapUnary<toIntegerSaturated<true>>},
      {Intrinsic::sqrt, hostUnary<std::sqrt>},
      {Intrinsic::sin, hostUnary<std::sin>},
      {Intrinsic::cos, hostUnary<std::cos>},
      {Intrinsic::tan, hostUnary<std::tan>},
      {Intrinsic::exp, hostUnary<std::exp>},
      {Intrinsic::exp2, hostUnary<std::exp2>},
      {Intrinsic::log, hostUnary<std::log>},
      {Intrinsic::log2, hostUnary<std::log2>},
      {Intrinsic::log10, hostUnary<std::log10>},
      {Intrinsic::pow, hostBinary<std::pow>},
      {Intrinsic::amdgcn_rcp, hostUnary<[](double x) { return 1 / x; }>},
      {Intrinsic::amdgcn_rsq, hostUnary<[](double x) { return 1 / std::sqrt(x); }>},
      {Intrinsic::amdgcn_sqrt, hostUnary<std::sqrt>},
      {Intrinsic::amdgcn_exp2, hostUnary<std::exp2>},
      {Intrinsic::amdgcn_log, hostUnary<std::log2>},
      {Intrinsic::amdgcn_fract, unary<fraction>},
      {Intrinsic::amdgcn_fmed3, mapTernary<median>},
  };
  return Rows;
}

} // namespace assay::ir
