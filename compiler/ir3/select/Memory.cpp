// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Pointers, loads, stores and atomics: buffers by bindless descriptors, push constants in the const
// file, workgroup and private memory by byte offsets, global memory by addresses.
#include "compiler/dialect/Lgc.h"
#include "compiler/ir3/lower/BufferRoots.h"
#include "compiler/ir3/select/Arrays.h"
#include "compiler/ir3/select/Bounds.h"
#include "compiler/ir3/select/Places.h"
#include "compiler/ir3/select/Uniforms.h"
#include "support/Ir3Fault.h"
#include "llvm/Analysis/ValueTracking.h"

using namespace llvm;
using namespace assay;
using namespace assay::ir3;

namespace {
/// Address spaces of compiler/lgc/Builder.h.
enum AddressSpace : unsigned { Global = 1, Local = 3, Constants = 4, Private = 5, Buffer = 7 };

/// An operation as the opcodes of the four kinds of atomics: workgroup memory, buffers by
/// descriptors, global memory, and buffers by slots.
struct AtomicRow {
  AtomicRMWInst::BinOp operation;    ///< LLVM's.
  Opcode local, bound, global, slot; ///< By where the data is; bound: by a descriptor.
  bool isSigned = false;
};
} // namespace

/// LLVM's operations that all four kinds have. Minimum and maximum share opcodes; the type of the
/// instruction has the sign.
static constexpr AtomicRow atomicRows[] = {
    {AtomicRMWInst::Add, Opcode::AtomicAdd, Opcode::AtomicBAdd, Opcode::AtomicGAdd,
     Opcode::AtomicSAdd},
    {AtomicRMWInst::Sub, Opcode::AtomicSub, Opcode::AtomicBSub, Opcode::AtomicGSub,
     Opcode::AtomicSSub},
    {AtomicRMWInst::Xchg, Opcode::AtomicXchg, Opcode::AtomicBXchg, Opcode::AtomicGXchg,
     Opcode::AtomicSXchg},
    {AtomicRMWInst::And, Opcode::AtomicAnd, Opcode::AtomicBAnd, Opcode::AtomicGAnd,
     Opcode::AtomicSAnd},
    {AtomicRMWInst::Or, Opcode::AtomicOr, Opcode::AtomicBOr, Opcode::AtomicGOr, Opcode::AtomicSOr},
    {AtomicRMWInst::Xor, Opcode::AtomicXor, Opcode::AtomicBXor, Opcode::AtomicGXor,
     Opcode::AtomicSXor},
    {AtomicRMWInst::Max, Opcode::AtomicMax, Opcode::AtomicBMax, Opcode::AtomicGMax,
     Opcode::AtomicSMax, true},
    {AtomicRMWInst::Min, Opcode::AtomicMin, Opcode::AtomicBMin, Opcode::AtomicGMin,
     Opcode::AtomicSMin, true},
    {AtomicRMWInst::UMax, Opcode::AtomicMax, Opcode::AtomicBMax, Opcode::AtomicGMax,
     Opcode::AtomicSMax},
    {AtomicRMWInst::UMin, Opcode::AtomicMin, Opcode::AtomicBMin, Opcode::AtomicGMin,
     Opcode::AtomicSMin},
};

/// The address space of a pointer or a vector of pointers.
static unsigned spaceOf(const Value *pointer) {
  return pointer->getType()->getScalarType()->getPointerAddressSpace();
}

/// Nothing after Selector::fail().
static std::optional<BoundPlace> findBuffer(Selector &selector, const llvm::Instruction &inst,
                                            const Value *pointer) {
  std::optional<BufferRoots> roots = findBufferRoots(pointer);
  if (!roots || roots->size() != 1) {
    selector.fail(inst, "a pointer into one of several buffers");
    return std::nullopt;
  }
  const LoadBufferDescOp &op = *roots->front();
  return findPlace(selector, inst, {op.getSet(), op.getBinding(), op.getArrayIndex()});
}

