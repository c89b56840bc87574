// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/amdgpu/passes/OptConstantTables.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Support/AMDGPUAddrSpace.h"
#include <map>

using namespace llvm;
using namespace assay::amdgpu;

namespace {

/// The bytes that a private variable holds whenever something has been stored in them.
class Table {
public:
  explicit Table(AllocaInst &variable)
      : m_variable(variable), m_layout(variable.getModule()->getDataLayout()) {}

  /// Whether the variable can become a constant.
  bool collect() {
    std::optional<TypeSize> size = m_variable.getAllocationSize(m_layout);
    if (!size || size->isScalable() ||
        size->getFixedValue() <= OptConstantTables::MaxRegisterBytes ||
        size->getFixedValue() > OptConstantTables::MaxTableBytes)
      return false;
    m_bytes.resize(size->getFixedValue());
    m_isStored.resize(m_bytes.size());
    return visitUsers(m_variable, 0) && !m_loads.empty() && !m_stores.empty();
  }

  /// Replaces the variable by a constant, in whose memory everything is read.
  void replace();

private:
  bool visitUsers(Value &pointer, std::optional<int64_t> offset);
  bool visitStore(StoreInst &store, std::optional<int64_t> offset);
  bool note(const Constant &value, int64_t offset);
  GlobalVariable *getTable() const;

