// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reductions of variables that only one function can see: they become values, with phis where paths
// meet. Whatever is about values then reaches what front-ends of languages leave in memory.
#include "fuzz/program/Definitions.h"
#include "fuzz/program/Flow.h"
#include "fuzz/reduce/Edit.h"
#include "fuzz/reduce/Rows.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"
#include <map>

using namespace llvm;

namespace assay::fuzz {

namespace {
/// A place inside of a variable; no indices: all of it.
struct Path {
  Id variable = 0;
  SmallVector<uint32_t, 2> indices;
};

/// What is done with the local and private variables of a program.
class LocalVariables {
public:
  explicit LocalVariables(const Program &program);
  /// Those that are data and that one function loads and stores, whole or by constant indices, and
  /// nothing else happens to.
  std::vector<Id> promotable() const;
  /// Returns the place that a pointer refers to, or null for pointers that are not tracked.
  const Path *path(Id pointer) const;
  /// The number of the function that uses \p variable, which is promotable.
  size_t function(Id variable) const { return m_variables.find(variable)->second.function; }
  const Definitions &definitions() const { return m_definitions; }

private:
  struct Variable {
    size_t function = 0; ///< Of the last use.
    unsigned uses = 0;   ///< Operands that name it or a chain into it.
    bool isGood = true;
  };
  /// Adds a Function or Private variable of data; ignores other instructions.
  void addVariable(const Program &program, const Instruction &instruction);
  /// Tracks an access chain from \p base; false if an index is not a constant of one word.
  bool addChain(const Instruction &chain, const Path &base);
  /// Notes the uses of tracked pointers. Any use except loads, stores, copies and chains bars the
  /// variable.
  void visit(const Instruction &instruction, size_t function);

  Definitions m_definitions;
  MapVector<Id, Variable> m_variables;
  DenseMap<Id, Path> m_paths; ///< By variable or access chain.
};

/// One variable that becomes values.
class Promotion {
public:
  Promotion(Program &program, const LocalVariables &variables, Id variable);
  /// Removes the variable from the program. The analyses of the program are then out of date.
  void run();

private:
  /// True for the variable and chains into it.
  bool isOwn(Id pointer) const;
  /// True for plain copies to or from the variable or a part of it.
  bool isOwnCopy(const Instruction &instruction) const;
  void splitCopies();
  Id valueAtBegin(size_t block);
  /// Removes the variable from a block, which must follow its dominators, and notes the value at
  /// its end.
  void rewriteBlock(size_t block);
  void rewrite(Instruction &instruction, const Path &path, Id &current);
  /// Fills in the phis' operands.
  void finishPhis();
  void dropPhisWithoutUse();
  /// Inserts the phis that are left.
  void insertPhis();
  /// Follows replacements until there are no more.
  Id resolve(Id id) const;

