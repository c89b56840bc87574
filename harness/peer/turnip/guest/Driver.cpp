// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/peer/turnip/guest/Driver.h"

#include <algorithm>
#include <cstring>
#include <dlfcn.h>

using namespace assay::turnip;

static constexpr const char *libraryName = "libvulkan_freedreno.so";

/// Throws DriverFailure with the name of the call and the number of the result.
void assay::turnip::check(VkResult result, const char *call) {
  if (result != VK_SUCCESS)
    throw DriverFailure(std::string(call) + ": " + std::to_string(result));
}

/// Throws DriverFailure for functions that the driver lacks.
template <typename T> T Driver::instanceFunction(const char *name) const {
  auto function = reinterpret_cast<T>(m_get(m_instance, name));
  if (!function)
    throw DriverFailure(std::string(name) + " is missing");
  return function;
}

/// Loads the library without a Vulkan loader, through its entry point for loaders.
Driver::Driver(const Request &request) {
  void *library = dlopen(libraryName, RTLD_NOW | RTLD_LOCAL);
  if (!library)
    throw DriverFailure(dlerror());
  m_get = reinterpret_cast<PFN_vkGetInstanceProcAddr>(dlsym(library, "vk_icdGetInstanceProcAddr"));
  if (!m_get)
    throw DriverFailure(std::string(libraryName) + " is no Vulkan driver");
  createInstance();
  query(request);
  createDevice(request);
}

/// Makes an instance of Vulkan 1.3 and takes its first device.
void Driver::createInstance() {
  VkApplicationInfo application = {};
  application.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO;
  application.apiVersion = VK_API_VERSION_1_3;
  VkInstanceCreateInfo info = {};
  info.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO;
  info.pApplicationInfo = &application;
  check(instanceFunction<PFN_vkCreateInstance>("vkCreateInstance")(&info, nullptr, &m_instance),
        "vkCreateInstance");
  uint32_t count = 1;
  auto enumerate = instanceFunction<PFN_vkEnumeratePhysicalDevices>("vkEnumeratePhysicalDevices");
  VkResult result = enumerate(m_instance, &count, &m_physical);
  if (count == 0)
    throw DriverFailure("the driver does not know this chip");
  check(result, "vkEnumeratePhysicalDevices");
}

/// Returns structures of the sizes that \p queries say, each pointing to the next. Moving the outer
/// vector keeps them where they are.
static std::vector<std::vector<uint8_t>> makeChain(const std::vector<StructureQuery> &queries) {
  std::vector<std::vector<uint8_t>> structures;
  for (const StructureQuery &query : queries) {
    if (query.bytes < sizeof(VkBaseOutStructure))
      throw DriverFailure("a structure is too small");
    structures.emplace_back(query.bytes);
    reinterpret_cast<VkBaseOutStructure *>(structures.back().data())->sType =
        VkStructureType(query.type);
  }
  for (size_t i = 1; i < structures.size(); ++i)
    reinterpret_cast<VkBaseOutStructure *>(structures[i - 1].data())->pNext =
        reinterpret_cast<VkBaseOutStructure *>(structures[i].data());
  return structures;
}

/// Returns the bytes of each structure after sType and pNext.
static std::vector<std::vector<uint8_t>> members(const std::vector<std::vector<uint8_t>> &chain) {
  std::vector<std::vector<uint8_t>> result;
  result.reserve(chain.size());
  for (const std::vector<uint8_t> &structure : chain)
    result.emplace_back(structure.begin() + sizeof(VkBaseOutStructure), structure.end());
  return result;
}

