// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/lgc/fat_pointers/TypeMap.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/AttributeMask.h"
#include "llvm/Support/ModRef.h"

using namespace llvm;
using namespace assay;

bool assay::isFatPointer(const Type *type) {
  auto *pointer = dyn_cast<PointerType>(type->getScalarType());
  return pointer &&
         (pointer->getAddressSpace() == FatSpace || pointer->getAddressSpace() == StridedFatSpace);
}

bool assay::isStrided(const Type *type) {
  return type->getPointerAddressSpace() == StridedFatSpace;
}

unsigned assay::getFatPointerBits(const Type *type) {
  return isStrided(type) ? 192 : 160;
}

Type *assay::getTypeLike(const Type *shape, Type *scalar) {
  auto *vector = dyn_cast<VectorType>(shape);
  return vector ? VectorType::get(scalar, vector->getElementCount()) : scalar;
}

/// Remembers the answer for types that contain others.
bool TypeMap::holdsFatPointer(Type *type) {
  if (isFatPointer(type))
    return true;
  if (type->getNumContainedTypes() == 0)
    return false;
  auto found = m_holds.find(type);
  if (found != m_holds.end())
    return found->second;
  bool holds = any_of(type->subtypes(), [&](Type *part) { return holdsFatPointer(part); });
  m_holds[type] = holds;
  return holds;
}

/// A named structure becomes another with the suffix ".split".
Type *TypeMap::remapStruct(StructType *type) {
  SmallVector<Type *, 8> elements;
  for (Type *element : type->elements())
    elements.push_back(remap(element));
  if (type->isLiteral())
    return StructType::get(type->getContext(), elements, type->isPacked());
  return StructType::create(type->getContext(), elements, (type->getName() + ".split").str(),
                            type->isPacked());
}

/// Handles pointers, arrays and structures; other types that hold fat pointers have been refused
/// (Refusals.h).
Type *TypeMap::remap(Type *type) {
  if (!holdsFatPointer(type))
    return type;
  Type *&slot = m_values[type];
  if (slot)
    return slot;
  LLVMContext &context = type->getContext();
  Type *result = nullptr;
  if (isFatPointer(type)) {
    Type *resource = getTypeLike(type, PointerType::get(context, ResourceSpace));
    Type *number = getTypeLike(type, Type::getInt32Ty(context));
    result = isStrided(type) ? StructType::get(context, {resource, number, number})
                             : StructType::get(context, {resource, number});
  } else if (auto *array = dyn_cast<ArrayType>(type)) {
    result = ArrayType::get(remap(array->getElementType()), array->getNumElements());
  } else {
    result = remapStruct(cast<StructType>(type));
  }
  return m_values[type] = result;
}

FunctionType *TypeMap::remap(FunctionType *type) {
  SmallVector<Type *, 8> parameters;
  for (Type *parameter : type->params())
    parameters.push_back(remap(parameter));
  return FunctionType::get(remap(type->getReturnType()), parameters, type->isVarArg());
}

Type *TypeMap::getIntegerType(Type *pointer) {
  return getTypeLike(pointer, Type::getIntNTy(pointer->getContext(), getFatPointerBits(pointer)));
}

namespace {
/// A packed struct whose elements are given by their places.
class PackedLayout {
public:
  PackedLayout(LLVMContext &context, const DataLayout &layout)
      : m_context(context), m_layout(layout) {}

  /// Appends an element at \p offset bytes, which may not precede the end of the last one.
  void add(uint64_t offset, Type *type) {
    pad(offset);
    m_elements.push_back(type);
    m_end = offset + m_layout.getTypeAllocSize(type);
  }
  /// Pads to \p size bytes and returns the type.
  Type *finish(uint64_t size) {
    pad(size);
    return StructType::get(m_context, m_elements, /*isPacked=*/true);
  }

private:
  /// Fills up to \p offset with an array of i8.
  void pad(uint64_t offset) {
    assert(offset >= m_end && "elements overlap");
    if (offset > m_end)
      m_elements.push_back(ArrayType::get(Type::getInt8Ty(m_context), offset - m_end));
    m_end = offset;
  }

