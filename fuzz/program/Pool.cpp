// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fuzz/program/Pool.h"

#include "fuzz/program/Definitions.h"
#include "llvm/ADT/STLExtras.h"
#include <cassert>

using namespace llvm;

namespace assay::fuzz {

/// What may stand twice with equal operands: decorations tell them apart.
static bool mayStandTwice(spv::Op opcode) {
  return opcode == spv::Op::OpTypeStruct || opcode == spv::Op::OpVariable ||
         opcode == spv::Op::OpUndef || isSpecialization(opcode);
}

/// Returns what makes two globals the same: opcode, type, operands, and the ArrayStride of the
/// result.
Pool::Key Pool::keyOf(const Instruction &instruction, uint32_t stride) {
  Key key{static_cast<uint32_t>(instruction.opcode), instruction.type, stride};
  for (const Operand &operand : instruction.operands)
    key.push_back(operand.word);
  return key;
}

/// Indexes the globals; of equal ones the first is used.
Pool::Pool(Program &program) : m_program(program) {
  std::map<Id, uint32_t> strides;
  for (const Instruction &each : program.decorations)
    if (each.opcode == spv::Op::OpDecorate &&
        each.word(1) == static_cast<uint32_t>(spv::Decoration::ArrayStride))
      strides[each.word(0)] = each.word(2);
  for (auto [index, global] : enumerate(program.globals)) {
    m_index[global.result] = index;
    auto stride = strides.find(global.result);
    if (!mayStandTwice(global.opcode))
      m_known.try_emplace(keyOf(global, stride == strides.end() ? 0 : stride->second),
                          global.result);
  }
}

/// Returns a global equal to \p instruction, or appends it. The result of \p instruction is
/// ignored.
Id Pool::findOrAdd(Instruction instruction, uint32_t stride) {
  if (!mayStandTwice(instruction.opcode)) {
    auto [entry, isNew] = m_known.try_emplace(keyOf(instruction, stride), m_program.bound);
    if (!isNew)
      return entry->second;
  }
  instruction.result = m_program.fresh();
  m_index[instruction.result] = m_program.globals.size();
  m_program.globals.push_back(std::move(instruction));
  Id id = m_program.globals.back().result;
  if (stride)
    decorate(id, spv::Decoration::ArrayStride, {stride});
  return id;
}

Id Pool::voidType() {
  return findOrAdd({spv::Op::OpTypeVoid, 0, 0, {}});
}
Id Pool::boolType() {
  return findOrAdd({spv::Op::OpTypeBool, 0, 0, {}});
}
Id Pool::intType(unsigned width, bool isSigned) {
  return findOrAdd({spv::Op::OpTypeInt, 0, 0, {literal(width), literal(isSigned)}});
}
Id Pool::floatType(unsigned width) {
  return findOrAdd({spv::Op::OpTypeFloat, 0, 0, {literal(width)}});
}
Id Pool::vectorType(Id component, unsigned count) {
  return findOrAdd({spv::Op::OpTypeVector, 0, 0, {id(component), literal(count)}});
}
Id Pool::matrixType(Id column, unsigned count) {
  return findOrAdd({spv::Op::OpTypeMatrix, 0, 0, {id(column), literal(count)}});
}
Id Pool::arrayType(Id element, Id length, uint32_t stride) {
  return findOrAdd({spv::Op::OpTypeArray, 0, 0, {id(element), id(length)}}, stride);
}
Id Pool::runtimeArrayType(Id element, uint32_t stride) {
  return findOrAdd({spv::Op::OpTypeRuntimeArray, 0, 0, {id(element)}}, stride);
}
Id Pool::pointerType(spv::StorageClass storage, Id pointee, uint32_t stride) {
  return findOrAdd(
      {spv::Op::OpTypePointer, 0, 0, {literal(static_cast<uint32_t>(storage)), id(pointee)}},
      stride);
}
Id Pool::imageType(const ImageType &type) {
  return findOrAdd(
      {spv::Op::OpTypeImage,
       0,
       0,
       {id(type.texel), literal(uint32_t(type.dim)), literal(type.isDepth), literal(type.isArrayed),
        literal(type.isMultisampled), literal(type.sampled), literal(uint32_t(type.format))}});
}
Id Pool::samplerType() {
  return findOrAdd({spv::Op::OpTypeSampler, 0, 0, {}});
}
Id Pool::sampledImageType(Id image) {
  return findOrAdd({spv::Op::OpTypeSampledImage, 0, 0, {id(image)}});
}

/// Returns the ids as operands.
static SmallVector<Operand, 4> makeIds(ArrayRef<Id> ids) {
  return SmallVector<Operand, 4>(map_range(ids, [](Id each) { return id(each); }));
}

Id Pool::functionType(Id result, ArrayRef<Id> parameters) {
  Instruction instruction{spv::Op::OpTypeFunction, 0, 0, {id(result)}};
  append_range(instruction.operands, makeIds(parameters));
  return findOrAdd(std::move(instruction));
}
Id Pool::structType(ArrayRef<Id> members) {
  return findOrAdd({spv::Op::OpTypeStruct, 0, 0, makeIds(members)});
}

Id Pool::constant(Id type, uint64_t bits) {
  const Instruction &definition = this->definition(type);
  unsigned width = definition.word(0);
  bool isSigned = definition.opcode == spv::Op::OpTypeInt && definition.word(1);
  // Numbers narrower than a word are in its low bits, extended by their sign (SPIR-V, "Literal").
  if (width < 32) {
    bits &= (uint64_t(1) << width) - 1;
    if (isSigned && bits >> (width - 1))
      bits |= ~uint64_t(0) << width;
  }
  Instruction instruction{spv::Op::OpConstant, type, 0, {literal(static_cast<uint32_t>(bits))}};
  if (width == 64)
    instruction.operands.push_back(literal(static_cast<uint32_t>(bits >> 32)));
  return findOrAdd(std::move(instruction));
}
Id Pool::constantBool(bool value) {
  return findOrAdd({value ? spv::Op::OpConstantTrue : spv::Op::OpConstantFalse, boolType(), 0, {}});
}
Id Pool::constantComposite(Id type, ArrayRef<Id> parts) {
  return findOrAdd({spv::Op::OpConstantComposite, type, 0, makeIds(parts)});
}
Id Pool::constantNull(Id type) {
  return findOrAdd({spv::Op::OpConstantNull, type, 0, {}});
}

Id Pool::specialization(spv::Op opcode, Id type, ArrayRef<Operand> operands) {
  return findOrAdd({opcode, type, 0, SmallVector<Operand, 4>(operands)});
}

/// Declares the capability unless it is declared.
void Pool::require(spv::Capability capability) {
  Instruction instruction{
      spv::Op::OpCapability, 0, 0, {literal(static_cast<uint32_t>(capability))}};
  if (!is_contained(m_program.capabilities, instruction))
    m_program.capabilities.push_back(std::move(instruction));
}

/// Declares the extension unless it is declared.
void Pool::extension(StringRef name) {
  Instruction instruction{spv::Op::OpExtension, 0, 0, makeString(name)};
  if (!is_contained(m_program.extensions, instruction))
    m_program.extensions.push_back(std::move(instruction));
}

/// Returns the import of an instruction set by its name, added if missing.
Id Pool::import(StringRef name) {
  SmallVector<Operand, 4> text = makeString(name);
  for (const Instruction &each : m_program.imports)
    if (each.operands == text)
      return each.result;
  m_program.imports.push_back({spv::Op::OpExtInstImport, 0, m_program.fresh(), text});
  return m_program.imports.back().result;
}

/// Appends a decoration, without a check for an equal one.
void Pool::decorate(Id target, spv::Decoration decoration, ArrayRef<uint32_t> literals) {
  Instruction instruction{
      spv::Op::OpDecorate, 0, 0, {id(target), literal(static_cast<uint32_t>(decoration))}};
  for (uint32_t word : literals)
    instruction.operands.push_back(literal(word));
  m_program.decorations.push_back(std::move(instruction));
}

/// Appends a decoration of member number \p member, counted from 0.
void Pool::decorateMember(Id structure, uint32_t member, spv::Decoration decoration,
                          ArrayRef<uint32_t> literals) {
  Instruction instruction{
      spv::Op::OpMemberDecorate,
      0,
      0,
      {id(structure), literal(member), literal(static_cast<uint32_t>(decoration))}};
  for (uint32_t word : literals)
    instruction.operands.push_back(literal(word));
  m_program.decorations.push_back(std::move(instruction));
}

Id Pool::variable(Id type, spv::StorageClass storage, Id initializer) {
  Instruction instruction{spv::Op::OpVariable, type, 0, {literal(static_cast<uint32_t>(storage))}};
  if (initializer)
    instruction.operands.push_back(id(initializer));
  Id result = findOrAdd(std::move(instruction));
  // From SPIR-V 1.4 on all that an entry point uses, before only what it takes and gives.
  constexpr uint32_t Version14 = 0x00010400;
  if (m_program.version >= Version14 || storage == spv::StorageClass::Input ||
      storage == spv::StorageClass::Output)
    for (Instruction &entry : m_program.entryPoints)
      entry.operands.push_back(id(result));
  return result;
}

Id Pool::builtIn(spv::BuiltIn builtIn, Id type) {
  if (Id known = findBuiltIn(m_program, builtIn))
    return known;
  Id result = variable(pointerType(spv::StorageClass::Input, type), spv::StorageClass::Input);
  decorate(result, spv::Decoration::BuiltIn, {uint32_t(builtIn)});
  return result;
}

const Instruction &Pool::definition(Id id) const {
  auto found = m_index.find(id);
  assert(found != m_index.end() && "not a global");
  return m_program.globals[found->second];
}

} // namespace assay::fuzz
