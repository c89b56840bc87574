// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/driver/Passes.h"

#include "compiler/driver/Pipelines.h"
#include "compiler/lgc/fat_pointers/LowerBufferFatPointers.h"
#include "compiler/lgc/passes/BuilderReplayer.h"
#include "compiler/lgc/passes/InlineFunctions.h"
#include "compiler/lgc/passes/LowerBuiltIns.h"
#include "compiler/lgc/passes/LowerClock.h"
#include "compiler/lgc/passes/LowerDesc.h"
#include "compiler/lgc/passes/LowerImage.h"
#include "compiler/lgc/passes/LowerPrivateGlobals.h"
#include "compiler/lgc/passes/LowerSubgroups.h"
#include "compiler/lgc/passes/MutateEntryPoint.h"
#include "compiler/lgc/passes/OptBufferAlignment.h"
#include "llvm/Passes/PassBuilder.h"

using namespace llvm;
using namespace assay;

static bool addModulePass(StringRef name, ModulePassManager &passes,
                          ArrayRef<PassBuilder::PipelineElement>) {
#define MODULE_PASS(NAME, CLASS, HELP)                                                             \
  if (name == NAME) {                                                                              \
    passes.addPass(CLASS());                                                                       \
    return true;                                                                                   \
  }
#include "compiler/driver/Passes.def"
  return false;
}

static bool addFunctionPass(StringRef name, FunctionPassManager &passes,
                            ArrayRef<PassBuilder::PipelineElement>) {
#define FUNCTION_PASS(NAME, CLASS, HELP)                                                           \
  if (name == NAME) {                                                                              \
    passes.addPass(CLASS());                                                                       \
    return true;                                                                                   \
  }
#include "compiler/driver/Passes.def"
  return false;
}

/// The whole middle-end, as the compiler runs it.
static bool addPipeline(StringRef name, ModulePassManager &passes) {
  if (name == "middle-end-o0")
    passes.addPass(makeUnoptimizedPipeline({}));
  else if (name == "middle-end-o2")
    passes.addPass(makeOptimizedPipeline({}));
  else
    return false;
  return true;
}

void assay::registerPasses(PassBuilder &builder) {
  builder.registerPipelineParsingCallback(
      [](StringRef name, ModulePassManager &passes, ArrayRef<PassBuilder::PipelineElement>) {
        return addPipeline(name, passes);
      });
  builder.registerPipelineParsingCallback(addModulePass);
  builder.registerPipelineParsingCallback(addFunctionPass);
}
