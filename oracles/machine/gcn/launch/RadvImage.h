// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A compute shader of RADV made ready to run.
#pragma once

#include "oracles/machine/gcn/launch/CodeImage.h"
#include "oracles/radv/RadvShader.h"

namespace assay::gcn {

/// What \p shader starts with. InvalidInput where its registers contradict its user SGPRs.
llvm::Expected<LaunchState> launchStateFor(const radv::RadvShader &shader,
                                           const TargetInfo &target);

/// Makes \p shader, of any stage, ready to run. InvalidInput as for launchStateFor, and where it is
/// for another chip.
llvm::Expected<CodeImage> loadRadvShader(radv::RadvShader shader, const TargetInfo &target);

/// Loads the RADV shader \p artifact for \p target. InvalidInput when it can't be launched
/// as it stands; Unsupported for the stages of graphics.
llvm::Expected<CodeImage> loadRadv(const Artifact &artifact, const TargetInfo &target);

} // namespace assay::gcn
