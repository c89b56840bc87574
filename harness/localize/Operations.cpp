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

static const fuzz::Instruction *findVariable(const fuzz::Definitions &definitions,
                                             fuzz::Id pointer) {
  const fuzz::Instruction *base = findBase(definitions, pointer);
  return base && base->opcode == spv::Op::OpVariable ? base : nullptr;
}

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

static std::string describeInstruction(const fuzz::Program &program,
                                       const fuzz::Definitions &definitions,
                                       const fuzz::Instruction &instruction) {
  SmallVector<uint32_t> words;
  for (const fuzz::Operand &operand : instruction.operands)
    words.push_back(operand.word);
  std::string kind = instructionKind(instruction.opcode, words);
  if (instruction.opcode != spv::Op::OpLoad)
    return kind;
  fuzz::Id pointer = words.front();
  if (std::optional<spv::BuiltIn> builtIn = builtInOf(program, findVariable(definitions, pointer)))
    return describeLoad(*builtIn);
  std::optional<spv::StorageClass> source = classOf(definitions, pointer);
  return source ? kind + " " + spirv::storageClassName(*source) : kind;
}

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

/// Objects that have no value of their own.
static bool isOpaque(const fuzz::Instruction *type) {
  static constexpr spv::Op types[] = {spv::Op::OpTypeImage, spv::Op::OpTypeSampler,
                                      spv::Op::OpTypeSampledImage};
  return !type || is_contained(types, type->opcode);
}

/// A load that \p instruction is made of by way of nothing that is \p right; null without one.
static const fuzz::Instruction *findUnjudgedLoad(const fuzz::Definitions &definitions,
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
      if (made->opcode == spv::Op::OpLoad)
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
  const fuzz::Instruction *instruction = definitions.find(point.id);
  if (const fuzz::Instruction *load = findUnjudgedLoad(definitions, *instruction, right))
    instruction = load;
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
  bool isAtomic = StringRef(spirv::opcodeName(instruction.opcode)).starts_with("OpAtomic") &&
                  instruction.opcode != spv::Op::OpAtomicLoad;
  if (is_contained(stores, instruction.opcode) || isAtomic)
    return instruction.word(0);
  if (instruction.opcode != spv::Op::OpImageWrite)
    return 0;
  const fuzz::Instruction *image = definitions.find(instruction.word(0));
  return image && image->opcode == spv::Op::OpLoad ? image->word(0) : 0;
}

/// A copy is a load and a store.
static std::string describeWrite(const fuzz::Instruction &instruction, spv::StorageClass target) {
  bool isNamed = instruction.opcode == spv::Op::OpImageWrite ||
                 StringRef(spirv::opcodeName(instruction.opcode)).starts_with("OpAtomic");
  return isNamed ? spirv::opcodeName(instruction.opcode) : describeStore(target);
}

static bool outlivesShader(spv::StorageClass target) {
  static constexpr spv::StorageClass classes[] = {
      spv::StorageClass::StorageBuffer, spv::StorageClass::Uniform,
      spv::StorageClass::UniformConstant, spv::StorageClass::Image,
      spv::StorageClass::PhysicalStorageBuffer};
  return is_contained(classes, target);
}

static bool isBoundTo(const fuzz::Program &program, const Case &input, fuzz::Id variable,
                      unsigned buffer) {
  std::optional<uint32_t> binding =
      fuzz::findDecoration(program, variable, spv::Decoration::Binding);
  std::optional<uint32_t> set =
      fuzz::findDecoration(program, variable, spv::Decoration::DescriptorSet);
  return any_of(input.pipelines.front().bindings, [&](const BufferBinding &each) {
    return each.buffer == buffer && each.set == set && each.binding == binding;
  });
}

std::string assay::describeWrites(const fuzz::Program &program, const Case &input,
                                  unsigned buffer) {
  fuzz::Definitions definitions(program);
  std::string own, any;
  fuzz::forEachInstruction(program, [&](const fuzz::Instruction &instruction) {
    fuzz::Id pointer = findTarget(definitions, instruction);
    std::optional<spv::StorageClass> target = classOf(definitions, pointer);
    if (!target || !outlivesShader(*target))
      return;
    std::string name = describeWrite(instruction, *target);
    const fuzz::Instruction *variable = findVariable(definitions, pointer);
    bool isOwn = variable && isBoundTo(program, input, variable->result, buffer);
    if (isOwn && own.empty())
      own = name;
    if (any.empty())
      any = name;
  });
  return own.empty() ? any : own;
}
