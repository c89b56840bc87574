// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The code of a shader, decoded once: each instruction with the function that executes it.
#pragma once

#include "oracles/machine/adreno/Alu.h"
#include "llvm/ADT/SmallVector.h"
#include <string>
#include <vector>

namespace assay::adreno {

class Wave;
struct Op;

/// Executes an instruction for the active lanes of a wave; afterwards the wave is at another place,
/// has ended or failed.
using Handler = void (*)(Wave &wave, const Op &op);

/// One instruction.
struct Op {
  Inst inst;
  Handler handler = nullptr;
  const AluRow *alu = nullptr;
  llvm::SmallVector<Operand, 3> sources; ///< Of categories 1 to 4.
  uint16_t dst = 0;                      ///< Number of the register, or what is added to a0.x.
  bool dstHalf = false;
  bool dstRelative = false;
  uint8_t repeat = 0;
};

class Program {
public:
  /// Words that are no instruction, and instructions without semantics, fail when they are
  /// executed.
  Program(llvm::ArrayRef<uint64_t> words, Chip chip);

  Chip chip() const { return m_chip; }
  llvm::ArrayRef<Op> ops() const { return m_ops; }
  /// The text of instruction \p index, "raw 0x..." for what is none.
  std::string textOf(uint32_t index) const;

private:
  Chip m_chip;
  std::vector<uint64_t> m_words;
  std::vector<Op> m_ops;
};

/// \name Functions that execute instructions, by name. Null: there is none.
/// @{
Handler findFlowHandler(llvm::StringRef name);
Handler findMoveHandler(llvm::StringRef name);
Handler findMemoryHandler(llvm::StringRef name);
Handler findSubgroupHandler(llvm::StringRef name);
/// @}
/// Executes what has a row of arithmetic.
void executeAlu(Wave &wave, const Op &op);

} // namespace assay::adreno
