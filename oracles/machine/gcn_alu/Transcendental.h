// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Elementary functions without libm, so that the same bits come out on every host. Each is there
// twice: quick, in double, good to about 2^-50 relative, which is enough to round nearly every
// source correctly to f32 or f16; and precise, good to about 2^-95, for those that come near a tie.
// Correctly rounded results are the "ideal" ones that the chip's approximations (1 ULP for most)
// surround.
#pragma once

#include "oracles/machine/gcn_alu/Twofold.h"

namespace assay::gcn {

/// The largest integer not above \p x, and the nearest (ties to even), for any double.
double floorExact(double x);
double nearestEven(double x);
double truncateExact(double x);

/// True when an error of a few units in the last place of \p value may change what it rounds to as
/// f32.
inline bool nearsMidpoint(double value) {
  constexpr uint64_t tail = (uint64_t(1) << 29) - 1, middle = uint64_t(1) << 28, margin = 64;
  uint64_t rest = bitsOf(value) & tail;
  return rest > middle - margin && rest < middle + margin;
}

/// 2^x, with infinity from 2^1024 on and 0 below 2^-1021.
struct Exp2 {
  static double quick(double x);
  static Twofold precise(double x);
};

/// log2(x); -infinity for 0, NaN below.
struct Log2 {
  static double quick(double x);
  static Twofold precise(double x);
};

/// sin(2 pi x) and cos(2 pi x): the argument counts revolutions, any number of them. NaN of
/// infinity.
struct SinTurns {
  static double quick(double x);
  static Twofold precise(double x);
};
struct CosTurns {
  static double quick(double x);
  static Twofold precise(double x);
};

/// A quotient or root rounded to double rounds again to f32 as if it were exact: 53 >= 2 * 24 + 2.
struct Reciprocal {
  static double quick(double x) { return 1.0 / x; }
  static Twofold precise(double x) { return {1.0 / x, 0}; }
};
struct SquareRoot {
  static double quick(double x) { return sqrtF64(x); }
  static Twofold precise(double x) { return {sqrtF64(x), 0}; }
};

/// 1 / sqrt(x), of -0 and +0 the infinity of their sign.
struct InverseRoot {
  static double quick(double x);
  static Twofold precise(double x);
  /// Correctly rounded, of any double.
  static double rounded(double x);
};

} // namespace assay::gcn
