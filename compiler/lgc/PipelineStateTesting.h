// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads the state of a pipeline in tests, as no pass may.
#pragma once

#include "compiler/lgc/PipelineState.h"

namespace assay {

class PipelineStateTests {
public:
  static llvm::Expected<PipelineState> read(const llvm::Module &module) {
    return PipelineState::read(module, {});
  }
};

} // namespace assay
