// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/machine/vulkan/Resources.h"

#include "oracles/machine/vulkan/Describe.h"
#include "oracles/machine/vulkan/DescribeGraphics.h"
#include "support/Error.h"
#include <cstring>

using namespace llvm;
using namespace assay;
using namespace assay::vulkan;

/// The memory is mapped and coherent as long as the device lives. Images are staged in the buffer
/// plane by plane, which may take more bytes than the case has.
Error Resources::createBuffer(const Buffer &source, DeviceBuffer &result) {
  VkDevice device = m_device.handle();
  bool hasAddresses = m_device.features().names.contains("bufferDeviceAddress");
  result.size = std::max<uint64_t>(source.bytes.size(), 4);
  if (source.image && source.image->samples == 1) {
    result.planes = getTexelPlanes(source);
    result.size = std::max(result.size, getStagedBytes(result.planes));
  }
  VkBufferCreateInfo info = {};
  info.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO;
  info.size = result.size;
  info.usage = VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT |
               VK_BUFFER_USAGE_UNIFORM_TEXEL_BUFFER_BIT | VK_BUFFER_USAGE_STORAGE_TEXEL_BUFFER_BIT |
               VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT | VK_BUFFER_USAGE_STORAGE_BUFFER_BIT |
               VK_BUFFER_USAGE_VERTEX_BUFFER_BIT | VK_BUFFER_USAGE_INDEX_BUFFER_BIT |
               (hasAddresses ? VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT : 0);
  if (Error error = check(vkCreateBuffer(device, &info, nullptr, &result.buffer), "vkCreateBuffer"))
    return error;
  own([device, buffer = result.buffer] { vkDestroyBuffer(device, buffer, nullptr); });

  VkMemoryRequirements needs;
  vkGetBufferMemoryRequirements(device, result.buffer, &needs);
  Expected<uint32_t> type =
      m_device.findMemory(needs.memoryTypeBits, VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT |
                                                    VK_MEMORY_PROPERTY_HOST_COHERENT_BIT);
  if (!type)
    return type.takeError();
  VkMemoryAllocateFlagsInfo flags = {};
  flags.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO;
  flags.flags = VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT;
  VkMemoryAllocateInfo allocate = {};
  allocate.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO;
  allocate.pNext = hasAddresses ? &flags : nullptr;
  allocate.allocationSize = needs.size;
  allocate.memoryTypeIndex = *type;
  VkDeviceMemory memory = VK_NULL_HANDLE;
  if (Error error =
          check(vkAllocateMemory(device, &allocate, nullptr, &memory), "vkAllocateMemory"))
    return error;
  own([device, memory] { vkFreeMemory(device, memory, nullptr); });
  if (Error error =
          check(vkBindBufferMemory(device, result.buffer, memory, 0), "vkBindBufferMemory"))
    return error;
  void *mapped = nullptr;
  if (Error error = check(vkMapMemory(device, memory, 0, VK_WHOLE_SIZE, 0, &mapped), "vkMapMemory"))
    return error;
  result.mapped = static_cast<uint8_t *>(mapped);
  if (hasAddresses) {
    VkBufferDeviceAddressInfo address = {};
    address.sType = VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO;
    address.buffer = result.buffer;
    result.address = vkGetBufferDeviceAddress(device, &address);
  }
  return Error::success();
}

namespace {
/// A format feature and the image usages that it permits.
struct UsageRow {
  VkFormatFeatureFlags feature;
  VkImageUsageFlags usage;
};
} // namespace

/// What an image may be used for, by the features of its format.
static constexpr UsageRow usages[] = {
    {VK_FORMAT_FEATURE_STORAGE_IMAGE_BIT, VK_IMAGE_USAGE_STORAGE_BIT},
    {VK_FORMAT_FEATURE_SAMPLED_IMAGE_BIT, VK_IMAGE_USAGE_SAMPLED_BIT},
    {VK_FORMAT_FEATURE_COLOR_ATTACHMENT_BIT,
     VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_INPUT_ATTACHMENT_BIT},
    {VK_FORMAT_FEATURE_DEPTH_STENCIL_ATTACHMENT_BIT,
     VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT | VK_IMAGE_USAGE_INPUT_ATTACHMENT_BIT}};

/// All that this device can do with texels of \p format.
static VkImageUsageFlags usageFor(VkPhysicalDevice physical, TexelFormat format) {
  VkFormatProperties properties;
  vkGetPhysicalDeviceFormatProperties(physical, VkFormat(format), &properties);
  VkImageUsageFlags usage = VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT;
  for (const UsageRow &row : usages)
    if (properties.optimalTilingFeatures & row.feature)
      usage |= row.usage;
  return usage;
}

