// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/lgc/fat_pointers/PointersInMemory.h"

#include "compiler/lgc/fat_pointers/ConstantsInMemory.h"
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

  /// Rewrites all of the function.
  void run();

private:
  void visit(Instruction &instruction);
  /// Makes instructions of the constant expressions of fat pointers in the function, so that later
  /// steps meet no such expression.
  void expandConstants();
  /// Loads integers in place of fat pointers, each part of an aggregate alone.
  void rewrite(LoadInst &load);
  /// Stores integers in place of fat pointers, each part of an aggregate alone.
  void rewrite(StoreInst &store);
  /// Gives the alloca its memory type; users see an opaque pointer.
  void rewrite(AllocaInst &alloca);
  /// Makes a step in bytes of one over a type that holds fat pointers.
  void rewrite(GetElementPtrInst &step);

  /// The address \p offset bytes after that of \p access.
  template <typename AccessT> Value *makeAddress(AccessT &access, uint64_t offset);
  template <typename AccessT, typename PieceT>
  void copyTraits(AccessT &access, PieceT &piece, uint64_t offset);
  /// The value of \p type at \p offset in the memory of \p load.
  Value *loadPart(LoadInst &load, Type *type, uint64_t offset);
  /// Stores \p value at \p offset in the memory of \p store.
  void storePart(StoreInst &store, Value *value, uint64_t offset);
  /// Bytes from the start of \p aggregate, by the layout of the types with fat pointers.
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

/// The step is in bounds because the access covers the address.
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

/// Recurses into aggregates that hold fat pointers; padding is not loaded.
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

/// Recurses into aggregates that hold fat pointers; padding is not stored.
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

/// The distance follows from the original types; memory types have the same layout.
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

/// Replaces the globals whose type or initialiser has fat pointers.
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
