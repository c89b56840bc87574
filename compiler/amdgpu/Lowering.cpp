// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The order of AMD's passes, and why.
#include "compiler/amdgpu/Backend.h"

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
#include "compiler/amdgpu/passes/OptSharedAtomics.h"
#include "compiler/amdgpu/passes/graphics/LowerColorExport.h"
#include "compiler/amdgpu/passes/graphics/LowerFragmentControl.h"
#include "compiler/amdgpu/passes/graphics/LowerFragmentInputs.h"
#include "compiler/amdgpu/passes/graphics/LowerPrimitiveShader.h"
#include "compiler/amdgpu/passes/graphics/LowerVertexBuiltIns.h"
#include "compiler/amdgpu/passes/graphics/LowerVertexExports.h"
#include "compiler/amdgpu/passes/graphics/LowerVertexFetch.h"
#include "compiler/amdgpu/passes/graphics/MutateStageEntryPoint.h"

using namespace llvm;
using namespace assay;
using namespace assay::amdgpu;

/// Those of graphics stages: each looks for its stage. Discards end at returns, which the exports
/// of a fragment shader join.
static void addStageOps(ModulePassManager &passes) {
  passes.addPass(LowerVertexFetch());
  passes.addPass(LowerVertexBuiltIns());
  passes.addPass(LowerVertexExports());
  passes.addPass(LowerPrimitiveShader());
  passes.addPass(LowerFragmentInputs());
  passes.addPass(LowerFragmentControl());
  passes.addPass(LowerColorExport());
}

/// Before any pass of LLVM's could merge two ops whose operands must be constants into one with a
/// phi.
static void addOps(ModulePassManager &passes) {
  passes.addPass(LowerArithmetic());
  passes.addPass(LowerControl());
  passes.addPass(LowerSubgroups());
  passes.addPass(LowerClock());
  addStageOps(passes);
  passes.addPass(LowerDesc());
  passes.addPass(LowerImage());
}

/// Tables: once loops are unrolled. Atomics: while those of buffers are not yet instructions, which
/// the pass would take for its own.
static Error addLocalMemory(ModulePassManager &passes, PassBuilder &builder) {
  passes.addPass(createModuleToFunctionPassAdaptor(OptConstantTables()));
  Expected<OptSharedAtomics> atomics = OptSharedAtomics::create(builder);
  if (!atomics)
    return atomics.takeError();
  passes.addPass(createModuleToFunctionPassAdaptor(std::move(*atomics)));
  return Error::success();
}

/// Adds the lowering of fat pointers unless LLVM's is chosen, and at level 0 that of divisions.
static void addMemory(ModulePassManager &passes, const LoweringChoices &choices) {
  if (!choices.useLlvmLowering)
    passes.addPass(LowerBufferFatPointers({.optimize = choices.optimize}));
  // Last, for it goes by what instruction selection will know. At level 2 LLVM expands divisions
  // before that.
  if (!choices.optimize)
    passes.addPass(createModuleToFunctionPassAdaptor(LowerDivision()));
}

/// Appends the passes of one step.
Error amdgpu::Backend::addPasses(LoweringStep step, ModulePassManager &passes, PassBuilder &builder,
                                 const LoweringChoices &choices) {
  switch (step) {
  case LoweringStep::Ops:
    addOps(passes);
    return Error::success();
  case LoweringStep::EntryPoint:
    passes.addPass(MutateEntryPoint());
    passes.addPass(MutateStageEntryPoint());
    return Error::success();
  case LoweringStep::LocalMemory:
    return addLocalMemory(passes, builder);
  case LoweringStep::Memory:
    addMemory(passes, choices);
    return Error::success();
  }
  llvm_unreachable("all steps have been named");
}
