// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// duplicate-instruction: what is computed is computed once more right behind, and some uses name
// the second. Precondition: an instruction without effects, of a type that a phi may have. Effect:
// both results are synonyms. Numbers: the instruction's result, seed of which uses are changed.
#include "fuzz/transform/Editing.h"
#include "fuzz/transform/Transformations.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace assay::fuzz {

static bool isPure(const Context &context, const Instruction *each) {
  static constexpr std::pair<spv::Op, spv::Op> pure[] = {
      {spv::Op::OpVectorExtractDynamic, spv::Op::OpTranspose},
      {spv::Op::OpConvertFToU, spv::Op::OpFConvert},
      {spv::Op::OpBitcast, spv::Op::OpBitcast},
      {spv::Op::OpSNegate, spv::Op::OpSMulExtended},
      {spv::Op::OpAny, spv::Op::OpBitCount}};
  return each && each->result &&
         any_of(pure,
                [&](auto range) {
                  return each->opcode >= range.first && each->opcode <= range.second;
                }) &&
         mayBePhi(context, each->result);
}

std::optional<Step> DuplicateInstruction::propose(const Context &context, Random &random) {
  std::optional<Place> place = pickInstruction(
      context, random, [&](Place, const Instruction &each) { return isPure(context, &each); });
  if (!place)
    return std::nullopt;
  Step step;
  step.numbers = {context.at(*place)->result, random.below(16)};
  return step;
}

bool DuplicateInstruction::isApplicable(const Context &context, const Step &step) {
  return context.definitions().place(step.id(0)) &&
         isPure(context, context.definitions().find(step.id(0)));
}

void DuplicateInstruction::apply(Context &context, const Step &step) {
  duplicateBehind(context, step.id(0), step.number(1));
}

} // namespace assay::fuzz
