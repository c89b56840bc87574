// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fuzz/shader/ModuleMutation.h"

#include "compiler/spirv/Capabilities.h"
#include "compiler/spirv/Module.h"
#include "fuzz/shader/ModuleImport.h"
#include "fuzz/transform/Editing.h"
#include "support/Error.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace assay::fuzz {

/// Of the header: the word that chooses what is done with a module.
static constexpr size_t ToolWord = 2;
/// Larger modules are not changed further: compiling them takes too long.
static constexpr size_t MostWords = 12'000;

/// Changes the program in place; returns false where there is nothing to change.
using Mutation = bool (*)(Context &, Random &);

/// Any instruction of a body that \p accept accepts.
static std::optional<Place> pickBody(const Context &context, Random &random,
                                     function_ref<bool(const Instruction &)> accept) {
  return pickInstruction(context, random,
                         [&](Place, const Instruction &each) { return accept(each); });
}

/// Returns the instruction for modification. The context's analyses stay as they are until
/// refresh().
static Instruction &edit(Context &context, Place place) {
  return context.edit().program.functions[place.function].blocks[place.block].body[place.index];
}

/// True if an operand is a value, not a label, type or function.
static bool hasValueOperand(const Context &context, const Instruction &instruction) {
  return any_of(instruction.operands, [&](const Operand &operand) {
    return operand.isId && context.definitions().typeOf(operand.word);
  });
}

/// Another value of the same type for an operand: one of the function, or a constant.
static bool changeOperand(Context &context, Random &random) {
  std::optional<Place> place = pickBody(
      context, random, [&](const Instruction &each) { return hasValueOperand(context, each); });
  if (!place)
    return false;
  std::vector<size_t> operands;
  for (auto [index, operand] : enumerate(context.at(*place)->operands))
    if (operand.isId && context.definitions().typeOf(operand.word))
      operands.push_back(index);
  size_t which = operands[random.below(operands.size())];
  Id type = context.definitions().typeOf(context.at(*place)->word(which));
  std::vector<Id> values = context.valuesAt(*place, type);
  for (const Instruction &global : context.program().globals)
    if (global.type == type && global.result)
      values.push_back(global.result);
  if (values.empty())
    return false;
  edit(context, *place).operands[which].word = values[random.below(values.size())];
  return true;
}

/// A number of any instruction: of a constant, a type, a decoration, a mode, an index, a mask.
static bool changeNumber(Context &context, Random &random) {
  std::vector<std::pair<Instruction *, size_t>> numbers;
  forEachInstruction(context.edit().program, [&](Instruction &each) {
    bool isText = each.opcode == spv::Op::OpName || each.opcode == spv::Op::OpMemberName ||
                  each.opcode == spv::Op::OpExtInstImport || each.opcode == spv::Op::OpSource ||
                  each.opcode == spv::Op::OpString || each.opcode == spv::Op::OpEntryPoint;
    for (auto [index, operand] : enumerate(each.operands))
      if (!operand.isId && !isText)
        numbers.emplace_back(&each, index);
  });
  if (numbers.empty())
    return false;
  auto [instruction, index] = numbers[random.below(numbers.size())];
  uint32_t &word = instruction->operands[index].word;
  word = static_cast<uint32_t>(random.oneIn(2) ? random.below(9) : random.number(word, 64));
  return true;
}

/// An opcode of the neighbourhood; of an extended instruction its number.
static bool changeOpcode(Context &context, Random &random) {
  constexpr uint64_t Reach = 8;
  std::optional<Place> place = pickBody(context, random, [](const Instruction &each) {
    return each.result && each.opcode != spv::Op::OpPhi && each.opcode != spv::Op::OpVariable;
  });
  if (!place)
    return false;
  Instruction &instruction = edit(context, *place);
  auto move = [&](uint32_t number) {
    return static_cast<uint32_t>(number + random.below(2 * Reach + 1) - Reach);
  };
  if (instruction.opcode == spv::Op::OpExtInst)
    instruction.operands[1].word = move(instruction.word(1));
  else
    instruction.opcode = static_cast<spv::Op>(move(static_cast<uint32_t>(instruction.opcode)));
  return true;
}

