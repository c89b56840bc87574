// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The EF_AMDGPU_MACH numbers of e_flags (LLVM's AMDGPUUsage, "ELF Header"; GFX9 and later).
#pragma once

#include "llvm/ADT/StringRef.h"
#include <cstdint>

namespace assay {

struct ElfMachine {
  llvm::StringRef name; ///< "gfx1100".
  unsigned major;       ///< GFX IP major.
  uint8_t mach;         ///< e_flags[7:0].
  bool supportsXnack;   ///< e_flags[9:8] may be other than 0.
  bool supportsSramEcc; ///< e_flags[11:10] may be other than 0.

  /// The chips that PAL treats alike: PAL knows GFX12 only as gfx1201.
  llvm::StringRef family() const { return major == 12 ? "gfx12" : name; }
};

/// The row of \p mach or \p name, or null.
const ElfMachine *findElfMachine(uint8_t mach);
const ElfMachine *findElfMachine(llvm::StringRef name);

} // namespace assay
