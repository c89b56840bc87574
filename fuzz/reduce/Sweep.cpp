// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Removal of what has no effect.
#include "fuzz/reduce/Edit.h"
#include "fuzz/reduce/Reduction.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace assay::fuzz {

namespace {
/// Which ids are needed: by marking, from what has effects. A cycle of phis that only feeds itself
/// is thus no reason for anything.
class Marker {
public:
  explicit Marker(const Program &program);
  bool isLive(Id id) const { return m_live.contains(id); }
  /// Whether \p instruction of a function body stays.
  bool stays(const Instruction &instruction) const;

private:
  void collect(const Program &program);
  void need(Id id);
  void needOperands(const Instruction &instruction);
  void needFunction(const Function &function);
  void findStores(const Program &program);
  Id writtenVariable(const Instruction &instruction) const;

  DenseMap<Id, const Instruction *> m_definitions;
  DenseMap<Id, const Function *> m_functions;
  DenseMap<Id, Id> m_base; ///< Of an access chain or copy: the variable, or 0.
  DenseMap<Id, std::vector<const Instruction *>> m_stores; ///< Of local variables.
  DenseSet<Id> m_read;                                     ///< Local variables that are read.
  DenseSet<Id> m_live;                                     ///< Ids that are needed.
  std::vector<Id> m_open; ///< Live ids with operands that are not marked yet.
};
} // namespace

static bool isChain(spv::Op opcode) {
  return isAccessChain(opcode) || opcode == spv::Op::OpCopyObject;
}

/// Fills m_definitions, m_functions and m_base.
void Marker::collect(const Program &program) {
  forEachInstruction(program, [&](const Instruction &instruction) {
    if (instruction.result)
      m_definitions[instruction.result] = &instruction;
    if (instruction.opcode == spv::Op::OpVariable)
      m_base[instruction.result] = instruction.result;
    else if (isChain(instruction.opcode))
      m_base[instruction.result] = m_base.lookup(instruction.word(0));
  });
  for (const Function &function : program.functions)
    m_functions[function.result()] = &function;
}

/// The variable that \p instruction does nothing but write to; 0 for others.
Id Marker::writtenVariable(const Instruction &instruction) const {
  return instruction.opcode == spv::Op::OpStore ? m_base.lookup(instruction.word(0)) : 0;
}

/// Stores to variables of a function (or private ones): they matter once somebody reads those.
void Marker::findStores(const Program &program) {
  for (const auto &[id, definition] : m_definitions) {
    if (definition->opcode != spv::Op::OpVariable)
      continue;
    auto storage = static_cast<spv::StorageClass>(definition->word(0));
    if (storage == spv::StorageClass::Function || storage == spv::StorageClass::Private)
      m_stores[id];
  }
  forEachInstruction(program, [&](const Instruction &instruction) {
    auto stores = m_stores.find(writtenVariable(instruction));
    if (stores != m_stores.end())
      stores->second.push_back(&instruction);
  });
}

/// Marks an id as live; its operands follow when it is taken from m_open.
void Marker::need(Id id) {
  if (id && m_live.insert(id).second)
    m_open.push_back(id);
}

/// Marks type and operands. The first access to a local variable other than a store makes all
/// stores to it live.
void Marker::needOperands(const Instruction &instruction) {
  need(instruction.type);
  // A chain passes its base on; a store reads its value alone.
  bool passesOn = isChain(instruction.opcode) || writtenVariable(instruction);
  for (auto [index, operand] : enumerate(instruction.operands)) {
    if (!operand.isId)
      continue;
    need(operand.word);
    auto stores = m_stores.find(m_base.lookup(operand.word));
    if (stores != m_stores.end() && !(passesOn && index == 0) &&
        m_read.insert(stores->first).second)
      for (const Instruction *store : stores->second)
        needOperands(*store);
  }
}

/// Instructions with effects always stay, except stores to variables that are never read.
bool Marker::stays(const Instruction &instruction) const {
  if (instruction.result && isRemovableIfUnused(instruction.opcode))
    return isLive(instruction.result);
  Id written = writtenVariable(instruction);
  return !written || !m_stores.contains(written) || m_read.contains(written);
}

/// Marks all instructions of a live function that have effects.
void Marker::needFunction(const Function &function) {
  needOperands(function.definition);
  for (const Instruction &parameter : function.parameters)
    need(parameter.result), need(parameter.type);
  for (const Block &block : function.blocks)
    for (const Instruction &instruction : block.body)
      if (!(instruction.result && isRemovableIfUnused(instruction.opcode)) && stays(instruction)) {
        need(instruction.result);
        needOperands(instruction);
      }
}

Marker::Marker(const Program &program) {
  collect(program);
  findStores(program);
  for (const Instruction &entry : program.entryPoints)
    need(entry.word(1)); // The function; the interface is no reason for a variable.
  for (const Instruction &mode : program.executionModes)
    needOperands(mode);
  // Built-in decorations that are constants (WorkgroupSize) act without a use.
  for (const Instruction &decoration : program.decorations)
    if (decoration.opcode == spv::Op::OpDecorate && decoration.operands.size() == 3 &&
        decoration.word(1) == uint32_t(spv::Decoration::BuiltIn) &&
        decoration.word(2) == uint32_t(spv::BuiltIn::WorkgroupSize))
      need(decoration.word(0));
  while (!m_open.empty()) {
    Id id = m_open.back();
    m_open.pop_back();
    if (const Function *function = m_functions.lookup(id))
      needFunction(*function);
    else if (const Instruction *definition = m_definitions.lookup(id))
      needOperands(*definition);
  }
}

/// Removes functions that are not live, and instructions that do not stay.
static void sweepBodies(Program &program, const Marker &marker) {
  erase_if(program.functions,
           [&](const Function &function) { return !marker.isLive(function.result()); });
  for (Function &function : program.functions)
    for (Block &block : function.blocks)
      erase_if(block.body, [&](const Instruction &each) { return !marker.stays(each); });
}

/// Removes dead variables from the interface of an entry point.
static void sweepInterface(Instruction &entry, const Marker &marker) {
  // After model, function and name: ids only.
  SmallVector<Operand, 4> kept;
  for (auto [index, operand] : enumerate(entry.operands))
    if (index <= 1 || !operand.isId || marker.isLive(operand.word))
      kept.push_back(operand);
  entry.operands = std::move(kept);
}

/// Removes all dead code at once: what only dead code uses is dead, too.
void sweep(Program &program) {
  Marker marker(program);
  sweepBodies(program, marker);
  for (Instruction &entry : program.entryPoints)
    sweepInterface(entry, marker);
  erase_if(program.globals, [&](const Instruction &each) {
    if (each.opcode == spv::Op::OpTypeForwardPointer)
      return !marker.isLive(each.word(0));
    return each.result && !marker.isLive(each.result);
  });
  erase_if(program.imports, [&](const Instruction &each) { return !marker.isLive(each.result); });
  DenseSet<Id> defined;
  forEachInstruction(program, [&](const Instruction &each) { defined.insert(each.result); });
  for (const Function &function : program.functions)
    for (const Block &block : function.blocks)
      defined.insert(block.label);
  dropAnnotations(program, [&](Id id) { return !defined.contains(id); });
}

} // namespace assay::fuzz
