// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The outputs of a graphics stage as values at its one return.
#pragma once

#include "compiler/lgc/InOut.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Instructions.h"
#include <map>

namespace assay::amdgpu {

/// An output by location.
struct OutputScalar {
  InOutType type = InOutType::F32;
  llvm::Value *bits = nullptr; ///< i32; poison where nothing was written.
};

struct StageOutputs {
  /// The only return; null where the function never returns: then there are no outputs.
  llvm::ReturnInst *end = nullptr;
  std::map<InOutPlace, OutputScalar> located;
  /// By number of spv::BuiltIn and scalar.
  std::map<std::pair<uint32_t, uint32_t>, llvm::Value *> builtIns;

  /// Null when it is not written.
  llvm::Value *findBuiltIn(uint32_t number, uint32_t scalar = 0) const;
};

/// Gives \p function at most one return, and replaces its ops that write outputs by values there.
StageOutputs takeOutputs(llvm::Function &function);

} // namespace assay::amdgpu
