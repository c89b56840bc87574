// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/worker/RunPass.h"

#include "compiler/driver/Backends.h"
#include "compiler/driver/Passes.h"
#include "compiler/lgc/PassDiagnostics.h"
#include "support/Error.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Target/TargetMachine.h"

using namespace llvm;
using namespace assay;

/// Fails for targets that are no AMD GPU. All other options have their defaults.
Expected<std::unique_ptr<Backend>> assay::makeBackend(StringRef target) {
  Expected<const TargetInfo *> info = findAmdTarget(target);
  if (!info)
    return info.takeError();
  CompileOptions options;
  options.target = *info;
  return createBackend(options);
}

namespace {
/// The analyses that a pass may ask for. The managers must live as long as passes run, because
/// their proxies refer to each other.
struct PassRunner {
  /// Makes the passes of LLVM and of the project known to the builder.
  explicit PassRunner(TargetMachine &machine) : builder(&machine) {
    registerPasses(builder);
    builder.registerModuleAnalyses(modules);
    builder.registerCGSCCAnalyses(callGraphs);
    builder.registerFunctionAnalyses(functions);
    builder.registerLoopAnalyses(loops);
    builder.crossRegisterProxies(loops, functions, callGraphs, modules);
  }
  LoopAnalysisManager loops;
  FunctionAnalysisManager functions;
  CGSCCAnalysisManager callGraphs;
  ModuleAnalysisManager modules;
  PassBuilder builder;
};
} // namespace

/// As a pipeline's text has it.
static StringRef spellPass(StringRef name) {
  // That it may leave something to do is no fault.
  return name == "instcombine" ? StringRef("instcombine<no-verify-fixpoint>") : name;
}

/// Environment where no pass has this name. Otherwise returns the first error that the pass
/// reported to the context, whose diagnostic handler is reset.
Error assay::runPass(StringRef name, TargetMachine &machine, Module &module) {
  PassRunner runner(machine);
  ModulePassManager passes;
  if (Error error = runner.builder.parsePassPipeline(passes, spellPass(name)))
    return environmentError("LLVM: " + toString(std::move(error)));
  DiagnosticCollector diagnostics;
  diagnostics.attach(module.getContext());
  passes.run(module, runner.modules);
  Error error = diagnostics.takeFirstError();
  module.getContext().setDiagnosticHandler(std::make_unique<DiagnosticHandler>());
  return error;
}
