// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compiled code made ready to run: its bytes at addresses, what it starts with, and its decoded
// instructions.
#pragma once

#include "oracles/api/Artifact.h"
#include "oracles/machine/gcn/Program.h"
#include "oracles/machine/gcn/launch/LaunchState.h"
#include <memory>

namespace assay::gcn {

/// One loaded section.
struct ImageSection {
  unsigned index = 0;
  uint64_t address = 0;
  std::string name;
  std::vector<uint8_t> bytes;
  bool writable = false;
};

struct CodeImage {
  LaunchState launch;
  std::vector<ImageSection> sections;
  uint32_t entry = NoTarget; ///< Index of the first micro-op.
  std::unique_ptr<Program> program;
};

/// Loads what a compiler made: a PAL ELF, or a shader of RADV.
llvm::Expected<CodeImage> loadCode(const Artifact &artifact, const TargetInfo &target);

/// Decodes and binds \p ranges of \p section, with the registers that \p launch has.
llvm::Expected<std::unique_ptr<Program>> makeProgram(const LaunchState &launch,
                                                     const TargetInfo &target,
                                                     const ImageSection &section,
                                                     llvm::ArrayRef<CodeRange> ranges);

} // namespace assay::gcn
