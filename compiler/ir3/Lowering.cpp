// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The order of the passes for Adreno GPUs, and why.
#include "compiler/ir3/Backend.h"
#include "compiler/ir3/ExpandDivision.h"
#include "compiler/ir3/lower/ExpandOps.h"
#include "compiler/ir3/lower/LowerSubgroups.h"
#include "compiler/ir3/lower/PromoteNarrow.h"
#include "compiler/ir3/lower/SplitPointers.h"
#include "llvm/Transforms/Scalar/DCE.h"
#include "llvm/Transforms/Utils/LowerSwitch.h"

using namespace llvm;
using namespace assay;

/// Adds all passes of the back-end at the step of memory lowering, and none at other steps.
Error ir3::Backend::addPasses(LoweringStep step, ModulePassManager &passes, PassBuilder &,
                              const LoweringChoices &) {
  // Selection takes ops, built-ins and fat pointers as they are.
  if (step != LoweringStep::Memory)
    return Error::success();
  passes.addPass(LowerSubgroups(m_compiler.hasShuffle));
  FunctionPassManager functions;
  functions.addPass(DCEPass()); // What nothing uses may have types without a selection.
  // Before the others: what it makes are accesses, which the next may have to widen.
  functions.addPass(SplitPointers());
  functions.addPass(PromoteNarrow());
  functions.addPass(ExpandDivision());
  functions.addPass(ExpandOps());
  functions.addPass(LowerSwitchPass());
  passes.addPass(createModuleToFunctionPassAdaptor(std::move(functions)));
  return Error::success();
}
