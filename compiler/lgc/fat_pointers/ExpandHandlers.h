// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the files Expand*.cpp share: handlers, loops, and pieces of memory of 16 bytes.
#pragma once

#include "compiler/lgc/fat_pointers/AccessEmitter.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"

namespace assay {

/// Emits what \p intrinsic does before it; the caller erases it.
using ExpandHandler = void (*)(llvm::IntrinsicInst &intrinsic, const AccessEmitter &emitter);

/// A row of a family's table.
struct ExpandRow {
  llvm::Intrinsic::ID id;
  ExpandHandler expand;
};
llvm::ArrayRef<ExpandRow> getCopyRows();
llvm::ArrayRef<ExpandRow> getFillRows();
llvm::ArrayRef<ExpandRow> getMaskedRows();

/// \p pointer plus \p offset, an unsigned number of any width, plus \p distance bytes.
llvm::Value *addBytes(llvm::IRBuilder<> &builder, llvm::Value *pointer, llvm::Value *offset,
                      uint64_t distance = 0);

/// What bytes are moved as: dwords, or, where \p align is less than a dword's and that matters to
/// \p emitter, units of it. \p bytes is 16, 8, 4, 2 or 1.
llvm::Type *getBlockType(const AccessEmitter &emitter, const llvm::Function &function,
                         unsigned bytes, llvm::Align align);

/// The sizes of blocks that make up \p bytes in a straight line, largest first: 16, ..., 1.
llvm::SmallVector<unsigned, 8> getBlockSizes(uint64_t bytes);

/// Order of addresses in which parts are accessed.
enum class Direction { Up, Down };

/// Code before \p place that runs \p body for every multiple of \p step from \p begin up to, but
/// not including, \p end, or the same from the last one down. \p end - \p begin is a multiple of
/// \p step; nothing runs where it is 0. \p body emits before its builder's place.
void emitLoop(llvm::Instruction &place, llvm::Value *begin, llvm::Value *end, uint64_t step,
              Direction direction,
              llvm::function_ref<void(llvm::IRBuilder<> &, llvm::Value *)> body);

/// Code before \p place that runs \p body for parts that make up [0, \p length), in order of
/// \p direction: each gets its first byte and its size, 64, 16, 8, 4, 2 or 1, of which the former
/// is a multiple. Those of 64 come where 16 bytes are \p isWide, one instruction. Loops, and a
/// branch for each size below 16, if \p length is not known.
void emitParts(llvm::Instruction &place, llvm::Value *length, bool isWide, Direction direction,
               llvm::function_ref<void(llvm::IRBuilder<> &, llvm::Value *, unsigned)> body);

/// What metadata of an intrinsic holds for the loads and stores that it becomes, too.
class PartMetadata {
public:
  /// Of a copy or fill: without what describes types, which bytes on their way have none of.
  static PartMetadata ofBytes(const llvm::IntrinsicInst &intrinsic);
  /// Of an access to elements, each of the type that is said.
  static PartMetadata ofElements(const llvm::IntrinsicInst &intrinsic);

  void putOn(llvm::LoadInst &load) const;
  void putOn(llvm::StoreInst &store) const;

private:
  void putOnAny(llvm::Instruction &access) const;

  llvm::AAMDNodes m_aliases;
  llvm::MDNode *m_nontemporal = nullptr;
  llvm::MDNode *m_invariant = nullptr; ///< Of loads only.
};

} // namespace assay
