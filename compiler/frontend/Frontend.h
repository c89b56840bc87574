// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPIR-V to LLVM IR with lgc ops: one module per shader stage.
#pragma once

#include "compiler/lgc/Builder.h"
#include "compiler/spirv/Module.h"
#include "llvm/IR/Module.h"
#include <memory>

namespace assay {

/// Translates the entry point of \p shader. \p module is its decoded (and validated) SPIR-V. The
/// result holds one function that is no alwaysinline helper, marked by setComputeEntryPoint;
/// private variables are internal globals in addrspace(5), shared ones in addrspace(3).
/// With Robustness::Access2 no index into a buffer wraps around to a place inside it.
/// InvalidInput: the entry point or a specialization constant does not exist; Unsupported: with the
/// instruction, its id and its place.
llvm::Expected<std::unique_ptr<llvm::Module>>
translateShader(const ShaderDescription &shader, const spirv::Module &module,
                llvm::LLVMContext &context, Builder &builder,
                Robustness robustness = Robustness::None);

} // namespace assay
