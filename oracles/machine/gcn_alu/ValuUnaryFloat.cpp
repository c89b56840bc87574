// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Vector operations on one float, and ldexp.
#include "oracles/machine/gcn_alu/Elementary.h"
#include "oracles/machine/gcn_alu/Lift.h"
#include "oracles/machine/gcn_alu/Tables.h"

using namespace assay::gcn;

/// Results are 32-bit integers for f32 and f64.
template <typename T> static int32_t exponent32(T a, const AluMode &mode) {
  return frexpExponent(a, mode);
}

/// Wraps frexpExponent() with a 16-bit result.
static int16_t exponent16(Half a, const AluMode &mode) {
  return int16_t(frexpExponent(a, mode));
}

/// a * 2^exponent; the exponent is a 32-bit integer for f32 and f64.
template <typename T> static T ldexp32(T a, int32_t exponent, const AluMode &mode) {
  return floatLdexp(a, exponent, mode);
}

/// Wraps floatLdexp() with a 16-bit exponent.
static Half ldexp16(Half a, int16_t exponent, const AluMode &mode) {
  return floatLdexp(a, exponent, mode);
}

/// f64 results are rounded to nearest even.
template <double (*Function)(double)> static double doubleFunction(double a, const AluMode &mode) {
  double result = 0;
  if (propagateNan(result, mode, a))
    return result;
  return flushOut(settled(Function(flushIn(a, mode))), mode);
}

/// Rounding to whole numbers, and the fraction that is left.
static constexpr AluOp roundingRows[] = {
    valu<floatFloor<float>>("v_floor_f32"),  valu<floatFloor<Half>>("v_floor_f16"),
    valu<floatFloor<double>>("v_floor_f64"), valu<floatCeil<float>>("v_ceil_f32"),
    valu<floatCeil<Half>>("v_ceil_f16"),     valu<floatCeil<double>>("v_ceil_f64"),
    valu<floatTrunc<float>>("v_trunc_f32"),  valu<floatTrunc<Half>>("v_trunc_f16"),
    valu<floatTrunc<double>>("v_trunc_f64"), valu<floatRndne<float>>("v_rndne_f32"),
    valu<floatRndne<Half>>("v_rndne_f16"),   valu<floatRndne<double>>("v_rndne_f64"),
    valu<floatFract<float>>("v_fract_f32"),  valu<floatFract<Half>>("v_fract_f16"),
    valu<floatFract<double>>("v_fract_f64"),
};

/// Exponents and mantissas taken apart and put together.
static constexpr AluOp partsRows[] = {
    valu<exponent32<float>>("v_frexp_exp_i32_f32"),
    valu<exponent32<double>>("v_frexp_exp_i32_f64"),
    valu<exponent16>("v_frexp_exp_i16_f16"),
    valu<frexpMantissa<float>>("v_frexp_mant_f32"),
    valu<frexpMantissa<Half>>("v_frexp_mant_f16"),
    valu<frexpMantissa<double>>("v_frexp_mant_f64"),
    valu<ldexp32<float>>("v_ldexp_f32"),
    valu<ldexp32<double>>("v_ldexp_f64"),
    valu<ldexp16>("v_ldexp_f16"),
};

/// Rows of f32 and f16 share one function for each operation. The legacy forms are those of GFX9.
static constexpr AluOp transcendentalRows[] = {
    valu<transcendental<float, Reciprocal>>("v_rcp_f32|v_rcp_iflag_f32", 9, 12, Trans),
    valu<transcendental<float, InverseRoot>>("v_rsq_f32", 9, 12, Trans),
    valu<transcendental<float, SquareRoot>>("v_sqrt_f32", 9, 12, Trans),
    valu<transcendental<float, Exp2>>("v_exp_f32", 9, 12, Trans),
    valu<transcendental<float, Log2>>("v_log_f32", 9, 12, Trans),
    valu<transcendental<float, Exp2>>("v_exp_legacy_f32", 9, 9, Trans),
    valu<transcendental<float, Log2>>("v_log_legacy_f32", 9, 9, Trans),
    valu<transcendental<float, SinTurns>>("v_sin_f32", 9, 12, Trans),
    valu<transcendental<float, CosTurns>>("v_cos_f32", 9, 12, Trans),
    valu<transcendental<Half, Reciprocal>>("v_rcp_f16", 9, 12, Trans),
    valu<transcendental<Half, InverseRoot>>("v_rsq_f16", 9, 12, Trans),
    valu<transcendental<Half, SquareRoot>>("v_sqrt_f16", 9, 12, Trans),
    valu<transcendental<Half, Exp2>>("v_exp_f16", 9, 12, Trans),
    valu<transcendental<Half, Log2>>("v_log_f16", 9, 12, Trans),
    valu<transcendental<Half, SinTurns>>("v_sin_f16", 9, 12, Trans),
    valu<transcendental<Half, CosTurns>>("v_cos_f16", 9, 12, Trans),
    valu<doubleFunction<Reciprocal::quick>>("v_rcp_f64", 9, 12, Trans),
    valu<doubleFunction<InverseRoot::rounded>>("v_rsq_f64", 9, 12, Trans),
    valu<doubleFunction<sqrtF64>>("v_sqrt_f64", 9, 12, Trans),
    // GFX12's pseudo-scalar forms: scalar registers, vector unit.
    valu<transcendental<float, Reciprocal>>("v_s_rcp_f32", 12, 12, Trans),
    valu<transcendental<float, InverseRoot>>("v_s_rsq_f32", 12, 12, Trans),
    valu<transcendental<float, SquareRoot>>("v_s_sqrt_f32", 12, 12, Trans),
    valu<transcendental<float, Exp2>>("v_s_exp_f32", 12, 12, Trans),
    valu<transcendental<float, Log2>>("v_s_log_f32", 12, 12, Trans),
    valu<transcendental<Half, Reciprocal>>("v_s_rcp_f16", 12, 12, Trans),
    valu<transcendental<Half, InverseRoot>>("v_s_rsq_f16", 12, 12, Trans),
    valu<transcendental<Half, SquareRoot>>("v_s_sqrt_f16", 12, 12, Trans),
    valu<transcendental<Half, Exp2>>("v_s_exp_f16", 12, 12, Trans),
    valu<transcendental<Half, Log2>>("v_s_log_f16", 12, 12, Trans),
};

void assay::gcn::addValuUnaryFloatRows(RowSink sink) {
  sink(roundingRows);
  sink(partsRows);
  sink(transcendentalRows);
}
