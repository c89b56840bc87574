// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// hide-constant: an operand that is a constant becomes what a buffer holds, converted where its
// type is not u32. Precondition: the operand is a scalar integer or 32-bit float constant that need
// not be one (Editing.h, isReplaceable), and the word has its bits. Effect: none. Numbers: anchor
// of the instruction, operand, word (2).
#include "fuzz/transform/Opaque.h"
#include "fuzz/transform/Transformations.h"

using namespace llvm;

namespace assay::fuzz {

namespace {
struct HiddenOperand {
  Use use;
  Id type = 0; ///< Of the constant.
  uint32_t bits = 0;
};
} // namespace

/// The constant at \p use, where it can be hidden in a word of 32 bits.
static std::optional<HiddenOperand> findOperand(const Context &context, const Use &use) {
  const Instruction *instruction = context.at(use.place);
  if (!instruction || use.operand >= instruction->operands.size() ||
      !instruction->operands[use.operand].isId ||
      !isScalarConstant(context, instruction->word(use.operand)) || !isReplaceable(context, use))
    return std::nullopt;
  const Instruction &constant = *context.definitions().find(instruction->word(use.operand));
  const Instruction &type = *context.definitions().find(constant.type);
  bool isWide = constant.operands.size() > 1;
  if ((type.opcode == spv::Op::OpTypeFloat && type.word(0) != 32) ||
      (isWide && (constant.word(1) || type.word(1))))
    return std::nullopt;
  return HiddenOperand{use, constant.type, constant.word(0)};
}

static Use useIn(const Context &context, const Step &step) {
  std::optional<Place> place = context.locate(anchorIn(step, 0));
  return {place.value_or(Place{0, 0, ~size_t(0)}), static_cast<unsigned>(step.number(2))};
}

std::optional<Step> HideConstant::propose(const Context &context, Random &random) {
  std::vector<KnownWord> words = knownWords(context);
  std::vector<HiddenOperand> operands;
  for (auto [function, body] : enumerate(context.program().functions))
    for (size_t block : context.flow(function).order())
      for (auto [index, each] : enumerate(body.blocks[block].body))
        for (unsigned i = 0; i < each.operands.size(); ++i)
          if (auto found = findOperand(context, {{function, block, index}, i});
              found &&
              any_of(words, [&](const KnownWord &word) { return word.bits == found->bits; }))
            operands.push_back(*found);
  if (operands.empty())
    return std::nullopt;
  const HiddenOperand &chosen = random.pick(ArrayRef(operands));
  Step step;
  append(step.numbers, context.anchorOf(chosen.use.place));
  step.numbers.push_back(chosen.use.operand);
  append(step.numbers, *pickWord(context, random,
                                 [&](const KnownWord &word) { return word.bits == chosen.bits; }));
  return step;
}

bool HideConstant::isApplicable(const Context &context, const Step &step) {
  std::optional<HiddenOperand> operand = findOperand(context, useIn(context, step));
  std::optional<KnownWord> word = findWord(context, wordIn(step, 3));
  return operand && word && word->bits == operand->bits;
}

/// \p loaded, a u32, as a value of \p type with these low bits.
static Id convert(Emitter &emitter, Id loaded, Id type) {
  Pool &pool = emitter.pool();
  const Instruction definition = pool.definition(type);
  if (definition.opcode == spv::Op::OpTypeFloat)
    return emitter.emit(spv::Op::OpBitcast, type, {id(loaded)});
  bool isSigned = definition.word(1);
  if (definition.word(0) != 32)
    return emitter.emit(isSigned ? spv::Op::OpSConvert : spv::Op::OpUConvert, type, {id(loaded)});
  return isSigned ? emitter.emit(spv::Op::OpBitcast, type, {id(loaded)}) : loaded;
}

/// Broken: the lowest bit is the other.
void HideConstant::apply(Context &context, const Step &step) {
  HiddenOperand operand = *findOperand(context, useIn(context, step));
  KnownWord word = *findWord(context, wordIn(step, 3));
  Place place = context.placeOf(operand.use);
  Program &program = context.edit().program;
  Emitter emitter(context);
  Id loaded = emitLoad(emitter, word);
  if (context.isBroken())
    loaded = emitter.emit(spv::Op::OpBitwiseXor, emitter.pool().intType(32, false),
                          {id(loaded), id(emitter.pool().number(1))});
  replaceUse(program, operand.use, convert(emitter, loaded, operand.type));
  // In front of the merge instruction, which belongs to the terminator.
  Block &block = program.functions[place.function].blocks[place.block];
  emitter.insertInto(block, std::min(place.index, lastInsertion(block)));
}

} // namespace assay::fuzz
