// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fuzz/transform/Cloning.h"

using namespace llvm;

namespace assay::fuzz {

Id Cloner::renew(Id from) {
  auto [entry, isNew] = m_names.try_emplace(from, 0);
  if (isNew) {
    entry->second = m_program.fresh();
    m_renewed.push_back(from);
  }
  return entry->second;
}

void Cloner::renewAll(const Block &block) {
  renew(block.label);
  for (const Instruction &each : block.body)
    if (each.result)
      renew(each.result);
}

/// Returns the new name, or \p id itself if it has none.
Id Cloner::nameOf(Id id) const {
  auto found = m_names.find(id);
  return found == m_names.end() ? id : found->second;
}

/// Copies with new names for type, result and operands.
Instruction Cloner::clone(const Instruction &instruction) const {
  Instruction copy = instruction;
  copy.type = nameOf(copy.type);
  copy.result = nameOf(copy.result);
  for (Operand &operand : copy.operands)
    if (operand.isId)
      operand.word = nameOf(operand.word);
  return copy;
}

/// Copies label and instructions with new names.
Block Cloner::clone(const Block &block) const {
  Block copy{nameOf(block.label), {}};
  for (const Instruction &each : block.body)
    copy.body.push_back(clone(each));
  return copy;
}

void Cloner::cloneDecorations() {
  std::vector<Instruction> copies;
  for (Id from : m_renewed)
    for (const Instruction &each : m_program.decorations)
      if (each.opcode == spv::Op::OpDecorate && each.word(0) == from) {
        copies.push_back(each);
        copies.back().operands[0] = id(nameOf(from));
      }
  m_program.decorations.insert(m_program.decorations.end(), copies.begin(), copies.end());
}

} // namespace assay::fuzz
