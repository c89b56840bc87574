// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPIR-V to LLVM IR with lgc ops: one module per shader stage.
#pragma once

#include "compiler/frontend/FrontendState.h"
#include "compiler/lgc/Builder.h"
#include "compiler/spirv/Module.h"
#include "llvm/IR/Module.h"
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace assay {

/// Translates the entry point of \p shader, of stage Compute, Vertex or Fragment. \p module is its
/// decoded (and validated) SPIR-V. The result holds one function that is no alwaysinline helper,
/// marked by setComputeEntryPoint or setStageEntryPoint;
/// private variables are internal globals in addrspace(5), shared ones in addrspace(3).
/// With Robustness::Access2 no index into a buffer wraps around to a place inside it.
/// InvalidInput: the entry point or a specialization constant does not exist; Unsupported: with the
/// instruction, its id and its place.
llvm::Expected<std::unique_ptr<llvm::Module>>
translateShader(const ShaderDescription &shader, const spirv::Module &module,
                llvm::LLVMContext &context, Builder &builder, const FrontendState &state = {});

/// The built-in of SPIR-V whose value an op that reads \p builtIn is; nothing for a number that is
/// none.
std::optional<spv::BuiltIn> spirvBuiltIn(BuiltIn builtIn);

/// An instruction that a handler of its own translates.
struct TranslatedInstruction {
  spv::Op opcode;
  bool onTexel = false;    ///< An atomic on what OpImageTexelPointer points to.
  uint32_t glslNumber = 0; ///< OpExtInst: of GLSL.std.450; else 0.
  std::string name;        ///< "OpIAdd", "OpAtomicIAdd (texel)", "GLSL.std.450 FAbs".
};

/// All that compute shaders can use, for those who ask what a collection of shaders covers.
std::vector<TranslatedInstruction> translatedInstructions();

} // namespace assay
