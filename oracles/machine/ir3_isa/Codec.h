// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Words to instructions, and instructions to text and back, in the syntax of Mesa's disassembler
// and assembler.
#pragma once

#include "oracles/machine/ir3_isa/Inst.h"
#include "llvm/Support/Error.h"
#include <string>

namespace assay::adreno {

/// The instruction that \p word is on \p chip. Not valid when no row fits, when two do, or when an
/// operand has bits that mean nothing. Safe on any word.
Inst decode(uint64_t word, Chip chip);

/// \p inst, which must be valid, as Mesa's disassembler prints it.
std::string print(const Inst &inst);
/// The same for any word; one that does not decode is "raw 0x0123456789ABCDEF".
std::string printWord(uint64_t word, Chip chip);

/// One instruction in Mesa's syntax. InvalidInput, with the place in \p text, for what is none.
llvm::Expected<Inst> parse(llvm::StringRef text, Chip chip);

/// The words of \p text: an instruction or "raw 0x..." a line, comments after ';' or "//", labels
/// ("loop:") that branches name ("br p0.x, #loop"). InvalidInput with the number of the line.
llvm::Expected<std::vector<uint64_t>> assemble(llvm::StringRef text, Chip chip);

/// The text of \p words, a line each; branches to inside of them name a label ("l12").
std::string disassemble(llvm::ArrayRef<uint64_t> words, Chip chip);

} // namespace assay::adreno
