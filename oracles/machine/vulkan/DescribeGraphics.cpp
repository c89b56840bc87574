// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/machine/vulkan/DescribeGraphics.h"

#include "support/Error.h"
#include <algorithm>

using namespace llvm;
using namespace assay;
using namespace assay::vulkan;

/// Returns depth, stencil or both; colour for all other formats.
VkImageAspectFlags assay::vulkan::getAspects(TexelFormat format) {
  const TexelFormatInfo &info = getTexelFormatInfo(format);
  VkImageAspectFlags aspects = 0;
  if (info.find('D'))
    aspects |= VK_IMAGE_ASPECT_DEPTH_BIT;
  if (info.find('S'))
    aspects |= VK_IMAGE_ASPECT_STENCIL_BIT;
  return aspects ? aspects : VkImageAspectFlags(VK_IMAGE_ASPECT_COLOR_BIT);
}

/// Fills vertex input, input assembly and tessellation. The divisor structure is chained only when
/// a binding has a divisor other than 1.
void GraphicsInfo::setVertices(const InputAssemblyState &state) {
  for (const VertexInputBinding &binding : state.bindings) {
    m_bindings.push_back(
        {binding.binding, binding.stride,
         binding.perInstance ? VK_VERTEX_INPUT_RATE_INSTANCE : VK_VERTEX_INPUT_RATE_VERTEX});
    if (binding.perInstance && binding.divisor != 1)
      m_divisors.push_back({binding.binding, binding.divisor});
  }
  for (const VertexInputAttribute &attribute : state.attributes)
    m_attributes.push_back(
        {attribute.location, attribute.binding, VkFormat(attribute.format), attribute.offset});
  m_divisorInfo.sType = VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_DIVISOR_STATE_CREATE_INFO_EXT;
  m_divisorInfo.vertexBindingDivisorCount = static_cast<uint32_t>(m_divisors.size());
  m_divisorInfo.pVertexBindingDivisors = m_divisors.data();
  m_input.sType = VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_STATE_CREATE_INFO;
  m_input.pNext = m_divisors.empty() ? nullptr : &m_divisorInfo;
  m_input.vertexBindingDescriptionCount = static_cast<uint32_t>(m_bindings.size());
  m_input.pVertexBindingDescriptions = m_bindings.data();
  m_input.vertexAttributeDescriptionCount = static_cast<uint32_t>(m_attributes.size());
  m_input.pVertexAttributeDescriptions = m_attributes.data();
  m_assembly.sType = VK_STRUCTURE_TYPE_PIPELINE_INPUT_ASSEMBLY_STATE_CREATE_INFO;
  m_assembly.topology = VkPrimitiveTopology(state.topology);
  m_assembly.primitiveRestartEnable = state.primitiveRestart;
  m_tessellation.sType = VK_STRUCTURE_TYPE_PIPELINE_TESSELLATION_STATE_CREATE_INFO;
  m_tessellation.patchControlPoints = state.patchControlPoints;
}

/// Sets one viewport, and a scissor that covers the framebuffer of \p draw.
void GraphicsInfo::setViewport(const Viewport &area, const DrawResources &draw) {
  m_viewport = {area.x, area.y, area.width, area.height, area.minDepth, area.maxDepth};
  m_scissor = {{0, 0}, {draw.width, draw.height}};
  m_viewports.sType = VK_STRUCTURE_TYPE_PIPELINE_VIEWPORT_STATE_CREATE_INFO;
  m_viewports.viewportCount = m_viewports.scissorCount = 1;
  m_viewports.pViewports = &m_viewport;
  m_viewports.pScissors = &m_scissor;
}

/// What Vulkan does without VkPipelineRasterizationDepthClipStateCreateInfoEXT.
static bool hasUsualClip(const RasterizationState &state) {
  return state.depthClip != state.depthClamp;
}

/// Chains the structures for the provoking vertex and for depth clipping only where the state
/// differs from what Vulkan does without them.
void GraphicsInfo::setRasterization(const RasterizationState &state) {
  m_rasterization.sType = VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_STATE_CREATE_INFO;
  m_rasterization.depthClampEnable = state.depthClamp;
  m_rasterization.rasterizerDiscardEnable = state.discard;
  m_rasterization.polygonMode = VkPolygonMode(state.polygonMode);
  m_rasterization.cullMode = state.cullMode;
  m_rasterization.frontFace = VkFrontFace(state.frontFace);
  m_rasterization.depthBiasEnable = state.depthBias;
  m_rasterization.depthBiasConstantFactor = state.depthBiasConstant;
  m_rasterization.depthBiasClamp = state.depthBiasClamp;
  m_rasterization.depthBiasSlopeFactor = state.depthBiasSlope;
  m_rasterization.lineWidth = state.lineWidth;
  m_provoking.sType =
      VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_PROVOKING_VERTEX_STATE_CREATE_INFO_EXT;
  m_provoking.provokingVertexMode = VK_PROVOKING_VERTEX_MODE_LAST_VERTEX_EXT;
  m_clip.sType = VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_DEPTH_CLIP_STATE_CREATE_INFO_EXT;
  m_clip.depthClipEnable = state.depthClip;
  if (state.provokingVertex == ProvokingVertex::Last)
    m_rasterization.pNext = &m_provoking;
  if (!hasUsualClip(state)) {
    m_clip.pNext = m_rasterization.pNext;
    m_rasterization.pNext = &m_clip;
  }
}

