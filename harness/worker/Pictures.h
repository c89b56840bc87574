// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Attachments as PNG files.
#pragma once

#include "oracles/api/Case.h"
#include "oracles/api/Outcome.h"
#include "llvm/Support/Error.h"
#include <string>

namespace assay {

/// Writes the attachments of all graphics pipelines at each checkpoint of \p outcome into \p
/// folder, which is made if it is missing: CASE.CHECKPOINT.IMAGE.png with numbers from 1, and
/// .layerN, .levelN and .sampleN in front of .png where the image has several. CASE is \p caseId
/// with - for /. Colours are cut to [0, 1], integers to [0, 255]; depth is grey. Stencil is not
/// shown.
llvm::Error writePictures(const Case &input, const Outcome &outcome, llvm::StringRef caseId,
                          const std::string &folder);

/// Where a picture is taken: one layer and sample of a level of an image.
struct PicturePlace {
  uint32_t layer = 0, level = 0, sample = 0;
};

/// Whether a graphics pipeline of \p input draws into level \p level of \p buffer, or resolves
/// into it.
bool isDrawnInto(const Case &input, unsigned buffer, uint32_t level);

/// As PNG, the texels at \p place of \p image in \p state. Limit for an image of more than
/// 2^20 texels.
llvm::Expected<std::string> makePicture(const Buffer &image, const BufferState &state,
                                        const PicturePlace &place);

/// As PNG: black where \p machine has the texel of \p reference, dark blue where it has another one
/// that the reference permits, and red to white the more a texel differs. As makePicture().
llvm::Expected<std::string> makeDifferencePicture(const Buffer &image, const BufferState &reference,
                                                  const BufferState &machine,
                                                  const PicturePlace &place);

} // namespace assay
