// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPIR-V types to LLVM types. Types are made in the order of the module, so that nothing here
// recurses; one that is not supported is remembered with its reason, told when it is used.

#include "compiler/frontend/Translator.h"
#include "support/Error.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;
using namespace assay;
using spirv::TypeKind;

/// SPIR-V's universal limit for the nesting of structures (2.17). It is used for all types, as
/// loads and stores recurse over them.
static constexpr unsigned MaxTypeDepth = 255;

/// Returns whether offsets and strides of memory in \p storage are decorated. They are in Workgroup
/// memory where a Workgroup variable is a block.
bool Translator::hasExplicitLayout(spv::StorageClass storage) const {
  return storage == spv::StorageClass::Uniform || storage == spv::StorageClass::StorageBuffer ||
         storage == spv::StorageClass::PushConstant ||
         storage == spv::StorageClass::PhysicalStorageBuffer ||
         (storage == spv::StorageClass::Workgroup && m_hasSharedBlocks);
}

/// Returns the LLVM address space of \p storage. Unsupported for storage classes that no case
/// names.
Expected<unsigned> Translator::addressSpace(spv::StorageClass storage) {
  switch (storage) {
  case spv::StorageClass::Uniform:
  case spv::StorageClass::StorageBuffer:
    return unsigned(BufferFatPointerSpace);
  case spv::StorageClass::PhysicalStorageBuffer:
    return unsigned(GlobalAddressSpace);
  case spv::StorageClass::PushConstant:
  case spv::StorageClass::UniformConstant: // Addresses in descriptor tables.
    return unsigned(ConstantAddressSpace);
  case spv::StorageClass::Workgroup:
    return unsigned(LocalAddressSpace);
  case spv::StorageClass::Function:
  case spv::StorageClass::Private:
  case spv::StorageClass::Input: // Of compute shaders never made: see PointerInfo::input.
  case spv::StorageClass::Output:
    return unsigned(PrivateAddressSpace);
  default:
    return unsupported("storage class " + spirv::storageClassName(storage));
  }
}

/// Unsupported, with the original reason, for a type that was refused; InvalidInput for an id that
/// is not the type of a value.
Expected<TypeRecord> Translator::type(spirv::Id id) {
  auto record = m_types.find(id);
  if (record != m_types.end())
    return record->second;
  auto refused = m_refused.find(id);
  if (refused != m_refused.end())
    return unsupported(refused->second);
  // A pointer type may be used before it is declared (OpTypeForwardPointer).
  if (const spirv::Type *type = m_spirv.findType(id); type && type->kind == TypeKind::Pointer)
    return makeType(*type);
  return invalidInput("%" + Twine(id) + " is not the type of a value");
}

Expected<Type *> Translator::valueType(spirv::Id id) {
  Expected<TypeRecord> record = type(id);
  if (!record)
    return record.takeError();
  return record->value;
}

/// Runtime arrays are LLVM arrays of length 0. InvalidInput for other arrays of length 0.
Expected<TypeRecord> Translator::makeArray(const spirv::Type &type) {
  Expected<TypeRecord> element = this->type(type.element);
  if (!element)
    return element.takeError();
  uint64_t count = 0;
  if (type.kind == TypeKind::Array) {
    Expected<uint32_t> length = constantInt(type.lengthId);
    if (!length)
      return length.takeError();
    if (*length == 0)
      return invalidInput("array of length 0");
    count = *length;
  }
  TypeRecord record;
  record.value = ArrayType::get(element->value, count);
  record.memory = ArrayType::get(element->memory, count);
  record.depth = element->depth + 1;
  record.leaves = SaturatingMultiply(element->leaves, count);
  return record;
}

/// Returns a literal structure. In memory it is unpacked and has LLVM's layout; explicit offsets do
/// not show in the type.
Expected<TypeRecord> Translator::makeStruct(const spirv::Type &type) {
  SmallVector<Type *, 8> values;
  SmallVector<Type *, 8> memories;
  TypeRecord record;
  record.leaves = 0;
  for (spirv::Id member : type.members) {
    Expected<TypeRecord> part = this->type(member);
    if (!part)
      return part.takeError();
    values.push_back(part->value);
    memories.push_back(part->memory);
    record.depth = std::max(record.depth, part->depth + 1);
    record.leaves = SaturatingAdd(record.leaves, part->leaves);
  }
  // Literal structures: those of one shape are one type, which makes OpCopyLogical a no-op.
  record.value = StructType::get(m_context, values);
  record.memory = StructType::get(m_context, memories);
  return record;
}

