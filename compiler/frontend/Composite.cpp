// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Chapter "Composite Instructions": vectors, matrices, arrays and structures as values.

#include "compiler/frontend/Translator.h"
#include "support/Error.h"
#include "support/Fault.h"

using namespace llvm;
using namespace assay;
using Inst = spirv::Instruction;
using Args = ArrayRef<Value *>;

/// The type of element \p index of \p type, or null.
static Type *elementType(Type *type, uint32_t index) {
  if (auto *vector = dyn_cast<FixedVectorType>(type))
    return index < vector->getNumElements() ? vector->getElementType() : nullptr;
  if (auto *array = dyn_cast<ArrayType>(type))
    return index < array->getNumElements() ? array->getElementType() : nullptr;
  if (auto *structure = dyn_cast<StructType>(type))
    return index < structure->getNumElements() ? structure->getElementType(index) : nullptr;
  return nullptr;
}

/// Returns element \p index of a vector, array or structure. The index must be in range
/// (elementType is not null).
static Value *extract(Builder &builder, Value *composite, uint32_t index) {
  if (composite->getType()->isVectorTy())
    return builder.CreateExtractElement(composite, uint64_t(index));
  return builder.CreateExtractValue(composite, index);
}

/// Returns \p composite with element \p index replaced by \p part. Types and range have been
/// checked.
static Value *insert(Builder &builder, Value *composite, Value *part, uint32_t index) {
  if (auto *vector = dyn_cast<FixedVectorType>(composite->getType());
      vector && faultPlanted(Fault::InsertIndex))
    index = (index + 1) % vector->getNumElements();
  if (composite->getType()->isVectorTy())
    return builder.CreateInsertElement(composite, part, uint64_t(index));
  return builder.CreateInsertValue(composite, part, index);
}

/// Returns the part that the literal indices \p path lead to, the outermost first; InvalidInput
/// where one is out of range.
static Expected<Value *> extractAt(Builder &builder, Value *composite, ArrayRef<uint32_t> path) {
  for (uint32_t index : path) {
    if (!elementType(composite->getType(), index))
      return invalidInput("index " + Twine(index) + " leads out of its composite");
    composite = extract(builder, composite, index);
  }
  return composite;
}

/// Handles OpCompositeExtract of a value, the only form at module scope. All operands after the
/// first are literals.
static Expected<Value *> compositeExtract(Translator &t, const Inst &inst, Args args) {
  return extractAt(t.builder(), args[0], ArrayRef(inst.operands).drop_front(1));
}

/// Inside functions: a part of an aggregate that lies in memory is loaded alone.
static Error extractFromFunction(Translator &t, const Inst &inst) {
  std::optional<Pointer> place = t.findInMemory(inst.operand(0));
  if (!place) {
    Expected<Value *> value = t.evaluate(inst);
    if (!value)
      return value.takeError();
    return t.define(inst, *value);
  }
  for (uint32_t index : ArrayRef(inst.operands).drop_front(1)) {
    Expected<Pointer> next = t.step(*place, t.builder().getInt32(index));
    if (!next)
      return next.takeError();
    place = *next;
  }
  Expected<Value *> value = t.load(*place);
  if (!value)
    return value.takeError();
  return t.define(inst, *value);
}

/// Operands: the new part, the composite, then the literal indices of the place. InvalidInput where
/// an index is out of range or the part has another type than the place.
static Expected<Value *> compositeInsert(Translator &t, const Inst &inst, Args args) {
  Builder &builder = t.builder();
  ArrayRef<uint32_t> path = ArrayRef(inst.operands).drop_front(2);
  // From the outside in, then the changed parts from the inside out.
  SmallVector<Value *, 4> outer;
  Value *part = args[1];
  for (uint32_t index : path) {
    if (!elementType(part->getType(), index))
      return invalidInput("index " + Twine(index) + " leads out of its composite");
    outer.push_back(part);
    part = extract(builder, part, index);
  }
  if (part->getType() != args[0]->getType())
    return invalidInput("the inserted part has another type");
  part = args[0];
  for (size_t i = path.size(); i-- > 0;)
    part = insert(builder, outer[i], part, path[i]);
  return part;
}

/// A vector may be made of scalars and smaller vectors.
static Expected<Value *> constructVector(Builder &builder, FixedVectorType *type, Args args) {
  Value *result = PoisonValue::get(type);
  uint32_t next = 0;
  for (Value *arg : args) {
    auto *vector = dyn_cast<FixedVectorType>(arg->getType());
    uint32_t count = vector ? vector->getNumElements() : 1;
    if (arg->getType()->getScalarType() != type->getElementType() ||
        next + count > type->getNumElements())
      return invalidInput("its constituents do not fit the vector");
    for (uint32_t i = 0; i < count; ++i) {
      Value *component = vector ? builder.CreateExtractElement(arg, uint64_t(i)) : arg;
      result = builder.CreateInsertElement(result, component, uint64_t(next++));
    }
  }
  if (next != type->getNumElements())
    return invalidInput("its constituents do not fill the vector");
  return result;
}

/// Arrays, matrices and structures need one operand for each element, of just its type; vectors see
/// constructVector.
static Expected<Value *> compositeConstruct(Translator &t, const Inst &inst, Args args) {
  Expected<Type *> type = t.valueType(inst.typeId);
  if (!type)
    return type.takeError();
  if (auto *vector = dyn_cast<FixedVectorType>(*type))
    return constructVector(t.builder(), vector, args);
  Value *result = PoisonValue::get(*type);
  for (uint32_t i = 0; i < args.size(); ++i) {
    if (elementType(*type, i) != args[i]->getType())
      return invalidInput("constituent " + Twine(i) + " does not fit the type");
    result = t.builder().CreateInsertValue(result, args[i], i);
  }
  if (elementType(*type, static_cast<uint32_t>(args.size())))
    return invalidInput("its constituents do not fill the composite");
  return result;
}