/// The 64 bits of the sample mask are two words, the low one first.
void GraphicsInfo::setMultisample(const MultisampleState &state) {
  m_multisample.sType = VK_STRUCTURE_TYPE_PIPELINE_MULTISAMPLE_STATE_CREATE_INFO;
  m_multisample.rasterizationSamples = VkSampleCountFlagBits(state.samples);
  m_multisample.sampleShadingEnable = state.sampleShading;
  m_multisample.minSampleShading = state.minSampleShading;
  m_mask[0] = VkSampleMask(state.sampleMask);
  m_mask[1] = VkSampleMask(state.sampleMask >> 32);
  m_multisample.pSampleMask = m_mask;
  m_multisample.alphaToCoverageEnable = state.alphaToCoverage;
  m_multisample.alphaToOneEnable = state.alphaToOne;
}

/// Members are in the order of the Vulkan structure.
static VkStencilOpState toVulkan(const StencilFaceState &face) {
  return {VkStencilOp(face.fail),
          VkStencilOp(face.pass),
          VkStencilOp(face.depthFail),
          VkCompareOp(face.compare),
          face.compareMask,
          face.writeMask,
          face.reference};
}

/// The stencil reference is a part of the pipeline: nothing here is dynamic state.
void GraphicsInfo::setDepthStencil(const DepthStencilState &state) {
  m_depthStencil.sType = VK_STRUCTURE_TYPE_PIPELINE_DEPTH_STENCIL_STATE_CREATE_INFO;
  m_depthStencil.depthTestEnable = state.depthTest;
  m_depthStencil.depthWriteEnable = state.depthWrite;
  m_depthStencil.depthCompareOp = VkCompareOp(state.depthCompare);
  m_depthStencil.depthBoundsTestEnable = state.depthBoundsTest;
  m_depthStencil.minDepthBounds = state.minDepthBounds;
  m_depthStencil.maxDepthBounds = state.maxDepthBounds;
  m_depthStencil.stencilTestEnable = state.stencilTest;
  m_depthStencil.front = toVulkan(state.front);
  m_depthStencil.back = toVulkan(state.back);
}

/// An advanced operation replaces both blend operations; its numbers follow VK_BLEND_OP_ZERO_EXT.
static VkPipelineColorBlendAttachmentState toVulkan(const ColorTarget &target) {
  VkPipelineColorBlendAttachmentState state = {target.blend,
                                               VkBlendFactor(target.srcColor),
                                               VkBlendFactor(target.dstColor),
                                               VkBlendOp(target.colorOp),
                                               VkBlendFactor(target.srcAlpha),
                                               VkBlendFactor(target.dstAlpha),
                                               VkBlendOp(target.alphaOp),
                                               target.writeMask};
  if (target.advancedOp)
    state.colorBlendOp = state.alphaBlendOp =
        VkBlendOp(VK_BLEND_OP_ZERO_EXT + int(*target.advancedOp));
  return state;
}

/// Fills blending and the formats for dynamic rendering. A depth and stencil format is named for
/// each aspect that it has.
void GraphicsInfo::setTargets(const GraphicsState &state) {
  for (const ColorTarget &target : state.colorTargets) {
    m_targets.push_back(toVulkan(target));
    m_formats.push_back(VkFormat(target.format));
  }
  m_blend.sType = VK_STRUCTURE_TYPE_PIPELINE_COLOR_BLEND_STATE_CREATE_INFO;
  m_blend.logicOpEnable = state.logicOp.has_value();
  m_blend.logicOp = VkLogicOp(state.logicOp.value_or(LogicOp::Copy));
  m_blend.attachmentCount = static_cast<uint32_t>(m_targets.size());
  m_blend.pAttachments = m_targets.data();
  std::copy_n(state.blendConstants, 4, m_blend.blendConstants);
  m_rendering.sType = VK_STRUCTURE_TYPE_PIPELINE_RENDERING_CREATE_INFO;
  m_rendering.colorAttachmentCount = static_cast<uint32_t>(m_formats.size());
  m_rendering.pColorAttachmentFormats = m_formats.data();
  if (state.depthStencilFormat == TexelFormat::Undefined)
    return;
  VkImageAspectFlags aspects = getAspects(state.depthStencilFormat);
  if (aspects & VK_IMAGE_ASPECT_DEPTH_BIT)
    m_rendering.depthAttachmentFormat = VkFormat(state.depthStencilFormat);
  if (aspects & VK_IMAGE_ASPECT_STENCIL_BIT)
    m_rendering.stencilAttachmentFormat = VkFormat(state.depthStencilFormat);
}