/// Fills the answer with the extensions and the requested structures. The structures of features
/// stay, because createDevice() enables what they offer.
void Driver::query(const Request &request) {
  auto enumerate = instanceFunction<PFN_vkEnumerateDeviceExtensionProperties>(
      "vkEnumerateDeviceExtensionProperties");
  uint32_t count = 0;
  check(enumerate(m_physical, nullptr, &count, nullptr), "vkEnumerateDeviceExtensionProperties");
  std::vector<VkExtensionProperties> extensions(count);
  check(enumerate(m_physical, nullptr, &count, extensions.data()),
        "vkEnumerateDeviceExtensionProperties");
  for (const VkExtensionProperties &extension : extensions)
    m_answer.extensions.emplace_back(extension.extensionName);

  m_features = makeChain(request.features);
  if (!m_features.empty())
    instanceFunction<PFN_vkGetPhysicalDeviceFeatures2>("vkGetPhysicalDeviceFeatures2")(
        m_physical, reinterpret_cast<VkPhysicalDeviceFeatures2 *>(m_features[0].data()));
  m_answer.features = members(m_features);
  std::vector<std::vector<uint8_t>> properties = makeChain(request.properties);
  if (!properties.empty())
    instanceFunction<PFN_vkGetPhysicalDeviceProperties2>("vkGetPhysicalDeviceProperties2")(
        m_physical, reinterpret_cast<VkPhysicalDeviceProperties2 *>(properties[0].data()));
  m_answer.properties = members(properties);
}

/// Whether the device lists the extension. The list must have been queried.
bool Driver::hasExtension(const char *name) const {
  return std::find(m_answer.extensions.begin(), m_answer.extensions.end(), name) !=
         m_answer.extensions.end();
}

/// Enables all offered features, the requested extensions that exist, and the one for pipeline
/// statistics. Loads the functions of the device.
void Driver::createDevice(const Request &request) {
  float priority = 1;
  VkDeviceQueueCreateInfo queue = {};
  queue.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO;
  queue.queueCount = 1;
  queue.pQueuePriorities = &priority;
  VkPhysicalDevicePipelineExecutablePropertiesFeaturesKHR executables = {};
  executables.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PIPELINE_EXECUTABLE_PROPERTIES_FEATURES_KHR;
  executables.pNext = m_features.empty() ? nullptr : m_features[0].data();
  executables.pipelineExecutableInfo = VK_TRUE;
  std::vector<const char *> extensions = {"VK_KHR_pipeline_executable_properties"};
  for (const std::string &name : request.extensions)
    if (hasExtension(name.c_str()))
      extensions.push_back(name.c_str());
  VkDeviceCreateInfo info = {};
  info.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO;
  info.pNext = &executables;
  info.queueCreateInfoCount = 1;
  info.pQueueCreateInfos = &queue;
  info.enabledExtensionCount = static_cast<uint32_t>(extensions.size());
  info.ppEnabledExtensionNames = extensions.data();
  check(
      instanceFunction<PFN_vkCreateDevice>("vkCreateDevice")(m_physical, &info, nullptr, &m_device),
      "vkCreateDevice");
  auto get = instanceFunction<PFN_vkGetDeviceProcAddr>("vkGetDeviceProcAddr");
#define X(name)                                                                                    \
  name = reinterpret_cast<PFN_vk##name>(get(m_device, "vk" #name));                                \
  if (!name)                                                                                       \
    throw DriverFailure("vk" #name " is missing");
  TURNIP_FUNCTIONS(X)
#undef X
  GetDeviceQueue(m_device, 0, 0, &m_queue);
}

/// What the driver supports for \p format, by the query of Vulkan 1.0.
VkFormatProperties Driver::formatProperties(VkFormat format) const {
  VkFormatProperties properties = {};
  instanceFunction<PFN_vkGetPhysicalDeviceFormatProperties>("vkGetPhysicalDeviceFormatProperties")(
      m_physical, format, &properties);
  return properties;
}

/// Takes the lowest memory type that suits. The memory may have device addresses.
VkDeviceMemory Driver::allocate(const VkMemoryRequirements &needs) const {
  VkMemoryAllocateFlagsInfo flags = {};
  flags.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO;
  flags.flags = VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT;
  VkMemoryAllocateInfo info = {};
  info.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO;
  info.pNext = &flags;
  info.allocationSize = needs.size;
  info.memoryTypeIndex = static_cast<uint32_t>(__builtin_ctz(needs.memoryTypeBits));
  VkDeviceMemory memory = VK_NULL_HANDLE;
  check(AllocateMemory(m_device, &info, nullptr, &memory), "vkAllocateMemory");
  return memory;
}
