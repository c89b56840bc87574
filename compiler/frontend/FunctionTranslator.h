// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The body of one SPIR-V function.
#pragma once

#include "compiler/frontend/Translator.h"

namespace assay {

/// Translates one function into the Translator's module. Blocks that control flow can't reach are
/// left out, with whatever they hold.
class FunctionTranslator {
public:
  FunctionTranslator(Translator &translator, const FunctionInstance &instance);
  /// To be called once; the instance's function then has its body.
  llvm::Error run();

private:
  void countMentions();
  unsigned selectorWidth(const spirv::Instruction &terminator) const;
  llvm::Error findReachable();
  void createBlocks(llvm::Function &function);
  void defineParameters();
  llvm::Error translateBlock(const spirv::Block &block);
  llvm::Error checkPointer(const spirv::Instruction &inst, spirv::Id incoming);
  llvm::Error completePhi(const spirv::Instruction &inst, llvm::PHINode *phi);
  llvm::Error completePhis();
  void holdLoops();

  Translator &m_t;
  const FunctionInstance &m_instance;
  const spirv::Function &m_source;
  llvm::DenseSet<spirv::Id> m_reachable; ///< Labels.
};

} // namespace assay