  Program &m_program;
  const LocalVariables &m_variables;
  Function &m_function;
  Flow m_flow;
  Id m_variable, m_type = 0, m_initial = 0;
  std::vector<Id> m_ends;               ///< For each block: the value at its end.
  std::map<size_t, Instruction> m_phis; ///< By block.
  DenseMap<Id, Id> m_replaced;          ///< Loads and phis that are other values.
  DenseSet<Id> m_gone;                  ///< Ids that lose their names and decorations.
};
} // namespace

/// A copy that says nothing of how memory is accessed: a load and a store.
static bool isPlainCopy(const Instruction &instruction) {
  return instruction.opcode == spv::Op::OpCopyMemory && instruction.operands.size() == 2;
}

LocalVariables::LocalVariables(const Program &program) : m_definitions(program) {
  forEachInstruction(program,
                     [&](const Instruction &instruction) { addVariable(program, instruction); });
  for (auto [number, function] : enumerate(program.functions))
    for (const Block &block : function.blocks)
      for (const Instruction &instruction : block.body)
        visit(instruction, number);
}

void LocalVariables::addVariable(const Program &program, const Instruction &instruction) {
  if (instruction.opcode != spv::Op::OpVariable)
    return;
  auto storage = static_cast<spv::StorageClass>(instruction.word(0));
  bool isLocal = storage == spv::StorageClass::Function || storage == spv::StorageClass::Private;
  if (!isLocal || !isData(program, m_definitions.find(instruction.type)->word(1)))
    return;
  m_variables.insert({instruction.result, {}});
  m_paths[instruction.result] = {instruction.result, {}};
}

bool LocalVariables::addChain(const Instruction &chain, const Path &base) {
  Path path = base;
  for (const Operand &operand : drop_begin(chain.operands)) {
    const Instruction *index = m_definitions.find(operand.word);
    if (!index || index->opcode != spv::Op::OpConstant || index->operands.size() != 1)
      return false;
    path.indices.push_back(index->word(0));
  }
  m_paths[chain.result] = std::move(path);
  return true;
}

void LocalVariables::visit(const Instruction &instruction, size_t function) {
  for (auto [index, operand] : enumerate(instruction.operands)) {
    const Path *found = operand.isId ? path(operand.word) : nullptr;
    if (!found)
      continue;
    Variable &variable = m_variables.find(found->variable)->second;
    bool isGood =
        isPlainCopy(instruction) || (index == 0 && (instruction.opcode == spv::Op::OpLoad ||
                                                    instruction.opcode == spv::Op::OpStore));
    if (isAccessChain(instruction.opcode))
      isGood = index == 0 && addChain(instruction, Path(*found));
    if (!isGood || (variable.uses > 0 && variable.function != function))
      variable.isGood = false;
    variable.function = function;
    ++variable.uses;
  }
}

std::vector<Id> LocalVariables::promotable() const {
  std::vector<Id> ids;
  for (const auto &[id, variable] : m_variables)
    if (variable.isGood && variable.uses > 0)
      ids.push_back(id);
  return ids;
}

const Path *LocalVariables::path(Id pointer) const {
  auto found = m_paths.find(pointer);
  return found == m_paths.end() ? nullptr : &found->second;
}

Promotion::Promotion(Program &program, const LocalVariables &variables, Id variable)
    : m_program(program), m_variables(variables),
      m_function(program.functions[variables.function(variable)]), m_flow(m_function),
      m_variable(variable), m_ends(m_function.blocks.size()) {
  const Instruction &definition = *variables.definitions().find(variable);
  m_type = variables.definitions().find(definition.type)->word(1);
  m_initial = definition.operands.size() > 1 ? definition.word(1) : 0;
}

Id Promotion::resolve(Id id) const {
  for (auto found = m_replaced.find(id); found != m_replaced.end(); found = m_replaced.find(id))
    id = found->second;
  return id;
}

/// A phi where several blocks lead to \p block, for now: whether it says anything is seen when all
/// are known.
Id Promotion::valueAtBegin(size_t block) {
  ArrayRef<size_t> predecessors = m_flow.predecessors(block);
  if (!m_flow.isReachable(block) || predecessors.empty())
    return m_initial;
  if (predecessors.size() == 1)
    return m_ends[predecessors.front()];
  Instruction phi{spv::Op::OpPhi, m_type, m_program.fresh(), {}};
  Id result = phi.result;
  m_phis.emplace(block, std::move(phi));
  return result;
}

/// \p current is the variable's value before and after.
void Promotion::rewrite(Instruction &instruction, const Path &path, Id &current) {
  bool isStore = instruction.opcode == spv::Op::OpStore;
  if (isAccessChain(instruction.opcode)) {
    m_gone.insert(instruction.result);
    drop(instruction);
  } else if (path.indices.empty()) {
    if (isStore) {
      current = instruction.word(1);
    } else {
      m_replaced[instruction.result] = current;
      m_gone.insert(instruction.result);
    }
    drop(instruction);
  } else {
    Instruction part{isStore ? spv::Op::OpCompositeInsert : spv::Op::OpCompositeExtract,
                     isStore ? m_type : instruction.type,
                     isStore ? m_program.fresh() : instruction.result,
                     {}};
    if (isStore)
      part.operands.push_back(id(instruction.word(1)));
    part.operands.push_back(id(current));
    for (uint32_t index : path.indices)
      part.operands.push_back(literal(index));
    current = isStore ? part.result : current;
    instruction = std::move(part);
  }
}

void Promotion::rewriteBlock(size_t block) {
  Id current = valueAtBegin(block);
  for (Instruction &instruction : m_function.blocks[block].body) {
    bool hasPointer = !instruction.operands.empty() && instruction.operands[0].isId;
    if (hasPointer && isOwn(instruction.word(0))) {
      rewrite(instruction, *m_variables.path(instruction.word(0)), current);
    } else if (instruction.result == m_variable) {
      m_gone.insert(m_variable);
      drop(instruction);
    }
  }
  m_ends[block] = current;
}

/// A phi of one value and itself is that value; this may be true of others then.
void Promotion::finishPhis() {
  for (auto &[block, phi] : m_phis)
    for (size_t predecessor : m_flow.predecessors(block)) {
      phi.operands.push_back(id(m_ends[predecessor]));
      phi.operands.push_back(id(m_function.blocks[predecessor].label));
    }
  for (bool hasChanged = true; hasChanged;) {
    hasChanged = false;
    for (auto &[block, phi] : m_phis) {
      if (m_replaced.contains(phi.result))
        continue;
      SmallVector<Id, 4> values;
      for (size_t i = 0; i < phi.operands.size(); i += 2)
        if (Id value = resolve(phi.word(i)); value != phi.result && !is_contained(values, value))
          values.push_back(value);
      if (values.size() > 1)
        continue;
      m_replaced[phi.result] = values.empty() ? m_initial : values.front();
      hasChanged = true;
    }
  }
  std::erase_if(m_phis, [&](const auto &each) { return m_replaced.contains(each.second.result); });
}

/// Those that only feed each other go, too.
void Promotion::dropPhisWithoutUse() {
  DenseMap<Id, const Instruction *> unused;
  for (const auto &[block, phi] : m_phis)
    unused[phi.result] = &phi;
  SmallVector<const Instruction *> open;
  auto use = [&](const Instruction &user) {
    for (const Operand &operand : user.operands)
      if (const Instruction *phi = operand.isId ? unused.lookup(resolve(operand.word)) : nullptr) {
        unused.erase(phi->result);
        open.push_back(phi);
      }
  };
  for (const Block &block : m_function.blocks)
    for_each(block.body, use);
  while (!open.empty())
    use(*open.pop_back_val());
  std::erase_if(m_phis, [&](const auto &each) { return unused.contains(each.second.result); });
}

void Promotion::insertPhis() {
  for (auto &[block, phi] : m_phis) {
    std::vector<Instruction> &body = m_function.blocks[block].body;
    body.insert(body.begin(), std::move(phi));
  }
}

bool Promotion::isOwn(Id pointer) const {
  const Path *path = m_variables.path(pointer);
  return path && path->variable == m_variable;
}

bool Promotion::isOwnCopy(const Instruction &instruction) const {
  return isPlainCopy(instruction) && (isOwn(instruction.word(0)) || isOwn(instruction.word(1)));
}

/// Copies from or to the variable become loads and stores, of which one goes with it.
void Promotion::splitCopies() {
  // Definitions end with the first change.
  DenseMap<Id, Id> pointees;
  for (const Block &block : m_function.blocks)
    for (const Instruction &instruction : block.body)
      if (isOwnCopy(instruction))
        pointees[instruction.word(1)] =
            m_variables.definitions().typeInstruction(instruction.word(1))->word(1);
  for (Block &block : m_function.blocks) {
    std::vector<Instruction> body;
    for (const Instruction &instruction : block.body) {
      if (!isOwnCopy(instruction)) {
        body.push_back(instruction);
        continue;
      }
      Id target = instruction.word(0), source = instruction.word(1), value = m_program.fresh();
      body.push_back({spv::Op::OpLoad, pointees.lookup(source), value, {id(source)}});
      body.push_back({spv::Op::OpStore, 0, 0, {id(target), id(value)}});
    }
    block.body = std::move(body);
  }
}

void Promotion::run() {
  splitCopies();
  if (!m_initial) {
    Pool pool(m_program);
    m_initial = zeroOf(pool, m_type);
  }
  for (size_t block : m_flow.order())
    rewriteBlock(block);
  for (size_t block = 0; block < m_function.blocks.size(); ++block)
    if (!m_flow.isReachable(block))
      rewriteBlock(block);
  finishPhis();
  dropPhisWithoutUse();
  insertPhis();
  for (Block &block : m_function.blocks)
    for (Instruction &instruction : block.body)
      for (Operand &operand : instruction.operands)
        if (operand.isId)
          operand.word = resolve(operand.word);
  dropAnnotations(m_program, [&](Id id) { return m_gone.contains(id); });
}

// Variables: at = the variable.

/// Proposes each promotable variable.
static std::vector<Chance> findPromotions(const Program &program) {
  std::vector<Chance> chances;
  for (Id id : LocalVariables(program).promotable())
    chances.push_back({id});
  return chances;
}

/// Promotes one variable after the other; the analysis is repeated for each.
static void promoteVariables(Program &program, ArrayRef<Chance> chances) {
  for (const Chance &chance : chances) {
    LocalVariables variables(program);
    if (is_contained(variables.promotable(), chance.at))
      Promotion(program, variables, chance.at).run();
  }
}

ArrayRef<ProgramReduction> variableReductions() {
  static constexpr ProgramReduction rows[] = {
      {"promote-variables", findPromotions, promoteVariables},
  };
  return rows;
}

} // namespace assay::fuzz
