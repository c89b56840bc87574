// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Vector addition and multiplication in all their forms on f16, f32 and f64.
#include "oracles/machine/gcn_alu/Convert.h"
#include "oracles/machine/gcn_alu/Lift.h"
#include "oracles/machine/gcn_alu/Tables.h"

using namespace assay::gcn;

/// b - a.
template <typename T> static T reverseSub(T a, T b, const AluMode &mode) {
  return floatSub(b, a, mode);
}

/// v_fmac: the destination is the addend.
template <typename T> static T fmaOld(T a, T b, Old<T> c, const AluMode &mode) {
  return floatFma(a, b, c.value, mode);
}

/// v_mac: the destination is the addend.
template <typename T> static T madOld(T a, T b, Old<T> c, const AluMode &mode) {
  return floatMad(a, b, c.value, mode);
}

#define ASSAY_QUICK_ROW(FUNCTION, SOURCES, EXPRESSION)                                             \
  template <> struct assay::gcn::QuickRow<FUNCTION> {                                              \
    static constexpr bool exists = true;                                                           \
    static constexpr unsigned sourceCount = SOURCES;                                               \
    [[gnu::always_inline]] static void run(LaneFloats &to, const LaneFloats *s) {                  \
      to = EXPRESSION;                                                                             \
    }                                                                                              \
  };
ASSAY_QUICK_ROW(floatAdd<float>, 2, s[0] + s[1])
ASSAY_QUICK_ROW(floatSub<float>, 2, s[0] - s[1])
ASSAY_QUICK_ROW(reverseSub<float>, 2, s[1] - s[0])
ASSAY_QUICK_ROW(floatMul<float>, 2, s[0] * s[1])
ASSAY_QUICK_ROW(floatFma<float>, 3, __builtin_elementwise_fma(s[0], s[1], s[2]))
ASSAY_QUICK_ROW(fmaOld<float>, 3, __builtin_elementwise_fma(s[0], s[1], s[2]))
#undef ASSAY_QUICK_ROW

/// Zero by DirectX 9's rule: it wins over infinity and NaN.
static bool zeroWins(float a, float b, const AluMode &mode) {
  return isZero(flushIn(a, mode)) || isZero(flushIn(b, mode));
}

/// The product by DirectX 9's rule.
static float mulZero(float a, float b, const AluMode &mode) {
  return zeroWins(a, b, mode) ? 0.0f : floatMul(a, b, mode);
}

/// The product that zero wins is +0, to which the addend is added all the same. Denormals are never
/// kept.
static float fmaZero(float a, float b, float c, AluMode mode) {
  mode.f32DenormIn = mode.f32DenormOut = false;
  return zeroWins(a, b, mode) ? floatAdd(0.0f, c, mode) : floatFma(a, b, c, mode);
}

/// The destination is the addend.
static float fmaZeroOld(float a, float b, Old<float> c, const AluMode &mode) {
  return fmaZero(a, b, c.value, mode);
}

/// Two roundings; denormals are never kept.
static float madZero(float a, float b, float c, AluMode mode) {
  mode.f32DenormIn = mode.f32DenormOut = false;
  return floatAdd(mulZero(a, b, mode), c, mode);
}

/// madZero() with the destination register as third source.
static float madZeroOld(float a, float b, Old<float> c, const AluMode &mode) {
  return madZero(a, b, c.value, mode);
}

/// The exact sum rounds once, to f16.
static Half fmaMix(float a, float b, float c, const AluMode &mode) {
  a = flushIn(a, mode);
  b = flushIn(b, mode);
  c = flushIn(c, mode);
  float nan{};
  if (fmaNan(nan, mode, a, b, c))
    return convertNan<Half>(nan, mode);
  return finish<Half>(exactFma(a, b, c, mode.f16f64Round), mode);
}

/// Rounded to f32, then to f16.
static Half madMix(float a, float b, float c, const AluMode &mode) {
  return convertFloat<Half>(floatMad(a, b, c, mode), mode);
}

