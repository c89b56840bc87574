// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The text that machine gcn's trace is (oracles/machine/gcn/Trace.h), read again: instructions, and
// what they access of global memory.
#pragma once

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <vector>

namespace assay {

/// What one lane accesses by one instruction: parts that are alike in size. Atomics do both.
struct TracedAccess {
  unsigned lane = 0;
  bool reads = false, writes = false;
  uint64_t bytes = 0; ///< Of each part.
  llvm::SmallVector<uint64_t, 4> addresses;

  /// Whether byte \p address is accessed.
  bool holds(uint64_t address) const;
};

struct TracedStep {
  llvm::StringRef group; ///< "group 0,0,0".
  unsigned wave = 0;
  llvm::StringRef text; ///< "pc 0x58: v_add ...".
  llvm::SmallVector<TracedAccess, 0> accesses;
};

/// "0x1f" from the front of \p text; false where there is none.
bool takeHex(llvm::StringRef &text, uint64_t &number);

/// The steps of \p trace, which must outlive them, in their order. Lines of another form are left
/// out.
std::vector<TracedStep> readCodeTrace(llvm::StringRef trace);

} // namespace assay
