// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Parts of a BufferState: bytes and what is uncertain about them.
#pragma once

#include "oracles/api/Outcome.h"
#include <cstdint>

namespace assay {

/// Bytes [offset, offset + length) of \p state, which has them. A range or a texel with
/// alternatives of which these are only a part becomes open bytes.
BufferState takeBytes(const BufferState &state, uint64_t offset, uint64_t length);

/// Writes \p part over the bytes of \p state from \p offset on; they are inside of it. The rest of
/// a range or of a texel with alternatives that is overwritten in part becomes open.
void pasteBytes(const BufferState &part, uint64_t offset, BufferState &state);

} // namespace assay
