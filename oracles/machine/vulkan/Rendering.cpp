// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/machine/vulkan/Rendering.h"

#include "oracles/machine/vulkan/DescribeGraphics.h"
#include "support/Error.h"

using namespace llvm;
using namespace assay;
using namespace assay::vulkan;

/// Images with several layers are viewed as arrays.
Expected<VkImageView> Rendering::createView(const Buffer &buffer, VkImage image,
                                            const VkImageSubresourceRange &range) {
  VkImageViewCreateInfo info = {};
  info.sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO;
  info.image = image;
  info.viewType = buffer.image->layers > 1 ? VK_IMAGE_VIEW_TYPE_2D_ARRAY : VK_IMAGE_VIEW_TYPE_2D;
  info.format = VkFormat(*buffer.texelFormat);
  info.subresourceRange = range;
  VkDevice device = m_device.handle();
  VkImageView view = VK_NULL_HANDLE;
  if (Error error = check(vkCreateImageView(device, &info, nullptr, &view), "vkCreateImageView"))
    return std::move(error);
  own([device, view] { vkDestroyImageView(device, view, nullptr); });
  return view;
}

/// Makes a view of one mip level with all layers, and one of the resolve target if there is one.
/// InvalidInput for buffers that are no images, Unsupported for all but 2D images. The least number
/// of layers becomes that of the framebuffer.
Expected<Rendering::View> Rendering::attach(const Attachment &attachment) {
  const Buffer &buffer = m_input.buffers[attachment.buffer];
  if (!buffer.image || !buffer.texelFormat)
    return invalidInput("attachment '" + buffer.name + "' is no image");
  if (buffer.image->dimension != ImageDimension::Dim2D)
    return unsupported("attachment '" + buffer.name + "', which is not a 2D image");
  View result;
  result.image = m_resources.buffer(attachment.buffer).image;
  result.format = *buffer.texelFormat;
  result.samples = buffer.image->samples;
  result.range = {getAspects(result.format), attachment.mipLevel, 1, 0, buffer.image->layers};
  m_layers = std::min(m_layers, buffer.image->layers);
  Expected<VkImageView> view = createView(buffer, result.image, result.range);
  if (!view)
    return view.takeError();
  result.view = *view;
  if (!attachment.resolve)
    return result;
  const Buffer &target = m_input.buffers[*attachment.resolve];
  Expected<VkImageView> resolve =
      createView(target, m_resources.buffer(*attachment.resolve).image,
                 {getAspects(*target.texelFormat), 0, 1, 0, target.image->layers});
  if (!resolve)
    return resolve.takeError();
  result.resolve = *resolve;
  return result;
}

/// Colour attachments beyond the pipeline's targets are ignored. Without attachments there is one
/// layer.
Expected<std::unique_ptr<Rendering>> Rendering::create(Device &device, const Resources &resources,
                                                       const Case &input,
                                                       const CasePipeline &source,
                                                       const InputAttachments &inputs) {
  std::unique_ptr<Rendering> rendering(new Rendering(device, resources, input, source));
  // One for each target of the pipeline, which the device counts.
  rendering->m_color.resize(source.description.graphics.colorTargets.size());
  for (auto [i, attachment] : enumerate(source.draw.color)) {
    if (!attachment || i >= rendering->m_color.size())
      continue;
    Expected<View> view = rendering->attach(*attachment);
    if (!view)
      return view.takeError();
    rendering->m_color[i] = *view;
  }
  if (source.draw.depthStencil) {
    Expected<View> view = rendering->attach(*source.draw.depthStencil);
    if (!view)
      return view.takeError();
    rendering->m_depthStencil = *view;
  }
  if (Error error = rendering->attachInputs(inputs))
    return std::move(error);
  if (rendering->m_layers == ~0u)
    rendering->m_layers = 1;
  if (!rendering->m_inputs.empty())
    if (Error error = rendering->createPass())
      return std::move(error);
  return rendering;
}

/// Places the input attachments by their indices; indices without one stay empty. Unsupported
/// beyond the device's limit.
Error Rendering::attachInputs(const InputAttachments &inputs) {
  for (const BufferBinding &binding : m_source.bindings) {
    auto input = inputs.find({binding.set, binding.binding});
    if (input == inputs.end() || binding.kind != BindingKind::SampledImage)
      continue;
    size_t index = input->second + size_t(binding.arrayElement);
    if (index >= m_device.features().limits.maxPerStageDescriptorInputAttachments)
      return unsupported("input attachment " + Twine(index));
    Attachment attachment;
    attachment.buffer = binding.buffer;
    attachment.mipLevel = binding.baseMipLevel;
    Expected<View> view = attach(attachment);
    if (!view)
      return view.takeError();
    m_inputs.resize(std::max(m_inputs.size(), index + 1));
    m_inputs[index] = *view;
  }
  return Error::success();
}

