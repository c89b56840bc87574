// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The table of back-ends.
#pragma once

#include "compiler/api/Backend.h"
#include "compiler/api/Target.h"
#include <memory>

namespace assay {

/// The back-end of the architecture of \p options' target. Unsupported for an architecture without
/// one; Environment when the LLVM at hand lacks the target.
llvm::Expected<std::unique_ptr<Backend>> createBackend(const CompileOptions &options);

} // namespace assay
