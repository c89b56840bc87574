// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/amdgpu/passes/LowerSubgroups.h"

#include "compiler/amdgpu/passes/WaveOperations.h"
#include "compiler/dialect/Lgc.h"
#include "compiler/lgc/PassDiagnostics.h"
#include "compiler/lgc/TrackedState.h"
#include "support/Fault.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;
using namespace assay;
using namespace assay::amdgpu;

namespace {
/// Replaces each op in place, except for shuffles that need a loop.
class Lowering : public LgcVisitor<Lowering> {
public:
  Lowering(LLVMContext &context, TrackedState &state)
      : m_builder(context), m_target(state.getTarget()), m_waveSize(state.getWaveSize()),
        m_wave(m_builder, m_target, m_waveSize) {}

  void visitSubgroupBallotOp(SubgroupBallotOp &op) {
    at(op);
    bool isOther = m_waveSize != m_target.defaultWaveSize;
    bool isEmpty = isOther && faultPlanted(Fault::OtherWaveBallot);
    Value *predicate = isEmpty ? m_builder.getFalse() : op.getPredicate();
    replace(op, makeMaskWords(m_builder, m_wave.ballot(predicate)));
  }
  void visitSubgroupCountBelowOp(SubgroupCountBelowOp &op) {
    at(op);
    replace(op, m_wave.countBelow(m_builder.CreateExtractElement(op.getMask(), uint64_t(0)),
                                  m_builder.CreateExtractElement(op.getMask(), uint64_t(1))));
  }
  void visitSubgroupBroadcastFirstOp(SubgroupBroadcastFirstOp &op) {
    at(op);
    replace(op, m_wave.readFirstLane(op.getValue()));
  }
  void visitSubgroupBroadcastOp(SubgroupBroadcastOp &op) {
    at(op);
    replace(op, m_wave.readLane(op.getValue(), m_wave.readFirstLane(op.getLane())));
  }
  void visitSubgroupShuffleOp(SubgroupShuffleOp &op) {
    at(op);
    shuffle(op, op.getValue(), op.getLane());
  }
  void visitSubgroupShuffleXorOp(SubgroupShuffleXorOp &op);
  void visitSubgroupQuadPermuteOp(SubgroupQuadPermuteOp &op) {
    at(op);
    auto pattern = static_cast<uint32_t>(op.getPattern() & 0xff);
    replace(op, m_wave.dppForAll(op.getValue(), pattern));
  }
  void visitSubgroupReduceOp(SubgroupReduceOp &op);
  void visitSubgroupScanOp(SubgroupScanOp &op);

  /// Shuffles that need a loop: blocks can't be split while they are visited.
  void lowerLateShuffles();
  bool hasChanged() const { return m_hasChanged; }
  Error takeError() { return std::move(m_error); }

private:
  /// Moves the builder to \p op, with its fast-math flags.
  void at(CallInst &op) {
    m_builder.SetInsertPoint(&op);
    FastMathFlags flags;
    if (auto *operation = dyn_cast<FPMathOperator>(&op))
      flags = operation->getFastMathFlags();
    m_builder.setFastMathFlags(flags);
  }
  void replace(CallInst &op, Value *value) {
    if (auto *instruction = dyn_cast<Instruction>(value); instruction && op.hasName())
      instruction->takeName(&op);
    op.replaceAllUsesWith(value);
    op.eraseFromParent();
    m_hasChanged = true;
  }
  void shuffle(CallInst &op, Value *value, Value *lane);
  Value *shuffleHalves(Value *value, Value *lane);
  Value *shuffleByLoop(Instruction &place, Value *value, Value *lane);
  bool isValid(const CallInst &op, uint64_t operation);

  /// What it reads may be the result of another, which is replaced before.
  struct LateShuffle {
    CallInst *op;
    TrackingVH<Value> value;
    TrackingVH<Value> lane;
  };
  IRBuilder<> m_builder;
  const TargetInfo &m_target;
  const unsigned m_waveSize;
  WaveOperations m_wave;
  SmallVector<LateShuffle, 4> m_lateShuffles;
  bool m_hasChanged = false;
  Error m_error = Error::success();
};
} // namespace

/// Chooses how lanes are read across the halves of a wave64: directly, on GFX11 through an exchange
/// of the halves, on GFX10 by a loop.
void Lowering::shuffle(CallInst &op, Value *value, Value *lane) {
  // GFX10 and GFX11 permute within the halves of a wave64 only (LLVM, supportsWaveWideBPermute).
  bool isWide = m_waveSize == 32 || m_target.major == 9 || m_target.major >= 12;
  if (isWide)
    replace(op, m_wave.permute(value, lane));
  else if (m_target.major == 11)
    replace(op, shuffleHalves(value, lane));
  else
    m_lateShuffles.push_back({&op, value, lane});
}

/// Permutes within halves, of the wave as it is and with its halves exchanged. All lanes must take
/// part: the lane that one reads in the other half may be where no active lane is.
Value *Lowering::shuffleHalves(Value *value, Value *lane) {
  Value *whole = m_wave.setInactive(value, Constant::getNullValue(value->getType()));
  Value *wholeLane = m_wave.setInactive(lane, m_builder.getInt32(0));
  Value *near = m_wave.leaveWhole(m_wave.permute(whole, wholeLane));
  Value *far = m_wave.leaveWhole(m_wave.permute(m_wave.swapHalves(whole), wholeLane));
  Value *difference = m_builder.CreateAnd(m_builder.CreateXor(lane, m_wave.laneId()), 32);
  return m_builder.CreateSelect(m_builder.CreateICmpNE(difference, m_builder.getInt32(0)), far,
                                near);
}

