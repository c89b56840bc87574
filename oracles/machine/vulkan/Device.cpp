// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/machine/vulkan/Device.h"

#include "support/Error.h"
#include "llvm/ADT/STLExtras.h"
#include <cstdlib>

using namespace llvm;
using namespace assay;
using namespace assay::vulkan;

/// Environment with the name of the call and the number of the result, for all but VK_SUCCESS.
Error assay::vulkan::check(VkResult result, const char *call) {
  if (result == VK_SUCCESS)
    return Error::success();
  return environmentError(Twine(call) + " gives VkResult " + Twine(int(result)));
}

/// Destroys in reverse order of creation.
Owner::~Owner() {
  for (auto it = m_destroy.rbegin(); it != m_destroy.rend(); ++it)
    (*it)();
}

/// The layer that is enabled when a message handler is set.
static constexpr const char *validationLayer = "VK_LAYER_KHRONOS_validation";

/// Whether the loader finds layer \p name.
static bool hasLayer(StringRef name) {
  uint32_t count = 0;
  vkEnumerateInstanceLayerProperties(&count, nullptr);
  std::vector<VkLayerProperties> layers(count);
  vkEnumerateInstanceLayerProperties(&count, layers.data());
  return any_of(layers, [&](const VkLayerProperties &layer) { return name == layer.layerName; });
}

/// Debug callback. \p handler is the MessageHandler of the device; VK_FALSE: the call that caused
/// the message is not aborted.
static VKAPI_ATTR VkBool32 VKAPI_CALL passMessage(VkDebugUtilsMessageSeverityFlagBitsEXT,
                                                  VkDebugUtilsMessageTypeFlagsEXT,
                                                  const VkDebugUtilsMessengerCallbackDataEXT *data,
                                                  void *handler) {
  (*static_cast<MessageHandler *>(handler))(data->pMessage);
  return VK_FALSE;
}

/// Passes warnings and errors of the validation layer to m_onMessage.
Error Device::createMessenger() {
  auto create = reinterpret_cast<PFN_vkCreateDebugUtilsMessengerEXT>(
      vkGetInstanceProcAddr(m_instance, "vkCreateDebugUtilsMessengerEXT"));
  auto destroy = reinterpret_cast<PFN_vkDestroyDebugUtilsMessengerEXT>(
      vkGetInstanceProcAddr(m_instance, "vkDestroyDebugUtilsMessengerEXT"));
  if (!create || !destroy)
    return unsupported("the validation layer without VK_EXT_debug_utils");
  VkDebugUtilsMessengerCreateInfoEXT info = {};
  info.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT;
  info.messageSeverity = VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT |
                         VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT;
  info.messageType = VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT;
  info.pfnUserCallback = passMessage;
  info.pUserData = &m_onMessage;
  VkDebugUtilsMessengerEXT messenger = VK_NULL_HANDLE;
  if (Error error =
          check(create(m_instance, &info, nullptr, &messenger), "vkCreateDebugUtilsMessengerEXT"))
    return error;
  own([destroy, instance = m_instance, messenger] { destroy(instance, messenger, nullptr); });
  return Error::success();
}

/// With m_onMessage set, the validation layer is on; Unsupported where it is not installed.
/// Unsupported where the loader finds no driver.
Error Device::createInstance() {
  VkApplicationInfo application = {};
  application.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO;
  application.apiVersion = VK_API_VERSION_1_3;
  VkInstanceCreateInfo info = {};
  info.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO;
  info.pApplicationInfo = &application;
  const char *extension = VK_EXT_DEBUG_UTILS_EXTENSION_NAME;
  if (m_onMessage) {
    if (!hasLayer(validationLayer))
      return unsupported(Twine(validationLayer) + " is not installed");
    info.enabledLayerCount = info.enabledExtensionCount = 1;
    info.ppEnabledLayerNames = &validationLayer;
    info.ppEnabledExtensionNames = &extension;
  }
  VkResult result = vkCreateInstance(&info, nullptr, &m_instance);
  if (result == VK_ERROR_INCOMPATIBLE_DRIVER)
    return unsupported("the Vulkan loader finds no driver it can use");
  if (Error error = check(result, "vkCreateInstance"))
    return error;
  own([instance = m_instance] { vkDestroyInstance(instance, nullptr); });
  return m_onMessage ? createMessenger() : Error::success();
}

/// Prefers a family that draws over one that only computes. False if there is neither.
bool Device::findQueueFamily(VkPhysicalDevice physical) {
  uint32_t count = 0;
  vkGetPhysicalDeviceQueueFamilyProperties(physical, &count, nullptr);
  std::vector<VkQueueFamilyProperties> families(count);
  vkGetPhysicalDeviceQueueFamilyProperties(physical, &count, families.data());
  for (VkQueueFlags wanted : {VkQueueFlags(VK_QUEUE_COMPUTE_BIT | VK_QUEUE_GRAPHICS_BIT),
                              VkQueueFlags(VK_QUEUE_COMPUTE_BIT)})
    for (uint32_t i = 0; i < count; ++i)
      if ((families[i].queueFlags & wanted) == wanted) {
        m_queueFamily = i;
        m_canDraw = wanted & VK_QUEUE_GRAPHICS_BIT;
        return true;
      }
  return false;
}

