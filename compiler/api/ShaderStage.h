// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The shader stages of Vulkan and what they are called elsewhere.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <optional>

namespace assay {

/// In the order in which data flows through a pipeline. Hashes contain the numbers, so Compute must
/// stay 0.
enum class ShaderStage : uint8_t {
  Compute,
  Vertex,
  TessellationControl,
  TessellationEvaluation,
  Geometry,
  Task,
  Mesh,
  Fragment,
  RayGeneration,
  AnyHit,
  ClosestHit,
  Miss,
  Intersection,
  Callable,
};

/// A set of stages: bit (1 << stage) for each.
using StageMask = uint16_t;

constexpr StageMask stageBit(ShaderStage stage) {
  return static_cast<StageMask>(1u << static_cast<unsigned>(stage));
}

/// What Vulkan 1.3 (VkShaderStageFlagBits) and SPIR-V 1.6 (3.3, Execution Model) call a stage.
struct ShaderStageInfo {
  ShaderStage stage;
  llvm::StringRef name;    ///< "tessellation control", for messages.
  uint32_t vulkanBit;      ///< VkShaderStageFlagBits.
  uint32_t executionModel; ///< spv::ExecutionModel.
};

llvm::ArrayRef<ShaderStageInfo> getShaderStages(); ///< One row a stage, in the order of the enum.
const ShaderStageInfo &getStageInfo(ShaderStage stage);
inline llvm::StringRef getStageName(ShaderStage stage) {
  return getStageInfo(stage).name;
}
/// The stage of a SPIR-V execution model; none for Kernel and the NV mesh models.
std::optional<ShaderStage> findStage(uint32_t executionModel);

/// Whether a pipeline with \p stage is a graphics pipeline.
constexpr bool isGraphicsStage(ShaderStage stage) {
  return stage >= ShaderStage::Vertex && stage <= ShaderStage::Fragment;
}

} // namespace assay
