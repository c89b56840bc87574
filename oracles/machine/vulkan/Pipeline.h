// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One pipeline of a case on a Vulkan device, with its descriptors.
#pragma once

#include "compiler/spirv/Module.h"
#include "oracles/machine/vulkan/Describe.h"
#include "oracles/machine/vulkan/Rendering.h"
#include <map>

namespace assay::vulkan {

/// A compiled pipeline, its descriptor sets and, for graphics, its attachments. The arguments of
/// create() must outlive it.
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
    std::vector<uint64_t> values;            ///< Eight bytes for each entry, whatever its size.
    std::vector<VkSpecializationMapEntry> entries;
    VkSpecializationInfo specialization = {};
    VkPipelineShaderStageRequiredSubgroupSizeCreateInfo subgroup = {};
  };

  Pipeline(Device &device, const Resources &resources, const Case &input,
           const CasePipeline &source, std::optional<TexelFormat> viewFormat)
      : m_device(device), m_resources(resources), m_input(input), m_source(source),
        m_viewFormat(viewFormat) {}
  /// Decodes the shaders: widths of specialization constants, image variables, input attachments,
  /// stages.
  llvm::Error readModules();
  /// Unsupported for a buffer binding with an offset that is not a multiple of the device's
  /// alignment.
  llvm::Error checkOffsets() const;
  /// The descriptor type of \p binding. A sampled image is an input attachment where the shader has
  /// it as one.
  VkDescriptorType typeOf(const BufferBinding &binding) const;
  /// The type of a node of the layout: that of its binding or, where the case binds nothing, one
  /// for its kind.
  VkDescriptorType typeAt(const DescriptorTable &table, const DescriptorNode &node) const;
  /// Creates a layout for each set up to the highest, empty ones included, and counts the
  /// descriptors.
  llvm::Error createSetLayouts();
  /// Creates the pipeline layout. Unsupported where push constants exceed the device's limit.
  llvm::Error createLayout();
  /// Creates shader modules and stage descriptions. Values of specialization constants have eight
  /// bytes each in Stage::values.
  llvm::Error describeStages();
  /// Creates the pipeline of its kind and takes ownership of it.
  llvm::Error createPipeline();
  /// Flags for full and varying subgroups are set only where the device has the features.
  llvm::Error createComputePipeline();
  /// Creates m_rendering first. Unsupported without a queue that draws, or for a format the device
  /// lacks.
  llvm::Error createGraphicsPipeline();
  /// Binds pipeline and sets and pushes the constants, which are padded with zeros to the layout's
  /// size.
  void recordBinding(VkCommandBuffer commands, const std::vector<BufferState> &buffers) const;
  /// Allocates all sets from one pool and writes the bindings that the layout has.
  llvm::Error allocateSets();
  /// Writes one descriptor. A range is cut at the end of the buffer.
  llvm::Error writeDescriptor(const BufferBinding &binding);
  /// InvalidInput when the variable or the buffer is not an image; Unsupported when the device
  /// cannot use the format so.
  llvm::Expected<VkImageView> createImageView(const BufferBinding &binding);
  /// InvalidInput for a buffer without a format; Unsupported when the device cannot use it in texel
  /// buffers.
  llvm::Expected<VkBufferView> createBufferView(const BufferBinding &binding);

  Device &m_device;
  const Resources &m_resources;
  const Case &m_input;
  const CasePipeline &m_source;
  std::optional<TexelFormat> m_viewFormat; ///< As create() has it.
  ImageVariables m_images;                 ///< Of all stages.
  InputAttachments m_inputs;               ///< Of all stages.
  VkShaderStageFlags m_stageFlags = 0;
  std::vector<Stage> m_stages;                               ///< In the order of the description's.
  std::vector<VkPipelineShaderStageCreateInfo> m_stageInfos; ///< They point into m_stages.
  std::vector<VkDescriptorSetLayout> m_setLayouts;           ///< By set number.
  std::map<VkDescriptorType, uint32_t> m_descriptorCounts;   ///< For the pool: over all sets.
  VkPipelineLayout m_layout = VK_NULL_HANDLE;
  VkPipeline m_pipeline = VK_NULL_HANDLE;
  std::vector<VkDescriptorSet> m_sets;
  std::unique_ptr<Rendering> m_rendering; ///< Of a graphics pipeline.
};

} // namespace assay::vulkan
