// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Real numbers in MPFR, with so many bits that sums and products of floats are exact.
#pragma once

#include <cstdint>
#include <mpfr.h>
#include <utility>

namespace assay::gcn::definitions {

/// One number, with the precision that it was created with. Owns MPFR's memory.
class Real {
public:
  /// Bits that hold any sum of a float and a product of two, exactly.
  static constexpr unsigned BitsForDouble = 4400;
  static constexpr unsigned BitsForSingle = 640;
  /// Bits that let transcendental results be rounded as if they were exact.
  static constexpr unsigned BitsForFunctions = 256;

  /// +0 with \p bits bits of precision.
  explicit Real(unsigned bits = BitsForSingle) {
    mpfr_init2(m_number, mpfr_prec_t(bits));
    mpfr_set_zero(m_number, 1);
  }
  Real(const Real &other) {
    mpfr_init2(m_number, mpfr_get_prec(other.m_number));
    mpfr_set(m_number, other.m_number, MPFR_RNDN);
  }
  /// Takes over the precision of \p other, too.
  Real &operator=(const Real &other) {
    if (this != &other) {
      mpfr_set_prec(m_number, mpfr_get_prec(other.m_number));
      mpfr_set(m_number, other.m_number, MPFR_RNDN);
    }
    return *this;
  }
  ~Real() { mpfr_clear(m_number); }

  /// For calls of MPFR; valid as long as this number lives.
  mpfr_ptr get() { return m_number; }
  mpfr_srcptr get() const { return m_number; }

  bool isZero() const { return mpfr_zero_p(m_number) != 0; }
  /// True of -0, too.
  bool isNegative() const { return mpfr_signbit(m_number) != 0; }
  /// The exponent of its highest bit; not of 0.
  int top() const { return int(mpfr_get_exp(m_number)) - 1; }
  /// Precision, in bits.
  unsigned bits() const { return unsigned(mpfr_get_prec(m_number)); }

  /// units * 2^exponent.
  static Real of(uint64_t units, int exponent, bool negative, unsigned bits = BitsForSingle) {
    Real result(bits);
    mpfr_set_ui_2exp(result.get(), units, exponent, MPFR_RNDN);
    if (negative)
      mpfr_neg(result.get(), result.get(), MPFR_RNDN);
    return result;
  }

  /// Times 2^\p exponent, exactly.
  Real scaled(int exponent) const {
    Real result(*this);
    mpfr_mul_2si(result.get(), result.get(), exponent, MPFR_RNDN);
    return result;
  }
  Real magnitude() const {
    Real result(*this);
    mpfr_abs(result.get(), result.get(), MPFR_RNDN);
    return result;
  }
  /// The whole number that \p round gives.
  Real whole(mpfr_rnd_t round) const {
    Real result(*this);
    mpfr_rint(result.get(), result.get(), round);
    return result;
  }
  /// A whole number that fits.
  int64_t toInteger() const { return mpfr_get_sj(m_number, MPFR_RNDZ); }

  /// Results have the bits of the wider operand, here and below.
  friend Real operator+(const Real &a, const Real &b) {
    Real result(a.bits() > b.bits() ? a.bits() : b.bits());
    mpfr_add(result.get(), a.get(), b.get(), MPFR_RNDN);
    return result;
  }
  friend Real operator-(const Real &a, const Real &b) {
    Real result(a.bits() > b.bits() ? a.bits() : b.bits());
    mpfr_sub(result.get(), a.get(), b.get(), MPFR_RNDN);
    return result;
  }
  friend Real operator*(const Real &a, const Real &b) {
    Real result(a.bits() > b.bits() ? a.bits() : b.bits());
    mpfr_mul(result.get(), a.get(), b.get(), MPFR_RNDN);
    return result;
  }
  friend bool operator<(const Real &a, const Real &b) { return mpfr_less_p(a.get(), b.get()) != 0; }
  friend bool operator==(const Real &a, const Real &b) {
    return mpfr_equal_p(a.get(), b.get()) != 0;
  }

private:
  mpfr_t m_number;
};

} // namespace assay::gcn::definitions
