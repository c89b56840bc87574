// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Pointers, loads, stores and atomics: buffers by bindless descriptors, push constants in the const
// file, workgroup and private memory by byte offsets, global memory by addresses.
#include "compiler/dialect/Lgc.h"
#include "compiler/ir3/select/Selector.h"
#include "llvm/Analysis/ValueTracking.h"

using namespace llvm;
using namespace assay;
using namespace assay::ir3;

namespace {
/// Address spaces of compiler/lgc/Builder.h.
enum AddressSpace : unsigned { Global = 1, Local = 3, Constants = 4, Private = 5, Buffer = 7 };

struct AtomicRow {
  AtomicRMWInst::BinOp operation;
  Opcode local, bound;
  bool isSigned = false;
};
} // namespace

static constexpr AtomicRow atomicRows[] = {
    {AtomicRMWInst::Add, Opcode::AtomicAdd, Opcode::AtomicBAdd},
    {AtomicRMWInst::Sub, Opcode::AtomicSub, Opcode::AtomicBSub},
    {AtomicRMWInst::Xchg, Opcode::AtomicXchg, Opcode::AtomicBXchg},
    {AtomicRMWInst::And, Opcode::AtomicAnd, Opcode::AtomicBAnd},
    {AtomicRMWInst::Or, Opcode::AtomicOr, Opcode::AtomicBOr},
    {AtomicRMWInst::Xor, Opcode::AtomicXor, Opcode::AtomicBXor},
    {AtomicRMWInst::Max, Opcode::AtomicMax, Opcode::AtomicBMax, true},
    {AtomicRMWInst::Min, Opcode::AtomicMin, Opcode::AtomicBMin, true},
    {AtomicRMWInst::UMax, Opcode::AtomicMax, Opcode::AtomicBMax},
    {AtomicRMWInst::UMin, Opcode::AtomicMin, Opcode::AtomicBMin},
};

static unsigned spaceOf(const Value *pointer) {
  return pointer->getType()->getScalarType()->getPointerAddressSpace();
}

/// The one op that all ways to \p pointer begin with; null where there are several.
static const LoadBufferDescOp *findResource(const Value *pointer) {
  SmallVector<const Value *, 8> work = {pointer};
  SmallPtrSet<const Value *, 8> seen;
  const LoadBufferDescOp *found = nullptr;
  while (!work.empty()) {
    const Value *value = work.pop_back_val();
    if (!seen.insert(value).second || isa<UndefValue>(value))
      continue;
    if (const auto *address = dyn_cast<GetElementPtrInst>(value))
      work.push_back(address->getPointerOperand());
    else if (const auto *phi = dyn_cast<PHINode>(value))
      append_range(work, phi->incoming_values());
    else if (const auto *choice = dyn_cast<SelectInst>(value))
      work.append({choice->getTrueValue(), choice->getFalseValue()});
    else if (const auto *op = dyn_cast<LoadBufferDescOp>(value); op && (!found || found == op))
      found = op;
    else
      return nullptr;
  }
  return found;
}

namespace {
/// Where an access of a buffer goes.
struct BoundPlace {
  uint32_t set = 0;
  Register slot;
  SlotMode mode = SlotImmediate;
};
} // namespace

/// Nothing after Selector::fail().
static std::optional<BoundPlace> findPlace(Selector &selector, const llvm::Instruction &inst,
                                           const Value *pointer) {
  const LoadBufferDescOp *op = findResource(pointer);
  if (!op) {
    selector.fail(inst, "a pointer into one of several buffers");
    return std::nullopt;
  }
  const auto &bindings = selector.interface().bindings;
  auto binding = find_if(bindings, [&](const BindingPlace &each) {
    return each.set == op->getSet() && each.binding == op->getBinding();
  });
  if (binding == bindings.end() || op->getSet() >= 8) {
    selector.fail(inst, "a binding that is not in the layout, or a set above 7");
    return std::nullopt;
  }
  BoundPlace place;
  place.set = static_cast<uint32_t>(op->getSet());
  if (const auto *element = dyn_cast<ConstantInt>(op->getArrayIndex())) {
    place.slot = Selector::number(binding->first + static_cast<uint32_t>(element->getZExtValue()));
    return place;
  }
  place.mode = SlotNonuniform;
  place.slot = selector.emit(
      Opcode::AddU, {selector.getOne(op->getArrayIndex()), Selector::number(binding->first)});
  return place;
}

static void applyPlace(ir3::Instruction *access, const BoundPlace &place) {
  access->fields.bindless = 1;
  access->fields.base = static_cast<int32_t>(place.set);
  access->fields.mode = place.mode;
  access->fields.type = U32;
}

/// \p offset in dwords.
static Register dwordsOf(Selector &selector, Register offset) {
  if (offset.isImmediate())
    return Selector::number(static_cast<uint32_t>(offset.value) / 4);
  return selector.emit(Opcode::ShrB, {offset, Selector::number(2)});
}

