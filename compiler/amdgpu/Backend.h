// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The back-end for AMD GPUs: LLVM's code generator, kept warm.
#pragma once

#include "compiler/api/Target.h"
#include "compiler/lgc/PassDiagnostics.h"
#include "llvm/Support/CodeGen.h"
#include "llvm/Support/Error.h"
#include <memory>
#include <vector>

namespace llvm {
class Module;
class TargetMachine;
} // namespace llvm

namespace assay::amdgpu {

/// Code generation for one target, level and wave size. Building LLVM's pass manager costs more
/// than compiling a small shader, so one is kept; the bytes do not depend on what was compiled
/// before. After an error, LLVM's state is unknown: throw the back-end away.
class Backend {
public:
  /// Environment when the LLVM at hand lacks the target.
  static llvm::Expected<std::unique_ptr<Backend>> create(const CompileOptions &options);
  ~Backend();

  llvm::TargetMachine &getTargetMachine() { return *m_machine; }

  /// Machine code of \p module, as an ELF or as assembler text; changes \p module. \p diagnostics
  /// must be the handler of its context. Unsupported when something is called that nobody defines
  /// (an op that no pass lowered, too) or when LLVM refuses; Limit when a resource is exceeded.
  llvm::Expected<std::vector<uint8_t>> emit(llvm::Module &module, llvm::CodeGenFileType type,
                                            DiagnosticCollector &diagnostics);

private:
  struct Emitter;
  explicit Backend(std::unique_ptr<llvm::TargetMachine> machine);
  llvm::Expected<Emitter *> getEmitter(llvm::CodeGenFileType type);

  std::unique_ptr<llvm::TargetMachine> m_machine;
  std::unique_ptr<Emitter> m_emitters[2]; ///< Assembly, object.
};

/// Unsupported with the names of what \p module uses without a definition.
llvm::Error verifyAllDefined(const llvm::Module &module);

/// Unsupported with the names of the undefined symbols of \p elf.
llvm::Error verifyNoUndefinedSymbols(llvm::ArrayRef<uint8_t> elf);

} // namespace assay::amdgpu
