// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sources: LLPC, lgc/lowering/NggPrimShader.cpp; AMD's ISA manuals, "Messages", "Exports".
#include "compiler/amdgpu/passes/LowerPrimitiveShader.h"

#include "compiler/amdgpu/passes/StageInputs.h"
#include "compiler/amdgpu/passes/StageMetadata.h"
#include "compiler/lgc/PassDiagnostics.h"
#include "support/Error.h"
#include "support/Fault.h"
#include "llvm/IR/IntrinsicsAMDGPU.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;
using namespace assay;
using namespace assay::amdgpu;

namespace {
class PrimitiveShader {
public:
  PrimitiveShader(Function &entry, TrackedState &state)
      : m_entry(entry), m_state(state), m_builder(entry.getContext()) {}

  void run();

private:
  Value *getField(Value *word, unsigned low, unsigned bits) {
    return m_builder.CreateAnd(m_builder.CreateLShr(word, low), (1u << bits) - 1);
  }
  /// A block that runs where \p condition holds; the builder goes on behind it.
  BasicBlock *addBranch(Value *condition, StringRef name);
  void requestSpace();
  void exportPrimitive(Value *lane);
  void endAt(BasicBlock *end);

  Function &m_entry;
  TrackedState &m_state;
  IRBuilder<> m_builder;
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

void PrimitiveShader::exportPrimitive(Value *lane) {
  constexpr unsigned PrimitiveTarget = 20;
  Value *primitives = getField(createStageInput(m_builder, StageInput::WaveInfo), 8, 8);
  BasicBlock *block = addBranch(m_builder.CreateICmpULT(lane, primitives), "primitive");
  IRBuilder<> builder(block->getTerminator());
  Value *none = PoisonValue::get(builder.getInt32Ty());
  builder.CreateIntrinsic(Intrinsic::amdgcn_exp, {builder.getInt32Ty()},
                          {builder.getInt32(PrimitiveTarget), builder.getInt32(1),
                           createStageInput(builder, StageInput::PrimitiveData), none, none, none,
                           builder.getTrue(), builder.getFalse()});
}

void PrimitiveShader::endAt(BasicBlock *end) {
  for (BasicBlock &block : m_entry)
    if (auto *old = dyn_cast<ReturnInst>(block.getTerminator()); old && &block != end) {
      IRBuilder<>(old).CreateBr(end);
      old->eraseFromParent();
    }
}

void PrimitiveShader::run() {
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
  exportPrimitive(lane);
  Value *vertices = getField(createStageInput(m_builder, StageInput::WaveInfo), 0, 8);
  BasicBlock *end = BasicBlock::Create(context, "end", &m_entry);
  m_builder.CreateCondBr(m_builder.CreateICmpULT(lane, vertices), body, end);
  m_builder.SetInsertPoint(end);
  m_builder.CreateRetVoid();
  endAt(end);
}

static Error lower(Module &module, Function &entry) {
  Expected<TrackedState> state = TrackedState::open(module, "lower-primitive-shader");
  if (!state)
    return state.takeError();
  if (getHardwareStage(ShaderStage::Vertex, *state) != pal::HardwareStage::Gs)
    return Error::success();
  for (const Instruction &instruction : instructions(entry))
    if (const auto *op = dyn_cast<StageInputOp>(&instruction);
        op && op->getInput() == static_cast<uint64_t>(StageInput::PrimitiveId))
      return unsupported("PrimitiveId with NGG");
  PrimitiveShader(entry, *state).run();
  return Error::success();
}

PreservedAnalyses amdgpu::LowerPrimitiveShader::run(Module &module, ModuleAnalysisManager &) {
  Function *entry = findStage(module, ShaderStage::Vertex);
  if (!entry)
    return PreservedAnalyses::all();
  if (Error error = lower(module, *entry))
    reportError(module.getContext(), std::move(error));
  return PreservedAnalyses::none();
}
