// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fuzz/pair/PairMutations.h"

#include "fuzz/mutate/SpirvMutation.h"
#include "fuzz/pair/ChangeProgram.h"
#include "fuzz/pair/InterfaceMutations.h"
#include "fuzz/pair/StateMutations.h"
#include "fuzz/program/Program.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <numeric>

using namespace llvm;
using namespace assay;
using fuzz::Program;

bool assay::changeProgram(ShaderDescription &shader, function_ref<bool(Program &)> change) {
  Expected<Program> program = fuzz::decode(shader.spirv);
  if (!program) {
    consumeError(program.takeError()); // Nothing that can be changed.
    return false;
  }
  if (!change(*program))
    return false;
  shader.spirv = fuzz::encode(*program);
  return true;
}

/// Both modules are replaced or none is.
bool assay::changeStages(PipelineDescription &pipeline,
                         function_ref<bool(Program &vertex, Program &fragment)> change) {
  ShaderDescription *vertex = pipeline.find(ShaderStage::Vertex);
  ShaderDescription *fragment = pipeline.find(ShaderStage::Fragment);
  if (!vertex || !fragment)
    return false;
  return changeProgram(*vertex, [&](Program &first) {
    return changeProgram(*fragment, [&](Program &second) { return change(first, second); });
  });
}

/// The shader of one of the stages.
static ShaderDescription &pickShader(PairInput &input, Random &random) {
  return input.pipeline.stages[random.below(input.pipeline.stages.size())];
}

/// Changes the module of one of the pipeline's stages, which is chosen at random; false without
/// stages.
static bool changeProgram(PairInput &input, Random &random, function_ref<bool(Program &)> change) {
  return !input.pipeline.stages.empty() && changeProgram(pickShader(input, random), change);
}

/// Fisher-Yates. std::shuffle differs between standard libraries.
template <typename T> static void shuffle(MutableArrayRef<T> items, Random &random) {
  for (size_t i = items.size(); i > 1; --i)
    std::swap(items[i - 1], items[random.below(i)]);
}

/// Returns an instruction without result and type.
static fuzz::Instruction makeInstruction(spv::Op opcode, ArrayRef<fuzz::Operand> operands) {
  fuzz::Instruction instruction;
  instruction.opcode = opcode;
  instruction.operands.append(operands.begin(), operands.end());
  return instruction;
}

/// Returns OpString with result \p target, or OpName and the like for \p target.
static fuzz::Instruction makeText(spv::Op opcode, fuzz::Id target, StringRef text) {
  fuzz::Instruction instruction = makeInstruction(opcode, {});
  if (opcode == spv::Op::OpString)
    instruction.result = target;
  else
    instruction.operands.push_back(fuzz::id(target));
  append_range(instruction.operands, fuzz::makeString(text));
  return instruction;
}

// --- Neutral

/// Replaces all debug names of functions and variables by random ones, or removes them.
static bool applyNames(PairInput &input, Random &random) {
  return changeProgram(input, random, [&](Program &program) {
    erase_if(program.names, [](const fuzz::Instruction &each) {
      return each.opcode == spv::Op::OpName || each.opcode == spv::Op::OpMemberName;
    });
    if (random.oneIn(3))
      return true;
    auto addName = [&](fuzz::Id id) {
      program.names.push_back(
          makeText(spv::Op::OpName, id, "name" + std::to_string(random.below(1000))));
    };
    for (const fuzz::Function &function : program.functions)
      addName(function.result());
    for (const fuzz::Instruction &global : program.globals)
      if (global.opcode == spv::Op::OpVariable)
        addName(global.result);
    return true;
  });
}

