// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Texels of multisample images to and from buffers. Vulkan has no copy command for them, so two
// shaders do it, through views of an unsigned format with texels of the same size.
#pragma once

#include "oracles/machine/vulkan/Pipeline.h"

namespace assay::vulkan {

/// Both copies of one image. A texel's samples stand next to each other in its buffer.
class MultisampleCopy {
public:
  /// For image \p buffer of \p input. Unsupported where no unsigned format has texels of its size,
  /// or the device does not store into multisample images of it.
  static llvm::Expected<std::unique_ptr<MultisampleCopy>>
  create(Device &device, const Resources &resources, const Case &input, unsigned buffer);

  /// Records the copy from the buffer or to it, and barriers against shaders around it.
  void record(VkCommandBuffer commands, bool toImage) const;

private:
  explicit MultisampleCopy(const ImageShape &shape) : m_shape(shape) {}

  ImageShape m_shape;
  CasePipeline m_sources[2];                ///< To the buffer; to the image.
  std::unique_ptr<Pipeline> m_pipelines[2]; ///< In the order of m_sources.
};

} // namespace assay::vulkan
