// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Binary floating point as definitions see it: formats, what MODE says of them, and the one place
// where an exact number is rounded.
#pragma once

#include "oracles/machine/gcn_alu/definitions/Definition.h"
#include "oracles/machine/gcn_alu/definitions/Real.h"

namespace assay::gcn::definitions {

/// A binary format: sign, exponent, fraction.
struct Format {
  unsigned width;
  unsigned fraction;
  int bias; ///< Also the largest exponent.

  uint64_t sign() const { return uint64_t(1) << (width - 1); }
  uint64_t infinity() const { return (sign() - 1) >> fraction << fraction; }
  uint64_t quiet() const { return uint64_t(1) << (fraction - 1); }
  int minExponent() const { return 1 - bias; }
  /// Bits in which sums of products are exact.
  unsigned exactBits() const { return width == 64 ? Real::BitsForDouble : Real::BitsForSingle; }
};

inline constexpr Format Half = {16, 10, 15};
inline constexpr Format Brain = {16, 7, 127};
inline constexpr Format Single = {32, 23, 127};
inline constexpr Format Double = {64, 52, 1023};

/// Of a kind that is one float, or of the elements of a pack.
const Format &formatOf(OperandKind kind);

/// What MODE and the generation say of operations on a format.
struct Rules {
  unsigned round = 0; ///< As in MODE: even, up, down, zero.
  bool keepsInputs = true;
  bool keepsOutputs = true;
  bool saturates = false; ///< Numbers beyond the range become the largest, whatever round says.
  bool quietsNans = true;

  /// Rounds to nearest even and keeps no denormals, as some units do in every mode.
  Rules fixed() const { return {0, false, false, saturates, quietsNans}; }
};
Rules rulesOf(const Format &format, const AluMode &mode);

mpfr_rnd_t roundingOf(unsigned round);

/// A float: bits and what they mean.
struct Float {
  uint64_t bits;
  Format format;

  uint64_t magnitude() const { return bits & (format.sign() - 1); }
  bool isNegative() const { return (bits & format.sign()) != 0; }
  bool isNan() const { return magnitude() > format.infinity(); }
  bool isSignalling() const { return isNan() && !(bits & format.quiet()); }
  bool isInfinite() const { return magnitude() == format.infinity(); }
  bool isFinite() const { return magnitude() < format.infinity(); }
  bool isZero() const { return magnitude() == 0; }
  bool isDenormal() const { return !isZero() && magnitude() >> format.fraction == 0; }
  uint64_t exponentField() const { return magnitude() >> format.fraction; }

  Float negated() const { return {bits ^ format.sign(), format}; }
  Float absolute() const { return {magnitude(), format}; }
  Float signedAs(bool negative) const {
    return {magnitude() | (negative ? format.sign() : 0), format};
  }
  Float quieted() const { return {bits | format.quiet(), format}; }
  /// Zero of the same sign in place of a denormal.
  Float flushed() const { return isDenormal() ? Float{bits & format.sign(), format} : *this; }
  Float flushed(bool keeps) const { return keeps ? *this : flushed(); }
  /// Of a finite one.
  Real value() const;
};

Float zeroOf(const Format &format, bool negative = false);
Float infinityOf(const Format &format, bool negative);
/// The NaN of invalid operations, which is negative.
Float invalidOf(const Format &format);

/// Source \p index of the question as it is, and as MODE lets it in.
Float sourceOf(const Question &question, unsigned index);
Float inputOf(const Question &question, unsigned index);
/// The rules of source 0's format, and of the destination's.
Rules sourceRules(const Question &question);
Rules resultRules(const Question &question);
const Format &resultFormat(const Question &question);

/// \p exact in \p format: rounded once. It is tiny when, rounded to the format's precision with an
/// exponent of any size, it is below the normal range.
Float rounded(const Real &exact, const Format &format, const Rules &rules);

/// A source NaN as a result.
Float asResult(const Float &nan, const Rules &rules);
/// A NaN in another format: its topmost bits. Narrowing makes it quiet.
Float convertedNan(const Float &nan, const Format &format, const Rules &rules);

/// The single operation of which \p question asks for both halves.
Answer onHalves(const Question &question, Meaning single);
template <Meaning Single> Answer packed(const Question &question) {
  return onHalves(question, Single);
}

/// a * b + c of one format, rounded once to \p result. Flushing sources is the caller's business.
Float fused(const Float &a, const Float &b, const Float &c, const Format &result,
            const Rules &rules);

// Meanings that more than one file uses.
Answer meaningOfFma(const Question &question);

} // namespace assay::gcn::definitions
