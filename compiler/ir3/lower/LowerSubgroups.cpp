// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/ir3/lower/LowerSubgroups.h"

#include "compiler/dialect/Lgc.h"
#include "compiler/lgc/Builder.h"
#include "compiler/lgc/LaneMask.h"
#include "compiler/lgc/PassDiagnostics.h"
#include "compiler/lgc/TrackedState.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;
using namespace assay;

namespace {
class Lowering {
public:
  Lowering(Function &entry, const ComputeMode &mode, unsigned waveSize);
  /// Replaces \p op, which is one of a subgroup; false when it is invalid.
  bool lower(CallInst &op);

private:
  /// Words that a wave has: two of a mask, then two for each lane.
  unsigned waveWords() const { return 2 + 2 * m_waveSize; }
  Value *word(Value *index) { return m_builder.CreateGEP(m_builder.getInt32Ty(), m_wave, {index}); }
  Value *loadWord(Value *index) {
    return m_builder.CreateLoad(m_builder.getInt32Ty(), word(index));
  }
  Value *slot(Value *lane) {
    return m_builder.CreateAdd(m_builder.CreateShl(lane, 1), m_builder.getInt32(2));
  }

  Value *ballot(Value *predicate);
  /// Writes \p value into the slot of this lane.
  void publish(Value *value);
  /// What lane \p lane has published, as \p type.
  Value *readLane(Value *lane, Type *type);
  Value *exchange(Value *value, Value *lane) {
    publish(value);
    return readLane(m_builder.CreateAnd(lane, m_builder.getInt32(m_waveSize - 1)),
                    value->getType());
  }
  Value *firstLane();
  Value *countBelow(Value *mask);
  /// The values of those lanes of \p mask that are active, combined in their order.
  Value *combineLanes(CallInst &op, Value *value, SubgroupOperation operation, Value *mask);
  Value *clusterMask(unsigned size);
  Value *lowerOp(CallInst &op);

  IRBuilder<> m_builder;
  const unsigned m_waveSize;
  unsigned m_lanes; ///< Of a wave that the workgroup is large enough for.
  Value *m_wave = nullptr, *m_lane = nullptr;
};
} // namespace

/// The op of the local invocation id, at the start of \p entry.
static Value *findLocalId(Function &entry) {
  BasicBlock &block = entry.getEntryBlock();
  auto place = block.getFirstNonPHIOrDbgOrAlloca();
  for (Instruction &inst : instructions(entry))
    if (auto *op = dyn_cast<ReadBuiltInOp>(&inst);
        op && op->getBuiltIn() == static_cast<uint64_t>(BuiltIn::LocalInvocationId)) {
      if (op->getIterator() != place)
        op->moveBefore(block, place);
      return op;
    }
  IRBuilder<> builder(&block, place);
  return ReadBuiltInOp::create(builder,
                               getBuiltInType(entry.getContext(), BuiltIn::LocalInvocationId),
                               static_cast<uint64_t>(BuiltIn::LocalInvocationId));
}

Lowering::Lowering(Function &entry, const ComputeMode &mode, unsigned waveSize)
    : m_builder(entry.getContext()), m_waveSize(waveSize),
      m_lanes(std::min(mode.getInvocations(), waveSize)) {
  auto *id = cast<Instruction>(findLocalId(entry));
  m_builder.SetInsertPoint(id->getParent(), std::next(id->getIterator()));
  Value *index = m_builder.getInt32(0);
  for (unsigned i = 3; i-- > 0;) {
    index = m_builder.CreateMul(index, m_builder.getInt32(mode.workgroupSize[i]));
    index = m_builder.CreateAdd(index, m_builder.CreateExtractElement(id, i));
  }
  m_lane = m_builder.CreateAnd(index, m_builder.getInt32(waveSize - 1));
  uint64_t waves = divideCeil(mode.getInvocations(), waveSize);
  Type *type = ArrayType::get(m_builder.getInt32Ty(), waves * waveWords());
  auto *slots = new GlobalVariable(*entry.getParent(), type, false, GlobalValue::InternalLinkage,
                                   PoisonValue::get(type), "subgroup.slots", nullptr,
                                   GlobalValue::NotThreadLocal, 3);
  slots->setAlignment(Align(4));
  Value *wave = m_builder.CreateLShr(index, Log2_32(waveSize));
  m_wave = m_builder.CreateGEP(m_builder.getInt32Ty(), slots,
                               {m_builder.CreateMul(wave, m_builder.getInt32(waveWords()))});
}

