// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/amdgpu/passes/LowerControl.h"

#include "compiler/dialect/Lgc.h"
#include "compiler/lgc/Builder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/IntrinsicsAMDGPU.h"
#include "llvm/IR/MemoryModelRelaxationAnnotations.h"

using namespace llvm;
using namespace assay;

namespace {
/// Lowers barriers, opaque truths and anchors, then marks fences and atomics for the code
/// generator.
class Lowering : public LgcVisitor<Lowering> {
public:
  explicit Lowering(LLVMContext &context) : m_builder(context) {}

  void visitBarrierOp(BarrierOp &op) {
    m_builder.SetInsertPoint(&op);
    m_builder.CreateIntrinsic(m_builder.getVoidTy(), Intrinsic::amdgcn_s_barrier, {});
    op.eraseFromParent();
  }
  void visitOpaqueTrueOp(OpaqueTrueOp &op);
  /// Replaces the op by empty inline assembly that no pass may duplicate, move or remove.
  void visitAnchorOp(AnchorOp &op);
  /// Adds the metadata of fences and atomics in \p function.
  void mark(Function &function);

private:
  IRBuilder<> m_builder;
};
} // namespace

/// No text, which the back-end would have to parse; the output is the SGPR of the input.
void Lowering::visitOpaqueTrueOp(OpaqueTrueOp &op) {
  m_builder.SetInsertPoint(&op);
  Type *i32 = m_builder.getInt32Ty();
  auto *text = InlineAsm::get(FunctionType::get(i32, {i32}, false), "", "=s,0",
                              /*hasSideEffects=*/false);
  Value *one = m_builder.CreateCall(text, {m_builder.getInt32(1)});
  op.replaceAllUsesWith(m_builder.CreateICmpNE(one, m_builder.getInt32(0)));
  op.eraseFromParent();
}

/// The side effect keeps the call; convergent and noduplicate keep the control flow around it.
void Lowering::visitAnchorOp(AnchorOp &op) {
  m_builder.SetInsertPoint(&op);
  auto *type = FunctionType::get(m_builder.getVoidTy(), false);
  CallInst *call = m_builder.CreateCall(InlineAsm::get(type, "", "", /*hasSideEffects=*/true));
  call->setConvergent();
  call->addFnAttr(Attribute::NoDuplicate);
  call->setDoesNotThrow();
  op.eraseFromParent();
}

/// With this the code generator waits for LDS alone, and keeps what caches hold of buffers (LLVM's
/// AMDGPUUsage, "Memory Model Relaxation Annotations").
static void markFence(FenceInst &fence) {
  if (getFencedMemory(fence) != FencedMemory::Workgroup)
    return;
  setFencedMemory(fence, FencedMemory::All);
  fence.setMetadata(LLVMContext::MD_mmra,
                    MMRAMetadata::getTagMD(fence.getContext(), "amdgpu-synchronize-as", "local"));
}

/// The hardware's own read-modify-write is only right in memory that it does not share with a host
/// at a granularity below pages, nor with another device; Vulkan's memory is such (LLVM's
/// AMDGPUUsage, "Metadata").
static void markNative(Instruction &atomic, const FloatMode &mode) {
  MDNode *empty = MDNode::get(atomic.getContext(), {});
  atomic.setMetadata("amdgpu.no.fine.grained.memory", empty);
  atomic.setMetadata("amdgpu.no.remote.memory", empty);
  // Of f32 denormals: the hardware's atomics may flush them.
  if (atomic.getType()->isFloatTy() && mode.single.denormals != Denormals::Preserve)
    atomic.setMetadata("amdgpu.ignore.denormal.mode", empty);
}

/// The float mode of the function decides on denormals in f32 atomics.
void Lowering::mark(Function &function) {
  FloatMode mode = getFloatMode(function);
  for (Instruction &instruction : instructions(function)) {
    if (auto *fence = dyn_cast<FenceInst>(&instruction))
      markFence(*fence);
    else if (isa<AtomicRMWInst, AtomicCmpXchgInst>(instruction))
      markNative(instruction, mode);
  }
}

/// Changes no control flow.
PreservedAnalyses amdgpu::LowerControl::run(Module &module, ModuleAnalysisManager &) {
  Lowering lowering(module.getContext());
  lowering.visit(module);
  for (Function &function : module)
    lowering.mark(function);
  PreservedAnalyses preserved;
  preserved.preserveSet<CFGAnalyses>();
  return preserved;
}
