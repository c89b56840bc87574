// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An ir3 instruction or meta instruction (ir3_instruction of the notes).
#pragma once

#include "compiler/ir3/ir/Register.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/iterator_range.h"

namespace assay::ir3 {

class Block;
class Program;

/// What orders instructions other than by values: for each kind of memory a bit for reads and one
/// for writes, and one for what nothing may pass. Two instructions with classes that conflict keep
/// their order.
class BarrierClass {
public:
  BarrierClass() = default;
  /// Of an opcode; \p isImage: what it accesses is no buffer but an image.
  static BarrierClass of(Opcode opcode, bool isImage = false);
  static BarrierClass reads(Memory memory) { return BarrierClass(property::reads(memory)); }
  static BarrierClass writes(Memory memory) { return BarrierClass(property::writes(memory)); }
  bool isEmpty() const { return !m_bits; }
  bool conflictsWith(BarrierClass other) const;
  BarrierClass operator|(BarrierClass other) const {
    BarrierClass both;
    both.m_bits = m_bits | other.m_bits;
    return both;
  }
  bool operator==(const BarrierClass &) const = default;
  uint32_t bits() const { return m_bits; }

private:
  explicit BarrierClass(uint64_t properties)
      : m_bits(uint32_t(properties >> property::BarrierShift)) {}
  uint32_t m_bits = 0;
};

class Instruction {
public:
  Opcode opcode = Opcode::Nop;
  Fields fields;
  /// registers[0] is the destination, isNone() for none; sources follow.
  llvm::SmallVector<Register, 4> registers;
  /// The writer of a0.x that relative operands use, or of a1.x; null: none. It is a virtual source,
  /// which ssaSources() has last.
  Instruction *address = nullptr;
  Block *block = nullptr;
  uint32_t name = 0; ///< Unique in the program: "ssa_NAME".
  /// What it accesses of memory is an image: see barrierClass().
  bool isImage = false;
  /// Of a phi: the predecessors that its sources come from, in the order of the sources.
  llvm::SmallVector<Block *, 2> phiBlocks;
  uint32_t position = 0; ///< Scratch of passes: its number in the program.

  const OpcodeInfo &info() const { return infoOf(opcode); }
  bool isMeta() const { return info().category == MetaCategory; }
  bool isTerminator() const { return info().has(property::Terminator); }
  /// Has an effect other than its result.
  bool hasSideEffect() const {
    return isTerminator() || info().has(property::SideEffect) || dst().isArray();
  }
  bool isAlu() const { return info().category >= 1 && info().category <= 3; }
  /// A move within one type, without modifiers, saturation and rounding.
  bool isPlainMove() const;

  Register &dst() { return registers[0]; }
  const Register &dst() const { return registers[0]; }
  bool hasDst() const { return !dst().isNone(); }
  BarrierClass barrierClass() const;

  /// \name Traversals. Of the notes: foreach_src, foreach_src_n, foreach_ssa_src and
  /// foreach_ssa_src_n; those with a number are llvm::enumerate of the range.
  /// @{
  llvm::MutableArrayRef<Register> sources() {
    return llvm::MutableArrayRef(registers).drop_front();
  }
  llvm::ArrayRef<Register> sources() const { return llvm::ArrayRef(registers).drop_front(); }
  auto numberedSources() { return llvm::enumerate(sources()); }
  /// The producers of SSA sources, then that of the address.
  llvm::SmallVector<Instruction *, 4> ssaSources() const;
  auto numberedSsaSources() const { return llvm::enumerate(ssaSources()); }
  /// @}

  /// The result as a source of another instruction.
  Register value();
};

} // namespace assay::ir3
