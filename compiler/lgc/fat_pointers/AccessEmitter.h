// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How an architecture accesses a buffer once its pointer is a resource and an offset: what the
// splitter of fat pointers asks for at each access.
#pragma once

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Support/Error.h"

namespace assay {

class Splitter;

/// Splits one instruction that has to do with fat pointers.
using SplitHandler = void (*)(Splitter &splitter, llvm::Instruction &instruction);

/// A place in a buffer. Raw: `resource` + `offset`; strided (of address space 9): `index` too.
struct BufferAddress {
  llvm::Value *resource = nullptr; ///< ptr addrspace(8).
  llvm::Value *index = nullptr;    ///< i32, or null for a raw buffer.
  llvm::Value *offset = nullptr;   ///< i32, bytes.
};

/// Emits what takes the place of an access through a fat pointer. The builder is at that
/// instruction, whose pointer operand counts no more; an emitter may split the block and then
/// leaves the builder where the access was. Values have any sized type without fat pointers.
/// Stateless.
class AccessEmitter {
public:
  virtual ~AccessEmitter() = default;

  /// Unsupported for a load, store, atomicrmw or cmpxchg that the architecture cannot do through a
  /// fat pointer. Asked of each before anything is changed.
  virtual llvm::Error verify(const llvm::Instruction &access) const = 0;

  /// The value that \p load loads.
  virtual llvm::Value *emitLoad(llvm::IRBuilder<> &builder, const BufferAddress &address,
                                const llvm::LoadInst &load) const = 0;
  virtual void emitStore(llvm::IRBuilder<> &builder, const BufferAddress &address,
                         const llvm::StoreInst &store) const = 0;
  /// The old value.
  virtual llvm::Value *emitAtomic(llvm::IRBuilder<> &builder, const BufferAddress &address,
                                  const llvm::AtomicRMWInst &atomic) const = 0;
  /// {old value, success}.
  virtual llvm::Value *emitCompareExchange(llvm::IRBuilder<> &builder, const BufferAddress &address,
                                           const llvm::AtomicCmpXchgInst &exchange) const = 0;

  /// i64: where \p pointer, a fat pointer, points to; to be compared with others of memory.
  virtual llvm::Value *emitMachineAddress(llvm::IRBuilder<> &builder,
                                          llvm::Value *pointer) const = 0;

  /// Whether accesses of dwords in \p function may be at any byte.
  virtual bool allowsUnalignedDwords(const llvm::Function & /*function*/) const { return false; }

  /// For an intrinsic of the architecture that takes or makes fat pointers (SplitterIntrinsics.h
  /// has handlers to choose from); null where they have no meaning in it.
  virtual SplitHandler findIntrinsicHandler(llvm::Intrinsic::ID /*id*/) const { return nullptr; }
};

} // namespace assay
