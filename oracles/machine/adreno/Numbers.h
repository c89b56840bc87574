// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Floats of 16 and 32 bits by way of double: exact up to one rounding.
#pragma once

#include "oracles/machine/adreno/Arithmetic.h"
#include "oracles/machine/gcn_alu/Numerics.h"

namespace assay::adreno {

/// The type of floats of so many bits.
template <unsigned Bits> struct FloatOf;
template <> struct FloatOf<16> {
  using Type = gcn::Half;
};
template <> struct FloatOf<32> {
  using Type = float;
};
template <unsigned Bits> using Float = FloatOf<Bits>::Type;

/// Bits above are ignored.
template <unsigned Bits> Float<Bits> asFloat(uint32_t bits) {
  return gcn::floatOf<Float<Bits>>(gcn::BitsOf<Float<Bits>>(bits));
}

/// The number that \p bits are, after flushing.
template <unsigned Bits> double numberOf(uint32_t bits, const Arithmetic &arithmetic) {
  Float<Bits> value = asFloat<Bits>(bits);
  return gcn::widen(arithmetic.flushesDenormals ? gcn::flushed(value) : value);
}

/// \p number, exact or rounded to odd, as a float of \p Bits. All NaNs are one.
template <unsigned Bits>
uint32_t bitsOfNumber(double number, const Arithmetic &arithmetic,
                      unsigned round = gcn::RoundEven) {
  using Type = Float<Bits>;
  if (gcn::isNan(number))
    return gcn::infinityBits<Type> | gcn::quietBit<Type>;
  Type value = gcn::roundTo<Type>(number, round);
  return gcn::bitsOf(arithmetic.flushesDenormals ? gcn::flushed(value) : value);
}

/// A float of 32 bits, after flushing: arithmetic of the host rounds sums and products once, as
/// numbers do.
inline float operandOf(uint32_t bits, const Arithmetic &arithmetic) {
  bool isTiny = !(bits & 0x7f800000) && arithmetic.flushesDenormals;
  return gcn::floatOf<float>(isTiny ? bits & 0x80000000 : bits);
}
/// The bits of a result; all NaNs are one.
inline uint32_t resultOf(float value, const Arithmetic &arithmetic) {
  uint32_t bits = gcn::bitsOf(value);
  bool isTiny = !(bits & 0x7f800000) && arithmetic.flushesDenormals;
  bits = isTiny ? bits & 0x80000000 : bits;
  return (bits & 0x7fffffff) > gcn::infinityBits<float>
             ? gcn::infinityBits<float> | gcn::quietBit<float>
             : bits;
}

} // namespace assay::adreno
