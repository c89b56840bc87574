// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// phi-to-memory: in place of a phi, each block it may come from stores into a variable, and a load
// takes the phi's place.
// Precondition: a phi of plain data (Editing.h). Effect: none. Numbers: the phi, storage class
// (Function or Private).
#include "fuzz/transform/Editing.h"
#include "fuzz/transform/Transformations.h"

using namespace llvm;

namespace assay::fuzz {

std::optional<Step> PhiToMemory::propose(const Context &context, Random &random) {
  std::optional<Place> place =
      pickInstruction(context, random, [&](Place, const Instruction &each) {
        return each.opcode == spv::Op::OpPhi && isPlainData(context, each.type);
      });
  if (!place)
    return std::nullopt;
  Step step;
  step.numbers = {
      context.at(*place)->result,
      uint64_t(random.oneIn(2) ? spv::StorageClass::Function : spv::StorageClass::Private)};
  return step;
}

bool PhiToMemory::isApplicable(const Context &context, const Step &step) {
  const Instruction *phi = context.definitions().find(step.id(0));
  auto storage = static_cast<spv::StorageClass>(step.number(1));
  return phi && phi->opcode == spv::Op::OpPhi && isPlainData(context, phi->type) &&
         (storage == spv::StorageClass::Function || storage == spv::StorageClass::Private);
}

/// Broken: what the last block stores is 0.
void PhiToMemory::apply(Context &context, const Step &step) {
  Place place = *context.definitions().place(step.id(0));
  Program &program = context.edit().program;
  Function &function = program.functions[place.function];
  std::vector<Instruction> &body = function.blocks[place.block].body;
  Instruction phi = body[place.index];
  body.erase(body.begin() + static_cast<ptrdiff_t>(place.index));
  Emitter emitter(context);
  Id variable =
      emitter.variable(function, static_cast<spv::StorageClass>(step.number(1)), phi.type);
  Block &block = function.blocks[place.block];
  Instruction load{spv::Op::OpLoad, phi.type, phi.result, {id(variable)}};
  block.body.insert(block.body.begin() + static_cast<ptrdiff_t>(firstInsertion(block)),
                    std::move(load));
  for (size_t i = 0; i + 1 < phi.operands.size(); i += 2) {
    bool isWrong = context.isBroken() && i + 2 == phi.operands.size();
    Id value = isWrong ? emitter.pool().constantNull(phi.type) : phi.word(i);
    Block &source = *function.find(phi.word(i + 1));
    emitter.emitVoid(spv::Op::OpStore, {id(variable), id(value)});
    emitter.insertInto(source, lastInsertion(source));
  }
}

} // namespace assay::fuzz