static Register addBytes(Selector &selector, Register offset, uint32_t bytes) {
  if (!bytes)
    return offset;
  if (offset.isImmediate())
    return Selector::number(static_cast<uint32_t>(offset.value) + bytes);
  return selector.emit(Opcode::AddU, {offset, Selector::number(bytes)});
}

/// Scalars of \p type lie one behind another from byte \p bytes on; false where they do not.
static bool isPacked(const DataLayout &layout, llvm::Type *type) {
  return !type->getScalarType()->isIntegerTy(1) &&
         layout.getTypeStoreSize(type) == 4 * uint64_t(countScalars(type)) &&
         (!type->isAggregateType() ||
          layout.getTypeAllocSize(type) == 4 * uint64_t(countScalars(type)));
}

static void loadPart(Selector &selector, LoadInst &load, Register offset,
                     const std::optional<BoundPlace> &place, unsigned count, Scalars &result) {
  Builder &builder = selector.builder();
  ir3::Instruction *access = nullptr;
  switch (spaceOf(load.getPointerOperand())) {
  case Buffer:
    access = builder.create(Opcode::LdibB, {dwordsOf(selector, offset), place->slot}, false, count);
    applyPlace(access, *place);
    break;
  case Local:
  case Private:
    access = builder.create(spaceOf(load.getPointerOperand()) == Local ? Opcode::Ldl : Opcode::Ldp,
                            {offset}, false, count);
    access->fields.type = U32;
    break;
  default:
    break;
  }
  if (count == 1)
    return result.push_back(access->value());
  for (ir3::Instruction *part : builder.splitAll(access))
    result.push_back(part->value());
}

/// Push constants: c0.x is their dword 0.
static Scalars loadConstants(Selector &selector, LoadInst &load, Register offset, unsigned count) {
  Scalars result;
  for (unsigned i = 0; i < count; ++i) {
    if (offset.isImmediate()) {
      result.push_back(Register::constant(static_cast<uint32_t>(offset.value) / 4 + i));
      continue;
    }
    ir3::Instruction *dword =
        selector.builder().create(Opcode::ShrB, {offset, Selector::number(2)});
    ir3::Instruction *narrow = selector.builder().move(dword->value(), U32, U16);
    ir3::Instruction *address = selector.builder().moveAddress(narrow->value());
    ir3::Instruction *move =
        selector.builder().move(Register::relativeConst(static_cast<int32_t>(i)));
    move->address = address;
    result.push_back(move->value());
  }
  return result;
}

static bool selectLoad(Selector &selector, LoadInst &load) {
  unsigned count = countScalars(load.getType());
  unsigned space = spaceOf(load.getPointerOperand());
  if (!isPacked(selector.layout(), load.getType()) || space == Global ||
      load.getAlign() < Align(4)) {
    selector.fail(load, "a load of this type, address space or alignment");
    return true;
  }
  Register offset = selector.getOne(load.getPointerOperand());
  if (space == Constants) {
    selector.set(&load, loadConstants(selector, load, offset, count));
    return true;
  }
  std::optional<BoundPlace> place;
  if (space == Buffer && !(place = findPlace(selector, load, load.getPointerOperand())))
    return true;
  Scalars result;
  for (unsigned i = 0; i < count; i += 4)
    loadPart(selector, load, addBytes(selector, offset, 4 * i), place, std::min(4u, count - i),
             result);
  selector.set(&load, std::move(result));
  return true;
}

static void storePart(Selector &selector, unsigned space, Register offset,
                      const std::optional<BoundPlace> &place, ArrayRef<Register> values) {
  Builder &builder = selector.builder();
  Register data = values.size() == 1 ? values[0] : builder.collect(values)->value();
  ir3::Instruction *access;
  if (space == Buffer) {
    access = builder.create(Opcode::StibB, {dwordsOf(selector, offset), place->slot, data});
    applyPlace(access, *place);
  } else {
    access = builder.create(space == Local ? Opcode::Stl : Opcode::Stp, {offset, data});
    access->fields.type = U32;
  }
  access->fields.size = static_cast<int32_t>(values.size());
}

static bool selectStore(Selector &selector, StoreInst &store) {
  Value *value = store.getValueOperand();
  unsigned space = spaceOf(store.getPointerOperand());
  if (!isPacked(selector.layout(), value->getType()) || space == Global || space == Constants ||
      store.getAlign() < Align(4)) {
    selector.fail(store, "a store of this type, address space or alignment");
    return true;
  }
  std::optional<BoundPlace> place;
  if (space == Buffer && !(place = findPlace(selector, store, store.getPointerOperand())))
    return true;
  Register offset = selector.getOne(store.getPointerOperand());
  Scalars values = selector.get(value);
  for (size_t i = 0; i < values.size(); i += 4)
    storePart(selector, space, addBytes(selector, offset, static_cast<uint32_t>(4 * i)), place,
              ArrayRef(values).slice(i, std::min<size_t>(4, values.size() - i)));
  return true;
}

