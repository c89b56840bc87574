// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Bit twiddling that scalar and vector operations share.
#pragma once

#include "llvm/ADT/bit.h"
#include <cstdint>
#include <type_traits>

namespace assay::gcn {

/// \p width ones from bit \p offset on; what does not fit is lost.
template <typename T> T fieldMask(unsigned width, unsigned offset) {
  return T(((T(1) << width) - 1) << offset);
}

/// \p width bits of \p value from bit \p offset on, sign-extended when T is signed; a field that
/// ends beyond the value takes the bits that are there (the sign for signed T).
template <typename T> T extractField(T value, unsigned offset, unsigned width) {
  constexpr unsigned bits = sizeof(T) * 8;
  if (width == 0)
    return 0;
  T shifted = T(value >> offset);
  if (width >= bits)
    return shifted;
  unsigned unused = bits - width;
  using U = std::make_unsigned_t<T>;
  return T(T(U(shifted) << unused) >> unused);
}

template <typename T> T reverseBits(T value) {
  T result = 0;
  for (unsigned bit = 0; bit < sizeof(T) * 8; ++bit, value >>= 1)
    result = T(result << 1 | (value & 1));
  return result;
}

template <typename T> unsigned countOnes(T value) {
  return unsigned(llvm::popcount(value));
}

/// Counting from bit 0; -1 when no bit is set.
template <typename T> int32_t firstSetBit(T value) {
  return value ? int32_t(llvm::countr_zero(value)) : -1;
}

/// Counting from the top; -1 when no bit is set.
template <typename T> int32_t leadingZeros(T value) {
  return value ? int32_t(llvm::countl_zero(value)) : -1;
}

/// How many leading bits are equal to the sign bit, it included; -1 when all are.
template <typename T> int32_t leadingSigns(T value) {
  using U = std::make_unsigned_t<T>;
  return leadingZeros(U(value < 0 ? ~U(value) : U(value)));
}

/// Each group of four bits becomes all ones if it has any.
template <typename T> T wholeQuads(T value) {
  T any = T(value | value >> 1);
  any = T((any | any >> 2) & T(0x1111111111111111ull));
  return T(any * 15);
}

/// Bit N of the result says that the group of four bits N has any bit set.
template <typename T> T quadMask(T value) {
  T result = 0;
  for (unsigned quad = 0; quad < sizeof(T) * 2; ++quad)
    result |= T(((value >> (4 * quad)) & 15) != 0) << quad;
  return result;
}

} // namespace assay::gcn
