// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reductions of branches that something wrong decides on: the branch goes, and what decided is
// stored where it led.
#include "fuzz/program/Definitions.h"
#include "fuzz/program/Flow.h"
#include "fuzz/reduce/Edit.h"
#include "fuzz/reduce/Rows.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace assay::fuzz {

namespace {
/// An instruction of a function, by indices.
struct Spot {
  size_t block = 0;
  size_t index = 0;
};
} // namespace

/// The first store of a number after the branch in block \p header, where that goes to \p target.
static std::optional<Spot> findStore(const Function &function, const Flow &flow,
                                     const Definitions &definitions, size_t header, size_t target) {
  for (size_t block : flow.order()) {
    if (block == header || !flow.dominates(header, block) || !flow.dominates(target, block))
      continue;
    for (auto [index, instruction] : enumerate(function.blocks[block].body)) {
      bool isStore = instruction.opcode == spv::Op::OpStore;
      const Instruction *type =
          isStore ? definitions.typeInstruction(instruction.word(1)) : nullptr;
      if (type && oneOf(*type))
        return Spot{block, index};
    }
  }
  return std::nullopt;
}

/// Whether \p block is the header of a selection by a value that is computed.
static bool isDecision(const Block &block, const Definitions &definitions) {
  const Instruction *merge = block.merge();
  return merge && merge->opcode == spv::Op::OpSelectionMerge &&
         block.terminator().opcode == spv::Op::OpBranchConditional &&
         definitions.place(block.terminator().word(0));
}

// Decisions: at = header, value = the label that is taken.

/// Proposes both targets of each decision, where a number is stored after it.
static std::vector<Chance> findDecisions(const Program &program) {
  std::vector<Chance> chances;
  Definitions definitions(program);
  for (const Function &function : program.functions) {
    Flow flow(function);
    for (auto [number, block] : enumerate(function.blocks))
      if (flow.isReachable(number) && isDecision(block, definitions))
        for (Id target : block.successors())
          if (findStore(function, flow, definitions, number, flow.index(target)))
            chances.push_back({block.label, 0, target});
  }
  return chances;
}

/// The first store after \p header is one of its condition, as 1 or 0.
static void storeDecision(Program &program, size_t function, size_t header, Id target) {
  std::vector<Block> &blocks = program.functions[function].blocks;
  Definitions definitions(program);
  Flow flow(program.functions[function]);
  std::optional<Spot> spot =
      findStore(program.functions[function], flow, definitions, header, flow.index(target));
  if (!spot)
    return;
  std::vector<Instruction> &body = blocks[spot->block].body;
  Instruction type = *definitions.typeInstruction(body[spot->index].word(1));
  Pool pool(program);
  Instruction number{spv::Op::OpSelect,
                     type.result,
                     program.fresh(),
                     {id(blocks[header].terminator().word(0)),
                      id(pool.constant(type.result, *oneOf(type))), id(zeroOf(pool, type.result))}};
  body[spot->index].operands[1] = id(number.result);
  body.insert(body.begin() + static_cast<ptrdiff_t>(spot->index), std::move(number));
  endWithBranch(blocks[header], target);
}

/// Applies the decisions one by one; each looks up its blocks again.
static void storeDecisions(Program &program, ArrayRef<Chance> chances) {
  for (const Chance &chance : chances)
    for (size_t function = 0; function < program.functions.size(); ++function)
      for (auto [number, block] : enumerate(program.functions[function].blocks))
        if (block.label == chance.at && block.merge())
          storeDecision(program, function, number, chance.value);
}

ArrayRef<ProgramReduction> conditionReductions() {
  static constexpr ProgramReduction rows[] = {
      {"store-decisions", findDecisions, storeDecisions},
  };
  return rows;
}

} // namespace assay::fuzz
