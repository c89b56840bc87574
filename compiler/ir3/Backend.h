// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The back-end for Adreno GPUs: selection from LLVM IR, then the passes of compiler/ir3/passes.
#pragma once

#include "compiler/api/Backend.h"
#include "compiler/api/Target.h"
#include "compiler/ir3/isa/Compiler.h"
#include "compiler/lgc/PassDiagnostics.h"
#include <memory>

namespace assay::ir3 {

class Backend final : public assay::Backend {
public:
  Backend(const Compiler &compiler, bool optimize) : m_compiler(compiler), m_optimize(optimize) {}

  llvm::Error addPasses(LoweringStep step, llvm::ModulePassManager &passes,
                        llvm::PassBuilder &builder, const LoweringChoices &choices) override;
  /// Elf: a variant file (VariantFile.h); Metadata: what that says apart from the code, as text;
  /// Assembly: the printed IR with registers, as it is encoded.
  llvm::Expected<std::vector<uint8_t>> emit(llvm::Module &module, EmitPhase phase,
                                            DiagnosticCollector &diagnostics) override;

private:
  const Compiler &m_compiler;
  const bool m_optimize;
};

/// Unsupported for a chip that has no back-end.
llvm::Expected<std::unique_ptr<assay::Backend>> createBackend(const assay::CompileOptions &options);

} // namespace assay::ir3
