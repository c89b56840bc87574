// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Dot products of integers: exact, and saturated once, at the end.
#include "oracles/machine/gcn_alu/Lift.h"
#include "oracles/machine/gcn_alu/Tables.h"
#include <algorithm>

using namespace assay::gcn;

using U32 = uint32_t;
using I32 = int32_t;

/// Element \p index of \p Width bits.
template <unsigned Width> static int64_t elementOf(U32 bits, unsigned index, bool isSigned) {
  U32 value = bits << (32 - Width * (index + 1));
  return isSigned ? int64_t(I32(value) >> (32 - Width)) : int64_t(value >> (32 - Width));
}

/// The sum of products of 32 / \p Width elements, which does not overflow.
template <unsigned Width> static int64_t dotProduct(U32 a, U32 b, bool aSigned, bool bSigned) {
  int64_t sum = 0;
  for (unsigned index = 0; index < 32 / Width; ++index)
    sum += elementOf<Width>(a, index, aSigned) * elementOf<Width>(b, index, bSigned);
  return sum;
}

/// Adds \p c; wraps, or saturates with the clamp bit.
static I32 accumulate(int64_t sum, I32 c, Clamp clamp) {
  sum += c;
  return clamp.value ? I32(std::clamp<int64_t>(sum, INT32_MIN, INT32_MAX)) : I32(sum);
}

/// \p Width is the number of bits of an element. The clamp saturates the final sum; without it the
/// sum wraps.
template <typename P, unsigned Width> static U32 dotUnsigned(P a, P b, U32 c, Clamp clamp) {
  int64_t sum = dotProduct<Width>(a.bits, b.bits, false, false) + c;
  return clamp.value ? U32(std::min<int64_t>(sum, UINT32_MAX)) : U32(sum);
}

/// As dotUnsigned(), for signed elements and sum.
template <typename P, unsigned Width> static I32 dotSigned(P a, P b, I32 c, Clamp clamp) {
  return accumulate(dotProduct<Width>(a.bits, b.bits, true, true), c, clamp);
}

/// The destination is the addend.
template <typename P, unsigned Width> static I32 dotSignedOld(P a, P b, Old<I32> c, Clamp clamp) {
  return dotSigned<P, Width>(a, b, c.value, clamp);
}

/// NEG says which of the sources are signed.
template <typename P, unsigned Width>
static I32 dotEither(P a, P b, I32 c, SignedSources isSigned, Clamp clamp) {
  bool aSigned = isSigned.value & 1, bSigned = (isSigned.value >> 1) & 1;
  return accumulate(dotProduct<Width>(a.bits, b.bits, aSigned, bSigned), c, clamp);
}

/// The signed and the 16-bit forms end with GFX10. From GFX11 on, iu forms choose the signs of each
/// source by its modifier.
static constexpr AluOp rows[] = {
    valu<dotSigned<PkInt, 16>>("v_dot2_i32_i16", 9, 10),
    valu<dotUnsigned<PkUint, 16>>("v_dot2_u32_u16", 9, 10),
    valu<dotSigned<PkBytes, 8>>("v_dot4_i32_i8", 9, 10),
    valu<dotUnsigned<PkBytes, 8>>("v_dot4_u32_u8"),
    valu<dotSigned<PkNibbles, 4>>("v_dot8_i32_i4", 9, 10),
    valu<dotUnsigned<PkNibbles, 4>>("v_dot8_u32_u4"),
    valu<dotEither<PkBytes, 8>>("v_dot4_i32_iu8", 11),
    valu<dotEither<PkNibbles, 4>>("v_dot8_i32_iu4", 11),
    valu<dotSignedOld<PkBytes, 8>>("v_dot4c_i32_i8", 9, 10),
};

void assay::gcn::addValuDotRows(RowSink sink) {
  sink(rows);
}