/// The structures point into this value, so that it cannot be copied. Stages, layout and render
/// pass are left to the caller.
GraphicsInfo::GraphicsInfo(const GraphicsState &source, const DrawResources &draw) {
  setVertices(source.input);
  setViewport(source.viewport, draw);
  setRasterization(source.rasterization);
  setMultisample(source.multisample);
  setDepthStencil(source.depthStencil);
  setTargets(source);
  info.sType = VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO;
  info.pNext = &m_rendering;
  info.pVertexInputState = &m_input;
  info.pInputAssemblyState = &m_assembly;
  info.pTessellationState =
      source.input.topology == PrimitiveTopology::PatchList ? &m_tessellation : nullptr;
  info.pViewportState = &m_viewports;
  info.pRasterizationState = &m_rasterization;
  info.pMultisampleState = &m_multisample;
  info.pDepthStencilState = &m_depthStencil;
  info.pColorBlendState = &m_blend;
}

/// Whether \p topology consists of separate primitives: primitive restart needs a feature there.
/// Patch lists have a feature of their own and count as no.
static bool isListTopology(PrimitiveTopology topology) {
  return topology != PrimitiveTopology::LineStrip && topology != PrimitiveTopology::TriangleStrip &&
         topology != PrimitiveTopology::TriangleFan &&
         topology != PrimitiveTopology::LineStripWithAdjacency &&
         topology != PrimitiveTopology::TriangleStripWithAdjacency &&
         topology != PrimitiveTopology::PatchList;
}

/// Whether a per-instance binding has divisor 0 (\p zero) or one greater than 1.
static bool hasDivisor(const GraphicsState &state, bool zero) {
  return any_of(state.input.bindings, [&](const VertexInputBinding &binding) {
    return binding.perInstance && (zero ? binding.divisor == 0 : binding.divisor > 1);
  });
}

/// Whether a blended target has a factor of the second source (dual-source blending).
static bool hasTwoSources(const GraphicsState &state) {
  return any_of(state.colorTargets, [](const ColorTarget &target) {
    return target.blend &&
           any_of(std::array{target.srcColor, target.dstColor, target.srcAlpha, target.dstAlpha},
                  [](BlendFactor factor) { return factor >= BlendFactor::Src1Color; });
  });
}

/// Whether the targets differ in anything except their format.
static bool blendsApart(const GraphicsState &state) {
  return any_of(state.colorTargets, [&](ColorTarget target) {
    target.format = state.colorTargets[0].format;
    return !(target == state.colorTargets[0]);
  });
}

/// Whether a target has an operation of VK_EXT_blend_operation_advanced.
static bool hasAdvancedOp(const GraphicsState &state) {
  return any_of(state.colorTargets,
                [](const ColorTarget &target) { return target.advancedOp.has_value(); });
}

/// Whether \p depth is outside of [0, 1]; NaN is.
static bool isOutside(float depth) {
  return !(depth >= 0 && depth <= 1);
}

namespace {
/// A feature or an extension, and which pipelines need it.
struct Need {
  const char *name;
  bool (*isNeeded)(const CasePipeline &source, const GraphicsState &state);
};
} // namespace

using Source = const CasePipeline &;
using State = const GraphicsState &;