/// Where one value of its type is used after \p place, \p value is, so that it is not dead.
static void useSomewhere(Context &context, Id value, Place place, Random &random) {
  Id type = context.definitions().typeOf(value);
  std::vector<Use> uses;
  const Block &block = context.block(place);
  for (size_t index = place.index + 1; index < block.body.size(); ++index)
    for (auto [which, operand] : enumerate(block.body[index].operands))
      if (operand.isId && context.definitions().typeOf(operand.word) == type)
        uses.push_back({{place.function, place.block, index}, static_cast<unsigned>(which)});
  if (uses.empty())
    return;
  const Use &use = uses[random.below(uses.size())];
  edit(context, use.place).operands[use.operand].word = value;
}

/// Some instructions of \p from in a row, each used by what follows.
static bool importInstructions(Context &context, const Program &from, Random &random) {
  std::vector<const Instruction *> donors;
  for (const Function &function : from.functions)
    for (const Block &block : function.blocks)
      for (const Instruction &each : block.body)
        donors.push_back(&each);
  std::optional<Place> place = pickInsertion(context, random);
  if (donors.empty() || !place)
    return false;
  size_t first = random.below(donors.size());
  size_t end = std::min<size_t>(first + random.between(1, 6), donors.size());
  std::vector<Instruction> chosen; // A copy: the donor may be the host.
  for (size_t i = first; i < end; ++i)
    chosen.push_back(*donors[i]);
  ModuleImport import(context, from, random);
  bool isDone = false;
  for (const Instruction &each : chosen) {
    std::optional<Id> result = import.put(each, *place);
    if (result && *result)
      useSomewhere(context, *result, *place, random);
    place->index += result.has_value();
    isDone |= result.has_value();
  }
  return isDone;
}

/// Copies some instructions of the module to another place in it.
static bool copyInstructions(Context &context, Random &random) {
  const Program from = context.program();
  return importInstructions(context, from, random);
}

/// Leaves out an instruction; its uses become those of another value, or of OpUndef.
static bool removeInstruction(Context &context, Random &random) {
  std::optional<Place> place = pickBody(context, random, [](const Instruction &each) {
    return !isTerminator(each.opcode) && !isMerge(each.opcode) &&
           each.opcode != spv::Op::OpVariable;
  });
  if (!place)
    return false;
  Instruction removed = *context.at(*place);
  std::vector<Id> values = context.valuesAt(*place, removed.type);
  Program &program = context.edit().program;
  Id other = 0;
  if (removed.result && values.empty()) {
    other = program.fresh();
    program.globals.push_back({spv::Op::OpUndef, removed.type, other, {}});
  } else if (removed.result) {
    other = values[random.below(values.size())];
  }
  std::vector<Instruction> &body = program.functions[place->function].blocks[place->block].body;
  body.erase(body.begin() + static_cast<ptrdiff_t>(place->index));
  if (removed.result)
    forEachId(program, [&](Id &each) { each = each == removed.result ? other : each; });
  return true;
}

/// Exchanges two instructions of one block, regardless of dependences: the result is often invalid.
static bool swapInstructions(Context &context, Random &random) {
  std::optional<Place> place = pickInsertion(context, random);
  if (!place)
    return false;
  std::vector<Instruction> &body =
      context.edit().program.functions[place->function].blocks[place->block].body;
  const Block &block = context.block(*place);
  size_t other = random.between(firstInsertion(block), lastInsertion(block));
  if (place->index >= body.size() - 1 || other >= body.size() - 1)
    return false;
  std::swap(body[place->index], body[other]);
  return true;
}

