// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/amdgpu/fat_pointers/BufferAccessEmitter.h"

#include "compiler/amdgpu/fat_pointers/BufferAccess.h"
#include "compiler/amdgpu/fat_pointers/BufferAccessTarget.h"
#include "compiler/lgc/fat_pointers/SplitterIntrinsics.h"
#include "llvm/IR/IntrinsicsAMDGPU.h"

using namespace llvm;
using namespace assay;
using namespace assay::amdgpu;

Error BufferAccessEmitter::verify(const Instruction &access) const {
  return verifyBufferAccess(access);
}

Value *BufferAccessEmitter::emitLoad(IRBuilder<> &builder, const BufferAddress &address,
                                     const LoadInst &load) const {
  return emitBufferLoad(builder, address, load.getType(), getAccessTraits(load));
}

void BufferAccessEmitter::emitStore(IRBuilder<> &builder, const BufferAddress &address,
                                    const StoreInst &store) const {
  // A builder takes operands as they may be changed.
  emitBufferStore(builder, address, const_cast<Value *>(store.getValueOperand()),
                  getAccessTraits(store));
}

Value *BufferAccessEmitter::emitAtomic(IRBuilder<> &builder, const BufferAddress &address,
                                       const AtomicRMWInst &atomic) const {
  return emitBufferAtomic(builder, address, atomic.getOperation(),
                          const_cast<Value *>(atomic.getValOperand()), getAccessTraits(atomic));
}

Value *BufferAccessEmitter::emitCompareExchange(IRBuilder<> &builder, const BufferAddress &address,
                                                const AtomicCmpXchgInst &exchange) const {
  return emitBufferCompareExchange(
      builder, address, const_cast<Value *>(exchange.getCompareOperand()),
      const_cast<Value *>(exchange.getNewValOperand()), getAccessTraits(exchange));
}

/// A resource has its base address in bits 47:0 and its stride in bits 61:48 (AMD ISA manuals,
/// "Buffer Resource Descriptor"); swizzled buffers are not copied between.
Value *BufferAccessEmitter::emitMachineAddress(IRBuilder<> &builder, Value *pointer) const {
  unsigned space = pointer->getType()->getPointerAddressSpace();
  Type *wide = builder.getInt64Ty();
  Value *bits =
      builder.CreatePtrToInt(pointer, builder.getIntNTy(getFatPointerBits(pointer->getType())));
  auto field = [&](unsigned low, unsigned width) {
    Value *part = builder.CreateTrunc(builder.CreateLShr(bits, low), builder.getIntNTy(width));
    return builder.CreateZExt(part, wide);
  };
  unsigned resource = space == FatSpace ? 32 : 64;
  Value *address = builder.CreateAdd(field(resource, 48), field(0, 32));
  if (space == FatSpace)
    return address;
  return builder.CreateAdd(address, builder.CreateMul(field(resource + 48, 14), field(32, 32)));
}

bool BufferAccessEmitter::allowsUnalignedDwords(const Function &function) const {
  return BufferTarget::of(function).unalignedAccess;
}

// --- Intrinsics

/// Splits llvm.amdgcn.make.buffer.rsrc that returns a fat pointer: its resource at index 0, offset
/// 0.
static void splitMakeResource(Splitter &splitter, Instruction &instruction) {
  auto &old = cast<IntrinsicInst>(instruction);
  IRBuilder<> &builder = splitter.builder();
  SmallVector<Value *, 4> arguments(old.args());
  FatParts parts;
  parts.resource = callLike(splitter, old, builder.getPtrTy(ResourceSpace), arguments);
  parts.index = isStrided(old.getType()) ? builder.getInt32(0) : nullptr;
  parts.offset = builder.getInt32(0);
  splitter.define(old, parts);
}

/// llvm.amdgcn.cs.chain marks its arguments, one by one, as user or system data.
static void splitChain(Splitter &splitter, Instruction &instruction) {
  auto &old = cast<IntrinsicInst>(instruction);
  AttributeList attributes = splitter.types().remap(old.getAttributes(), old.getFunctionType());
  BasicBlock::iterator place = old.getIterator();
  splitAsWhole(splitter, instruction);
  cast<CallInst>(*std::prev(place)).setAttributes(attributes);
}

/// Splits llvm.amdgcn.load.to.lds whose source is a fat pointer.
static void splitLoadToLds(Splitter &splitter, Instruction &instruction) {
  auto &old = cast<IntrinsicInst>(instruction);
  FatParts parts = splitter.getParts(old.getArgOperand(0));
  emitBufferLoadToLds(splitter.builder(), {parts.resource, parts.index, parts.offset}, old);
  splitter.replace(old, nullptr);
}

/// Returns null for an intrinsic that has no meaning for fat pointers.
SplitHandler BufferAccessEmitter::findIntrinsicHandler(Intrinsic::ID id) const {
  static constexpr IntrinsicHandler table[] = {
      {Intrinsic::amdgcn_make_buffer_rsrc, splitMakeResource},
      {Intrinsic::amdgcn_cs_chain, splitChain},
      {Intrinsic::amdgcn_load_to_lds, splitLoadToLds},
      {Intrinsic::amdgcn_readfirstlane, splitByParts},
      {Intrinsic::amdgcn_readlane, splitByParts},
      {Intrinsic::amdgcn_writelane, splitByParts},
      {Intrinsic::amdgcn_permlane16, splitByParts},
      {Intrinsic::amdgcn_permlanex16, splitByParts},
      {Intrinsic::amdgcn_permlane64, splitByParts},
      {Intrinsic::amdgcn_update_dpp, splitByParts},
      {Intrinsic::amdgcn_mov_dpp, splitByParts},
      {Intrinsic::amdgcn_mov_dpp8, splitByParts},
      {Intrinsic::amdgcn_set_inactive, splitByParts},
      {Intrinsic::amdgcn_wqm, splitByParts},
      {Intrinsic::amdgcn_softwqm, splitByParts},
      {Intrinsic::amdgcn_strict_wwm, splitByParts},
      {Intrinsic::amdgcn_strict_wqm, splitByParts},
  };
  const auto *row =
      find_if(table, [&](const IntrinsicHandler &row) { return row.intrinsic == id; });
  return row == std::end(table) ? nullptr : row->handler;
}
