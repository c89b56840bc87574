// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The bits of floats with intervals, in integers. No operation knows more of them than of any
// ambiguous value; but bit casts, copies and stores keep the intervals, so that a float that was
// stored as an integer is judged as a float.
#pragma once

#include "oracles/machine/spirv/Value.h"

namespace assay::reference {

/// An integer of these bits is Ambiguous and Ranged. Of one float of its width, lo and hi are its
/// interval; with RoundedBits it has two floats of 16 bits, whose intervals are packed into them.
inline bool isFloatBits(const Scalar &value) {
  return (value.flags & (Undef | Ambiguous | Ranged)) == (Ambiguous | Ranged);
}
inline bool isTwoHalves(const Scalar &value) {
  return isFloatBits(value) && value.flags & RoundedBits;
}

/// The bits of \p value, a settled float without poison, as an integer.
Scalar bitsOfFloat(const Scalar &value);
/// The reverse, for what isFloatBits() and not isTwoHalves().
Scalar floatOfBits(const Scalar &bits);

/// The bits of two settled floats of 16 bits in an integer of 32, the low one first. Both are
/// exact, Ranged, or float bits of 16.
Scalar joinHalves(const Scalar &low, const Scalar &high);
/// One of those floats, for what isTwoHalves().
Scalar halfOf(const Scalar &bits, bool isHigh);

} // namespace assay::reference
