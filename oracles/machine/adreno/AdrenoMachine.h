// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The machine "adreno": runs the machine code of Mesa's turnip on a model of an Adreno GPU.
#pragma once

#include "oracles/api/Machine.h"
#include <memory>

namespace assay {

/// A machine for \p target: "a630", "a660" or "a740". Unsupported for any other.
llvm::Expected<std::unique_ptr<Machine>> createAdrenoMachine(llvm::StringRef target);

} // namespace assay
