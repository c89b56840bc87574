// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// More bits of an image op's flags (Image.h): the type of the texels, which the instructions of
// some architectures name.
#pragma once

#include "compiler/lgc/Image.h"

namespace assay {

enum ImageTexelFlag : unsigned {
  ImageIsSigned = 128, ///< Texels are signed integers.
  ImageIsFloat = 256,  ///< A store of floats.
};

/// All bits of ImageFlag and ImageTexelFlag.
constexpr uint64_t allImageFlags = 2 * ImageSparse - 1;

} // namespace assay
