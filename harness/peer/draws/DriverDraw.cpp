// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/peer/draws/DriverDraw.h"

#include "harness/peer/draws/PipelineParts.h"
#include "harness/peer/draws/Shaders.h"
#include "oracles/api/TexelFormat.h"
#include <cstring>

using namespace llvm;
using namespace assay;
using namespace assay::draws;
using vulkan::check;

namespace {
/// An image with a view of its only level and layer.
struct Image {
  VkImage image = VK_NULL_HANDLE;
  VkImageView view = VK_NULL_HANDLE;
  VkImageAspectFlags aspect = VK_IMAGE_ASPECT_COLOR_BIT;
};

/// A buffer with its memory, mapped until it is destroyed.
struct Mapped {
  VkBuffer buffer = VK_NULL_HANDLE;
  void *bytes = nullptr;
};

/// The Vulkan objects of one draw.
class Drawing : public vulkan::Owner {
public:
  Drawing(vulkan::Device &device, const DriverDraw &draw) : m_device(device), m_draw(draw) {}
  /// Creates everything, draws once, and reads the images back.
  Expected<DrawnImages> run();

private:
  VkDevice handle() const { return m_device.handle(); }
  bool hasDepth() const { return m_draw.state.depthStencilFormat != TexelFormat::Undefined; }
  bool isMultisampled() const { return m_draw.state.multisample.samples > 1; }
  /// Bytes of one image of the draw's size, tightly packed.
  uint64_t getBytes(TexelFormat format) const {
    return uint64_t(m_draw.width) * m_draw.height * getTexelFormatInfo(format).bytes;
  }
  /// Memory of a type with \p flags, freed with this value.
  Expected<VkDeviceMemory> allocate(const VkMemoryRequirements &needs, VkMemoryPropertyFlags flags);
  /// An attachment of the draw's size that can be copied.
  Expected<Image> createImage(TexelFormat format, uint32_t samples);
  /// A buffer for vertices or for a copy of an image, in coherent memory.
  Expected<Mapped> createBuffer(uint64_t bytes);
  /// Passes an error of \p words on.
  Expected<VkShaderModule> createModule(Expected<std::vector<uint32_t>> words);
  /// Creates images, buffers and the pipeline, and copies the vertices. m_resolved is m_color where
  /// there is one sample.
  Error createObjects();
  /// Creates modules, an empty layout and the pipeline.
  Error createPipeline();
  /// Records the draw and the copies to m_colorBytes and m_depthBytes.
  void record(VkCommandBuffer commands);
  /// Records the clears, the draw and the resolve.
  void recordRendering(VkCommandBuffer commands);
  /// Records a barrier that waits for all accesses and changes the layout from \p from to GENERAL.
  void makeReady(VkCommandBuffer commands, const Image &image, VkImageLayout from);
  /// Records a copy of \p image, tightly packed, after all earlier commands.
  void copy(VkCommandBuffer commands, const Image &image, const Mapped &to);

  vulkan::Device &m_device;
  const DriverDraw &m_draw;
  Image m_color, m_resolved, m_depth;
  Mapped m_vertices, m_colorBytes, m_depthBytes;
  VkPipelineLayout m_layout = VK_NULL_HANDLE;
  VkPipeline m_pipeline = VK_NULL_HANDLE;
};
} // namespace

/// TexelFormat has Vulkan's numbers.
static VkFormat toVulkan(TexelFormat format) {
  return VkFormat(format);
}

bool draws::canDraw(const vulkan::Device &device, TexelFormat format, uint32_t samples,
                    bool blend) {
  VkFormatProperties properties;
  vkGetPhysicalDeviceFormatProperties(device.physical(), toVulkan(format), &properties);
  VkFormatFeatureFlags needs =
      blend ? VK_FORMAT_FEATURE_COLOR_ATTACHMENT_BLEND_BIT : VK_FORMAT_FEATURE_COLOR_ATTACHMENT_BIT;
  VkPhysicalDeviceProperties limits;
  vkGetPhysicalDeviceProperties(device.physical(), &limits);
  return (properties.optimalTilingFeatures & needs) &&
         (limits.limits.framebufferColorSampleCounts & samples);
}