/// Returns i1 for bool, integers of 8 to 64 bits and floats of 16 to 64 bits; others are
/// Unsupported.
static Expected<Type *> makeScalar(const spirv::Type &type, LLVMContext &context) {
  if (type.kind == TypeKind::Bool)
    return Type::getInt1Ty(context);
  bool isInt = type.kind == TypeKind::Int;
  if (type.width == 64)
    return isInt ? Type::getInt64Ty(context) : Type::getDoubleTy(context);
  if (type.width == 32)
    return isInt ? Type::getInt32Ty(context) : Type::getFloatTy(context);
  if (type.width == 16)
    return isInt ? Type::getInt16Ty(context) : Type::getHalfTy(context);
  if (type.width == 8 && isInt)
    return Type::getInt8Ty(context);
  return unsupported(Twine(type.width) + (isInt ? "-bit integers" : "-bit floats"));
}

/// Returns \p type, with i32 in place of i1.
static Type *memoryOf(Type *type) {
  if (!type->isIntOrIntVectorTy(1))
    return type;
  return type->getWithNewBitWidth(32);
}

/// Vectors have two to four components; others are Unsupported.
Expected<TypeRecord> Translator::makeVector(const spirv::Type &type) {
  Expected<TypeRecord> component = this->type(type.element);
  if (!component)
    return component.takeError();
  if (!component->value->isIntegerTy() && !component->value->isFloatingPointTy())
    return invalidInput("a vector of what is no scalar");
  if (type.count < 2 || type.count > 4)
    return unsupported("vector of " + Twine(type.count) + " components");
  TypeRecord record;
  record.value = FixedVectorType::get(component->value, type.count);
  record.memory = memoryOf(record.value);
  return record;
}

/// Returns an array of column vectors, with one leaf for each.
Expected<TypeRecord> Translator::makeMatrix(const spirv::Type &type) {
  Expected<TypeRecord> column = this->type(type.element);
  if (!column)
    return column.takeError();
  if (!column->value->isVectorTy() || !column->value->getScalarType()->isFloatingPointTy())
    return invalidInput("a matrix whose columns are no vectors of floats");
  if (type.count < 2 || type.count > 4)
    return invalidInput("a matrix of " + Twine(type.count) + " columns");
  TypeRecord record;
  record.value = record.memory = ArrayType::get(column->value, type.count);
  record.depth = 1;
  record.leaves = type.count;
  return record;
}

/// Returns the value and memory types of \p type. In memory a bool has 32 bits, and a pointer to a
/// buffer five dwords. Unsupported for types without an LLVM type.
Expected<TypeRecord> Translator::makeType(const spirv::Type &type) {
  TypeRecord record;
  switch (type.kind) {
  case TypeKind::Bool:
  case TypeKind::Int:
  case TypeKind::Float: {
    Expected<Type *> scalar = makeScalar(type, m_context);
    if (!scalar)
      return scalar.takeError();
    record.value = *scalar;
    record.memory = memoryOf(*scalar);
    return record;
  }
  case TypeKind::Vector:
    return makeVector(type);
  case TypeKind::Matrix:
    return makeMatrix(type);
  case TypeKind::Array:
  case TypeKind::RuntimeArray:
    return makeArray(type);
  case TypeKind::Struct:
    return makeStruct(type);
  case TypeKind::Pointer: {
    Expected<unsigned> space = addressSpace(type.storageClass);
    if (!space)
      return space.takeError();
    record.value = record.memory = PointerType::get(m_context, *space);
    // LLVM's lowering of fat pointers changes their size, and so the distance of neighbours, in
    // getelementptr (bugs/README.md): there is none of their type.
    constexpr unsigned FatPointerDwords = 5;
    if (*space == BufferFatPointerSpace)
      record.memory = ArrayType::get(Type::getInt32Ty(m_context), FatPointerDwords);
    return record;
  }
  case TypeKind::Image:
  case TypeKind::Sampler:
  case TypeKind::SampledImage:
    return makeDescriptor(type);
  default:
    return unsupported("no LLVM type for it yet");
  }
}

/// Records the type. Void and function types are no types of values and get no record.
Error Translator::translateType(const spirv::Type &type) {
  if (type.kind == TypeKind::Void || type.kind == TypeKind::Function)
    return Error::success(); // No type of a value.
  Expected<TypeRecord> record = makeType(type);
  if (!record)
    return record.takeError();
  if (record->depth > MaxTypeDepth)
    return unsupported("types nested more than " + Twine(MaxTypeDepth) + " deep");
  m_types[type.id] = *record;
  return Error::success();
}
