// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/localize/Operations.h"

#include "compiler/spirv/Module.h"
#include "fuzz/program/Definitions.h"
#include "harness/triage/Features.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace assay;

/// Of what leads from a pointer to another one: the operand that it comes from.
static constexpr spv::Op pointerSteps[] = {spv::Op::OpAccessChain, spv::Op::OpInBoundsAccessChain,
                                           spv::Op::OpPtrAccessChain, spv::Op::OpCopyObject,
                                           spv::Op::OpImageTexelPointer};

/// What \p pointer leads into, at its other end: a variable, or what is no step.
static const fuzz::Instruction *findBase(const fuzz::Definitions &definitions, fuzz::Id pointer) {
  const fuzz::Instruction *instruction = definitions.find(pointer);
  while (instruction && is_contained(pointerSteps, instruction->opcode))
    instruction = definitions.find(instruction->word(0));
  return instruction;
}

/// The variable that \p pointer leads into; null for anything else, such as an address.
static const fuzz::Instruction *findVariable(const fuzz::Definitions &definitions,
                                             fuzz::Id pointer) {
  const fuzz::Instruction *base = findBase(definitions, pointer);
  return base && base->opcode == spv::Op::OpVariable ? base : nullptr;
}

/// Nothing for null and for a variable that is no built-in.
static std::optional<spv::BuiltIn> builtInOf(const fuzz::Program &program,
                                             const fuzz::Instruction *variable) {
  if (!variable)
    return std::nullopt;
  std::optional<uint32_t> builtIn =
      fuzz::findDecoration(program, variable->result, spv::Decoration::BuiltIn);
  return builtIn ? std::optional(static_cast<spv::BuiltIn>(*builtIn)) : std::nullopt;
}

/// Nothing for what is no pointer.
static std::optional<spv::StorageClass> classOf(const fuzz::Definitions &definitions,
                                                fuzz::Id pointer) {
  const fuzz::Instruction *type = definitions.typeInstruction(pointer);
  if (!type || type->opcode != spv::Op::OpTypePointer)
    return std::nullopt;
  return static_cast<spv::StorageClass>(type->word(0));
}

std::string assay::describeLoad(spv::BuiltIn builtIn) {
  return "OpLoad " + spirv::builtInName(builtIn);
}

std::string assay::describeStore(spv::StorageClass target) {
  return "OpStore " + spirv::storageClassName(target);
}

/// Whether anything but loads may reach what \p variable holds.
static bool isWritten(const fuzz::Program &program, const fuzz::Definitions &definitions,
                      const fuzz::Instruction &variable) {
  auto mayWrite = [&](const fuzz::Instruction &instruction) {
    if (instruction.opcode == spv::Op::OpLoad || is_contained(pointerSteps, instruction.opcode))
      return false;
    bool isCopy = instruction.opcode == spv::Op::OpCopyMemory;
    return any_of(enumerate(instruction.operands), [&](const auto &each) {
      return each.value().isId && !(isCopy && each.index() == 1) &&
             findBase(definitions, each.value().word) == &variable;
    });
  };
  return any_of(program.functions, [&](const fuzz::Function &function) {
    return any_of(function.blocks,
                  [&](const fuzz::Block &block) { return any_of(block.body, mayWrite); });
  });
}

/// Of what is loaded through \p pointer.
static std::string describeLoadThrough(const fuzz::Program &program,
                                       const fuzz::Definitions &definitions, fuzz::Id pointer) {
  const fuzz::Instruction *variable = findVariable(definitions, pointer);
  if (std::optional<spv::BuiltIn> builtIn = builtInOf(program, variable))
    return describeLoad(*builtIn);
  std::string kind = spirv::opcodeName(spv::Op::OpLoad);
  // The second operand is what it holds at first.
  if (variable && variable->operands.size() > 1 && !isWritten(program, definitions, *variable))
    kind = spirv::opcodeName(spv::Op::OpVariable);
  std::optional<spv::StorageClass> source = classOf(definitions, pointer);
  return source ? kind + " " + spirv::storageClassName(*source) : kind;
}

