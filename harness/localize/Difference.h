// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a pass changed, cut to what matters; lines of it.
#pragma once

#include "harness/localize/Localize.h"

namespace assay {

/// The difference of two modules (or assembler texts): the first line that differs and the function
/// in which it stands, and a diff of the functions that are not the same, go to \p result. Returns
/// all lines that are new.
std::vector<std::string> showDifference(llvm::StringRef before, llvm::StringRef after,
                                        Localization &result);

/// What a line of IR or of disassembly ("pc 0x1c: ...") does, without types, widths and encodings:
/// "lgc.load.buffer.desc", "extractelement", "buffer_store". Empty of an empty line.
std::string operationOf(llvm::StringRef line);

/// The same of an instruction that a pass gets wrong, where \p wrong says what of it
/// (describeDivergence()), in words that are the same where one thing of a pass is likely to blame:
/// "pointer arithmetic", "load pointer", "load invariant", "store width", "volatile access",
/// "exchange lost", "atomicrmw umin", "OpLoad WorkgroupId".
std::string operationOf(llvm::StringRef line, llvm::StringRef wrong);

/// Whether \p line reads a built-in by an op of the dialect.
bool readsBuiltIn(llvm::StringRef line);

} // namespace assay