/// Literals select from the components of both vectors in sequence; 0xffffffff selects none. The
/// vectors may differ in length. InvalidInput where they differ in component type, or a literal is
/// out of range.
static Expected<Value *> vectorShuffle(Translator &t, const Inst &inst, Args args) {
  constexpr uint32_t Undefined = 0xffffffff;
  auto *first = dyn_cast<FixedVectorType>(args[0]->getType());
  auto *second = dyn_cast<FixedVectorType>(args[1]->getType());
  if (!first || !second || first->getElementType() != second->getElementType())
    return invalidInput("its operands are no vectors of one component type");
  ArrayRef<uint32_t> selectors = ArrayRef(inst.operands).drop_front(2);
  uint32_t firstCount = first->getNumElements();
  SmallVector<int, 4> mask;
  for (uint32_t selector : selectors) {
    if (selector != Undefined && selector >= firstCount + second->getNumElements())
      return invalidInput("component " + Twine(selector) + " is in neither vector");
    bool isSecond = selector != Undefined && selector >= firstCount;
    if (isSecond && selector - firstCount < firstCount && faultPlanted(Fault::ShuffleIndex))
      selector -= firstCount;
    // Any component will do for an undefined one; LLVM's poison would spread.
    mask.push_back(selector == Undefined ? 0 : static_cast<int>(selector));
  }
  if (first == second)
    return t.builder().CreateShuffleVector(args[0], args[1], mask);
  // Vectors of different lengths, which LLVM does not shuffle: component by component.
  auto *type = FixedVectorType::get(first->getElementType(), selectors.size());
  Value *result = PoisonValue::get(type);
  for (uint64_t i = 0; i < mask.size(); ++i) {
    auto index = static_cast<uint32_t>(mask[i]);
    bool isFirst = index < firstCount;
    Value *component = t.builder().CreateExtractElement(
        isFirst ? args[0] : args[1], uint64_t(isFirst ? index : index - firstCount));
    result = t.builder().CreateInsertElement(result, component, i);
  }
  return result;
}

/// Emits an extractelement with an index that is known at run time. SPIR-V leaves an index out of
/// range undefined.
static Expected<Value *> vectorExtractDynamic(Translator &t, const Inst &, Args args) {
  if (!isa<FixedVectorType>(args[0]->getType()))
    return invalidInput("its operand is no vector");
  Expected<Value *> index = createIndex(t.builder(), args[1]);
  if (!index)
    return index.takeError();
  if (faultPlanted(Fault::DynamicIndex))
    *index = t.builder().CreateSelect(
        t.builder().CreateICmpEQ(*index, Constant::getNullValue((*index)->getType())), *index,
        t.builder().CreateSub(*index, ConstantInt::get((*index)->getType(), 1)));
  return t.builder().CreateExtractElement(args[0], *index);
}

/// Operands: vector, component, index; the index is as for vectorExtractDynamic.
static Expected<Value *> vectorInsertDynamic(Translator &t, const Inst &, Args args) {
  auto *vector = dyn_cast<FixedVectorType>(args[0]->getType());
  if (!vector || vector->getElementType() != args[1]->getType())
    return invalidInput("its operands are no vector and component");
  Expected<Value *> index = createIndex(t.builder(), args[2]);
  if (!index)
    return index.takeError();
  return t.builder().CreateInsertElement(args[0], args[1], *index);
}

/// Handles OpCopyObject and OpCopyLogical. A pointer keeps what is known of it. Values need no
/// conversion, as structures of one shape are one LLVM type (makeStruct).
static Error copyObject(Translator &t, const Inst &inst) {
  const spirv::Type *type = t.spirv().findType(inst.typeId);
  if (type && type->kind == spirv::TypeKind::Pointer) {
    Expected<Pointer> pointer = t.pointer(inst.operand(0));
    if (!pointer)
      return pointer.takeError();
    return t.definePointer(inst, pointer->value, pointer->info);
  }
  Expected<Value *> value = t.value(inst.operand(0));
  if (!value)
    return value.takeError();
  return t.define(inst, *value);
}

/// The count of values excludes literal indices. OpCompositeExtract has a handler for functions,
/// where aggregates may lie in memory.
static constexpr OpcodeRow CompositeRows[] = {
    {spv::Op::OpVectorExtractDynamic, 2, Shape::Free, vectorExtractDynamic},
    {spv::Op::OpVectorInsertDynamic, 3, Shape::Free, vectorInsertDynamic},
    {spv::Op::OpVectorShuffle, 2, Shape::Free, vectorShuffle},
    {spv::Op::OpCompositeConstruct, OpcodeRow::AllOperands, Shape::Free, compositeConstruct},
    {spv::Op::OpCompositeExtract, 1, Shape::Free, compositeExtract, extractFromFunction},
    {spv::Op::OpCompositeInsert, 2, Shape::Free, compositeInsert},
    {.opcode = spv::Op::OpCopyObject, .effect = copyObject},
    {.opcode = spv::Op::OpCopyLogical, .effect = copyObject},
};

ArrayRef<OpcodeRow> assay::compositeOpcodes() {
  return CompositeRows;
}
