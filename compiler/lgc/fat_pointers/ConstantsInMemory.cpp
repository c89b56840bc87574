// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/lgc/fat_pointers/ConstantsInMemory.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/Operator.h"

using namespace llvm;
using namespace assay;

/// Looks at operands recursively. A global counts by the type of its address, not by its
/// initialiser.
bool assay::usesFatPointers(const Constant &constant, TypeMap &types) {
  if (types.holdsFatPointer(constant.getType()))
    return true;
  if (auto *step = dyn_cast<GEPOperator>(&constant))
    if (types.holdsFatPointer(step->getSourceElementType()))
      return true;
  if (isa<GlobalValue>(constant))
    return false;
  return any_of(constant.operands(), [&](const Use &use) {
    auto *part = dyn_cast<Constant>(use.get());
    return part && usesFatPointers(*part, types);
  });
}

/// The bits of a resource that is a number.
static std::optional<APInt> evaluateResource(const Constant &constant) {
  constexpr unsigned resourceBits = 128;
  if (constant.isNullValue())
    return APInt(resourceBits, 0);
  auto *expression = dyn_cast<ConstantExpr>(&constant);
  if (expression && expression->getOpcode() == Instruction::IntToPtr)
    if (auto *number = dyn_cast<ConstantInt>(expression->getOperand(0)))
      return number->getValue().zextOrTrunc(resourceBits);
  return std::nullopt;
}

/// Follows inttoptr, addrspacecast from a resource, and steps by constants. The resource is in the
/// highest 128 bits, the offset in the lowest 32; a step wraps within the offset.
std::optional<APInt> assay::evaluateFatPointer(const Constant &constant, const DataLayout &layout) {
  unsigned bits = getFatPointerBits(constant.getType());
  if (constant.isNullValue())
    return APInt(bits, 0);
  auto *expression = dyn_cast<ConstantExpr>(&constant);
  if (!expression)
    return std::nullopt;
  auto *operand = cast<Constant>(expression->getOperand(0));
  if (expression->getOpcode() == Instruction::IntToPtr) {
    auto *number = dyn_cast<ConstantInt>(operand);
    return number ? std::optional(number->getValue().zextOrTrunc(bits)) : std::nullopt;
  }
  if (expression->getOpcode() == Instruction::AddrSpaceCast) {
    if (operand->isNullValue())
      return APInt(bits, 0);
    if (operand->getType()->getPointerAddressSpace() != ResourceSpace)
      return std::nullopt;
    std::optional<APInt> resource = evaluateResource(*operand);
    return resource ? std::optional(resource->zext(bits) << (bits - resource->getBitWidth()))
                    : std::nullopt;
  }
  auto *step = dyn_cast<GEPOperator>(expression);
  APInt offset(32, 0);
  if (!step || !step->accumulateConstantOffset(layout, offset))
    return std::nullopt;
  std::optional<APInt> base = evaluateFatPointer(*operand, layout);
  if (base)
    base->insertBits(base->trunc(32) + offset, 0);
  return base;
}

namespace {
/// Constants in memory form. Null: not known when compiling.
class ConstantForm {
public:
  ConstantForm(TypeMap &types, const DataLayout &layout) : m_types(types), m_layout(layout) {}

  /// The memory form of any constant; the constant itself where it has nothing to do with fat
  /// pointers.
  Constant *get(Constant &constant);

private:
  Constant *getPointer(Constant &pointer);
  /// The number that a fat pointer is; undef and poison stay what they are.
  Constant *getInteger(Constant &pointer);
  /// Arrays and structures element by element; padding of the memory type is undef.
  Constant *getAggregate(Constant &constant);
  Constant *getExpression(Constant &constant);

  TypeMap &m_types;
  const DataLayout &m_layout;
};
} // namespace

/// Null where evaluateFatPointer() has no number for it.
Constant *ConstantForm::getInteger(Constant &pointer) {
  Type *type = m_types.getIntegerType(pointer.getType());
  if (isa<PoisonValue>(pointer))
    return PoisonValue::get(type);
  if (isa<UndefValue>(pointer))
    return UndefValue::get(type);
  std::optional<APInt> number = evaluateFatPointer(pointer, m_layout);
  return number ? ConstantInt::get(type, *number) : nullptr;
}

/// {integer, padding}, as getMemoryType() says.
Constant *ConstantForm::getPointer(Constant &pointer) {
  Constant *number = nullptr;
  if (auto *vector = dyn_cast<FixedVectorType>(pointer.getType())) {
    SmallVector<Constant *, 8> elements;
    for (unsigned i = 0; i < vector->getNumElements(); ++i) {
      Constant *element = pointer.getAggregateElement(i);
      elements.push_back(element ? getInteger(*element) : nullptr);
      if (!elements.back())
        return nullptr;
    }
    number = ConstantVector::get(elements);
  } else {
    number = getInteger(pointer);
  }
  if (!number)
    return nullptr;
  auto *type = cast<StructType>(m_types.getMemoryType(pointer.getType()));
  SmallVector<Constant *, 2> parts = {number};
  if (type->getNumElements() > 1)
    parts.push_back(UndefValue::get(type->getElementType(1)));
  return ConstantStruct::get(type, parts);
}

