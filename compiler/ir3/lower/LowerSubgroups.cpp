// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/ir3/lower/LowerSubgroups.h"

#include "compiler/dialect/Lgc.h"
#include "compiler/ir3/isa/Opcode.h"
#include "compiler/ir3/lower/WaveFunctions.h"
#include "compiler/lgc/Builder.h"
#include "compiler/lgc/LaneMask.h"
#include "compiler/lgc/PassDiagnostics.h"
#include "compiler/lgc/TrackedState.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;
using namespace assay;

namespace {
/// Lowers the subgroup ops of one compute entry point. The values of the lane and of the invocation
/// index are made once, at its start, where they dominate every op.
class Lowering {
public:
  Lowering(Function &entry, const ComputeMode &mode, unsigned waveSize, bool hasShuffle);
  /// Replaces \p op, which is one of a subgroup; false when it is invalid.
  bool lower(CallInst &op);

private:
  /// Words that a wave has: two for each lane.
  unsigned waveWords() const { return 2 * m_waveSize; }
  /// The address of word \p index of this wave's slots. makeSlots() must have been called.
  Value *word(Value *index) { return m_builder.CreateGEP(m_builder.getInt32Ty(), m_wave, {index}); }
  Value *loadWord(Value *index) {
    return m_builder.CreateLoad(m_builder.getInt32Ty(), word(index));
  }
  /// The index of the first word of the slot of \p lane: slots have two words.
  Value *slot(Value *lane) { return m_builder.CreateShl(lane, 1); }
  /// The slots of this wave, which are made when they are needed first.
  void makeSlots();
  /// Calls the wave function \p name, which maps one i32 to one i32.
  Value *call(StringRef name, Value *value) {
    return ir3::callWaveFunction(m_builder, name, m_builder.getInt32Ty(), {value});
  }

  /// The mask of the active lanes in which the i1 \p predicate holds, bit n for lane n.
  Value *ballot(Value *predicate);
  /// Writes \p value into the slot of this lane.
  void publish(Value *value);
  /// What lane \p lane has published, as \p type.
  Value *readLane(Value *lane, Type *type);
  /// The value of lane \p lane modulo the wave size, by workgroup memory. \p lane may differ
  /// between lanes; the result is undefined where that lane is inactive.
  Value *exchange(Value *value, Value *lane) {
    publish(value);
    return readLane(m_builder.CreateAnd(lane, m_builder.getInt32(m_waveSize - 1)),
                    value->getType());
  }
  /// The value of lane \p lane, which all active lanes have in common.
  Value *broadcast(Value *value, Value *lane);
  /// The value of another lane of the quad: bits 2n and 2n+1 of \p pattern are the lane that lane n
  /// of each quad reads. Instructions exist for the three neighbours and for one common lane; other
  /// patterns are exchanges.
  Value *permuteQuad(Value *value, uint32_t pattern);
  /// The value of the lane with this lane's number xor \p mask. A constant mask from 1 to 3 stays
  /// in the quad, other constants below the wave size use shfl where the chip has it, and
  /// everything else is an exchange.
  Value *shuffleXor(Value *value, Value *mask);
  /// All active lanes combined, or those up to this one, by one instruction after the other of the
  /// lanes. Null for values that are not of 32 bits.
  Value *scan(Value *value, SubgroupOperation operation, unsigned part);
  /// Bits of \p mask, two dwords of a vector, that belong to lanes below this one.
  Value *countBelow(Value *mask);
  /// The values of those lanes of \p mask that are active, combined in their order.
  Value *combineLanes(CallInst &op, Value *value, SubgroupOperation operation, Value *mask);
  Value *clusterMask(unsigned size);
  Value *lowerOp(CallInst &op);

