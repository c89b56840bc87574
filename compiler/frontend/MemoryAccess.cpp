// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How values lie in memory: one step of an access chain, and loads and stores that take an
// aggregate apart along such steps. Blocks are addressed in bytes by their decorations; other
// memory by LLVM's natural layout, with bool as i32.

#include "compiler/frontend/Translator.h"
#include "support/Error.h"
#include "support/Fault.h"

using namespace llvm;
using namespace assay;
using spirv::TypeKind;

/// The hardware reads and writes dwords where they are aligned to four bytes, however many at once;
/// PAL aligns no buffer further.
static constexpr uint32_t DwordBytes = 4;

/// A load or store of more parts than this is refused: it would become as many instructions.
static constexpr uint64_t MaxLeaves = 1u << 16;

/// \p index, signed and of any width, as wide as offsets from \p pointer are.
static Value *toOffset(Builder &builder, Value *pointer, Value *index) {
  bool isWide = pointer->getType()->getPointerAddressSpace() == GlobalAddressSpace;
  return builder.CreateSExtOrTrunc(index, isWide ? builder.getInt64Ty() : builder.getInt32Ty());
}

/// Returns whether \p index is the constant 0, so that the address does not change.
static bool isConstantZero(Value *index) {
  auto *constant = dyn_cast<ConstantInt>(index);
  return constant && constant->isZero();
}

/// \p index * \p stride in 32 bits, or where it does not fit an offset that lies outside of every
/// buffer of up to 1 GiB; so do up to four of them together.
static Value *saturatedOffset(Builder &builder, Value *index, uint64_t stride) {
  constexpr uint32_t Outside = 0x50000000;
  Value *wide = builder.CreateMul(builder.CreateSExtOrTrunc(index, builder.getInt64Ty()),
                                  builder.getInt64(stride));
  Value *offset = builder.CreateTrunc(wide, builder.getInt32Ty());
  Value *fits = builder.CreateICmpEQ(builder.CreateSExt(offset, builder.getInt64Ty()), wide);
  return builder.CreateSelect(fits, offset, builder.getInt32(Outside));
}

/// With Robustness::Access2 an index into a buffer may not wrap around in 32 bits
/// (saturatedOffset). Constants are exempt.
Value *Translator::addBytes(Value *address, Value *index, uint64_t stride) {
  if (isConstantZero(index))
    return address;
  bool isBuffer = address->getType()->getPointerAddressSpace() == BufferFatPointerSpace;
  if (isBuffer && !isa<Constant>(index) && m_state.hasRobustAccess2())
    return m_builder.CreatePtrAdd(address, saturatedOffset(m_builder, index, stride));
  Value *offset = toOffset(m_builder, address, index);
  Value *scale = ConstantInt::get(offset->getType(), stride);
  return m_builder.CreatePtrAdd(address, m_builder.CreateMul(offset, scale));
}

/// Returns the number of parts of an aggregate, \p value being its LLVM type; 0 for runtime arrays.
static uint64_t elementCount(const spirv::Type &type, Type *value) {
  if (type.kind == TypeKind::Struct)
    return type.members.size();
  return type.kind == TypeKind::RuntimeArray ? 0 : cast<ArrayType>(value)->getNumElements();
}

/// Returns whether \p type is loaded and stored as one value. Matrices are not: their columns may
/// be strided.
static bool isLeaf(const spirv::Type &type) {
  return type.kind == TypeKind::Bool || type.kind == TypeKind::Int ||
         type.kind == TypeKind::Float || type.kind == TypeKind::Vector ||
         type.kind == TypeKind::Pointer;
}

/// Sets pointee, matrix layout and volatility of \p next for \p member; the caller moves the
/// address. InvalidInput where the member does not exist.
static Error stepInStruct(const spirv::Module &module, const spirv::Type &type, uint64_t member,
                          Pointer &next) {
  if (member >= type.members.size())
    return invalidInput("member " + Twine(member) + " of a structure of " +
                        Twine(type.members.size()));
  auto index = static_cast<uint32_t>(member);
  next.pointee = type.members[index];
  next.info.matrix = module.memberLayout(type.id, index);
  if (next.info.matrix.rowMajor && faultPlanted(Fault::RowMajor))
    next.info.matrix.rowMajor = false;
  for (const spirv::Decoration &decoration : module.memberDecorations(type.id, index))
    if (decoration.kind == spv::Decoration::Volatile ||
        decoration.kind == spv::Decoration::Coherent)
      next.info.isVolatile = true;
  return Error::success();
}

