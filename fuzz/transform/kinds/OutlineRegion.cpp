// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// outline-region: a region becomes a function of its own, which is called in its place.
// Precondition: a region (Region.h) whose escaping values are no pointers, and which uses no
// pointers from outside but variables and parameters. Effect: none: what the region uses is passed,
// what others use of it is returned. Numbers: the region's ends (4).
#include "fuzz/transform/Cloning.h"
#include "fuzz/transform/Region.h"
#include "fuzz/transform/Transformations.h"

using namespace llvm;

namespace assay::fuzz {

/// Values of the function that the region uses and does not make, in the order of their first use.
static std::vector<Id> inputsOf(const Context &context, const Region &region) {
  std::vector<Id> inputs;
  const Function &function = context.program().functions[region.begin.function];
  auto isLocal = [&](Id value) {
    const Place *place = context.definitions().place(value);
    if (place)
      return !region.contains(*place);
    return any_of(function.parameters,
                  [&](const Instruction &each) { return each.result == value; });
  };
  for (size_t block : region.blocks.set_bits())
    for (auto [index, each] : enumerate(function.blocks[block].body))
      if (region.contains({region.begin.function, block, index}))
        for (const Operand &operand : each.operands)
          if (operand.isId && isLocal(operand.word) && !is_contained(inputs, operand.word))
            inputs.push_back(operand.word);
  return inputs;
}

/// Data; and of pointers, without variable pointers, those of variables and parameters (SPIR-V,
/// "Universal Validation Rules").
static bool canPass(const Context &context, Id value) {
  const Instruction *type = context.definitions().typeInstruction(value);
  if (type->opcode != spv::Op::OpTypePointer)
    return mayBePhi(context, value);
  spv::Op opcode = context.definitions().find(value)->opcode;
  return (opcode == spv::Op::OpVariable || opcode == spv::Op::OpFunctionParameter) &&
         isPlainData(context, type->word(1));
}

/// Draws the ends only; isApplicable() decides whether they bound a region.
std::optional<Step> OutlineRegion::propose(const Context &context, Random &random) {
  std::optional<std::vector<uint64_t>> ends = pickRegion(context, random);
  if (!ends)
    return std::nullopt;
  Step step;
  step.numbers = std::move(*ends);
  return step;
}

/// Inputs become parameters. SPIR-V permits 255.
bool OutlineRegion::isApplicable(const Context &context, const Step &step) {
  constexpr size_t MostParameters = 255; // SPIR-V, "Universal Limits".
  std::optional<Region> region = regionIn(context, step, 0);
  if (!region || !canEscapeByPhi(context, *region))
    return false;
  std::vector<Id> inputs = inputsOf(context, *region);
  return inputs.size() <= MostParameters &&
         all_of(inputs, [&](Id each) { return canPass(context, each); });
}

namespace {
/// The types of a function that takes and returns these values.
struct Signature {
  Id result = 0; ///< Void, the type of the output, or a structure.
  std::vector<Id> parameters;
};
} // namespace

/// Several outputs are returned as a new structure, none as void.
static Signature makeSignature(const Definitions &definitions, Emitter &emitter,
                               ArrayRef<Id> inputs, ArrayRef<Id> outputs) {
  Signature signature;
  for (Id input : inputs)
    signature.parameters.push_back(definitions.typeOf(input));
  SmallVector<Id, 4> types;
  for (Id output : outputs)
    types.push_back(definitions.typeOf(output));
  signature.result = types.empty()       ? emitter.pool().voidType()
                     : types.size() == 1 ? types.front()
                                         : emitter.pool().structType(types);
  return signature;
}

/// Takes the blocks of \p cut out of its function.
static std::vector<Block> takeBlocks(Function &function, const IsolatedRegion &cut) {
  Flow flow(function);
  BitVector inside =
      blocksBetween(flow, function.blocks.size(), flow.index(cut.first), flow.index(cut.last));
  std::vector<Block> taken, left;
  for (auto [index, block] : enumerate(function.blocks))
    (inside[index] ? taken : left).push_back(std::move(block));
  function.blocks = std::move(left);
  return taken;
}

/// How the new function ends: with all \p outputs.
static void writeReturn(Emitter &emitter, Block &last, Id result, ArrayRef<Id> outputs) {
  last.body.pop_back();
  SmallVector<Operand, 4> parts;
  for (Id output : outputs)
    parts.push_back(id(output));
  if (outputs.empty())
    emitter.emitVoid(spv::Op::OpReturn, {});
  else if (outputs.size() == 1)
    emitter.emitVoid(spv::Op::OpReturnValue, parts);
  else
    emitter.emitVoid(spv::Op::OpReturnValue,
                     {id(emitter.emit(spv::Op::OpCompositeConstruct, result, parts))});
  emitter.insertInto(last, last.body.size());
}

/// Broken: what is returned is 0.
void OutlineRegion::apply(Context &context, const Step &step) {
  Region region = *regionIn(context, step, 0);
  std::vector<Id> inputs = inputsOf(context, region), outputs = escapingValues(context, region);
  Emitter emitter(context);
  Program &program = context.edit().program;
  Signature signature = makeSignature(context.definitions(), emitter, inputs, outputs);
  std::vector<std::pair<Id, Id>> results; // Type and new name of each output.
  for (Id output : outputs) {
    results.push_back({context.definitions().typeOf(output), emitter.fresh()});
    for (const Use &use : context.usesOf(output))
      if (!region.contains(use.place))
        replaceUse(program, use, results.back().second);
  }
  IsolatedRegion cut = isolate(context, region);
  Function outlined;
  outlined.definition = {
      spv::Op::OpFunction,
      signature.result,
      emitter.fresh(),
      {literal(0), id(emitter.pool().functionType(signature.result, signature.parameters))}};
  Cloner names(program);
  SmallVector<Operand, 4> arguments{id(outlined.result())};
  for (auto [input, type] : zip_equal(inputs, signature.parameters)) {
    outlined.parameters.push_back({spv::Op::OpFunctionParameter, type, names.renew(input), {}});
    arguments.push_back(id(input));
  }
  Function &function = program.functions[cut.function];
  for (const Block &block : takeBlocks(function, cut))
    outlined.blocks.push_back(names.clone(block));
  std::vector<Id> returned = outputs;
  if (context.isBroken())
    for (auto [value, result] : zip_equal(returned, results))
      value = emitter.pool().constantNull(result.first);
  writeReturn(emitter, *outlined.find(cut.last), signature.result, returned);
  // The call, and what comes of it.
  Id call = outputs.size() == 1 ? results.front().second : emitter.fresh();
  Block &before = *function.find(cut.before);
  before.body.back() = {spv::Op::OpFunctionCall, signature.result, call, std::move(arguments)};
  if (outputs.size() > 1)
    for (auto [index, result] : enumerate(results))
      before.body.push_back({spv::Op::OpCompositeExtract,
                             result.first,
                             result.second,
                             {id(call), literal(static_cast<uint32_t>(index))}});
  before.body.push_back({spv::Op::OpBranch, 0, 0, {id(cut.after)}});
  program.functions.insert(program.functions.begin() + static_cast<ptrdiff_t>(cut.function),
                           std::move(outlined));
}

} // namespace assay::fuzz
