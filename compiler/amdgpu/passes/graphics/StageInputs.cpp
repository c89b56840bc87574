// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/amdgpu/passes/graphics/StageInputs.h"

#include "compiler/amdgpu/passes/Glue.h"
#include "compiler/lgc/Builder.h"
#include "llvm/IR/IntrinsicsAMDGPU.h"

using namespace llvm;
using namespace assay;
using namespace assay::amdgpu;

bool amdgpu::isStageInput(uint64_t number) {
  auto isIn = [&](StageInput first, StageInput last) {
    return number >= static_cast<uint64_t>(first) && number <= static_cast<uint64_t>(last);
  };
  return isIn(StageInput::GlobalTable, StageInput::ViewIndex) ||
         isIn(StageInput::VertexId, StageInput::PrimitiveId) ||
         isIn(StageInput::GroupInfo, StageInput::PrimitiveMask) ||
         isIn(StageInput::PixelInput, StageInput::FixedPosition) ||
         (number >= static_cast<uint64_t>(StageInput::VertexAttribute) &&
          number < static_cast<uint64_t>(StageInput::ColorValue) + colorValues);
}

/// Returns \p element, or a vector of it, as long as \p input.
static Type *getType(Type *element, StageInput input) {
  unsigned dwords = getDwords(input);
  return dwords == 1 ? element : FixedVectorType::get(element, dwords);
}

Value *amdgpu::createStageInput(IRBuilderBase &builder, StageInput input) {
  return StageInputOp::create(builder, getType(builder.getInt32Ty(), input),
                              static_cast<uint64_t>(input));
}

Value *amdgpu::createFloatInput(IRBuilderBase &builder, StageInput input) {
  return builder.CreateBitCast(createStageInput(builder, input),
                               getType(builder.getFloatTy(), input));
}

/// The high half comes from the program counter.
Value *amdgpu::createTablePointer(IRBuilderBase &builder, Value *low) {
  Type *i64 = builder.getInt64Ty();
  Value *counter = builder.CreateIntrinsic(i64, Intrinsic::amdgcn_s_getpc, {});
  Value *address = builder.CreateOr(builder.CreateAnd(counter, 0xFFFFFFFF00000000),
                                    builder.CreateZExt(low, i64));
  return builder.CreateIntToPtr(address, builder.getPtrTy(ConstantAddressSpace));
}

Value *amdgpu::createLaneNumber(IRBuilderBase &builder, unsigned waveSize) {
  Value *all = builder.getInt32(~0u);
  Value *lane = builder.CreateIntrinsic(Intrinsic::amdgcn_mbcnt_lo, {}, {all, builder.getInt32(0)});
  return waveSize == 32 ? lane
                        : builder.CreateIntrinsic(Intrinsic::amdgcn_mbcnt_hi, {}, {all, lane});
}

Value *amdgpu::createThreadOfGroup(IRBuilderBase &builder, unsigned waveSize) {
  // WaveInfo has the number of the wave in bits 27:24.
  Value *info = createStageInput(builder, StageInput::WaveInfo);
  Value *wave = builder.CreateAnd(builder.CreateLShr(info, 24), 0xf);
  return builder.CreateAdd(builder.CreateMul(wave, builder.getInt32(waveSize)),
                           createLaneNumber(builder, waveSize));
}

Function *amdgpu::findStage(Module &module, ShaderStage stage) {
  Function *entry = findStageOrGlue(module, stage);
  return entry && !isGlue(*entry) ? entry : nullptr;
}

BasicBlock::iterator amdgpu::getStartOf(Function &function) {
  return function.getEntryBlock().getFirstNonPHIOrDbgOrAlloca();
}
