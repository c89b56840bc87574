// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From SPIR-V ids to LLVM values and pointers, in the function being translated and outside.

#include "compiler/frontend/Frontend.h"
#include "compiler/frontend/Translator.h"
#include "support/Error.h"

using namespace llvm;
using namespace assay;
using spirv::Id;
using Inst = spirv::Instruction;
using spirv::TypeKind;

/// A built-in that compute shaders read by lgc ops.
struct BuiltInRow {
  spv::BuiltIn spirv;
  BuiltIn lgc;
  bool isOfAllStages = false;
};

/// The last column marks the built-ins that all stages have, because they do not depend on a
/// workgroup.
static constexpr BuiltInRow BuiltIns[] = {
    {spv::BuiltIn::NumWorkgroups, BuiltIn::NumWorkgroups},
    {spv::BuiltIn::WorkgroupSize, BuiltIn::WorkgroupSize},
    {spv::BuiltIn::WorkgroupId, BuiltIn::WorkgroupId},
    {spv::BuiltIn::LocalInvocationId, BuiltIn::LocalInvocationId},
    {spv::BuiltIn::GlobalInvocationId, BuiltIn::GlobalInvocationId},
    {spv::BuiltIn::LocalInvocationIndex, BuiltIn::LocalInvocationIndex},
    {spv::BuiltIn::SubgroupSize, BuiltIn::SubgroupSize, true},
    {spv::BuiltIn::NumSubgroups, BuiltIn::NumSubgroups},
    {spv::BuiltIn::SubgroupId, BuiltIn::SubgroupId},
    {spv::BuiltIn::SubgroupLocalInvocationId, BuiltIn::SubgroupLocalInvocationId, true},
    {spv::BuiltIn::SubgroupEqMask, BuiltIn::SubgroupEqMask, true},
    {spv::BuiltIn::SubgroupGeMask, BuiltIn::SubgroupGeMask, true},
    {spv::BuiltIn::SubgroupGtMask, BuiltIn::SubgroupGtMask, true},
    {spv::BuiltIn::SubgroupLeMask, BuiltIn::SubgroupLeMask, true},
    {spv::BuiltIn::SubgroupLtMask, BuiltIn::SubgroupLtMask, true},
};

static constexpr auto DeviceIndex = static_cast<uint32_t>(spv::BuiltIn::DeviceIndex);

bool assay::isBuiltInOfAllStages(uint32_t number) {
  return number == DeviceIndex || any_of(BuiltIns, [&](const BuiltInRow &row) {
           return row.isOfAllStages && static_cast<uint32_t>(row.spirv) == number;
         });
}

/// Returns nothing for an lgc built-in that no SPIR-V built-in becomes.
std::optional<spv::BuiltIn> assay::spirvBuiltIn(BuiltIn builtIn) {
  const auto *row = find_if(BuiltIns, [&](const BuiltInRow &each) { return each.lgc == builtIn; });
  return row == std::end(BuiltIns) ? std::nullopt : std::optional(row->spirv);
}

/// Looks in the function first; 0 for an id that is neither one of its values nor global.
Id Translator::typeOf(Id id) const {
  auto local = m_valueTypes.find(id);
  if (local != m_valueTypes.end())
    return local->second;
  const Inst *global = m_spirv.findGlobal(id);
  return global ? global->typeId : 0;
}

/// Returns the value of \p id. Looks in the function first, then in memory, constants and
/// resources. An aggregate in memory is loaded at each use. InvalidInput for an id without a value;
/// Unsupported for a pointer without an address.
Expected<Value *> Translator::value(Id id) {
  auto local = m_values.find(id);
  if (local != m_values.end() && local->second)
    return local->second;
  if (std::optional<Pointer> place = findInMemory(id))
    return load(*place);
  if (auto constant = m_constants.find(id); constant != m_constants.end())
    return constant->second;
  if (auto refused = m_refused.find(id); refused != m_refused.end())
    return unsupported(refused->second);
  const spirv::Type *type = m_spirv.findType(typeOf(id));
  if (!m_function || !type || type->kind != TypeKind::Pointer)
    return invalidInput("%" + Twine(id) + " has no value here");
  Expected<Pointer> virtualPointer = pointer(id);
  if (!virtualPointer)
    return virtualPointer.takeError();
  if (virtualPointer->value)
    return virtualPointer->value;
  return unsupported("a pointer without an address (Input, or an array of blocks) as a value");
}