Expected<VkDeviceMemory> Drawing::allocate(const VkMemoryRequirements &needs,
                                           VkMemoryPropertyFlags flags) {
  Expected<uint32_t> type = m_device.findMemory(needs.memoryTypeBits, flags);
  if (!type)
    return type.takeError();
  VkMemoryAllocateInfo info = {};
  info.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO;
  info.allocationSize = needs.size;
  info.memoryTypeIndex = *type;
  VkDeviceMemory memory = VK_NULL_HANDLE;
  if (Error error = check(vkAllocateMemory(handle(), &info, nullptr, &memory), "vkAllocateMemory"))
    return std::move(error);
  own([device = handle(), memory] { vkFreeMemory(device, memory, nullptr); });
  return memory;
}

Expected<Image> Drawing::createImage(TexelFormat format, uint32_t samples) {
  Image result;
  const TexelFormatInfo &formatInfo = getTexelFormatInfo(format);
  bool isDepth = formatInfo.find('D') || formatInfo.find('S');
  if (isDepth)
    result.aspect = formatInfo.find('D') ? VK_IMAGE_ASPECT_DEPTH_BIT : VK_IMAGE_ASPECT_STENCIL_BIT;
  VkImageCreateInfo info = {}; // NOLINT(bugprone-invalid-enum-default-initialization)
  info.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO;
  info.imageType = VK_IMAGE_TYPE_2D;
  info.format = toVulkan(format);
  info.extent = {m_draw.width, m_draw.height, 1};
  info.mipLevels = info.arrayLayers = 1;
  info.samples = VkSampleCountFlagBits(samples);
  info.usage =
      VK_IMAGE_USAGE_TRANSFER_SRC_BIT |
      (isDepth ? VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT : VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT);
  if (Error error = check(vkCreateImage(handle(), &info, nullptr, &result.image), "vkCreateImage"))
    return std::move(error);
  own([device = handle(), image = result.image] { vkDestroyImage(device, image, nullptr); });
  VkMemoryRequirements needs;
  vkGetImageMemoryRequirements(handle(), result.image, &needs);
  Expected<VkDeviceMemory> memory = allocate(needs, 0);
  if (!memory)
    return memory.takeError();
  vkBindImageMemory(handle(), result.image, *memory, 0);
  VkImageViewCreateInfo view = {};
  view.sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO;
  view.image = result.image;
  view.viewType = VK_IMAGE_VIEW_TYPE_2D;
  view.format = info.format;
  view.subresourceRange = {result.aspect, 0, 1, 0, 1};
  if (Error error =
          check(vkCreateImageView(handle(), &view, nullptr, &result.view), "vkCreateImageView"))
    return std::move(error);
  own([device = handle(), view = result.view] { vkDestroyImageView(device, view, nullptr); });
  return result;
}

Expected<Mapped> Drawing::createBuffer(uint64_t bytes) {
  Mapped result;
  VkBufferCreateInfo info = {};
  info.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO;
  info.size = bytes;
  info.usage = VK_BUFFER_USAGE_VERTEX_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT;
  if (Error error =
          check(vkCreateBuffer(handle(), &info, nullptr, &result.buffer), "vkCreateBuffer"))
    return std::move(error);
  own([device = handle(), buffer = result.buffer] { vkDestroyBuffer(device, buffer, nullptr); });
  VkMemoryRequirements needs;
  vkGetBufferMemoryRequirements(handle(), result.buffer, &needs);
  Expected<VkDeviceMemory> memory =
      allocate(needs, VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT);
  if (!memory)
    return memory.takeError();
  vkBindBufferMemory(handle(), result.buffer, *memory, 0);
  if (Error error =
          check(vkMapMemory(handle(), *memory, 0, VK_WHOLE_SIZE, 0, &result.bytes), "vkMapMemory"))
    return std::move(error);
  return result;
}

