// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What atomic operations do to a memory cell, from the wording of AMD's ISA manuals (RDNA 3 and 4,
// DS and BUFFER_ATOMIC opcodes; CDNA 3, "Float Memory Atomics"), over wide integers and the host's
// doubles. The judge of gcn/Atomics.cpp, with which it shares nothing.
#pragma once

#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <optional>

namespace assay::gcn::definitions {

/// What an operation sees, as numbers of its width.
struct AtomicCell {
  unsigned bits;             ///< 32 or 64; packed halves count as 32.
  uint64_t old, data;        ///< The cell's value, and the instruction's.
  uint64_t second;           ///< The value to compare with, or the second operand.
  bool flushSources = false; ///< Denormal sources, sums count as zeros.
  bool flushResult = false;
  bool isNumber = false; ///< GFX12: a NaN of either kind loses against a number.

  uint64_t mask() const { return bits == 64 ? ~uint64_t(0) : (uint64_t(1) << bits) - 1; }
  /// \p value, of \ref bits bits, in two's complement.
  __int128 asSigned(uint64_t value) const {
    __int128 number = value;
    return value >> (bits - 1) & 1 ? number - (__int128(1) << bits) : number;
  }
  uint64_t cut(__int128 number) const { return uint64_t(number) & mask(); }
};

/// Whose denormals an operation may flush.
enum class AtomicDenormals : uint8_t { Kept, Single, SingleSum, Other };

/// One operation.
struct AtomicMeaning {
  unsigned bits = 32;
  bool takesSecond = false; ///< It has a second data operand.
  /// DS: the second operand of the cell is DATA0, and the new value DATA1.
  bool secondFirst = false;
  AtomicDenormals denormals = AtomicDenormals::Kept;
  /// The new value of the cell.
  uint64_t (*compute)(const AtomicCell &cell) = nullptr;
};

/// The meaning of the operation that memory instructions call \p name after "atomic_", or that DS
/// calls so without "_rtn": "add", "add_x2", "add_u32", "cmpst_rtn_b64" less "_rtn".
std::optional<AtomicMeaning> findAtomicMeaning(llvm::StringRef name);

/// Whether \p denormals are flushed: in the data shares as MODE says, in memory by generation.
void applyDenormals(AtomicCell &cell, AtomicDenormals denormals, bool isShare, unsigned gfx,
                    uint32_t mode);

} // namespace assay::gcn::definitions
