// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sums and products of f16, f32 and f64 in vector and scalar unit. Sources: AMD's ISA manuals; what
// NaNs, denormals and DirectX 9's zeros do is in docs/errata-amdgpu.md.
#include "oracles/machine/gcn_alu/definitions/Floats.h"

using namespace assay::gcn;
using namespace assay::gcn::definitions;

using Q = const Question &;

/// The bits of a float as an answer.
static Answer bitsOf(const Float &result) {
  return Exact(result.bits);
}

/// 1 in \p format.
static Float oneOf(const Format &format) {
  return {uint64_t(format.bias) << format.fraction, format};
}

/// Rounded once.
static Float sumOf(const Float &a, const Float &b, const Rules &rules) {
  return fused(a, oneOf(a.format), b, a.format, rules);
}

/// Rounded once.
static Float productOf(const Float &a, const Float &b, const Rules &rules) {
  bool negative = a.isNegative() != b.isNegative(); // A zero that changes no zero's sign.
  return fused(a, b, zeroOf(a.format, negative), a.format, rules);
}

/// Flushes and rounds by the rules of the result's format.
static Answer sum(Q q) {
  return bitsOf(sumOf(inputOf(q, 0), inputOf(q, 1), resultRules(q)));
}

/// A NaN keeps its sign.
static Float subtracted(const Float &a, const Float &b, const Rules &rules) {
  return sumOf(a, b.isNan() ? b : b.negated(), rules);
}

/// Source 0 less source 1.
static Answer difference(Q q) {
  return bitsOf(subtracted(inputOf(q, 0), inputOf(q, 1), resultRules(q)));
}

/// Source 1 less source 0 (subrev).
static Answer differenceReversed(Q q) {
  return bitsOf(subtracted(inputOf(q, 1), inputOf(q, 0), resultRules(q)));
}

/// Flushes and rounds by the rules of the result's format.
static Answer product(Q q) {
  return bitsOf(productOf(inputOf(q, 0), inputOf(q, 1), resultRules(q)));
}

/// One rounding.
Answer definitions::meaningOfFma(Q q) {
  return bitsOf(
      fused(inputOf(q, 0), inputOf(q, 1), inputOf(q, 2), resultFormat(q), resultRules(q)));
}

/// MODE's rules, except for denormals, which are not kept.
static Rules flushing(Rules rules) {
  rules.keepsInputs = rules.keepsOutputs = false;
  return rules;
}

/// A source with its denormals flushed in every mode.
static Float flushedSource(Q q, unsigned index) {
  return sourceOf(q, index).flushed();
}

/// v_mad and v_mac: two roundings, no denormals.
static Float unfused(Q q) {
  Rules rules = flushing(sourceRules(q));
  Float product = productOf(flushedSource(q, 0), flushedSource(q, 1), rules);
  return sumOf(product, flushedSource(q, 2), rules);
}

/// Two roundings: the product has its own.
static Answer meaningOfMad(Q q) {
  return bitsOf(unfused(q));
}

/// DirectX 9: zero times anything is +0.
static Float zeroWinningProduct(const Float &a, const Float &b, const Rules &rules) {
  return a.isZero() || b.isZero() ? zeroOf(a.format) : productOf(a, b, rules);
}

/// Source operands are flushed by the mode.
static Answer productDx9(Q q) {
  return bitsOf(zeroWinningProduct(inputOf(q, 0), inputOf(q, 1), resultRules(q)));
}

/// A product that zero wins is +0, to which the addend is still added. Denormals are not kept.
static Answer fmaDx9(Q q) {
  Rules rules = flushing(resultRules(q));
  Float a = flushedSource(q, 0), b = flushedSource(q, 1), c = flushedSource(q, 2);
  return bitsOf(a.isZero() || b.isZero() ? sumOf(zeroOf(Single), c, rules)
                                         : fused(a, b, c, Single, rules));
}

/// Two roundings; denormals are not kept.
static Answer madDx9(Q q) {
  Rules rules = flushing(resultRules(q));
  Float product = zeroWinningProduct(flushedSource(q, 0), flushedSource(q, 1), rules);
  return bitsOf(sumOf(product, flushedSource(q, 2), rules));
}

/// f32 sources, one rounding to f16.
static Answer fmaToHalf(Q q) {
  return bitsOf(fused(inputOf(q, 0), inputOf(q, 1), inputOf(q, 2), Half, rulesOf(Half, q.mode)));
}

/// Rounded to f32, then to f16.
static Answer madToHalf(Q q) {
  Float single = unfused(q);
  Rules rules = rulesOf(Half, q.mode);
  if (single.isNan())
    return bitsOf(convertedNan(single, Half, rules));
  if (single.isInfinite())
    return bitsOf(infinityOf(Half, single.isNegative()));
  return bitsOf(rounded(single.value(), Half, rules));
}

/// The lowest number where the exponent or the cosine forbid light.
static Answer litProduct(Q q) {
  constexpr uint64_t lowest = 0xff7fffff, minusInfinity = 0xff800000;
  Float b = inputOf(q, 1), c = inputOf(q, 2);
  bool isDark = b.bits == lowest || b.bits == minusInfinity || b.isNan() || c.isNan() ||
                c.isZero() || c.isNegative();
  return isDark ? Answer(lowest) : bitsOf(productOf(inputOf(q, 0), b, resultRules(q)));
}