/// Adds an OpString and an OpLine to each function.
static bool applySources(PairInput &input, Random &random) {
  return changeProgram(input, random, [&](Program &program) {
    fuzz::Id file = program.fresh();
    auto place = find_if(program.names, [](const fuzz::Instruction &each) {
      return each.opcode == spv::Op::OpName || each.opcode == spv::Op::OpMemberName;
    });
    program.names.insert(place, makeText(spv::Op::OpString, file, "other.comp"));
    for (fuzz::Function &function : program.functions) {
      if (function.blocks.empty())
        continue;
      fuzz::Block &block = function.blocks[random.below(function.blocks.size())];
      auto line = static_cast<uint32_t>(random.between(1, 99));
      block.body.insert(block.body.begin() + static_cast<ptrdiff_t>(block.firstOrdinary()),
                        makeInstruction(spv::Op::OpLine,
                                        {fuzz::id(file), fuzz::literal(line), fuzz::literal(1)}));
    }
    return true;
  });
}

/// Renumbers all ids by a random permutation within the bound.
static bool applyIds(PairInput &input, Random &random) {
  return changeProgram(input, random, [&](Program &program) {
    std::vector<fuzz::Id> numbers(program.bound);
    std::iota(numbers.begin(), numbers.end(), 0);
    shuffle(MutableArrayRef(numbers).drop_front(1), random);
    fuzz::forEachId(program, [&](fuzz::Id &id) { id = numbers[id]; });
    return true;
  });
}

/// Renames the entry point, in the module and in the pipeline description. False if the module has
/// no entry point of that name.
static bool applyEntryName(PairInput &input, Random &random) {
  ShaderDescription &shader = pickShader(input, random);
  std::string name = "entry" + std::to_string(random.below(1000));
  return changeProgram(shader, [&](Program &program) {
    for (fuzz::Instruction &entry : program.entryPoints) {
      constexpr size_t nameIndex = 2; // After the execution model and the function.
      if (entry.string(nameIndex) != shader.entryPoint)
        continue;
      size_t words = shader.entryPoint.size() / 4 + 1;
      auto begin = entry.operands.begin() + nameIndex;
      entry.operands.erase(begin, begin + words);
      SmallVector<fuzz::Operand, 4> text = fuzz::makeString(name);
      entry.operands.insert(entry.operands.begin() + nameIndex, text.begin(), text.end());
      shader.entryPoint = name;
      return true;
    }
    return false;
  });
}

/// Returns the first type of this opcode, or 0.
static fuzz::Id findType(Program &program, spv::Op opcode) {
  for (const fuzz::Instruction &each : program.globals)
    if (each.opcode == opcode)
      return each.result;
  return 0;
}

/// Adds a function `void()` that is never called. False for a module without a void type.
static bool applyUnusedFunction(PairInput &input, Random &random) {
  return changeProgram(input, random, [&](Program &program) {
    fuzz::Id nothing = findType(program, spv::Op::OpTypeVoid);
    fuzz::Id type = program.fresh();
    // A second function type of the same form would be invalid.
    for (const fuzz::Instruction &each : program.globals)
      if (each.opcode == spv::Op::OpTypeFunction && each.operands.size() == 1 &&
          each.word(0) == nothing)
        type = each.result;
    fuzz::Function function;
    function.definition = makeInstruction(spv::Op::OpFunction, {fuzz::literal(0), fuzz::id(type)});
    function.definition.type = nothing;
    function.definition.result = program.fresh();
    fuzz::Block block;
    block.label = program.fresh();
    block.body.push_back(makeInstruction(spv::Op::OpReturn, {}));
    function.blocks.push_back(std::move(block));
    program.functions.push_back(std::move(function));
    return nothing != 0;
  });
}

/// Adds a Private integer variable that is never accessed.
static bool applyUnusedVariable(PairInput &input, Random &random) {
  return changeProgram(input, random, [&](Program &program) {
    fuzz::Id value = findType(program, spv::Op::OpTypeInt);
    if (!value)
      return false;
    auto storage = fuzz::literal(static_cast<uint32_t>(spv::StorageClass::Private));
    fuzz::Id type = 0;
    for (const fuzz::Instruction &each : program.globals)
      if (each.opcode == spv::Op::OpTypePointer && each.operands[0] == storage &&
          each.word(1) == value)
        type = each.result;
    if (!type) {
      fuzz::Instruction pointer =
          makeInstruction(spv::Op::OpTypePointer, {storage, fuzz::id(value)});
      pointer.result = type = program.fresh();
      program.globals.push_back(std::move(pointer));
    }
    fuzz::Instruction variable = makeInstruction(spv::Op::OpVariable, {storage});
    variable.type = type;
    variable.result = program.fresh();
    program.globals.push_back(std::move(variable));
    return true;
  });
}