/// Returns the integer constant \p id. Specialization constants have their value in the pipeline.
/// InvalidInput where it needs more than 32 bits or is no constant.
Expected<uint32_t> Translator::constantInt(Id id) {
  Expected<Value *> constant = value(id);
  if (!constant)
    return constant.takeError();
  auto *integer = dyn_cast<ConstantInt>(*constant);
  if (!integer || integer->getValue().getActiveBits() > 32)
    return invalidInput("%" + Twine(id) + " is no integer constant of up to 32 bits");
  return static_cast<uint32_t>(integer->getZExtValue());
}

/// A pointer that is defined here gets the info of an unknown one. Results of type void are
/// ignored.
Error Translator::define(const Inst &inst, Value *value) {
  if (inst.typeId == 0)
    return Error::success();
  const spirv::Type *type = m_spirv.findType(inst.typeId);
  if (type && type->kind == TypeKind::Pointer)
    return definePointer(inst, value, unknownPointer());
  Expected<Type *> wanted = valueType(inst.typeId);
  if (!wanted)
    return wanted.takeError();
  if (!value || value->getType() != *wanted)
    return invalidInput("its operands do not fit its result type");
  m_values[inst.resultId] = value;
  m_valueTypes[inst.resultId] = inst.typeId;
  return Error::success();
}

/// \p value may be null, for a pointer without an address.
Error Translator::definePointer(const Inst &inst, Value *value, const PointerInfo &info) {
  const spirv::Type *type = m_spirv.findType(inst.typeId);
  if (!type || type->kind != TypeKind::Pointer)
    return invalidInput("its result type is no pointer");
  Expected<Type *> wanted = valueType(inst.typeId);
  if (!wanted)
    return wanted.takeError();
  if (value && value->getType() != *wanted)
    return invalidInput("its pointer is of another storage class");
  m_values[inst.resultId] = value;
  m_valueTypes[inst.resultId] = inst.typeId;
  m_pointers[inst.resultId] = info;
  return Error::success();
}

/// It is volatile if any memory of the module is.
PointerInfo Translator::unknownPointer() const {
  PointerInfo info;
  info.isVolatile = m_hasVolatileMemory;
  return info;
}

/// Returns what the decorations of a module-scope variable say of its memory. InvalidInput for a
/// resource without DescriptorSet or Binding; Unsupported for one that is neither block nor
/// descriptor.
Expected<PointerInfo> Translator::variableInfo(const Inst &variable) {
  const spirv::Type &pointerType = m_spirv.type(variable.typeId);
  const spirv::Type &pointee = m_spirv.type(pointerType.element);
  PointerInfo info;
  info.isVolatile = m_spirv.hasDecoration(variable.resultId, spv::Decoration::Volatile) ||
                    m_spirv.hasDecoration(variable.resultId, spv::Decoration::Coherent);
  if (pointerType.storageClass == spv::StorageClass::Input && !isInterfaceVariable(variable)) {
    info.input = variable.resultId;
    return info;
  }
  if (hasExplicitLayout(pointerType.storageClass))
    info.alignment = 4; // What PAL asks of the offset of any buffer.
  if (pointerType.storageClass == spv::StorageClass::PushConstant)
    info.isInvariant = true;
  if (pointerType.storageClass != spv::StorageClass::Uniform &&
      pointerType.storageClass != spv::StorageClass::StorageBuffer &&
      pointerType.storageClass != spv::StorageClass::UniformConstant)
    return info;

  auto set = m_spirv.decorationValue(variable.resultId, spv::Decoration::DescriptorSet);
  auto binding = m_spirv.decorationValue(variable.resultId, spv::Decoration::Binding);
  if (!set || !binding)
    return invalidInput("%" + Twine(variable.resultId) + " has no DescriptorSet or no Binding");
  bool isArray = pointee.kind == TypeKind::Array || pointee.kind == TypeKind::RuntimeArray;
  const spirv::Type &block = isArray ? m_spirv.type(pointee.element) : pointee;
  if (block.kind != TypeKind::Struct && !isDescriptor(block))
    return unsupported("a resource that is no block and no image, and no array of them");
  info.buffer = BufferReference{*set, *binding, isArray ? nullptr : m_builder.getInt32(0)};
  info.buffer->isAliased = m_spirv.hasDecoration(variable.resultId, spv::Decoration::Aliased);
  if (isDescriptor(block))
    info.buffer->part =
        block.kind == TypeKind::Sampler ? DescriptorPart::Sampler : DescriptorPart::Resource;
  info.isInvariant = pointerType.storageClass == spv::StorageClass::Uniform &&
                     !m_spirv.hasDecoration(block.id, spv::Decoration::BufferBlock);
  return info;
}

