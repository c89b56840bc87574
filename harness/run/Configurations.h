// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a diff multiplies out for machines that run what a compiler made: each compiler, machine,
// target, level, wave size and lowering of fat pointers that go together.
#pragma once

#include "harness/run/Diff.h"

namespace assay {

struct DiffConfiguration {
  std::string compiler;
  std::string machine; ///< One that needsCompiler().
  std::string target;
  int optLevel = -1;     ///< -1: the compiler has no levels.
  unsigned waveSize = 0; ///< 0: the target's default.
  FatLowering lowering = FatLowering::Own;
  PalVersion palVersion = PalVersion::V3_0;

  void applyTo(Job &job) const;
};

/// Whether code for \p target has the buffer fat pointers that lowerings differ in.
bool hasFatPointers(llvm::StringRef target);

/// Those of \p options, the compiler's changing slowest and the lowering fastest. A compiler, a
/// machine and a target that do not go together (goTogether) are not combined. Peers have neither
/// levels nor lowerings; DiffOptions::onlyExistingWaves leaves out what targets lack.
std::vector<DiffConfiguration> configurationsOf(const DiffOptions &options);

} // namespace assay
