// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The only place that knows in which order passes run, and why.
#include "compiler/driver/Pipelines.h"

#include "compiler/lgc/BufferUse.h"
#include "compiler/lgc/passes/BuilderReplayer.h"
#include "compiler/lgc/passes/EndUnreachable.h"
#include "compiler/lgc/passes/InlineFunctions.h"
#include "compiler/lgc/passes/LowerBuiltIns.h"
#include "compiler/lgc/passes/LowerPrivateGlobals.h"
#include "compiler/lgc/passes/OptBufferAlignment.h"
#include "compiler/lgc/passes/OptInvariantLoads.h"
#include "compiler/lgc/passes/OptLoopExits.h"
#include "compiler/lgc/passes/OptSwitches.h"
#include "llvm/Transforms/IPO/GlobalDCE.h"
#include "llvm/Transforms/InstCombine/InstCombine.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/GVN.h"
#include "llvm/Transforms/Scalar/IndVarSimplify.h"
#include "llvm/Transforms/Scalar/LoopDeletion.h"
#include "llvm/Transforms/Scalar/LoopPassManager.h"
#include "llvm/Transforms/Scalar/LoopRotation.h"
#include "llvm/Transforms/Scalar/LoopUnrollPass.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Scalar/SeparateConstOffsetFromGEP.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"
#include "llvm/Transforms/Scalar/StraightLineStrengthReduce.h"
#include "llvm/Transforms/Vectorize/LoadStoreVectorizer.h"

using namespace llvm;
using namespace assay;

namespace {
/// GlobalDCE that a pass gate must not leave out: later passes rely on what it removes.
struct RemoveUnusedGlobals : PassInfoMixin<RemoveUnusedGlobals> {
  PreservedAnalyses run(Module &module, ModuleAnalysisManager &analyses) {
    return GlobalDCEPass().run(module, analyses);
  }
  static StringRef name() { return GlobalDCEPass::name(); }
  static bool isRequired() { return true; }
};
} // namespace

namespace {
/// Calls a function for a module with fat pointers, so that the choice of the lowering becomes a
/// step of its hash chains. Changes nothing in the code.
class UseLowering : public PassInfoMixin<UseLowering> {
public:
  explicit UseLowering(std::function<void(Module &)> use) : m_use(std::move(use)) {}
  PreservedAnalyses run(Module &module, ModuleAnalysisManager &) {
    if (any_of(module, usesFatPointers))
      m_use(module);
    return PreservedAnalyses::all();
  }
  static bool isRequired() { return true; }

private:
  std::function<void(Module &)> m_use;
};
} // namespace

/// All that needs no architecture: from here on there is one function, and the only ops are those
/// that architectures lower. With \p optimize, loads that nothing overwrites are marked invariant.
static void addNeutralLowering(ModulePassManager &passes, bool optimize) {
  passes.addPass(BuilderReplayer());
  passes.addPass(InlineFunctions());
  passes.addPass(RemoveUnusedGlobals());
  // From here on there is one function.
  passes.addPass(LowerPrivateGlobals());
  passes.addPass(LowerBuiltIns());
  if (optimize) // While addresses tell which binding they are of, and ops what accesses memory.
    passes.addPass(createModuleToFunctionPassAdaptor(OptInvariantLoads()));
}

/// Returns the optimizations that pay for one inlined function. LLVM's O2 pipeline takes twice the
/// time and saves six percent of the executed instructions (corpora/compute, gfx900 and gfx1100).
static FunctionPassManager makeOptimizations() {
  FunctionPassManager passes;
  passes.addPass(createFunctionToLoopPassAdaptor(LoopRotatePass()));
  LoopPassManager loops;
  loops.addPass(IndVarSimplifyPass());
  loops.addPass(LoopDeletionPass());
  loops.addPass(LoopFullUnrollPass());
  passes.addPass(createFunctionToLoopPassAdaptor(std::move(loops)));
  // Arrays that are indexed by the counters of unrolled loops.
  passes.addPass(SROAPass(SROAOptions::ModifyCFG));
  passes.addPass(EarlyCSEPass(/*UseMemorySSA=*/true));
  passes.addPass(InstCombinePass());
  passes.addPass(SimplifyCFGPass());
  passes.addPass(OptSwitches());
  passes.addPass(OptLoopExits());
  return passes;
}

