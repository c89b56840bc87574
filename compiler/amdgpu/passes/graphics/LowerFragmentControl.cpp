// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/amdgpu/passes/graphics/LowerFragmentControl.h"

#include "compiler/amdgpu/passes/WaveOperations.h"
#include "compiler/amdgpu/passes/graphics/StageFacts.h"
#include "compiler/amdgpu/passes/graphics/StageInputs.h"
#include "compiler/lgc/Builder.h"
#include "compiler/lgc/PassDiagnostics.h"
#include "compiler/lgc/TrackedState.h"
#include "support/Error.h"
#include "support/Fault.h"
#include "llvm/IR/IntrinsicsAMDGPU.h"

using namespace llvm;
using namespace assay;
using namespace assay::amdgpu;

namespace {
/// Which lanes of a quad a derivative is the difference of: controls of data-parallel primitives.
struct DerivativeRow {
  Derivative kind;
  uint32_t minuend, subtrahend;
};
} // namespace

/// Returns the DPP control by which lanes 0 to 3 of each quad read lanes \p a to \p d.
static constexpr uint32_t quad(uint32_t a, uint32_t b, uint32_t c, uint32_t d) {
  return a | b << 2 | c << 4 | d << 6;
}

/// Lanes 0 and 1 are the upper row. Without a suffix, coarse ones: one instruction, for both
/// operands are the same in all lanes.
static constexpr DerivativeRow derivatives[] = {
    {Derivative::X, quad(1, 1, 1, 1), quad(0, 0, 0, 0)},
    {Derivative::Y, quad(2, 2, 2, 2), quad(0, 0, 0, 0)},
    {Derivative::XFine, quad(1, 1, 3, 3), quad(0, 0, 2, 2)},
    {Derivative::YFine, quad(2, 3, 2, 3), quad(0, 1, 0, 1)},
    {Derivative::XCoarse, quad(1, 1, 1, 1), quad(0, 0, 0, 0)},
    {Derivative::YCoarse, quad(2, 2, 2, 2), quad(0, 0, 0, 0)},
};

namespace {
/// Replaces ops in place; notes whether invocations may be killed.
class Lowering : public LgcVisitor<Lowering> {
public:
  explicit Lowering(TrackedState &state)
      : m_target(state.getTarget()), m_waveSize(state.getWaveSize()) {}

  void visitDerivativeOp(DerivativeOp &op);
  /// Kills the lane; the function goes on to its return.
  void visitTerminateInvocationOp(TerminateInvocationOp &op) {
    IRBuilder<> builder(&op);
    builder.CreateIntrinsic(Intrinsic::amdgcn_kill, {}, {builder.getFalse()});
    m_kills = true;
    op.eraseFromParent();
  }
  /// Makes the lane a helper.
  void visitDemoteOp(DemoteOp &op) {
    IRBuilder<> builder(&op);
    builder.CreateIntrinsic(Intrinsic::amdgcn_wqm_demote, {}, {builder.getFalse()});
    m_kills = true;
    op.eraseFromParent();
  }
  /// True for lanes that were helpers from the start and for those that were demoted.
  void visitIsHelperOp(IsHelperOp &op) {
    IRBuilder<> builder(&op);
    Value *isLive = builder.CreateIntrinsic(builder.getInt1Ty(), Intrinsic::amdgcn_live_mask, {});
    op.replaceAllUsesWith(faultPlanted(Fault::HelperInverted) ? isLive : builder.CreateNot(isLive));
    op.eraseFromParent();
  }

  bool kills() const { return m_kills; } ///< Lanes may end before the exports.

private:
  Value *makeDifference(IRBuilder<> &builder, Value *x, const DerivativeRow &row);

  const TargetInfo &m_target;
  const unsigned m_waveSize;
  bool m_kills = false;
};
} // namespace

/// Of a scalar.
Value *Lowering::makeDifference(IRBuilder<> &builder, Value *x, const DerivativeRow &row) {
  WaveOperations wave(builder, m_target, m_waveSize);
  Value *after = wave.dppForAll(x, row.minuend);
  Value *before = wave.dppForAll(x, row.subtrahend);
  if (faultPlanted(Fault::DerivativeSign))
    std::swap(after, before);
  Value *difference = builder.CreateFSub(after, before);
  if (faultPlanted(Fault::DerivativeWithoutHelpers))
    return difference;
  return builder.CreateIntrinsic(Intrinsic::amdgcn_wqm, difference->getType(), {difference});
}

/// Vectors are handled component by component.
void Lowering::visitDerivativeOp(DerivativeOp &op) {
  IRBuilder<> builder(&op);
  const auto *row = find_if(derivatives, [&](const DerivativeRow &each) {
    return static_cast<uint64_t>(each.kind) == op.getKind();
  });
  if (row == std::end(derivatives))
    return; // An op that is left is an error at the end.
  Value *x = op.getX();
  Value *result = nullptr;
  if (auto *vector = dyn_cast<FixedVectorType>(op.getType())) {
    result = PoisonValue::get(vector);
    for (uint64_t i = 0; i < vector->getNumElements(); ++i)
      result = builder.CreateInsertElement(
          result, makeDifference(builder, builder.CreateExtractElement(x, i), *row), i);
  } else {
    result = makeDifference(builder, x, *row);
  }
  op.replaceAllUsesWith(result);
  op.eraseFromParent();
}

PreservedAnalyses amdgpu::LowerFragmentControl::run(Module &module, ModuleAnalysisManager &) {
  /// Finds any op of this pass, so that modules without one read no state.
  struct Finder : LgcVisitor<Finder> {
    bool found = false;
    void visitDerivativeOp(DerivativeOp &) { found = true; }
    void visitTerminateInvocationOp(TerminateInvocationOp &) { found = true; }
    void visitDemoteOp(DemoteOp &) { found = true; }
    void visitIsHelperOp(IsHelperOp &) { found = true; }
  };
  Finder finder;
  finder.visit(module);
  if (!finder.found)
    return PreservedAnalyses::all();
  Expected<TrackedState> state = TrackedState::open(module, "lower-fragment-control");
  if (!state) {
    reportError(module.getContext(), state.takeError());
    return PreservedAnalyses::all();
  }
  Lowering lowering(*state);
  lowering.visit(module);
  if (lowering.kills() && !faultPlanted(Fault::KillNotEnabled))
    addRegister(module, ".db_shader_control", ".kill_enable", 1);
  return PreservedAnalyses::none();
}
