// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/amdgpu/fat_pointers/Waterfall.h"

#include "compiler/amdgpu/fat_pointers/BufferAccess.h"
#include "compiler/lgc/fat_pointers/TypeMap.h"
#include "support/Fault.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsAMDGPU.h"

using namespace llvm;
using namespace assay;
using namespace assay::amdgpu;

namespace {
/// Accesses of one block, in order, by one resource.
struct Group {
  Value *resource = nullptr;
  SmallVector<Use *, 4> uses; ///< Of the resource.

  Instruction *first() const { return cast<Instruction>(uses.front()->getUser()); }
  Instruction *last() const { return cast<Instruction>(uses.back()->getUser()); }
};
} // namespace

/// The resource operand of a buffer intrinsic, else null.
static Use *findResource(Instruction &instruction) {
  auto *call = dyn_cast<IntrinsicInst>(&instruction);
  if (!call || !isBufferIntrinsic(*call))
    return nullptr;
  for (Use &argument : call->args())
    if (argument->getType()->isPointerTy() &&
        argument->getType()->getPointerAddressSpace() == ResourceSpace)
      return &argument;
  return nullptr;
}

/// Whether a loop that serves some lanes before others may not go over \p instruction, or should
/// not: a fence costs as much as the loop, memory of a function stands outside of loops.
static bool needsAllLanes(const Instruction &instruction) {
  if (isa<FenceInst, AllocaInst>(instruction) || instruction.isEHPad())
    return true;
  auto *call = dyn_cast<CallBase>(&instruction);
  return call && (call->isConvergent() || !call->willReturn());
}

/// Appends the groups of \p block to \p groups. A group ends at an access by another divergent
/// resource, and where all lanes are needed.
static void collectGroups(BasicBlock &block, const UniformityInfo &uniformity,
                          std::vector<Group> &groups) {
  Group open;
  auto close = [&] {
    if (open.uses.size() > 1)
      groups.push_back(open);
    open = Group();
  };
  for (Instruction &instruction : block) {
    Use *resource = findResource(instruction);
    if (resource && uniformity.isDivergentUse(*resource)) {
      if (open.resource != resource->get())
        close();
      open.resource = resource->get();
      open.uses.push_back(resource);
    } else if (needsAllLanes(instruction)) {
      close();
    }
  }
  close();
}

// --- The loop

/// Values of \p body that are used after the loop come through \p latch: a lane's own from the
/// round that served it.
static void passOutwards(BasicBlock &body, BasicBlock &latch, BasicBlock &header) {
  for (Instruction &instruction : body) {
    SmallVector<Use *, 4> outside;
    for (Use &use : instruction.uses()) {
      auto *user = cast<Instruction>(use.getUser());
      auto *phi = dyn_cast<PHINode>(user);
      BasicBlock *place = phi ? phi->getIncomingBlock(use) : user->getParent();
      if (place != &body)
        outside.push_back(&use);
    }
    if (outside.empty())
      continue;
    IRBuilder<> builder(&latch, latch.begin());
    PHINode *join = builder.CreatePHI(instruction.getType(), 2, instruction.getName());
    join->addIncoming(&instruction, &body);
    join->addIncoming(PoisonValue::get(instruction.getType()), &header);
    for (Use *use : outside)
      use->set(join);
  }
}

/// before -> header -> body -> latch -> after, header -> latch, latch -> header.
static void wrap(const Group &group) {
  BasicBlock *before = group.first()->getParent();
  BasicBlock *body = before->splitBasicBlock(group.first(), "waterfall.body");
  BasicBlock *after = body->splitBasicBlock(group.last()->getNextNode(), "waterfall.done");
  LLVMContext &context = before->getContext();
  BasicBlock *header = BasicBlock::Create(context, "waterfall", before->getParent(), body);
  BasicBlock *latch = BasicBlock::Create(context, "waterfall.next", before->getParent(), after);
  before->getTerminator()->setSuccessor(0, header);
  body->getTerminator()->setSuccessor(0, latch);

  IRBuilder<> builder(header);
  Type *half = builder.getInt64Ty();
  Type *whole = builder.getIntNTy(128);
  Value *bits = builder.CreatePtrToInt(group.resource, whole);
  Value *shared = nullptr;
  Value *isServed = nullptr;
  for (unsigned low : {0u, 64u}) {
    Value *part = builder.CreateTrunc(low ? builder.CreateLShr(bits, low) : bits, half);
    Value *firstLane = builder.CreateIntrinsic(Intrinsic::amdgcn_readfirstlane, {half}, {part});
    Value *isSame = builder.CreateICmpEQ(part, firstLane);
    isServed = isServed ? builder.CreateAnd(isServed, isSame) : isSame;
    Value *wide = builder.CreateZExt(firstLane, whole);
    shared = shared ? builder.CreateOr(shared, builder.CreateShl(wide, low)) : wide;
  }
  if (faultPlanted(Fault::FatWaterfallOnce))
    isServed = builder.getTrue();
  Value *resource = builder.CreateIntToPtr(shared, group.resource->getType());
  builder.CreateCondBr(isServed, body, latch);
  for (Use *use : group.uses)
    use->set(resource);

  builder.SetInsertPoint(latch);
  builder.CreateCondBr(isServed, after, header);
  passOutwards(*body, *latch, *header);
}

/// All groups are found before the first loop is made, while \p uniformity is valid.
bool amdgpu::shareWaterfallLoops(Function &function, const UniformityInfo &uniformity) {
  std::vector<Group> groups;
  for (BasicBlock &block : function)
    collectGroups(block, uniformity, groups);
  for (const Group &group : groups)
    wrap(group);
  return !groups.empty();
}