/// Whether no extent is above its limit.
static bool fits(const VkExtent3D &extent, const VkExtent3D &most) {
  return extent.width <= most.width && extent.height <= most.height && extent.depth <= most.depth;
}

Error Resources::createImage(const Buffer &source, DeviceBuffer &result) {
  const ImageShape &shape = *source.image;
  VkImageCreateInfo info = describeImage(source);
  info.usage = usageFor(m_device.physical(), *source.texelFormat);
  if (shape.samples > 1) { // MultisampleCopy stores through another format.
    info.flags = VK_IMAGE_CREATE_MUTABLE_FORMAT_BIT | VK_IMAGE_CREATE_EXTENDED_USAGE_BIT;
    info.usage |= VK_IMAGE_USAGE_STORAGE_BIT;
  }
  VkImageFormatProperties limits;
  VkResult possible =
      vkGetPhysicalDeviceImageFormatProperties(m_device.physical(), info.format, info.imageType,
                                               info.tiling, info.usage, info.flags, &limits);
  if (possible != VK_SUCCESS || info.mipLevels > limits.maxMipLevels ||
      info.arrayLayers > limits.maxArrayLayers || !fits(info.extent, limits.maxExtent) ||
      !(limits.sampleCounts & info.samples))
    return unsupported("image '" + source.name + "' of format " +
                       getTexelFormatInfo(*source.texelFormat).name);
  VkDevice device = m_device.handle();
  if (Error error = check(vkCreateImage(device, &info, nullptr, &result.image), "vkCreateImage"))
    return error;
  own([device, image = result.image] { vkDestroyImage(device, image, nullptr); });

  VkMemoryRequirements needs;
  vkGetImageMemoryRequirements(device, result.image, &needs);
  Expected<uint32_t> type = m_device.findMemory(needs.memoryTypeBits, 0);
  if (!type)
    return type.takeError();
  VkMemoryAllocateInfo allocate = {};
  allocate.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO;
  allocate.allocationSize = needs.size;
  allocate.memoryTypeIndex = *type;
  VkDeviceMemory memory = VK_NULL_HANDLE;
  if (Error error =
          check(vkAllocateMemory(device, &allocate, nullptr, &memory), "vkAllocateMemory"))
    return error;
  own([device, memory] { vkFreeMemory(device, memory, nullptr); });
  return check(vkBindImageMemory(device, result.image, memory, 0), "vkBindImageMemory");
}

Error Resources::createSampler(const Sampler &source, VkSampler &result) {
  VkSamplerCreateInfo info = describeSampler(source);
  VkDevice device = m_device.handle();
  if (Error error = check(vkCreateSampler(device, &info, nullptr, &result), "vkCreateSampler"))
    return error;
  own([device, sampler = result] { vkDestroySampler(device, sampler, nullptr); });
  return Error::success();
}

Expected<std::unique_ptr<Resources>> Resources::create(Device &device, const Case &input) {
  std::unique_ptr<Resources> resources(new Resources(device, input));
  resources->m_buffers.resize(input.buffers.size());
  for (size_t i = 0; i < input.buffers.size(); ++i) {
    const Buffer &source = input.buffers[i];
    if (Error error = resources->createBuffer(source, resources->m_buffers[i]))
      return std::move(error);
    if (source.image)
      if (Error error = resources->createImage(source, resources->m_buffers[i]))
        return std::move(error);
  }
  resources->m_samplers.resize(input.samplers.size());
  for (size_t i = 0; i < input.samplers.size(); ++i)
    if (Error error = resources->createSampler(input.samplers[i], resources->m_samplers[i]))
      return std::move(error);
  return resources;
}

/// Images with planes are staged aspect by aspect; everything else is copied as it is.
void Resources::upload(const std::vector<BufferState> &buffers) {
  for (size_t i = 0; i < buffers.size(); ++i)
    if (!m_buffers[i].planes.empty())
      stageTexels(m_buffers[i].planes, buffers[i].bytes.data(), m_buffers[i].mapped);
    else if (!buffers[i].bytes.empty())
      std::memcpy(m_buffers[i].mapped, buffers[i].bytes.data(), buffers[i].bytes.size());
}

void Resources::download(std::vector<BufferState> &buffers) const {
  for (size_t i = 0; i < buffers.size(); ++i)
    if (!m_buffers[i].planes.empty())
      unstageTexels(m_buffers[i].planes, m_buffers[i].mapped, buffers[i].bytes.data());
    else if (!buffers[i].bytes.empty())
      std::memcpy(buffers[i].bytes.data(), m_buffers[i].mapped, buffers[i].bytes.size());
}

