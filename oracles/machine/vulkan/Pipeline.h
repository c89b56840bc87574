// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One pipeline of a case on a Vulkan device, with its descriptors.
#pragma once

#include "compiler/spirv/Module.h"
#include "oracles/machine/vulkan/Describe.h"
#include "oracles/machine/vulkan/Resources.h"
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

private:
  Pipeline(Device &device, const Resources &resources, const Case &input,
           const CasePipeline &source, std::optional<TexelFormat> viewFormat)
      : m_device(device), m_resources(resources), m_input(input), m_source(source),
        m_viewFormat(viewFormat) {}
  llvm::Error readModule();
  llvm::Error checkOffsets() const;
  VkDescriptorType typeAt(const DescriptorTable &table, const DescriptorNode &node) const;
  llvm::Error createSetLayouts();
  llvm::Error createLayout();
  llvm::Error createPipeline();
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
  std::vector<uint32_t> m_specWidths; ///< Bytes of each specialization value.
  std::vector<VkDescriptorSetLayout> m_setLayouts;
  std::map<VkDescriptorType, uint32_t> m_descriptorCounts;
  VkPipelineLayout m_layout = VK_NULL_HANDLE;
  VkPipeline m_pipeline = VK_NULL_HANDLE;
  std::vector<VkDescriptorSet> m_sets;
};

} // namespace assay::vulkan
