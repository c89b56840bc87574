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
/// A constant operand, and the word that a buffer must hold for it.
struct HiddenOperand {
  Use use;
  Id type = 0; ///< Of the constant.
  uint32_t bits = 0;
};
} // namespace

/// The constant at \p use, which is replaceable, where it can be hidden in a word of 32 bits.
static std::optional<HiddenOperand> findOperand(const Context &context, const Use &use) {
  Id value = context.at(use.place)->word(use.operand);
  if (!isScalarConstant(context, value))
    return std::nullopt;
  const Instruction &constant = *context.definitions().find(value);
  const Instruction &type = *context.definitions().find(constant.type);
  bool isWide = constant.operands.size() > 1;
  if ((type.opcode == spv::Op::OpTypeFloat && type.word(0) != 32) ||
      (isWide && (constant.word(1) || type.word(1))))
    return std::nullopt;
  return HiddenOperand{use, constant.type, constant.word(0)};
}

/// Proposes a constant that equals a known word; the word is chosen at random among the equal ones.
std::optional<Step> HideConstant::propose(const Context &context, Random &random) {
  std::set<uint32_t> known;
  for (const KnownWord &word : knownWords(context))
    known.insert(word.bits);
  std::optional<Use> use = pickUse(context, random, [&](const Use &each) {
    std::optional<HiddenOperand> operand = findOperand(context, each);
    return operand && known.count(operand->bits);
  });
  if (!use)
    return std::nullopt;
  uint32_t bits = findOperand(context, *use)->bits;
  Step step;
  append(step.numbers, context, *use);
  append(step.numbers,
         *pickWord(context, random, [&](const KnownWord &word) { return word.bits == bits; }));
  return step;
}

/// Compares the word again: earlier steps may have been left out.
bool HideConstant::isApplicable(const Context &context, const Step &step) {
  std::optional<Use> use = useIn(context, step, 0);
  std::optional<HiddenOperand> operand = use ? findOperand(context, *use) : std::nullopt;
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
  HiddenOperand operand = *findOperand(context, *useIn(context, step, 0));
  KnownWord word = *findWord(context, wordIn(step, 3));
  Emitter emitter(context);
  Id loaded = emitLoad(emitter, word);
  if (context.isBroken())
    loaded = emitter.emit(spv::Op::OpBitwiseXor, emitter.pool().intType(32, false),
                          {id(loaded), id(emitter.pool().number(1))});
  substitute(context, operand.use, convert(emitter, loaded, operand.type), emitter);
}

} // namespace assay::fuzz
