// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/peer/descriptors/RadvDescriptors.h"

#include "oracles/machine/vulkan/Features.h"
#include "oracles/machine/vulkan/VulkanIcd.h"
#include "support/Error.h"
#include "llvm/ADT/bit.h"
#include <cstdlib>

using namespace llvm;
using namespace assay;

/// The driver's instance and device. Members are destroyed in reverse order of their creation.
struct RadvDescriptors::State {
  VkInstance instance = VK_NULL_HANDLE;
  VkPhysicalDevice physical = VK_NULL_HANDLE;
  VkDevice device = VK_NULL_HANDLE;
  std::unique_ptr<vulkan::DeviceFeatures> features;
  VkPhysicalDeviceDescriptorBufferPropertiesEXT sizes = {};
  PFN_vkGetDescriptorEXT getDescriptor = nullptr;

  ~State() {
    if (device)
      vkDestroyDevice(device, nullptr);
    if (instance)
      vkDestroyInstance(instance, nullptr);
  }
  /// Selects the driver by the environment and creates the device. Unsupported as create() says.
  Error open(const std::string &icd);
  /// Enables descriptor buffers in addition to all features of the driver.
  Error createDevice();
  /// Returns a descriptor of \p bytes bytes, as the driver writes it into a descriptor buffer.
  std::vector<uint32_t> get(VkDescriptorType type, VkDescriptorDataEXT data, size_t bytes) const;
};

namespace {
/// An image with its memory and a view, until the descriptor is read.
struct ViewedImage {
  explicit ViewedImage(VkDevice device) : device(device) {}
  ViewedImage(const ViewedImage &) = delete;
  ViewedImage &operator=(const ViewedImage &) = delete;
  ~ViewedImage() {
    vkDestroyImageView(device, view, nullptr);
    vkDestroyImage(device, image, nullptr);
    vkFreeMemory(device, memory, nullptr);
  }

  VkDevice device;
  VkImage image = VK_NULL_HANDLE;
  VkDeviceMemory memory = VK_NULL_HANDLE;
  VkImageView view = VK_NULL_HANDLE;
};
} // namespace

/// Environment for anything but VK_SUCCESS.
static Error check(VkResult result, const char *call) {
  if (result == VK_SUCCESS)
    return Error::success();
  return environmentError(Twine(call) + " gives VkResult " + Twine(int(result)));
}

/// Changes environment variables of this process, from which the loader takes the driver.
/// Unsupported for chips that RADV does not know, and for Mesa before 25.
Error RadvDescriptors::State::open(const std::string &icd) {
  setenv("VK_DRIVER_FILES", icd.c_str(), 1);
  setenv("VK_ICD_FILENAMES", icd.c_str(), 1);
  unsetenv("RADV_FORCE_FAMILY");
  VkApplicationInfo application = {};
  application.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO;
  application.apiVersion = VK_API_VERSION_1_3;
  VkInstanceCreateInfo info = {};
  info.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO;
  info.pApplicationInfo = &application;
  if (Error error = check(vkCreateInstance(&info, nullptr, &instance), "vkCreateInstance"))
    return error;
  uint32_t count = 1;
  vkEnumeratePhysicalDevices(instance, &count, &physical);
  if (!count || !physical)
    return unsupported("RADV does not know this chip");
  features = vulkan::queryFeatures(physical);
  sizes.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DESCRIPTOR_BUFFER_PROPERTIES_EXT;
  VkPhysicalDeviceProperties2 properties = {};
  properties.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2;
  properties.pNext = &sizes;
  vkGetPhysicalDeviceProperties2(physical, &properties);
  if (VK_VERSION_MAJOR(properties.properties.driverVersion) < 25)
    return unsupported(features->description + ": Mesa 25 or newer is needed (ci/deps --peers)");
  if (!features->extensions.contains(VK_EXT_DESCRIPTOR_BUFFER_EXTENSION_NAME))
    return unsupported(features->description + " has no VK_EXT_descriptor_buffer");
  return createDevice();
}

/// Enables all features that the driver offers, and descriptor buffers.
Error RadvDescriptors::State::createDevice() {
  std::vector<const char *> extensions = features->enabledExtensions;
  extensions.push_back(VK_EXT_DESCRIPTOR_BUFFER_EXTENSION_NAME);
  VkPhysicalDeviceDescriptorBufferFeaturesEXT buffers = {};
  buffers.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DESCRIPTOR_BUFFER_FEATURES_EXT;
  buffers.descriptorBuffer = VK_TRUE;
  VkPhysicalDeviceFeatures2 chain = features->chain.core;
  buffers.pNext = std::exchange(chain.pNext, &buffers);
  float priority = 1;
  VkDeviceQueueCreateInfo queue = {};
  queue.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO;
  queue.queueCount = 1;
  queue.pQueuePriorities = &priority;
  VkDeviceCreateInfo info = {};
  info.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO;
  info.pNext = &chain;
  info.queueCreateInfoCount = 1;
  info.pQueueCreateInfos = &queue;
  info.enabledExtensionCount = static_cast<uint32_t>(extensions.size());
  info.ppEnabledExtensionNames = extensions.data();
  if (Error error = check(vkCreateDevice(physical, &info, nullptr, &device), "vkCreateDevice"))
    return error;
  getDescriptor =
      reinterpret_cast<PFN_vkGetDescriptorEXT>(vkGetDeviceProcAddr(device, "vkGetDescriptorEXT"));
  return getDescriptor ? Error::success() : unsupported("RADV has no vkGetDescriptorEXT");
}

