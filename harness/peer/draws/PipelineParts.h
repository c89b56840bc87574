// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// VkGraphicsPipelineCreateInfo of a DriverDraw, with all that it points to.
#pragma once

#include "harness/peer/draws/DriverDraw.h"
#include "oracles/machine/vulkan/DescribeGraphics.h"

namespace assay::draws {

/// Points into itself.
class PipelineParts {
public:
  PipelineParts(const DriverDraw &draw, VkShaderModule vertex, VkShaderModule fragment,
                VkPipelineLayout layout);
  PipelineParts(const PipelineParts &) = delete;
  PipelineParts &operator=(const PipelineParts &) = delete;

  const VkGraphicsPipelineCreateInfo &getInfo() const { return m_graphics.info; }

private:
  vulkan::GraphicsInfo m_graphics;
  VkPipelineShaderStageCreateInfo m_stages[2] =
      {}; // NOLINT(bugprone-invalid-enum-default-initialization)
};

} // namespace assay::draws
