// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What PAL's reader makes of a metadata value that is not of the type of its key: it casts between
// scalars, and takes a scalar for an array. LGC relies on it: it writes numbers where PAL has
// bools.
#pragma once

#include "oracles/pal_elf/MsgPack.h"

namespace assay {

enum class Conversion : uint8_t {
  None,    ///< The value is of the type that is wanted.
  Loose,   ///< 0 or 1 for a Bool and the other way round, an integer for a Float, a number for an
           ///< array: a writer's habit that means the same.
  Exact,   ///< Nil, a float, an array of one, or bytes: the same value in other words.
  Lossy,   ///< PAL's debug build asserts that this does not happen.
  Refused, ///< PAL gives ErrorInvalidValue.
};

/// Turns \p value into what PAL reads where it wants \p kind: Bool, Uint, Float or String; \p bytes
/// is the size of the C type that it reads into. A negative integer stays one, except in 8 bytes:
/// its range is the caller's business. Of what is Refused nothing changes. Source: PAL,
/// palMsgPackImpl.h, MsgPackReader::UnpackScalar and Unpack.
Conversion convertScalar(MsgValue &value, MsgKind kind, unsigned bytes);

/// The same where PAL wants an array of integers of \p bytes each: of bytes the elements, of
/// another scalar an array of one. The elements of an array are not looked at.
Conversion convertArray(MsgValue &value, unsigned bytes);

} // namespace assay
