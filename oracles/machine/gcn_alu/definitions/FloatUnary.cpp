// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operations on one float: rounding to whole numbers, taking apart, scaling, and the transcendental
// ones, which MPFR knows. Sources: AMD's ISA manuals; docs/errata-amdgpu.md for what chips do in
// special cases.
#include "oracles/machine/gcn_alu/definitions/Floats.h"
#include <algorithm>

using namespace assay::gcn;
using namespace assay::gcn::definitions;

using Q = const Question &;

/// The bits of a float as an answer.
static Answer bitsOf(const Float &result) {
  return Exact(result.bits);
}

/// q.parameter is an mpfr_rnd_t. The sign stays, that of a zero result too.
static Answer wholeNumber(Q q) {
  Float a = inputOf(q, 0);
  if (a.isNan())
    return bitsOf(asResult(a, resultRules(q)));
  if (a.isInfinite())
    return bitsOf(a);
  Real whole = a.value().whole(mpfr_rnd_t(q.parameter));
  return bitsOf(rounded(whole, a.format, Rules()).signedAs(a.isNegative()));
}

/// x - floor(x), +0 of whole numbers, never 1.
static Answer fractionalPart(Q q) {
  Float a = inputOf(q, 0);
  if (a.isNan())
    return bitsOf(asResult(a, resultRules(q)));
  if (a.isInfinite())
    return bitsOf(invalidOf(a.format));
  Real part = a.value() - a.value().whole(MPFR_RNDD);
  if (part.isZero())
    return bitsOf(zeroOf(a.format));
  Float result = rounded(part, a.format, resultRules(q));
  uint64_t one = uint64_t(a.format.bias) << a.format.fraction;
  return Exact(result.bits == one ? one - 1 : result.bits);
}

/// The e of |a| = m * 2^e with m in [0.5, 1); 0 for what has none.
static int exponentOf(const Float &a) {
  return a.isFinite() && !a.isZero() ? a.value().top() + 1 : 0;
}

/// Returns the exponent as an exact integer.
static Answer exponentPart(Q q) {
  return Exact(exponentOf(inputOf(q, 0)));
}

/// With the sign of the source; zeros and infinities as they are.
static Answer mantissaPart(Q q) {
  Float a = inputOf(q, 0);
  if (a.isNan())
    return bitsOf(asResult(a, resultRules(q)));
  if (a.isInfinite() || a.isZero())
    return bitsOf(a);
  return bitsOf(rounded(a.value().scaled(-exponentOf(a)), a.format, Rules()));
}

/// Source 0 times 2 to the power of source 1.
static Answer scaledByPower(Q q) {
  Float a = inputOf(q, 0);
  if (a.isNan())
    return bitsOf(asResult(a, resultRules(q)));
  if (a.isInfinite())
    return bitsOf(a);
  // Beyond some thousands, all is zero or infinite.
  auto exponent = int(std::clamp<Exact>(q[1], -10000, 10000));
  return bitsOf(rounded(a.value().scaled(exponent), a.format, resultRules(q)));
}

using Function = void (*)(mpfr_ptr result, mpfr_srcptr x);

/// In the order of the enumeration. Sine and cosine take turns.
static constexpr Function Functions[] = {
    [](mpfr_ptr result, mpfr_srcptr x) { mpfr_ui_div(result, 1, x, MPFR_RNDN); },
    [](mpfr_ptr result, mpfr_srcptr x) { mpfr_rec_sqrt(result, x, MPFR_RNDN); },
    [](mpfr_ptr result, mpfr_srcptr x) { mpfr_sqrt(result, x, MPFR_RNDN); },
    [](mpfr_ptr result, mpfr_srcptr x) { mpfr_exp2(result, x, MPFR_RNDN); },
    [](mpfr_ptr result, mpfr_srcptr x) { mpfr_log2(result, x, MPFR_RNDN); },
    [](mpfr_ptr result, mpfr_srcptr x) { mpfr_sinu(result, x, 1, MPFR_RNDN); },
    [](mpfr_ptr result, mpfr_srcptr x) { mpfr_cosu(result, x, 1, MPFR_RNDN); },
};

/// Indices of Functions.
enum FunctionIndex { Rcp, Rsq, Sqrt, Exp, Log, Sin, Cos };

