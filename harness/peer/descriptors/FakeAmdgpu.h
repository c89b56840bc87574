// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The kernel's side of an AMD GPU that does not exist. RADV's null device cannot make images: it
// has no library of surfaces (Mesa 25 crashes in vkCreateImage). So the functions of libdrm and
// libdrm_amdgpu that RADV imports are defined here, for a program that exports them; nothing that
// is submitted runs.
#pragma once

#include "llvm/ADT/StringRef.h"

namespace assay {

/// What the kernel says of a chip.
struct FakeChip {
  llvm::StringLiteral target; ///< LLVM's name: "gfx1030".
  uint32_t family;            ///< AMDGPU_FAMILY_*.
  uint32_t externalRevision;
  uint32_t ipVersion;     ///< Major << 16 | minor << 8 | revision, of the graphics block.
  uint32_t addressConfig; ///< GB_ADDR_CONFIG, which decides tilings.
};

/// One chip of each generation from GFX9 on that has its own form of descriptors.
llvm::ArrayRef<FakeChip> fakeChips();

/// Devices that are opened from now on are \p chip. Call it before Vulkan is used.
void useFakeChip(const FakeChip &chip);

} // namespace assay