/// Columns: names with their generations, shape, meaning. Additions and multiplications of the
/// vector unit.
static const Definition Vector[] = {
    {"v_add_f32|v_dual_add_f32@11", "f32 = f32 f32", sum},
    {"v_add_f16", "f16 = f16 f16", sum},
    {"v_add_f64", "f64 = f64 f64", sum},
    {"v_sub_f32|v_dual_sub_f32@11", "f32 = f32 f32", difference},
    {"v_sub_f16", "f16 = f16 f16", difference},
    {"v_subrev_f32|v_dual_subrev_f32@11", "f32 = f32 f32", differenceReversed},
    {"v_subrev_f16", "f16 = f16 f16", differenceReversed},
    {"v_mul_f32|v_dual_mul_f32@11", "f32 = f32 f32", product},
    {"v_mul_f16", "f16 = f16 f16", product},
    {"v_mul_f64", "f64 = f64 f64", product},
    {"v_mul_legacy_f32@9-10|v_mul_dx9_zero_f32@11|v_dual_mul_dx9_zero_f32@11", "f32 = f32 f32",
     productDx9},
    {"v_mullit_f32@10", "f32 = f32 f32 f32", litProduct},
    {"v_pk_add_f16", "pkf16 = pkf16 pkf16 packed", packed<sum>},
    {"v_pk_mul_f16", "pkf16 = pkf16 pkf16 packed", packed<product>},
};

/// Rounded once.
static const Definition Fused[] = {
    {"v_fma_f32|v_fmaak_f32@10|v_fmamk_f32@10|v_dual_fmaak_f32@11|v_dual_fmamk_f32@11",
     "f32 = f32 f32 f32", meaningOfFma},
    {"v_fma_f16", "f16 = f16 f16 f16 preserves", meaningOfFma},
    {"v_fma_legacy_f16@9-9|v_fmaak_f16@10|v_fmamk_f16@10", "f16 = f16 f16 f16", meaningOfFma},
    {"v_fma_f64", "f64 = f64 f64 f64", meaningOfFma},
    {"v_fmac_f32|v_dual_fmac_f32@11", "f32 = f32 f32 old:f32", meaningOfFma},
    {"v_fmac_f16@10", "f16 = f16 f16 old:f16", meaningOfFma},
    {"v_fma_legacy_f32@10-10|v_fma_dx9_zero_f32@11", "f32 = f32 f32 f32", fmaDx9},
    {"v_fmac_legacy_f32@10-10|v_fmac_dx9_zero_f32@11-11", "f32 = f32 f32 old:f32", fmaDx9},
    {"v_fma_mix_f32", "f32 = f32 f32 f32 mix", meaningOfFma},
    {"v_fma_mixlo_f16", "f16 = f32 f32 f32 mix preserves", fmaToHalf},
    {"v_fma_mixhi_f16", "f16 = f32 f32 f32 mix high", fmaToHalf},
    {"v_pk_fma_f16", "pkf16 = pkf16 pkf16 pkf16 packed", packed<meaningOfFma>},
    {"v_pk_fmac_f16", "pkf16 = pkf16 pkf16 old:pkf16 packed", packed<meaningOfFma>},
};

/// The product is rounded, then the sum.
static const Definition Unfused[] = {
    {"v_mad_f32@9-10|v_madak_f32@9-10|v_madmk_f32@9-10", "f32 = f32 f32 f32", meaningOfMad},
    {"v_mad_f16@9-9|v_madak_f16@9-9|v_madmk_f16@9-9", "f16 = f16 f16 f16 preserves", meaningOfMad},
    {"v_mad_legacy_f16@9-9", "f16 = f16 f16 f16", meaningOfMad},
    {"v_mac_f32@9-10", "f32 = f32 f32 old:f32", meaningOfMad},
    {"v_mac_f16@9-9", "f16 = f16 f16 old:f16 preserves", meaningOfMad},
    {"v_mad_legacy_f32@9-10", "f32 = f32 f32 f32", madDx9},
    {"v_mac_legacy_f32@10-10", "f32 = f32 f32 old:f32", madDx9},
    {"v_mad_mix_f32@9-9", "f32 = f32 f32 f32 mix", meaningOfMad},
    {"v_mad_mixlo_f16@9-9", "f16 = f32 f32 f32 mix preserves", madToHalf},
    {"v_mad_mixhi_f16@9-9", "f16 = f32 f32 f32 mix high", madToHalf},
};

/// The scalar unit's, from GFX11 on.
static const Definition Scalar[] = {
    {"s_add_f32@11", "f32 = f32 f32", sum},
    {"s_add_f16@11", "f16 = f16 f16", sum},
    {"s_sub_f32@11", "f32 = f32 f32", difference},
    {"s_sub_f16@11", "f16 = f16 f16", difference},
    {"s_mul_f32@11", "f32 = f32 f32", product},
    {"s_mul_f16@11", "f16 = f16 f16", product},
    {"s_fmac_f32@11", "f32 = f32 f32 old:f32", meaningOfFma},
    {"s_fmac_f16@11", "f16 = f16 f16 old:f16", meaningOfFma},
    {"s_fmaak_f32@11|s_fmamk_f32@11", "f32 = f32 f32 f32", meaningOfFma},
};

void definitions::defineFloatArithmetic(DefinitionSink sink) {
  defineAll(sink, Vector);
  defineAll(sink, Fused);
  defineAll(sink, Unfused);
  defineAll(sink, Scalar);
}
