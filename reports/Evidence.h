// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Evidence of a finding that reports show in a way of its own: what happened to a texel, and
// pictures of the image that it is in.
#pragma once

#include "oracles/api/Verdict.h"

namespace assay {

/// Names in Finding::evidence. The history has a line each; the values of pictures are data URIs of
/// PNG files.
constexpr llvm::StringLiteral historyEvidence = "history";
constexpr llvm::StringLiteral expectedPicture = "expected image", actualPicture = "actual image",
                              differencePicture = "difference";

/// The URI of a picture, from the bytes of a PNG file.
std::string makePictureUri(llvm::StringRef png);
bool isPictureUri(llvm::StringRef value);

/// The lines of a texel's history, in order.
std::vector<std::string> historyOf(const Finding &finding);

} // namespace assay
