// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compiled code looked at rather than run: of any stage, and whether it could be launched or not.
#pragma once

#include "compiler/api/Target.h"
#include "oracles/machine/gcn/Program.h"
#include <map>

namespace assay::gcn {

/// All functions of one file, decoded and bound for a chip with every register.
struct StaticCode {
  const TargetInfo *target = nullptr; ///< The chip; lives as long as the program.
  unsigned waveSize = 64;
  std::vector<uint8_t> bytes; ///< Of the section that holds the code.
  std::unique_ptr<Program> program;
};

/// The code of a PAL ELF (all stages in it) or of a file of oracles/radv. The wave size of an ELF
/// is that of its first hardware stage. InvalidInput for other bytes, Unsupported for other chips.
llvm::Expected<StaticCode> decodeStatically(llvm::ArrayRef<uint8_t> bytes);

/// An opcode that the machine can't execute.
struct MissingOpcode {
  uint64_t count = 0;     ///< Instructions.
  std::string example;    ///< As the assembler prints one of them; where illegal, why.
  bool isIllegal = false; ///< The bytes are no instruction of the chip, or none of its wave size.
};

/// What of \p code has no semantics, by mnemonic. Halves of a VOPD pair count alone.
std::map<std::string, MissingOpcode> findMissingOpcodes(const StaticCode &code);

/// One line an instruction: offset, words, text.
std::string printCode(const StaticCode &code);

} // namespace assay::gcn
