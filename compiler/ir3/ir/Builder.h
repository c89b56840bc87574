// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Appends instructions to a block.
#pragma once

#include "compiler/ir3/ir/Program.h"

namespace assay::ir3 {

class Builder {
public:
  Builder(Program &program, Block *block) : m_program(program), m_block(block) {}

  Program &program() const { return m_program; }
  Block *block() const { return m_block; }
  /// Appends to the end of \p block from now on.
  void setBlock(Block *block) { m_block = block; }

  /// An instruction with an SSA result of \p size scalars when the opcode has one, half when
  /// \p half. The formats of isa/Opcode.h say which sources an opcode has.
  Instruction *create(Opcode opcode, llvm::ArrayRef<Register> sources, bool half = false,
                      unsigned size = 1);
  Instruction *createFlat(Opcode opcode, std::initializer_list<Instruction *> sources,
                          bool half = false);
  /// A move or conversion; the width of the result is that of \p to.
  Instruction *move(Register source, Type from, Type to);
  /// A move of 32 bits, or of 16 when \p half.
  Instruction *move(Register source, bool half = false);
  /// Compares into p0: \p opcode is one of cmps.
  Instruction *compare(Opcode opcode, Condition condition, Register left, Register right);
  /// The same with a 0 or 1 in a register.
  Instruction *compareValue(Opcode opcode, Condition condition, Register left, Register right,
                            bool half = false);
  /// A value that the hardware puts into register \p number, or into any when NoNumber.
  Instruction *input(unsigned number, unsigned size = 1, bool half = false);
  /// \p sources in consecutive registers: SSA values, constants, immediates or undefined.
  Instruction *collect(llvm::ArrayRef<Register> sources);
  /// Component \p index of a result with several.
  Instruction *split(Instruction *vector, unsigned index);
  /// All components of \p vector.
  llvm::SmallVector<Instruction *, 4> splitAll(Instruction *vector);
  /// At the start of the block; sources are added by addPhiSource.
  Instruction *phi(bool half = false);
  static void addPhiSource(Instruction *phi, Register source, Block *predecessor);
  /// a0.x from a 16-bit value: what relative operands use as their address.
  Instruction *moveAddress(Register source);
  /// a1.x from a 16-bit value: what some instructions read in addition to their fields.
  Instruction *moveAddress1(Register source);
  /// Reads element \p offset of an array; \p address is null for a fixed element.
  Instruction *loadArray(unsigned id, unsigned offset, Instruction *address);
  Instruction *storeArray(unsigned id, unsigned offset, Instruction *address, Register source);

  void jump(Block *target);
  /// br: fibers whose \p predicate holds (or does not, when \p invert) go to \p taken.
  Instruction *branch(Register predicate, Block *taken, Block *other, bool invert = false,
                      Opcode opcode = Opcode::Br);
  /// One fiber goes to \p one, the others to \p others.
  void getOne(Block *one, Block *others);
  /// A copy of \p source, a value, in register \p number, for the sources of end.
  Instruction *output(Register source, unsigned number);
  /// What has an effect stays before it or after it, and the hardware sees nothing: the token of
  /// control dependences.
  void token();
  void end(llvm::ArrayRef<Register> outputs = {});

private:
  Instruction *append(Instruction *inst);

  Program &m_program;
  Block *m_block;
};

} // namespace assay::ir3
