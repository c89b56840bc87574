// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fuzz/shader/ModuleImport.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace assay::fuzz {

/// SPIR-V 1.4 and later want all variables on the interface of an entry point.
static constexpr uint32_t WholeInterface = 0x00010400;

/// A copy of the host shares all globals and imports with it; another donor's capabilities are
/// added.
ModuleImport::ModuleImport(Context &into, const Program &from, Random &random)
    : m_into(into), m_from(from), m_random(random), m_definitions(from) {
  for (const Instruction &global : from.globals)
    m_globals[global.result] = &global;
  for (const Instruction &import : from.imports)
    m_imports[import.result] = &import;
  if (from == into.program())
    for (const auto *table : {&m_globals, &m_imports})
      for (const auto &[id, global] : *table)
        m_known[id] = id;
  else
    addCapabilities();
}

void ModuleImport::addCapabilities() {
  Program &program = m_into.edit().program;
  for (auto [own, others] : {std::pair(&program.capabilities, &m_from.capabilities),
                             {&program.extensions, &m_from.extensions}})
    for (const Instruction &each : *others)
      if (!is_contained(*own, each))
        own->push_back(each);
}

/// Adds \p global, which stood for \p old, with what the donor says of it.
Id ModuleImport::addGlobal(Instruction global, Id old) {
  Program &program = m_into.edit().program;
  global.result = program.fresh();
  for (const Instruction &each : m_from.decorations) {
    if (each.operands.empty() || each.word(0) != old)
      continue;
    Instruction decoration = each;
    decoration.operands[0] = id(global.result);
    program.decorations.push_back(std::move(decoration));
  }
  bool isVariable = global.opcode == spv::Op::OpVariable;
  auto storage =
      isVariable ? static_cast<spv::StorageClass>(global.word(0)) : spv::StorageClass::Function;
  bool isInterface = storage == spv::StorageClass::Input || storage == spv::StorageClass::Output ||
                     program.version >= WholeInterface;
  if (isVariable && isInterface)
    for (Instruction &entry : program.entryPoints)
      entry.operands.push_back(id(global.result));
  program.globals.push_back(std::move(global));
  return program.globals.back().result;
}

Id ModuleImport::import(const Instruction &instruction) {
  Program &program = m_into.edit().program;
  for (const Instruction &each : program.imports)
    if (each.operands == instruction.operands)
      return each.result;
  Instruction copy = instruction;
  copy.result = program.fresh();
  program.imports.push_back(copy);
  return copy.result;
}

/// The host's type, constant, variable or import for the donor's \p id; nothing for what is none.
std::optional<Id> ModuleImport::mapGlobal(Id id) {
  if (auto known = m_known.find(id); known != m_known.end())
    return known->second;
  if (auto found = m_imports.find(id); found != m_imports.end())
    return m_known[id] = import(*found->second);
  auto found = m_globals.find(id);
  if (found == m_globals.end() || !m_open.insert(id).second)
    return std::nullopt;
  Instruction copy = *found->second;
  copy.result = 0;
  if (copy.type) {
    std::optional<Id> type = mapGlobal(copy.type);
    if (!type)
      return std::nullopt;
    copy.type = *type;
  }
  for (Operand &operand : copy.operands) {
    std::optional<Id> mapped = operand.isId ? mapGlobal(operand.word) : operand.word;
    if (!mapped)
      return std::nullopt;
    operand.word = *mapped;
  }
  // Structures and variables differ by their decorations: these are always new.
  bool mayBeShared = copy.opcode != spv::Op::OpTypeStruct && copy.opcode != spv::Op::OpVariable;
  if (mayBeShared)
    for (const Instruction &each : m_into.program().globals)
      if (each.opcode == copy.opcode && each.type == copy.type && each.operands == copy.operands)
        return m_known[id] = each.result;
  return m_known[id] = addGlobal(std::move(copy), id);
}

/// What represents the donor's \p id in an instruction before \p place.
std::optional<Id> ModuleImport::mapOperand(Id id, Place place) {
  if (m_globals.contains(id) || m_imports.contains(id))
    return mapGlobal(id);
  Id oldType = m_definitions.typeOf(id);
  std::optional<Id> type = oldType ? mapGlobal(oldType) : std::nullopt;
  if (!type)
    return std::nullopt; // A label, or a function.
  std::vector<Id> values = m_into.valuesAt(place, *type);
  if (!values.empty())
    return values[m_random.below(values.size())];
  return addGlobal({spv::Op::OpUndef, *type, 0, {}}, 0);
}

/// Globals that were added for operands stay where the instruction cannot be moved after all.
std::optional<Id> ModuleImport::put(const Instruction &instruction, Place place) {
  static constexpr spv::Op Bound[] = {spv::Op::OpPhi, spv::Op::OpVariable, spv::Op::OpFunctionCall,
                                      spv::Op::OpUnreachable};
  if (isTerminator(instruction.opcode) || isMerge(instruction.opcode) ||
      is_contained(Bound, instruction.opcode))
    return std::nullopt;
  Instruction copy = instruction;
  if (copy.type) {
    std::optional<Id> type = mapGlobal(copy.type);
    if (!type)
      return std::nullopt;
    copy.type = *type;
  }
  for (Operand &operand : copy.operands) {
    std::optional<Id> mapped = operand.isId ? mapOperand(operand.word, place) : operand.word;
    if (!mapped)
      return std::nullopt;
    operand.word = *mapped;
  }
  Program &program = m_into.edit().program;
  if (copy.result)
    copy.result = program.fresh();
  Id result = copy.result;
  std::vector<Instruction> &body = program.functions[place.function].blocks[place.block].body;
  body.insert(body.begin() + static_cast<ptrdiff_t>(place.index), std::move(copy));
  m_into.refresh();
  return result;
}

} // namespace assay::fuzz
