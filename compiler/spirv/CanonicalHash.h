// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The hash of a shader by its meaning for the compiler, not by its words.
#pragma once

#include "compiler/api/Pipeline.h"
#include "support/Hash.h"
#include "llvm/Support/Error.h"

namespace assay::spirv {

/// The hash of everything that the code of \p shader can depend on: what its entry point reaches,
/// with the values of its specialization constants, and the module's version, capabilities and
/// memory model. It does not depend on names, debug information, non-semantic instructions, the
/// numbers of ids, the order of decorations and of the definitions at module scope, or on what the
/// entry point can't reach. Does not validate. InvalidInput when the words can't be parsed or have
/// no such entry point.
llvm::Expected<Hash128> hashMeaning(const ShaderDescription &shader);

} // namespace assay::spirv
