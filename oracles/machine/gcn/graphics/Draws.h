// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Draws of machine gcn: oracles/raster with the shaders of GraphicsPrograms.
#pragma once

#include "compiler/api/Target.h"
#include "compiler/api/ShaderStage.h"
#include "oracles/machine/gcn/DirectedRun.h"
#include "oracles/machine/gcn/DrawModel.h"

namespace assay::gcn {

/// A LoadDraws. Unsupported and InvalidInput name the pipeline.
llvm::Expected<std::unique_ptr<DrawModel>>
loadDraws(const Case &input, llvm::ArrayRef<Artifact> artifacts, const TargetInfo &target);

/// As runDirected(), for a wave of a draw: the first one of \p stage (vertex or fragment) in the
/// first draw that has one. \p input has one pipeline. No steps: no draw has such a wave.
llvm::Expected<DirectedRun> runDirectedDraw(const Case &input, const Artifact &artifact,
                                            const TargetInfo &target, ShaderStage stage,
                                            llvm::ArrayRef<uint64_t> path, bool sanitize = true);

} // namespace assay::gcn
