// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Draws of machine gcn: oracles/raster with the shaders of GraphicsPrograms.
#pragma once

#include "compiler/api/Target.h"
#include "oracles/machine/gcn/DrawModel.h"

namespace assay::gcn {

/// A LoadDraws. Unsupported and InvalidInput name the pipeline.
llvm::Expected<std::unique_ptr<DrawModel>>
loadDraws(const Case &input, llvm::ArrayRef<Artifact> artifacts, const TargetInfo &target);

} // namespace assay::gcn