/// Emits an atomic; \p compare is none but of a compare-exchange. The old value.
static std::optional<Register> emitAtomic(Selector &selector, llvm::Instruction &inst,
                                          Value *pointer, Opcode local, Opcode bound, bool isSigned,
                                          Register data, std::optional<Register> compare) {
  Builder &builder = selector.builder();
  Register offset = selector.getOne(pointer);
  ir3::Instruction *access;
  if (spaceOf(pointer) == Local) {
    Register operand = compare ? builder.collect({data, *compare})->value() : data;
    access = builder.create(local, {offset, operand});
  } else if (spaceOf(pointer) == Buffer) {
    std::optional<BoundPlace> place = findPlace(selector, inst, pointer);
    if (!place)
      return std::nullopt;
    SmallVector<Register, 3> group = {Register::undefined(), data};
    if (compare)
      group.push_back(*compare);
    access = builder.create(
        bound, {builder.collect(group)->value(), dwordsOf(selector, offset), place->slot}, false,
        static_cast<unsigned>(group.size()));
    applyPlace(access, *place);
  } else {
    selector.fail(inst, "an atomic of this address space");
    return std::nullopt;
  }
  access->fields.type = isSigned ? S32 : U32;
  access->fields.size = 1;
  return access->dst().size == 1 ? access->value() : builder.split(access, 0)->value();
}

static bool selectAtomic(Selector &selector, llvm::Instruction &inst) {
  if (auto *atomic = dyn_cast<AtomicRMWInst>(&inst)) {
    const auto *row = find_if(atomicRows, [&](const AtomicRow &each) {
      return each.operation == atomic->getOperation();
    });
    if (row == std::end(atomicRows) || countScalars(inst.getType()) != 1)
      return false;
    std::optional<Register> old =
        emitAtomic(selector, inst, atomic->getPointerOperand(), row->local, row->bound,
                   row->isSigned, selector.getOne(atomic->getValOperand()), std::nullopt);
    if (old)
      selector.set(&inst, {*old});
    return true;
  }
  auto *exchange = dyn_cast<AtomicCmpXchgInst>(&inst);
  if (!exchange || countScalars(exchange->getNewValOperand()->getType()) != 1)
    return false;
  Register expected = selector.getOne(exchange->getCompareOperand());
  std::optional<Register> old = emitAtomic(selector, inst, exchange->getPointerOperand(),
                                           Opcode::AtomicCmpxchg, Opcode::AtomicBCmpxchg, false,
                                           selector.getOne(exchange->getNewValOperand()), expected);
  if (old)
    selector.set(&inst, {*old, selector.emitCompare(Opcode::CmpsU, Eq, *old, expected)});
  return true;
}

static bool selectAddress(Selector &selector, GetElementPtrInst &address) {
  unsigned space = spaceOf(&address);
  if (space == Global || address.getType()->isVectorTy()) {
    selector.fail(address, "an address of this kind");
    return true;
  }
  SmallMapVector<Value *, APInt, 4> variables;
  unsigned width = selector.layout().getIndexTypeSizeInBits(address.getType());
  APInt constant(width, 0);
  if (!address.collectOffset(selector.layout(), width, variables, constant)) {
    selector.fail(address, "an address that is no sum");
    return true;
  }
  Register offset = selector.getOne(address.getPointerOperand());
  for (auto &[index, scale] : variables) {
    Register value = selector.getOne(index); // The low half of a wide one.
    if (scale.isPowerOf2() && !scale.isOne())
      value = selector.emit(Opcode::ShlB, {value, Selector::number(scale.logBase2())});
    else if (!scale.isOne())
      value =
          multiply(selector, value, Selector::number(static_cast<uint32_t>(scale.getZExtValue())));
    bool isZero = offset.isImmediate() && offset.value == 0;
    offset = isZero ? value : selector.emit(Opcode::AddU, {offset, value});
  }
  selector.set(&address,
               {addBytes(selector, offset, static_cast<uint32_t>(constant.getSExtValue()))});
  return true;
}

bool ir3::selectMemory(Selector &selector, llvm::Instruction &inst) {
  if (auto *load = dyn_cast<LoadInst>(&inst))
    return selectLoad(selector, *load);
  if (auto *store = dyn_cast<StoreInst>(&inst))
    return selectStore(selector, *store);
  if (auto *address = dyn_cast<GetElementPtrInst>(&inst))
    return selectAddress(selector, *address);
  if (isa<FenceInst>(inst)) {
    ir3::Instruction *fence = selector.builder().create(Opcode::Fence, {});
    fence->fields.fenceRead = fence->fields.fenceWrite = 1;
    fence->fields.fenceLocal = fence->fields.fenceGlobal = 1;
    return true;
  }
  return selectAtomic(selector, inst);
}