/// Emits the address of a buffer or push constant variable into the function's prologue, once per
/// function. InvalidInput for a variable without an address.
Expected<Value *> Translator::resourceValue(const Inst &variable) {
  Expected<PointerInfo> info = variableInfo(variable);
  if (!info)
    return info.takeError();
  IRBuilderBase::InsertPointGuard guard(m_builder);
  m_builder.SetInsertPoint(m_prologue->getTerminator());
  const spirv::Type &type = m_spirv.type(variable.typeId);
  Value *address = nullptr;
  std::optional<BufferReference> buffer = info->buffer;
  if (buffer && buffer->index)
    address = descriptorAddress(*buffer);
  else if (type.storageClass == spv::StorageClass::PushConstant)
    address = m_builder.createPushConstantsPtr();
  else if (!buffer)
    return invalidInput("variable %" + Twine(variable.resultId) + " has no address here");
  m_values[variable.resultId] = address;
  return address;
}

/// Returns the pointer \p id with its info. The address of a resource is made at the first use in
/// each function. InvalidInput where \p id is no pointer; Unsupported for texel pointers.
Expected<Pointer> Translator::pointer(Id id) {
  if (findTexel(id))
    return unsupported("a pointer to a texel here");
  const spirv::Type *type = m_spirv.findType(typeOf(id));
  if (!type || type->kind != TypeKind::Pointer)
    return invalidInput("%" + Twine(id) + " is no pointer");
  if (auto refused = m_refused.find(id); refused != m_refused.end())
    return unsupported(refused->second);

  Pointer pointer{m_values.lookup(id), type->element, type->storageClass, {}};
  auto info = m_pointers.find(id);
  if (info != m_pointers.end()) {
    pointer.info = info->second;
    return pointer;
  }
  const Inst *global = m_spirv.findGlobal(id);
  if (!global || global->opcode != spv::Op::OpVariable || !m_function) {
    pointer.value = m_constants.lookup(id); // OpConstantNull, OpUndef.
    if (!pointer.value)
      return invalidInput("%" + Twine(id) + " has no value here");
    return pointer;
  }
  Expected<PointerInfo> variable = variableInfo(*global);
  if (!variable)
    return variable.takeError();
  pointer.info = *variable;
  if (Constant *address = m_constants.lookup(id)) {
    pointer.value = address;
    return pointer;
  }
  if (!pointer.value && !pointer.info.input) {
    Expected<Value *> address = resourceValue(*global);
    if (!address)
      return address.takeError();
    pointer.value = *address;
  }
  return pointer;
}

/// Returns the number of the BuiltIn decoration among \p decorations, if there is one.
static std::optional<uint32_t> findBuiltIn(ArrayRef<spirv::Decoration> decorations) {
  for (const spirv::Decoration &decoration : decorations)
    if (decoration.kind == spv::Decoration::BuiltIn)
      return decoration.operands[0];
  return std::nullopt;
}

/// In a block, the member has the BuiltIn decoration. Unsupported for inputs that are no built-ins.
Expected<Value *> Translator::readInput(const PointerInfo &input) {
  Id type = m_spirv.type(typeOf(input.input)).element;
  std::optional<uint32_t> builtIn = findBuiltIn(m_spirv.decorations(input.input));
  if (input.inputMember) {
    builtIn = findBuiltIn(m_spirv.memberDecorations(type, *input.inputMember));
    type = m_spirv.type(type).members[*input.inputMember];
  }
  if (!builtIn)
    return unsupported("Input variable %" + Twine(input.input) + " that is no built-in");
  return readBuiltIn(*builtIn, type);
}

/// DeviceIndex is the constant 0. InvalidInput where the type is not that of the built-in;
/// Unsupported for built-ins without a row.
Expected<Value *> Translator::readBuiltIn(uint32_t builtIn, Id type) {
  if (builtIn == DeviceIndex)
    return m_builder.getInt32(0); // There is one device in every group.
  for (const BuiltInRow &row : BuiltIns) {
    if (static_cast<uint32_t>(row.spirv) != builtIn)
      continue;
    Value *value = m_builder.createReadBuiltIn(row.lgc);
    Expected<Type *> wanted = valueType(type);
    if (!wanted)
      return wanted.takeError();
    if (value->getType() != *wanted)
      return invalidInput("built-in " + Twine(builtIn) + " has another type");
    return value;
  }
  return unsupported("built-in " + spirv::builtInName(static_cast<spv::BuiltIn>(builtIn)));
}

/// The alloca is at the end of the prologue; the builder returns to its place.
Value *Translator::createLocal(Type *type, const Twine &name) {
  IRBuilderBase::InsertPointGuard guard(m_builder);
  m_builder.SetInsertPoint(m_prologue->getTerminator());
  return m_builder.CreateAlloca(type, nullptr, name);
}
