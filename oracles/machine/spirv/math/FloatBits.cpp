// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/machine/spirv/math/FloatBits.h"

#include "oracles/machine/spirv/math/FloatMath.h"
#include "llvm/ADT/bit.h"

using namespace llvm;
using namespace assay;
using namespace assay::reference;

/// An exact float gives an exact integer.
Scalar reference::bitsOfFloat(const Scalar &value) {
  if (!(value.flags & Ranged))
    return Scalar::exact(value.bits);
  Scalar result = value;
  result.flags = Ambiguous | Ranged | (value.flags & MayNan);
  return result;
}

/// Returns the float with these bits. As a float, a value with an interval is no longer ambiguous.
Scalar reference::floatOfBits(const Scalar &bits) {
  Scalar result = bits;
  result.flags &= ~Ambiguous;
  return result;
}

/// The ends of an interval as two halves, the lower one first.
static uint64_t packEnds(const Scalar &half) {
  if (!(half.flags & Ranged))
    return half.bits | half.bits << 16;
  return toBits(half.lo, 16) | toBits(half.hi, 16) << 16;
}

// The bits of lo are the four ends; hi, as a number, says which of the two may be NaN.
Scalar reference::joinHalves(const Scalar &low, const Scalar &high) {
  uint64_t bits = low.bits | high.bits << 16;
  if (!(low.flags & Ranged) && !(high.flags & Ranged))
    return Scalar::exact(bits);
  Scalar result = Scalar::ambiguous();
  result.bits = bits;
  result.flags = Ambiguous | Ranged | RoundedBits;
  result.lo = bit_cast<double>(packEnds(low) | packEnds(high) << 32);
  result.hi = (low.flags & MayNan ? 1 : 0) + (high.flags & MayNan ? 2 : 0);
  return result;
}

/// A half with equal ends is exact unless it may be NaN.
Scalar reference::halfOf(const Scalar &bits, bool isHigh) {
  unsigned shift = isHigh ? 32 : 0;
  uint64_t ends = bit_cast<uint64_t>(bits.lo) >> shift & 0xffffffff;
  bool mayNan = static_cast<unsigned>(bits.hi) & (isHigh ? 2 : 1);
  Scalar result = Scalar::exact(bits.bits >> (isHigh ? 16 : 0) & 0xffff);
  if (ends >> 16 == (ends & 0xffff) && !mayNan)
    return result;
  result.lo = fromBits(ends & 0xffff, 16);
  result.hi = fromBits(ends >> 16, 16);
  result.flags = Ranged | (mayNan ? MayNan : 0);
  result.cause = Cause::Math;
  return result;
}
