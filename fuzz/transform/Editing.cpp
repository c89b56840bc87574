// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fuzz/transform/Editing.h"

#include "fuzz/transform/Cloning.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace assay::fuzz {

Id Emitter::emit(spv::Op opcode, Id type, ArrayRef<Operand> operands) {
  Id result = fresh();
  emitAs(result, opcode, type, operands);
  return result;
}

void Emitter::emitAs(Id result, spv::Op opcode, Id type, ArrayRef<Operand> operands) {
  m_instructions.push_back({opcode, type, result, SmallVector<Operand, 4>(operands)});
}

void Emitter::emitVoid(spv::Op opcode, ArrayRef<Operand> operands) {
  m_instructions.push_back({opcode, 0, 0, SmallVector<Operand, 4>(operands)});
}

Id Emitter::variable(Function &function, spv::StorageClass storage, Id type) {
  Id pointer = m_pool.pointerType(storage, type);
  if (storage != spv::StorageClass::Function)
    return m_pool.variable(pointer, storage);
  Instruction variable{
      spv::Op::OpVariable, pointer, fresh(), {literal(static_cast<uint32_t>(storage))}};
  Id result = variable.result;
  std::vector<Instruction> &entry = function.blocks.front().body;
  entry.insert(entry.begin(), std::move(variable));
  return result;
}

Id Emitter::undefined(Id type) {
  Id result = fresh();
  m_program.globals.push_back({spv::Op::OpUndef, type, result, {}});
  return result;
}

/// The emitter is then empty and can be used again.
void Emitter::insertInto(Block &block, size_t index) {
  block.body.insert(block.body.begin() + static_cast<ptrdiff_t>(index),
                    std::make_move_iterator(m_instructions.begin()),
                    std::make_move_iterator(m_instructions.end()));
  m_instructions.clear();
}

/// Nothing where the chosen block has no such place; callers draw again.
std::optional<Place> pickInsertion(const Context &context, Random &random) {
  std::vector<Place> blocks;
  for (auto [function, body] : enumerate(context.program().functions))
    for (size_t block : context.flow(function).order())
      blocks.push_back({function, block, 0});
  Place place = random.pick(ArrayRef(blocks));
  const Block &block = context.block(place);
  size_t first = firstInsertion(block), last = lastInsertion(block);
  if (first > last)
    return std::nullopt;
  place.index = random.between(first, last);
  return place;
}

/// Each accepted instruction is equally likely; the search visits the whole program.
std::optional<Place> pickInstruction(const Context &context, Random &random,
                                     function_ref<bool(Place, const Instruction &)> accept) {
  std::vector<Place> places;
  for (auto [function, body] : enumerate(context.program().functions))
    for (size_t block : context.flow(function).order())
      for (auto [index, each] : enumerate(body.blocks[block].body))
        if (Place place{function, block, index}; accept(place, each))
          places.push_back(place);
  if (places.empty())
    return std::nullopt;
  return random.pick(ArrayRef(places));
}

/// True if a decoration of that opcode names the type.
static bool hasDecoration(const Context &context, Id type, spv::Op opcode) {
  return any_of(context.program().decorations, [&](const Instruction &each) {
    return each.opcode == opcode && each.word(0) == type;
  });
}

/// Without these capabilities numbers of the width may only be loaded, stored and converted.
static bool isFullNumber(const Program &program, const Instruction &type) {
  struct WidthRow {
    spv::Op type;
    uint32_t width;
    spv::Capability capability;
  };
  static constexpr WidthRow rows[] = {{spv::Op::OpTypeInt, 8, spv::Capability::Int8},
                                      {spv::Op::OpTypeInt, 16, spv::Capability::Int16},
                                      {spv::Op::OpTypeFloat, 16, spv::Capability::Float16}};
  return none_of(rows, [&](const WidthRow &row) {
    return row.type == type.opcode && row.width == type.word(0) &&
           none_of(program.capabilities, [&](const Instruction &each) {
             return each.word(0) == uint32_t(row.capability);
           });
  });
}

