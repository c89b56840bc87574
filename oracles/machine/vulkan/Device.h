// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A Vulkan device of one driver, with everything it can do switched on.
#pragma once

#include "oracles/machine/vulkan/Features.h"
#include <functional>

namespace assay::vulkan {

/// Environment error that names \p call, unless \p result is VK_SUCCESS.
llvm::Error check(VkResult result, const char *call);

/// Destroys what it was given, last first.
class Owner {
public:
  Owner() = default;
  ~Owner();
  Owner(const Owner &) = delete;
  Owner &operator=(const Owner &) = delete;
  void own(std::function<void()> destroy) { m_destroy.push_back(std::move(destroy)); }

private:
  std::vector<std::function<void()>> m_destroy; ///< In the order of creation.
};

/// Gets what the validation layer says, a message a call.
using MessageHandler = std::function<void(llvm::StringRef message)>;

/// Instance, device and one queue that computes and, where the device has such a one, draws.
class Device : public Owner {
public:
  /// \p icd is the driver's manifest; the loader gets to know no other. Unsupported when the driver
  /// offers no device with Vulkan 1.3 and a compute queue. With \p onMessage everything is checked
  /// by VK_LAYER_KHRONOS_validation; Unsupported where that is not installed.
  static llvm::Expected<std::unique_ptr<Device>> create(const std::string &icd,
                                                        MessageHandler onMessage = nullptr);

  VkDevice handle() const { return m_device; }
  VkPhysicalDevice physical() const { return m_physical; }
  const DeviceFeatures &features() const { return *m_features; }
  bool canDraw() const { return m_canDraw; } ///< The queue draws.

  /// Index of a memory type out of \p typeBits that has \p properties.
  llvm::Expected<uint32_t> findMemory(uint32_t typeBits, VkMemoryPropertyFlags properties) const;

  /// Records commands with \p record, submits them, and waits for the end.
  llvm::Error execute(llvm::function_ref<void(VkCommandBuffer)> record);

private:
  Device() = default;
  /// Creates the instance, for Vulkan 1.3; with a message handler also the validation layer and the
  /// messenger.
  llvm::Error createInstance();
  /// Sends warnings and errors of validation to m_onMessage, which stays at its address.
  llvm::Error createMessenger();
  /// Sets m_queueFamily and m_canDraw. Prefers a family with graphics; false when there is none
  /// with compute.
  bool findQueueFamily(VkPhysicalDevice physical);
  /// Takes the first device with Vulkan 1.3 and a compute queue, and queries its features.
  llvm::Error choosePhysicalDevice();
  /// Creates the device with every feature and extension of m_features, its queue and the command
  /// pool.
  llvm::Error createDevice();

  VkInstance m_instance = VK_NULL_HANDLE;
  /// Chosen by choosePhysicalDevice(), as are the queue family and the features.
  VkPhysicalDevice m_physical = VK_NULL_HANDLE;
  VkDevice m_device = VK_NULL_HANDLE;
  VkQueue m_queue = VK_NULL_HANDLE;
  uint32_t m_queueFamily = 0;
  bool m_canDraw = false;
  /// Null without validation. The messenger has a pointer to it.
  MessageHandler m_onMessage;
  VkCommandPool m_pool = VK_NULL_HANDLE;
  std::unique_ptr<DeviceFeatures> m_features;
};

} // namespace assay::vulkan
