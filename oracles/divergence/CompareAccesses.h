// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Accesses of memory by machine code against those of the IR it was made of: read from the text
// that machine gcn's trace is (oracles/machine/gcn/Trace.h) and from that of a log of machine ir.
#pragma once

#include "oracles/ir/ExecutionLog.h"
#include "llvm/ADT/StringRef.h"
#include <optional>
#include <string>

namespace assay {

/// A line for each range of memory, "memory 0x1000 64", and for each step of \p log that reads or
/// writes global memory: "thread 67 reads 0x1000 4". Threads are ir::threadOf().
std::string printAccesses(const ir::ExecutionLog &log);

/// An access of machine code that no access of the IR represents, or the reverse.
struct AccessMismatch {
  std::string place;       ///< "group 0,0,0 wave 0 lane 3".
  std::string instruction; ///< "pc 0x58: buffer_store_b32 v2, v0, s[8:11], 0 offen"; empty: none.
  std::string wrong;       ///< "load address", "store address", "extra store", "lost store".
};

/// The first, by \p code; nothing where each represents the other. \p ir: printAccesses(); \p code:
/// a trace of all waves, of a run without threads. Of global memory alone, values are not compared.
/// Machine code may split and merge accesses, read more after what it reads, and leave reads out;
/// what one lane of a wave reads scalar instructions may read for all; what s_load reads - tables -
/// is not compared.
std::optional<AccessMismatch> compareAccesses(llvm::StringRef ir, llvm::StringRef code);

} // namespace assay