/// The copy regions of \p planes, for vkCmdCopyBufferToImage and the reverse.
static std::vector<VkBufferImageCopy> copiesOf(const std::vector<TexelPlane> &planes) {
  std::vector<VkBufferImageCopy> copies;
  for (const TexelPlane &plane : planes)
    copies.push_back(plane.copy);
  return copies;
}

namespace {
/// Where an image's memory comes from and goes to in a barrier.
struct Transition {
  VkImageLayout before, after;
  VkAccessFlags from, to;
  VkPipelineStageFlags source, destination;
};
} // namespace

/// Records a barrier for all levels and layers of \p image.
static void recordBarrier(VkCommandBuffer commands, VkImage image, VkImageAspectFlags aspect,
                          const Transition &transition) {
  VkImageMemoryBarrier barrier = {};
  barrier.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER;
  barrier.srcAccessMask = transition.from;
  barrier.dstAccessMask = transition.to;
  barrier.oldLayout = transition.before;
  barrier.newLayout = transition.after;
  barrier.srcQueueFamilyIndex = barrier.dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED;
  barrier.image = image;
  barrier.subresourceRange = {aspect, 0, VK_REMAINING_MIP_LEVELS, 0, VK_REMAINING_ARRAY_LAYERS};
  vkCmdPipelineBarrier(commands, transition.source, transition.destination, 0, 0, nullptr, 0,
                       nullptr, 1, &barrier);
}

/// Images lose their old contents: the first barrier is from an undefined layout. Images with
/// several samples get that barrier only.
void Resources::recordUpload(VkCommandBuffer commands) const {
  constexpr Transition Begin = {
      VK_IMAGE_LAYOUT_UNDEFINED,    VK_IMAGE_LAYOUT_GENERAL,    0,
      VK_ACCESS_TRANSFER_WRITE_BIT, VK_PIPELINE_STAGE_HOST_BIT, VK_PIPELINE_STAGE_TRANSFER_BIT};
  constexpr Transition End = {
      VK_IMAGE_LAYOUT_GENERAL,        VK_IMAGE_LAYOUT_GENERAL,
      VK_ACCESS_TRANSFER_WRITE_BIT,   VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT,
      VK_PIPELINE_STAGE_TRANSFER_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT};
  for (size_t i = 0; i < m_buffers.size(); ++i) {
    VkImage image = m_buffers[i].image;
    if (!image)
      continue;
    const Buffer &source = m_input.buffers[i];
    recordBarrier(commands, image, getAspects(*source.texelFormat), Begin);
    if (source.image->samples > 1)
      continue; // MultisampleCopy follows.
    std::vector<VkBufferImageCopy> copies = copiesOf(m_buffers[i].planes);
    vkCmdCopyBufferToImage(commands, m_buffers[i].buffer, image, VK_IMAGE_LAYOUT_GENERAL,
                           static_cast<uint32_t>(copies.size()), copies.data());
    recordBarrier(commands, image, getAspects(*source.texelFormat), End);
  }
}

/// The last barrier makes all writes, also those to plain buffers, visible to the host.
void Resources::recordDownload(VkCommandBuffer commands) const {
  constexpr Transition Begin = {VK_IMAGE_LAYOUT_GENERAL,
                                VK_IMAGE_LAYOUT_GENERAL,
                                VK_ACCESS_MEMORY_WRITE_BIT,
                                VK_ACCESS_TRANSFER_READ_BIT,
                                VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
                                VK_PIPELINE_STAGE_TRANSFER_BIT};
  for (size_t i = 0; i < m_buffers.size(); ++i) {
    VkImage image = m_buffers[i].image;
    if (!image || m_input.buffers[i].image->samples > 1)
      continue;
    const Buffer &source = m_input.buffers[i];
    recordBarrier(commands, image, getAspects(*source.texelFormat), Begin);
    std::vector<VkBufferImageCopy> copies = copiesOf(m_buffers[i].planes);
    vkCmdCopyImageToBuffer(commands, image, VK_IMAGE_LAYOUT_GENERAL, m_buffers[i].buffer,
                           static_cast<uint32_t>(copies.size()), copies.data());
  }
  VkMemoryBarrier barrier = {};
  barrier.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER;
  barrier.srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT;
  barrier.dstAccessMask = VK_ACCESS_HOST_READ_BIT;
  vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_HOST_BIT, 0,
                       1, &barrier, 0, nullptr, 0, nullptr);
}
