// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Pictures as data of a case: PNG without palette or interlacing, eight bits a channel.
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

/// Decodes the PNG \p bytes. InvalidInput when they are none or damaged; Unsupported for palettes,
/// interlacing and other depths, and where LLVM was built without zlib; Limit above
/// maxPicturePixels.
llvm::Expected<Picture> readPng(llvm::StringRef bytes);

} // namespace assay::input
