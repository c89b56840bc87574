// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Numbers of twice the precision of double, as unevaluated sums: for the few sources on which a
// transcendental operation computed in double comes too near to a tie to be rounded.
#pragma once

#include "oracles/machine/gcn_alu/Numerics.h"

namespace assay::gcn {

/// high + low, with |low| at most half a unit in the last place of high: about 104 bits.
struct Twofold {
  double high = 0;
  double low = 0;

  /// As a double that rounds to f32 like the sum does.
  double roundedToOdd() const { return addOdd(high, low); }
};

/// \p high + \p low, which may overlap but are in order of magnitude.
inline Twofold normalized(double high, double low) {
  double sum = high + low;
  return {sum, low - (sum - high)};
}

/// \p a + \p b without an error, in whatever order of magnitude (Knuth's TwoSum).
inline Twofold exactSum(double a, double b) {
  double sum = a + b;
  double bPart = sum - a;
  return {sum, (a - (sum - bPart)) + (b - bPart)};
}

/// \p a * \p b without an error, unless the low part underflows.
inline Twofold exactProduct(double a, double b) {
  double product = a * b;
  return {product, __builtin_fma(a, b, -product)};
}

inline Twofold operator+(Twofold a, Twofold b) {
  Twofold high = exactSum(a.high, b.high), low = exactSum(a.low, b.low);
  high = normalized(high.high, high.low + low.high);
  return normalized(high.high, high.low + low.low);
}

inline Twofold operator*(Twofold a, Twofold b) {
  Twofold product = exactProduct(a.high, b.high);
  return normalized(product.high, product.low + (a.high * b.low + a.low * b.high));
}

inline Twofold operator*(Twofold a, double b) {
  return a * Twofold{b, 0};
}

/// Two steps of long division.
inline Twofold operator/(Twofold a, Twofold b) {
  double first = a.high / b.high;
  Twofold rest = a + b * -first;
  double second = rest.high / b.high;
  rest = rest + b * -second;
  return normalized(first, second) + Twofold{rest.high / b.high, 0};
}

} // namespace assay::gcn
