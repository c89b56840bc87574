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

} // namespace assay
