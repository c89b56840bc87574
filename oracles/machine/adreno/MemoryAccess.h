// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the memory instructions share: components of a type, words in memory, operations of atomics.
#pragma once

#include "oracles/machine/adreno/Wave.h"

namespace assay::adreno {

/// Bytes of a component in memory, and whether its register is half.
struct Component {
  unsigned bytes = 4;
  bool half = false;
  bool isSigned = false;
};
/// Of field type.
Component componentOf(const Inst &inst);

/// Little endian, \p bytes 1, 2 or 4.
uint32_t loadWord(const uint8_t *memory, unsigned bytes);
/// Writes the lower \p bytes bytes of \p value.
void storeWord(uint8_t *memory, unsigned bytes, uint32_t value);

/// "add" to "xor".
enum class AtomicOp : uint8_t {
  Add,
  Sub,
  Exchange,
  Increment,
  Decrement,
  CompareExchange,
  Min,
  Max,
  And,
  Or,
  Xor
};
/// Of the last word of an atomic's name.
AtomicOp atomicOf(llvm::StringRef name);
/// What memory holds after \p op.
uint32_t applyAtomic(AtomicOp op, uint32_t old, uint32_t data, uint32_t compare, bool isSigned);
/// The same for unsigned integers of 64 bits.
uint64_t applyWideAtomic(AtomicOp op, uint64_t old, uint64_t data, uint64_t compare);

/// Calls \p each for the active lanes, in the order of the wave, until it fails.
void forActive(Wave &wave, llvm::function_ref<void(unsigned lane)> each);

/// Memory at \p address in global memory; null after wave.fail() when nothing is mapped there.
uint8_t *globalAt(Wave &wave, uint64_t address, unsigned bytes, simt::Access access);
/// Byte \p offset of workgroup memory; null after wave.fail() beyond its end.
uint8_t *localAt(Wave &wave, int64_t offset, unsigned bytes, simt::Access access);
/// Inside \p memory, which is called \p what.
uint8_t *insideOf(Wave &wave, llvm::MutableArrayRef<uint8_t> memory, llvm::StringRef what,
                  int64_t offset, unsigned bytes);

/// Tables of handlers by name.
using HandlerRow = std::pair<llvm::StringLiteral, Handler>;
/// Memory by address, workgroup memory, private memory.
llvm::ArrayRef<HandlerRow> plainMemoryHandlers();
/// Buffers by slots (a4xx).
llvm::ArrayRef<HandlerRow> slotMemoryHandlers();
/// Buffers by descriptors, uniform buffers, the const file.
llvm::ArrayRef<HandlerRow> boundMemoryHandlers();

} // namespace assay::adreno
