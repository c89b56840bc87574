// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How much of an image the reference leaves open.
#pragma once

#include "oracles/api/Case.h"
#include "oracles/api/Outcome.h"

namespace assay {

/// Texels of an image; samples count one by one.
struct TexelCount {
  uint64_t open = 0;
  uint64_t all = 0;
};

/// Counts the open texels of \p buffer, which has an image shape and a format. A texel is open if
/// it has alternatives or a component with any value, or if a component ranges over more than
/// rounding explains: over more than 1/32 of the numbers of its bits and more than 6 of them (6
/// units are the most that blending adds, docs/draws.md), or, in floats, over more than 1/32 of its
/// magnitude and more than 1/256.
TexelCount countOpenTexels(const Buffer &buffer, const BufferState &state);

} // namespace assay
