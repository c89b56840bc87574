// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A pipeline's ELF made ready to run: its sections at addresses, relocated, with the metadata read
// and the code decoded.
#pragma once

#include "oracles/machine/gcn/launch/CodeImage.h"

namespace assay {
class ElfView;
} // namespace assay

namespace assay::gcn {

/// Loads the ELF \p artifact for \p target. InvalidInput when the ELF, its relocations or its
/// metadata can't be launched as they stand; Unsupported for a relocation or wave size not known
/// here.
llvm::Expected<CodeImage> loadElf(const Artifact &artifact, const TargetInfo &target);

/// One entry point of an ELF: the name of its symbol, and what it starts with.
struct EntryPoint {
  std::string symbol;
  LaunchState launch;
};

/// loadElf of several hardware stages: an image for each entry point, in their order.
llvm::Expected<std::vector<CodeImage>> loadEntryPoints(const ElfView &elf, const TargetInfo &target,
                                                       llvm::ArrayRef<EntryPoint> entryPoints);

/// The chip that the flags of \p elf name. Unsupported for one that is not known here.
llvm::Expected<const TargetInfo *> findElfTarget(const ElfView &elf);

} // namespace assay::gcn
