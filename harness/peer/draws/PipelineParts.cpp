// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/peer/draws/PipelineParts.h"

using namespace llvm;
using namespace assay;
using namespace assay::draws;

/// The entry point is "main".
static VkPipelineShaderStageCreateInfo makeStage(VkShaderStageFlagBits stage,
                                                 VkShaderModule module) {
  VkPipelineShaderStageCreateInfo info = {}; // NOLINT(bugprone-invalid-enum-default-initialization)
  info.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO;
  info.stage = stage;
  info.module = module;
  info.pName = "main";
  return info;
}

/// The draw's state, with DrawnVertex as the vertex input.
static GraphicsState withVertices(GraphicsState state) {
  const auto format = TexelFormat(VK_FORMAT_R32G32B32A32_SFLOAT);
  state.input.bindings = {{.binding = 0, .stride = sizeof(DrawnVertex)}};
  state.input.attributes.clear();
  for (uint32_t i = 0; i < 3; ++i)
    state.input.attributes.push_back({i, 0, format, 16 * i});
  return state;
}

/// Only the size is set: attachments follow from the pipeline's state.
static DrawResources makeFramebuffer(const DriverDraw &draw) {
  DrawResources framebuffer;
  framebuffer.width = draw.width;
  framebuffer.height = draw.height;
  return framebuffer;
}

PipelineParts::PipelineParts(const DriverDraw &draw, VkShaderModule vertex, VkShaderModule fragment,
                             VkPipelineLayout layout)
    : m_graphics(withVertices(draw.state), makeFramebuffer(draw)) {
  m_stages[0] = makeStage(VK_SHADER_STAGE_VERTEX_BIT, vertex);
  m_stages[1] = makeStage(VK_SHADER_STAGE_FRAGMENT_BIT, fragment);
  m_graphics.info.stageCount = 2;
  m_graphics.info.pStages = m_stages;
  m_graphics.info.layout = layout;
}
