// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sources: LLPC, lgc/lowering/NggPrimShader.cpp; AMD's ISA manuals, "Messages", "Exports".
#include "compiler/amdgpu/passes/graphics/LowerPrimitiveShader.h"

#include "compiler/amdgpu/passes/graphics/StageInputs.h"
#include "compiler/amdgpu/passes/graphics/StageMetadata.h"
#include "compiler/lgc/PassDiagnostics.h"
#include "support/Error.h"
#include "support/Fault.h"
#include "llvm/IR/IntrinsicsAMDGPU.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;
using namespace assay;
using namespace assay::amdgpu;

/// Width of the fields with the numbers of vertices and primitives of a wave, which are at most 64.
/// The back-end replaces comparisons with them by masks (compiler/amdgpu/MaskFirstLanes.h).
static constexpr unsigned CountBits = 7;

namespace {
/// Puts code in front of a vertex shader and around it. Fields of WaveInfo and GroupInfo are those
/// of StageInputs.h.
class PrimitiveShader {
public:
  PrimitiveShader(Function &entry, TrackedState &state)
      : m_entry(entry), m_state(state), m_builder(entry.getContext()) {}

  /// \p primitiveIds: ops of the vertex shader.
  void run(ArrayRef<StageInputOp *> primitiveIds);

private:
  /// Returns \p bits bits of \p word from bit \p low on.
  Value *getField(Value *word, unsigned low, unsigned bits) {
    return m_builder.CreateAnd(m_builder.CreateLShr(word, low), (1u << bits) - 1);
  }
  /// A block that runs where \p condition holds; the builder goes on after it.
  BasicBlock *addBranch(Value *condition, StringRef name);
  void requestSpace();
  /// Exports the primitive of this lane where it has one, and stores its number for the vertex that
  /// provokes it.
  void exportPrimitive(Value *lane, ArrayRef<StageInputOp *> primitiveIds);
  Value *getProvokingVertex(Value *data);
  GlobalVariable *makeIdMemory();
  void waitForWorkgroup();
  void clearIds();
  void readIds(GlobalVariable &memory, BasicBlock &body, ArrayRef<StageInputOp *> primitiveIds);
  /// Makes all returns except that of \p end branch there.
  void endAt(BasicBlock *end);

  Function &m_entry;
  TrackedState &m_state;
  IRBuilder<> m_builder;
  GlobalVariable *m_idMemory = nullptr; ///< Null where no vertex needs the number of a primitive.
};
} // namespace

BasicBlock *PrimitiveShader::addBranch(Value *condition, StringRef name) {
  LLVMContext &context = m_entry.getContext();
  BasicBlock *block = BasicBlock::Create(context, name, &m_entry);
  BasicBlock *next = BasicBlock::Create(context, name + ".end", &m_entry);
  m_builder.CreateCondBr(condition, block, next);
  IRBuilder<>(block).CreateBr(next);
  m_builder.SetInsertPoint(next);
  return block;
}

/// GS_ALLOC_REQ: vertices in bits 10:0, primitives in bits 22:12 of M0.
void PrimitiveShader::requestSpace() {
  constexpr unsigned AllocationRequest = 9;
  Value *group = createStageInput(m_builder, StageInput::GroupInfo);
  Value *wave = getField(createStageInput(m_builder, StageInput::WaveInfo), 24, 4);
  Value *vertices = getField(group, 12, 9), *primitives = getField(group, 22, 9);
  if (faultPlanted(Fault::PrimitiveCount))
    vertices = primitives = m_builder.getInt32(1);
  Value *space = m_builder.CreateOr(vertices, m_builder.CreateShl(primitives, 12));
  BasicBlock *request = addBranch(m_builder.CreateIsNull(wave), "request");
  IRBuilder<> builder(request->getTerminator());
  builder.CreateIntrinsic(Intrinsic::amdgcn_s_sendmsg, {},
                          {builder.getInt32(AllocationRequest), space});
}

/// A dword for each vertex of a workgroup: the number of the primitive that it provokes.
GlobalVariable *PrimitiveShader::makeIdMemory() {
  constexpr unsigned Threads = 256;
  auto *type = ArrayType::get(m_builder.getInt32Ty(), Threads);
  return new GlobalVariable(*m_entry.getParent(), type, /*isConstant=*/false,
                            GlobalValue::InternalLinkage, PoisonValue::get(type), "primitiveIds",
                            nullptr, GlobalValue::NotThreadLocal, LocalAddressSpace);
}

/// Numbers of vertices are 8 bits with an edge flag from GFX12 on, 9 bits with one before.
Value *PrimitiveShader::getProvokingVertex(Value *data) {
  unsigned bits = m_state.getTarget().major >= 12 ? 8 : 9;
  unsigned vertex =
      m_state.provokesLast() ? static_cast<unsigned>(m_state.getPrimitiveKind()) - 1 : 0;
  return getField(data, vertex * (bits + 1), bits);
}

/// What threads of the workgroup store before it, all of them see after it.
void PrimitiveShader::waitForWorkgroup() {
  SyncScope::ID scope = m_entry.getContext().getOrInsertSyncScopeID("workgroup");
  m_builder.CreateFence(AtomicOrdering::Release, scope);
  m_builder.CreateIntrinsic(m_builder.getVoidTy(), Intrinsic::amdgcn_s_barrier, {});
  m_builder.CreateFence(AtomicOrdering::Acquire, scope);
}

