// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// turnip, loaded without a Vulkan loader, with one device.
#pragma once

#include "harness/peer/turnip/Protocol.h"
#include <stdexcept>
#include <vulkan/vulkan.h>

namespace assay::turnip {

/// What a call of the driver failed with.
class DriverFailure : public std::runtime_error {
public:
  using runtime_error::runtime_error;
};

/// What the driver does not offer.
class NotOffered : public DriverFailure {
public:
  using DriverFailure::DriverFailure;
};

/// Throws for anything but VK_SUCCESS.
void check(VkResult result, const char *call);

/// The functions that are called, by their names without vk.
#define TURNIP_FUNCTIONS(X)                                                                        \
  X(AllocateCommandBuffers)                                                                        \
  X(AllocateDescriptorSets)                                                                        \
  X(AllocateMemory)                                                                                \
  X(BeginCommandBuffer)                                                                            \
  X(BindBufferMemory)                                                                              \
  X(BindImageMemory)                                                                               \
  X(CmdBindDescriptorSets)                                                                         \
  X(CmdBindPipeline)                                                                               \
  X(CmdDispatchBase)                                                                               \
  X(CmdPushConstants)                                                                              \
  X(CreateBuffer)                                                                                  \
  X(CreateBufferView)                                                                              \
  X(CreateCommandPool)                                                                             \
  X(CreateComputePipelines)                                                                        \
  X(CreateDescriptorPool)                                                                          \
  X(CreateDescriptorSetLayout)                                                                     \
  X(CreateImage)                                                                                   \
  X(CreateImageView)                                                                               \
  X(CreatePipelineLayout)                                                                          \
  X(CreateSampler)                                                                                 \
  X(CreateShaderModule)                                                                            \
  X(DestroyBufferView)                                                                             \
  X(DestroyCommandPool)                                                                            \
  X(DestroyDescriptorPool)                                                                         \
  X(DestroyDescriptorSetLayout)                                                                    \
  X(DestroyImageView)                                                                              \
  X(DestroyPipeline)                                                                               \
  X(DestroyPipelineLayout)                                                                         \
  X(DestroyShaderModule)                                                                           \
  X(EndCommandBuffer)                                                                              \
  X(GetBufferDeviceAddress)                                                                        \
  X(GetBufferMemoryRequirements)                                                                   \
  X(GetDeviceQueue)                                                                                \
  X(GetImageMemoryRequirements)                                                                    \
  X(GetImageSubresourceLayout)                                                                     \
  X(GetPipelineExecutableInternalRepresentationsKHR)                                               \
  X(GetPipelineExecutableStatisticsKHR)                                                            \
  X(QueueSubmit)                                                                                   \
  X(QueueWaitIdle)                                                                                 \
  X(UpdateDescriptorSets)

/// The driver's functions and one device. Failed calls throw DriverFailure. Nothing is destroyed:
/// the process ends with it.
class Driver {
public:
  /// Loads turnip and makes a device with all features and \p request's extensions.
  explicit Driver(const Request &request);

  const DeviceAnswer &answer() const { return m_answer; }
  VkDevice device() const { return m_device; }
  VkQueue queue() const { return m_queue; }
  /// Whether the device offers the extension, enabled or not.
  bool hasExtension(const char *name) const;
  VkFormatProperties formatProperties(VkFormat format) const;
  /// Memory of its own for a resource with \p needs.
  VkDeviceMemory allocate(const VkMemoryRequirements &needs) const;

#define X(name) PFN_vk##name name = nullptr;
  TURNIP_FUNCTIONS(X)
#undef X

private:
  /// Sets m_instance and m_physical. Throws if the driver does not know the chip.
  void createInstance();
  /// Fills the answer with extensions, and with the structures that \p request names.
  void query(const Request &request);
  /// Enables all features that query() found, and loads the device's functions.
  void createDevice(const Request &request);
  /// Throws if the driver does not have \p name.
  template <typename T> T instanceFunction(const char *name) const;

  PFN_vkGetInstanceProcAddr m_get = nullptr;
  VkInstance m_instance = VK_NULL_HANDLE;
  VkPhysicalDevice m_physical = VK_NULL_HANDLE;
  VkDevice m_device = VK_NULL_HANDLE;
  VkQueue m_queue = VK_NULL_HANDLE;
  DeviceAnswer m_answer;
  std::vector<std::vector<uint8_t>> m_features; ///< Whole structures, chained.
};

} // namespace assay::turnip