/// Adds a random 32-bit constant that is never used.
static bool applyUnusedConstant(PairInput &input, Random &random) {
  return changeProgram(input, random, [&](Program &program) {
    for (const fuzz::Instruction &type : program.globals) {
      if (type.opcode != spv::Op::OpTypeInt || type.word(0) != 32)
        continue;
      fuzz::Instruction constant = makeInstruction(
          spv::Op::OpConstant, {fuzz::literal(static_cast<uint32_t>(random.next()))});
      constant.type = type.result;
      constant.result = program.fresh();
      program.globals.push_back(std::move(constant));
      return true;
    }
    return false;
  });
}

/// Adds a specialization value for an id that no module is expected to have.
static bool applyUnusedSpecialization(PairInput &input, Random &random) {
  std::vector<SpecializationValue> &values = pickShader(input, random).specialization;
  constexpr uint32_t unlikely = 0x7fff0000;
  values.push_back({static_cast<uint32_t>(unlikely + random.below(100)), random.next() & 0xff});
  return true;
}

/// Shuffles the decorations; false if there are groups or fewer than two.
static bool applyDecorations(PairInput &input, Random &random) {
  return changeProgram(input, random, [&](Program &program) {
    // Groups must follow the decorations that they collect.
    bool hasGroups = any_of(program.decorations, [](const fuzz::Instruction &each) {
      return each.opcode == spv::Op::OpDecorationGroup;
    });
    if (hasGroups || program.decorations.size() < 2)
      return false;
    shuffle(MutableArrayRef(program.decorations), random);
    return true;
  });
}

/// Switches between no robustness and Access; false for Access2, which changes code.
static bool applyWeakRobustness(PairInput &input, Random &) {
  Robustness &robustness = input.pipeline.robustness;
  if (robustness == Robustness::Access2)
    return false;
  robustness = robustness == Robustness::None ? Robustness::Access : Robustness::None;
  return true;
}

// --- State and options

/// Switches between Access2 and another level.
static bool applyRobustness(PairInput &input, Random &) {
  Robustness &robustness = input.pipeline.robustness;
  robustness = robustness == Robustness::Access2 ? Robustness::None : Robustness::Access2;
  return true;
}

/// Chooses another target; a wave size that it does not support is reset to the default.
static bool applyTarget(PairInput &input, Random &random) {
  std::vector<const TargetInfo *> others;
  for (const TargetInfo &target : getTargets())
    if (&target != input.options.target)
      others.push_back(&target);
  input.options.target = random.pick(ArrayRef<const TargetInfo *>(others));
  if (!input.options.target->supportsWave32)
    input.options.waveSize = 0;
  return true;
}

/// Switches between optimization levels 0 and 2.
static bool applyLevel(PairInput &input, Random &) {
  input.options.optLevel = input.options.optLevel == 0 ? 2 : 0;
  return true;
}

/// Switches between wave32 and wave64. False where the target has wave64 only, or a stage requires
/// a subgroup size.
static bool applyWaveSize(PairInput &input, Random &) {
  bool isRequired = any_of(input.pipeline.stages, [](const ShaderDescription &shader) {
    return shader.requiredSubgroupSize != 0;
  });
  if (!input.options.target->supportsWave32 || isRequired)
    return false;
  input.options.waveSize = input.options.getWaveSize() == 32 ? 64 : 32;
  return true;
}

/// Switches between Assay's and LLVM's lowering of buffer fat pointers.
static bool applyLowering(PairInput &input, Random &) {
  input.options.useLlvmLowering = !input.options.useLlvmLowering;
  return true;
}

