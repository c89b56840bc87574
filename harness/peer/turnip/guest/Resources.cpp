// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/peer/turnip/guest/Resources.h"

using namespace assay::turnip;

/// The device address; \p buffer must have memory.
static uint64_t addressOf(const Driver &driver, VkBuffer buffer) {
  VkBufferDeviceAddressInfo info = {};
  info.sType = VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO;
  info.buffer = buffer;
  return driver.GetBufferDeviceAddress(driver.device(), &info);
}

/// Creates a buffer for all uses that a descriptor can have, without memory.
static VkBuffer createBuffer(const Driver &driver, uint64_t bytes) {
  VkBufferCreateInfo info = {};
  info.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO;
  info.size = bytes;
  info.usage = VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT |
               VK_BUFFER_USAGE_UNIFORM_TEXEL_BUFFER_BIT | VK_BUFFER_USAGE_STORAGE_TEXEL_BUFFER_BIT |
               VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT | VK_BUFFER_USAGE_STORAGE_BUFFER_BIT |
               VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT;
  VkBuffer buffer = VK_NULL_HANDLE;
  check(driver.CreateBuffer(driver.device(), &info, nullptr, &buffer), "vkCreateBuffer");
  return buffer;
}

/// Creates the buffer with its memory. \p place has the bytes that the driver needs, which may be
/// more than requested.
static void placeBuffer(Driver &driver, const ResourceRequest &request, GuestResource &resource,
                        ResourcePlace &place) {
  resource.buffer = createBuffer(driver, request.bytes);
  VkMemoryRequirements needs;
  driver.GetBufferMemoryRequirements(driver.device(), resource.buffer, &needs);
  check(driver.BindBufferMemory(driver.device(), resource.buffer, driver.allocate(needs), 0),
        "vkBindBufferMemory");
  place.address = addressOf(driver, resource.buffer);
  place.bytes = needs.size;
}

/// Creates the image with its memory, and sets where each level is.
static void placeImage(Driver &driver, const ImageRequest &request, GuestResource &resource,
                       ResourcePlace &place) {
  VkImageCreateInfo info = {};
  info.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO;
  info.flags = request.flags;
  info.imageType = VkImageType(request.type);
  info.format = VkFormat(request.format);
  info.extent = {request.width, request.height, request.depth};
  info.mipLevels = request.levels;
  info.arrayLayers = request.layers;
  info.samples = VkSampleCountFlagBits(request.samples);
  info.tiling = VK_IMAGE_TILING_LINEAR;
  info.usage = request.usage;
  check(driver.CreateImage(driver.device(), &info, nullptr, &resource.image), "vkCreateImage");
  VkMemoryRequirements needs;
  driver.GetImageMemoryRequirements(driver.device(), resource.image, &needs);
  VkDeviceMemory memory = driver.allocate(needs);
  check(driver.BindImageMemory(driver.device(), resource.image, memory, 0), "vkBindImageMemory");
  // A buffer over the same memory says where that is.
  VkBuffer whole = createBuffer(driver, needs.size);
  check(driver.BindBufferMemory(driver.device(), whole, memory, 0), "vkBindBufferMemory");
  place.address = addressOf(driver, whole);
  place.bytes = needs.size;
  for (uint32_t level = 0; level < request.levels; ++level) {
    VkImageSubresource subresource = {VK_IMAGE_ASPECT_COLOR_BIT, level, 0};
    VkSubresourceLayout layout = {};
    driver.GetImageSubresourceLayout(driver.device(), resource.image, &subresource, &layout);
    place.levels.push_back(
        {layout.offset, layout.size, layout.rowPitch, layout.arrayPitch, layout.depthPitch});
  }
}

/// Anisotropy is off.
static VkSampler createSampler(const Driver &driver, const SamplerRequest &request) {
  VkSamplerCreateInfo info = {};
  info.sType = VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO;
  info.magFilter = VkFilter(request.magFilter);
  info.minFilter = VkFilter(request.minFilter);
  info.mipmapMode = VkSamplerMipmapMode(request.mipFilter);
  info.addressModeU = VkSamplerAddressMode(request.address[0]);
  info.addressModeV = VkSamplerAddressMode(request.address[1]);
  info.addressModeW = VkSamplerAddressMode(request.address[2]);
  info.borderColor = VkBorderColor(request.border);
  info.mipLodBias = request.lodBias;
  info.minLod = request.minLod;
  info.maxLod = request.maxLod;
  info.unnormalizedCoordinates = request.unnormalized;
  info.compareEnable = request.comparisonOn;
  info.compareOp = VkCompareOp(request.comparison);
  VkSampler sampler = VK_NULL_HANDLE;
  check(driver.CreateSampler(driver.device(), &info, nullptr, &sampler), "vkCreateSampler");
  return sampler;
}

/// Creates them in the order of the request and notes their places in device memory.
GuestResources assay::turnip::createResources(Driver &driver, const Request &request) {
  GuestResources result;
  for (const ResourceRequest &each : request.resources) {
    GuestResource &resource = result.resources.emplace_back();
    ResourcePlace &place = result.places.emplace_back();
    if (each.image)
      placeImage(driver, *each.image, resource, place);
    else
      placeBuffer(driver, each, resource, place);
  }
  for (const SamplerRequest &each : request.samplers)
    result.samplers.push_back(createSampler(driver, each));
  return result;
}
