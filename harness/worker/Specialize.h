// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Modules for those who compile them without their pipeline.
#pragma once

#include "compiler/api/Pipeline.h"
#include "llvm/ADT/ArrayRef.h"
#include <vector>

namespace assay {

/// The words of \p shader's module in which each constant that it specialises has that value for
/// its default. A module that is not well formed stays as it is from there on.
std::vector<uint32_t> specializeDefaults(const ShaderDescription &shader);

} // namespace assay
