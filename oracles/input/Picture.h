// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Pictures as data of a case, as PNG.
#pragma once

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <vector>

namespace assay::input {

struct Picture {
  uint32_t width = 0;
  uint32_t height = 0;
  std::vector<uint8_t> texels; ///< R, G, B, A, row after row from the top.
};

/// Decodes the PNG \p bytes by libpng; components of 16 bits are scaled to 8, and gamma is ignored.
/// InvalidInput when they are none or damaged; Limit above maxPicturePixels.
llvm::Expected<Picture> readPng(llvm::StringRef bytes);

} // namespace assay::input
