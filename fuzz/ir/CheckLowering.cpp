// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fuzz/ir/CheckLowering.h"

#include "compiler/amdgpu/fat_pointers/LowerBufferFatPointers.h"
#include "compiler/lgc/PassDiagnostics.h"
#include "oracles/fat_pointer/FatPointerOracle.h"
#include "support/Error.h"
#include "llvm/IR/Verifier.h"
#include "llvm/IRReader/IRReader.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;
using namespace assay;

/// LLVM's for amdgcn (llvm/lib/TargetParser/TargetDataLayout.cpp).
static constexpr StringLiteral layout =
    "e-m:e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:"
    "128:128:48-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-"
    "v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9";
/// The budget of one trial, so that mutated loops end.
static constexpr uint64_t instructionsOfTrial = 50'000;

/// The context keeps a default diagnostic handler afterwards.
std::unique_ptr<Module> assay::fuzz::readModule(ArrayRef<uint8_t> bytes, LLVMContext &context) {
  // Upgrades of old bitcode tell the context, which would end the process at an error.
  DiagnosticCollector diagnostics;
  diagnostics.attach(context);
  SMDiagnostic problem;
  std::string text(bytes.begin(), bytes.end()); // The parser wants a zero after it.
  std::unique_ptr<Module> module = parseIR(MemoryBufferRef(text, "input"), problem, context);
  bool isGood = module && !diagnostics.hasError() && !verifyModule(*module);
  consumeError(diagnostics.takeFirstError());
  context.setDiagnosticHandler(std::make_unique<DiagnosticHandler>());
  if (!isGood)
    return nullptr;
  if (module->getDataLayoutStr().empty())
    module->setDataLayout(layout);
  return module->getDataLayoutStr() == layout ? std::move(module) : nullptr;
}

/// Whether the pass took \p module.
static bool lower(Module &module) {
  for (Function &function : module)
    if (!function.isDeclaration() && !function.hasFnAttribute("target-cpu"))
      function.addFnAttr("target-cpu", "gfx1100");
  DiagnosticCollector diagnostics;
  diagnostics.attach(module.getContext());
  PassBuilder builder;
  LoopAnalysisManager loops;
  FunctionAnalysisManager functions;
  CGSCCAnalysisManager callGraphs;
  ModuleAnalysisManager modules;
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(callGraphs);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, callGraphs, modules);
  ModulePassManager passes;
  passes.addPass(amdgpu::LowerBufferFatPointers());
  passes.run(module, modules);
  bool isTaken = !diagnostics.hasError();
  consumeError(diagnostics.takeFirstError());
  module.getContext().setDiagnosticHandler(std::make_unique<DiagnosticHandler>());
  return isTaken;
}

/// Functions without a target CPU get one in the copy only.
std::string assay::fuzz::checkLowering(Module &module, unsigned trials) {
  std::unique_ptr<Module> after = CloneModule(module);
  if (!lower(*after))
    return "";
  std::string broken;
  raw_string_ostream os(broken);
  if (verifyModule(*after, &os))
    return "FAT-BROKEN: " + broken;
  for (const Finding &finding : checkLowered(*after, &module))
    return finding.rule + ": " + finding.location + ": " + finding.message;
  MeaningOptions options;
  options.trials = trials;
  options.limits.instructions = instructionsOfTrial;
  for (const FunctionMeaning &meaning : compareMeaning(module, *after, options))
    if (meaning.state == State::Fail)
      return meaning.findings.front().rule + ": function " + meaning.function + ": " +
             meaning.reason;
  return "";
}
