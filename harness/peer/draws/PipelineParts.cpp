// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/peer/draws/PipelineParts.h"

#include "oracles/api/TexelFormat.h"
#include <algorithm>

using namespace llvm;
using namespace assay;
using namespace assay::draws;

static VkStencilOpState toVulkan(const StencilFaceState &face) {
  return {VkStencilOp(face.fail),
          VkStencilOp(face.pass),
          VkStencilOp(face.depthFail),
          VkCompareOp(face.compare),
          face.compareMask,
          face.writeMask,
          face.reference};
}

static VkPipelineRasterizationStateCreateInfo toVulkan(const RasterizationState &state) {
  VkPipelineRasterizationStateCreateInfo info = {};
  info.sType = VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_STATE_CREATE_INFO;
  info.depthClampEnable = state.depthClamp;
  info.polygonMode = VkPolygonMode(state.polygonMode);
  info.cullMode = state.cullMode;
  info.frontFace = VkFrontFace(state.frontFace);
  info.depthBiasEnable = state.depthBias;
  info.depthBiasConstantFactor = state.depthBiasConstant;
  info.depthBiasClamp = state.depthBiasClamp;
  info.depthBiasSlopeFactor = state.depthBiasSlope;
  info.lineWidth = state.lineWidth;
  return info;
}

static VkPipelineDepthStencilStateCreateInfo toVulkan(const DepthStencilState &state) {
  VkPipelineDepthStencilStateCreateInfo info = {};
  info.sType = VK_STRUCTURE_TYPE_PIPELINE_DEPTH_STENCIL_STATE_CREATE_INFO;
  info.depthTestEnable = state.depthTest;
  info.depthWriteEnable = state.depthWrite;
  info.depthCompareOp = VkCompareOp(state.depthCompare);
  info.stencilTestEnable = state.stencilTest;
  info.front = toVulkan(state.front);
  info.back = toVulkan(state.back);
  return info;
}

static VkPipelineColorBlendAttachmentState toVulkan(const ColorTarget &target) {
  return {target.blend,
          VkBlendFactor(target.srcColor),
          VkBlendFactor(target.dstColor),
          VkBlendOp(target.colorOp),
          VkBlendFactor(target.srcAlpha),
          VkBlendFactor(target.dstAlpha),
          VkBlendOp(target.alphaOp),
          target.writeMask};
}

static VkPipelineShaderStageCreateInfo makeStage(VkShaderStageFlagBits stage,
                                                 VkShaderModule module) {
  VkPipelineShaderStageCreateInfo info = {}; // NOLINT(bugprone-invalid-enum-default-initialization)
  info.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO;
  info.stage = stage;
  info.module = module;
  info.pName = "main";
  return info;
}

void PipelineParts::setTargets(const DriverDraw &draw) {
  const GraphicsState &state = draw.state;
  m_format = VkFormat(state.colorTargets[0].format);
  m_rendering.sType = VK_STRUCTURE_TYPE_PIPELINE_RENDERING_CREATE_INFO;
  m_rendering.colorAttachmentCount = 1;
  m_rendering.pColorAttachmentFormats = &m_format;
  if (state.depthStencilFormat != TexelFormat::Undefined) {
    bool isDepth = getTexelFormatInfo(state.depthStencilFormat).find('D');
    (isDepth ? m_rendering.depthAttachmentFormat : m_rendering.stencilAttachmentFormat) =
        VkFormat(state.depthStencilFormat);
  }
  m_depthStencil = toVulkan(state.depthStencil);
  m_target = toVulkan(state.colorTargets[0]);
  m_blend.sType = VK_STRUCTURE_TYPE_PIPELINE_COLOR_BLEND_STATE_CREATE_INFO;
  m_blend.logicOpEnable = state.logicOp.has_value();
  m_blend.logicOp = VkLogicOp(state.logicOp.value_or(LogicOp::Copy));
  m_blend.attachmentCount = 1;
  m_blend.pAttachments = &m_target;
  std::copy_n(state.blendConstants, 4, m_blend.blendConstants);
}

void PipelineParts::setVertices(const DriverDraw &draw) {
  m_binding = {0, sizeof(DrawnVertex), VK_VERTEX_INPUT_RATE_VERTEX};
  for (uint32_t i = 0; i < 3; ++i)
    m_attributes[i] = {i, 0, VK_FORMAT_R32G32B32A32_SFLOAT, 16 * i};
  m_input.sType = VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_STATE_CREATE_INFO;
  m_input.vertexBindingDescriptionCount = 1;
  m_input.pVertexBindingDescriptions = &m_binding;
  m_input.vertexAttributeDescriptionCount = 3;
  m_input.pVertexAttributeDescriptions = m_attributes;
  m_assembly.sType = VK_STRUCTURE_TYPE_PIPELINE_INPUT_ASSEMBLY_STATE_CREATE_INFO;
  m_assembly.topology = VkPrimitiveTopology(draw.state.input.topology);
  const Viewport &area = draw.state.viewport;
  m_viewport = {area.x, area.y, area.width, area.height, area.minDepth, area.maxDepth};
  m_scissor = {{0, 0}, {draw.width, draw.height}};
  m_viewports.sType = VK_STRUCTURE_TYPE_PIPELINE_VIEWPORT_STATE_CREATE_INFO;
  m_viewports.viewportCount = m_viewports.scissorCount = 1;
  m_viewports.pViewports = &m_viewport;
  m_viewports.pScissors = &m_scissor;
  m_rasterization = toVulkan(draw.state.rasterization);
}

void PipelineParts::setMultisample(const MultisampleState &state) {
  m_multisample.sType = VK_STRUCTURE_TYPE_PIPELINE_MULTISAMPLE_STATE_CREATE_INFO;
  m_multisample.rasterizationSamples = VkSampleCountFlagBits(state.samples);
  m_multisample.sampleShadingEnable = state.sampleShading;
  m_multisample.minSampleShading = state.minSampleShading;
  m_mask = VkSampleMask(state.sampleMask);
  m_multisample.pSampleMask = &m_mask;
  m_multisample.alphaToCoverageEnable = state.alphaToCoverage;
  m_multisample.alphaToOneEnable = state.alphaToOne;
}

PipelineParts::PipelineParts(const DriverDraw &draw, VkShaderModule vertex, VkShaderModule fragment,
                             VkPipelineLayout layout) {
  m_stages[0] = makeStage(VK_SHADER_STAGE_VERTEX_BIT, vertex);
  m_stages[1] = makeStage(VK_SHADER_STAGE_FRAGMENT_BIT, fragment);
  setTargets(draw);
  setVertices(draw);
  setMultisample(draw.state.multisample);
  info.sType = VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO;
  info.pNext = &m_rendering;
  info.stageCount = 2;
  info.pStages = m_stages;
  info.pVertexInputState = &m_input;
  info.pInputAssemblyState = &m_assembly;
  info.pViewportState = &m_viewports;
  info.pRasterizationState = &m_rasterization;
  info.pMultisampleState = &m_multisample;
  info.pDepthStencilState = &m_depthStencil;
  info.pColorBlendState = &m_blend;
  info.layout = layout;
}
