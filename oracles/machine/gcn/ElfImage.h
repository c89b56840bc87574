// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A pipeline's ELF made ready to run: its sections at addresses, relocated, with the metadata read
// and the code decoded.
#pragma once

#include "oracles/machine/gcn/CodeImage.h"

namespace assay {
class ElfView;
} // namespace assay

namespace assay::gcn {

/// Loads \p elf for \p target. InvalidInput when the ELF, its relocations or its metadata can't be
/// launched as they stand; Unsupported for a relocation or wave size not known here.
llvm::Expected<CodeImage> loadElf(llvm::ArrayRef<uint8_t> elf, const TargetInfo &target);

/// The chip that the flags of \p elf name. Unsupported for one that is not known here.
llvm::Expected<const TargetInfo *> findElfTarget(const ElfView &elf);

} // namespace assay::gcn