/// A quarter of the multiple of four \p offset, where its computation shows one: without the shift
/// that has made bytes of an index. Byte offsets wrap at 2^32, here and in the hardware.
static std::optional<Register> quarterOf(Selector &selector, const Register &offset,
                                         unsigned depth = 0) {
  constexpr unsigned maxDepth = 6;
  if (offset.isImmediate() && offset.value % 4 == 0)
    return Selector::number(static_cast<uint32_t>(offset.value / 4));
  if (!offset.isSsa() || depth > maxDepth)
    return std::nullopt;
  const ir3::Instruction &inst = *offset.def;
  if (inst.opcode == Opcode::ShlB && inst.registers[2].isImmediate()) {
    int32_t amount = inst.registers[2].value;
    if (amount == 2)
      return inst.registers[1];
    if (amount > 2 && amount < 32)
      return selector.emit(
          Opcode::ShlB, {inst.registers[1], Selector::number(static_cast<uint32_t>(amount - 2))});
  }
  if (inst.opcode != Opcode::AddU)
    return std::nullopt;
  Register left = inst.registers[1], right = inst.registers[2];
  std::optional<Register> first = quarterOf(selector, left, depth + 1);
  std::optional<Register> second = first ? quarterOf(selector, right, depth + 1) : std::nullopt;
  if (!second)
    return std::nullopt;
  return selector.emit(Opcode::AddU, {*first, *second});
}

/// Removes a shift that made bytes of an index where there is one; otherwise shifts right by two.
Register ir3::dwordIndex(Selector &selector, const Register &offset) {
  std::optional<Register> index = quarterOf(selector, offset);
  return index ? *index : selector.emit(Opcode::ShrB, {offset, Selector::number(2)});
}

namespace {
/// Where an element is: a register, and what the instruction adds.
struct ElementOffset {
  Register index;    ///< A dword index.
  int32_t added = 0; ///< Dwords.
};
} // namespace

/// \p offset in dwords.
static ElementOffset dwordsOf(Selector &selector, Register offset) {
  constexpr int32_t maxAdded = 127;
  if (std::optional<Register> index = quarterOf(selector, offset)) {
    bool isSum = selector.program().compiler().hasImmediateOffset && index->isSsa() &&
                 index->def->opcode == Opcode::AddU && index->def->registers[2].isImmediate();
    int32_t added = isSum ? index->def->registers[2].value : 0;
    if (added > 0 && added <= maxAdded)
      return {index->def->registers[1], added};
    return {*index};
  }
  return {selector.emit(Opcode::ShrB, {offset, Selector::number(2)})};
}

/// \p value plus \p number, without an instruction where that is 0 or both are known.
static Register addNumber(Selector &selector, Register value, uint32_t number) {
  if (!number)
    return value;
  if (value.isImmediate())
    return Selector::number(static_cast<uint32_t>(value.value) + number);
  return selector.emit(Opcode::AddU, {value, Selector::number(number)});
}

/// The element that byte \p offset is in, where what counts elements does not wrap at 2^32 bytes.
static Register wrappedIndex(Selector &selector, Register offset) {
  constexpr uint32_t quarterMask = maskTrailingOnes<uint32_t>(30);
  std::optional<Register> index = quarterOf(selector, offset);
  if (!index)
    return selector.emit(Opcode::ShrB, {offset, Selector::number(2)});
  return upperBound(*index) > quarterMask
             ? selector.emit(Opcode::AndB, {*index, Selector::number(quarterMask)})
             : *index;
}

/// The operands that all accesses of a4xx by slot have: the address, which is a sum with what the
/// const file holds for the slot; the element, which is compared with the size of the buffer; the
/// slot (Mesa 25.0, ir3_a4xx.c, byte_offset_to_address).
static SmallVector<Register, 4> slotOperands(Selector &selector, Register offset,
                                             const BoundPlace &place) {
  Register base = Register::constant(Compiler::SlotConstants + 4 * place.slot.value);
  bool isStart = offset.isImmediate() && offset.value == 0;
  Register address = isStart ? selector.builder().move(base)->value()
                             : selector.emit(Opcode::AddU, {base, offset});
  return {address, wrappedIndex(selector, offset), place.slot};
}