/// One round for each lane that is read: all active lanes go through the loop together, those that
/// want this lane keep it.
Value *Lowering::shuffleByLoop(Instruction &place, Value *value, Value *lane) {
  BasicBlock *before = place.getParent();
  BasicBlock *after = SplitBlock(before, &place);
  BasicBlock *loop =
      BasicBlock::Create(before->getContext(), "shuffle", before->getParent(), after);

  before->getTerminator()->eraseFromParent();
  m_builder.SetInsertPoint(before);
  Value *active = m_wave.ballot(m_builder.getTrue());
  m_builder.CreateBr(loop);

  m_builder.SetInsertPoint(loop);
  PHINode *left = m_builder.CreatePHI(active->getType(), 2, "left");
  PHINode *result = m_builder.CreatePHI(value->getType(), 2, "result");
  Value *reader = m_builder.CreateTrunc(
      m_builder.CreateBinaryIntrinsic(Intrinsic::cttz, left, m_builder.getTrue()),
      m_builder.getInt32Ty());
  Value *wanted = m_wave.readLane(lane, reader);
  Value *found = m_wave.readLane(value, wanted);
  Value *isWanted = m_builder.CreateICmpEQ(lane, wanted);
  Value *next = m_builder.CreateSelect(isWanted, found, result);
  Value *rest = m_builder.CreateAnd(left, m_builder.CreateNot(m_wave.ballot(isWanted)));
  m_builder.CreateCondBr(m_builder.CreateICmpNE(rest, Constant::getNullValue(rest->getType())),
                         loop, after);
  left->addIncoming(active, before);
  left->addIncoming(rest, loop);
  result->addIncoming(Constant::getNullValue(value->getType()), before);
  result->addIncoming(next, loop);
  return next;
}

void Lowering::lowerLateShuffles() {
  for (const LateShuffle &late : m_lateShuffles) {
    Value *result = shuffleByLoop(*late.op, late.value, late.lane);
    replace(*late.op, result);
  }
}

/// A constant mask below 32 is one swizzle; any other is a shuffle by lane number.
void Lowering::visitSubgroupShuffleXorOp(SubgroupShuffleXorOp &op) {
  at(op);
  if (auto *mask = dyn_cast<ConstantInt>(op.getMask()); mask && mask->getZExtValue() < 32) {
    replace(op, m_wave.swizzleXor(op.getValue(), static_cast<uint32_t>(mask->getZExtValue())));
    return;
  }
  shuffle(op, op.getValue(), m_builder.CreateXor(m_wave.laneId(), op.getMask()));
}

/// Whether \p operation exists and fits the type of \p op.
bool Lowering::isValid(const CallInst &op, uint64_t operation) {
  bool isFloat = false;
  bool isKnown = operation <= static_cast<uint64_t>(SubgroupOperation::Xor);
  for (SubgroupOperation candidate : {SubgroupOperation::FAdd, SubgroupOperation::FMul,
                                      SubgroupOperation::FMin, SubgroupOperation::FMax})
    isFloat |= operation == static_cast<uint64_t>(candidate);
  if (isKnown && op.getType()->isFloatingPointTy() == isFloat)
    return true;
  m_error = joinErrors(std::move(m_error), invalidInput("subgroup operation " + Twine(operation) +
                                                        " does not exist with this type"));
  return false;
}

/// InvalidInput for an operation that does not fit the type, and for clusters whose size is no
/// power of two.
void Lowering::visitSubgroupReduceOp(SubgroupReduceOp &op) {
  uint64_t size = op.getClusterSize();
  if (!isValid(op, op.getOperation()))
    return;
  if (size && !isPowerOf2_64(size)) {
    m_error = joinErrors(std::move(m_error), invalidInput("a cluster of " + Twine(size)));
    return;
  }
  at(op);
  if (size && faultPlanted(Fault::ClusterIgnored))
    size = 0;
  auto operation = static_cast<SubgroupOperation>(op.getOperation());
  WaveReduction reduction(m_builder, m_wave, operation, op.getType());
  replace(op, reduction.reduce(op.getValue(), static_cast<unsigned>(size)));
}

/// InvalidInput for an operation that does not fit the type.
void Lowering::visitSubgroupScanOp(SubgroupScanOp &op) {
  if (!isValid(op, op.getOperation()))
    return;
  at(op);
  auto operation = static_cast<SubgroupOperation>(op.getOperation());
  WaveReduction reduction(m_builder, m_wave, operation, op.getType());
  replace(op, reduction.scan(op.getValue(), op.getIsExclusive() != 0));
}

/// Returns whether \p module has any op of this pass.
static bool usesSubgroups(const Module &module) {
  return any_of(module, [](const Function &function) {
    return function.getName().starts_with("lgc.subgroup.") && !function.use_empty();
  });
}

PreservedAnalyses amdgpu::LowerSubgroups::run(Module &module, ModuleAnalysisManager &) {
  if (!usesSubgroups(module))
    return PreservedAnalyses::all();
  Expected<TrackedState> state = TrackedState::open(module, "lower-subgroups");
  if (!state) {
    reportError(module.getContext(), state.takeError());
    return PreservedAnalyses::all();
  }
  Lowering lowering(module.getContext(), *state);
  lowering.visit(module);
  lowering.lowerLateShuffles();
  if (Error error = lowering.takeError())
    reportError(module.getContext(), std::move(error));
  return PreservedAnalyses::none();
}