/// An i64. All lanes clear the mask, then each sets its bit.
Value *Lowering::ballot(Value *predicate) {
  IRBuilder<> &b = m_builder;
  b.CreateStore(b.getInt32(0), word(b.getInt32(0)));
  b.CreateStore(b.getInt32(0), word(b.getInt32(1)));
  Value *bit =
      b.CreateShl(b.CreateZExt(predicate, b.getInt32Ty()), b.CreateAnd(m_lane, b.getInt32(31)));
  b.CreateAtomicRMW(AtomicRMWInst::Or, word(b.CreateLShr(m_lane, 5)), bit, MaybeAlign(4),
                    AtomicOrdering::Monotonic);
  Value *low = b.CreateZExt(loadWord(b.getInt32(0)), b.getInt64Ty());
  Value *high = b.CreateZExt(loadWord(b.getInt32(1)), b.getInt64Ty());
  return b.CreateOr(low, b.CreateShl(high, 32));
}

void Lowering::publish(Value *value) {
  IRBuilder<> &b = m_builder;
  unsigned bits = value->getType()->getScalarSizeInBits();
  Value *integer = b.CreateBitCast(value, b.getIntNTy(bits));
  Value *low = b.CreateZExtOrTrunc(integer, b.getInt32Ty());
  b.CreateStore(low, word(slot(m_lane)));
  if (bits <= 32)
    return;
  Value *high = b.CreateTrunc(b.CreateLShr(integer, 32), b.getInt32Ty());
  b.CreateStore(high, word(b.CreateAdd(slot(m_lane), b.getInt32(1))));
}

Value *Lowering::readLane(Value *lane, Type *type) {
  IRBuilder<> &b = m_builder;
  unsigned bits = type->getScalarSizeInBits();
  Value *integer = loadWord(slot(lane));
  if (bits > 32) {
    Value *high = b.CreateZExt(loadWord(b.CreateAdd(slot(lane), b.getInt32(1))), b.getInt64Ty());
    integer = b.CreateOr(b.CreateZExt(integer, b.getInt64Ty()), b.CreateShl(high, 32));
  }
  return b.CreateBitCast(b.CreateZExtOrTrunc(integer, b.getIntNTy(bits)), type);
}

/// Of the active lanes, of which there is at least one.
Value *Lowering::firstLane() {
  IRBuilder<> &b = m_builder;
  Value *active = ballot(b.getTrue());
  Value *low = b.CreateTrunc(active, b.getInt32Ty());
  Value *high = b.CreateTrunc(b.CreateLShr(active, 32), b.getInt32Ty());
  Value *inHigh = b.CreateICmpEQ(low, b.getInt32(0));
  Value *bit =
      b.CreateBinaryIntrinsic(Intrinsic::cttz, b.CreateSelect(inHigh, high, low), b.getFalse());
  return b.CreateAdd(bit, b.CreateSelect(inHigh, b.getInt32(32), b.getInt32(0)));
}

Value *Lowering::countBelow(Value *mask) {
  IRBuilder<> &b = m_builder;
  auto count = [&](unsigned part, Value *below) {
    return b.CreateUnaryIntrinsic(Intrinsic::ctpop,
                                  b.CreateAnd(b.CreateExtractElement(mask, uint64_t(part)), below));
  };
  Value *one = ConstantInt::get(b.getInt64Ty(), 1);
  Value *below = b.CreateSub(b.CreateShl(one, b.CreateZExt(m_lane, b.getInt64Ty())), one);
  return b.CreateAdd(count(0, b.CreateTrunc(below, b.getInt32Ty())),
                     count(1, b.CreateTrunc(b.CreateLShr(below, 32), b.getInt32Ty())));
}

