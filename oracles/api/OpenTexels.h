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
/// it has alternatives, a component with any value, or a range that says little: half of the
/// numbers of its bits or more, an infinity, or a float and NaN. Narrower ranges are what
/// precision, filters and levels of detail make of nearly every texel.
TexelCount countOpenTexels(const Buffer &buffer, const BufferState &state);

} // namespace assay
