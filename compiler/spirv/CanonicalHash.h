// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The hash of a shader by its meaning for the compiler, not by its words.
#pragma once

#include "compiler/api/Pipeline.h"
#include "support/Hash.h"
#include "llvm/Support/Error.h"
#include <vector>

namespace assay::spirv {

/// What the code of a shader depends on.
struct ShaderMeaning {
  Hash128 hash;
  /// The ids of the module-scope variables that the entry point reaches, by their first use: an
  /// order that no order of definitions changes.
  std::vector<uint32_t> variables;
};

/// The hash of everything that the code of \p shader can depend on: what its entry point reaches,
/// with the values of its specialization constants, and the module's version, capabilities and
/// memory model. It does not depend on names, debug information, non-semantic instructions, the
/// numbers of ids, the order of decorations and of the definitions at module scope, or on what the
/// entry point can't reach. So the code may depend on the order of variables in the result, not on
/// that in the module. Does not validate. InvalidInput when the words can't be parsed or have no
/// such entry point.
/// \p isLinked: linking chooses the places of what graphics stages exchange, so that they do not
/// count where each is of one scalar or vector.
llvm::Expected<ShaderMeaning> readMeaning(const ShaderDescription &shader, bool isLinked = true);

/// The hash of readMeaning().
llvm::Expected<Hash128> hashMeaning(const ShaderDescription &shader);

} // namespace assay::spirv
