// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Executes printed-IR programs of one fiber on values, before registers: the reference of the tests
// that generate programs. Integers only.
#pragma once

#include "compiler/ir3/ir/Program.h"
#include "gtest/gtest.h"
#include <map>

namespace assay::ir3 {

/// Runs one program once. The values of \p inputs are by register number.
class Interpreter {
public:
  /// Arrays begin as zeros. \p constants are the words of the constant file; the program and they
  /// must outlive the interpreter.
  Interpreter(const Program &program, std::map<uint16_t, uint32_t> inputs,
              llvm::ArrayRef<uint32_t> constants)
      : m_program(program), m_inputs(std::move(inputs)), m_constants(constants) {
    for (const Array &array : program.arrays)
      m_arrays.emplace_back(array.size, 0);
  }

  /// The values of the sources of end; nothing when \p budget instructions do not suffice.
  std::optional<std::vector<uint32_t>> run(unsigned budget) {
    const Block *from = nullptr, *block = m_program.blocks.front().get();
    while (true) {
      readPhis(*block, from);
      for (const Instruction *inst : block->instructions) {
        if (!budget--)
          return std::nullopt;
        if (inst->opcode == Opcode::End)
          return outputsOf(*inst);
        if (!inst->isTerminator() && inst->opcode != Opcode::MetaToken &&
            inst->opcode != Opcode::MetaPhi)
          execute(*inst);
      }
      from = block;
      block = successorOf(*block);
    }
  }

private:
  /// The components of a value, one word each.
  using Vector = std::vector<uint32_t>;

  /// Reads all phis before it writes any: they permute values.
  void readPhis(const Block &block, const Block *from) {
    std::map<uint32_t, Vector> values;
    for (const Instruction *phi : block.phis())
      for (auto [source, predecessor] : llvm::zip(phi->sources(), phi->phiBlocks))
        if (predecessor == from)
          values[phi->name] = read(source);
    for (auto &[name, value] : values)
      m_values[name] = std::move(value);
  }

  /// The block that the terminator continues with.
  const Block *successorOf(const Block &block) {
    const Instruction *branch = block.terminator();
    if (branch->opcode == Opcode::Jump)
      return block.successors[0];
    bool taken = (read(branch->registers[1])[0] != 0) != (branch->fields.invert1 != 0);
    return block.successors[taken ? 0 : 1];
  }

  /// Returns the components of all sources of end, one after the other.
  Vector outputsOf(const Instruction &end) {
    Vector outputs;
    for (const Register &source : end.sources())
      llvm::append_range(outputs, read(source));
    return outputs;
  }

  /// The value of a0.x for \p inst, in elements; 0 without an address.
  int32_t addressOf(const Instruction &inst) {
    return inst.address ? int16_t(m_values[inst.address->name][0]) : 0;
  }

  /// The components of an operand. Halves are in the low 16 bits.
  Vector read(const Register &source, int32_t address = 0) {
    uint32_t mask = source.isHalf() ? 0xffff : 0xffffffff;
    if (source.isImmediate())
      return {uint32_t(source.value) & mask};
    if (source.isConst())
      return {m_constants[size_t(source.isRelative() ? source.value + address
                                                     : int32_t(source.number))] &
              mask};
    if (source.isArray())
      return {m_arrays[source.arrayId]
                      [size_t(source.arrayOffset + (source.isRelative() ? address : 0))]};
    if (source.isSsa())
      return m_values[source.def->name];
    return Vector(source.size, 0);
  }

  /// Evaluates \p inst and stores its result as a value or an array element. Results of halves are
  /// cut to 16 bits.
  void execute(const Instruction &inst) {
    Vector sources;
    for (const Register &source : inst.sources())
      llvm::append_range(sources, read(source, addressOf(inst)));
    Vector result = evaluate(inst, sources);
    if (inst.dst().isHalf())
      for (uint32_t &word : result)
        word &= 0xffff;
    if (inst.dst().isArray())
      m_arrays[inst.dst().arrayId]
              [size_t(inst.dst().arrayOffset + (inst.dst().isRelative() ? addressOf(inst) : 0))] =
                  result[0];
    else if (inst.hasDst())
      m_values[inst.name] = result;
  }

  /// The result of \p inst on its sources \p s, one word a component. An unknown opcode fails the
  /// test.
  Vector evaluate(const Instruction &inst, const Vector &s) {
    switch (inst.opcode) {
    case Opcode::MetaInput:
      return {m_inputs[inst.dst().number]};
    case Opcode::MetaCollect:
    case Opcode::MetaOutput:
    case Opcode::Mov:
      return s;
    case Opcode::MetaSplit:
      return {s[size_t(inst.fields.index)]};
    case Opcode::AddU:
      return {s[0] + s[1]};
    case Opcode::SubU:
      return {s[0] - s[1]};
    case Opcode::AndB:
      return {s[0] & s[1]};
    case Opcode::OrB:
      return {s[0] | s[1]};
    case Opcode::XorB:
      return {s[0] ^ s[1]};
    case Opcode::MinU:
      return {std::min(s[0], s[1])};
    case Opcode::MaxU:
      return {std::max(s[0], s[1])};
    case Opcode::MullU:
      return {(s[0] & 0xffff) * (s[1] & 0xffff)};
    case Opcode::MadshM16:
      return {(((s[0] & 0xffff) * (s[1] >> 16)) << 16) + s[2]};
    case Opcode::SelB32:
      return {s[1] ? s[0] : s[2]};
    case Opcode::CmpsU:
      return {compare(Condition(inst.fields.condition), s[0], s[1])};
    default:
      ADD_FAILURE() << "no semantics for " << inst.info().name.str();
      return {0};
    }
  }

  /// Returns 1 when the unsigned comparison holds, else 0.
  static uint32_t compare(Condition condition, uint32_t left, uint32_t right) {
    bool results[] = {left<right, left <= right, left> right, left >= right, left == right,
                      left != right};
    return results[condition];
  }

  const Program &m_program;
  std::map<uint16_t, uint32_t> m_inputs; ///< Those that are missing are 0.
  llvm::ArrayRef<uint32_t> m_constants;  ///< By dword.
  std::map<uint32_t, Vector> m_values;   ///< By the name of their instruction.
  std::vector<Vector> m_arrays;          ///< By id, then by element.
};

} // namespace assay::ir3
