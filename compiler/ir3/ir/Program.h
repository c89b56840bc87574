// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Blocks, arrays and the program that owns them and all instructions (ir3_block, ir3_array).
#pragma once

#include "compiler/ir3/ir/Instruction.h"
#include "compiler/ir3/isa/Compiler.h"
#include <array>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace assay::ir3 {

/// A basic block. Its last instruction is a terminator: end, jump (to successors[0]), or a branch,
/// which goes to successors[0] where its condition holds and else to successors[1].
class Block {
public:
  explicit Block(unsigned number) : number(number) {}
  unsigned number; ///< Its place in the order of the code, see Program::blocks.
  std::vector<Instruction *> instructions;
  std::array<Block *, 2> successors{};
  std::vector<Block *> predecessors; ///< Kept by Program::updatePredecessors().
  unsigned loopDepth = 0;

  /// Null when there is none.
  Instruction *terminator() const {
    bool ends = !instructions.empty() && instructions.back()->isTerminator();
    return ends ? instructions.back() : nullptr;
  }
  auto phis() const {
    return llvm::make_filter_range(
        instructions, [](Instruction *inst) { return inst->opcode == Opcode::MetaPhi; });
  }
  llvm::SmallVector<Block *, 2> successorList() const;
  void insertBefore(Instruction *place, Instruction *inst);
  void insertAfter(Instruction *place, Instruction *inst);
  /// Before the terminator.
  void insertAtEnd(Instruction *inst);
  /// After the phis and inputs.
  void insertAtStart(Instruction *inst);
};

/// Elements in consecutive registers that a0.x can select.
struct Array {
  unsigned id = 0;
  unsigned size = 0; ///< Elements.
  bool half = false;
  uint16_t base = Register::NoNumber; ///< The register of element 0, once assigned.
};

enum class ShaderStage : uint8_t { Vertex, Fragment, Compute };

/// The code of one shader. The order of blocks is the order of the code: a reverse post-order in
/// which the blocks of a loop are consecutive, because fibers of a wave that diverge meet again at
/// the first place in the code that is common to their ways.
class Program {
public:
  explicit Program(const Compiler &compiler, ShaderStage stage = ShaderStage::Compute)
      : m_compiler(&compiler), stage(stage) {}
  Program(const Program &) = delete;
  Program &operator=(const Program &) = delete;

private:
  const Compiler *m_compiler;

public:
  ShaderStage stage;
  std::vector<std::unique_ptr<Block>> blocks;
  std::vector<Array> arrays; ///< By id.
  /// The const file: dwords that the state in front of immediates takes, and the immediates.
  uint32_t constDwords = 0;
  std::vector<uint32_t> constImmediates;
  /// Bytes of private memory per fiber: of the shader, then of spills.
  uint32_t privateBytes = 0;
  uint32_t localBytes = 0; ///< Of workgroup memory.

  const Compiler &compiler() const { return *m_compiler; }
  Block &entry() const { return *blocks.front(); }
  Block *createBlock();
  /// An instruction in no block, with room for a destination.
  Instruction *createInstruction(Opcode opcode);
  /// A copy in no block, with a name of its own.
  Instruction *clone(const Instruction &inst);
  /// Returns the id.
  unsigned createArray(unsigned size, bool half = false);
  /// The dword of the const file that holds \p bits, added if new. Vectors of \p constDwords are
  /// not shared. Nothing where the const file is full.
  std::optional<unsigned> constantFor(uint32_t bits);
  uint32_t nextName() const { return m_nextName; }
  void setNextName(uint32_t name) { m_nextName = name; }

  /// Numbers blocks, and makes the lists of predecessors and loop depths again.
  void updatePredecessors();
  /// Numbers all instructions in the order of the code; returns how many there are.
  uint32_t numberInstructions();
  /// How often each instruction is a source, by name.
  std::vector<uint32_t> countUses() const;
  /// All instructions in the order of the code.
  std::vector<Instruction *> instructions() const {
    std::vector<Instruction *> all;
    for (const std::unique_ptr<Block> &block : blocks)
      all.insert(all.end(), block->instructions.begin(), block->instructions.end());
    return all;
  }

private:
  std::deque<Instruction> m_instructions;
  uint32_t m_nextName = 0;
};

/// Replaces all uses of \p from as a source by \p to, with the flags of \p to.
void replaceUses(Program &program, const Instruction *from, const Register &to);

} // namespace assay::ir3