/// Takes the first device with Vulkan 1.3 and a suitable queue.
Error Device::choosePhysicalDevice() {
  uint32_t count = 0;
  vkEnumeratePhysicalDevices(m_instance, &count, nullptr);
  std::vector<VkPhysicalDevice> devices(count);
  if (count)
    vkEnumeratePhysicalDevices(m_instance, &count, devices.data());
  for (VkPhysicalDevice device : devices) {
    VkPhysicalDeviceProperties properties;
    vkGetPhysicalDeviceProperties(device, &properties);
    if (properties.apiVersion < VK_API_VERSION_1_3 || !findQueueFamily(device))
      continue;
    m_physical = device;
    m_features = queryFeatures(device);
    return Error::success();
  }
  return unsupported("the driver has no device with Vulkan 1.3 and a compute queue");
}

/// Enables all features and extensions that queryFeatures() found, and makes one queue with its
/// command pool.
Error Device::createDevice() {
  float priority = 1;
  VkDeviceQueueCreateInfo queue = {};
  queue.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO;
  queue.queueFamilyIndex = m_queueFamily;
  queue.queueCount = 1;
  queue.pQueuePriorities = &priority;
  VkDeviceCreateInfo info = {};
  info.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO;
  info.pNext = &m_features->chain.core;
  info.queueCreateInfoCount = 1;
  info.pQueueCreateInfos = &queue;
  info.enabledExtensionCount = static_cast<uint32_t>(m_features->enabledExtensions.size());
  info.ppEnabledExtensionNames = m_features->enabledExtensions.data();
  if (Error error = check(vkCreateDevice(m_physical, &info, nullptr, &m_device), "vkCreateDevice"))
    return error;
  own([device = m_device] { vkDestroyDevice(device, nullptr); });
  vkGetDeviceQueue(m_device, m_queueFamily, 0, &m_queue);

  VkCommandPoolCreateInfo pool = {};
  pool.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO;
  pool.queueFamilyIndex = m_queueFamily;
  if (Error error =
          check(vkCreateCommandPool(m_device, &pool, nullptr, &m_pool), "vkCreateCommandPool"))
    return error;
  own([device = m_device, pool = m_pool] { vkDestroyCommandPool(device, pool, nullptr); });
  return Error::success();
}

/// Sets the loader's environment variables for this process, and switches Mesa's shader cache off.
Expected<std::unique_ptr<Device>> Device::create(const std::string &icd, MessageHandler onMessage) {
  setenv("VK_DRIVER_FILES", icd.c_str(), 1);
  setenv("VK_ICD_FILENAMES", icd.c_str(), 1); // Its name before loader 1.3.207.
  setenv("MESA_SHADER_CACHE_DISABLE", "true", 1);
  std::unique_ptr<Device> device(new Device);
  device->m_onMessage = std::move(onMessage);
  if (Error error = device->createInstance())
    return std::move(error);
  if (Error error = device->choosePhysicalDevice())
    return std::move(error);
  if (Error error = device->createDevice())
    return std::move(error);
  return device;
}

/// Returns the first such type. Unsupported where there is none.
Expected<uint32_t> Device::findMemory(uint32_t typeBits, VkMemoryPropertyFlags properties) const {
  VkPhysicalDeviceMemoryProperties memory;
  vkGetPhysicalDeviceMemoryProperties(m_physical, &memory);
  for (uint32_t i = 0; i < memory.memoryTypeCount; ++i)
    if ((typeBits >> i & 1) && (memory.memoryTypes[i].propertyFlags & properties) == properties)
      return i;
  return unsupported("the device has no memory with property flags " + Twine(properties));
}

/// Every call has a command buffer of its own, which is freed after the queue is idle.
Error Device::execute(function_ref<void(VkCommandBuffer)> record) {
  VkCommandBufferAllocateInfo allocate = {};
  allocate.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO;
  allocate.commandPool = m_pool;
  allocate.level = VK_COMMAND_BUFFER_LEVEL_PRIMARY;
  allocate.commandBufferCount = 1;
  VkCommandBuffer commands = VK_NULL_HANDLE;
  if (Error error = check(vkAllocateCommandBuffers(m_device, &allocate, &commands),
                          "vkAllocateCommandBuffers"))
    return error;
  VkCommandBufferBeginInfo begin = {};
  begin.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO;
  begin.flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT;
  vkBeginCommandBuffer(commands, &begin);
  record(commands);
  Error error = check(vkEndCommandBuffer(commands), "vkEndCommandBuffer");
  if (!error) {
    VkSubmitInfo submit = {};
    submit.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO;
    submit.commandBufferCount = 1;
    submit.pCommandBuffers = &commands;
    error = check(vkQueueSubmit(m_queue, 1, &submit, VK_NULL_HANDLE), "vkQueueSubmit");
  }
  if (!error)
    error = check(vkQueueWaitIdle(m_queue), "vkQueueWaitIdle");
  vkFreeCommandBuffers(m_device, m_pool, 1, &commands);
  return error;
}
