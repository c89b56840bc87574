// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How a value of any type lies in memory, which instructions cover it, and the bits' way from
// the one to the other. Makes no access itself.
#pragma once

#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/IRBuilder.h"

namespace assay {

/// A scalar or vector within a type that is accessed as a whole.
struct Leaf {
  llvm::Type *type = nullptr;
  llvm::SmallVector<unsigned, 4> path; ///< Indices as for extractvalue; empty = the whole value.
  uint64_t offset = 0;                 ///< In bytes.
  uint64_t bytes = 0;                  ///< It stores; the padding after it has no owner.
};

/// In ascending order; what has no bytes is left out.
std::vector<Leaf> collectLeaves(llvm::Type *type, const llvm::DataLayout &layout);

/// What one instruction accesses: one to four dwords, or one byte or two.
struct Piece {
  uint64_t offset = 0;
  unsigned unitBytes = 4; ///< 1, 2 or 4.
  unsigned units = 1;
  uint64_t bytes() const { return uint64_t(unitBytes) * units; }
};

/// Instructions that cover \p leaves and nothing else, as wide as \p align allows: no unit stands
/// below its natural alignment, unless \p unaligned lets dwords stand anywhere.
std::vector<Piece> cutIntoPieces(llvm::ArrayRef<Leaf> leaves, llvm::Align align, bool unaligned);

/// The type that instructions have for \p piece: i8, i16, i32 or <n x i32>.
llvm::Type *getPieceType(const Piece &piece, llvm::LLVMContext &context);

/// Whether an instruction may have \p type itself: no conversion needed.
bool isInstructionType(const llvm::Type *type);

/// The bits of \p value, a scalar or vector of \p bytes bytes in memory, as i32 or <n x i32>,
/// lowest first; bits above are zero.
llvm::Value *toDwords(llvm::IRBuilder<> &builder, llvm::Value *value, uint64_t bytes);

/// The inverse: bits above the type's own are ignored.
llvm::Value *fromDwords(llvm::IRBuilder<> &builder, llvm::Value *dwords, llvm::Type *type);

/// Bytes of memory as values: a sorted list of places, each at most a dword.
class ByteMap {
public:
  /// \p value, i8, i16, i32 or <n x i32>, is what is at \p offset; of its last dword \p bytes
  /// may leave some out, which are zero then. In ascending order.
  void add(llvm::Value *value, uint64_t offset, uint64_t bytes);

  /// The \p bytes bytes (at most 4, all of them known) at \p offset as an i32, whose further bits
  /// are anything.
  llvm::Value *get(llvm::IRBuilder<> &builder, uint64_t offset, uint64_t bytes);

private:
  /// One dword of a source.
  struct Place {
    llvm::Value *source;
    unsigned element; ///< Of a vector.
    uint64_t offset;
    unsigned bytes;
    llvm::Value *dword = nullptr; ///< Made when first asked for.
  };
  llvm::Value *dwordOf(llvm::IRBuilder<> &builder, Place &place);

  std::vector<Place> m_places;
};

} // namespace assay
