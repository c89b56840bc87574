// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The buffers, images and samplers of a case on a Vulkan device.
#pragma once

#include "oracles/api/Outcome.h"
#include "oracles/machine/vulkan/Device.h"
#include "oracles/machine/vulkan/TexelPlanes.h"

namespace assay::vulkan {

/// One buffer of the case in memory that host and device share; for an image, the place its texels
/// come from and go to.
struct DeviceBuffer {
  VkBuffer buffer = VK_NULL_HANDLE;
  uint8_t *mapped = nullptr;   ///< For the life of the buffer.
  uint64_t size = 0;           ///< In bytes, at least 4.
  VkDeviceAddress address = 0; ///< 0 where the device has no addresses.
  VkImage image = VK_NULL_HANDLE;
  std::vector<TexelPlane> planes; ///< Of an image with one sample.
};

/// Buffers and samplers by their index in the case. The device and the case must outlive it.
class Resources : public Owner {
public:
  /// Unsupported for a format or shape the device lacks.
  static llvm::Expected<std::unique_ptr<Resources>> create(Device &device, const Case &input);

  const DeviceBuffer &buffer(unsigned index) const { return m_buffers[index]; }
  VkSampler sampler(unsigned index) const { return m_samplers[index]; }

  /// Copies \p buffers to the device's memory; and back after a command.
  void upload(const std::vector<BufferState> &buffers);
  void download(std::vector<BufferState> &buffers) const;
  /// Records the copies between images and their buffers, with barriers; of multisample images
  /// only what comes before the copy.
  void recordUpload(VkCommandBuffer commands) const;
  void recordDownload(VkCommandBuffer commands) const;

private:
  Resources(Device &device, const Case &input) : m_device(device), m_input(input) {}
  /// Creates and maps a buffer of at least 4 bytes, for every use that a buffer may have. For an
  /// image with one sample it has room for the staged texels.
  llvm::Error createBuffer(const Buffer &source, DeviceBuffer &result);
  /// Creates an image with every usage that the format permits. Unsupported for a shape or format
  /// beyond the device's limits.
  llvm::Error createImage(const Buffer &source, DeviceBuffer &result);
  /// Creates \p result, which this owns.
  llvm::Error createSampler(const Sampler &source, VkSampler &result);

  Device &m_device;
  const Case &m_input;
  std::vector<DeviceBuffer> m_buffers; ///< By the number of the case's buffer.
  std::vector<VkSampler> m_samplers;
};

} // namespace assay::vulkan