/// Moves a descriptor and all following ones of its table by 4 dwords.
static bool applyLayoutOffset(PairInput &input, Random &random) {
  MutableArrayRef<DescriptorTable> tables(input.pipeline.layout.tables);
  if (tables.empty())
    return false;
  DescriptorTable &table = tables[random.below(tables.size())];
  if (table.nodes.empty())
    return false;
  size_t first = random.below(table.nodes.size());
  for (DescriptorNode &node : MutableArrayRef(table.nodes).drop_front(first))
    node.offsetInDwords += 4;
  table.sizeInDwords += 4;
  return true;
}

/// Makes the first combined image sampler of the layout a sampler.
static bool applyLayoutKind(PairInput &input, Random &) {
  for (DescriptorTable &table : input.pipeline.layout.tables)
    for (DescriptorNode &node : table.nodes)
      if (node.kind == DescriptorKind::CombinedImageSampler) {
        node.kind = DescriptorKind::Sampler;
        return true;
      }
  return false;
}

/// Lengthens the stride of the first descriptor array by 4 dwords; its table keeps its size.
static bool applyLayoutStride(PairInput &input, Random &) {
  for (DescriptorTable &table : input.pipeline.layout.tables)
    for (DescriptorNode &node : table.nodes)
      if (node.count != 1) {
        node.strideInDwords += 4;
        return true;
      }
  return false;
}

/// Exchanges the user-data entries of two adjacent tables.
static bool applyLayoutEntry(PairInput &input, Random &random) {
  std::vector<DescriptorTable> &tables = input.pipeline.layout.tables;
  if (tables.size() < 2)
    return false;
  size_t first = random.below(tables.size() - 1);
  std::swap(tables[first].userDataEntry, tables[first + 1].userDataEntry);
  return true;
}

/// Adds a table with one descriptor, for a set after all others.
static bool applyLayoutUnused(PairInput &input, Random &) {
  ResourceLayout &layout = input.pipeline.layout;
  DescriptorTable table;
  table.set = layout.tables.empty() ? 0 : layout.tables.back().set + 1;
  table.userDataEntry = layout.getUserDataEntries();
  table.sizeInDwords = 4;
  table.nodes.push_back({});
  layout.tables.push_back(std::move(table));
  return true;
}

/// Appends a descriptor of 4 dwords with a new binding to a table.
static bool applyLayoutBinding(PairInput &input, Random &random) {
  MutableArrayRef<DescriptorTable> tables(input.pipeline.layout.tables);
  if (tables.empty())
    return false;
  DescriptorTable &table = tables[random.below(tables.size())];
  DescriptorNode node;
  node.binding = table.nodes.empty() ? 0 : table.nodes.back().binding + 1;
  node.offsetInDwords = table.sizeInDwords;
  table.nodes.push_back(node);
  table.sizeInDwords += 4;
  return true;
}

/// Adds a dword of push constants; the user-data entries of all tables follow it and move by one.
static bool applyLayoutConstants(PairInput &input, Random &) {
  ResourceLayout &layout = input.pipeline.layout;
  ++layout.pushConstantDwords;
  for (DescriptorTable &table : layout.tables)
    ++table.userDataEntry;
  return true;
}

/// Changes the low bits of one specialization value; always to another value.
static bool applySpecialization(PairInput &input, Random &random) {
  MutableArrayRef<SpecializationValue> values(pickShader(input, random).specialization);
  if (values.empty())
    return false;
  SpecializationValue &value = values[random.below(values.size())];
  value.bits ^= 1 + random.below(3);
  return true;
}

// --- The shader

/// Changes the meaning of one instruction by a mutation of fuzz/mutate.
static bool applyBody(PairInput &input, Random &random) {
  std::vector<uint32_t> &words = pickShader(input, random).spirv;
  Expected<spirv::Module> module = spirv::decode(words);
  if (!module) {
    consumeError(module.takeError()); // Nothing that can be changed.
    return false;
  }
  std::vector<Mutation> mutations;
  for (MutationKind kind : {MutationKind::Operator, MutationKind::Comparison, MutationKind::Index})
    append_range(mutations, collectMutations(*module, kind));
  if (mutations.empty())
    return false;
  words = applyMutation(words, *module, random.pick(ArrayRef(mutations)));
  return true;
}