/// Whether \p fetch names another level than the first, or one that is known at run time alone.
static bool isOfLevel(const fuzz::Definitions &definitions, const fuzz::Instruction &fetch) {
  constexpr size_t Mask = 2; // After image and coordinate; its operands follow by their bits.
  auto has = [&](spv::ImageOperandsMask bit) {
    return (fetch.word(Mask) & static_cast<uint32_t>(bit)) != 0;
  };
  if (fetch.operands.size() <= Mask || !has(spv::ImageOperandsMask::Lod))
    return false;
  const fuzz::Instruction *level =
      definitions.find(fetch.word(Mask + (has(spv::ImageOperandsMask::Bias) ? 2 : 1)));
  bool isFirst = level && (level->opcode == spv::Op::OpConstantNull ||
                           (level->opcode == spv::Op::OpConstant && level->word(0) == 0));
  return !isFirst;
}

/// As describePoint() of a value, without looking at what it is made of.
static std::string describeInstruction(const fuzz::Program &program,
                                       const fuzz::Definitions &definitions,
                                       const fuzz::Instruction &instruction) {
  SmallVector<uint32_t> words;
  for (const fuzz::Operand &operand : instruction.operands)
    words.push_back(operand.word);
  if (instruction.opcode == spv::Op::OpLoad)
    return describeLoadThrough(program, definitions, words.front());
  bool isOfOtherLevel =
      instruction.opcode == spv::Op::OpImageFetch && isOfLevel(definitions, instruction);
  return instructionKind(instruction.opcode, words) + (isOfOtherLevel ? " level" : "");
}

/// Whether the block has several successors.
static bool decides(const fuzz::Block &block) {
  return block.successors().size() > 1;
}

/// The branch that decides about the block \p label: which goes there, or whose parts meet there.
static std::string describeBranch(const fuzz::Program &program, fuzz::Id label) {
  const fuzz::Block *header = nullptr;
  for (const fuzz::Function &function : program.functions)
    for (const fuzz::Block &block : function.blocks) {
      if (decides(block) && is_contained(block.successors(), label))
        return spirv::opcodeName(block.terminator().opcode);
      if (decides(block) && block.merge() && block.merge()->word(0) == label)
        header = &block;
    }
  return spirv::opcodeName(header ? header->terminator().opcode : spv::Op::OpBranch);
}

std::string assay::describeUnreachable(const fuzz::Program &program) {
  fuzz::Id label = 0;
  for (const fuzz::Function &function : program.functions)
    for (const fuzz::Block &block : function.blocks) {
      if (block.terminator().opcode != spv::Op::OpUnreachable)
        continue;
      if (label)
        return "";
      label = block.label;
    }
  return label ? describeBranch(program, label) : "";
}

/// Objects that have no value of their own.
static bool isOpaque(const fuzz::Instruction *type) {
  static constexpr spv::Op types[] = {spv::Op::OpTypeImage, spv::Op::OpTypeSampler,
                                      spv::Op::OpTypeSampledImage};
  return !type || is_contained(types, type->opcode);
}

/// Atomic loads and stores, too.
static bool isAtomic(spv::Op opcode) {
  return StringRef(spirv::opcodeName(opcode)).starts_with("OpAtomic");
}

/// A load or an atomic operation that \p instruction is made of by way of nothing that is \p right;
/// null without one.
static const fuzz::Instruction *findUnjudgedOrigin(const fuzz::Definitions &definitions,
                                                   const fuzz::Instruction &instruction,
                                                   const DenseSet<fuzz::Id> &right) {
  SmallVector<const fuzz::Instruction *> open = {&instruction};
  DenseSet<fuzz::Id> seen;
  while (!open.empty()) {
    for (const fuzz::Operand &operand : open.pop_back_val()->operands) {
      if (!operand.isId || !definitions.place(operand.word) || right.contains(operand.word) ||
          isOpaque(definitions.typeInstruction(operand.word)) || !seen.insert(operand.word).second)
        continue;
      const fuzz::Instruction *made = definitions.find(operand.word);
      if (made->opcode == spv::Op::OpLoad || isAtomic(made->opcode))
        return made;
      open.push_back(made);
    }
  }
  return nullptr;
}

