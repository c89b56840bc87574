// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// specialize-constant: an operand that is a constant becomes a specialization constant with another
// default, and the pipeline gives it the value. Precondition: the operand is a scalar number of 32
// or 64 bits that need not be a constant that is known (Editing.h, isReplaceable), and the id is
// free. Effect: none. Numbers: anchor of the instruction, operand, SpecId, which bit of the default
// differs.
#include "fuzz/transform/Editing.h"
#include "fuzz/transform/Transformations.h"
#include "llvm/ADT/STLExtras.h"
#include <set>

using namespace llvm;

namespace assay::fuzz {

/// New SpecIds are below it.
static constexpr uint64_t endOfIds = 1 << 16;

/// True for uses of 32-bit or 64-bit constants without specialization.
static bool isNumber(const Context &context, const Use &use) {
  Id value = context.at(use.place)->word(use.operand);
  if (!isScalarConstant(context, value))
    return false;
  const Instruction *type = context.definitions().typeInstruction(value);
  return (type->opcode == spv::Op::OpTypeInt || type->opcode == spv::Op::OpTypeFloat) &&
         (type->word(0) == 32 || type->word(0) == 64) &&
         context.definitions().find(value)->opcode == spv::Op::OpConstant;
}

/// Returns the SpecIds that the module declares or the pipeline gives a value to.
static std::set<uint64_t> takenIds(const Context &context) {
  std::set<uint64_t> taken;
  for (const Instruction &each : context.program().decorations)
    if (each.opcode == spv::Op::OpDecorate && each.word(1) == uint32_t(spv::Decoration::SpecId))
      taken.insert(each.word(2));
  for (const GeneratedSpecialization &each : context.generated().specialization)
    taken.insert(each.id);
  return taken;
}

/// Chooses the first free SpecId from a random one on.
std::optional<Step> SpecializeConstant::propose(const Context &context, Random &random) {
  std::optional<Use> use =
      pickUse(context, random, [&](const Use &each) { return isNumber(context, each); });
  if (!use)
    return std::nullopt;
  std::set<uint64_t> taken = takenIds(context);
  uint64_t free = random.below(endOfIds / 2);
  while (taken.count(free))
    ++free;
  Step step;
  append(step.numbers, context, *use);
  step.numbers.insert(step.numbers.end(), {free, random.below(32)});
  return step;
}

bool SpecializeConstant::isApplicable(const Context &context, const Step &step) {
  std::optional<Use> use = useIn(context, step, 0);
  return use && isNumber(context, *use) && step.number(3) < endOfIds && step.number(4) < 32 &&
         !takenIds(context).count(step.number(3));
}

/// Broken: the pipeline gives no value.
void SpecializeConstant::apply(Context &context, const Step &step) {
  Use use = *useIn(context, step, 0);
  const Instruction constant =
      *context.definitions().find(context.at(use.place)->word(use.operand));
  bool isWide = constant.operands.size() > 1;
  uint64_t bits = constant.word(0) | (isWide ? uint64_t(constant.word(1)) << 32 : 0);
  auto number = static_cast<uint32_t>(step.number(3));
  SmallVector<Operand, 4> other = constant.operands;
  other[0].word ^= 1u << step.number(4);
  Emitter emitter(context);
  Id specialized = emitter.pool().specialization(spv::Op::OpSpecConstant, constant.type, other);
  emitter.pool().decorate(specialized, spv::Decoration::SpecId, {number});
  if (!context.isBroken())
    context.edit().specialization.push_back({number, isWide ? 64u : 32u, bits});
  replaceUse(context.edit().program, use, specialized);
}

} // namespace assay::fuzz
