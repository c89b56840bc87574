// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The passes that read other stages. Each works on one stage and sees the others through its view.
#pragma once

#include "compiler/lgc/link/TrackedView.h"
#include "llvm/IR/Module.h"

namespace assay {

/// Makes inputs of the built-ins of a fragment shader that the preceding stage provides like any
/// output: distances, layer, viewport, number of the primitive. Reads no other stage.
void importBuiltIns(llvm::Module &module);

/// Makes outputs of them in a vertex shader, at the same places. Reads no other stage: linkOutputs
/// removes what is not read.
void exportBuiltIns(llvm::Module &module);

/// Fragment inputs that the preceding stage does not write become 0 (any value is allowed:
/// Vulkan 1.3, "Shader Interfaces"), those of which it writes one constant become that constant. A
/// constant that is interpolated must be finite.
void linkInputs(llvm::Module &module, TrackedView &view);

/// Removes the vertex outputs that the next stage does not read, and moves the others to where it
/// expects them. Built-ins stay: fixed-function hardware reads them.
void linkOutputs(llvm::Module &module, TrackedView &view);

/// Moves the fragment inputs to their packed places. Reads no other stage.
void packOwnInputs(llvm::Module &module, const OwnInterface &own);

} // namespace assay
