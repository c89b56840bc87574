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
  std::vector<std::function<void()>> m_destroy;
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
  llvm::Error createInstance();
  llvm::Error createMessenger();
  bool findQueueFamily(VkPhysicalDevice physical);
  llvm::Error choosePhysicalDevice();
  llvm::Error createDevice();

  VkInstance m_instance = VK_NULL_HANDLE;
  VkPhysicalDevice m_physical = VK_NULL_HANDLE;
  VkDevice m_device = VK_NULL_HANDLE;
  VkQueue m_queue = VK_NULL_HANDLE;
  uint32_t m_queueFamily = 0;
  bool m_canDraw = false;
  MessageHandler m_onMessage;
  VkCommandPool m_pool = VK_NULL_HANDLE;
  std::unique_ptr<DeviceFeatures> m_features;
};

} // namespace assay::vulkan
