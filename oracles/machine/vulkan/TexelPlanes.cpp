// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/machine/vulkan/TexelPlanes.h"

#include "llvm/Support/MathExtras.h"
#include <cstring>

using namespace llvm;
using namespace assay;
using namespace assay::vulkan;

namespace {
/// One aspect of a format: where it is in a texel.
struct Aspect {
  VkImageAspectFlags aspect;
  unsigned offset, bytes, stagedStride;
};
} // namespace

/// Depth before stencil; a format with neither is one colour aspect with whole texels.
static std::vector<Aspect> getAspectsOf(const TexelFormatInfo &info) {
  std::vector<Aspect> aspects;
  if (const TexelComponent *depth = info.find('D')) // 24 bits are copied as words.
    aspects.push_back({VK_IMAGE_ASPECT_DEPTH_BIT, depth->firstBit / 8u, depth->bits / 8u,
                       static_cast<unsigned>(PowerOf2Ceil(depth->bits / 8))});
  if (const TexelComponent *stencil = info.find('S'))
    aspects.push_back({VK_IMAGE_ASPECT_STENCIL_BIT, stencil->firstBit / 8u, 1, 1});
  if (aspects.empty())
    aspects.push_back({VK_IMAGE_ASPECT_COLOR_BIT, 0, info.bytes, info.bytes});
  return aspects;
}

/// One plane per aspect and level, in this order; staged offsets rise.
std::vector<TexelPlane> assay::vulkan::getTexelPlanes(const Buffer &source) {
  const ImageShape &shape = *source.image;
  const TexelFormatInfo &info = getTexelFormatInfo(*source.texelFormat);
  std::vector<TexelPlane> planes;
  uint64_t staged = 0;
  for (const Aspect &aspect : getAspectsOf(info)) {
    uint64_t first = aspect.offset;
    for (uint32_t level = 0; level < shape.mipLevels; ++level) {
      TexelPlane plane;
      uint64_t bytes = getLevelBytes(shape, *source.texelFormat, level);
      plane.texels = bytes / info.bytes;
      plane.caseOffset = first;
      plane.caseStride = info.bytes;
      plane.bytes = aspect.bytes;
      plane.stagedStride = aspect.stagedStride;
      plane.copy.bufferOffset = staged;
      plane.copy.imageSubresource = {aspect.aspect, level, 0, shape.layers};
      plane.copy.imageExtent = {std::max(1u, shape.width >> level),
                                std::max(1u, shape.height >> level),
                                std::max(1u, shape.depth >> level)};
      planes.push_back(plane);
      first += bytes;
      // Offsets are multiples of a texel and, for depth and stencil, of four.
      staged += plane.texels * plane.stagedStride;
      if (aspect.aspect != VK_IMAGE_ASPECT_COLOR_BIT)
        staged = alignTo(staged, 4);
    }
  }
  return planes;
}

/// The last plane has the highest offset.
uint64_t assay::vulkan::getStagedBytes(const std::vector<TexelPlane> &planes) {
  const TexelPlane &last = planes.back();
  return alignTo(last.copy.bufferOffset + last.texels * last.stagedStride, 4);
}

void assay::vulkan::stageTexels(const std::vector<TexelPlane> &planes, const uint8_t *bytes,
                                uint8_t *staged) {
  for (const TexelPlane &plane : planes)
    for (uint64_t i = 0; i < plane.texels; ++i)
      std::memcpy(staged + plane.copy.bufferOffset + i * plane.stagedStride,
                  bytes + plane.caseOffset + i * plane.caseStride, plane.bytes);
}

void assay::vulkan::unstageTexels(const std::vector<TexelPlane> &planes, const uint8_t *staged,
                                  uint8_t *bytes) {
  for (const TexelPlane &plane : planes)
    for (uint64_t i = 0; i < plane.texels; ++i)
      std::memcpy(bytes + plane.caseOffset + i * plane.caseStride,
                  staged + plane.copy.bufferOffset + i * plane.stagedStride, plane.bytes);
}
