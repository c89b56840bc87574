// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/amdgpu/fat_pointers/BufferAccessCall.h"

#include "support/Fault.h"
#include "llvm/IR/IntrinsicsAMDGPU.h"

using namespace llvm;
using namespace assay;
using namespace assay::amdgpu;

/// LLVM reads the access' alignment off the resource operand (SIISelLowering.cpp,
/// getTgtMemIntrinsic), ScalarLoads does so too.
static void keepPromises(CallInst *call, unsigned resourceOperand, uint64_t distance,
                         const AccessTraits &traits) {
  LLVMContext &context = call->getContext();
  call->addParamAttr(resourceOperand,
                     Attribute::getWithAlignment(context, commonAlignment(traits.align, distance)));
  if (traits.isInvariant)
    call->setMetadata(LLVMContext::MD_invariant_load, MDNode::get(context, {}));
  if (traits.isNontemporal) {
    auto *one = ConstantAsMetadata::get(ConstantInt::get(Type::getInt32Ty(context), 1));
    call->setMetadata(LLVMContext::MD_nontemporal, MDNode::get(context, one));
  }
  AAMDNodes aliases = traits.aliases;
  // The tag of a structure's copy describes all of it, from its first byte on.
  aliases = aliases.shift(distance);
  call->setAAMetadata(aliases);
}

/// Volatile and atomic loads have intrinsics that LLVM does not merge or move.
BufferIntrinsic amdgpu::getLoadIntrinsic(const AccessTraits &traits) {
  if (traits.isVolatile || traits.ordering != AtomicOrdering::NotAtomic)
    return {Intrinsic::amdgcn_raw_ptr_atomic_buffer_load,
            Intrinsic::amdgcn_struct_ptr_atomic_buffer_load};
  return {Intrinsic::amdgcn_raw_ptr_buffer_load, Intrinsic::amdgcn_struct_ptr_buffer_load};
}

/// Decides by the name.
bool amdgpu::isBufferIntrinsic(const IntrinsicInst &call) {
  StringRef name = call.getCalledFunction()->getName();
  return name.contains(".ptr.buffer.") || name.contains(".ptr.atomic.buffer.");
}

/// The distance is added to the vector offset.
CallInst *amdgpu::createBufferCall(IRBuilder<> &builder, const BufferAddress &address,
                                   const BufferCall &call, const AccessTraits &traits) {
  Value *offset = address.offset;
  if (call.distance)
    offset = builder.CreateAdd(offset, builder.getInt32(static_cast<uint32_t>(call.distance)));
  SmallVector<Value *, 8> operands(call.data.begin(), call.data.end());
  operands.push_back(address.resource);
  if (address.index)
    operands.push_back(address.index);
  // No scalar offset: hardware would leave it out of the bounds check.
  operands.append({offset, builder.getInt32(0), builder.getInt32(call.cachePolicy)});
  Intrinsic::ID id = address.index ? call.intrinsic.strided : call.intrinsic.raw;
  CallInst *result = builder.CreateIntrinsic(id, {call.type}, operands);
  keepPromises(result, call.data.size(), call.distance, traits);
  return result;
}

void amdgpu::emitFenceBefore(IRBuilder<> &builder, const AccessTraits &traits) {
  if (isReleaseOrStronger(traits.ordering) && !faultPlanted(Fault::FatMissingFence))
    builder.CreateFence(AtomicOrdering::Release, traits.scope);
}

void amdgpu::emitFenceAfter(IRBuilder<> &builder, const AccessTraits &traits) {
  if (isAcquireOrStronger(traits.ordering))
    builder.CreateFence(AtomicOrdering::Acquire, traits.scope);
}