  AllocaInst &m_variable;
  const DataLayout &m_layout;
  std::vector<char> m_bytes;
  std::vector<bool> m_isStored;
  /// Starts and sizes of scalars: a second store must be of the same ones.
  std::map<int64_t, uint64_t> m_scalars;
  SmallVector<LoadInst *, 8> m_loads;
  SmallVector<StoreInst *, 32> m_stores;
  /// Addresses and lifetimes, which are erased with the variable, in this order.
  SmallVector<Instruction *, 32> m_rest;
};

/// Visits the users of \p pointer, which is \p offset bytes after the start of the variable if that
/// is a constant. Returns false if a user rules out a table.
bool Table::visitUsers(Value &pointer, std::optional<int64_t> offset) {
  for (User *user : pointer.users()) {
    if (auto *load = dyn_cast<LoadInst>(user)) {
      if (!load->isSimple())
        return false;
      m_loads.push_back(load);
    } else if (auto *store = dyn_cast<StoreInst>(user)) {
      if (store->getValueOperand() == &pointer || !visitStore(*store, offset))
        return false;
    } else if (auto *address = dyn_cast<GetElementPtrInst>(user)) {
      APInt distance(m_layout.getIndexTypeSizeInBits(address->getType()), 0);
      bool isConstant = offset && address->accumulateConstantOffset(m_layout, distance);
      if (address->getType()->isVectorTy() ||
          !visitUsers(*address,
                      isConstant ? std::optional(*offset + distance.getSExtValue()) : std::nullopt))
        return false;
      m_rest.push_back(address);
    } else if (auto *call = dyn_cast<IntrinsicInst>(user); call && call->isLifetimeStartOrEnd()) {
      m_rest.push_back(call);
    } else {
      return false;
    }
  }
  return true;
}

bool Table::visitStore(StoreInst &store, std::optional<int64_t> offset) {
  auto *value = dyn_cast<Constant>(store.getValueOperand());
  if (!value || !offset || !store.isSimple() || !note(*value, *offset))
    return false;
  m_stores.push_back(&store);
  return true;
}

/// Adds \p value at \p offset. Returns false if other bytes have been stored there, or a scalar of
/// another place or size, and for constants whose bytes are not known.
bool Table::note(const Constant &value, int64_t offset) {
  Type *type = value.getType();
  if (isa<UndefValue>(value))
    return true;
  uint64_t size = m_layout.getTypeStoreSize(type);
  if (offset < 0 || offset + size > m_bytes.size())
    return false;
  if (isa<ArrayType, FixedVectorType>(type)) {
    Type *element = type->getContainedType(0);
    uint64_t bits = m_layout.getTypeSizeInBits(element);
    // Elements of a vector have no padding between them.
    if (type->isVectorTy() && (bits % 8 || bits != m_layout.getTypeAllocSizeInBits(element)))
      return false;
    for (unsigned i = 0; const Constant *each = value.getAggregateElement(i); ++i) {
      if (!note(*each, offset + int64_t(i * m_layout.getTypeAllocSize(element))))
        return false;
    }
    return true;
  }
  APInt bits;
  if (auto *integer = dyn_cast<ConstantInt>(&value))
    bits = integer->getValue();
  else if (auto *real = dyn_cast<ConstantFP>(&value))
    bits = real->getValueAPF().bitcastToAPInt();
  else
    return false;
  bits = bits.zext(unsigned(size) * 8);
  auto [found, isNew] = m_scalars.try_emplace(offset, size);
  if (found->second != size)
    return false;
  for (uint64_t i = 0; i < size; ++i) {
    char byte = char(bits.extractBitsAsZExtValue(8, unsigned(i) * 8));
    size_t place = size_t(offset) + i;
    if (isNew ? bool(m_isStored[place]) : m_bytes[place] != byte)
      return false;
    m_bytes[place] = byte;
    m_isStored[place] = true;
  }
  return true;
}

/// The distance in bytes that \p address adds, as i32.
static Value *offsetOf(IRBuilder<> &builder, GetElementPtrInst &address, const DataLayout &layout) {
  unsigned width = layout.getIndexTypeSizeInBits(address.getType());
  SmallMapVector<Value *, APInt, 4> variable;
  APInt constant(width, 0);
  cast<GEPOperator>(address).collectOffset(layout, width, variable, constant);
  Value *offset = builder.getInt(constant);
  for (auto &[index, scale] : variable) {
    Value *scaled = builder.CreateSExtOrTrunc(index, builder.getIntNTy(width));
    scaled = scale.isPowerOf2() ? builder.CreateShl(scaled, scale.logBase2())
                                : builder.CreateMul(scaled, builder.getInt(scale));
    offset = builder.CreateAdd(scaled, offset);
  }
  return offset;
}

/// The constant with the variable's bytes, made where the module has none yet.
GlobalVariable *Table::getTable() const {
  Module &module = *m_variable.getModule();
  Constant *value = ConstantDataArray::getRaw(StringRef(m_bytes.data(), m_bytes.size()),
                                              m_bytes.size(), Type::getInt8Ty(module.getContext()));
  for (GlobalVariable &global : module.globals()) {
    if (global.isConstant() && global.hasLocalLinkage() && global.hasInitializer() &&
        global.getInitializer() == value &&
        global.getAddressSpace() == AMDGPUAS::CONSTANT_ADDRESS &&
        global.getAlign().valueOrOne() >= m_variable.getAlign())
      return &global;
  }
  // Private: the name of a variable must not get into the ELF.
  auto *table = new GlobalVariable(module, value->getType(), /*isConstant=*/true,
                                   GlobalValue::PrivateLinkage, value, "constant.table", nullptr,
                                   GlobalValue::NotThreadLocal, AMDGPUAS::CONSTANT_ADDRESS);
  // PAL's pipeline ABI, RoDataMinBaseAddrAlignment (palPipelineAbi.h).
  table->setAlignment(std::max(m_variable.getAlign(), Align(32)));
  return table;
}

/// Offsets are computed with the 32 bits of private addresses and are not negative, so that an
/// address is a scalar base and an offset.
void Table::replace() {
  GlobalVariable *table = getTable();
  for (LoadInst *load : m_loads) {
    IRBuilder<> builder(load);
    Value *offset = builder.getInt32(0);
    for (Value *pointer = load->getPointerOperand(); pointer != &m_variable;) {
      auto *address = cast<GetElementPtrInst>(pointer);
      offset = builder.CreateAdd(offsetOf(builder, *address, m_layout), offset);
      pointer = address->getPointerOperand();
    }
    offset = builder.CreateZExt(offset, builder.getInt64Ty());
    Value *place = builder.CreateInBoundsGEP(builder.getInt8Ty(), table, offset);
    LoadInst *moved = builder.CreateAlignedLoad(load->getType(), place, load->getAlign());
    moved->copyMetadata(*load, {LLVMContext::MD_range, LLVMContext::MD_noundef});
    moved->takeName(load);
    load->replaceAllUsesWith(moved);
    load->eraseFromParent();
  }
  for (StoreInst *store : m_stores)
    store->eraseFromParent();
  for (Instruction *instruction : m_rest)
    instruction->eraseFromParent();
  m_variable.eraseFromParent();
}

} // namespace

PreservedAnalyses OptConstantTables::run(Function &function, FunctionAnalysisManager &) {
  SmallVector<AllocaInst *, 4> variables;
  for (Instruction &instruction : function.getEntryBlock()) {
    if (auto *variable = dyn_cast<AllocaInst>(&instruction))
      variables.push_back(variable);
  }
  bool changed = false;
  for (AllocaInst *variable : variables) {
    Table table(*variable);
    if (!table.collect())
      continue;
    table.replace();
    changed = true;
  }
  if (!changed)
    return PreservedAnalyses::all();
  PreservedAnalyses preserved;
  preserved.preserveSet<CFGAnalyses>();
  return preserved;
}
