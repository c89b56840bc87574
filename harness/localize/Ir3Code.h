// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What code for Adreno GPUs says of the compiler's last step.
#pragma once

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <optional>
#include <string>

namespace assay {

/// Names of the first and the last pass of the ir3 compiler, which no gate can leave out.
constexpr llvm::StringLiteral ir3SelectPass = "ir3-select", ir3EmitPass = "ir3-emit";

/// Whether \p pass is one of the ir3 compiler.
bool isIr3Pass(llvm::StringRef pass);

/// The first instruction of \p variant (a variant file) that is not what its line of \p assembly
/// (emit phase asm of the same compilation) is for the laboratory's assembler, with both words;
/// nothing where all are. Unsupported for what cannot be read.
llvm::Expected<std::optional<std::string>> findEncodingError(llvm::StringRef variant,
                                                             llvm::StringRef assembly);

} // namespace assay