std::string assay::describePoint(const fuzz::Program &program, fuzz::ProbePoint point,
                                 const DenseSet<fuzz::Id> &right) {
  if (point.kind == fuzz::ProbeKind::Block)
    return describeBranch(program, point.id);
  fuzz::Definitions definitions(program);
  if (point.kind == fuzz::ProbeKind::Copied)
    return describeLoadThrough(program, definitions, point.id);
  const fuzz::Instruction *instruction = definitions.find(point.id);
  if (const fuzz::Instruction *origin = findUnjudgedOrigin(definitions, *instruction, right))
    instruction = origin;
  return describeInstruction(program, definitions, *instruction);
}

std::optional<spv::BuiltIn> assay::findLoadedBuiltIn(const fuzz::Program &program,
                                                     fuzz::ProbePoint point) {
  if (point.kind != fuzz::ProbeKind::Value)
    return std::nullopt;
  fuzz::Definitions definitions(program);
  const fuzz::Instruction *instruction = definitions.find(point.id);
  if (instruction->opcode != spv::Op::OpLoad)
    return std::nullopt;
  return builtInOf(program, findVariable(definitions, instruction->word(0)));
}

/// What \p instruction writes through; 0 where it is no write.
static fuzz::Id findTarget(const fuzz::Definitions &definitions,
                           const fuzz::Instruction &instruction) {
  static constexpr spv::Op stores[] = {spv::Op::OpStore, spv::Op::OpCopyMemory,
                                       spv::Op::OpCopyMemorySized};
  bool isUpdate = isAtomic(instruction.opcode) && instruction.opcode != spv::Op::OpAtomicLoad;
  if (is_contained(stores, instruction.opcode) || isUpdate)
    return instruction.word(0);
  if (instruction.opcode != spv::Op::OpImageWrite)
    return 0;
  const fuzz::Instruction *image = definitions.find(instruction.word(0));
  return image && image->opcode == spv::Op::OpLoad ? image->word(0) : 0;
}

/// A copy is a load and a store.
static std::string describeWrite(const fuzz::Instruction &instruction, spv::StorageClass target) {
  bool isNamed = instruction.opcode == spv::Op::OpImageWrite || isAtomic(instruction.opcode);
  return isNamed ? spirv::opcodeName(instruction.opcode) : describeStore(target);
}

/// Whether a write to this storage class can be seen after the shader has ended.
static bool outlivesShader(spv::StorageClass target) {
  static constexpr spv::StorageClass classes[] = {
      spv::StorageClass::StorageBuffer, spv::StorageClass::Uniform,
      spv::StorageClass::UniformConstant, spv::StorageClass::Image,
      spv::StorageClass::PhysicalStorageBuffer};
  return is_contained(classes, target);
}

using Descriptor = std::pair<uint32_t, uint32_t>; ///< Set and binding.

/// Nothing for null and for a variable without set or binding.
static std::optional<Descriptor> descriptorOf(const fuzz::Program &program,
                                              const fuzz::Instruction *variable) {
  if (!variable)
    return std::nullopt;
  std::optional<uint32_t> binding =
      fuzz::findDecoration(program, variable->result, spv::Decoration::Binding);
  std::optional<uint32_t> set =
      fuzz::findDecoration(program, variable->result, spv::Decoration::DescriptorSet);
  return binding && set ? std::optional(Descriptor(*set, *binding)) : std::nullopt;
}

/// Whether the case binds buffer number \p buffer to \p variable.
static bool isBoundTo(const fuzz::Program &program, const Case &input,
                      const fuzz::Instruction *variable, unsigned buffer) {
  std::optional<Descriptor> descriptor = descriptorOf(program, variable);
  return descriptor && any_of(input.pipelines.front().bindings, [&](const BufferBinding &each) {
           return each.buffer == buffer && Descriptor(each.set, each.binding) == *descriptor;
         });
}

/// The type that \p pointer points to; null where that is not known.
static const fuzz::Instruction *pointeeOf(const fuzz::Definitions &definitions, fuzz::Id pointer) {
  const fuzz::Instruction *type = definitions.typeInstruction(pointer);
  return type && type->opcode == spv::Op::OpTypePointer ? definitions.find(type->word(1)) : nullptr;
}