/// What the code generator does to addresses at its higher levels, as long as they are pointers,
/// except for NaryReassociate and EarlyCSE: without them, and without EarlyCSE after the lowering,
/// the number of instructions of no shader of corpora/compute changes (gfx1100). GVN's partial
/// redundancies would cost more instructions than they save.
static FunctionPassManager makeAddressOptimizations(const PipelineChoices &choices) {
  FunctionPassManager passes;
  passes.addPass(SeparateConstOffsetFromGEPPass());
  passes.addPass(StraightLineStrengthReducePass());
  passes.addPass(GVNPass(GVNOptions().setPRE(false).setLoadPRE(false)));
  if (choices.mergeAccesses) {
    passes.addPass(OptBufferAlignment());
    passes.addPass(LoadStoreVectorizerPass());
  }
  return passes;
}

/// Returns passes that make constants of what only looks like a dynamic offset into the push
/// constants. They run before the entry point's signature is made.
static FunctionPassManager makeSimplification() {
  FunctionPassManager passes;
  passes.addPass(SROAPass(SROAOptions::ModifyCFG));
  passes.addPass(EarlyCSEPass(/*UseMemorySSA=*/true));
  passes.addPass(InstCombinePass());
  passes.addPass(SimplifyCFGPass());
  return passes;
}

/// Returns the whole middle-end for \p backend. The first error of the back-end ends its steps and
/// is returned.
Expected<ModulePassManager> assay::makePipeline(Backend &backend, PassBuilder &builder,
                                                const PipelineChoices &choices) {
  ModulePassManager passes;
  Error error = Error::success();
  auto addLowering = [&](LoweringStep step) {
    if (!error)
      error = backend.addPasses(step, passes, builder, choices);
  };
  addNeutralLowering(passes, choices.optimize);
  addLowering(LoweringStep::Ops);
  // From here on the only ops are addresses and built-ins at the start of the entry point.
  if (choices.optimize)
    passes.addPass(createModuleToFunctionPassAdaptor(makeSimplification()));
  addLowering(LoweringStep::EntryPoint);
  // From here on there are no ops. Buffers are fat pointers still, which LLVM's optimiser
  // understands.
  if (choices.optimize) {
    passes.addPass(createModuleToFunctionPassAdaptor(makeOptimizations()));
    addLowering(LoweringStep::LocalMemory);
    // Before either lowering: a buffer's loads and stores are buffer instructions after it, of
    // which LLVM's optimiser knows less.
    passes.addPass(createModuleToFunctionPassAdaptor(makeAddressOptimizations(choices)));
  }
  // Code that the optimizations found to be undefined ends, too, though without exports.
  passes.addPass(createModuleToFunctionPassAdaptor(EndUnreachable()));
  if (choices.useLowering)
    passes.addPass(UseLowering(choices.useLowering));
  addLowering(LoweringStep::Memory);
  if (choices.optimize)
    passes.addPass(GlobalDCEPass());
  if (error)
    return std::move(error);
  return passes;
}

/// Returns the passes that bring a graphics stage to one function before linking. They run at every
/// level, and end with simplification.
ModulePassManager assay::makeStagePreparation() {
  ModulePassManager passes;
  passes.addPass(BuilderReplayer());
  passes.addPass(InlineFunctions());
  passes.addPass(RemoveUnusedGlobals());
  // From here on there is one function.
  passes.addPass(LowerPrivateGlobals());
  passes.addPass(LowerBuiltIns());
  // At every level: outputs that nobody writes must be seen to be poison.
  passes.addPass(createModuleToFunctionPassAdaptor(makeSimplification()));
  // Before the exports, which are placed where a function returns.
  passes.addPass(createModuleToFunctionPassAdaptor(EndUnreachable()));
  return passes;
}

/// Returns the optimizations of a linked stage that need no architecture.
ModulePassManager assay::makeStageOptimization() {
  ModulePassManager passes;
  passes.addPass(createModuleToFunctionPassAdaptor(makeSimplification()));
  passes.addPass(createModuleToFunctionPassAdaptor(makeOptimizations()));
  return passes;
}
