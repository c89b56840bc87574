// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The reverse of the readers: any Case as one AmberScript that needs no other file.
#pragma once

#include "oracles/api/Case.h"
#include "llvm/Support/Error.h"
#include <string>

namespace assay {

/// \p input as AmberScript with its shaders as SPIR-V assembly, which reads back as the same case
/// except for line numbers and ids. A buffer with bytes that its type can't say (a NaN with a
/// payload, padding that is not 0) becomes one of unsigned integers, byte for byte the same.
/// Unsupported for what a script can't say, with the reason.
llvm::Expected<std::string> writeAmber(const Case &input);

} // namespace assay