RadvDescriptors::RadvDescriptors(std::unique_ptr<State> state) : m_state(std::move(state)) {}
RadvDescriptors::~RadvDescriptors() = default;

/// Unsupported where RADV is not installed. A chip must have been chosen by useFakeChip().
Expected<std::unique_ptr<RadvDescriptors>> RadvDescriptors::create() {
  std::string icd = findVulkanIcd("radeon");
  if (icd.empty())
    return unsupported("RADV is not installed (ci/deps --peers)");
  auto state = std::make_unique<State>();
  if (Error error = state->open(icd))
    return std::move(error);
  return std::unique_ptr<RadvDescriptors>(new RadvDescriptors(std::move(state)));
}

/// Returns the dwords of a descriptor; \p bytes is its size.
std::vector<uint32_t> RadvDescriptors::State::get(VkDescriptorType type, VkDescriptorDataEXT data,
                                                  size_t bytes) const {
  VkDescriptorGetInfoEXT info = {};
  info.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_GET_INFO_EXT;
  info.type = type;
  info.data = data;
  std::vector<uint32_t> words(bytes / 4);
  getDescriptor(device, &info, bytes, words.data());
  return words;
}

/// TexelFormat has Vulkan's numbers.
static VkFormat vulkanFormat(TexelFormat format) {
  return static_cast<VkFormat>(format);
}

/// Depth where the format has both depth and stencil: a view for sampling has one aspect.
static VkImageAspectFlags aspectOf(TexelFormat format) {
  const TexelFormatInfo &info = getTexelFormatInfo(format);
  if (info.find('D'))
    return VK_IMAGE_ASPECT_DEPTH_BIT;
  return info.find('S') ? VK_IMAGE_ASPECT_STENCIL_BIT : VK_IMAGE_ASPECT_COLOR_BIT;
}

/// 3D images have no arrays.
static VkImageViewType viewType(ImageViewKind kind) {
  if (kind.isCube)
    return kind.isArrayed ? VK_IMAGE_VIEW_TYPE_CUBE_ARRAY : VK_IMAGE_VIEW_TYPE_CUBE;
  switch (kind.dimension) {
  case ImageDimension::Dim1D:
    return kind.isArrayed ? VK_IMAGE_VIEW_TYPE_1D_ARRAY : VK_IMAGE_VIEW_TYPE_1D;
  case ImageDimension::Dim2D:
    return kind.isArrayed ? VK_IMAGE_VIEW_TYPE_2D_ARRAY : VK_IMAGE_VIEW_TYPE_2D;
  case ImageDimension::Dim3D:
    return VK_IMAGE_VIEW_TYPE_3D;
  }
  llvm_unreachable("a number that is no ImageDimension");
}

/// An image with optimal tiling and only the usage that the view needs.
static VkImageCreateInfo describeImage(const ImageShape &shape, ImageViewKind view,
                                       TexelFormat format, bool isStorage) {
  VkImageCreateInfo info = {}; // NOLINT(bugprone-invalid-enum-default-initialization)
  info.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO;
  info.flags = view.isCube ? VK_IMAGE_CREATE_CUBE_COMPATIBLE_BIT : 0;
  info.imageType = static_cast<VkImageType>(shape.dimension);
  info.format = vulkanFormat(format);
  info.extent = {shape.width, shape.height, shape.depth};
  info.mipLevels = shape.mipLevels;
  info.arrayLayers = shape.layers;
  info.samples = static_cast<VkSampleCountFlagBits>(shape.samples);
  info.usage = isStorage ? VK_IMAGE_USAGE_STORAGE_BIT : VK_IMAGE_USAGE_SAMPLED_BIT;
  return info;
}

