// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What an architecture adds to the compiler: its lowering and its emission. compiler/driver/
// Backends.cpp has the table of all.
#pragma once

#include "compiler/api/DebugModes.h"
#include "compiler/api/Pipeline.h"
#include "llvm/IR/PassManager.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <vector>

namespace llvm {
class PassBuilder;
class TargetMachine;
} // namespace llvm

namespace assay {

class DiagnosticCollector;

/// The places in the middle-end at which an architecture adds passes, in their order.
enum class LoweringStep {
  /// Replaces the ops that depend on the architecture. Afterwards the only ops are addresses and
  /// built-ins at the start of the entry point. There is one function.
  Ops,
  /// Gives the entry point the signature and metadata that hardware and driver call. Afterwards
  /// there are no ops.
  EntryPoint,
  /// At level 2 only. Buffers are fat pointers still, and the optimizations of values are done, so
  /// that the private variables that are left are in memory.
  LocalMemory,
  /// Last: removes fat pointers, unless LLVM is to do it, and whatever else emission cannot take.
  Memory,
};

struct LoweringChoices {
  bool optimize = true;
  /// Buffers stay fat pointers, which LLVM's back-end lowers by itself.
  bool useLlvmLowering = false;
};

/// One architecture, for one target, level and wave size. May keep state between modules (a warm
/// code generator), but no result depends on what was compiled before. After an error from emit()
/// the state is unknown: throw the back-end away.
class Backend {
public:
  virtual ~Backend() = default;

  /// LLVM's machine, for the passes of the middle-end that have a cost model; null where LLVM has
  /// none for the architecture. Owned by the back-end.
  virtual llvm::TargetMachine *getTargetMachine() { return nullptr; }

  /// Of the modules that follow. Unsupported for modes that the architecture lacks.
  virtual llvm::Error setDebugModes(const DebugModes &modes);

  /// Adds the passes of \p step to \p passes. \p builder is one of getTargetMachine(). Environment
  /// where LLVM lacks a pass.
  virtual llvm::Error addPasses(LoweringStep step, llvm::ModulePassManager &passes,
                                llvm::PassBuilder &builder, const LoweringChoices &choices) = 0;

  /// The result of \p phase, one of those that follow Llvm; changes \p module, which has been
  /// through all steps. \p diagnostics must be the handler of its context. Unsupported when a
  /// function without a definition is called (also an op that no pass lowered), when LLVM refuses,
  /// or when the architecture has no such phase; Limit when a resource is exceeded.
  virtual llvm::Expected<std::vector<uint8_t>> emit(llvm::Module &module, EmitPhase phase,
                                                    DiagnosticCollector &diagnostics) = 0;
};

} // namespace assay
