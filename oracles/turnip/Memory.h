// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Pieces of what turnip made of a pipeline, for its guest program too: no LLVM here.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace assay::turnip {

/// Bytes at an address of the GPU's memory.
struct MemoryRange {
  uint64_t address = 0;
  std::vector<uint8_t> bytes;

  bool operator==(const MemoryRange &) const = default;
};

/// One mip level of a linear image, as in VkSubresourceLayout: byte offset of its first layer from
/// the start of the image, bytes of a layer, bytes between rows, layers and slices. Of a 3D image
/// turnip gives every level the size of level 0.
struct LevelPlace {
  uint64_t offset = 0, size = 0, rowPitch = 0, arrayPitch = 0, depthPitch = 0;

  bool operator==(const LevelPlace &) const = default;
};

/// Where a buffer or an image is. Nothing else is in the \p bytes that start there.
struct ResourcePlace {
  uint64_t address = 0;
  uint64_t bytes = 0;
  std::vector<LevelPlace> levels; ///< Of an image; empty for a buffer.

  bool operator==(const ResourcePlace &) const = default;
};

/// A number that the driver reports about its code: VK_KHR_pipeline_executable_properties.
struct Statistic {
  std::string name; ///< The driver's: "Instruction Count".
  uint64_t value = 0;

  bool operator==(const Statistic &) const = default;
};

} // namespace assay::turnip