/// Returns no dwords for images that the driver cannot make.
Expected<std::vector<uint32_t>> RadvDescriptors::image(const ImageShape &shape, ImageViewKind view,
                                                       TexelFormat format, uint32_t baseLevel,
                                                       bool isStorage) {
  VkDevice device = m_state->device;
  VkImageCreateInfo info = describeImage(shape, view, format, isStorage);
  VkImageFormatProperties limits = {};
  if (vkGetPhysicalDeviceImageFormatProperties(m_state->physical, info.format, info.imageType,
                                               info.tiling, info.usage, info.flags,
                                               &limits) != VK_SUCCESS ||
      !(limits.sampleCounts & info.samples) || limits.maxMipLevels < info.mipLevels)
    return std::vector<uint32_t>();
  ViewedImage owned(device);
  if (Error error = check(vkCreateImage(device, &info, nullptr, &owned.image), "vkCreateImage"))
    return std::move(error);
  VkMemoryRequirements needs = {};
  vkGetImageMemoryRequirements(device, owned.image, &needs);
  VkMemoryAllocateInfo memory = {};
  memory.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO;
  memory.allocationSize = needs.size;
  memory.memoryTypeIndex = static_cast<uint32_t>(llvm::countr_zero(needs.memoryTypeBits));
  if (Error error =
          check(vkAllocateMemory(device, &memory, nullptr, &owned.memory), "vkAllocateMemory"))
    return std::move(error);
  if (Error error =
          check(vkBindImageMemory(device, owned.image, owned.memory, 0), "vkBindImageMemory"))
    return std::move(error);
  VkImageViewCreateInfo viewInfo = {};
  viewInfo.sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO;
  viewInfo.image = owned.image;
  viewInfo.viewType = viewType(view);
  viewInfo.format = info.format;
  viewInfo.subresourceRange = {aspectOf(format), baseLevel, VK_REMAINING_MIP_LEVELS, 0,
                               VK_REMAINING_ARRAY_LAYERS};
  if (Error error =
          check(vkCreateImageView(device, &viewInfo, nullptr, &owned.view), "vkCreateImageView"))
    return std::move(error);
  VkDescriptorImageInfo bound = {VK_NULL_HANDLE, owned.view, VK_IMAGE_LAYOUT_GENERAL};
  VkDescriptorDataEXT data = {};
  (isStorage ? data.pStorageImage : data.pSampledImage) = &bound;
  return m_state->get(
      isStorage ? VK_DESCRIPTOR_TYPE_STORAGE_IMAGE : VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE, data,
      isStorage ? m_state->sizes.storageImageDescriptorSize
                : m_state->sizes.sampledImageDescriptorSize);
}

/// Returns the dwords as the driver writes them into a descriptor buffer.
Expected<std::vector<uint32_t>> RadvDescriptors::sampler(const Sampler &sampler) {
  VkSamplerCreateInfo info = {};
  info.sType = VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO;
  info.magFilter = static_cast<VkFilter>(sampler.magFilter);
  info.minFilter = static_cast<VkFilter>(sampler.minFilter);
  info.mipmapMode = static_cast<VkSamplerMipmapMode>(sampler.mipFilter);
  info.addressModeU = static_cast<VkSamplerAddressMode>(sampler.address[0]);
  info.addressModeV = static_cast<VkSamplerAddressMode>(sampler.address[1]);
  info.addressModeW = static_cast<VkSamplerAddressMode>(sampler.address[2]);
  info.mipLodBias = sampler.lodBias;
  info.compareEnable = sampler.compare.has_value();
  info.compareOp = static_cast<VkCompareOp>(sampler.compare.value_or(CompareOp::Never));
  info.minLod = sampler.minLod;
  info.maxLod = sampler.maxLod;
  info.borderColor = static_cast<VkBorderColor>(sampler.border);
  info.unnormalizedCoordinates = !sampler.normalized;
  VkSampler made = VK_NULL_HANDLE;
  if (Error error =
          check(vkCreateSampler(m_state->device, &info, nullptr, &made), "vkCreateSampler"))
    return std::move(error);
  VkDescriptorDataEXT data = {};
  data.pSampler = &made;
  std::vector<uint32_t> words =
      m_state->get(VK_DESCRIPTOR_TYPE_SAMPLER, data, m_state->sizes.samplerDescriptorSize);
  vkDestroySampler(m_state->device, made, nullptr);
  return words;
}

/// Returns no dwords for formats that the driver cannot view as this kind. Texel buffers need a
/// format.
std::vector<uint32_t> RadvDescriptors::buffer(BindingKind kind, uint64_t address, uint64_t bytes,
                                              std::optional<TexelFormat> format) {
  VkDescriptorAddressInfoEXT info = {};
  info.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_ADDRESS_INFO_EXT;
  info.address = address;
  info.range = bytes;
  const VkPhysicalDeviceDescriptorBufferPropertiesEXT &sizes = m_state->sizes;
  VkFormatProperties properties = {};
  if (format) {
    info.format = vulkanFormat(*format);
    vkGetPhysicalDeviceFormatProperties(m_state->physical, info.format, &properties);
  }
  VkDescriptorDataEXT data = {};
  data.pStorageBuffer = &info; // All of them are pointers to the same structure.
  switch (kind) {
  case BindingKind::Uniform:
    return m_state->get(VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, data, sizes.uniformBufferDescriptorSize);
  case BindingKind::Storage:
    return m_state->get(VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, data, sizes.storageBufferDescriptorSize);
  case BindingKind::UniformTexelBuffer:
    if (!(properties.bufferFeatures & VK_FORMAT_FEATURE_UNIFORM_TEXEL_BUFFER_BIT))
      return {};
    return m_state->get(VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER, data,
                        sizes.uniformTexelBufferDescriptorSize);
  case BindingKind::StorageTexelBuffer:
    if (!(properties.bufferFeatures & VK_FORMAT_FEATURE_STORAGE_TEXEL_BUFFER_BIT))
      return {};
    return m_state->get(VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER, data,
                        sizes.storageTexelBufferDescriptorSize);
  default:
    return {};
  }
}
