// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/machine/gcn_alu/definitions/Floats.h"

#include "llvm/Support/ErrorHandling.h"

using namespace llvm;
using namespace assay::gcn;
using namespace assay::gcn::definitions;

/// Of packs, the format of an element. A fatal error for other kinds.
const Format &definitions::formatOf(OperandKind kind) {
  switch (kind) {
  case OperandKind::F16:
  case OperandKind::PkF16:
    return Half;
  case OperandKind::BF16:
  case OperandKind::PkBF16:
    return Brain;
  case OperandKind::F32:
  case OperandKind::PkF32:
    return Single;
  case OperandKind::F64:
    return Double;
  default:
    report_fatal_error("not a kind of float");
  }
}

/// What MODE says about a format.
Rules definitions::rulesOf(const Format &format, const AluMode &mode) {
  Rules rules;
  bool isSingle = format.width == 32;
  rules.round = isSingle ? mode.f32Round : mode.f16f64Round;
  rules.keepsInputs = isSingle ? mode.f32DenormIn : mode.f16f64DenormIn;
  rules.keepsOutputs = isSingle ? mode.f32DenormOut : mode.f16f64DenormOut;
  rules.saturates = format.width == 16 && format.fraction == 10 && mode.fp16Overflow;
  rules.quietsNans = mode.ieee || mode.gfxMajor >= 12;
  return rules;
}

/// \p round is a field of MODE.
mpfr_rnd_t definitions::roundingOf(unsigned round) {
  static constexpr mpfr_rnd_t modes[] = {MPFR_RNDN, MPFR_RNDU, MPFR_RNDD, MPFR_RNDZ};
  return modes[round];
}

/// Exact; the float is finite.
Real Float::value() const {
  uint64_t units = magnitude() & ((uint64_t(1) << format.fraction) - 1);
  int exponent = format.minExponent();
  if (exponentField() != 0) {
    units += uint64_t(1) << format.fraction;
    exponent = int(exponentField()) - format.bias;
  }
  return Real::of(units, exponent - int(format.fraction), isNegative(), format.exactBits());
}

Float definitions::zeroOf(const Format &format, bool negative) {
  return {negative ? format.sign() : 0, format};
}

Float definitions::infinityOf(const Format &format, bool negative) {
  return Float{format.infinity(), format}.signedAs(negative);
}

/// The NaN of invalid operations: quiet, without payload, with the sign set.
Float definitions::invalidOf(const Format &format) {
  return Float{format.infinity(), format}.quieted().signedAs(true);
}

/// Neither flushes nor quiets; inputOf() does.
Float definitions::sourceOf(const Question &question, unsigned index) {
  return {question.bits(index), formatOf(question.shape.sources[index])};
}

/// Source \p index with its denormals flushed if the mode says so.
Float definitions::inputOf(const Question &question, unsigned index) {
  Float source = sourceOf(question, index);
  return source.flushed(rulesOf(source.format, question.mode).keepsInputs);
}

/// By the format of the first source.
Rules definitions::sourceRules(const Question &question) {
  return rulesOf(formatOf(question.shape.sources[0]), question.mode);
}

Rules definitions::resultRules(const Question &question) {
  return rulesOf(resultFormat(question), question.mode);
}

const Format &definitions::resultFormat(const Question &question) {
  return formatOf(question.shape.dst);
}

/// What is beyond the range, as \p rules round it.
static Float overflow(const Format &format, bool negative, const Rules &rules) {
  bool toInfinity = rules.round == 0 || rules.round == (negative ? 2u : 1u);
  uint64_t magnitude = format.infinity() - (toInfinity && !rules.saturates ? 0 : 1);
  return Float{magnitude, format}.signedAs(negative);
}

/// Rounds once. Results below the normal range are zeros of their sign unless denormals are kept.
Float definitions::rounded(const Real &exact, const Format &format, const Rules &rules) {
  bool negative = exact.isNegative();
  if (exact.isZero())
    return zeroOf(format, negative);
  mpfr_rnd_t round = roundingOf(rules.round);
  Real normal(exact);
  mpfr_prec_round(normal.get(), mpfr_prec_t(format.fraction + 1), round);
  if (normal.top() > format.bias)
    return overflow(format, negative, rules);
  if (normal.top() < format.minExponent()) {
    if (!rules.keepsOutputs)
      return zeroOf(format, negative);
    // In units of the smallest denormal; 2^fraction of them are the smallest normal.
    Real units = exact.scaled(int(format.fraction) - format.minExponent()).whole(round);
    return Float{uint64_t(units.magnitude().toInteger()), format}.signedAs(negative);
  }
  Real units = normal.magnitude().scaled(int(format.fraction) - normal.top());
  uint64_t fraction = uint64_t(units.toInteger()) - (uint64_t(1) << format.fraction);
  uint64_t field = uint64_t(normal.top() + format.bias);
  return Float{field << format.fraction | fraction, format}.signedAs(negative);
}

/// A NaN source as result: quiet where the mode says so.
Float definitions::asResult(const Float &nan, const Rules &rules) {
  return rules.quietsNans ? nan.quieted() : nan;
}

/// Keeps sign and topmost payload bits. Only widening may keep a NaN signalling.
Float definitions::convertedNan(const Float &nan, const Format &format, const Rules &rules) {
  uint64_t payload = nan.magnitude() - nan.format.infinity();
  bool isWider = format.fraction > nan.format.fraction;
  payload = isWider ? payload << (format.fraction - nan.format.fraction)
                    : payload >> (nan.format.fraction - format.fraction);
  Float result = Float{format.infinity() | payload, format}.signedAs(nan.isNegative());
  return isWider && !rules.quietsNans ? result : result.quieted();
}

/// Answers for both halves of packed f16 sources.
Answer definitions::onHalves(const Question &question, Meaning single) {
  Shape shape = question.shape;
  shape.dst = OperandKind::F16;
  for (OperandKind &kind : shape.sources)
    kind = OperandKind::F16;
  Exact value = 0;
  for (unsigned shift : {0u, 16u}) {
    AluInput input = question.input;
    for (uint64_t &source : input.src)
      source = (source >> shift) & 0xffff;
    value += single({shape, input, question.mode, question.parameter}).value << shift;
  }
  return value;
}

/// a * b + c, rounded once to \p result. The first NaN of \p a and \p b wins, then invalid
/// products, then a NaN of \p c.
Float definitions::fused(const Float &a, const Float &b, const Float &c, const Format &result,
                         const Rules &rules) {
  auto nan = [&](const Float &source) {
    return source.format.width == result.width ? asResult(source, rules)
                                               : convertedNan(source, result, rules);
  };
  bool isInvalid = (a.isInfinite() && b.isZero()) || (a.isZero() && b.isInfinite());
  if (a.isNan() || b.isNan())
    return nan(a.isNan() ? a : b);
  if (isInvalid || c.isNan())
    return isInvalid ? invalidOf(result) : nan(c);
  bool negative = a.isNegative() != b.isNegative();
  if (a.isInfinite() || b.isInfinite()) {
    bool cancels = c.isInfinite() && c.isNegative() != negative;
    return cancels ? invalidOf(result) : infinityOf(result, negative);
  }
  if (c.isInfinite())
    return infinityOf(result, c.isNegative());
  Real sum(a.format.exactBits());
  // Exact, but that the sign of a zero sum depends on the rounding.
  mpfr_fma(sum.get(), a.value().get(), b.value().get(), c.value().get(), roundingOf(rules.round));
  return rounded(sum, result, rules);
}