namespace {
/// The attachments of a render pass. All stay in layout GENERAL.
class PassAttachments {
public:
  /// Adds \p view, if there is one, and refers to it.
  VkAttachmentReference add(VkImageView view, TexelFormat format, uint32_t samples) {
    if (!view)
      return {VK_ATTACHMENT_UNUSED, VK_IMAGE_LAYOUT_GENERAL};
    VkAttachmentDescription description = {};
    description.format = VkFormat(format);
    description.samples = VkSampleCountFlagBits(samples);
    description.loadOp = description.stencilLoadOp = VK_ATTACHMENT_LOAD_OP_LOAD;
    description.storeOp = description.stencilStoreOp = VK_ATTACHMENT_STORE_OP_STORE;
    description.initialLayout = description.finalLayout = VK_IMAGE_LAYOUT_GENERAL;
    descriptions.push_back(description);
    views.push_back(view);
    return {static_cast<uint32_t>(views.size() - 1), VK_IMAGE_LAYOUT_GENERAL};
  }

  std::vector<VkAttachmentDescription> descriptions;
  std::vector<VkImageView> views;
};
} // namespace

/// Makes a render pass of one subpass with all attachments, and its framebuffer.
Error Rendering::createPass() {
  PassAttachments attachments;
  std::vector<VkAttachmentReference> color, resolve, inputs;
  for (const View &view : m_color) {
    color.push_back(attachments.add(view.view, view.format, view.samples));
    resolve.push_back(attachments.add(view.resolve, view.format, 1));
  }
  VkAttachmentReference depthStencil =
      attachments.add(m_depthStencil.view, m_depthStencil.format, m_depthStencil.samples);
  for (const View &view : m_inputs)
    inputs.push_back(attachments.add(view.view, view.format, view.samples));
  VkSubpassDescription subpass = {};
  subpass.pipelineBindPoint = VK_PIPELINE_BIND_POINT_GRAPHICS;
  subpass.inputAttachmentCount = static_cast<uint32_t>(inputs.size());
  subpass.pInputAttachments = inputs.data();
  subpass.colorAttachmentCount = static_cast<uint32_t>(color.size());
  subpass.pColorAttachments = color.data();
  bool resolves = any_of(m_color, [](const View &view) { return view.resolve != VK_NULL_HANDLE; });
  subpass.pResolveAttachments = resolves ? resolve.data() : nullptr;
  subpass.pDepthStencilAttachment = m_depthStencil.view ? &depthStencil : nullptr;
  VkRenderPassCreateInfo info = {};
  info.sType = VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO;
  info.attachmentCount = static_cast<uint32_t>(attachments.descriptions.size());
  info.pAttachments = attachments.descriptions.data();
  info.subpassCount = 1;
  info.pSubpasses = &subpass;
  VkDevice device = m_device.handle();
  if (Error error =
          check(vkCreateRenderPass(device, &info, nullptr, &m_pass), "vkCreateRenderPass"))
    return error;
  own([device, pass = m_pass] { vkDestroyRenderPass(device, pass, nullptr); });
  return createFramebuffer(attachments.views);
}

/// \p views are in the order of the attachments of the pass.
Error Rendering::createFramebuffer(ArrayRef<VkImageView> views) {
  VkFramebufferCreateInfo info = {};
  info.sType = VK_STRUCTURE_TYPE_FRAMEBUFFER_CREATE_INFO;
  info.renderPass = m_pass;
  info.attachmentCount = static_cast<uint32_t>(views.size());
  info.pAttachments = views.data();
  info.width = m_source.draw.width;
  info.height = m_source.draw.height;
  info.layers = m_layers;
  VkDevice device = m_device.handle();
  if (Error error =
          check(vkCreateFramebuffer(device, &info, nullptr, &m_framebuffer), "vkCreateFramebuffer"))
    return error;
  own([device, framebuffer = m_framebuffer] {
    vkDestroyFramebuffer(device, framebuffer, nullptr);
  });
  return Error::success();
}

/// Binds the index buffer from its beginning.
void Rendering::bindVertices(VkCommandBuffer commands) const {
  for (const VertexBuffer &vertices : m_source.draw.vertexBuffers)
    vkCmdBindVertexBuffers(commands, vertices.binding, 1,
                           &m_resources.buffer(vertices.buffer).buffer, &vertices.offset);
  if (const auto &indices = m_source.draw.indexBuffer) {
    VkIndexType type = indices->indexBytes == 1   ? VK_INDEX_TYPE_UINT8_EXT
                       : indices->indexBytes == 2 ? VK_INDEX_TYPE_UINT16
                                                  : VK_INDEX_TYPE_UINT32;
    vkCmdBindIndexBuffer(commands, m_resources.buffer(indices->buffer).buffer, 0, type);
  }
}