/// A vertex that provokes no primitive has the number 0, so that it stores no uninitialized value.
void PrimitiveShader::clearIds() {
  m_idMemory = makeIdMemory();
  Value *thread = createThreadOfGroup(m_builder, m_state.getWaveSize());
  m_builder.CreateStore(m_builder.getInt32(0),
                        m_builder.CreateGEP(m_builder.getInt32Ty(), m_idMemory, thread));
  waitForWorkgroup();
}

/// The hardware gives primitives to other threads than vertices.
void PrimitiveShader::readIds(GlobalVariable &memory, BasicBlock &body,
                              ArrayRef<StageInputOp *> primitiveIds) {
  waitForWorkgroup();
  IRBuilder<> builder(&body, body.getFirstInsertionPt());
  Value *thread = createThreadOfGroup(builder, m_state.getWaveSize());
  Value *place = builder.CreateGEP(builder.getInt32Ty(), &memory, thread);
  Value *id = builder.CreateLoad(builder.getInt32Ty(), place, "primitiveId");
  for (StageInputOp *op : primitiveIds) {
    op->replaceAllUsesWith(id);
    op->eraseFromParent();
  }
}

void PrimitiveShader::exportPrimitive(Value *lane, ArrayRef<StageInputOp *> primitiveIds) {
  constexpr unsigned PrimitiveTarget = 20;
  if (!primitiveIds.empty())
    clearIds();
  Value *primitives = getField(createStageInput(m_builder, StageInput::WaveInfo), 8, CountBits);
  BasicBlock *block = addBranch(m_builder.CreateICmpULT(lane, primitives), "primitive");
  IRBuilder<> builder(block->getTerminator());
  Value *none = PoisonValue::get(builder.getInt32Ty());
  builder.CreateIntrinsic(Intrinsic::amdgcn_exp, {builder.getInt32Ty()},
                          {builder.getInt32(PrimitiveTarget), builder.getInt32(1),
                           createStageInput(builder, StageInput::PrimitiveData), none, none, none,
                           builder.getTrue(), builder.getFalse()});
  if (primitiveIds.empty())
    return;
  m_builder.SetInsertPoint(block->getTerminator());
  Value *vertex = getProvokingVertex(createStageInput(m_builder, StageInput::PrimitiveData));
  m_builder.CreateStore(createStageInput(m_builder, StageInput::PrimitiveId),
                        m_builder.CreateGEP(m_builder.getInt32Ty(), m_idMemory, vertex));
  m_builder.SetInsertPoint(block->getSingleSuccessor());
}

void PrimitiveShader::endAt(BasicBlock *end) {
  for (BasicBlock &block : m_entry)
    if (auto *old = dyn_cast<ReturnInst>(block.getTerminator()); old && &block != end) {
      IRBuilder<>(old).CreateBr(end);
      old->eraseFromParent();
    }
}

/// Lanes without a vertex skip the body. Allocas move to the new entry block, which begins by
/// setting EXEC to all lanes.
void PrimitiveShader::run(ArrayRef<StageInputOp *> primitiveIds) {
  LLVMContext &context = m_entry.getContext();
  BasicBlock *body = &m_entry.getEntryBlock();
  BasicBlock *start = BasicBlock::Create(context, "start", &m_entry, body);
  for (Instruction &instruction : make_early_inc_range(*body))
    if (isa<AllocaInst>(instruction))
      instruction.moveBefore(*start, start->end());
  m_builder.SetInsertPoint(start);
  m_builder.CreateIntrinsic(Intrinsic::amdgcn_init_exec, {}, {m_builder.getInt64(~0ull)});
  Value *lane = createLaneNumber(m_builder, m_state.getWaveSize());
  if (m_state.getTarget().major < 11)
    requestSpace();
  exportPrimitive(lane, primitiveIds);
  if (m_idMemory)
    readIds(*m_idMemory, *body, primitiveIds);
  Value *vertices = getField(createStageInput(m_builder, StageInput::WaveInfo), 0, CountBits);
  BasicBlock *end = BasicBlock::Create(context, "end", &m_entry);
  m_builder.CreateCondBr(m_builder.CreateICmpULT(lane, vertices), body, end);
  m_builder.SetInsertPoint(end);
  m_builder.CreateRetVoid();
  endAt(end);
}

/// Does nothing where the vertex stage is a hardware VS.
static Error lower(Module &module, Function &entry) {
  Expected<TrackedState> state = TrackedState::open(module, "lower-primitive-shader");
  if (!state)
    return state.takeError();
  if (getHardwareStage(ShaderStage::Vertex, *state) != pal::HardwareStage::Gs)
    return Error::success();
  SmallVector<StageInputOp *, 2> primitiveIds;
  for (Instruction &instruction : instructions(entry))
    if (auto *op = dyn_cast<StageInputOp>(&instruction);
        op && op->getInput() == static_cast<uint64_t>(StageInput::PrimitiveId))
      primitiveIds.push_back(op);
  PrimitiveShader(entry, *state).run(primitiveIds);
  return Error::success();
}

/// Runs on vertex shaders, after their outputs have become exports.
PreservedAnalyses amdgpu::LowerPrimitiveShader::run(Module &module, ModuleAnalysisManager &) {
  Function *entry = findStage(module, ShaderStage::Vertex);
  if (!entry)
    return PreservedAnalyses::all();
  if (Error error = lower(module, *entry))
    reportError(module.getContext(), std::move(error));
  return PreservedAnalyses::none();
}
