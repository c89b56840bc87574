// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The back-end for AMD GPUs: LLVM's code generator, kept warm.
#pragma once

#include "compiler/api/Backend.h"
#include "compiler/api/Target.h"
#include "compiler/lgc/PassDiagnostics.h"
#include "llvm/Support/CodeGen.h"
#include <memory>

namespace assay::amdgpu {

/// Code generation for one target, level and wave size. Building LLVM's pass manager costs more
/// than compiling a small shader, so one is kept; the bytes do not depend on what was compiled
/// before.
class Backend final : public assay::Backend {
public:
  /// Keeps a reference to the target of \p options.
  Backend(std::unique_ptr<llvm::TargetMachine> machine, const CompileOptions &options);
  ~Backend() override;

  llvm::TargetMachine *getTargetMachine() override { return m_machine.get(); }
  llvm::Error addPasses(LoweringStep step, llvm::ModulePassManager &passes,
                        llvm::PassBuilder &builder, const LoweringChoices &choices) override;
  /// Elf: a PAL ELF; Assembly: LLVM's assembler text; Metadata: the ELF's, as YAML.
  llvm::Expected<std::vector<uint8_t>> emit(llvm::Module &module, EmitPhase phase,
                                            DiagnosticCollector &diagnostics) override;

private:
  struct Emitter;
  /// A code generator also remembers the version of the metadata that it first saw.
  enum class Slot : uint8_t { Assembly, Object, PixelObject };
  llvm::Expected<Emitter *> getEmitter(Slot slot);
  /// The bytes of the file. A code generator is kept unless metadata of pixel shaders forbid it.
  llvm::Expected<std::vector<uint8_t>> runEmitter(llvm::Module &module, bool isAssembly,
                                                  DiagnosticCollector &diagnostics);

  std::unique_ptr<llvm::TargetMachine> m_machine;
  const TargetInfo &m_target;
  PalVersion m_palVersion;
  std::unique_ptr<Emitter> m_emitters[3]; ///< By Slot.
};

/// Environment when the LLVM at hand lacks the target.
llvm::Expected<std::unique_ptr<assay::Backend>> createBackend(const CompileOptions &options);

/// Unsupported with the names of what \p module uses without a definition.
llvm::Error verifyAllDefined(const llvm::Module &module);

/// Unsupported with the names of the undefined symbols of \p elf.
llvm::Error verifyNoUndefinedSymbols(llvm::ArrayRef<uint8_t> elf);

} // namespace assay::amdgpu