/// An element of the packed memory structure that is not at the offset of the next source element
/// is padding. Null where an element has no memory form.
Constant *ConstantForm::getAggregate(Constant &constant) {
  if (auto *array = dyn_cast<ArrayType>(constant.getType())) {
    SmallVector<Constant *, 8> elements;
    for (unsigned i = 0; i < array->getNumElements(); ++i) {
      Constant *element = constant.getAggregateElement(i);
      elements.push_back(element ? get(*element) : nullptr);
      if (!elements.back())
        return nullptr;
    }
    return ConstantArray::get(cast<ArrayType>(m_types.getMemoryType(array)), elements);
  }
  auto *type = cast<StructType>(constant.getType());
  auto *packed = cast<StructType>(m_types.getMemoryType(type));
  const StructLayout *places = m_layout.getStructLayout(type);
  const StructLayout *newPlaces = m_layout.getStructLayout(packed);
  SmallVector<Constant *, 8> elements;
  unsigned next = 0;
  for (unsigned i = 0; i < packed->getNumElements(); ++i) {
    bool isPadding = next == type->getNumElements() ||
                     newPlaces->getElementOffset(i) != places->getElementOffset(next);
    Constant *element = isPadding ? nullptr : constant.getAggregateElement(next++);
    elements.push_back(isPadding ? UndefValue::get(packed->getElementType(i))
                       : element ? get(*element)
                                 : nullptr);
    if (!elements.back())
      return nullptr;
  }
  return ConstantStruct::get(packed, elements);
}

/// An expression of another type in which fat pointers occur.
Constant *ConstantForm::getExpression(Constant &constant) {
  auto *expression = dyn_cast<ConstantExpr>(&constant);
  bool isNumber = expression && (expression->getOpcode() == Instruction::PtrToInt ||
                                 expression->getOpcode() == Instruction::PtrToAddr);
  if (isNumber && isFatPointer(expression->getOperand(0)->getType())) {
    std::optional<APInt> number = evaluateFatPointer(*expression->getOperand(0), m_layout);
    unsigned bits = constant.getType()->getScalarSizeInBits();
    return number ? ConstantInt::get(constant.getType(), number->zextOrTrunc(bits)) : nullptr;
  }
  if (auto *step = dyn_cast<GEPOperator>(&constant)) {
    APInt offset(m_layout.getIndexTypeSizeInBits(step->getType()), 0);
    Constant *base = get(*cast<Constant>(step->getOperand(0)));
    if (!base || !step->accumulateConstantOffset(m_layout, offset))
      return nullptr;
    LLVMContext &context = constant.getContext();
    return ConstantExpr::getGetElementPtr(
        Type::getInt8Ty(context), base, ConstantInt::get(context, offset), step->getNoWrapFlags());
  }
  SmallVector<Constant *, 4> operands;
  for (Value *operand : constant.operands()) {
    Constant *part = get(*cast<Constant>(operand));
    if (!part || part->getType() != operand->getType())
      return nullptr;
    operands.push_back(part);
  }
  if (expression)
    return expression->getWithOperands(operands);
  if (auto *array = dyn_cast<ArrayType>(constant.getType()))
    return ConstantArray::get(array, operands);
  if (auto *type = dyn_cast<StructType>(constant.getType()))
    return ConstantStruct::get(type, operands);
  return isa<ConstantVector>(constant) ? ConstantVector::get(operands) : nullptr;
}

/// Zero, poison and undef become those of the memory type. Null where a part is not known when
/// compiling.
Constant *ConstantForm::get(Constant &constant) {
  if (!usesFatPointers(constant, m_types))
    return &constant;
  Type *type = constant.getType();
  if (!m_types.holdsFatPointer(type))
    return getExpression(constant);
  if (constant.isNullValue())
    return Constant::getNullValue(m_types.getMemoryType(type));
  if (isa<PoisonValue>(constant))
    return PoisonValue::get(m_types.getMemoryType(type));
  if (isa<UndefValue>(constant))
    return UndefValue::get(m_types.getMemoryType(type));
  return isFatPointer(type) ? getPointer(constant) : getAggregate(constant);
}

Constant *assay::getMemoryForm(Constant &constant, TypeMap &types, const DataLayout &layout) {
  return ConstantForm(types, layout).get(constant);
}
