// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Expectations of pixels, which both script languages have.
#pragma once

#include "oracles/input/CaseBuilder.h"
#include <optional>
#include <string>

namespace assay::input {

/// What a texel may differ from the colour unless a script says it, as in Amber.
inline constexpr Tolerance defaultPixelTolerance{0.002, false};

/// Pixels of level 0 of an image that should have one colour.
struct PixelProbe {
  uint64_t x = 0, y = 0, width = 1, height = 1; ///< Texels, from the top left.
  unsigned channels = 3;                        ///< RGB, or RGBA.
  double color[4] = {};                         ///< From 0 to 1 where texels are normalized.
  Tolerance tolerances[4] = {defaultPixelTolerance, defaultPixelTolerance, defaultPixelTolerance,
                             defaultPixelTolerance};
  unsigned line = 0;
  std::string text; ///< For messages.
};

/// Adds what \p probe expects of the image \p buffer as two expectations a row. \p declared: the
/// shape of a buffer that is no image. InvalidInput when the pixels leave the image; formats whose
/// components are no scalars become a reason why the case can't run.
llvm::Error addPixels(CaseBuilder &builder, unsigned buffer,
                      const std::optional<ImageShape> &declared, const PixelProbe &probe);

} // namespace assay::input
