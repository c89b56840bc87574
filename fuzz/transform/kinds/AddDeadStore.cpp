// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// add-dead-store: dead code stores to memory that live code uses.
// Precondition: the place is dead, and pointer and value are available there; the pointer leads to
// memory that may be written, and into no buffer that nobody writes so far (Opaque.h relies on
// those). Effect: none. Numbers: anchor, pointer, value (0: null).
#include "fuzz/transform/Opaque.h"
#include "fuzz/transform/Transformations.h"

using namespace llvm;

namespace assay::fuzz {

/// Returns the variable that access chains lead back to; 0 for parameters and other pointers.
static Id rootOf(const Context &context, Id pointer) {
  const Instruction *definition = context.definitions().find(pointer);
  while (definition && (definition->opcode == spv::Op::OpAccessChain ||
                        definition->opcode == spv::Op::OpInBoundsAccessChain)) {
    pointer = definition->word(0);
    definition = context.definitions().find(pointer);
  }
  return definition && definition->opcode == spv::Op::OpVariable ? pointer : 0;
}

/// The type that may be stored through \p pointer, or 0.
static Id storableType(const Context &context, Id pointer) {
  static constexpr spv::StorageClass writable[] = {
      spv::StorageClass::Function, spv::StorageClass::Private, spv::StorageClass::Workgroup,
      spv::StorageClass::StorageBuffer};
  const Instruction *type = context.definitions().typeInstruction(pointer);
  if (!type || type->opcode != spv::Op::OpTypePointer ||
      !is_contained(writable, static_cast<spv::StorageClass>(type->word(0))))
    return 0;
  Id root = rootOf(context, pointer);
  bool isInput = root && type->word(0) == uint32_t(spv::StorageClass::StorageBuffer) &&
                 isOnlyRead(context, root);
  return root && !isInput && isPlainData(context, type->word(1)) ? type->word(1) : 0;
}

/// Proposes a store to a pointer that is a result of the function; null where no value of the type
/// is available.
std::optional<Step> AddDeadStore::propose(const Context &context, Random &random) {
  std::optional<Place> place = pickInsertion(context, random);
  if (!place || !context.isDead(*place))
    return std::nullopt;
  std::vector<Id> pointers;
  for (const Block &block : context.program().functions[place->function].blocks)
    for (const Instruction &each : block.body)
      if (each.result && context.isAvailable(each.result, *place) &&
          storableType(context, each.result))
        pointers.push_back(each.result);
  if (pointers.empty())
    return std::nullopt;
  Id pointer = random.pick(ArrayRef(pointers));
  std::vector<Id> values = context.valuesAt(*place, storableType(context, pointer));
  Step step;
  append(step.numbers, context.anchorOf(*place));
  step.numbers.push_back(pointer);
  step.numbers.push_back(values.empty() ? 0 : random.pick(ArrayRef(values)));
  return step;
}

bool AddDeadStore::isApplicable(const Context &context, const Step &step) {
  std::optional<Place> place = context.locate(anchorIn(step, 0));
  if (!place || !isInsertion(context, *place) || !context.isDead(*place))
    return false;
  Id pointer = step.id(2), type = storableType(context, pointer);
  return type && context.isAvailable(pointer, *place) &&
         (!step.number(3) || (context.definitions().typeOf(step.id(3)) == type &&
                              context.isAvailable(step.id(3), *place)));
}

/// Broken: the code is not dead.
void AddDeadStore::apply(Context &context, const Step &step) {
  Place place = *context.locate(anchorIn(step, 0));
  Id type = storableType(context, step.id(2));
  Emitter emitter(context);
  Id value = step.id(3) ? step.id(3) : emitter.pool().constantNull(type);
  emitter.emitVoid(spv::Op::OpStore, {id(step.id(2)), id(value)});
  if (context.isBroken())
    reviveDeadCode(context, place);
  emitter.insertInto(context.edit().program.functions[place.function].blocks[place.block],
                     place.index);
}

} // namespace assay::fuzz
