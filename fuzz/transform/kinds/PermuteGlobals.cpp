// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// permute-globals: the order of types, constants and module-scope variables changes.
// Precondition: no type is declared before it is defined (OpTypeForwardPointer). Effect: none; each
// still is after what it names. Numbers: seed of the order.
#include "fuzz/transform/Editing.h"
#include "fuzz/transform/Transformations.h"

using namespace llvm;

namespace assay::fuzz {

std::optional<Step> PermuteGlobals::propose(const Context &, Random &random) {
  Step step;
  step.numbers = {random.next() >> 40};
  return step;
}

/// A forward declaration is the only global without a result.
bool PermuteGlobals::isApplicable(const Context &context, const Step &) {
  return all_of(context.program().globals,
                [](const Instruction &each) { return each.result != 0; });
}

/// Which globals name which others, by index.
static std::vector<SmallVector<size_t, 4>> findUsers(ArrayRef<Instruction> globals,
                                                     std::vector<unsigned> &needs) {
  DenseMap<Id, size_t> index;
  for (auto [number, each] : enumerate(globals))
    index[each.result] = number;
  std::vector<SmallVector<size_t, 4>> users(globals.size());
  needs.assign(globals.size(), 0);
  for (auto [number, each] : enumerate(globals)) {
    auto need = [&, user = number](Id id) {
      if (auto found = index.find(id); found != index.end()) {
        users[found->second].push_back(user);
        ++needs[user];
      }
    };
    if (each.type)
      need(each.type);
    for (const Operand &operand : each.operands)
      if (operand.isId)
        need(operand.word);
  }
  return users;
}

/// Of two constants of one type that differ, each gets the name of the other.
static void swapConstants(std::vector<Instruction> &globals) {
  for (Instruction &one : globals)
    for (Instruction &other : globals)
      if (one.opcode == spv::Op::OpConstant && other.opcode == one.opcode &&
          one.type == other.type && one.operands != other.operands)
        return std::swap(one.result, other.result);
}

/// Broken: two constants come back for each other.
void PermuteGlobals::apply(Context &context, const Step &step) {
  std::vector<Instruction> &globals = context.edit().program.globals;
  Random random(step.number(0));
  std::vector<unsigned> needs;
  std::vector<SmallVector<size_t, 4>> users = findUsers(globals, needs);
  std::vector<size_t> ready;
  for (size_t i = 0; i < globals.size(); ++i)
    if (!needs[i])
      ready.push_back(i);
  std::vector<Instruction> permuted;
  while (!ready.empty()) {
    size_t at = random.below(ready.size()), chosen = ready[at];
    ready.erase(ready.begin() + static_cast<ptrdiff_t>(at));
    for (size_t user : users[chosen])
      if (!--needs[user])
        ready.push_back(user);
    permuted.push_back(std::move(globals[chosen]));
  }
  if (context.isBroken())
    swapConstants(permuted);
  globals = std::move(permuted);
}

} // namespace assay::fuzz