/// "4d", as Mesa has it for buffers.
static void setSlotFields(ir3::Instruction *access, ir3::Type type) {
  access->fields.dimensions = 4;
  access->fields.type = type;
}

/// A load of a4xx of \p count dwords, or a store of \p data.
static ir3::Instruction *accessSlot(Selector &selector, Register offset, const BoundPlace &place,
                                    unsigned count, std::optional<Register> data = {}) {
  SmallVector<Register, 4> sources = slotOperands(selector, offset, place);
  if (data)
    sources.push_back(*data);
  ir3::Instruction *access =
      selector.builder().create(data ? Opcode::Stgb : Opcode::Ldgb, sources, false, count);
  setSlotFields(access, U32);
  return access;
}

/// Appends \p count dwords that the texture unit loads, whose cache is not coherent with writes: of
/// what the shader does not write. False, without effect, where that is not possible. Without
/// isam.v each dword is a load of its own, which Mesa takes to be a third as long as ldib. Byte
/// offsets wrap at 2^32, the elements that the texture unit counts do not.
static bool fetchElements(Selector &selector, const LoadInst &load, Register offset,
                          const BoundPlace &place, unsigned count, Scalars &result) {
  const Compiler &compiler = selector.program().compiler();
  if (!load.hasMetadata(LLVMContext::MD_invariant_load) || compiler.hasSlots())
    return false;
  Register index = wrappedIndex(selector, offset);
  if (count > 1 && compiler.hasImmediateOffset) {
    for (ir3::Instruction *part :
         selector.builder().splitAll(fetchDwords(selector, place, index, count)))
      result.push_back(part->value());
    return true;
  }
  for (unsigned i = 0; i < count; ++i)
    result.push_back(fetchDwords(selector, place, addNumber(selector, index, i), 1)->value());
  return true;
}

/// An access of an element of a buffer; its third source is \p data where there is one.
static ir3::Instruction *accessElement(Selector &selector, Opcode opcode, Register offset,
                                       const BoundPlace &place, unsigned count,
                                       std::optional<Register> data = {}) {
  if (selector.program().compiler().hasSlots())
    return accessSlot(selector, offset, place, count, data);
  ElementOffset element = dwordsOf(selector, offset);
  SmallVector<Register, 3> sources = {element.index, place.slot};
  if (data)
    sources.push_back(*data);
  ir3::Instruction *access = selector.builder().create(opcode, sources, false, count);
  applyPlace(access, place);
  access->fields.offset = element.added;
  return access;
}

namespace {
/// A place in workgroup or private memory: bytes in a register, and what an instruction adds.
struct PlainPlace {
  Register base;
  int32_t added = 0; ///< Bytes, below 4096.
};
} // namespace

/// \p offset without constants that the instruction can add, where the sum does not wrap: what the
/// hardware would do then is not known. Constant places in a window of 4 KiB share a register.
static PlainPlace findPlain(Register offset) {
  constexpr uint32_t windowBytes = 4096;
  if (offset.isImmediate()) {
    auto bytes = static_cast<uint32_t>(offset.value);
    return {Selector::number(bytes - bytes % windowBytes),
            static_cast<int32_t>(bytes % windowBytes)};
  }
  PlainPlace place{offset};
  while (place.base.isSsa() && place.base.def->opcode == Opcode::AddU) {
    const Register &base = place.base.def->registers[1], &number = place.base.def->registers[2];
    bool isNumber = number.isImmediate() && base.isSsa() &&
                    !base.is(registerflag::Negate | registerflag::Absolute);
    uint64_t added = isNumber ? uint64_t(static_cast<uint32_t>(number.value)) + place.added : 0;
    if (!isNumber || added >= windowBytes || upperBound(base) + added > UINT32_MAX)
      break;
    place = {base, static_cast<int32_t>(added)};
  }
  return place;
}