static Constant *makeNeutral(SubgroupOperation operation, Type *type) {
  unsigned bits = static_cast<unsigned>(type->getPrimitiveSizeInBits());
  switch (operation) {
  case SubgroupOperation::IMul:
    return ConstantInt::get(type, 1);
  case SubgroupOperation::SMin:
    return ConstantInt::get(type, APInt::getSignedMaxValue(bits));
  case SubgroupOperation::SMax:
    return ConstantInt::get(type, APInt::getSignedMinValue(bits));
  case SubgroupOperation::UMin:
  case SubgroupOperation::And:
    return Constant::getAllOnesValue(type);
  case SubgroupOperation::FAdd:
    return ConstantFP::getNegativeZero(type);
  case SubgroupOperation::FMul:
    return ConstantFP::get(type, 1.0);
  case SubgroupOperation::FMin:
    return ConstantFP::getInfinity(type);
  case SubgroupOperation::FMax:
    return ConstantFP::getInfinity(type, /*Negative=*/true);
  default:
    return Constant::getNullValue(type);
  }
}

static Value *combine(IRBuilderBase &b, SubgroupOperation operation, Value *x, Value *y) {
  switch (operation) {
  case SubgroupOperation::IAdd:
    return b.CreateAdd(x, y);
  case SubgroupOperation::FAdd:
    return b.CreateFAdd(x, y);
  case SubgroupOperation::IMul:
    return b.CreateMul(x, y);
  case SubgroupOperation::FMul:
    return b.CreateFMul(x, y);
  case SubgroupOperation::SMin:
    return b.CreateSelect(b.CreateICmpSLT(x, y), x, y);
  case SubgroupOperation::UMin:
    return b.CreateSelect(b.CreateICmpULT(x, y), x, y);
  case SubgroupOperation::FMin:
    return b.CreateMinNum(x, y);
  case SubgroupOperation::SMax:
    return b.CreateSelect(b.CreateICmpSGT(x, y), x, y);
  case SubgroupOperation::UMax:
    return b.CreateSelect(b.CreateICmpUGT(x, y), x, y);
  case SubgroupOperation::FMax:
    return b.CreateMaxNum(x, y);
  case SubgroupOperation::And:
    return b.CreateAnd(x, y);
  case SubgroupOperation::Or:
    return b.CreateOr(x, y);
  case SubgroupOperation::Xor:
    return b.CreateXor(x, y);
  }
  llvm_unreachable("the number was checked");
}

/// A loop over all lanes, in which the active ones stay together.
Value *Lowering::combineLanes(CallInst &op, Value *value, SubgroupOperation operation,
                              Value *mask) {
  IRBuilder<> &b = m_builder;
  mask = b.CreateAnd(mask, ballot(b.getTrue()));
  publish(value);
  BasicBlock *before = op.getParent();
  BasicBlock *after = SplitBlock(before, &op);
  BasicBlock *loop = BasicBlock::Create(op.getContext(), "lanes", op.getFunction(), after);
  before->getTerminator()->setSuccessor(0, loop);
  b.SetInsertPoint(loop);
  PHINode *lane = b.CreatePHI(b.getInt32Ty(), 2), *sum = b.CreatePHI(value->getType(), 2);
  Value *moved = b.CreateLShr(mask, b.CreateZExt(lane, b.getInt64Ty()));
  Value *takesPart = b.CreateTrunc(moved, b.getInt1Ty());
  Value *combined = combine(b, operation, sum, readLane(lane, value->getType()));
  Value *next = b.CreateSelect(takesPart, combined, sum);
  Value *nextLane = b.CreateAdd(lane, b.getInt32(1));
  b.CreateCondBr(b.CreateICmpULT(nextLane, b.getInt32(m_lanes)), loop, after);
  lane->addIncoming(b.getInt32(0), before);
  lane->addIncoming(nextLane, loop);
  sum->addIncoming(makeNeutral(operation, value->getType()), before);
  sum->addIncoming(next, loop);
  b.SetInsertPoint(&op);
  return next;
}

/// The lanes of the cluster of \p size that this lane is in; 0: all.
Value *Lowering::clusterMask(unsigned size) {
  IRBuilder<> &b = m_builder;
  if (!size || size >= m_waveSize)
    return Constant::getAllOnesValue(b.getInt64Ty());
  Value *first = b.CreateAnd(m_lane, b.getInt32(~(size - 1)));
  return b.CreateShl(ConstantInt::get(b.getInt64Ty(), (uint64_t(1) << size) - 1),
                     b.CreateZExt(first, b.getInt64Ty()));
}

