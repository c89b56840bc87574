// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The fixed-function state of a graphics pipeline in Vulkan's structures, and what it asks of a
// device.
#pragma once

#include "oracles/api/Case.h"
#include "oracles/machine/vulkan/Features.h"

namespace assay::vulkan {

/// The aspects that an attachment of \p format has.
VkImageAspectFlags getAspects(TexelFormat format);

/// What a pipeline with state \p source and framebuffer \p draw is created with. The structures
/// point at each other: an object stays where it is, and must outlive the call that creates the
/// pipeline. Shaders and layout are the caller's.
class GraphicsInfo {
public:
  GraphicsInfo(const GraphicsState &source, const DrawResources &draw);
  GraphicsInfo(const GraphicsInfo &) = delete;
  GraphicsInfo &operator=(const GraphicsInfo &) = delete;

  VkGraphicsPipelineCreateInfo info = {};

private:
  void setVertices(const InputAssemblyState &state);
  void setViewport(const Viewport &area, const DrawResources &draw);
  void setRasterization(const RasterizationState &state);
  void setMultisample(const MultisampleState &state);
  void setDepthStencil(const DepthStencilState &state);
  void setTargets(const GraphicsState &state);

  std::vector<VkVertexInputBindingDescription> m_bindings;
  std::vector<VkVertexInputBindingDivisorDescriptionEXT> m_divisors;
  std::vector<VkVertexInputAttributeDescription> m_attributes;
  VkPipelineVertexInputDivisorStateCreateInfoEXT m_divisorInfo = {};
  VkPipelineVertexInputStateCreateInfo m_input = {};
  VkPipelineInputAssemblyStateCreateInfo m_assembly = {};
  VkPipelineTessellationStateCreateInfo m_tessellation = {};
  VkViewport m_viewport = {};
  VkRect2D m_scissor = {};
  VkPipelineViewportStateCreateInfo m_viewports = {};
  VkPipelineRasterizationProvokingVertexStateCreateInfoEXT m_provoking = {};
  VkPipelineRasterizationDepthClipStateCreateInfoEXT m_clip = {};
  VkPipelineRasterizationStateCreateInfo m_rasterization = {};
  VkSampleMask m_mask[2] = {};
  VkPipelineMultisampleStateCreateInfo m_multisample = {};
  VkPipelineDepthStencilStateCreateInfo m_depthStencil = {};
  std::vector<VkPipelineColorBlendAttachmentState> m_targets;
  std::vector<VkFormat> m_formats;
  VkPipelineColorBlendStateCreateInfo m_blend = {};
  VkPipelineRenderingCreateInfo m_rendering = {};
};

/// The first feature or extension, by Vulkan's name, that the state of graphics pipeline \p source
/// needs and \p features lacks; or an empty string. Shaders are not looked at.
std::string findMissingGraphicsFeature(const CasePipeline &source, const DeviceFeatures &features);

/// Unsupported for the first format that \p physical cannot use where \p source does.
llvm::Error checkGraphicsFormats(const CasePipeline &source, VkPhysicalDevice physical);

} // namespace assay::vulkan
