// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A pipeline's ELF made ready to run: its sections at addresses, relocated, with the metadata read
// and the code decoded.
#pragma once

#include "compiler/api/Target.h"
#include "oracles/machine/gcn/Program.h"
#include "oracles/pal_elf/ElfView.h"
#include "oracles/pal_elf/Metadata.h"

namespace assay::gcn {

/// One loaded section.
struct ImageSection {
  unsigned index = 0;
  uint64_t address = 0;
  std::string name;
  std::vector<uint8_t> bytes;
  bool writable = false;
};

struct ElfImage {
  HardwareStageMetadata stage;
  ComputeRegisters compute;
  unsigned waveSize = 64;
  std::vector<ImageSection> sections;
  uint32_t entry = NoTarget; ///< Index of the first micro-op.
  std::unique_ptr<Program> program;
};

/// Loads \p elf for \p target. InvalidInput when the ELF, its relocations or its metadata can't be
/// launched as they stand; Unsupported for a relocation or wave size not known here.
llvm::Expected<ElfImage> loadElf(llvm::ArrayRef<uint8_t> elf, const TargetInfo &target);

} // namespace assay::gcn
