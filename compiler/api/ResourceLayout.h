// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The contract between a compiled pipeline and who launches it: which user data entry holds what,
// and where in a descriptor table each descriptor stands. Vulkan-like: one table per set, push
// constants inline.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <vector>

namespace assay {

/// What a descriptor is to the hardware.
enum class DescriptorKind : uint8_t {
  Buffer,               ///< V#, raw: uniform or storage buffer.
  TexelBuffer,          ///< V#, typed: uniform or storage texel buffer.
  Image,                ///< T#: sampled or storage image.
  Sampler,              ///< S#.
  CombinedImageSampler, ///< T#, then S#.
};

/// "an image", for messages.
llvm::StringRef getDescriptorName(DescriptorKind kind);

/// Dwords of one descriptor of \p kind: 4 for a V# or S#, 8 for a T# (every generation we know).
constexpr uint32_t getDescriptorDwords(DescriptorKind kind) {
  switch (kind) {
  case DescriptorKind::Image:
    return 8;
  case DescriptorKind::CombinedImageSampler:
    return 12;
  default:
    return 4;
  }
}

/// A descriptor the shader can reach.
struct DescriptorBinding {
  uint32_t set = 0;
  uint32_t binding = 0;
  uint32_t count = 1; ///< Array elements; 1 for a plain descriptor; 0 for a runtime array.
  DescriptorKind kind = DescriptorKind::Buffer;
};

/// Elements for which a table has room where the shader declares a runtime array.
constexpr uint32_t runtimeDescriptorCount = 64;

/// A buffer descriptor (V#) has four dwords on every generation we know.
constexpr uint32_t bufferDescriptorDwords = getDescriptorDwords(DescriptorKind::Buffer);

/// One descriptor (array) inside its set's table.
struct DescriptorNode {
  uint32_t binding = 0;
  uint32_t count = 1;
  uint32_t offsetInDwords = 0;                      ///< From the start of the table.
  uint32_t strideInDwords = bufferDescriptorDwords; ///< Between array elements.
  DescriptorKind kind = DescriptorKind::Buffer;
};

/// One set: its table's address (low 32 bits) is user data entry \p userDataEntry.
struct DescriptorTable {
  uint32_t set = 0;
  uint32_t userDataEntry = 0;
  uint32_t sizeInDwords = 0;
  std::vector<DescriptorNode> nodes; ///< Ascending binding.
};

/// Everything the driver passes to one pipeline. User data entries are dwords, counted from 0:
/// first the push constants, one entry a dword, then one entry per descriptor table.
struct ResourceLayout {
  uint32_t pushConstantDwords = 0;     ///< Entries [0, pushConstantDwords).
  std::vector<DescriptorTable> tables; ///< Ascending set.

  uint32_t getUserDataEntries() const {
    return pushConstantDwords + static_cast<uint32_t>(tables.size());
  }
  /// The node of (set, binding), or null. \p table, if given, receives its table.
  const DescriptorNode *find(uint32_t set, uint32_t binding,
                             const DescriptorTable **table = nullptr) const;
};

/// Lays out \p bindings (any order; no (set, binding) twice; a count of 0 gets room for
/// runtimeDescriptorCount) and \p pushConstantBytes (rounded up
/// to dwords). The result depends on nothing else.
ResourceLayout makeResourceLayout(llvm::ArrayRef<DescriptorBinding> bindings,
                                  uint32_t pushConstantBytes);

} // namespace assay
