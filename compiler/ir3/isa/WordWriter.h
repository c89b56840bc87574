// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The word that an encoder fills, and its first error.
#pragma once

#include "compiler/ir3/isa/Encoder.h"
#include "support/Error.h"

namespace assay::ir3 {

/// Collects the bits of one instruction. Only the first failure is kept; writes after it have no
/// effect on the result of finish().
class WordWriter {
public:
  WordWriter(const MachineInstruction &instruction, const Compiler &compiler)
      : m_instruction(instruction), m_compiler(compiler) {}

  const OpcodeInfo &info() const { return infoOf(m_instruction.opcode); }
  const Fields &fields() const { return m_instruction.fields; }
  const Operand &dst() const { return m_instruction.dst; }
  llvm::ArrayRef<Operand> sources() const { return m_instruction.sources; }
  const Compiler &compiler() const { return m_compiler; }

  /// Fails when \p value has more than \p width bits.
  void put(unsigned low, unsigned width, uint64_t value) {
    if (width < 64 && value >> width)
      return fail("a field of " + llvm::Twine(width) + " bits cannot hold " + llvm::Twine(value));
    m_word |= value << low;
  }
  /// Fails when \p value does not fit into \p width bits of two's complement.
  void putSigned(unsigned low, unsigned width, int64_t value) {
    requireSigned(value, width);
    m_word |= (uint64_t(value) & ((uint64_t(1) << width) - 1)) << low;
  }
  void requireSigned(int64_t value, unsigned width) {
    int64_t limit = int64_t(1) << (width - 1);
    if (value < -limit || value >= limit)
      fail("a signed field of " + llvm::Twine(width) + " bits cannot hold " + llvm::Twine(value));
  }
  /// The component of p0.
  void putPredicate(unsigned low, const Operand &operand) {
    if (operand.file != Operand::File::Gpr || operand.number < reg::Predicate ||
        operand.number >= reg::Predicate + m_compiler.predicates)
      return fail("no predicate register");
    put(low, 2, operand.number - reg::Predicate);
  }
  /// A register number; with an immediate, \p immediateBit is set.
  void putRegister(unsigned low, const Operand &operand) {
    if (operand.file != Operand::File::Gpr)
      return fail("only a register can be here");
    put(low, 8, operand.number);
  }
  /// A register number, or an immediate of 8 bits without a sign, which sets \p immediateBit.
  void putPlain(unsigned low, unsigned immediateBit, const Operand &operand) {
    if (operand.file != Operand::File::Immediate)
      return putRegister(low, operand);
    put(immediateBit, 1, 1);
    put(low, 8, uint32_t(operand.value));
  }
  /// Records \p reason unless an earlier one is known.
  void fail(const llvm::Twine &reason) {
    if (m_error.empty())
      m_error = reason.str();
  }
  bool hasFailed() const { return !m_error.empty(); }
  /// The word, or InvalidInput with the mnemonic and the first failure.
  llvm::Expected<uint64_t> finish() const {
    if (hasFailed())
      return invalidInput("cannot encode '" + llvm::Twine(info().name) + "': " + m_error);
    return m_word;
  }

private:
  const MachineInstruction &m_instruction;
  const Compiler &m_compiler;
  uint64_t m_word = 0;
  std::string m_error;
};

/// Categories 5 and 6.
void encodeMemory(WordWriter &writer);

} // namespace assay::ir3