/// Vulkan 1.3, "Features", and the valid usage of VkGraphicsPipelineCreateInfo and its structures.
static constexpr Need needs[] = {
    {"dynamicRendering", [](Source, State) { return true; }},
    {"geometryShader",
     [](Source source, State) {
       return source.description.find(ShaderStage::Geometry) != nullptr;
     }},
    {"tessellationShader",
     [](Source source, State) {
       return source.description.find(ShaderStage::TessellationControl) != nullptr;
     }},
    {"VK_EXT_mesh_shader",
     [](Source source, State) { return source.description.find(ShaderStage::Mesh) != nullptr; }},
    {"vertexAttributeInstanceRateDivisor",
     [](Source, State state) { return hasDivisor(state, false); }},
    {"vertexAttributeInstanceRateZeroDivisor",
     [](Source, State state) { return hasDivisor(state, true); }},
    {"indexTypeUint8",
     [](Source source, State) {
       return source.draw.indexBuffer && source.draw.indexBuffer->indexBytes == 1;
     }},
    {"primitiveTopologyListRestart",
     [](Source, State state) {
       return state.input.primitiveRestart && isListTopology(state.input.topology);
     }},
    {"primitiveTopologyPatchListRestart",
     [](Source, State state) {
       return state.input.primitiveRestart && state.input.topology == PrimitiveTopology::PatchList;
     }},
    {"VK_EXT_depth_range_unrestricted",
     [](Source, State state) {
       return isOutside(state.viewport.minDepth) || isOutside(state.viewport.maxDepth);
     }},
    {"depthClamp", [](Source, State state) { return state.rasterization.depthClamp; }},
    {"depthClipEnable", [](Source, State state) { return !hasUsualClip(state.rasterization); }},
    {"fillModeNonSolid",
     [](Source, State state) { return state.rasterization.polygonMode != PolygonMode::Fill; }},
    {"depthBiasClamp",
     [](Source, State state) {
       return state.rasterization.depthBias && state.rasterization.depthBiasClamp != 0;
     }},
    {"wideLines", [](Source, State state) { return state.rasterization.lineWidth != 1; }},
    {"provokingVertexLast",
     [](Source, State state) {
       return state.rasterization.provokingVertex == ProvokingVertex::Last;
     }},
    {"sampleRateShading", [](Source, State state) { return state.multisample.sampleShading; }},
    {"alphaToOne", [](Source, State state) { return state.multisample.alphaToOne; }},
    {"depthBounds", [](Source, State state) { return state.depthStencil.depthBoundsTest; }},
    {"logicOp", [](Source, State state) { return state.logicOp.has_value(); }},
    {"independentBlend", [](Source, State state) { return blendsApart(state); }},
    {"dualSrcBlend", [](Source, State state) { return hasTwoSources(state); }},
    {"VK_EXT_blend_operation_advanced", [](Source, State state) { return hasAdvancedOp(state); }},
};

/// Returns the first feature, extension or limit that the pipeline needs and the device lacks;
/// empty if there is none.
std::string assay::vulkan::findMissingGraphicsFeature(const CasePipeline &source,
                                                      const DeviceFeatures &features) {
  const GraphicsState &state = source.description.graphics;
  for (const Need &need : needs)
    if (need.isNeeded(source, state) && !features.names.contains(need.name) &&
        !features.extensions.contains(need.name))
      return need.name;
  float width = state.rasterization.lineWidth;
  if (width < features.limits.lineWidthRange[0] || width > features.limits.lineWidthRange[1])
    return "lines of width " + std::to_string(width);
  return "";
}

/// Unsupported unless \p format has all features in \p image (of optimal tiling) and all in \p
/// buffer. \p use is for the message.
static Error checkFormat(TexelFormat format, VkPhysicalDevice physical, VkFormatFeatureFlags image,
                         VkFormatFeatureFlags buffer, const char *use) {
  VkFormatProperties properties;
  vkGetPhysicalDeviceFormatProperties(physical, VkFormat(format), &properties);
  if ((properties.optimalTilingFeatures & image) == image &&
      (properties.bufferFeatures & buffer) == buffer)
    return Error::success();
  return unsupported("format " + getTexelFormatInfo(format).name + " of " + use);
}

/// Unsupported for the first format that the device cannot use as vertices, colour attachment, or
/// depth and stencil attachment.
Error assay::vulkan::checkGraphicsFormats(const CasePipeline &source, VkPhysicalDevice physical) {
  const GraphicsState &state = source.description.graphics;
  for (const VertexInputAttribute &attribute : state.input.attributes)
    if (Error error = checkFormat(attribute.format, physical, 0,
                                  VK_FORMAT_FEATURE_VERTEX_BUFFER_BIT, "vertices"))
      return error;
  for (const ColorTarget &target : state.colorTargets) {
    if (target.format == TexelFormat::Undefined)
      continue;
    VkFormatFeatureFlags blend = target.blend ? VK_FORMAT_FEATURE_COLOR_ATTACHMENT_BLEND_BIT : 0;
    if (Error error =
            checkFormat(target.format, physical, VK_FORMAT_FEATURE_COLOR_ATTACHMENT_BIT | blend, 0,
                        blend ? "a colour attachment with blending" : "a colour attachment"))
      return error;
  }
  if (state.depthStencilFormat == TexelFormat::Undefined)
    return Error::success();
  return checkFormat(state.depthStencilFormat, physical,
                     VK_FORMAT_FEATURE_DEPTH_STENCIL_ATTACHMENT_BIT, 0,
                     "a depth and stencil attachment");
}
