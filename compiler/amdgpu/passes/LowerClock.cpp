// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/amdgpu/passes/LowerClock.h"

#include "compiler/dialect/Lgc.h"
#include "compiler/lgc/PassDiagnostics.h"
#include "compiler/lgc/TrackedState.h"

using namespace llvm;
using namespace assay;
using namespace assay::amdgpu;

/// Replaces \p op by LLVM's counter of cycles, or of real time for the device scope and for targets
/// without wide cycle counts.
static void lower(ReadClockOp &op, bool hasWideCycles) {
  IRBuilder<> builder(&op);
  bool isRealTime = op.getIsDevice() || !hasWideCycles;
  Intrinsic::ID clock = isRealTime ? Intrinsic::readsteadycounter : Intrinsic::readcyclecounter;
  op.replaceAllUsesWith(builder.CreateIntrinsic(op.getType(), clock, {}));
  op.eraseFromParent();
}

/// The target is read only if there is an op.
PreservedAnalyses amdgpu::LowerClock::run(Module &module, ModuleAnalysisManager &) {
  struct Collector : LgcVisitor<Collector> {
    SmallVector<ReadClockOp *, 4> ops;
    void visitReadClockOp(ReadClockOp &op) { ops.push_back(&op); }
  };
  Collector collector;
  collector.visit(module);
  if (collector.ops.empty())
    return PreservedAnalyses::all();
  Expected<TrackedState> state = TrackedState::open(module, "lower-clock");
  if (!state) {
    reportError(module.getContext(), state.takeError());
    return PreservedAnalyses::all();
  }
  bool hasWideCycles = state->getTarget().major != 11;
  for (ReadClockOp *op : collector.ops)
    lower(*op, hasWideCycles);
  PreservedAnalyses preserved;
  preserved.preserveSet<CFGAnalyses>();
  return preserved;
}
