// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One pipeline of a case on a Vulkan device, with its descriptors.
#pragma once

#include "compiler/spirv/Module.h"
#include "oracles/machine/vulkan/Describe.h"
#include "oracles/machine/vulkan/Rendering.h"
#include <map>

namespace assay::vulkan {

class Pipeline : public Owner {
public:
  /// Compiles the pipeline and fills its descriptor sets. Unsupported for what the device lacks:
  /// a subgroup size, a format for this use, an offset without the device's alignment. Images are
  /// seen as \p viewFormat, if there is one, instead of their own.
  static llvm::Expected<std::unique_ptr<Pipeline>>
  create(Device &device, const Resources &resources, const Case &input, const CasePipeline &source,
         std::optional<TexelFormat> viewFormat = std::nullopt);

  /// Records binding and dispatching. Push constants are taken from \p buffers.
  void recordDispatch(VkCommandBuffer commands, const uint32_t groups[3],
                      const std::vector<BufferState> &buffers) const;
  /// The same for a draw of a graphics pipeline.
  void recordDraw(VkCommandBuffer commands, const Draw &draw,
                  const std::vector<BufferState> &buffers) const;
  /// Records the clears of a graphics pipeline's attachments.
  void recordClear(VkCommandBuffer commands, const Clear &clear) const;

private:
  /// One shader on the way into the pipeline.
  struct Stage {
    std::map<uint32_t, uint32_t> specWidths; ///< Bytes of each specialization constant.
    std::vector<uint64_t> values;
    std::vector<VkSpecializationMapEntry> entries;
    VkSpecializationInfo specialization = {};
    VkPipelineShaderStageRequiredSubgroupSizeCreateInfo subgroup = {};
  };

  Pipeline(Device &device, const Resources &resources, const Case &input,
           const CasePipeline &source, std::optional<TexelFormat> viewFormat)
      : m_device(device), m_resources(resources), m_input(input), m_source(source),
        m_viewFormat(viewFormat) {}
  llvm::Error readModules();
  llvm::Error checkOffsets() const;
  VkDescriptorType typeOf(const BufferBinding &binding) const;
  VkDescriptorType typeAt(const DescriptorTable &table, const DescriptorNode &node) const;
  llvm::Error createSetLayouts();
  llvm::Error createLayout();
  llvm::Error describeStages();
  llvm::Error createPipeline();
  llvm::Error createComputePipeline();
  llvm::Error createGraphicsPipeline();
  void recordBinding(VkCommandBuffer commands, const std::vector<BufferState> &buffers) const;
  llvm::Error allocateSets();
  llvm::Error writeDescriptor(const BufferBinding &binding);
  llvm::Expected<VkImageView> createImageView(const BufferBinding &binding);
  llvm::Expected<VkBufferView> createBufferView(const BufferBinding &binding);

  Device &m_device;
  const Resources &m_resources;
  const Case &m_input;
  const CasePipeline &m_source;
  std::optional<TexelFormat> m_viewFormat;
  ImageVariables m_images;
  InputAttachments m_inputs;
  VkShaderStageFlags m_stageFlags = 0;
  std::vector<Stage> m_stages;                               ///< In the order of the description's.
  std::vector<VkPipelineShaderStageCreateInfo> m_stageInfos; ///< They point into m_stages.
  std::vector<VkDescriptorSetLayout> m_setLayouts;
  std::map<VkDescriptorType, uint32_t> m_descriptorCounts;
  VkPipelineLayout m_layout = VK_NULL_HANDLE;
  VkPipeline m_pipeline = VK_NULL_HANDLE;
  std::vector<VkDescriptorSet> m_sets;
  std::unique_ptr<Rendering> m_rendering; ///< Of a graphics pipeline.
};

} // namespace assay::vulkan
