// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Buffer instructions for the splitter of fat pointers.
#pragma once

#include "compiler/lgc/fat_pointers/AccessEmitter.h"

namespace assay::amdgpu {

/// A resource is a V#. What emitLoad() and the others make is described in BufferAccess.h.
class BufferAccessEmitter final : public AccessEmitter {
public:
  llvm::Error verify(const llvm::Instruction &access) const override;
  llvm::Value *emitLoad(llvm::IRBuilder<> &builder, const BufferAddress &address,
                        const llvm::LoadInst &load) const override;
  void emitStore(llvm::IRBuilder<> &builder, const BufferAddress &address,
                 const llvm::StoreInst &store) const override;
  llvm::Value *emitAtomic(llvm::IRBuilder<> &builder, const BufferAddress &address,
                          const llvm::AtomicRMWInst &atomic) const override;
  llvm::Value *emitCompareExchange(llvm::IRBuilder<> &builder, const BufferAddress &address,
                                   const llvm::AtomicCmpXchgInst &exchange) const override;
  llvm::Value *emitMachineAddress(llvm::IRBuilder<> &builder, llvm::Value *pointer) const override;
  bool allowsUnalignedDwords(const llvm::Function &function) const override;
  /// Lanes of a wave, make.buffer.rsrc, load.to.lds, cs.chain.
  SplitHandler findIntrinsicHandler(llvm::Intrinsic::ID id) const override;
};

} // namespace assay::amdgpu
