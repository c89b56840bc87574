// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// VkGraphicsPipelineCreateInfo of a DriverDraw, with all that it points to.
#pragma once

#include "harness/peer/draws/DriverDraw.h"

namespace assay::draws {

/// Points into itself; the draw must outlive it.
struct PipelineParts {
  PipelineParts(const DriverDraw &draw, VkShaderModule vertex, VkShaderModule fragment,
                VkPipelineLayout layout);
  PipelineParts(const PipelineParts &) = delete;
  PipelineParts &operator=(const PipelineParts &) = delete;

  VkGraphicsPipelineCreateInfo info = {};

private:
  void setTargets(const DriverDraw &draw);
  void setVertices(const DriverDraw &draw);
  void setMultisample(const MultisampleState &state);

  // NOLINTBEGIN(bugprone-invalid-enum-default-initialization)
  VkFormat m_format = VK_FORMAT_UNDEFINED;
  VkPipelineRenderingCreateInfo m_rendering = {};
  VkPipelineShaderStageCreateInfo m_stages[2] = {};
  VkVertexInputBindingDescription m_binding = {};
  VkVertexInputAttributeDescription m_attributes[3] = {};
  VkPipelineVertexInputStateCreateInfo m_input = {};
  VkPipelineInputAssemblyStateCreateInfo m_assembly = {};
  VkViewport m_viewport = {};
  VkRect2D m_scissor = {};
  VkPipelineViewportStateCreateInfo m_viewports = {};
  VkPipelineRasterizationStateCreateInfo m_rasterization = {};
  VkSampleMask m_mask = 0;
  VkPipelineMultisampleStateCreateInfo m_multisample = {};
  VkPipelineDepthStencilStateCreateInfo m_depthStencil = {};
  VkPipelineColorBlendAttachmentState m_target = {};
  VkPipelineColorBlendStateCreateInfo m_blend = {};
  // NOLINTEND(bugprone-invalid-enum-default-initialization)
};

} // namespace assay::draws
