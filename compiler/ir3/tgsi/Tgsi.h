// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// TGSI text, the input language of the ir3 notes, as a program of values.
//
// Known are VERT and FRAG; declarations of IN, OUT, TEMP and CONST; IMM of FLT32; and the
// instructions of Tgsi.cpp's tables with swizzles, negation and _SAT, IF, UIF, ELSE, ENDIF and END.
// Everything else is unsupported, by its name: textures, relative addresses, loops, subroutines.
#pragma once

#include "compiler/ir3/ir/Program.h"
#include "llvm/Support/Error.h"

namespace assay::ir3 {

/// The program of \p text for \p compiler. Component c of IN[n] is input 4n + c and of OUT[n] the
/// output of that number; constants are dwords of the const file in the same way. InvalidInput with
/// the line for text that is no TGSI.
llvm::Expected<std::unique_ptr<Program>> readTgsi(llvm::StringRef text, const Compiler &compiler);

} // namespace assay::ir3
