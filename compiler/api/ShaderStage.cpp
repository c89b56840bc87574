// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/api/ShaderStage.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace assay;

static constexpr ShaderStageInfo stages[] = {
    {ShaderStage::Compute, "compute", 0x20, 5},
    {ShaderStage::Vertex, "vertex", 0x1, 0},
    {ShaderStage::TessellationControl, "tessellation control", 0x2, 1},
    {ShaderStage::TessellationEvaluation, "tessellation evaluation", 0x4, 2},
    {ShaderStage::Geometry, "geometry", 0x8, 3},
    {ShaderStage::Task, "task", 0x40, 5364},
    {ShaderStage::Mesh, "mesh", 0x80, 5365},
    {ShaderStage::Fragment, "fragment", 0x10, 4},
    {ShaderStage::RayGeneration, "ray generation", 0x100, 5313},
    {ShaderStage::AnyHit, "any-hit", 0x200, 5315},
    {ShaderStage::ClosestHit, "closest-hit", 0x400, 5316},
    {ShaderStage::Miss, "miss", 0x800, 5317},
    {ShaderStage::Intersection, "intersection", 0x1000, 5314},
    {ShaderStage::Callable, "callable", 0x2000, 5318},
};

ArrayRef<ShaderStageInfo> assay::getShaderStages() {
  return stages;
}

const ShaderStageInfo &assay::getStageInfo(ShaderStage stage) {
  const ShaderStageInfo &row = stages[static_cast<unsigned>(stage)];
  assert(row.stage == stage && "the table is in the order of the enum");
  return row;
}

std::optional<ShaderStage> assay::findStage(uint32_t executionModel) {
  const auto *row = find_if(stages, [&](const ShaderStageInfo &candidate) {
    return candidate.executionModel == executionModel;
  });
  return row == std::end(stages) ? std::nullopt : std::optional(row->stage);
}