/// v_mullit: the specular term, with a floor where the exponent makes no sense.
static float mullit(float a, float b, float c, const AluMode &mode) {
  constexpr float lowest = -3.402823466e+38f;
  bool floored = isNan(b) || b <= lowest || isNan(c) || flushIn(c, mode) <= 0.0f;
  return floored ? lowest : floatMul(a, b, mode);
}

/// Sums and products of two sources. The zero forms let a zero factor win, as DirectX 9 has it.
static constexpr AluOp addRows[] = {
    valu<floatAdd<float>>("v_add_f32|v_dual_add_f32@11"),
    valu<floatAdd<Half>>("v_add_f16"),
    valu<floatAdd<double>>("v_add_f64"),
    valu<floatSub<float>>("v_sub_f32|v_dual_sub_f32@11"),
    valu<floatSub<Half>>("v_sub_f16"),
    valu<reverseSub<float>>("v_subrev_f32|v_dual_subrev_f32@11"),
    valu<reverseSub<Half>>("v_subrev_f16"),
    valu<floatMul<float>>("v_mul_f32|v_dual_mul_f32@11"),
    valu<floatMul<Half>>("v_mul_f16"),
    valu<floatMul<double>>("v_mul_f64"),
    valu<mulZero>("v_mul_legacy_f32", 9, 10),
    valu<mulZero>("v_mul_dx9_zero_f32|v_dual_mul_dx9_zero_f32", 11),
    valu<mullit>("v_mullit_f32", 10),
};

/// The literal of fmaak comes last, that of fmamk second: both are plain fma in operand order.
static constexpr AluOp fusedRows[] = {
    valu<floatFma<float>>("v_fma_f32"),
    valu<floatFma<Half>>("v_fma_f16", 9, 12, PreservesHigh),
    valu<floatFma<Half>>("v_fma_legacy_f16", 9, 9),
    valu<floatFma<double>>("v_fma_f64"),
    valu<fmaOld<float>>("v_fmac_f32|v_dual_fmac_f32@11"),
    valu<fmaOld<Half>>("v_fmac_f16", 10),
    valu<floatFma<float>>("v_fmaak_f32|v_fmamk_f32|v_dual_fmaak_f32@11|v_dual_fmamk_f32@11", 10),
    valu<floatFma<Half>>("v_fmaak_f16|v_fmamk_f16", 10),
    valu<fmaZero>("v_fma_legacy_f32", 10, 10),
    valu<fmaZero>("v_fma_dx9_zero_f32", 11),
    valu<fmaZeroOld>("v_fmac_legacy_f32", 10, 10),
    valu<fmaZeroOld>("v_fmac_dx9_zero_f32", 11, 11),
    valu<floatFma<float>>("v_fma_mix_f32", 9, 12, MixSources),
    valu<fmaMix>("v_fma_mixlo_f16", 9, 12, MixSources | PreservesHigh),
    valu<fmaMix>("v_fma_mixhi_f16", 9, 12, MixSources | WritesHigh),
};

/// Multiply-add with two roundings, which GFX11 no longer has. Flags say what happens to the other
/// half of a 16-bit destination.
static constexpr AluOp unfusedRows[] = {
    valu<floatMad<float>>("v_mad_f32|v_madak_f32|v_madmk_f32", 9, 10),
    valu<floatMad<Half>>("v_mad_f16|v_madak_f16|v_madmk_f16", 9, 9, PreservesHigh),
    valu<floatMad<Half>>("v_mad_legacy_f16", 9, 9),
    valu<madOld<float>>("v_mac_f32", 9, 10),
    valu<madOld<Half>>("v_mac_f16", 9, 9, PreservesHigh),
    valu<madZero>("v_mad_legacy_f32", 9, 10),
    valu<madZeroOld>("v_mac_legacy_f32", 10, 10),
    valu<floatMad<float>>("v_mad_mix_f32", 9, 9, MixSources),
    valu<madMix>("v_mad_mixlo_f16", 9, 9, MixSources | PreservesHigh),
    valu<madMix>("v_mad_mixhi_f16", 9, 9, MixSources | WritesHigh),
};

void assay::gcn::addValuFloatRows(RowSink sink) {
  sink(addRows);
  sink(fusedRows);
  sink(unfusedRows);
}