/// Bytes of the scalars that \p type, a scalar, vector or matrix, is made of.
static uint32_t scalarBytes(const spirv::Module &module, const spirv::Type &type) {
  const spirv::Type *scalar = &type;
  while (scalar->kind == TypeKind::Vector || scalar->kind == TypeKind::Matrix)
    scalar = &module.type(scalar->element);
  return scalar->width / 8;
}

/// What is known of an address so aligned, \p distance bytes on.
static uint32_t alignmentAt(uint32_t alignment, uint32_t distance) {
  return distance == 0 ? alignment : std::min(alignment, distance & -distance);
}

/// The bytes between neighbours in an array, matrix or vector with explicit layout; notes in \p
/// next what a row-major column needs.
static Expected<uint32_t> explicitStride(const spirv::Module &module, const spirv::Type &type,
                                         const Pointer &pointer, Pointer &next) {
  const spirv::MemberLayout &matrix = pointer.info.matrix;
  switch (type.kind) {
  case TypeKind::Array:
  case TypeKind::RuntimeArray:
    if (type.arrayStride == 0)
      return invalidInput("array %" + Twine(type.id) + " in a block without ArrayStride");
    if (type.arrayStride > DwordBytes && faultPlanted(Fault::ArrayStride))
      return DwordBytes;
    return type.arrayStride;
  case TypeKind::Matrix:
    if (matrix.matrixStride == 0)
      return unsupported("matrix in a block whose MatrixStride is not known");
    if (!matrix.rowMajor)
      return matrix.matrixStride;
    next.info.componentStride = matrix.matrixStride;
    return scalarBytes(module, type);
  case TypeKind::Vector:
    next.info.componentStride = 0;
    return pointer.info.componentStride ? pointer.info.componentStride : scalarBytes(module, type);
  default:
    return invalidInput("%" + Twine(type.id) + " has no elements");
  }
}

/// Steps in a built-in input without address: notes the member or the component in the PointerInfo.
/// Unsupported for arrays and matrices.
static Expected<Pointer> stepInput(const spirv::Module &module, const Pointer &pointer,
                                   Value *index) {
  const spirv::Type &type = module.type(pointer.pointee);
  Pointer next = pointer;
  auto *member = dyn_cast<ConstantInt>(index);
  if (type.kind == TypeKind::Struct && member && member->getValue().ult(type.members.size())) {
    next.info.inputMember = static_cast<uint32_t>(member->getZExtValue());
    next.pointee = type.members[*next.info.inputMember];
    return next;
  }
  if (type.kind != TypeKind::Vector)
    return unsupported("a built-in that is no scalar and no vector");
  next.pointee = type.element;
  next.info.component = index;
  return next;
}

/// Element \p index of an array of descriptors: a block, an image or a sampler.
Pointer Translator::stepInDescriptors(const Pointer &pointer, Value *index) {
  Pointer next = pointer;
  next.pointee = m_spirv.type(pointer.pointee).element;
  index = m_builder.CreateSExtOrTrunc(index, m_builder.getInt32Ty());
  next.info.buffer->index = index;
  next.value = descriptorAddress(*next.info.buffer);
  for (auto [condition, other] : pointer.info.choices) {
    other.index = index;
    next.value = m_builder.CreateSelect(condition, descriptorAddress(other), next.value);
    next.info.buffer.reset();
  }
  next.info.choices.clear();
  return next;
}

