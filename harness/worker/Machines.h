// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How the machines of the registry are made.
#pragma once

#include "oracles/api/Machine.h"

namespace assay {

/// The machine called \p name, for code of \p target where it runs code. Unsupported for one that
/// this build does not have, and for a target that is not known.
llvm::Expected<std::unique_ptr<Machine>> createMachine(llvm::StringRef name,
                                                       llvm::StringRef target);

/// Whether there is a row that makes \p name.
bool canCreateMachine(llvm::StringRef name);

} // namespace assay
