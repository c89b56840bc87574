// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How graphics pipelines of AMD's GPUs are compiled, where there is a choice.
#pragma once

#include <cstdint>

namespace assay {

/// How the stages become one ELF.
enum class LinkMode : uint8_t {
  Parts,    ///< Linked, compiled each by itself, joined.
  Whole,    ///< Linked, joined in one module, compiled.
  Unlinked, ///< Compiled each without the other one and without the formats of targets and vertex
            ///< attributes; code for these (glue) is added to the joined parts.
};

/// The choices of Compiler::setGraphicsChoices.
struct GraphicsChoices {
  bool useNgg = false; ///< Vertex shaders of GFX10 as primitive shaders, as always from GFX11 on.
  LinkMode linkMode = LinkMode::Parts;
};

} // namespace assay