Expected<VkShaderModule> Drawing::createModule(Expected<std::vector<uint32_t>> words) {
  if (!words)
    return words.takeError();
  VkShaderModuleCreateInfo info = {};
  info.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO;
  info.codeSize = words->size() * 4;
  info.pCode = words->data();
  VkShaderModule module = VK_NULL_HANDLE;
  if (Error error =
          check(vkCreateShaderModule(handle(), &info, nullptr, &module), "vkCreateShaderModule"))
    return std::move(error);
  own([device = handle(), module] { vkDestroyShaderModule(device, module, nullptr); });
  return module;
}

/// Sets \p to, or passes the error of \p from on and leaves \p to as it is.
template <typename T> static Error assign(T &to, Expected<T> from) {
  if (!from)
    return from.takeError();
  to = *from;
  return Error::success();
}

Error Drawing::createObjects() {
  TexelFormat color = m_draw.state.colorTargets[0].format;
  uint32_t samples = m_draw.state.multisample.samples;
  if (Error error = assign(m_color, createImage(color, samples)))
    return error;
  m_resolved = m_color;
  if (isMultisampled())
    if (Error error = assign(m_resolved, createImage(color, 1)))
      return error;
  if (hasDepth()) {
    TexelFormat depth = m_draw.state.depthStencilFormat;
    if (Error error = assign(m_depth, createImage(depth, samples)))
      return error;
    if (Error error = assign(m_depthBytes, createBuffer(getBytes(depth))))
      return error;
  }
  uint64_t bytes = m_draw.vertices.size() * sizeof(DrawnVertex);
  if (Error error = assign(m_vertices, createBuffer(bytes)))
    return error;
  std::memcpy(m_vertices.bytes, m_draw.vertices.data(), bytes);
  if (Error error = assign(m_colorBytes, createBuffer(getBytes(color))))
    return error;
  return createPipeline();
}

Error Drawing::createPipeline() {
  Expected<VkShaderModule> vertex = createModule(makeVertexShader());
  if (!vertex)
    return vertex.takeError();
  Expected<VkShaderModule> fragment = createModule(makeFragmentShader(m_draw.kind));
  if (!fragment)
    return fragment.takeError();
  VkPipelineLayoutCreateInfo layout = {};
  layout.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO;
  if (Error error = check(vkCreatePipelineLayout(handle(), &layout, nullptr, &m_layout),
                          "vkCreatePipelineLayout"))
    return error;
  own([device = handle(), l = m_layout] { vkDestroyPipelineLayout(device, l, nullptr); });
  PipelineParts parts(m_draw, *vertex, *fragment, m_layout);
  if (Error error = check(vkCreateGraphicsPipelines(handle(), VK_NULL_HANDLE, 1, &parts.getInfo(),
                                                    nullptr, &m_pipeline),
                          "vkCreateGraphicsPipelines"))
    return error;
  own([device = handle(), p = m_pipeline] { vkDestroyPipeline(device, p, nullptr); });
  return Error::success();
}

void Drawing::makeReady(VkCommandBuffer commands, const Image &image, VkImageLayout from) {
  VkImageMemoryBarrier barrier = {};
  barrier.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER;
  barrier.srcAccessMask = barrier.dstAccessMask =
      VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT;
  barrier.oldLayout = from;
  barrier.newLayout = VK_IMAGE_LAYOUT_GENERAL;
  barrier.image = image.image;
  barrier.subresourceRange = {image.aspect, 0, 1, 0, 1};
  vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
                       VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 0, nullptr, 0, nullptr, 1, &barrier);
}

