// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a RadvDevice holds, for the files that implement it.
#pragma once

#include "harness/peer/PipelineBinaryApi.h"
#include "harness/peer/RadvDevice.h"
#include "oracles/machine/vulkan/Features.h"
#include <utility>

namespace assay {

struct RadvDevice::State {
  VkInstance instance = VK_NULL_HANDLE;
  VkPhysicalDevice physical = VK_NULL_HANDLE;
  VkDevice device = VK_NULL_HANDLE;
  std::unique_ptr<vulkan::DeviceFeatures> features;
  /// The device has VK_KHR_pipeline_binary.
  bool hasBinaries = false;
  /// The device has VK_EXT_descriptor_buffer.
  bool hasDescriptorBuffer = false;
  std::string description;

  std::vector<VkShaderModule> modules; ///< Of the pipeline's stages.
  std::vector<VkDescriptorSetLayout> setLayouts;
  VkPipelineLayout layout = VK_NULL_HANDLE;
  RadvPipeline pipeline;

  ~State();
  /// Forgets the pipeline that was prepared.
  void reset();

  /// The caller destroys the module.
  llvm::Expected<VkShaderModule> createModule(const RadvModule &module) const;
  /// Fills setLayouts and layout; \p stages see everything.
  llvm::Error createLayouts(llvm::ArrayRef<radv::SetBinding> bindings, uint32_t pushConstantBytes,
                            VkShaderStageFlags stages);
  /// Compiles the pipeline that was prepared, with VkPipelineCreateFlags2 \p flags.
  llvm::Error createPipeline(uint64_t flags, VkPipeline &result) const;
  /// The binaries of \p pipeline, which was made with vk::captureDataBit.
  llvm::Expected<std::vector<std::vector<uint8_t>>> readBinaries(VkPipeline pipeline) const;
};

/// An Error for anything but VK_SUCCESS.
llvm::Error checkRadv(VkResult result, const char *call);

/// One stage of a pipeline, with what it points to. Stays where it is.
class StageInfo {
public:
  /// Keeps a pointer to the name of \p source's entry point.
  StageInfo(const RadvModule &source, VkShaderModule module);
  StageInfo(const StageInfo &) = delete;
  StageInfo &operator=(const StageInfo &) = delete;

  const VkPipelineShaderStageCreateInfo &get() const { return m_info; }

private:
  std::vector<VkSpecializationMapEntry> m_entries;
  /// Each value has 8 bytes here, whatever its size.
  std::vector<uint64_t> m_values;
  VkSpecializationInfo m_specialization = {};
  VkPipelineShaderStageRequiredSubgroupSizeCreateInfo m_subgroup = {};
  VkPipelineShaderStageCreateInfo m_info = {};
};

} // namespace assay
