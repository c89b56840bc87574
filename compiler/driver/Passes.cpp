// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/driver/Passes.h"

#include "compiler/amdgpu/fat_pointers/LowerBufferFatPointers.h"
#include "compiler/amdgpu/passes/LowerArithmetic.h"
#include "compiler/amdgpu/passes/LowerClock.h"
#include "compiler/amdgpu/passes/LowerControl.h"
#include "compiler/amdgpu/passes/LowerDesc.h"
#include "compiler/amdgpu/passes/LowerDivision.h"
#include "compiler/amdgpu/passes/LowerImage.h"
#include "compiler/amdgpu/passes/LowerSubgroups.h"
#include "compiler/amdgpu/passes/MutateEntryPoint.h"
#include "compiler/amdgpu/passes/OptConstantTables.h"
#include "compiler/amdgpu/passes/graphics/LowerColorExport.h"
#include "compiler/amdgpu/passes/graphics/LowerFragmentControl.h"
#include "compiler/amdgpu/passes/graphics/LowerFragmentInputs.h"
#include "compiler/amdgpu/passes/graphics/LowerPrimitiveShader.h"
#include "compiler/amdgpu/passes/graphics/LowerVertexBuiltIns.h"
#include "compiler/amdgpu/passes/graphics/LowerVertexExports.h"
#include "compiler/amdgpu/passes/graphics/LowerVertexFetch.h"
#include "compiler/amdgpu/passes/graphics/MutateStageEntryPoint.h"
#include "compiler/driver/Backends.h"
#include "compiler/driver/Pipelines.h"
#include "compiler/lgc/passes/BuilderReplayer.h"
#include "compiler/lgc/passes/EndUnreachable.h"
#include "compiler/lgc/passes/InlineFunctions.h"
#include "compiler/lgc/passes/LowerBuiltIns.h"
#include "compiler/lgc/passes/LowerPrivateGlobals.h"
#include "compiler/lgc/passes/OptBufferAlignment.h"
#include "compiler/lgc/passes/OptInvariantLoads.h"
#include "compiler/lgc/passes/OptLoopExits.h"
#include "compiler/lgc/passes/OptSwitches.h"
#include "llvm/Passes/PassBuilder.h"

using namespace llvm;
using namespace assay;

/// Adds the module pass called \p name; false where Passes.def has none.
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

/// Adds the function pass called \p name; false where Passes.def has none.
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

/// Adds the whole middle-end as the compiler runs it, for the architecture of AMD GPUs:
/// "middle-end-o0" or "middle-end-o2". Level 2 needs one of their machines. Returns false for
/// another name and where the pipeline can't be made.
static bool addPipeline(PassBuilder &builder, StringRef name, ModulePassManager &passes) {
  PipelineChoices choices;
  choices.optimize = name == "middle-end-o2";
  if (!choices.optimize && name != "middle-end-o0")
    return false;
  CompileOptions options;
  options.target = &getTargets().front();
  Expected<std::unique_ptr<Backend>> backend = createBackend(options);
  if (!backend) {
    consumeError(backend.takeError()); // opt says that it does not know the pipeline.
    return false;
  }
  Expected<ModulePassManager> pipeline = makePipeline(**backend, builder, choices);
  if (!pipeline) {
    consumeError(pipeline.takeError());
    return false;
  }
  passes.addPass(std::move(*pipeline));
  return true;
}

/// Pipelines are tried first, then module passes, then function passes. \p builder must outlive the
/// callbacks.
void assay::registerPasses(PassBuilder &builder) {
  builder.registerPipelineParsingCallback([&builder](StringRef name, ModulePassManager &passes,
                                                     ArrayRef<PassBuilder::PipelineElement>) {
    return addPipeline(builder, name, passes);
  });
  builder.registerPipelineParsingCallback(addModulePass);
  builder.registerPipelineParsingCallback(addFunctionPass);
}

/// Gives each pass of Passes.def its name, so that callbacks can translate class names.
void assay::namePasses(PassInstrumentationCallbacks &callbacks) {
#define MODULE_PASS(NAME, CLASS, HELP) callbacks.addClassToPassName(CLASS::name(), NAME);
#define FUNCTION_PASS(NAME, CLASS, HELP) callbacks.addClassToPassName(CLASS::name(), NAME);
#include "compiler/driver/Passes.def"
}