/// The type of what \p index of an access chain leads to in \p type; null where it leads nowhere.
static const fuzz::Instruction *stepInto(const fuzz::Definitions &definitions,
                                         const fuzz::Instruction &type, fuzz::Id index) {
  static constexpr spv::Op elementTypes[] = {spv::Op::OpTypeVector, spv::Op::OpTypeMatrix,
                                             spv::Op::OpTypeArray, spv::Op::OpTypeRuntimeArray};
  if (is_contained(elementTypes, type.opcode))
    return definitions.find(type.word(0));
  const fuzz::Instruction *number = definitions.find(index);
  bool isMember = type.opcode == spv::Op::OpTypeStruct && number &&
                  number->opcode == spv::Op::OpConstant && number->word(0) < type.operands.size();
  return isMember ? definitions.find(type.word(number->word(0))) : nullptr;
}

/// BlockLoad::place of what \p pointer leads to: a part of a matrix is placed by that, of an array
/// by that.
static std::string placeOf(const fuzz::Definitions &definitions, fuzz::Id pointer) {
  static constexpr std::pair<spv::Op, StringLiteral> places[] = {
      {spv::Op::OpTypeMatrix, "matrix"},
      {spv::Op::OpTypeRuntimeArray, "array"},
      {spv::Op::OpTypeArray, "array"},
      {spv::Op::OpTypeStruct, "member"}};
  const std::pair<spv::Op, StringLiteral> *found = std::end(places);
  auto note = [&](const fuzz::Instruction *type) {
    auto *own = find_if(places, [&](const auto &row) { return type && row.first == type->opcode; });
    found = std::min(found, own);
  };
  note(pointeeOf(definitions, pointer));
  const fuzz::Instruction *step = definitions.find(pointer);
  while (step && is_contained(pointerSteps, step->opcode)) {
    const fuzz::Instruction *type = pointeeOf(definitions, step->word(0));
    for (size_t index = 1; type && index < step->operands.size(); ++index) {
      note(type);
      type = stepInto(definitions, *type, step->word(index));
    }
    step = definitions.find(step->word(0));
  }
  return found == std::end(places) ? "" : found->second.str();
}

std::optional<BlockLoad> assay::findBlockLoad(const fuzz::Program &program,
                                              fuzz::ProbePoint point) {
  fuzz::Definitions definitions(program);
  fuzz::Id pointer = point.id;
  if (point.kind == fuzz::ProbeKind::Value) {
    const fuzz::Instruction *load = definitions.find(point.id);
    pointer = load->opcode == spv::Op::OpLoad ? load->word(0) : 0;
  }
  static constexpr spv::StorageClass blocks[] = {spv::StorageClass::StorageBuffer,
                                                 spv::StorageClass::Uniform};
  std::optional<spv::StorageClass> source = classOf(definitions, pointer);
  if (!source || !is_contained(blocks, *source))
    return std::nullopt;
  std::optional<Descriptor> descriptor = descriptorOf(program, findVariable(definitions, pointer));
  if (!descriptor)
    return std::nullopt;
  return BlockLoad{descriptor->first, descriptor->second, placeOf(definitions, pointer)};
}

namespace {
/// A write to what outlives a shader.
struct Write {
  const fuzz::Instruction *instruction = nullptr;
  fuzz::Id pointer = 0;
  spv::StorageClass target = spv::StorageClass::Max;
};
} // namespace

/// Whether the case binds the buffer at all; else it is reached by its address.
static bool hasDescriptor(const Case &input, unsigned buffer) {
  return any_of(input.pipelines.front().bindings,
                [&](const BufferBinding &each) { return each.buffer == buffer; });
}

/// The first to buffer number \p buffer - through an address, where no descriptor is of it; where
/// there is none, and \p orAny, to any other.
static Write findWrite(const fuzz::Program &program, const fuzz::Definitions &definitions,
                       const Case &input, unsigned buffer, bool orAny) {
  Write own, any;
  fuzz::forEachInstruction(program, [&](const fuzz::Instruction &instruction) {
    fuzz::Id pointer = findTarget(definitions, instruction);
    std::optional<spv::StorageClass> target = classOf(definitions, pointer);
    if (!target || !outlivesShader(*target))
      return;
    bool isOwn = *target == spv::StorageClass::PhysicalStorageBuffer
                     ? !hasDescriptor(input, buffer)
                     : isBoundTo(program, input, findVariable(definitions, pointer), buffer);
    if (isOwn && !own.instruction)
      own = {&instruction, pointer, *target};
    if (!any.instruction)
      any = {&instruction, pointer, *target};
  });
  return own.instruction || !orAny ? own : any;
}

