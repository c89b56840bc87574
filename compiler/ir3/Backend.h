// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The back-end for Adreno GPUs: selection from LLVM IR, then the passes of compiler/ir3/passes.
#pragma once

#include "compiler/api/Backend.h"
#include "compiler/api/Target.h"
#include "compiler/ir3/isa/Compiler.h"
#include "compiler/ir3/passes/Variant.h"
#include "compiler/lgc/PassDiagnostics.h"
#include <memory>

namespace assay::ir3 {

/// Compiles one module for one chip. \p compiler must outlive it.
class Backend final : public assay::Backend {
public:
  Backend(const Compiler &compiler, bool optimize) : m_compiler(compiler), m_optimize(optimize) {}

  llvm::Error setDebugModes(const DebugModes &modes) override;
  llvm::Error addPasses(LoweringStep step, llvm::ModulePassManager &passes,
                        llvm::PassBuilder &builder, const LoweringChoices &choices) override;
  /// Elf: a variant file (VariantFile.h); Metadata: what that says apart from the code, as text;
  /// Assembly: the code in the syntax of Mesa's assembler, or printed IR where the debug modes say
  /// so. The optional passes of the context's gate are left out (passes/Variant.h).
  llvm::Expected<std::vector<uint8_t>> emit(llvm::Module &module, EmitPhase phase,
                                            DiagnosticCollector &diagnostics) override;

private:
  CompileOptions makeOptions(llvm::Module &module, std::string &trace) const;

  const Compiler &m_compiler; ///< The chip.
  const bool m_optimize;      ///< The level is not 0.
  DebugModes m_modes;         ///< Of the last setDebugModes().
};

/// Unsupported for a chip that has no back-end.
llvm::Expected<std::unique_ptr<assay::Backend>> createBackend(const assay::CompileOptions &options);

} // namespace assay::ir3