/// Whether \p type is made of full numbers and bools alone.
static bool isData(const Context &context, Id type, bool mayHaveLayout) {
  const Instruction *definition = context.definitions().find(type);
  if (!definition)
    return false;
  bool hasLayout = hasDecoration(context, type, spv::Op::OpDecorate) ||
                   hasDecoration(context, type, spv::Op::OpMemberDecorate);
  switch (definition->opcode) {
  case spv::Op::OpTypeBool:
    return true;
  case spv::Op::OpTypeInt:
  case spv::Op::OpTypeFloat:
    return isFullNumber(context.program(), *definition);
  case spv::Op::OpTypeVector:
  case spv::Op::OpTypeMatrix:
    return isData(context, definition->word(0), mayHaveLayout);
  case spv::Op::OpTypeArray:
    return (mayHaveLayout || !hasLayout) && isData(context, definition->word(0), mayHaveLayout);
  case spv::Op::OpTypeStruct:
    return (mayHaveLayout || !hasLayout) &&
           all_of(definition->operands, [&](const Operand &member) {
             return isData(context, member.word, mayHaveLayout);
           });
  default:
    return false;
  }
}

bool isPlainData(const Context &context, Id type) {
  return isData(context, type, /*mayHaveLayout=*/false);
}

bool mayBePhi(const Context &context, Id value) {
  return !context.isOnlyStored(value) &&
         isData(context, context.definitions().typeOf(value), /*mayHaveLayout=*/true);
}

bool isPure(const Instruction &instruction) {
  static constexpr std::pair<spv::Op, spv::Op> pure[] = {
      {spv::Op::OpVectorExtractDynamic, spv::Op::OpTranspose},
      {spv::Op::OpConvertFToU, spv::Op::OpFConvert},
      {spv::Op::OpBitcast, spv::Op::OpBitcast},
      {spv::Op::OpSNegate, spv::Op::OpSMulExtended},
      {spv::Op::OpAny, spv::Op::OpBitCount}};
  return instruction.result && any_of(pure, [&](auto range) {
           return instruction.opcode >= range.first && instruction.opcode <= range.second;
         });
}

/// SPIR-V wants OpSampledImage in the block of its users.
static bool partsSampledImage(const Block &block, size_t index) {
  for (const Instruction &each : ArrayRef(block.body).take_front(index))
    if (each.opcode == spv::Op::OpSampledImage &&
        any_of(ArrayRef(block.body).drop_front(index), [&](const Instruction &user) {
          return is_contained(user.operands, id(each.result));
        }))
      return true;
  return false;
}

bool isSplittable(const Context &context, Place place) {
  const Block &block = context.block(place);
  const Instruction *merge = block.merge();
  return isInsertion(context, place) && (!merge || merge->opcode != spv::Op::OpLoopMerge) &&
         !partsSampledImage(block, place.index);
}

size_t indexOf(const Function &function, Id label) {
  return static_cast<size_t>(function.find(label) - function.blocks.data());
}

void insertBefore(Function &function, Id label, std::vector<Block> blocks) {
  function.blocks.insert(function.blocks.begin() + static_cast<ptrdiff_t>(indexOf(function, label)),
                         std::make_move_iterator(blocks.begin()),
                         std::make_move_iterator(blocks.end()));
}

void renamePhiSources(Block &block, Id from, Id to) {
  for (Instruction &each : block.body)
    if (each.opcode == spv::Op::OpPhi)
      for (size_t source = 1; source < each.operands.size(); source += 2)
        if (each.operands[source].word == from)
          each.operands[source].word = to;
}

/// The same in all successors of block \p block.
static void renamePhiSourcesAfter(Function &function, const Block &block, Id from, Id to) {
  for (Id label : block.successors())
    if (Block *successor = function.find(label))
      renamePhiSources(*successor, from, to);
}

/// Phis of the following blocks are renamed; phis of the block itself must stay in its first part.
void splitBlock(Function &function, size_t block, size_t index, Id label) {
  auto at = static_cast<ptrdiff_t>(index);
  std::vector<Instruction> &body = function.blocks[block].body;
  Block rest{label,
             {std::make_move_iterator(body.begin() + at), std::make_move_iterator(body.end())}};
  body.resize(index);
  body.push_back({spv::Op::OpBranch, 0, 0, {id(label)}});
  renamePhiSourcesAfter(function, rest, function.blocks[block].label, label);
  function.blocks.insert(function.blocks.begin() + static_cast<ptrdiff_t>(block) + 1,
                         std::move(rest));
}

