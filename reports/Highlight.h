// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Texts of the field with their words marked for a style sheet. A table of rules a language; what
// no rule knows stays as it is, so that nothing is ever left out.
#pragma once

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"

namespace assay {

enum class Language {
  Plain,
  Spirv, ///< Assembly of SPIRV-Tools.
  Isa,   ///< LLVM's assembly of AMDGPU.
  Amber, ///< AmberScript with GLSL or SPIR-V assembly in it.
  Llvm,  ///< LLVM IR.
  Diff,  ///< The unified format.
};

/// \p text as HTML: escaped, tokens in <span class="t-KIND">.
void writeHighlighted(llvm::raw_ostream &os, llvm::StringRef text, Language language);

} // namespace assay
