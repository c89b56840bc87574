// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fuzz/program/Definitions.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace assay::fuzz {

/// True for names and decorations, which do not count as uses of their operands.
static bool isName(spv::Op opcode) {
  static constexpr spv::Op names[] = {spv::Op::OpName, spv::Op::OpMemberName, spv::Op::OpDecorate,
                                      spv::Op::OpMemberDecorate, spv::Op::OpDecorateId};
  return is_contained(names, opcode);
}

/// Indexes the whole program. Pointers into it stay valid until it changes.
Definitions::Definitions(const Program &program) {
  forEachInstruction(program, [&](const Instruction &instruction) {
    if (instruction.result)
      m_instructions[instruction.result] = &instruction;
    if (isName(instruction.opcode))
      return;
    if (instruction.type)
      ++m_uses[instruction.type];
    for (const Operand &operand : instruction.operands)
      if (operand.isId) // A literal may be any number, also one that is no key of a DenseMap.
        ++m_uses[operand.word];
  });
  for (auto [function, body] : enumerate(program.functions))
    for (auto [block, content] : enumerate(body.blocks))
      for (auto [index, instruction] : enumerate(content.body))
        if (instruction.result)
          m_places[instruction.result] = {function, block, index};
}

const Instruction *Definitions::find(Id id) const {
  return m_instructions.lookup(id);
}

Id Definitions::typeOf(Id id) const {
  const Instruction *instruction = find(id);
  return instruction ? instruction->type : 0;
}

const Place *Definitions::place(Id id) const {
  auto found = m_places.find(id);
  return found == m_places.end() ? nullptr : &found->second;
}

unsigned Definitions::uses(Id id) const {
  return m_uses.lookup(id);
}

std::optional<uint32_t> findDecoration(const Program &program, Id target,
                                       spv::Decoration decoration, std::optional<uint32_t> member) {
  for (const Instruction &each : program.decorations) {
    bool isMember = each.opcode == spv::Op::OpMemberDecorate;
    if ((!isMember && each.opcode != spv::Op::OpDecorate) || isMember != member.has_value() ||
        each.word(0) != target || (member && each.word(1) != *member))
      continue;
    if (each.word(isMember ? 2 : 1) == static_cast<uint32_t>(decoration))
      return each.operands.size() > (isMember ? 3u : 2u) ? each.word(isMember ? 3 : 2) : 0;
  }
  return std::nullopt;
}

Id findBuiltIn(const Program &program, spv::BuiltIn builtIn) {
  for (const Instruction &each : program.decorations)
    if (each.opcode == spv::Op::OpDecorate && each.word(1) == uint32_t(spv::Decoration::BuiltIn) &&
        each.word(2) == uint32_t(builtIn))
      return each.word(0);
  return 0;
}

} // namespace assay::fuzz