namespace {
/// Opcodes from first to last whose operands from \p from on (and up to \p to, not included) are
/// values like any other.
struct ValueOperandRow {
  spv::Op first, last;
  unsigned from;
  unsigned to = ~0u;
};
} // namespace

/// Operands that are not listed must stay as they are: pointers, and what SPIR-V demands to be
/// constant or uniform.
static constexpr ValueOperandRow valueOperandRows[] = {
    {spv::Op::OpStore, spv::Op::OpStore, 1, 2},
    {spv::Op::OpFunctionCall, spv::Op::OpFunctionCall, 1},
    {spv::Op::OpExtInst, spv::Op::OpExtInst, 2},
    {spv::Op::OpVectorExtractDynamic, spv::Op::OpVectorExtractDynamic, 0, 1},
    {spv::Op::OpVectorInsertDynamic, spv::Op::OpVectorInsertDynamic, 0, 2},
    {spv::Op::OpVectorShuffle, spv::Op::OpVectorShuffle, 0, 2},
    {spv::Op::OpCompositeConstruct, spv::Op::OpCompositeConstruct, 0},
    {spv::Op::OpCompositeExtract, spv::Op::OpCompositeExtract, 0, 1},
    {spv::Op::OpCompositeInsert, spv::Op::OpCompositeInsert, 0, 2},
    {spv::Op::OpCopyObject, spv::Op::OpTranspose, 0},
    {spv::Op::OpConvertFToU, spv::Op::OpFConvert, 0},
    {spv::Op::OpBitcast, spv::Op::OpDot, 0},
    {spv::Op::OpIAddCarry, spv::Op::OpSMulExtended, 0},
    {spv::Op::OpAny, spv::Op::OpBitCount, 0},
    {spv::Op::OpPhi, spv::Op::OpPhi, 0},
    {spv::Op::OpBranchConditional, spv::Op::OpSwitch, 0, 1},
    {spv::Op::OpReturnValue, spv::Op::OpReturnValue, 0},
    {spv::Op::OpGroupNonUniformIAdd, spv::Op::OpGroupNonUniformLogicalXor, 2, 3},
};

bool isReplaceable(const Context &context, const Use &use) {
  const Instruction &instruction = *context.at(use.place);
  if (instruction.opcode == spv::Op::OpPhi && use.operand % 2)
    return false;
  if (!mayBePhi(context, instruction.word(use.operand)))
    return false;
  return any_of(valueOperandRows, [&](const ValueOperandRow &row) {
    return instruction.opcode >= row.first && instruction.opcode <= row.last &&
           use.operand >= row.from && use.operand < row.to;
  });
}

/// The step may come from a file: anchor, operand and instruction are checked.
std::optional<Use> useIn(const Context &context, const Step &step, size_t index) {
  std::optional<Place> place = context.locate(anchorIn(step, index));
  if (!place || !context.isReachable(*place))
    return std::nullopt;
  Use use{*place, static_cast<unsigned>(step.number(index + 2))};
  const Instruction &user = *context.at(*place);
  if (use.operand >= user.operands.size() || !user.operands[use.operand].isId ||
      !isReplaceable(context, use))
    return std::nullopt;
  return use;
}

std::optional<Use> pickUse(const Context &context, Random &random,
                           function_ref<bool(const Use &)> accept) {
  std::vector<Use> uses;
  for (auto [function, body] : enumerate(context.program().functions))
    for (size_t block : context.flow(function).order())
      for (auto [index, each] : enumerate(body.blocks[block].body))
        for (unsigned i = 0; i < each.operands.size(); ++i) {
          Use use{{function, block, index}, i};
          if (each.operands[i].isId && isReplaceable(context, use) && accept(use))
            uses.push_back(use);
        }
  if (uses.empty())
    return std::nullopt;
  return random.pick(ArrayRef(uses));
}

