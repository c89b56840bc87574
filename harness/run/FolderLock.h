// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Folders that one process at a time works in.
#pragma once

#include "harness/run/Child.h"
#include <optional>
#include <string>

namespace assay {

/// Locks \p folder until what is returned goes away, at the latest with this process: a lock of a
/// dead process is none, and children do not inherit it. Nothing where another process has it. A
/// folder that cannot be opened, or whose file system knows no locks, gives a Descriptor of -1.
std::optional<Descriptor> lockFolder(const std::string &folder);

} // namespace assay
