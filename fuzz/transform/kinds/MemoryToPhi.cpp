// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// memory-to-phi: a variable of a function becomes values and phis.
// Precondition: a variable of class Function, plain data (Editing.h), that is only loaded and
// stored as a whole, not volatile, in reachable code. Effect: none. Numbers: the variable.
#include "fuzz/transform/Editing.h"
#include "fuzz/transform/Transformations.h"

using namespace llvm;

namespace assay::fuzz {

/// True for a variable that meets the precondition. A value that may only be stored would lose its
/// store.
static bool isPromotable(const Context &context, const Instruction &variable) {
  if (variable.opcode != spv::Op::OpVariable ||
      variable.word(0) != uint32_t(spv::StorageClass::Function) ||
      !context.definitions().place(variable.result))
    return false;
  const Instruction *pointer = context.definitions().find(variable.type);
  if (!isPlainData(context, pointer->word(1)))
    return false;
  return all_of(context.usesOf(variable.result), [&](const Use &use) {
    const Instruction &user = *context.at(use.place);
    bool isWhole = (user.opcode == spv::Op::OpLoad && user.operands.size() == 1) ||
                   (user.opcode == spv::Op::OpStore && user.operands.size() == 2);
    bool isBound = user.opcode == spv::Op::OpStore && context.isOnlyStored(user.word(1));
    return isWhole && !isBound && use.operand == 0 && context.isReachable(use.place);
  });
}

/// Proposes variables with at least two uses only, as others have nothing to promote.
std::optional<Step> MemoryToPhi::propose(const Context &context, Random &random) {
  std::optional<Place> place =
      pickInstruction(context, random, [&](Place, const Instruction &each) {
        return isPromotable(context, each) && context.definitions().uses(each.result) > 1;
      });
  if (!place)
    return std::nullopt;
  Step step;
  step.numbers = {context.at(*place)->result};
  return step;
}

/// Also accepts variables without uses.
bool MemoryToPhi::isApplicable(const Context &context, const Step &step) {
  const Instruction *variable = context.definitions().find(step.id(0));
  return variable && isPromotable(context, *variable);
}

namespace {
/// Walks a function's blocks, each after those that dominate it, and knows at each place what the
/// variable would hold.
class Promotion {
public:
  Promotion(Context &context, size_t function, Instruction variable, Id type)
      : m_flow(context.flow(function)), m_function(context.edit().program.functions[function]),
        m_emitter(context), m_variable(std::move(variable)), m_type(type) {}

  /// \p isBroken: phis forget the last block that they may come from.
  void run(bool isBroken) {
    Id undefined = m_emitter.undefined(m_type);
    Id initial = m_variable.operands.size() > 1 ? m_variable.word(1) : undefined;
    m_ends.assign(m_function.blocks.size(), undefined); // Also of those that nobody reaches.
    for (size_t block : m_flow.order())
      m_ends[block] = walk(m_function.blocks[block], startOf(block, initial));
    for (auto [block, phi] : m_phis)
      writePhi(block, phi, isBroken ? undefined : 0);
  }

private:
  /// Returns the value at the beginning of a block; a new phi where several blocks lead to it.
  Id startOf(size_t block, Id initial) {
    ArrayRef<size_t> sources = m_flow.predecessors(block);
    if (sources.empty())
      return initial;
    if (sources.size() == 1)
      return m_ends[sources.front()];
    m_phis.push_back({block, m_emitter.fresh()});
    return m_phis.back().second;
  }

  /// Loads become copies, stores go; what the variable holds at the end.
  Id walk(Block &block, Id held) {
    std::vector<Instruction> body;
    for (Instruction &each : block.body) {
      bool isOurs = !each.operands.empty() && each.operands[0] == id(m_variable.result);
      if (each.result == m_variable.result)
        continue;
      if (isOurs && each.opcode == spv::Op::OpStore) {
        held = each.word(1);
        continue;
      }
      if (isOurs && each.opcode == spv::Op::OpLoad)
        each = {spv::Op::OpCopyObject, m_type, each.result, {id(held)}};
      body.push_back(std::move(each));
    }
    block.body = std::move(body);
    return held;
  }

  /// Inserts the phi once all ends are known; \p last replaces its last value unless it is 0.
  void writePhi(size_t block, Id result, Id last) {
    Instruction phi{spv::Op::OpPhi, m_type, result, {}};
    for (size_t source : m_flow.predecessors(block)) {
      phi.operands.push_back(id(m_ends[source]));
      phi.operands.push_back(id(m_function.blocks[source].label));
    }
    if (last)
      phi.operands[phi.operands.size() - 2] = id(last);
    std::vector<Instruction> &body = m_function.blocks[block].body;
    body.insert(body.begin(), std::move(phi));
  }

  const Flow &m_flow;
  Function &m_function;
  Emitter m_emitter;
  Instruction m_variable;
  Id m_type;
  std::vector<Id> m_ends; ///< What the variable would hold at the end of each block.
  std::vector<std::pair<size_t, Id>> m_phis; ///< Block, and the phi's result.
};
} // namespace

/// Broken: phis forget what comes from the last block.
void MemoryToPhi::apply(Context &context, const Step &step) {
  Instruction variable = *context.definitions().find(step.id(0));
  Id type = context.definitions().find(variable.type)->word(1);
  Promotion(context, context.definitions().place(step.id(0))->function, variable, type)
      .run(context.isBroken());
  auto names = [&](const Instruction &each) {
    return !each.operands.empty() && each.operands[0] == id(variable.result);
  };
  Program &program = context.edit().program;
  erase_if(program.decorations, names);
  erase_if(program.names, names);
}

} // namespace assay::fuzz
