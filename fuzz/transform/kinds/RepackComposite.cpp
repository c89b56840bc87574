// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// repack-composite: a use of a composite names one built again: of its parts, or, for a vector, by
// turning it round twice. Precondition: a replaceable use (Editing.h) of a vector, matrix or struct
// of at most 16 members. Effect: both are synonyms. Numbers: anchor of the user, operand, 1 for
// turning a vector round.
#include "fuzz/transform/Editing.h"
#include "fuzz/transform/Transformations.h"

using namespace llvm;

namespace assay::fuzz {

/// The types of the parts; none for other types.
static SmallVector<Id, 4> partTypes(const Context &context, Id type) {
  constexpr size_t MostMembers = 16;
  const Instruction &definition = *context.definitions().find(type);
  SmallVector<Id, 4> parts;
  if (definition.opcode == spv::Op::OpTypeVector || definition.opcode == spv::Op::OpTypeMatrix)
    parts.assign(definition.word(1), definition.word(0));
  if (definition.opcode == spv::Op::OpTypeStruct && definition.operands.size() <= MostMembers)
    for (const Operand &member : definition.operands)
      parts.push_back(member.word);
  return parts;
}

/// True for uses of composites that partTypes() can take apart.
static bool isPacked(const Context &context, const Use &use) {
  Id value = context.at(use.place)->word(use.operand);
  return !partTypes(context, context.definitions().typeOf(value)).empty();
}

/// Draws the reversal for all types; apply() ignores it for other types than vectors.
std::optional<Step> RepackComposite::propose(const Context &context, Random &random) {
  std::optional<Use> use =
      pickUse(context, random, [&](const Use &each) { return isPacked(context, each); });
  if (!use)
    return std::nullopt;
  Step step;
  append(step.numbers, context, *use);
  step.numbers.push_back(random.below(2));
  return step;
}

bool RepackComposite::isApplicable(const Context &context, const Step &step) {
  std::optional<Use> use = useIn(context, step, 0);
  return use && isPacked(context, *use);
}

/// Emits a shuffle that reverses the vector's \p count components.
static Id reverse(Emitter &emitter, Id type, size_t count, Id value) {
  SmallVector<Operand, 8> operands = {id(value), id(value)};
  for (size_t i = count; i; --i)
    operands.push_back(literal(static_cast<uint32_t>(i - 1)));
  return emitter.emit(spv::Op::OpVectorShuffle, type, operands);
}

/// Broken: turned round once; or the first part is null.
void RepackComposite::apply(Context &context, const Step &step) {
  Use use = *useIn(context, step, 0);
  Id value = context.at(use.place)->word(use.operand), type = context.definitions().typeOf(value);
  SmallVector<Id, 4> types = partTypes(context, type);
  Emitter emitter(context);
  Id to = 0;
  if (step.number(3) == 1 && emitter.pool().definition(type).opcode == spv::Op::OpTypeVector) {
    to = reverse(emitter, type, types.size(), value);
    if (!context.isBroken())
      to = reverse(emitter, type, types.size(), to);
  } else {
    SmallVector<Operand, 8> parts;
    for (uint32_t i = 0; i < types.size(); ++i)
      parts.push_back(
          id(emitter.emit(spv::Op::OpCompositeExtract, types[i], {id(value), literal(i)})));
    if (context.isBroken())
      parts[0] = id(emitter.pool().constantNull(types[0]));
    to = emitter.emit(spv::Op::OpCompositeConstruct, type, parts);
  }
  context.addSynonyms(value, to);
  substitute(context, use, to, emitter);
}

} // namespace assay::fuzz