void Drawing::copy(VkCommandBuffer commands, const Image &image, const Mapped &to) {
  makeReady(commands, image, VK_IMAGE_LAYOUT_GENERAL);
  VkBufferImageCopy region = {};
  region.imageSubresource = {image.aspect, 0, 0, 1};
  region.imageExtent = {m_draw.width, m_draw.height, 1};
  vkCmdCopyImageToBuffer(commands, image.image, VK_IMAGE_LAYOUT_GENERAL, to.buffer, 1, &region);
}

/// An attachment that is cleared and stored; the caller sets the clear value.
static VkRenderingAttachmentInfo attach(const Image &image) {
  VkRenderingAttachmentInfo info = {};
  info.sType = VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO;
  info.imageView = image.view;
  info.imageLayout = VK_IMAGE_LAYOUT_GENERAL;
  info.loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR;
  info.storeOp = VK_ATTACHMENT_STORE_OP_STORE;
  return info;
}

void Drawing::recordRendering(VkCommandBuffer commands) {
  VkRenderingAttachmentInfo color = attach(m_color), depth = attach(m_depth);
  std::memcpy(color.clearValue.color.float32, m_draw.clearColor.data(), 16);
  depth.clearValue.depthStencil = {m_draw.clearDepth, m_draw.clearStencil};
  if (isMultisampled()) {
    color.resolveMode = VK_RESOLVE_MODE_AVERAGE_BIT;
    color.resolveImageView = m_resolved.view;
    color.resolveImageLayout = VK_IMAGE_LAYOUT_GENERAL;
  }
  VkRenderingInfo info = {};
  info.sType = VK_STRUCTURE_TYPE_RENDERING_INFO;
  info.renderArea = {{0, 0}, {m_draw.width, m_draw.height}};
  info.layerCount = 1;
  info.colorAttachmentCount = 1;
  info.pColorAttachments = &color;
  if (hasDepth())
    (m_depth.aspect == VK_IMAGE_ASPECT_DEPTH_BIT ? info.pDepthAttachment
                                                 : info.pStencilAttachment) = &depth;
  vkCmdBeginRendering(commands, &info);
  vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, m_pipeline);
  const VkDeviceSize offset = 0;
  vkCmdBindVertexBuffers(commands, 0, 1, &m_vertices.buffer, &offset);
  vkCmdDraw(commands, uint32_t(m_draw.vertices.size()), 1, 0, 0);
  vkCmdEndRendering(commands);
}

void Drawing::record(VkCommandBuffer commands) {
  makeReady(commands, m_color, VK_IMAGE_LAYOUT_UNDEFINED);
  if (isMultisampled())
    makeReady(commands, m_resolved, VK_IMAGE_LAYOUT_UNDEFINED);
  if (hasDepth())
    makeReady(commands, m_depth, VK_IMAGE_LAYOUT_UNDEFINED);
  recordRendering(commands);
  copy(commands, m_resolved, m_colorBytes);
  if (hasDepth() && !isMultisampled())
    copy(commands, m_depth, m_depthBytes);
}

Expected<DrawnImages> Drawing::run() {
  if (Error error = createObjects())
    return std::move(error);
  if (Error error = m_device.execute([&](VkCommandBuffer commands) { record(commands); }))
    return std::move(error);
  auto read = [](const Mapped &from, uint64_t count) {
    const auto *bytes = static_cast<const uint8_t *>(from.bytes);
    return std::vector<uint8_t>(bytes, bytes + count);
  };
  DrawnImages result;
  result.color = read(m_colorBytes, getBytes(m_draw.state.colorTargets[0].format));
  if (hasDepth() && !isMultisampled())
    result.depth = read(m_depthBytes, getBytes(m_draw.state.depthStencilFormat));
  return result;
}

Expected<DrawnImages> draws::drawOnDriver(vulkan::Device &device, const DriverDraw &draw) {
  return Drawing(device, draw).run();
}