/// Turns a condition round, or sends one way where the other goes.
static bool changeBranch(Context &context, Random &random) {
  std::optional<Place> place = pickBody(context, random, [](const Instruction &each) {
    return each.opcode == spv::Op::OpBranchConditional;
  });
  if (!place)
    return false;
  Instruction &branch = edit(context, *place);
  if (random.oneIn(2))
    std::swap(branch.operands[1], branch.operands[2]);
  else
    branch.operands[1] = branch.operands[2];
  return true;
}

/// Adds a random capability that the module does not declare.
static bool addCapability(Context &context, Random &random) {
  std::vector<uint32_t> numbers;
  for (const spirv::CapabilityRow &row : spirv::capabilityTable())
    if (row.kind == spirv::CapabilityKind::Capability)
      numbers.push_back(row.number);
  Instruction capability{spv::Op::OpCapability, 0, 0, {literal(random.pick<uint32_t>(numbers))}};
  std::vector<Instruction> &all = context.edit().program.capabilities;
  if (is_contained(all, capability))
    return false;
  all.push_back(capability);
  return true;
}

/// A step that does not change what the module means, for shapes that the others don't make. The
/// transformations are for valid modules only.
static bool transform(Context &context, Random &random) {
  if (Error error = spirv::validate(encode(context.program()))) {
    consumeError(std::move(error));
    return false;
  }
  Expected<TransformedCase> result = transformCase(context.generated(), random.next(), 1);
  if (!result) {
    consumeError(result.takeError());
    return false;
  }
  context.edit() = std::move(result->result);
  return true;
}

/// The words of \p program, with \p choice in the place of the tool.
static std::vector<uint32_t> encodeFor(const Program &program, uint32_t choice) {
  std::vector<uint32_t> words = encode(program);
  words[ToolWord] = choice;
  return words;
}

/// Returns the module, or nothing where it cannot be decoded.
static std::optional<Program> tryDecode(ArrayRef<uint32_t> words) {
  Expected<Program> program = decode(words);
  if (program)
    return std::move(*program);
  consumeError(program.takeError());
  return std::nullopt;
}

/// Wraps a program without buffers or other parts of a case.
static Context makeContext(Program program) {
  GeneratedCase host;
  host.program = std::move(program);
  return Context(std::move(host));
}

/// Three mutations in one call of four, else one, each tried up to four times. One call in eight
/// changes the word of the tool at most.
std::vector<uint32_t> mutateModule(ArrayRef<uint32_t> words, uint64_t seed) {
  // One as often as it stands here.
  static constexpr Mutation Mutations[] = {
      changeOperand,    changeOperand,    changeOperand,     changeNumber,     changeNumber,
      changeNumber,     changeOpcode,     changeOpcode,      changeOpcode,     copyInstructions,
      copyInstructions, copyInstructions, removeInstruction, swapInstructions, changeBranch,
      addCapability,    transform};
  Random random(seed);
  std::optional<Program> program = tryDecode(words);
  if (!program)
    return words.vec();
  uint32_t choice = words[ToolWord];
  if (random.oneIn(4))
    choice = static_cast<uint32_t>(random.next());
  if (words.size() > MostWords || random.oneIn(8))
    return encodeFor(*program, choice);
  Context context = makeContext(std::move(*program));
  for (size_t count = random.oneIn(4) ? 3 : 1; count > 0; --count) {
    for (unsigned tries = 0; tries < 4; ++tries)
      if (random.pick<Mutation>(Mutations)(context, random))
        break;
    context.refresh();
  }
  return encodeFor(context.program(), choice);
}

/// Imports instructions one to four times.
std::vector<uint32_t> mixModules(ArrayRef<uint32_t> into, ArrayRef<uint32_t> from, uint64_t seed) {
  Random random(seed);
  std::optional<Program> host = tryDecode(into), donor = tryDecode(from);
  if (!host || !donor || into.size() > MostWords)
    return into.vec();
  Context context = makeContext(std::move(*host));
  for (size_t count = 1 + random.below(4); count > 0; --count) {
    importInstructions(context, *donor, random);
    context.refresh();
  }
  return encodeFor(context.program(), into[ToolWord]);
}

} // namespace assay::fuzz