/// Blocks are addressed by Offset, ArrayStride and MatrixStride, other memory by a getelementptr. A
/// member index must be constant. InvalidInput where the pointee has no elements or a decoration is
/// missing.
Expected<Pointer> Translator::step(const Pointer &pointer, Value *index) {
  if (!index->getType()->isIntegerTy() || index->getType()->isIntegerTy(1))
    return invalidInput("an index that is no integer");
  if (pointer.info.input)
    return stepInput(m_spirv, pointer, index);
  if (pointer.info.buffer && !pointer.info.buffer->index)
    return stepInDescriptors(pointer, index);

  const spirv::Type &type = m_spirv.type(pointer.pointee);
  Pointer next = pointer;
  next.info.buffer.reset();
  if (!pointer.value)
    return invalidInput("a pointer without an address");
  bool isExplicit = hasExplicitLayout(pointer.storage);
  if (type.kind == TypeKind::Struct) {
    auto *member = dyn_cast<ConstantInt>(index);
    if (!member)
      return invalidInput("a member index that is no constant");
    if (Error error = stepInStruct(m_spirv, type, member->getZExtValue(), next))
      return std::move(error);
    if (isExplicit) {
      if (!next.info.matrix.offset)
        return invalidInput("a member of block %" + Twine(type.id) + " without Offset");
      next.value = addBytes(pointer.value, m_builder.getInt32(*next.info.matrix.offset), 1);
      next.info.alignment = alignmentAt(pointer.info.alignment, *next.info.matrix.offset);
      return next;
    }
  } else {
    next.pointee = type.element;
    if (isExplicit) {
      Expected<uint32_t> stride = explicitStride(m_spirv, type, pointer, next);
      if (!stride)
        return stride.takeError();
      next.value = addBytes(pointer.value, index, *stride);
      next.info.alignment = alignmentAt(pointer.info.alignment, *stride);
      return next;
    }
  }
  Expected<TypeRecord> record = this->type(type.id);
  if (!record)
    return record.takeError();
  if (!record->memory->isAggregateType() && !record->memory->isVectorTy())
    return invalidInput("%" + Twine(type.id) + " has no elements");
  next.value = m_builder.CreateGEP(record->memory, pointer.value, {m_builder.getInt32(0), index});
  return next;
}

/// Uses the ArrayStride of the pointer type where the layout is explicit. Unsupported for pointers
/// without an address.
Expected<Pointer> Translator::moveByElements(const Pointer &base, spirv::Id pointerType,
                                             Value *count) {
  if (!count->getType()->isIntegerTy())
    return invalidInput("an element index that is no integer");
  if (!base.value)
    return unsupported("a base without an address");
  Pointer moved = base;
  moved.info.buffer.reset();
  if (hasExplicitLayout(base.storage)) {
    uint32_t stride = m_spirv.type(pointerType).arrayStride;
    if (stride == 0)
      return invalidInput("its base's pointer type lacks ArrayStride");
    moved.info.alignment = MinAlign(base.info.alignment, stride);
    moved.value = addBytes(base.value, count, stride);
    return moved;
  }
  Expected<TypeRecord> record = type(base.pointee);
  if (!record)
    return record.takeError();
  moved.value =
      m_builder.CreateGEP(record->memory, base.value, toOffset(m_builder, base.value, count));
  return moved;
}

/// Marks loads of memory that does not change during the shader, unless they are volatile.
static void markInvariant(LoadInst *load, const Pointer &pointer) {
  if (pointer.info.isInvariant && !pointer.info.isVolatile)
    load->setMetadata(LLVMContext::MD_invariant_load, MDNode::get(load->getContext(), {}));
}

/// The components of a vector, \p stride bytes apart: calls \p each with the index
/// and the address of each.
static void forEachStrided(Builder &builder, const Pointer &pointer, unsigned count,
                           uint32_t stride, function_ref<void(uint64_t, Value *)> each) {
  for (unsigned i = 0; i < count; ++i)
    each(i,
         builder.CreatePtrAdd(pointer.value, builder.getInt32(static_cast<uint32_t>(i) * stride)));
}

/// The bytes between the components of \p vector that must be accessed one by one: those of a
/// row-major column, and small ones that share dwords which may not be aligned. 0 where the whole
/// can be accessed at once.
static uint32_t separateStride(const Pointer &pointer, FixedVectorType *vector) {
  if (!vector || pointer.info.componentStride)
    return pointer.info.componentStride;
  uint32_t bytes = vector->getScalarSizeInBits() / 8;
  return bytes < DwordBytes && pointer.info.alignment < DwordBytes ? bytes : 0;
}

/// Returns the alignment of an access in a block: that of the scalar, at most four bytes, or what
/// is known of the address if that is more.
static Align explicitAlign(const Pointer &pointer, Type *type) {
  uint32_t bytes =
      type->isPointerTy() ? DwordBytes : std::min(type->getScalarSizeInBits() / 8, DwordBytes);
  return Align(std::max(bytes, pointer.info.alignment));
}

/// How a pointer is aligned in natural memory.
static Align pointerAlign(const TypeRecord &record) {
  bool isPhysical = record.value->getPointerAddressSpace() == GlobalAddressSpace;
  return isPhysical ? Align(8) : Align(4);
}

