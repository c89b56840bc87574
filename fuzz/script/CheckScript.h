// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What must hold for the readers of AmberScript and VkScript on any text. Knows no fuzz engine.
#pragma once

#include "llvm/ADT/StringRef.h"
#include <string>

namespace assay::fuzz {

/// True for a script with a shader in GLSL, or one that might be. Its compiler, glslang, is not
/// made for hostile text, and is not ours.
bool mayHaveGlsl(llvm::StringRef text);

/// Reads \p text as the language that its first lines say, and writes what it read. Returns what is
/// wrong; empty: nothing. Wrong is: a refusal for lack of a file or program, or without the line; a
/// case whose own indices lead outside of it; a case that the writer takes, but whose script reads
/// as another case, or, from the second time on, writes as another script.
std::string checkScript(llvm::StringRef text);

} // namespace assay::fuzz