std::string assay::findWrittenPlace(const fuzz::Program &program, const Case &input,
                                    unsigned buffer) {
  fuzz::Definitions definitions(program);
  Write write = findWrite(program, definitions, input, buffer, /*orAny=*/false);
  return write.instruction ? placeOf(definitions, write.pointer) : "";
}

std::string assay::describeWrites(const fuzz::Program &program, const Case &input,
                                  unsigned buffer) {
  fuzz::Definitions definitions(program);
  Write write = findWrite(program, definitions, input, buffer, /*orAny=*/true);
  return write.instruction ? describeWrite(*write.instruction, write.target) : "";
}

/// What only hands values on.
static bool isGlue(spv::Op opcode) {
  static constexpr spv::Op glue[] = {spv::Op::OpCopyObject,         spv::Op::OpCompositeExtract,
                                     spv::Op::OpCompositeConstruct, spv::Op::OpCompositeInsert,
                                     spv::Op::OpVectorShuffle,      spv::Op::OpBitcast,
                                     spv::Op::OpUConvert,           spv::Op::OpSConvert,
                                     spv::Op::OpFConvert,           spv::Op::OpVectorExtractDynamic,
                                     spv::Op::OpCopyLogical,        spv::Op::OpSelect};
  return is_contained(glue, opcode);
}

/// The first of \p open, and of what those are made of, that is more than glue; else the first
/// glue.
static const fuzz::Instruction *findMaker(const fuzz::Definitions &definitions,
                                          SmallVector<fuzz::Id> open) {
  const fuzz::Instruction *glue = nullptr;
  for (size_t next = 0; next < open.size(); ++next) {
    const fuzz::Instruction *made = definitions.find(open[next]);
    if (!made || !definitions.place(open[next]))
      continue; // A constant.
    if (!isGlue(made->opcode))
      return made;
    glue = glue ? glue : made;
    for (const fuzz::Operand &operand : made->operands)
      if (operand.isId && !is_contained(open, operand.word))
        open.push_back(operand.word);
  }
  return glue;
}

std::string assay::describeStored(const fuzz::Program &program) {
  fuzz::Definitions definitions(program);
  const fuzz::Instruction *write = nullptr;
  fuzz::forEachInstruction(program, [&](const fuzz::Instruction &instruction) {
    std::optional<spv::StorageClass> target =
        classOf(definitions, findTarget(definitions, instruction));
    if (!write && target && outlivesShader(*target))
      write = &instruction;
  });
  if (!write || isAtomic(write->opcode))
    return write ? spirv::opcodeName(write->opcode) : "";
  SmallVector<fuzz::Id> stored;
  for (const fuzz::Operand &operand : drop_begin(write->operands))
    if (operand.isId)
      stored.push_back(operand.word);
  const fuzz::Instruction *maker = findMaker(definitions, std::move(stored));
  return maker ? describeInstruction(program, definitions, *maker) : "";
}

std::string assay::describeTargetOrigin(const fuzz::Program &program, const Case &input,
                                        unsigned buffer, const DenseSet<fuzz::Id> &right) {
  fuzz::Definitions definitions(program);
  Write write = findWrite(program, definitions, input, buffer, /*orAny=*/false);
  const fuzz::Instruction *pointer = write.instruction ? definitions.find(write.pointer) : nullptr;
  const fuzz::Instruction *origin =
      pointer ? findUnjudgedOrigin(definitions, *pointer, right) : nullptr;
  return origin ? describeInstruction(program, definitions, *origin) : "";
}

std::string assay::describeOpenAtomic(const fuzz::Program &program,
                                      const DenseSet<fuzz::Id> &right) {
  std::string open;
  fuzz::forEachInstruction(program, [&](const fuzz::Instruction &instruction) {
    bool isOpen =
        instruction.result && isAtomic(instruction.opcode) && !right.contains(instruction.result);
    if (isOpen && open.empty())
      open = spirv::opcodeName(instruction.opcode);
  });
  return open;
}
