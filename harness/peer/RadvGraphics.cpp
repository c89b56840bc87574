// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Graphics pipelines of a RadvDevice, for looking at the code of vertex and fragment shaders. State
// that changes code is chosen so that much of it appears: eight attachments, of two formats.
#include "harness/peer/RadvState.h"

#include "support/Error.h"
#include <array>

using namespace llvm;
using namespace assay;

static constexpr unsigned attachmentCount = 8;
static constexpr unsigned vertexInputCount = 16;

namespace {

/// All fixed state of a pipeline. Stays where it is: it is full of pointers to itself.
class FixedState {
public:
  FixedState();
  FixedState(const FixedState &) = delete;
  FixedState &operator=(const FixedState &) = delete;

  /// Everything but stages, layout and flags.
  VkGraphicsPipelineCreateInfo describe() const;
  VkPipelineRenderingCreateInfo rendering = {};

private:
  void fillVertexInput();
  void fillAttachments();

  std::array<VkVertexInputAttributeDescription, vertexInputCount> m_attributes = {};
  std::array<VkFormat, attachmentCount> m_formats = {};
  std::array<VkPipelineColorBlendAttachmentState, attachmentCount> m_blends = {};
  VkVertexInputBindingDescription m_binding = {};
  VkPipelineVertexInputStateCreateInfo m_vertexInput = {};
  VkPipelineInputAssemblyStateCreateInfo m_assembly = {};
  VkViewport m_viewport = {};
  VkRect2D m_scissor = {};
  VkPipelineViewportStateCreateInfo m_viewportState = {};
  VkPipelineRasterizationStateCreateInfo m_rasterization = {};
  VkPipelineMultisampleStateCreateInfo m_multisample = {};
  VkPipelineDepthStencilStateCreateInfo m_depth = {};
  VkPipelineColorBlendStateCreateInfo m_blend = {};
};

} // namespace

void FixedState::fillVertexInput() {
  for (unsigned i = 0; i < vertexInputCount; ++i)
    m_attributes[i] = {i, 0, VK_FORMAT_R32G32B32A32_SFLOAT, i * 16};
  m_binding = {0, vertexInputCount * 16, VK_VERTEX_INPUT_RATE_VERTEX};
  m_vertexInput.sType = VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_STATE_CREATE_INFO;
  m_vertexInput.vertexBindingDescriptionCount = 1;
  m_vertexInput.pVertexBindingDescriptions = &m_binding;
  m_vertexInput.vertexAttributeDescriptionCount = vertexInputCount;
  m_vertexInput.pVertexAttributeDescriptions = m_attributes.data();
  m_assembly.sType = VK_STRUCTURE_TYPE_PIPELINE_INPUT_ASSEMBLY_STATE_CREATE_INFO;
  m_assembly.topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST;
}

void FixedState::fillAttachments() {
  for (unsigned i = 0; i < attachmentCount; ++i) {
    m_formats[i] = i % 2 ? VK_FORMAT_R32G32B32A32_SFLOAT : VK_FORMAT_R8G8B8A8_UNORM;
    m_blends[i].colorWriteMask = 0xf;
  }
  m_blend.sType = VK_STRUCTURE_TYPE_PIPELINE_COLOR_BLEND_STATE_CREATE_INFO;
  m_blend.attachmentCount = attachmentCount;
  m_blend.pAttachments = m_blends.data();
  rendering.sType = VK_STRUCTURE_TYPE_PIPELINE_RENDERING_CREATE_INFO;
  rendering.colorAttachmentCount = attachmentCount;
  rendering.pColorAttachmentFormats = m_formats.data();
  rendering.depthAttachmentFormat = VK_FORMAT_D32_SFLOAT;
}

FixedState::FixedState() {
  fillVertexInput();
  fillAttachments();
  m_viewport = {0, 0, 64, 64, 0, 1};
  m_scissor = {{0, 0}, {64, 64}};
  m_viewportState.sType = VK_STRUCTURE_TYPE_PIPELINE_VIEWPORT_STATE_CREATE_INFO;
  m_viewportState.viewportCount = 1;
  m_viewportState.pViewports = &m_viewport;
  m_viewportState.scissorCount = 1;
  m_viewportState.pScissors = &m_scissor;
  m_rasterization.sType = VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_STATE_CREATE_INFO;
  m_rasterization.lineWidth = 1;
  m_multisample.sType = VK_STRUCTURE_TYPE_PIPELINE_MULTISAMPLE_STATE_CREATE_INFO;
  m_multisample.rasterizationSamples = VK_SAMPLE_COUNT_1_BIT;
  m_depth.sType = VK_STRUCTURE_TYPE_PIPELINE_DEPTH_STENCIL_STATE_CREATE_INFO;
  m_depth.depthTestEnable = VK_TRUE;
  m_depth.depthWriteEnable = VK_TRUE;
  m_depth.depthCompareOp = VK_COMPARE_OP_LESS;
}

VkGraphicsPipelineCreateInfo FixedState::describe() const {
  VkGraphicsPipelineCreateInfo info = {};
  info.sType = VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO;
  info.pVertexInputState = &m_vertexInput;
  info.pInputAssemblyState = &m_assembly;
  info.pViewportState = &m_viewportState;
  info.pRasterizationState = &m_rasterization;
  info.pMultisampleState = &m_multisample;
  info.pDepthStencilState = &m_depth;
  info.pColorBlendState = &m_blend;
  return info;
}

Expected<std::vector<std::vector<uint8_t>>>
RadvDevice::captureGraphics(const RadvModule &vertex, const RadvModule &fragment,
                            ArrayRef<radv::SetBinding> bindings, uint32_t pushConstantBytes) {
  State &state = *m_state;
  if (!state.hasBinaries)
    return unsupported(state.description + ": it has no " + vk::pipelineBinaryExtension);
  state.reset();
  if (Error error = state.createLayouts(bindings, pushConstantBytes, VK_SHADER_STAGE_ALL_GRAPHICS))
    return std::move(error);
  Expected<VkShaderModule> first = state.createModule(vertex);
  if (!first)
    return first.takeError();
  Expected<VkShaderModule> second = state.createModule(fragment);
  if (!second) {
    vkDestroyShaderModule(state.device, *first, nullptr);
    return second.takeError();
  }
  StageInfo vertexStage(vertex, VK_SHADER_STAGE_VERTEX_BIT, *first);
  StageInfo fragmentStage(fragment, VK_SHADER_STAGE_FRAGMENT_BIT, *second);
  const VkPipelineShaderStageCreateInfo stages[] = {vertexStage.get(), fragmentStage.get()};
  FixedState fixed;
  vk::PipelineCreateFlags2 flags;
  flags.flags = vk::captureDataBit;
  flags.pNext = &fixed.rendering;
  VkGraphicsPipelineCreateInfo info = fixed.describe();
  info.pNext = &flags;
  info.stageCount = 2;
  info.pStages = stages;
  info.layout = state.layout;
  VkPipeline pipeline = VK_NULL_HANDLE;
  Error error = checkRadv(
      vkCreateGraphicsPipelines(state.device, VK_NULL_HANDLE, 1, &info, nullptr, &pipeline),
      "vkCreateGraphicsPipelines");
  vkDestroyShaderModule(state.device, *first, nullptr);
  vkDestroyShaderModule(state.device, *second, nullptr);
  if (error)
    return std::move(error);
  auto binaries = state.readBinaries(pipeline);
  vkDestroyPipeline(state.device, pipeline, nullptr);
  return binaries;
}
