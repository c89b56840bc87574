// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// phi-to-memory: in place of a phi, each block it may come from stores into memory, and a load
// takes the phi's place. Precondition: a phi of plain data (Editing.h) that can be kept there
// (OwnMemory.h). Effect: none. Numbers: the phi, storage class.
#include "fuzz/transform/OwnMemory.h"
#include "fuzz/transform/Transformations.h"

using namespace llvm;

namespace assay::fuzz {

/// Proposes any reachable phi of plain data, kept in a storage class that has room for it.
std::optional<Step> PhiToMemory::propose(const Context &context, Random &random) {
  std::optional<Place> place =
      pickInstruction(context, random, [&](Place, const Instruction &each) {
        return each.opcode == spv::Op::OpPhi && isPlainData(context, each.type);
      });
  if (!place)
    return std::nullopt;
  const Instruction &phi = *context.at(*place);
  Step step;
  step.numbers = {phi.result, uint64_t(pickStorage(context, random, phi.type))};
  return step;
}

bool PhiToMemory::isApplicable(const Context &context, const Step &step) {
  const Instruction *phi = context.definitions().find(step.id(0));
  return phi && phi->opcode == spv::Op::OpPhi &&
         canKeep(context, static_cast<spv::StorageClass>(step.number(1)), phi->type);
}

/// Broken: what the last block stores is 0.
void PhiToMemory::apply(Context &context, const Step &step) {
  Place place = *context.definitions().place(step.id(0));
  Function &function = context.edit().program.functions[place.function];
  std::vector<Instruction> &body = function.blocks[place.block].body;
  Instruction phi = body[place.index];
  body.erase(body.begin() + static_cast<ptrdiff_t>(place.index));
  Emitter emitter(context);
  OwnMemory memory(context, emitter, function, static_cast<spv::StorageClass>(step.number(1)),
                   phi.type);
  Block &block = function.blocks[place.block];
  memory.emitLoad(emitter, phi.result);
  emitter.insertInto(block, firstInsertion(block));
  for (size_t i = 0; i + 1 < phi.operands.size(); i += 2) {
    bool isWrong = context.isBroken() && i + 2 == phi.operands.size();
    memory.emitStore(emitter, isWrong ? emitter.pool().constantNull(phi.type) : phi.word(i));
    Block &source = *function.find(phi.word(i + 1));
    emitter.insertInto(source, lastInsertion(source));
  }
}

} // namespace assay::fuzz