  LLVMContext &m_context;
  const DataLayout &m_layout;
  SmallVector<Type *, 8> m_elements;
  uint64_t m_end = 0;
};
} // namespace

/// A structure becomes a packed one with explicit padding, its elements at the offsets of the data
/// layout. A fat pointer becomes {integer, padding} of its allocated size.
Type *TypeMap::getMemoryType(Type *type) {
  if (!holdsFatPointer(type))
    return type;
  if (Type *known = m_memory.lookup(type))
    return known;
  PackedLayout packed(type->getContext(), m_layout);
  Type *result = nullptr;
  if (auto *array = dyn_cast<ArrayType>(type)) {
    result = ArrayType::get(getMemoryType(array->getElementType()), array->getNumElements());
  } else if (auto *structType = dyn_cast<StructType>(type)) {
    const StructLayout *places = m_layout.getStructLayout(structType);
    for (auto [i, element] : enumerate(structType->elements()))
      packed.add(places->getElementOffset(i), getMemoryType(element));
    result = packed.finish(places->getSizeInBytes());
  } else {
    packed.add(0, getIntegerType(type));
    result = packed.finish(m_layout.getTypeAllocSize(type));
  }
  assert(m_layout.getTypeAllocSize(result) == m_layout.getTypeAllocSize(type));
  return m_memory[type] = result;
}

/// Attributes that name the type of the memory that a pointer points to.
static constexpr Attribute::AttrKind typeAttributes[] = {Attribute::ByVal, Attribute::StructRet,
                                                         Attribute::ByRef, Attribute::ElementType};

/// Replaces the types that attributes at \p index name by their memory forms.
AttributeList TypeMap::remapTypesOfAttributes(AttributeList attributes, unsigned index,
                                              LLVMContext &context) {
  for (Attribute::AttrKind kind : typeAttributes) {
    Attribute attribute = attributes.getAttributeAtIndex(index, kind);
    if (!attribute.isValid() || !attribute.getValueAsType())
      continue;
    Type *type = attribute.getValueAsType();
    if (holdsFatPointer(type))
      attributes = attributes.replaceAttributeTypeAtIndex(
          context, index, kind, isFatPointer(type) ? getIntegerType(type) : getMemoryType(type));
  }
  return attributes;
}

/// Memory of a pointer argument is after a resource now, which is no argument as such.
static AttributeList forgetArgumentMemory(AttributeList attributes, LLVMContext &context) {
  MemoryEffects effects = attributes.getMemoryEffects();
  ModRefInfo argument = effects.getModRef(IRMemLocation::ArgMem);
  if (!attributes.hasFnAttr(Attribute::Memory) || argument == ModRefInfo::NoModRef)
    return attributes;
  effects |= MemoryEffects(IRMemLocation::Other, argument);
  return attributes.addFnAttribute(context, Attribute::getWithMemoryEffects(context, effects));
}

AttributeList TypeMap::remap(AttributeList attributes, FunctionType *before) {
  LLVMContext &context = before->getContext();
  for (auto [i, parameter] : enumerate(before->params())) {
    unsigned index = AttributeList::FirstArgIndex + i;
    attributes = remapTypesOfAttributes(attributes, index, context);
    if (holdsFatPointer(parameter))
      attributes = attributes.removeAttributesAtIndex(
          context, index,
          AttributeFuncs::typeIncompatible(remap(parameter), attributes.getAttributes(index)));
  }
  Type *returned = before->getReturnType();
  if (holdsFatPointer(returned))
    attributes = attributes.removeAttributesAtIndex(
        context, AttributeList::ReturnIndex,
        AttributeFuncs::typeIncompatible(remap(returned), attributes.getRetAttrs()));
  if (any_of(before->params(), [&](Type *type) { return holdsFatPointer(type); }))
    attributes = forgetArgumentMemory(attributes, context);
  return attributes;
}