/// Appends \p count (1 to 4) dwords at byte \p offset to \p result. \p place is set for buffers
/// alone.
static void loadPart(Selector &selector, LoadInst &load, Register offset,
                     const std::optional<BoundPlace> &place, unsigned count, Scalars &result) {
  Builder &builder = selector.builder();
  ir3::Instruction *access = nullptr;
  switch (spaceOf(load.getPointerOperand())) {
  case Buffer:
    if (fetchElements(selector, load, offset, *place, count, result))
      return;
    access = accessElement(selector, Opcode::LdibB, offset, *place, count);
    break;
  case Local:
  case Private: {
    PlainPlace plain = findPlain(offset);
    access = builder.create(spaceOf(load.getPointerOperand()) == Local ? Opcode::Ldl : Opcode::Ldp,
                            {plain.base}, false, count);
    access->fields.type = U32;
    access->fields.offset = plain.added;
    break;
  }
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

namespace {
/// An address of global memory: two registers, and bytes that an instruction adds.
struct GlobalPlace {
  Register address;   ///< Low half, then high half.
  int32_t offset = 0; ///< Bytes.
};
} // namespace

/// The largest offset that an instruction adds to an address; the smallest is its negative.
static constexpr int64_t maxGlobalOffset = 4092;

/// Of an access of \p dwords dwords.
static GlobalPlace findGlobal(Selector &selector, const Value *pointer, size_t dwords) {
  APInt constant(64, 0);
  const Value *base = pointer->stripAndAccumulateConstantOffsets(selector.layout(), constant, true);
  int64_t offset = constant.getSExtValue();
  bool isSmall = offset >= -maxGlobalOffset &&
                 offset + 4 * static_cast<int64_t>(dwords) <= maxGlobalOffset &&
                 spaceOf(base) == Global;
  if (!isSmall) {
    base = pointer;
    offset = 0;
  }
  return {selector.builder().collect(selector.get(base))->value(), static_cast<int32_t>(offset)};
}

/// ldg of up to four dwords each, from one address with growing offsets.
static void loadGlobal(Selector &selector, LoadInst &load, unsigned count) {
  if (4 * count > maxGlobalOffset)
    return selector.fail(load, "a load of more than 4 KiB");
  GlobalPlace place = findGlobal(selector, load.getPointerOperand(), count);
  Scalars result;
  for (unsigned i = 0; i < count; i += 4) {
    unsigned part = std::min(4U, count - i);
    ir3::Instruction *access = selector.builder().create(Opcode::Ldg, {place.address}, false, part);
    access->fields.type = U32;
    access->fields.offset = place.offset + static_cast<int32_t>(4 * i);
    if (part == 1)
      result.push_back(access->value());
    else
      for (ir3::Instruction *each : selector.builder().splitAll(access))
        result.push_back(each->value());
  }
  selector.set(&load, std::move(result));
}

/// stg of up to four dwords each, to one address with growing offsets.
static void storeGlobal(Selector &selector, StoreInst &store) {
  Scalars values = selector.get(store.getValueOperand());
  if (4 * static_cast<int64_t>(values.size()) > maxGlobalOffset)
    return selector.fail(store, "a store of more than 4 KiB");
  GlobalPlace place = findGlobal(selector, store.getPointerOperand(), values.size());
  for (size_t i = 0; i < values.size(); i += 4) {
    ArrayRef<Register> part = ArrayRef(values).slice(i, std::min<size_t>(4, values.size() - i));
    Register data = part.size() == 1 ? part[0] : selector.builder().collect(part)->value();
    ir3::Instruction *access = selector.builder().create(Opcode::Stg, {place.address, data});
    access->fields.type = U32;
    access->fields.size = static_cast<int32_t>(part.size());
    access->fields.offset = place.offset + static_cast<int32_t>(4 * i);
  }
}

/// Loads of packed dwords, in this order of preference: promoted uniforms, arrays in registers,
/// push constants, and memory in parts of up to four dwords. Reports what has no selection, and
/// returns true even then.
static bool selectLoad(Selector &selector, LoadInst &load) {
  unsigned count = countScalars(load.getType());
  if (isDescriptorAddress(load.getPointerOperand())) {
    // Instructions name descriptors; see findDescriptor().
    selector.set(&load, Scalars(count, Register::undefined()));
    return true;
  }
  unsigned space = spaceOf(load.getPointerOperand());
  if (!isPacked(selector.layout(), load.getType()) || load.getAlign() < Align(4)) {
    selector.fail(load, "a load of this type, address space or alignment");
    return true;
  }
  if (space == Global) {
    loadGlobal(selector, load, count);
    return true;
  }
  if (std::optional<uint32_t> dword = findPromoted(selector.interface(), load)) {
    Scalars constants;
    for (unsigned i = 0; i < count; ++i)
      constants.push_back(Register::constant(*dword + i));
    selector.set(&load, std::move(constants));
    return true;
  }
  Register offset = selector.getOne(load.getPointerOperand());
  if (std::optional<unsigned> array = selector.arrayOf(load.getPointerOperand())) {
    selector.set(&load, loadArray(selector, *array, offset, count));
    return true;
  }
  if (space == Constants) {
    selector.set(&load, loadConstants(selector, load, offset, count));
    return true;
  }
  std::optional<BoundPlace> place;
  if (space == Buffer && !(place = findBuffer(selector, load, load.getPointerOperand())))
    return true;
  Scalars result;
  for (unsigned i = 0; i < count; i += 4)
    loadPart(selector, load, addNumber(selector, offset, 4 * i), place, std::min(4u, count - i),
             result);
  selector.set(&load, std::move(result));
  return true;
}

/// Stores one to four dwords at byte \p offset of buffers, workgroup or private memory.
static void storePart(Selector &selector, unsigned space, Register offset,
                      const std::optional<BoundPlace> &place, ArrayRef<Register> values) {
  Builder &builder = selector.builder();
  Register data = values.size() == 1 ? values[0] : builder.collect(values)->value();
  ir3::Instruction *access;
  if (space == Buffer) {
    access = accessElement(selector, Opcode::StibB, offset, *place, 1, data);
  } else {
    PlainPlace plain = findPlain(offset);
    access = builder.create(space == Local ? Opcode::Stl : Opcode::Stp, {plain.base, data});
    access->fields.type = U32;
    access->fields.offset = plain.added;
  }
  access->fields.size = static_cast<int32_t>(values.size());
}

/// Stores of packed dwords, in parts of up to four. Returns true even after Selector::fail().
static bool selectStore(Selector &selector, StoreInst &store) {
  Value *value = store.getValueOperand();
  unsigned space = spaceOf(store.getPointerOperand());
  if (!isPacked(selector.layout(), value->getType()) || space == Constants ||
      store.getAlign() < Align(4)) {
    selector.fail(store, "a store of this type, address space or alignment");
    return true;
  }
  if (space == Global) {
    storeGlobal(selector, store);
    return true;
  }
  std::optional<BoundPlace> place;
  if (space == Buffer && !(place = findBuffer(selector, store, store.getPointerOperand())))
    return true;
  Register offset = selector.getOne(store.getPointerOperand());
  Scalars values = selector.get(value);
  if (std::optional<unsigned> array = selector.arrayOf(store.getPointerOperand())) {
    storeArray(selector, *array, offset, values);
    return true;
  }
  for (size_t i = 0; i < values.size(); i += 4)
    storePart(selector, space, addNumber(selector, offset, static_cast<uint32_t>(4 * i)), place,
              ArrayRef(values).slice(i, std::min<size_t>(4, values.size() - i)));
  return true;
}

namespace {
/// The operands of an atomic, of one or two scalars; compare is none but of a compare-exchange.
struct AtomicOperands {
  Scalars data, compare;
  bool isSigned = false;

  bool isWide() const { return data.size() == 2; } ///< 64 bits.
  /// In registers after those of the result, where it is tied to them.
  Register collect(Selector &selector, bool isTied = false) const {
    SmallVector<Register, 6> group(isTied ? data.size() : 0, Register::undefined());
    append_range(group, data);
    append_range(group, compare);
    return group.size() == 1 ? data[0] : selector.builder().collect(group)->value();
  }
};
} // namespace

/// \p bytes in the units of a bound atomic: dwords, or 16 bits where values have 64 (Mesa 25.0,
/// ir3_nir_lower_io_offsets.c, lower_offset_for_ssbo).
static Register atomicOffset(Selector &selector, Register bytes, bool isWide) {
  if (isWide)
    return selector.emit(Opcode::ShrB, {bytes, Selector::number(1)});
  std::optional<Register> quarter = quarterOf(selector, bytes);
  return quarter ? *quarter : selector.emit(Opcode::ShrB, {bytes, Selector::number(2)});
}

/// Null after Selector::fail().
static ir3::Instruction *createAtomic(Selector &selector, llvm::Instruction &inst,
                                      const Value *pointer, const AtomicRow &row,
                                      const AtomicOperands &operands) {
  Builder &builder = selector.builder();
  switch (spaceOf(pointer)) {
  case Local:
    return builder.create(row.local, {selector.getOne(pointer), operands.collect(selector)});
  case Global: {
    Register address = builder.collect(selector.get(pointer))->value();
    return builder.create(row.global, {address, operands.collect(selector)});
  }
  case Buffer: {
    std::optional<BoundPlace> place = findBuffer(selector, inst, pointer);
    if (!place)
      return nullptr;
    if (selector.program().compiler().hasSlots()) {
      SmallVector<Register, 4> sources = slotOperands(selector, selector.getOne(pointer), *place);
      sources.push_back(operands.collect(selector));
      ir3::Instruction *access = builder.create(row.slot, sources);
      setSlotFields(access, U32);
      return access;
    }
    Register group = operands.collect(selector, /*isTied=*/true);
    Register offset = atomicOffset(selector, selector.getOne(pointer), operands.isWide());
    ir3::Instruction *access =
        builder.create(row.bound, {group, offset, place->slot}, false, group.size);
    applyPlace(access, *place);
    return access;
  }
  default:
    selector.fail(inst, "an atomic of this address space");
    return nullptr;
  }
}

/// The scalars of the old value; none after Selector::fail().
static Scalars emitAtomic(Selector &selector, llvm::Instruction &inst, const Value *pointer,
                          const AtomicRow &row, const AtomicOperands &operands) {
  bool isBuffer = spaceOf(pointer) == Buffer;
  if (operands.isWide() && !(isBuffer && selector.program().compiler().hasWideAtomics())) {
    selector.fail(inst, isBuffer ? "an atomic of 64 bits, which the chip lacks"
                                 : "an atomic of 64 bits outside of buffers, which no chip has");
    return {};
  }
  ir3::Instruction *access = createAtomic(selector, inst, pointer, row, operands);
  if (!access)
    return {};
  bool isSigned = operands.isSigned && !faultPlanted(Ir3Fault::AtomicSign);
  access->fields.type = operands.isWide() ? U8 : isSigned ? S32 : U32; // U8 is u64 here.
  access->fields.size = 1;
  if (access->dst().size == 1)
    return {access->value()};
  Scalars old;
  for (unsigned i = 0; i < operands.data.size(); ++i)
    old.push_back(selector.builder().split(access, i)->value());
  return old;
}

/// The old value, then 1 where it was the expected one: the instruction has no result for that.
static bool selectExchange(Selector &selector, AtomicCmpXchgInst &exchange) {
  static constexpr AtomicRow row = {AtomicRMWInst::BAD_BINOP, Opcode::AtomicCmpxchg,
                                    Opcode::AtomicBCmpxchg, Opcode::AtomicGCmpxchg,
                                    Opcode::AtomicSCmpxchg};
  Scalars expected = selector.get(exchange.getCompareOperand());
  AtomicOperands operands{selector.get(exchange.getNewValOperand()), expected, false};
  Scalars result = emitAtomic(selector, exchange, exchange.getPointerOperand(), row, operands);
  if (result.empty())
    return true;
  Register isEqual = selector.emitCompare(Opcode::CmpsU, Eq, result[0], expected[0]);
  if (operands.isWide())
    isEqual = selector.emit(
        Opcode::AndB, {isEqual, selector.emitCompare(Opcode::CmpsU, Eq, result[1], expected[1])});
  result.push_back(isEqual);
  selector.set(&exchange, std::move(result));
  return true;
}

/// Read-modify-write instructions with a row and compare-exchanges; false for others.
static bool selectAtomic(Selector &selector, llvm::Instruction &inst) {
  if (auto *exchange = dyn_cast<AtomicCmpXchgInst>(&inst))
    return selectExchange(selector, *exchange);
  auto *atomic = dyn_cast<AtomicRMWInst>(&inst);
  const auto *row =
      !atomic ? std::end(atomicRows) : find_if(atomicRows, [&](const AtomicRow &each) {
        return each.operation == atomic->getOperation();
      });
  if (row == std::end(atomicRows) || countScalars(inst.getType()) > 2)
    return false;
  AtomicOperands operands{selector.get(atomic->getValOperand()), {}, row->isSigned};
  Scalars old = emitAtomic(selector, inst, atomic->getPointerOperand(), *row, operands);
  if (!old.empty())
    selector.set(&inst, std::move(old));
  return true;
}

/// \p index times \p scale as 64 bits: an index of 32 bits has a sign.
static Scalars scaleWide(Selector &selector, Scalars index, const APInt &scale) {
  if (index.size() == 1)
    index.push_back(selector.emit(Opcode::AshrB, {index[0], Selector::number(31)}));
  if (scale.isOne())
    return index;
  bool isShift = scale.isPowerOf2();
  uint64_t factor = isShift ? scale.logBase2() : scale.getZExtValue();
  Scalars constant = {Selector::number(static_cast<uint32_t>(factor)),
                      Selector::number(static_cast<uint32_t>(factor >> 32))};
  return wideArithmetic(selector, isShift ? llvm::Instruction::Shl : llvm::Instruction::Mul, index,
                        constant);
}

/// An address of global memory: all sums are of 64 bits.
static void selectGlobalAddress(Selector &selector, GetElementPtrInst &address) {
  SmallMapVector<Value *, APInt, 4> variables;
  constexpr unsigned width = 64;
  APInt constant(width, 0);
  if (!address.collectOffset(selector.layout(), width, variables, constant))
    return selector.fail(address, "an address that is no sum");
  Scalars sum = selector.get(address.getPointerOperand());
  for (auto &[index, scale] : variables)
    sum = wideArithmetic(selector, llvm::Instruction::Add, sum,
                         scaleWide(selector, selector.get(index), scale));
  uint64_t bytes = constant.getZExtValue();
  if (bytes)
    sum = wideArithmetic(selector, llvm::Instruction::Add, sum,
                         {Selector::number(static_cast<uint32_t>(bytes)),
                          Selector::number(static_cast<uint32_t>(bytes >> 32))});
  selector.set(&address, std::move(sum));
}

/// \p index times \p scale, with a shift for its powers of two at the end (see quarterOf()).
static Register multiplyIndex(Selector &selector, Register index, uint32_t scale) {
  auto shift = static_cast<uint32_t>(countr_zero(scale));
  Register product = multiply(selector, index, Selector::number(scale >> shift));
  return shift ? selector.emit(Opcode::ShlB, {product, Selector::number(shift)}) : product;
}

/// An address outside of global memory: the byte offset of 32 bits, each index scaled by a shift or
/// a product and added.
static bool selectAddress(Selector &selector, GetElementPtrInst &address) {
  unsigned space = spaceOf(&address);
  if (address.getType()->isVectorTy()) {
    selector.fail(address, "a vector of addresses");
    return true;
  }
  if (space == Global) {
    selectGlobalAddress(selector, address);
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
      value = multiplyIndex(selector, value, static_cast<uint32_t>(scale.getZExtValue()));
    bool isZero = offset.isImmediate() && offset.value == 0;
    offset = isZero ? value : selector.emit(Opcode::AddU, {offset, value});
  }
  selector.set(&address,
               {addNumber(selector, offset, static_cast<uint32_t>(constant.getSExtValue()))});
  return true;
}

/// Completes the writes before it, and makes what others have written visible after it.
static void emitFence(Selector &selector) {
  ir3::Instruction *fence = selector.builder().create(Opcode::Fence, {});
  fence->fields.fenceRead = fence->fields.fenceWrite = 1;
  fence->fields.fenceLocal = fence->fields.fenceGlobal = 1;
}

/// The ordering of a memory access; that of a compare-exchange is the stronger of its two.
static AtomicOrdering orderingOf(const llvm::Instruction &inst) {
  if (const auto *load = dyn_cast<LoadInst>(&inst))
    return load->getOrdering();
  if (const auto *store = dyn_cast<StoreInst>(&inst))
    return store->getOrdering();
  if (const auto *atomic = dyn_cast<AtomicRMWInst>(&inst))
    return atomic->getOrdering();
  if (const auto *exchange = dyn_cast<AtomicCmpXchgInst>(&inst))
    return exchange->getMergedOrdering();
  return AtomicOrdering::NotAtomic;
}

/// Whether \p inst accesses global memory by an address.
static bool isGlobalAccess(const llvm::Instruction &inst) {
  const Value *pointer = getLoadStorePointerOperand(&inst);
  if (const auto *atomic = dyn_cast<AtomicRMWInst>(&inst))
    pointer = atomic->getPointerOperand();
  if (const auto *exchange = dyn_cast<AtomicCmpXchgInst>(&inst))
    pointer = exchange->getPointerOperand();
  return pointer && spaceOf(pointer) == Global;
}

/// Loads, stores and atomics. Chips with slots have no global memory of 64-bit addresses.
static bool selectAccess(Selector &selector, llvm::Instruction &inst) {
  if (selector.program().compiler().hasSlots() && isGlobalAccess(inst)) {
    selector.fail(inst, "an address of 64 bits, where those of the chip have 32");
    return true;
  }
  if (auto *load = dyn_cast<LoadInst>(&inst))
    return selectLoad(selector, *load);
  if (auto *store = dyn_cast<StoreInst>(&inst))
    return selectStore(selector, *store);
  return selectAtomic(selector, inst);
}

/// Addresses, fences, and accesses with the fences that their orderings ask for.
bool ir3::selectMemory(Selector &selector, llvm::Instruction &inst) {
  if (auto *address = dyn_cast<GetElementPtrInst>(&inst))
    return selectAddress(selector, *address);
  if (auto *fence = dyn_cast<FenceInst>(&inst)) {
    // One invocation sees its own accesses in order: no instruction is needed.
    if (fence->getSyncScopeID() == SyncScope::SingleThread)
      selector.builder().token();
    else
      emitFence(selector);
    return true;
  }
  // The instructions order nothing by themselves.
  AtomicOrdering ordering = orderingOf(inst);
  if (isReleaseOrStronger(ordering))
    emitFence(selector);
  bool isDone = selectAccess(selector, inst);
  if (isDone && isAcquireOrStronger(ordering))
    emitFence(selector);
  return isDone;
}
