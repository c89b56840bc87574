// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One scalar of the reference machine: its bits, and what the specification leaves open about them.
#pragma once

#include <algorithm>
#include <cstdint>

namespace assay::reference {

/// What is open about a scalar; none of them = the bits are the only right answer.
enum ScalarFlags : uint8_t {
  Undef = 1,     ///< An undefined value; Scalar::cause says why.
  Ambiguous = 2, ///< Depends on a freedom of Vulkan's precision rules that was not tracked further.
  Ranged = 4,    ///< A float: any value of [lo, hi] is right; the bits are one of them. With
                 ///< Ambiguous: an integer with the bits of such floats (FloatBits.h).
  MayNan = 8,    ///< With Ranged: NaN is right too. lo > hi: only NaN is.
  Fusable = 16,  ///< With Ranged: a product that a following addition may take unrounded.
  OutOfBounds = 32, ///< A pointer that must not be accessed: an index left its array.
  /// A pointer into one of an array of descriptors that must be the same for all who access it
  /// together.
  ChosenDescriptor = 64,
  RoundedBits = 128 ///< With Fusable: the bits are the product as everybody sees it who does not
                    ///< fuse. With Ambiguous alone: see isIntegerRange().
};
/// Flags of values that nothing is known about; they spread through every operation.
constexpr uint8_t Poison = Undef | Ambiguous;

/// Why a value is undefined; chooses the rule when it gets where it must not be.
enum class Cause : uint8_t {
  Uninitialized,
  Shift,
  Convert,
  BitField,
  Index,
  Math,
  Memory,
  Inactive
};

/// 64 bits of payload, zero-extended from the type's width. Pointers keep the object in \p object
/// and the offset (bytes or scalars, as the object counts) in \p bits.
struct Scalar {
  uint64_t bits;
  union {
    double lo;
    uint32_t object;
  };
  double hi;
  uint8_t flags;
  Cause cause;

  static Scalar exact(uint64_t bits) { return {bits, {0}, 0, 0, Cause::Uninitialized}; }
  static Scalar boolean(bool value) { return exact(value); }
  static Scalar undefined(Cause cause) { return {0, {0}, 0, Undef, cause}; }
  static Scalar ambiguous() { return {0, {0}, 0, Ambiguous, Cause::Math}; }
  static Scalar pointer(uint32_t object, uint64_t offset) {
    Scalar result = exact(offset);
    result.object = object;
    return result;
  }
  /// Any of the integers from \p lo to \p hi, as numbers; \p bits is one of them.
  static Scalar integers(double lo, double hi, uint64_t bits) {
    return {bits, {lo}, hi, Ambiguous | RoundedBits, Cause::Math};
  }
  bool isPoison() const { return flags & Poison; }
};

/// An integer of which a range is known. Operations that know no better take it for any ambiguous
/// value.
inline bool isIntegerRange(const Scalar &value) {
  return (value.flags & (Undef | Ambiguous | Ranged | RoundedBits)) == (Ambiguous | RoundedBits);
}

/// Copies \p count scalars; most values are single ones.
inline void copyScalars(const Scalar *from, uint32_t count, Scalar *to) {
  if (count == 1)
    *to = *from;
  else
    std::copy_n(from, count, to);
}

/// The poison that a result inherits from its operands.
inline Scalar inheritPoison(const Scalar &a, const Scalar &b) {
  Scalar result = Scalar::exact(0);
  result.flags = (a.flags | b.flags) & Poison;
  result.cause = a.flags & Undef ? a.cause : b.cause;
  return result;
}

} // namespace assay::reference
