// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/spirv/Module.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"
#include <functional>

using namespace llvm;

namespace assay::spirv {

/// Characters are in the words from the lowest byte up; a missing zero ends at the last operand.
std::string Instruction::string(size_t index) const {
  std::string text;
  for (; index < operands.size(); ++index)
    for (unsigned shift = 0; shift < 32; shift += 8) {
      char c = static_cast<char>(operands[index] >> shift);
      if (!c)
        return text;
      text += c;
    }
  return text;
}

const Type *Module::findType(Id id) const {
  auto it = m_types.find(id);
  return it == m_types.end() ? nullptr : &it->second;
}

const Type &Module::type(Id id) const {
  const Type *type = findType(id);
  assert(type && "not a type");
  return *type;
}

const Instruction *Module::findGlobal(Id id) const {
  auto it = m_globalIndex.find(id);
  return it == m_globalIndex.end() ? nullptr : &globals[it->second];
}

/// Types and constants keep their order and come first.
void Module::orderVariables(ArrayRef<Id> order) {
  std::vector<Instruction> sorted;
  std::vector<Id> variables(order.begin(), order.end());
  for (Instruction &each : globals)
    if (each.opcode == spv::Op::OpVariable)
      variables.push_back(each.resultId);
    else
      sorted.push_back(std::move(each));
  DenseSet<Id> placed;
  std::function<void(Id)> place = [&](Id id) {
    const Instruction *variable = findGlobal(id);
    bool isVariable = variable && variable->opcode == spv::Op::OpVariable;
    if (!isVariable || !placed.insert(id).second)
      return;
    if (variable->operands.size() > 1) // Its initializer, which is defined before it.
      place(variable->operands[1]);
    sorted.push_back(*variable);
  };
  for (Id id : variables)
    place(id);
  globals = std::move(sorted);
  for (const auto &[index, each] : enumerate(globals))
    if (each.resultId)
      m_globalIndex[each.resultId] = index;
}

/// Linear in the number of functions.
const Function *Module::findFunction(Id id) const {
  for (const Function &function : functions)
    if (function.id == id)
      return &function;
  return nullptr;
}

const EntryPoint *Module::findEntryPoint(StringRef name, spv::ExecutionModel model) const {
  for (const EntryPoint &entry : entryPoints)
    if (entry.model == model && entry.name == name)
      return &entry;
  return nullptr;
}

StringRef Module::name(Id id) const {
  auto it = m_names.find(id);
  return it == m_names.end() ? StringRef() : StringRef(it->second);
}

ArrayRef<Decoration> Module::decorations(Id id) const {
  auto it = m_decorations.find(id);
  return it == m_decorations.end() ? ArrayRef<Decoration>() : ArrayRef<Decoration>(it->second);
}

ArrayRef<Decoration> Module::memberDecorations(Id structure, uint32_t member) const {
  auto it = m_memberDecorations.find({structure, member});
  return it == m_memberDecorations.end() ? ArrayRef<Decoration>()
                                         : ArrayRef<Decoration>(it->second);
}

/// Decorations of members do not count.
bool Module::hasDecoration(Id id, spv::Decoration kind) const {
  for (const Decoration &decoration : decorations(id))
    if (decoration.kind == kind)
      return true;
  return false;
}

/// Nothing, too, for a decoration without operands.
std::optional<uint32_t> Module::decorationValue(Id id, spv::Decoration kind) const {
  for (const Decoration &decoration : decorations(id))
    if (decoration.kind == kind && !decoration.operands.empty())
      return decoration.operands[0];
  return std::nullopt;
}

/// Looks the decorations up at each call.
MemberLayout Module::memberLayout(Id structure, uint32_t member) const {
  MemberLayout layout;
  for (const Decoration &decoration : memberDecorations(structure, member)) {
    if (decoration.kind == spv::Decoration::RowMajor)
      layout.rowMajor = true;
    if (decoration.operands.empty())
      continue;
    if (decoration.kind == spv::Decoration::Offset)
      layout.offset = decoration.operands[0];
    if (decoration.kind == spv::Decoration::MatrixStride)
      layout.matrixStride = decoration.operands[0];
  }
  return layout;
}

} // namespace assay::spirv