/// How a draw uses an attachment: what is there stays, apart from what is drawn.
static VkRenderingAttachmentInfo describeAttachment(VkImageView view) {
  VkRenderingAttachmentInfo info = {};
  info.sType = VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO;
  info.imageView = view;
  info.imageLayout = view ? VK_IMAGE_LAYOUT_GENERAL : VK_IMAGE_LAYOUT_UNDEFINED;
  info.loadOp = VK_ATTACHMENT_LOAD_OP_LOAD;
  info.storeOp = VK_ATTACHMENT_STORE_OP_STORE;
  return info;
}

/// For pipelines with input attachments.
void Rendering::beginPass(VkCommandBuffer commands) const {
  VkRenderPassBeginInfo info = {};
  info.sType = VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO;
  info.renderPass = m_pass;
  info.framebuffer = m_framebuffer;
  info.renderArea = {{0, 0}, {m_source.draw.width, m_source.draw.height}};
  vkCmdBeginRenderPass(commands, &info, VK_SUBPASS_CONTENTS_INLINE);
}

/// Integers resolve to their first sample, other formats to the average.
void Rendering::beginDynamic(VkCommandBuffer commands) const {
  std::vector<VkRenderingAttachmentInfo> color;
  for (const View &view : m_color) {
    VkRenderingAttachmentInfo info = describeAttachment(view.view);
    if (view.resolve) {
      info.resolveMode = getTexelFormatInfo(view.format).isInteger()
                             ? VK_RESOLVE_MODE_SAMPLE_ZERO_BIT
                             : VK_RESOLVE_MODE_AVERAGE_BIT;
      info.resolveImageView = view.resolve;
      info.resolveImageLayout = VK_IMAGE_LAYOUT_GENERAL;
    }
    color.push_back(info);
  }
  VkRenderingAttachmentInfo depthStencil = describeAttachment(m_depthStencil.view);
  VkRenderingInfo info = {};
  info.sType = VK_STRUCTURE_TYPE_RENDERING_INFO;
  info.renderArea = {{0, 0}, {m_source.draw.width, m_source.draw.height}};
  info.layerCount = m_layers;
  info.colorAttachmentCount = static_cast<uint32_t>(color.size());
  info.pColorAttachments = color.data();
  if (m_depthStencil.range.aspectMask & VK_IMAGE_ASPECT_DEPTH_BIT)
    info.pDepthAttachment = &depthStencil;
  if (m_depthStencil.range.aspectMask & VK_IMAGE_ASPECT_STENCIL_BIT)
    info.pStencilAttachment = &depthStencil;
  vkCmdBeginRendering(commands, &info);
}

/// Each draw is a pass of its own.
void Rendering::recordDraw(VkCommandBuffer commands, const Draw &draw) const {
  bindVertices(commands);
  m_pass ? beginPass(commands) : beginDynamic(commands);
  if (draw.indexed)
    vkCmdDrawIndexed(commands, draw.vertexCount, draw.instanceCount, draw.firstVertex,
                     draw.vertexOffset, draw.firstInstance);
  else
    vkCmdDraw(commands, draw.vertexCount, draw.instanceCount, draw.firstVertex, draw.firstInstance);
  m_pass ? vkCmdEndRenderPass(commands) : vkCmdEndRendering(commands);
}

/// Converts a clear colour to the kind of number that \p format has; integers are truncated.
static VkClearColorValue toVulkan(const float color[4], TexelFormat format) {
  VkClearColorValue value;
  for (unsigned i = 0; i < 4; ++i)
    switch (getTexelFormatInfo(format).numeric) {
    case TexelNumeric::Uint:
      value.uint32[i] = static_cast<uint32_t>(color[i]);
      break;
    case TexelNumeric::Sint:
      value.int32[i] = static_cast<int32_t>(color[i]);
      break;
    default:
      value.float32[i] = color[i];
    }
  return value;
}

/// Clears are outside of rendering. Attachments that are not there are skipped.
void Rendering::recordClear(VkCommandBuffer commands, const Clear &clear) const {
  for (const View &view : m_color) {
    if (!view.image)
      continue;
    VkClearColorValue value = toVulkan(clear.color, view.format);
    vkCmdClearColorImage(commands, view.image, VK_IMAGE_LAYOUT_GENERAL, &value, 1, &view.range);
  }
  if (!m_depthStencil.image)
    return;
  VkClearDepthStencilValue value = {clear.depth, clear.stencil};
  vkCmdClearDepthStencilImage(commands, m_depthStencil.image, VK_IMAGE_LAYOUT_GENERAL, &value, 1,
                              &m_depthStencil.range);
}
