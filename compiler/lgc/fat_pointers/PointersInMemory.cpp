// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/lgc/fat_pointers/PointersInMemory.h"

#include "support/Fault.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/Utils/Local.h"
#include "llvm/IR/GetElementPtrTypeIterator.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Operator.h"
#include "llvm/IR/ReplaceConstant.h"

using namespace llvm;
using namespace assay;

namespace {
/// The accesses of one function, made to move integers.
class MemoryForm {
public:
  MemoryForm(Function &function, TypeMap &types)
      : m_function(function), m_types(types), m_layout(function.getDataLayout()),
        m_builder(function.getContext()) {}

  void run();

private:
  void visit(Instruction &instruction);
  void expandConstants();
  void rewrite(LoadInst &load);
  void rewrite(StoreInst &store);
  void rewrite(AllocaInst &alloca);
  void rewrite(GetElementPtrInst &step);

  template <typename AccessT> Value *makeAddress(AccessT &access, uint64_t offset);
  template <typename AccessT, typename PieceT>
  void copyTraits(AccessT &access, PieceT &piece, uint64_t offset);
  Value *loadPart(LoadInst &load, Type *type, uint64_t offset);
  void storePart(StoreInst &store, Value *value, uint64_t offset);
  uint64_t getElementOffset(Type *aggregate, unsigned element);
  Type *getElementType(Type *aggregate, unsigned element);
  unsigned getNumElements(Type *aggregate);

  Function &m_function;
  TypeMap &m_types;
  const DataLayout &m_layout;
  IRBuilder<> m_builder;
};
} // namespace

uint64_t MemoryForm::getElementOffset(Type *aggregate, unsigned element) {
  if (auto *array = dyn_cast<ArrayType>(aggregate)) {
    uint64_t stride = m_layout.getTypeAllocSize(array->getElementType());
    if (faultPlanted(Fault::FatElementStride))
      stride = m_layout.getTypeStoreSize(array->getElementType());
    return element * stride;
  }
  return m_layout.getStructLayout(cast<StructType>(aggregate))->getElementOffset(element);
}

Type *MemoryForm::getElementType(Type *aggregate, unsigned element) {
  auto *array = dyn_cast<ArrayType>(aggregate);
  return array ? array->getElementType() : cast<StructType>(aggregate)->getElementType(element);
}

unsigned MemoryForm::getNumElements(Type *aggregate) {
  auto *array = dyn_cast<ArrayType>(aggregate);
  return array ? array->getNumElements() : cast<StructType>(aggregate)->getNumElements();
}

template <typename AccessT> Value *MemoryForm::makeAddress(AccessT &access, uint64_t offset) {
  Value *pointer = access.getPointerOperand();
  if (offset == 0)
    return pointer;
  Type *index = m_layout.getIndexType(pointer->getType());
  return m_builder.CreatePtrAdd(pointer, ConstantInt::get(index, offset), "",
                                GEPNoWrapFlags::inBounds());
}

/// What an access says of itself apart from its value's range.
template <typename AccessT, typename PieceT>
void MemoryForm::copyTraits(AccessT &access, PieceT &piece, uint64_t offset) {
  static constexpr unsigned kept[] = {
      LLVMContext::MD_nontemporal, LLVMContext::MD_invariant_load, LLVMContext::MD_invariant_group,
      LLVMContext::MD_mem_parallel_loop_access, LLVMContext::MD_access_group};
  piece.copyMetadata(access, kept);
  Type *type = getLoadStoreType(&piece);
  piece.setAAMetadata(access.getAAMetadata().adjustForAccess(offset, type, m_layout));
}

Value *MemoryForm::loadPart(LoadInst &load, Type *type, uint64_t offset) {
  if (m_types.holdsFatPointer(type) && !isFatPointer(type)) {
    Value *result = PoisonValue::get(type);
    for (unsigned i = 0; i < getNumElements(type); ++i) {
      Value *part = loadPart(load, getElementType(type, i), offset + getElementOffset(type, i));
      result = m_builder.CreateInsertValue(result, part, i);
    }
    return result;
  }
  Type *inMemory = isFatPointer(type) ? m_types.getIntegerType(type) : type;
  LoadInst *piece =
      m_builder.CreateAlignedLoad(inMemory, makeAddress(load, offset),
                                  commonAlignment(load.getAlign(), offset), load.isVolatile());
  copyTraits(load, *piece, offset);
  return isFatPointer(type) ? m_builder.CreateIntToPtr(piece, type) : piece;
}

void MemoryForm::storePart(StoreInst &store, Value *value, uint64_t offset) {
  Type *type = value->getType();
  if (m_types.holdsFatPointer(type) && !isFatPointer(type)) {
    for (unsigned i = 0; i < getNumElements(type); ++i)
      storePart(store, m_builder.CreateExtractValue(value, i), offset + getElementOffset(type, i));
    return;
  }
  if (isFatPointer(type))
    value = m_builder.CreatePtrToInt(value, m_types.getIntegerType(type));
  StoreInst *piece =
      m_builder.CreateAlignedStore(value, makeAddress(store, offset),
                                   commonAlignment(store.getAlign(), offset), store.isVolatile());
  copyTraits(store, *piece, offset);
}