/// Emits the load of a scalar, vector or pointer; strided vectors are loaded by component. A bool
/// is true where its i32 is not 0.
static Value *loadLeaf(Builder &builder, const Pointer &pointer, const TypeRecord &record,
                       bool isExplicit) {
  bool isVolatile = pointer.info.isVolatile;
  auto *vector = dyn_cast<FixedVectorType>(record.value);
  if (uint32_t stride = isExplicit ? separateStride(pointer, vector) : 0) {
    Value *result = PoisonValue::get(vector);
    Align align(std::min(vector->getScalarSizeInBits() / 8, DwordBytes));
    forEachStrided(
        builder, pointer, vector->getNumElements(), stride, [&](uint64_t i, Value *address) {
          LoadInst *load =
              builder.CreateAlignedLoad(vector->getElementType(), address, align, isVolatile);
          markInvariant(load, pointer);
          result = builder.CreateInsertElement(result, load, i);
        });
    return result;
  }
  if (isExplicit) {
    LoadInst *load = builder.CreateAlignedLoad(record.value, pointer.value,
                                               explicitAlign(pointer, record.value), isVolatile);
    markInvariant(load, pointer);
    return load;
  }
  if (record.value->isPointerTy())
    return builder.CreateAlignedLoad(record.value, pointer.value, pointerAlign(record), isVolatile);
  Value *load = builder.CreateLoad(record.memory, pointer.value, isVolatile);
  if (record.memory == record.value)
    return load;
  return builder.CreateICmpNE(load, Constant::getNullValue(record.memory));
}

/// Emits the store of a scalar, vector or pointer; see loadLeaf.
static void storeLeaf(Builder &builder, const Pointer &pointer, const TypeRecord &record,
                      bool isExplicit, Value *value) {
  bool isVolatile = pointer.info.isVolatile;
  auto *vector = dyn_cast<FixedVectorType>(record.value);
  if (uint32_t stride = isExplicit ? separateStride(pointer, vector) : 0) {
    Align align(std::min(vector->getScalarSizeInBits() / 8, DwordBytes));
    forEachStrided(builder, pointer, vector->getNumElements(), stride,
                   [&](uint64_t i, Value *address) {
                     builder.CreateAlignedStore(builder.CreateExtractElement(value, i), address,
                                                align, isVolatile);
                   });
    return;
  }
  if (isExplicit) {
    builder.CreateAlignedStore(value, pointer.value, explicitAlign(pointer, record.value),
                               isVolatile);
    return;
  }
  if (record.value->isPointerTy()) {
    builder.CreateAlignedStore(value, pointer.value, pointerAlign(record), isVolatile);
    return;
  }
  if (record.memory != record.value)
    value = builder.CreateZExt(value, record.memory);
  builder.CreateStore(value, pointer.value, isVolatile);
}

/// Whether variables of \p storage are the invocation's own, where descriptors are values like
/// others.
static bool isOwnMemory(spv::StorageClass storage) {
  return storage == spv::StorageClass::Function || storage == spv::StorageClass::Private;
}

/// Refuses what can't lie in the memory of \p pointer.
static Error checkAccess(const Pointer &pointer, const spirv::Type &type, const TypeRecord &record,
                         bool isExplicit) {
  if (record.leaves > MaxLeaves)
    return unsupported("a load or store of " + Twine(record.leaves) + " parts at once");
  if (type.kind == TypeKind::RuntimeArray || type.kind == TypeKind::Void)
    return invalidInput("%" + Twine(type.id) + " can't be loaded or stored");
  if (!pointer.value)
    return unsupported("an array of descriptors as a value");
  if (isExplicit && type.kind == TypeKind::Pointer &&
      type.storageClass != spv::StorageClass::PhysicalStorageBuffer)
    return invalidInput("a logical pointer in a block");
  if (isExplicit && record.memory != record.value && isLeaf(type))
    return invalidInput("OpTypeBool in a block");
  return Error::success();
}

