// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The fixed-function state by the names of Vulkan's members: commands of VkScript, and the
// directive STATE.
#pragma once

#include "compiler/api/GraphicsState.h"
#include "oracles/input/ScriptLines.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <string>
#include <vector>

namespace assay::input {

/// Whether \p word is a key: "cullMode".
bool isGraphicsStateKey(llvm::StringRef word);
/// Whether it is one that VkScript has, too.
bool isVkScriptStateKey(llvm::StringRef word);

/// Reads the value of \p key, which is one, from \p line into \p state. State of blending is that
/// of all colour targets. InvalidInput for a value that is none.
llvm::Error readGraphicsState(LineCursor &line, llvm::StringRef key, GraphicsState &state);

/// Keys with values that turn \p said into \p state, as readGraphicsState() reads them:
/// "cullMode VK_CULL_MODE_BACK_BIT". \p said gets what they say; it still differs from \p state
/// where no key of the directive's own can say it.
std::vector<std::string> printGraphicsState(const GraphicsState &state, GraphicsState &said);

} // namespace assay::input