void MemoryForm::rewrite(LoadInst &load) {
  if (!m_types.holdsFatPointer(load.getType()))
    return;
  Value *value = loadPart(load, load.getType(), 0);
  value->takeName(&load);
  load.replaceAllUsesWith(value);
  load.eraseFromParent();
}

void MemoryForm::rewrite(StoreInst &store) {
  if (!m_types.holdsFatPointer(store.getValueOperand()->getType()))
    return;
  storePart(store, store.getValueOperand(), 0);
  store.eraseFromParent();
}

void MemoryForm::rewrite(AllocaInst &alloca) {
  alloca.setAllocatedType(m_types.getMemoryType(alloca.getAllocatedType()));
}

void MemoryForm::rewrite(GetElementPtrInst &step) {
  if (!m_types.holdsFatPointer(step.getSourceElementType()))
    return;
  Value *offset = emitGEPOffset(&m_builder, m_layout, &step);
  Value *address =
      m_builder.CreatePtrAdd(step.getPointerOperand(), offset, "", step.getNoWrapFlags());
  address->takeName(&step);
  step.replaceAllUsesWith(address);
  step.eraseFromParent();
}

void MemoryForm::visit(Instruction &instruction) {
  m_builder.SetInsertPoint(&instruction);
  if (auto *load = dyn_cast<LoadInst>(&instruction))
    rewrite(*load);
  else if (auto *store = dyn_cast<StoreInst>(&instruction))
    rewrite(*store);
  else if (auto *alloca = dyn_cast<AllocaInst>(&instruction))
    rewrite(*alloca);
  else if (auto *step = dyn_cast<GetElementPtrInst>(&instruction))
    rewrite(*step);
}

void MemoryForm::expandConstants() {
  SetVector<Constant *> constants;
  for (Instruction &instruction : instructions(m_function))
    for (Value *operand : instruction.operands()) {
      auto *constant = dyn_cast<Constant>(operand);
      if (constant && !isa<GlobalValue>(constant) && usesFatPointers(*constant, m_types))
        constants.insert(constant);
    }
  // An aggregate is expanded by its parts, and one without an expression has no need to be.
  for (unsigned i = 0; i < constants.size(); ++i)
    for (Value *operand : constants[i]->operands())
      if (auto *part = dyn_cast<Constant>(operand); part && !isa<GlobalValue>(part))
        constants.insert(part);
  SmallVector<Constant *, 8> expressions;
  for (Constant *constant : constants)
    if (isa<ConstantExpr>(constant) && usesFatPointers(*constant, m_types))
      expressions.push_back(constant);
  if (!expressions.empty())
    convertUsersOfConstantsToInstructions(expressions, &m_function, /*RemoveDeadConstants=*/true,
                                          /*IncludeSelf=*/true);
}

void MemoryForm::run() {
  expandConstants();
  for (BasicBlock &block : m_function)
    for (Instruction &instruction : make_early_inc_range(block))
      visit(instruction);
}

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

  Constant *get(Constant &constant);

private:
  Constant *getPointer(Constant &pointer);
  Constant *getInteger(Constant &pointer);
  Constant *getAggregate(Constant &constant);
  Constant *getElements(Constant &constant, SmallVectorImpl<Constant *> &elements);
  Constant *getExpression(Constant &constant);

  TypeMap &m_types;
  const DataLayout &m_layout;
};
} // namespace

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

/// Pointers are opaque: users of \p global see an address as before.
static void replaceGlobal(GlobalVariable &global, TypeMap &types) {
  Module &module = *global.getParent();
  const DataLayout &layout = module.getDataLayout();
  Type *type = global.getValueType();
  Constant *value = nullptr;
  if (global.hasInitializer()) {
    value = getMemoryForm(*global.getInitializer(), types, layout);
    assert(value && "an initialiser without a memory form should have been refused");
  }
  auto *replacement =
      new GlobalVariable(module, types.getMemoryType(type), global.isConstant(),
                         global.getLinkage(), value, "", &global, global.getThreadLocalMode(),
                         global.getAddressSpace(), global.isExternallyInitialized());
  replacement->copyAttributesFrom(&global);
  replacement->copyMetadata(&global, 0);
  replacement->setComdat(global.getComdat());
  replacement->setAlignment(layout.getValueOrABITypeAlignment(global.getAlign(), type));
  replacement->takeName(&global);
  global.replaceAllUsesWith(replacement);
  global.eraseFromParent();
}

static void convertGlobals(Module &module, TypeMap &types) {
  SmallVector<GlobalVariable *, 8> globals;
  for (GlobalVariable &global : module.globals())
    if (types.holdsFatPointer(global.getValueType()) ||
        (global.hasInitializer() && usesFatPointers(*global.getInitializer(), types)))
      globals.push_back(&global);
  for (GlobalVariable *global : globals)
    replaceGlobal(*global, types);
}

void assay::storePointersAsIntegers(Module &module, TypeMap &types) {
  convertGlobals(module, types);
  for (Function &function : module)
    MemoryForm(function, types).run();
}