/// Flips the lowest bit of a constant's first word.
static bool applyConstant(PairInput &input, Random &random) {
  return changeProgram(input, random, [&](Program &program) {
    std::vector<fuzz::Instruction *> constants;
    for (fuzz::Instruction &each : program.globals)
      if (each.opcode == spv::Op::OpConstant || each.opcode == spv::Op::OpSpecConstant)
        constants.push_back(&each);
    if (constants.empty())
      return false;
    random.pick(ArrayRef(constants))->operands[0].word ^= 1;
    return true;
  });
}

/// Changes the workgroup size in an execution mode: halves or doubles x, or exchanges x and y where
/// they are ids. Returns whether the size differs.
static bool changeLocalSize(fuzz::Instruction &mode) {
  // Entry point, mode, then x, y, z: numbers, or ids of constants.
  bool isNumbers = mode.opcode == spv::Op::OpExecutionMode &&
                   mode.word(1) == static_cast<uint32_t>(spv::ExecutionMode::LocalSize);
  bool isIds = mode.opcode == spv::Op::OpExecutionModeId &&
               mode.word(1) == static_cast<uint32_t>(spv::ExecutionMode::LocalSizeId);
  if (isNumbers)
    mode.operands[2].word = mode.word(2) > 1 ? mode.word(2) / 2 : 2;
  if (isIds && mode.word(2) != mode.word(3))
    std::swap(mode.operands[2], mode.operands[3]);
  else
    isIds = false;
  return isNumbers || isIds;
}

/// Changes the first workgroup size that can be changed.
static bool applyLocalSize(PairInput &input, Random &random) {
  return changeProgram(input, random, [](Program &program) {
    return any_of(program.executionModes, changeLocalSize);
  });
}

/// Exchanges two module-scope variables of one type.
static bool applyVariableOrder(PairInput &input, Random &random) {
  return changeProgram(input, random, [&](Program &program) {
    std::vector<fuzz::Instruction *> variables;
    for (fuzz::Instruction &each : program.globals)
      if (each.opcode == spv::Op::OpVariable && each.operands.size() == 1)
        variables.push_back(&each);
    // Of the same type, so that no definition comes after its use.
    for (unsigned i = 0; i < 16 && variables.size() > 1; ++i) {
      fuzz::Instruction &first = *variables[random.below(variables.size())];
      fuzz::Instruction &second = *variables[random.below(variables.size())];
      if (first.result == second.result || first.type != second.type)
        continue;
      std::swap(first, second);
      return true;
    }
    return false;
  });
}

/// Removes a random decoration. The module may become invalid.
static bool applyDropDecoration(PairInput &input, Random &random) {
  return changeProgram(input, random, [&](Program &program) {
    if (program.decorations.empty())
      return false;
    size_t index = random.below(program.decorations.size());
    program.decorations.erase(program.decorations.begin() + static_cast<ptrdiff_t>(index));
    return true;
  });
}

/// Switches the PAL metadata version between 2.6 and 3.0; false for graphics pipelines.
static bool applyMetadataVersion(PairInput &input, Random &) {
  if (!input.pipeline.isCompute())
    return false;
  PalVersion &version = input.options.palVersion;
  version = version == PalVersion::V3_0 ? PalVersion::V2_6 : PalVersion::V3_0;
  return true;
}

/// The words of column CHANGE in PairMutations.def.
static constexpr bool Neutral = true, Any = false;
/// Built from PairMutations.def; column ENUMERATOR names the function.
static constexpr PairMutation mutations[] = {
#define PAIR_MUTATION(ENUMERATOR, NAME, CHANGE, HELP) {NAME, HELP, CHANGE, apply##ENUMERATOR},
#include "fuzz/pair/PairMutations.def"
};

ArrayRef<PairMutation> assay::listPairMutations() {
  return mutations;
}