/// Functions[\p which] of \p a, correctly rounded by \p rules.
static Float functionOf(const Float &a, unsigned which, const Rules &rules) {
  if (a.isNan())
    return asResult(a, rules);
  Real x(Real::BitsForFunctions), y(Real::BitsForFunctions);
  if (a.isInfinite())
    mpfr_set_inf(x.get(), a.isNegative() ? -1 : 1);
  else
    x = a.value();
  Functions[which](y.get(), x.get());
  // MPFR follows IEEE 754's rSqrt, which has infinity of the sign of a zero.
  if (which == Rsq && a.isZero())
    return infinityOf(a.format, a.isNegative());
  if (mpfr_nan_p(y.get()))
    return invalidOf(a.format);
  if (mpfr_inf_p(y.get()))
    return infinityOf(a.format, y.isNegative());
  return rounded(y, a.format, rules);
}

/// f32: to nearest even, no denormals, in every mode.
static Answer functionOfSingle(Q q) {
  return bitsOf(
      functionOf(sourceOf(q, 0).flushed(), unsigned(q.parameter), resultRules(q).fixed()));
}

/// f16: to nearest even; with FP16_OVFL even 1 / 0 is a number.
static Answer functionOfHalf(Q q) {
  Rules rules = resultRules(q);
  rules.round = 0;
  Float a = inputOf(q, 0);
  Float result = functionOf(a, unsigned(q.parameter), rules);
  if (rules.saturates && result.isInfinite() && !a.isInfinite())
    return Exact(result.bits - 1);
  return bitsOf(result);
}

/// f64: to nearest even, denormals by the mode.
static Answer functionOfDouble(Q q) {
  Rules rules = resultRules(q);
  rules.round = 0;
  return bitsOf(functionOf(inputOf(q, 0), unsigned(q.parameter), rules));
}

static const Definition Parts[] = {
    {"v_fract_f32", "f32 = f32", fractionalPart},
    {"v_fract_f16", "f16 = f16", fractionalPart},
    {"v_fract_f64", "f64 = f64", fractionalPart},
    {"v_frexp_exp_i32_f32", "i32 = f32", exponentPart},
    {"v_frexp_exp_i32_f64", "i32 = f64", exponentPart},
    {"v_frexp_exp_i16_f16", "i16 = f16", exponentPart},
    {"v_frexp_mant_f32", "f32 = f32", mantissaPart},
    {"v_frexp_mant_f16", "f16 = f16", mantissaPart},
    {"v_frexp_mant_f64", "f64 = f64", mantissaPart},
    {"v_ldexp_f32", "f32 = f32 i32", scaledByPower},
    {"v_ldexp_f64", "f64 = f64 i32", scaledByPower},
    {"v_ldexp_f16", "f16 = f16 i16", scaledByPower},
};

/// The only transcendental operations with f64.
static const Definition DoubleFunctions[] = {
    {"v_rcp_f64", "f64 = f64 trans", functionOfDouble, Rcp},
    {"v_rsq_f64", "f64 = f64 trans", functionOfDouble, Rsq},
    {"v_sqrt_f64", "f64 = f64 trans", functionOfDouble, Sqrt},
};

/// floor, ceil, trunc and rndne, of vector and scalar unit.
static void defineWholeNumbers(DefinitionSink sink) {
  const std::pair<const char *, mpfr_rnd_t> names[] = {
      {"floor", MPFR_RNDD}, {"ceil", MPFR_RNDU}, {"trunc", MPFR_RNDZ}, {"rndne", MPFR_RNDN}};
  for (auto [name, round] : names)
    for (std::string type : {"f16", "f32", "f64"}) {
      std::string shape = type + " = " + type, suffix = std::string(name) + "_" + type;
      sink({"v_" + suffix, shape, wholeNumber, int64_t(round)});
      if (type != "f64")
        sink({"s_" + suffix + "@11", shape, wholeNumber, int64_t(round)});
    }
}

/// Adds the names that only some functions have: iflag, legacy, and the pseudo-scalar ones of
/// GFX12.
void definitions::defineFloatUnary(DefinitionSink sink) {
  defineWholeNumbers(sink);
  defineAll(sink, Parts);
  defineAll(sink, DoubleFunctions);
  static constexpr const char *names[] = {"rcp", "rsq", "sqrt", "exp", "log", "sin", "cos"};
  for (int64_t which = 0; which < 7; ++which) {
    std::string name = names[which];
    std::string singles = "v_" + name + "_f32", halves = "v_" + name + "_f16";
    if (which == Rcp)
      singles += "|v_rcp_iflag_f32";
    if (which == Exp || which == Log)
      singles += "|v_" + name + "_legacy_f32@9-9";
    if (which != Sin && which != Cos) {
      singles += "|v_s_" + name + "_f32@12";
      halves += "|v_s_" + name + "_f16@12";
    }
    sink({singles, "f32 = f32 trans", functionOfSingle, which});
    sink({halves, "f16 = f16 trans", functionOfHalf, which});
  }
}