/// Null when it is invalid.
Value *Lowering::lowerOp(CallInst &op) {
  IRBuilder<> &b = m_builder;
  b.SetInsertPoint(&op);
  if (auto *each = dyn_cast<SubgroupBallotOp>(&op))
    return makeMaskWords(b, ballot(each->getPredicate()));
  if (auto *each = dyn_cast<SubgroupCountBelowOp>(&op))
    return countBelow(each->getMask());
  if (auto *each = dyn_cast<SubgroupBroadcastFirstOp>(&op))
    return exchange(each->getValue(), firstLane());
  if (auto *each = dyn_cast<SubgroupBroadcastOp>(&op))
    return exchange(each->getValue(), each->getLane());
  if (auto *each = dyn_cast<SubgroupShuffleOp>(&op))
    return exchange(each->getValue(), each->getLane());
  if (auto *each = dyn_cast<SubgroupShuffleXorOp>(&op))
    return exchange(each->getValue(), b.CreateXor(m_lane, each->getMask()));
  if (auto *each = dyn_cast<SubgroupQuadPermuteOp>(&op)) {
    // Two bits of the pattern for each lane of a quad.
    Value *shift = b.CreateShl(b.CreateAnd(m_lane, b.getInt32(3)), 1);
    Value *part = b.CreateLShr(b.getInt32(uint32_t(each->getPattern())), shift);
    Value *quad = b.CreateAnd(m_lane, b.getInt32(~3U));
    return exchange(each->getValue(), b.CreateOr(quad, b.CreateAnd(part, b.getInt32(3))));
  }
  constexpr uint64_t last = static_cast<uint64_t>(SubgroupOperation::Xor);
  if (auto *each = dyn_cast<SubgroupReduceOp>(&op)) {
    uint64_t size = each->getClusterSize();
    if (each->getOperation() > last || (size && !isPowerOf2_64(size)))
      return nullptr;
    return combineLanes(op, each->getValue(), static_cast<SubgroupOperation>(each->getOperation()),
                        clusterMask(static_cast<unsigned>(size)));
  }
  auto *scan = dyn_cast<SubgroupScanOp>(&op);
  if (!scan || scan->getOperation() > last)
    return nullptr;
  // The lanes below this one, and this one.
  Value *from =
      b.CreateShl(ConstantInt::get(b.getInt64Ty(), scan->getIsExclusive() ? ~0ULL : ~1ULL),
                  b.CreateZExt(m_lane, b.getInt64Ty()));
  return combineLanes(op, scan->getValue(), static_cast<SubgroupOperation>(scan->getOperation()),
                      b.CreateNot(from));
}

bool Lowering::lower(CallInst &op) {
  Value *value = lowerOp(op);
  if (!value)
    return false;
  op.replaceAllUsesWith(value);
  op.eraseFromParent();
  return true;
}

static Error lowerOps(Module &module, ArrayRef<CallInst *> ops) {
  Function *entry = findComputeEntryPoint(module);
  if (!entry || entry->isDeclaration())
    return invalidInput("subgroup operations need one entry point");
  Expected<ComputeMode> mode = getComputeMode(*entry);
  if (!mode)
    return mode.takeError();
  Expected<TrackedState> state = TrackedState::open(module, "ir3-lower-subgroups");
  if (!state)
    return state.takeError();
  if (state->getWaveSize() != 64)
    return unsupported("subgroups of " + Twine(state->getWaveSize()) + " lanes");
  Lowering lowering(*entry, *mode, state->getWaveSize());
  for (CallInst *op : ops)
    if (!lowering.lower(*op))
      return invalidInput("a subgroup operation or size of a cluster that does not exist");
  return Error::success();
}

PreservedAnalyses ir3::LowerSubgroups::run(Module &module, ModuleAnalysisManager &) {
  SmallVector<CallInst *, 8> ops;
  for (Function &function : module)
    for (Instruction &inst : instructions(function))
      if (auto *call = dyn_cast<CallInst>(&inst);
          call && call->getCalledFunction() &&
          call->getCalledFunction()->getName().starts_with("lgc.subgroup."))
        ops.push_back(call);
  if (ops.empty())
    return PreservedAnalyses::all();
  if (Error error = lowerOps(module, ops))
    reportError(module.getContext(), std::move(error));
  return PreservedAnalyses::none();
}
