// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The precise functions: the same reductions as the quick ones, series in twice the precision.
// They are called for finite sources with finite results that are not 0. And the inverse root of
// any double, decided in integers.
#include "oracles/machine/gcn_alu/Transcendental.h"
#include "llvm/ADT/APInt.h"

using namespace llvm;
using namespace assay::gcn;

static constexpr Twofold one = {1.0, 0};

/// Returns 2^x by a series for the fraction, divided by 256 and squared eight times.
Twofold Exp2::precise(double x) {
  static constexpr Twofold ln2 = {0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56};
  constexpr unsigned halvings = 8;
  double whole = nearestEven(x);
  // e^r for |r| <= ln(2) / 512: r^12 / 12! < 2^-140.
  Twofold r = ln2 * ((x - whole) * powerOfTwo(-int(halvings)));
  Twofold sum = one;
  for (int term = 11; term > 0; --term)
    sum = one + r * sum / Twofold{double(term), 0};
  for (unsigned square = 0; square < halvings; ++square)
    sum = sum * sum;
  return sum * powerOfTwo(int(whole));
}

/// Takes positive normal numbers. The series is that of the area tangent, for a mantissa around 1.
Twofold Log2::precise(double x) {
  static constexpr Twofold log2e = {0x1.71547652b82fep+0, 0x1.777d0ffda0d24p-56};
  uint64_t image = bitsOf(x);
  int exponent = int(image >> 52) - 1023;
  double m = floatOf<double>((image & fractionMask<double>) | (uint64_t(1023) << 52));
  if (m > 1.41421356237309504880) {
    m *= 0.5;
    ++exponent;
  }
  // ln(m) = 2 artanh(s), s^2 < 0.03: s^50 / 51 < 2^-130.
  Twofold s = exactSum(m, -1.0) / exactSum(m, 1.0);
  Twofold square = s * s;
  Twofold sum = {0, 0};
  for (int odd = 49; odd > 0; odd -= 2)
    sum = sum * square + one / Twofold{double(odd), 0};
  return Twofold{double(exponent), 0} + s * sum * 2.0 * log2e;
}

/// sin (\p first is 2) or cos (1) of \p r with |r| <= pi / 4: r^30 / 30! < 2^-118.
static Twofold alternating(Twofold r, int first) {
  Twofold minusSquare = r * r * -1.0;
  Twofold sum = one;
  for (int n = 28 + first; n >= first; n -= 2)
    sum = one + minusSquare * sum / Twofold{double(n) * double(n + 1), 0};
  return first == 2 ? r * sum : sum;
}

/// sin(2 pi x) shifted by \p quarters quarters; \p x is not negative.
static Twofold sinQuartersPrecise(double x, int quarters) {
  static constexpr Twofold twoPi = {0x1.921fb54442d18p+2, 0x1.1a62633145c07p-52};
  double turn = x - floorExact(x);
  double nearest = nearestEven(turn * 4.0);
  Twofold r = twoPi * (turn - nearest * 0.25);
  int quadrant = (int(nearest) + quarters) & 3;
  Twofold result = alternating(r, quadrant & 1 ? 1 : 2);
  return quadrant & 2 ? result * -1.0 : result;
}

/// Odd, as quick() is.
Twofold SinTurns::precise(double x) {
  return signOf(x) ? sinQuartersPrecise(-x, 0) * -1.0 : sinQuartersPrecise(x, 0);
}

/// The sine, a quarter of a turn later.
Twofold CosTurns::precise(double x) {
  return sinQuartersPrecise(absolute(x), 1);
}

/// Corrects the quick result by the error of its square.
Twofold InverseRoot::precise(double x) {
  double root = 1.0 / sqrtF64(x);
  // One step of Newton's method, of which only the correction is rounded.
  Twofold error = one + exactProduct(root, root) * -x;
  return normalized(root, root * error.high * 0.5);
}

/// Whether (units + 1/2) * 2^-53 is below the inverse root of \p square * 2^-52.
static bool middleIsBelow(uint64_t units, uint64_t square) {
  APInt middle(192, 2 * units + 1);
  return (middle * middle * APInt(192, square)).ult(APInt::getOneBitSet(192, 2 * 54 + 52));
}

/// To the nearest double, by testing integers next to the estimate.
double InverseRoot::rounded(double x) {
  if (x == 0)
    return infinity<double>(signOf(x));
  if (x < 0)
    return defaultNan<double>();
  if (isNan(x) || isInfinite(x))
    return isNan(x) ? x : 0.0;
  int exponent = 0; // x = square * 2^-52 * 4^exponent, square * 2^-52 in [1, 4)
  for (; x >= 4; x *= 0.25)
    ++exponent;
  for (; x < 1; x *= 4)
    --exponent;
  auto square = uint64_t(x * powerOfTwo(52));
  auto units = uint64_t(1.0 / sqrtF64(x) * powerOfTwo(53));
  while (middleIsBelow(units, square))
    ++units;
  while (!middleIsBelow(units - 1, square))
    --units;
  return double(units) * powerOfTwo(-53) * powerOfTwo(-exponent);
}