std::vector<Use> replaceableUsesAfter(const Context &context, Id value, Place place) {
  const Flow &flow = context.flow(place.function);
  std::vector<Use> uses;
  for (const Use &use : context.usesOf(value)) {
    Place at = context.placeOf(use);
    bool isAfter =
        at.function == place.function && flow.isReachable(at.block) &&
        (at.block == place.block ? at.index >= place.index : flow.dominates(place.block, at.block));
    // A phi of the same block is before the place, though its sources may be after it.
    if (isAfter && isReplaceable(context, use))
      uses.push_back(use);
  }
  return uses;
}

/// No type is checked.
void replaceUse(Program &program, const Use &use, Id to) {
  program.functions[use.place.function]
      .blocks[use.place.block]
      .body[use.place.index]
      .operands[use.operand]
      .word = to;
}

/// The use of a phi is computed at the end of its predecessor.
void substitute(Context &context, const Use &use, Id to, Emitter &emitter) {
  Place place = context.placeOf(use);
  Program &program = context.edit().program;
  replaceUse(program, use, to);
  // In front of the merge instruction, which belongs to the terminator.
  Block &block = program.functions[place.function].blocks[place.block];
  emitter.insertInto(block, std::min(place.index, lastInsertion(block)));
}

/// Makes both results synonyms. Each replaceable use is changed with a probability of one half.
void duplicateAfter(Context &context, Id result, uint64_t seed) {
  Place place = *context.definitions().place(result);
  Program &program = context.edit().program;
  Cloner cloner(program);
  Id to = cloner.renew(result);
  Instruction copy = cloner.clone(*context.at(place));
  Random random(seed);
  std::vector<Use> uses;
  for (const Use &use : context.usesOf(result))
    if (isReplaceable(context, use) && random.oneIn(2))
      uses.push_back(use);
  context.addSynonyms(result, to);
  if (context.isBroken() && !uses.empty())
    to = Pool(program).constantNull(copy.type);
  for (const Use &use : uses)
    replaceUse(program, use, to);
  cloner.cloneDecorations();
  std::vector<Instruction> &body = program.functions[place.function].blocks[place.block].body;
  body.insert(body.begin() + static_cast<ptrdiff_t>(place.index) + 1, std::move(copy));
}

const Instruction *scalarOf(const Context &context, Id type) {
  const Instruction *found = context.definitions().find(type);
  if (found && found->opcode == spv::Op::OpTypeVector)
    found = context.definitions().find(found->word(0));
  bool isScalar =
      found && (found->opcode == spv::Op::OpTypeBool || found->opcode == spv::Op::OpTypeInt ||
                found->opcode == spv::Op::OpTypeFloat);
  return isScalar ? found : nullptr;
}

Id constantSplat(Pool &pool, Id type, uint64_t bits) {
  const Instruction definition = pool.definition(type);
  if (definition.opcode == spv::Op::OpTypeVector) {
    Id component = constantSplat(pool, definition.word(0), bits);
    return pool.constantComposite(type, SmallVector<Id, 4>(definition.word(1), component));
  }
  return definition.opcode == spv::Op::OpTypeBool ? pool.constantBool(bits)
                                                  : pool.constant(type, bits);
}

void loseLastStore(Function &function) {
  for (Block &block : reverse(function.blocks)) {
    auto store = find_if(reverse(block.body),
                         [](const Instruction &each) { return each.opcode == spv::Op::OpStore; });
    if (store == block.body.rend())
      continue;
    block.body.erase(std::next(store).base());
    return;
  }
}

/// Exchanges the targets of all conditional branches that lead to dead blocks around the place.
void reviveDeadCode(Context &context, Place place) {
  const Flow &flow = context.flow(place.function);
  Function &function = context.edit().program.functions[place.function];
  for (Id label : context.deadBlocks()) {
    std::optional<Place> dead = context.findBlock(label);
    if (!dead || dead->function != place.function || !flow.dominates(dead->block, place.block))
      continue;
    for (size_t source : flow.predecessors(dead->block)) {
      Instruction &branch = function.blocks[source].terminator();
      if (branch.opcode == spv::Op::OpBranchConditional)
        std::swap(branch.operands[1], branch.operands[2]);
    }
  }
}

bool isScalarConstant(const Context &context, Id id) {
  const Instruction *definition = context.definitions().find(id);
  return definition && definition->opcode == spv::Op::OpConstant;
}

} // namespace assay::fuzz
