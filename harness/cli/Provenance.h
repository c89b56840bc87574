// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What this build is made of, by name: for `version`, and for what is sent away.
#pragma once

#include "llvm/Support/Error.h"
#include <string>
#include <utility>
#include <vector>

namespace assay {

using NamedParts = std::vector<std::pair<std::string, std::string>>;

/// Versions of Assay, LLVM, SPIRV-Tools and Mesa, the commit, whether faults can be planted.
NamedParts describeBuild();

/// The operating system, the processor and how many threads it has: those that the system reports.
NamedParts describeHost();

/// The build with the hash of \p program, this one. Environment when it can't be read.
llvm::Expected<NamedParts> describeProvenance(const std::string &program);

} // namespace assay
