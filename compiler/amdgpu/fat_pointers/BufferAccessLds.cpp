// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loads from a buffer straight into LDS.
#include "compiler/amdgpu/fat_pointers/BufferAccessCall.h"
#include "compiler/amdgpu/fat_pointers/BufferAccessTarget.h"
#include "llvm/IR/IntrinsicsAMDGPU.h"

using namespace llvm;
using namespace assay;
using namespace assay::amdgpu;

/// Operands of llvm.amdgcn.load.to.lds.
enum : unsigned { TargetOperand = 1, BytesOperand, OffsetOperand, PolicyOperand };

/// Returns the immediate in operand \p operand.
static uint32_t getConstant(const IntrinsicInst &load, unsigned operand) {
  return static_cast<uint32_t>(cast<ConstantInt>(load.getArgOperand(operand))->getZExtValue());
}

/// GFX9's and GFX10's MUBUF instructions have an LDS bit; GFX11 dropped it (RDNA 3 ISA, "MUBUF").
static bool hasLdsLoads(const BufferTarget &target, uint32_t bytes) {
  return (target.major == 9 || target.major == 10) && bytes <= 4;
}

/// Emits the buffer load to LDS; the hardware adds the place of the lane.
static void emitNative(IRBuilder<> &builder, const BufferAddress &address,
                       const IntrinsicInst &load) {
  SmallVector<Value *, 8> operands = {address.resource, load.getArgOperand(TargetOperand),
                                      load.getArgOperand(BytesOperand)};
  if (address.index)
    operands.push_back(address.index);
  operands.append({address.offset, builder.getInt32(0), load.getArgOperand(OffsetOperand),
                   load.getArgOperand(PolicyOperand)});
  builder
      .CreateIntrinsic(address.index ? Intrinsic::amdgcn_struct_ptr_buffer_load_lds
                                     : Intrinsic::amdgcn_raw_ptr_buffer_load_lds,
                       operands)
      ->setAAMetadata(load.getAAMetadata());
}

/// The number of the lane in its wave, of either size.
static Value *getLane(IRBuilder<> &builder) {
  Value *all = builder.getInt32(~0u);
  Value *low = builder.CreateIntrinsic(Intrinsic::amdgcn_mbcnt_lo, {all, builder.getInt32(0)});
  return builder.CreateIntrinsic(Intrinsic::amdgcn_mbcnt_hi, {all, low});
}

/// Without the instruction, each lane loads its value and stores it where the instruction would:
/// values of more than a dword have their size as stride, all others four bytes.
void amdgpu::emitBufferLoadToLds(IRBuilder<> &builder, const BufferAddress &address,
                                 const IntrinsicInst &load) {
  uint32_t bytes = getConstant(load, BytesOperand);
  if (hasLdsLoads(BufferTarget::of(*builder.GetInsertBlock()->getParent()), bytes)) {
    emitNative(builder, address, load);
    return;
  }
  uint32_t distance = getConstant(load, OffsetOperand);
  Type *type = bytes <= 4 ? static_cast<Type *>(builder.getIntNTy(8 * bytes))
                          : FixedVectorType::get(builder.getInt32Ty(), bytes / 4);
  AccessTraits traits;
  traits.align = Align(std::min<uint64_t>(bytes, 4));
  traits.aliases = load.getAAMetadata();
  uint32_t policy = getConstant(load, PolicyOperand);
  traits.isVolatile = isVolatilePolicy(policy);
  BufferCall call{getLoadIntrinsic(traits), type, {}, distance, policy};
  Value *value = createBufferCall(builder, address, call, traits);
  // Each lane has a place of its own, of a dword at least: LDS_base + LDS_offset + inst_offset +
  // lane * 4 (Vega ISA, "Memory Buffer Load to LDS").
  uint32_t stride = std::max(bytes, 4u);
  if (bytes < 4)
    value = builder.CreateZExt(value, builder.getInt32Ty());
  Value *place = builder.CreateAdd(builder.CreateMul(getLane(builder), builder.getInt32(stride)),
                                   builder.getInt32(distance));
  StoreInst *store = builder.CreateAlignedStore(
      value, builder.CreatePtrAdd(load.getArgOperand(TargetOperand), place), Align(4),
      traits.isVolatile);
  store->setAAMetadata(traits.aliases);
}
