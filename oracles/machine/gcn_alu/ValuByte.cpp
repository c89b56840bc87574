// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Vector operations on the bytes of a register: sums of absolute differences, and lerp.
#include "oracles/machine/gcn_alu/Lift.h"
#include "oracles/machine/gcn_alu/Tables.h"
#include <algorithm>

using namespace assay::gcn;

using U32 = uint32_t;
using U64 = uint64_t;

/// The distance of two unsigned numbers.
static U32 difference(U32 a, U32 b) {
  return a > b ? a - b : b - a;
}

/// Byte 0 is the lowest.
static U32 byteOf(U32 value, unsigned index) {
  return (value >> (8 * index)) & 0xff;
}

/// \p masked: bytes of \p b that are zero do not count (v_msad).
static U32 sumOfDifferences(U32 a, U32 b, bool masked) {
  U32 sum = 0;
  for (unsigned byte = 0; byte < 4; ++byte)
    if (!masked || byteOf(b, byte) != 0)
      sum += difference(byteOf(a, byte), byteOf(b, byte));
  return sum;
}

/// Four sums, each from a window of \p a one byte further on, with 16-bit accumulators.
static U64 quadSums(U64 a, U32 b, U64 accumulators, bool masked, bool clamp) {
  U64 result = 0;
  for (unsigned index = 0; index < 4; ++index) {
    U32 window = U32(a >> (8 * index));
    U32 sum = sumOfDifferences(window, b, masked) + U32((accumulators >> (16 * index)) & 0xffff);
    if (clamp)
      sum = std::min(sum, 0xffffu);
    result |= U64(sum & 0xffff) << (16 * index);
  }
  return result;
}

/// Wraps, or saturates with the clamp bit.
static U32 addClamped(U32 a, U32 b, Clamp clamp) {
  U64 sum = U64(a) + b;
  return clamp.value && sum > 0xffffffffu ? 0xffffffffu : U32(sum);
}

/// The mean of each pair of bytes, rounded up where the byte of \p rounding is odd.
static U32 lerpBytes(U32 a, U32 b, U32 rounding) {
  U32 result = 0;
  for (unsigned byte = 0; byte < 4; ++byte)
    result |= ((byteOf(a, byte) + byteOf(b, byte) + (byteOf(rounding, byte) & 1)) >> 1)
              << (8 * byte);
  return result;
}

/// Differences are absolute. The m forms skip bytes that are 0 in the reference; the q forms do
/// four overlapping sums. Clamp saturates the sum with the third source.
static constexpr AluOp rows[] = {
    valu<lerpBytes>("v_lerp_u8"),
    valu<[](U32 a, U32 b, U32 c, Clamp k) {
      return addClamped(sumOfDifferences(a, b, false), c, k);
    }>("v_sad_u8"),
    valu<[](U32 a, U32 b, U32 c, Clamp k) {
      return addClamped(sumOfDifferences(a, b, false) << 16, c, k);
    }>("v_sad_hi_u8"),
    valu<[](U32 a, U32 b, U32 c, Clamp k) {
      return addClamped(difference(a & 0xffff, b & 0xffff) + difference(a >> 16, b >> 16), c, k);
    }>("v_sad_u16"),
    valu<[](U32 a, U32 b, U32 c, Clamp k) { return addClamped(difference(a, b), c, k); }>(
        "v_sad_u32"),
    valu<[](U32 a, U32 b, U32 c, Clamp k) {
      return addClamped(sumOfDifferences(a, b, true), c, k);
    }>("v_msad_u8"),
    valu<[](U64 a, U32 b, U64 c, Clamp k) { return quadSums(a, b, c, false, k.value); }>(
        "v_qsad_pk_u16_u8"),
    valu<[](U64 a, U32 b, U64 c, Clamp k) { return quadSums(a, b, c, true, k.value); }>(
        "v_mqsad_pk_u16_u8"),
};

void assay::gcn::addValuByteRows(RowSink sink) {
  sink(rows);
}