  IRBuilder<> m_builder;
  const unsigned m_waveSize;      ///< Lanes; a power of two.
  unsigned m_lanes;               ///< Of a wave that the workgroup is large enough for.
  const unsigned m_invocations;   ///< Of a workgroup.
  const bool m_hasShuffle;        ///< The chip has shfl.
  Instruction *m_index = nullptr; ///< Of the invocation in the workgroup.
  /// The address of this wave's slots, null until makeSlots(), and the number of the lane as i32.
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

/// Computes the invocation index at the start of \p entry, x fastest. Dimensions of size 1 are left
/// out of the sum.
Lowering::Lowering(Function &entry, const ComputeMode &mode, unsigned waveSize, bool hasShuffle)
    : m_builder(entry.getContext()), m_waveSize(waveSize),
      m_lanes(std::min(mode.getInvocations(), waveSize)), m_invocations(mode.getInvocations()),
      m_hasShuffle(hasShuffle) {
  auto *id = cast<Instruction>(findLocalId(entry));
  m_builder.SetInsertPoint(id->getParent(), std::next(id->getIterator()));
  Value *index = nullptr;
  for (unsigned i = 3; i-- > 0;) {
    if (mode.workgroupSize[i] == 1)
      continue;
    if (index)
      index = m_builder.CreateMul(index, m_builder.getInt32(mode.workgroupSize[i]));
    Value *part = m_builder.CreateExtractElement(id, i);
    index = index ? m_builder.CreateAdd(index, part) : part;
  }
  if (!index)
    index = m_builder.CreateExtractElement(id, uint64_t(0)); // 0.
  m_index = cast<Instruction>(index);
  m_lane = m_invocations <= waveSize ? index
                                     : m_builder.CreateAnd(index, m_builder.getInt32(waveSize - 1));
}

/// Slots are one internal variable of workgroup memory (address space 3) for all waves of the
/// group. A wave's part begins at its number times waveWords().
void Lowering::makeSlots() {
  if (m_wave)
    return;
  IRBuilderBase::InsertPointGuard guard(m_builder);
  m_builder.SetInsertPoint(m_index->getParent(), std::next(m_index->getIterator()));
  uint64_t waves = divideCeil(m_invocations, m_waveSize);
  Type *type = ArrayType::get(m_builder.getInt32Ty(), waves * waveWords());
  auto *slots = new GlobalVariable(*m_index->getModule(), type, false, GlobalValue::InternalLinkage,
                                   PoisonValue::get(type), "subgroup.slots", nullptr,
                                   GlobalValue::NotThreadLocal, 3);
  slots->setAlignment(Align(4));
  m_wave = slots;
  if (waves == 1)
    return;
  Value *wave = m_builder.CreateLShr(m_index, Log2_32(m_waveSize));
  m_wave = m_builder.CreateGEP(m_builder.getInt32Ty(), slots,
                               {m_builder.CreateMul(wave, m_builder.getInt32(waveWords()))});
}

/// An i64.
Value *Lowering::ballot(Value *predicate) {
  IRBuilder<> &b = m_builder;
  Type *pair = StructType::get(b.getInt32Ty(), b.getInt32Ty());
  Value *mask = ir3::callWaveFunction(b, "ir3.ballot", pair, {predicate});
  Value *low = b.CreateZExt(b.CreateExtractValue(mask, 0), b.getInt64Ty());
  Value *high = b.CreateZExt(b.CreateExtractValue(mask, 1), b.getInt64Ty());
  return b.CreateOr(low, b.CreateShl(high, 32));
}

Value *Lowering::broadcast(Value *value, Value *lane) {
  IRBuilder<> &b = m_builder;
  Value *isIt = b.CreateICmpEQ(m_lane, lane);
  return ir3::mapDwords(b, value, [&](Value *dword) {
    return ir3::callWaveFunction(b, "ir3.read.where", b.getInt32Ty(), {isIt, dword});
  });
}

/// The lane of a quad that all its lanes read; nothing where they differ.
static std::optional<uint32_t> commonLane(uint32_t pattern) {
  uint32_t lane = pattern & 3;
  return pattern == lane * 0x55 ? std::optional(lane) : std::nullopt;
}

Value *Lowering::permuteQuad(Value *value, uint32_t pattern) {
  static constexpr std::pair<uint32_t, StringLiteral> neighbours[] = {
      {0b10110001, "ir3.quad.horizontal"},
      {0b01001110, "ir3.quad.vertical"},
      {0b00011011, "ir3.quad.diagonal"},
  };
  IRBuilder<> &b = m_builder;
  for (const auto &[each, name] : neighbours)
    if (each == pattern)
      return ir3::mapDwords(b, value, [&, name](Value *dword) { return call(name, dword); });
  if (std::optional<uint32_t> lane = commonLane(pattern))
    return ir3::mapDwords(b, value, [&](Value *dword) {
      return ir3::callWaveFunction(b, "ir3.quad.broadcast", b.getInt32Ty(),
                                   {dword, b.getInt32(*lane)});
    });
  // Two bits of the pattern for each lane of a quad.
  Value *shift = b.CreateShl(b.CreateAnd(m_lane, b.getInt32(3)), 1);
  Value *part = b.CreateLShr(b.getInt32(pattern), shift);
  Value *quad = b.CreateAnd(m_lane, b.getInt32(~3U));
  return exchange(value, b.CreateOr(quad, b.CreateAnd(part, b.getInt32(3))));
}

Value *Lowering::shuffleXor(Value *value, Value *mask) {
  static constexpr StringLiteral neighbours[] = {"ir3.quad.horizontal", "ir3.quad.vertical",
                                                 "ir3.quad.diagonal"};
  IRBuilder<> &b = m_builder;
  const auto *constant = dyn_cast<ConstantInt>(mask);
  uint64_t bits = constant ? constant->getZExtValue() : 0;
  if (bits >= 1 && bits <= 3)
    return ir3::mapDwords(b, value,
                          [&](Value *dword) { return call(neighbours[bits - 1], dword); });
  if (bits && bits < m_waveSize && m_hasShuffle)
    return ir3::mapDwords(b, value, [&](Value *dword) {
      return ir3::callWaveFunction(b, "ir3.shuffle.xor", b.getInt32Ty(), {dword, mask});
    });
  return exchange(value, b.CreateXor(m_lane, mask));
}

/// Values below 32 bits are zero-extended to the first word. The second word is written only for
/// values of 64 bits.
void Lowering::publish(Value *value) {
  IRBuilder<> &b = m_builder;
  makeSlots();
  unsigned bits = value->getType()->getScalarSizeInBits();
  Value *integer = b.CreateBitCast(value, b.getIntNTy(bits));
  Value *low = b.CreateZExtOrTrunc(integer, b.getInt32Ty());
  b.CreateStore(low, word(slot(m_lane)));
  if (bits <= 32)
    return;
  Value *high = b.CreateTrunc(b.CreateLShr(integer, 32), b.getInt32Ty());
  b.CreateStore(high, word(b.CreateAdd(slot(m_lane), b.getInt32(1))));
}

/// The reverse of publish(): \p type must be the type of the published value.
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

/// The constant that does not change the result of \p operation. That of FAdd is -0, since 0 would
/// change a sum of -0.
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

/// Applies \p operation to two values. FMin and FMax return the other operand where one is NaN, as
/// minnum does.
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

/// The number that macro:scan has for \p operation.
static ir3::Reduction reductionOf(SubgroupOperation operation) {
  using ir3::Reduction;
  switch (operation) {
  case SubgroupOperation::IAdd:
    return Reduction::AddU;
  case SubgroupOperation::FAdd:
    return Reduction::AddF;
  case SubgroupOperation::IMul:
    return Reduction::MulU;
  case SubgroupOperation::FMul:
    return Reduction::MulF;
  case SubgroupOperation::SMin:
    return Reduction::MinS;
  case SubgroupOperation::UMin:
    return Reduction::MinU;
  case SubgroupOperation::FMin:
    return Reduction::MinF;
  case SubgroupOperation::SMax:
    return Reduction::MaxS;
  case SubgroupOperation::UMax:
    return Reduction::MaxU;
  case SubgroupOperation::FMax:
    return Reduction::MaxF;
  case SubgroupOperation::And:
    return Reduction::And;
  case SubgroupOperation::Or:
    return Reduction::Or;
  case SubgroupOperation::Xor:
    return Reduction::Xor;
  }
  llvm_unreachable("the number was checked");
}

/// \p part is the member of the scan's result: 0 the exclusive scan, 1 the inclusive one, 2 the
/// total.
Value *Lowering::scan(Value *value, SubgroupOperation operation, unsigned part) {
  IRBuilder<> &b = m_builder;
  Type *type = value->getType(), *dword = b.getInt32Ty();
  if (!type->isIntegerTy(32) && !type->isFloatTy())
    return nullptr;
  Value *neutral = makeNeutral(operation, type);
  Value *parts =
      ir3::callWaveFunction(b, "ir3.scan", StructType::get(dword, dword, dword),
                            {b.CreateBitCast(value, dword), b.CreateBitCast(neutral, dword),
                             b.getInt32(static_cast<uint32_t>(reductionOf(operation)))});
  return b.CreateBitCast(b.CreateExtractValue(parts, part), type);
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
    return ir3::mapDwords(b, each->getValue(),
                          [&](Value *dword) { return call("ir3.read.first", dword); });
  if (auto *each = dyn_cast<SubgroupBroadcastOp>(&op))
    return broadcast(each->getValue(), each->getLane());
  if (auto *each = dyn_cast<SubgroupShuffleOp>(&op))
    return isa<Constant>(each->getLane()) ? broadcast(each->getValue(), each->getLane())
                                          : exchange(each->getValue(), each->getLane());
  if (auto *each = dyn_cast<SubgroupShuffleXorOp>(&op))
    return shuffleXor(each->getValue(), each->getMask());
  if (auto *each = dyn_cast<SubgroupQuadPermuteOp>(&op))
    return permuteQuad(each->getValue(), static_cast<uint32_t>(each->getPattern()));
  constexpr uint64_t last = static_cast<uint64_t>(SubgroupOperation::Xor);
  if (auto *each = dyn_cast<SubgroupReduceOp>(&op)) {
    uint64_t size = each->getClusterSize();
    if (each->getOperation() > last || (size && !isPowerOf2_64(size)))
      return nullptr;
    auto operation = static_cast<SubgroupOperation>(each->getOperation());
    constexpr unsigned total = 2;
    if (!size || size >= m_waveSize)
      if (Value *result = scan(each->getValue(), operation, total))
        return result;
    return combineLanes(op, each->getValue(), operation, clusterMask(static_cast<unsigned>(size)));
  }
  auto *prefix = dyn_cast<SubgroupScanOp>(&op);
  if (!prefix || prefix->getOperation() > last)
    return nullptr;
  if (Value *result =
          scan(prefix->getValue(), static_cast<SubgroupOperation>(prefix->getOperation()),
               prefix->getIsExclusive() ? 0 : 1))
    return result;
  // The lanes below this one, and this one.
  Value *from =
      b.CreateShl(ConstantInt::get(b.getInt64Ty(), prefix->getIsExclusive() ? ~0ULL : ~1ULL),
                  b.CreateZExt(m_lane, b.getInt64Ty()));
  return combineLanes(op, prefix->getValue(),
                      static_cast<SubgroupOperation>(prefix->getOperation()), b.CreateNot(from));
}

bool Lowering::lower(CallInst &op) {
  Value *value = lowerOp(op);
  if (!value)
    return false;
  op.replaceAllUsesWith(value);
  op.eraseFromParent();
  return true;
}

/// Lowers all of \p ops, which are in one entry point with waves of 64 lanes. Unsupported for other
/// wave sizes; InvalidInput for a module without a compute entry point and for op operands that are
/// out of range.
static Error lowerOps(Module &module, ArrayRef<CallInst *> ops, bool hasShuffle) {
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
  Lowering lowering(*entry, *mode, state->getWaveSize(), hasShuffle);
  for (CallInst *op : ops)
    if (!lowering.lower(*op))
      return invalidInput("a subgroup operation or size of a cluster that does not exist");
  return Error::success();
}

/// Collects the calls of functions named "lgc.subgroup.", then lowers them. Errors are reported to
/// the context; the module is then only partly lowered.
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
  if (Error error = lowerOps(module, ops, m_hasShuffle))
    reportError(module.getContext(), std::move(error));
  return PreservedAnalyses::none();
}