/// Aggregates are loaded element by element. Inputs of compute shaders are read as built-ins;
/// descriptors are loaded from their table unless they lie in the invocation's memory.
Expected<Value *> Translator::load(const Pointer &pointer) {
  bool isStruct = m_spirv.type(pointer.pointee).kind == TypeKind::Struct;
  if (pointer.info.input && !isStruct) {
    Expected<Value *> input = readInput(pointer.info);
    if (!input || !pointer.info.component)
      return input;
    return m_builder.CreateExtractElement(*input, pointer.info.component);
  }
  Expected<TypeRecord> record = type(pointer.pointee);
  if (!record)
    return record.takeError();
  const spirv::Type &pointee = m_spirv.type(pointer.pointee);
  if (isDescriptor(pointee) && isOwnMemory(pointer.storage))
    return m_builder.CreateLoad(record->value, pointer.value);
  if (isDescriptor(pointee))
    return loadDescriptor(pointer);
  if (!pointer.info.input)
    if (Error error = checkAccess(pointer, pointee, *record, hasExplicitLayout(pointer.storage)))
      return std::move(error);
  if (isLeaf(pointee))
    return loadLeaf(m_builder, pointer, *record, hasExplicitLayout(pointer.storage));

  Value *result = PoisonValue::get(record->value);
  for (unsigned i = 0; i < elementCount(pointee, record->value); ++i) {
    Expected<Pointer> element = step(pointer, m_builder.getInt32(i));
    if (!element)
      return element.takeError();
    Expected<Value *> part = load(*element);
    if (!part)
      return part.takeError();
    result = m_builder.CreateInsertValue(result, *part, i);
  }
  return result;
}

/// Aggregates are stored element by element; null arrays with many elements by a loop. InvalidInput
/// for inputs and for values of another type.
Error Translator::store(const Pointer &pointer, Value *value) {
  Expected<TypeRecord> record = type(pointer.pointee);
  if (!record)
    return record.takeError();
  const spirv::Type &pointee = m_spirv.type(pointer.pointee);
  if (pointer.info.input)
    return invalidInput("a store to an Input variable");
  if (Error error = checkAccess(pointer, pointee, *record, hasExplicitLayout(pointer.storage)))
    return error;
  if (value->getType() != record->value)
    return invalidInput("the stored value has another type than the memory");
  if (isDescriptor(pointee) && isOwnMemory(pointer.storage)) {
    m_builder.CreateStore(value, pointer.value);
    return Error::success();
  }
  if (isLeaf(pointee)) {
    storeLeaf(m_builder, pointer, *record, hasExplicitLayout(pointer.storage), value);
    return Error::success();
  }
  auto storeElement = [&](Value *index, Value *part) -> Error {
    Expected<Pointer> element = step(pointer, index);
    return element ? store(*element, part) : element.takeError();
  };
  auto *constant = dyn_cast<Constant>(value);
  uint64_t count = elementCount(pointee, record->value);
  if (constant && constant->isNullValue() && pointee.kind == TypeKind::Array) {
    Constant *null = constant->getAggregateElement(0u);
    return forEachIndex(count, [&](Value *index) { return storeElement(index, null); });
  }
  for (unsigned i = 0; i < count; ++i)
    if (Error error = storeElement(m_builder.getInt32(i), m_builder.CreateExtractValue(value, i)))
      return error;
  return Error::success();
}

/// Bools become i32 0 or 1. Unsupported for more than MaxLeaves parts and for constant expressions
/// of composites.
Expected<Constant *> Translator::toMemory(Constant *constant, spirv::Id typeId) {
  Expected<TypeRecord> record = type(typeId);
  if (!record)
    return record.takeError();
  if (record->memory == record->value)
    return constant;
  if (constant->isNullValue())
    return Constant::getNullValue(record->memory);
  if (record->leaves > MaxLeaves)
    return unsupported("an initializer of " + Twine(record->leaves) + " parts");
  const spirv::Type &spirvType = m_spirv.type(typeId);
  if (auto *integer = dyn_cast<ConstantInt>(constant))
    return ConstantInt::get(record->memory, integer->getZExtValue());
  bool isVector = spirvType.kind == TypeKind::Vector;
  uint64_t count = isVector ? spirvType.count : elementCount(spirvType, record->value);
  SmallVector<Constant *, 8> parts;
  for (unsigned i = 0; i < count; ++i) {
    Constant *element = constant->getAggregateElement(i);
    if (!element)
      return unsupported("an initializer that is no composite constant");
    bool isStruct = spirvType.kind == TypeKind::Struct;
    Expected<Constant *> part =
        toMemory(element, isStruct ? spirvType.members[i] : spirvType.element);
    if (!part)
      return part.takeError();
    parts.push_back(*part);
  }
  if (isVector)
    return ConstantVector::get(parts);
  if (auto *structType = dyn_cast<StructType>(record->memory))
    return ConstantStruct::get(structType, parts);
  return ConstantArray::get(cast<ArrayType>(record->memory), parts);
}
