// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where the texels of an image are in the buffer that Vulkan copies them from and to. Vulkan
// copies depth and stencil apart (Vulkan 1.3, "Copying Data Between Buffers and Images"); a Case
// has both in one texel (oracles/api/TexelFormat.h).
#pragma once

#include "oracles/api/Case.h"
#include <vulkan/vulkan.h>

namespace assay::vulkan {

/// One copy: a level, all its layers, one aspect.
struct TexelPlane {
  VkBufferImageCopy copy = {};
  uint64_t texels = 0;
  uint64_t caseOffset = 0;   ///< Of the first texel, in the Case's bytes.
  unsigned caseStride = 0;   ///< Bytes from a texel to the next.
  unsigned bytes = 0;        ///< Of a texel that mean something.
  unsigned stagedStride = 0; ///< Bytes from a texel to the next in Vulkan's buffer.
};

/// The copies of image \p source.
std::vector<TexelPlane> getTexelPlanes(const Buffer &source);
/// Bytes that Vulkan's buffer needs for \p planes.
uint64_t getStagedBytes(const std::vector<TexelPlane> &planes);

/// Copies texels between the bytes of a Case and Vulkan's buffer. Bytes of the Case that mean
/// nothing stay as they are.
void stageTexels(const std::vector<TexelPlane> &planes, const uint8_t *bytes, uint8_t *staged);
void unstageTexels(const std::vector<TexelPlane> &planes, const uint8_t *staged, uint8_t *bytes);

} // namespace assay::vulkan
