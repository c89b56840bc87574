// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Targets of draws as buffers of a case, with all that is open about their texels.
#pragma once

#include "oracles/api/Outcome.h"
#include "oracles/raster/RenderTarget.h"

namespace assay::raster {

/// Takes over the level of an image that begins at byte \p firstByte of \p state, which has all of
/// its bytes. What \p state leaves open stays open.
void loadTarget(RenderTarget &target, const BufferState &state, uint64_t firstByte);

/// The reverse: replaces the level in \p state. A texel with one alternative gets intervals, fields
/// or open bytes; one with several gets BufferState::alternatives.
void storeTarget(const RenderTarget &target, BufferState &state, uint64_t firstByte);

} // namespace assay::raster
