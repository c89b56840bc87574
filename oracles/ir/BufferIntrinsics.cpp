// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Buffer instructions of AMDGPU: raw and struct, by resource pointer or by four dwords, and the
// scalar load. Their operands are those of IntrinsicsAMDGPU.td: [data...], resource, [index],
// offset, scalar offset, cache policy with bit 31 for volatile.
#include "oracles/ir/Accesses.h"
#include "oracles/ir/Handlers.h"
#include "llvm/IR/IntrinsicsAMDGPU.h"

using namespace llvm;
using namespace assay;

namespace assay::ir {

using BinOp = AtomicRMWInst::BinOp;

/// Atomics must be aligned by their size; of a vector each element is one (buffer_load_b128 wants
/// dwords, RDNA3 manual, "Memory Alignment").
static Align naturalAlign(const Shape &shape) {
  uint64_t bytes = shape.storeBytes;
  if (shape.isVector && !shape.elements.empty())
    bytes = std::max<uint64_t>(std::min<uint64_t>(bytes, 4), shape.elements.front().bits / 8);
  return Align(PowerOf2Ceil(std::max<uint64_t>(bytes, 1)));
}

namespace {
/// The operands after the data, of one lane.
struct BufferOperands {
  Resource resource;
  BufferIndex index;
  AccessMode mode;
};
} // namespace

/// 128 bits of a pointer, or of four dwords; nothing if any is poison.
static std::optional<APInt> resourceBits(const Lane &lane, const Operand &operand) {
  const Scalar *values = lane.get(operand);
  APInt bits = APInt::getZero(128);
  for (uint32_t i = 0; i < operand.count; ++i) {
    if (values[i].isPoison)
      return std::nullopt;
    bits.insertBits(values[i].bits, i * values[i].bits.getBitWidth());
  }
  return bits;
}

AccessMode instructionMode(uint32_t policy) {
  constexpr uint32_t Volatile = 1u << 31;
  AccessMode mode;
  mode.isVolatile = policy & Volatile;
  mode.cachePolicy = policy & ~Volatile;
  mode.isInstruction = true;
  return mode;
}

std::optional<BufferPlace> readBufferPlace(Machine &machine, Lane &lane, const Inst &inst,
                                           unsigned resource, unsigned first, bool isIndexed) {
  std::optional<APInt> bits = resourceBits(lane, inst.operands[resource]);
  bool isPoison = !bits;
  auto next = [&]() {
    const Scalar &value = *lane.get(inst.operands[first++]);
    isPoison |= value.isPoison;
    return static_cast<uint32_t>(value.bits.getZExtValue());
  };
  BufferPlace place{};
  place.index.isIndexed = isIndexed;
  if (isIndexed)
    place.index.index = next();
  place.index.offset = next();
  place.index.offset += next();
  if (isPoison) {
    machine.stop(RunState::Undefined, "a buffer instruction with a poison address");
    return std::nullopt;
  }
  place.resource = Resource::fromBits(*bits);
  return place;
}

/// Reads the operands from \p first (the resource) on. Undefined behaviour if any operand is
/// poison.
static std::optional<BufferOperands> readOperands(Machine &machine, Lane &lane, const Inst &inst,
                                                  unsigned first, bool isIndexed) {
  auto place = readBufferPlace(machine, lane, inst, first, first + 1, isIndexed);
  if (!place)
    return std::nullopt;
  const Scalar &policy = *lane.get(inst.operands[first + (isIndexed ? 4 : 3)]);
  return BufferOperands{place->resource, place->index,
                        instructionMode(static_cast<uint32_t>(policy.bits.getZExtValue()))};
}

/// Finds the access in memory; nothing with the machine stopped. A place without data is outside of
/// the buffer.
static std::optional<Place> locateOperands(Machine &machine, const BufferOperands &operands,
                                           const Request &request) {
  Place place = machine.spaces().locateBuffer(machine, operands.resource, operands.index, request);
  if (machine.isStopped())
    return std::nullopt;
  return place;
}

/// raw or struct buffer.load; the atomic form is an access of monotonic ordering.
template <bool isIndexed, bool isAtomic> static void runLoad(Machine &machine, const Inst &inst) {
  Request request{8, inst.shape->storeBytes, isAtomic ? naturalAlign(*inst.shape) : Align(1),
                  false};
  for (Lane *lane : machine.group()) {
    auto operands = readOperands(machine, *lane, inst, 0, isIndexed);
    if (!operands)
      return;
    if (isAtomic)
      operands->mode.ordering = AtomicOrdering::Monotonic;
    auto place = locateOperands(machine, *operands, request);
    if (!place)
      return;
    readPlace(machine, *lane, *place, *inst.shape, operands->mode, lane->slots + inst.slot);
  }
}

/// buffer.store: operand 0 is the data.
template <bool isIndexed> static void runStore(Machine &machine, const Inst &inst) {
  Request request{8, inst.source->storeBytes, Align(1), true};
  for (Lane *lane : machine.group()) {
    auto operands = readOperands(machine, *lane, inst, 1, isIndexed);
    if (!operands)
      return;
    auto place = locateOperands(machine, *operands, request);
    if (!place)
      return;
    writePlace(machine, *lane, *place, *inst.source, operands->mode, lane->get(inst.operands[0]));
  }
}

/// A buffer atomic: operand 0 is the data; the result is the old value.
template <bool isIndexed, BinOp operation>
static void runAtomic(Machine &machine, const Inst &inst) {
  Request request{8, inst.shape->storeBytes, naturalAlign(*inst.shape), true};
  for (Lane *lane : machine.group()) {
    auto operands = readOperands(machine, *lane, inst, 1, isIndexed);
    if (!operands)
      return;
    operands->mode.ordering = AtomicOrdering::Monotonic;
    auto place = locateOperands(machine, *operands, request);
    if (!place)
      return;
    operands->mode.denormals = inst.denormals;
    atomicPlace(machine, *lane, *place, *inst.shape, operands->mode, operation,
                lane->get(inst.operands[0]), lane->slots + inst.slot);
  }
}

/// buffer.atomic.cmpswap: operand 0 is the new value, operand 1 the expected one.
template <bool isIndexed> static void runCompareSwap(Machine &machine, const Inst &inst) {
  Request request{8, inst.shape->storeBytes, naturalAlign(*inst.shape), true};
  for (Lane *lane : machine.group()) {
    auto operands = readOperands(machine, *lane, inst, 2, isIndexed);
    if (!operands)
      return;
    operands->mode.ordering = AtomicOrdering::Monotonic;
    auto place = locateOperands(machine, *operands, request);
    if (!place)
      return;
    exchangePlace(machine, *lane, *place, *inst.shape, operands->mode, *lane->get(inst.operands[1]),
                  *lane->get(inst.operands[0]), lane->slots[inst.slot]);
  }
}

/// s.buffer.load: a read of memory that does not change, by dwords; one resource for all lanes.
/// Different resources stop the run as divergent.
static void runScalarLoad(Machine &machine, const Inst &inst) {
  uint64_t bytes = inst.shape->storeBytes;
  Request request{8, bytes, std::min(naturalAlign(*inst.shape), Align(4)), false};
  AccessMode mode;
  mode.isInvariant = true;
  std::optional<APInt> common;
  for (Lane *lane : machine.group()) {
    auto bits = resourceBits(*lane, inst.operands[0]);
    const Scalar &offset = *lane->get(inst.operands[1]);
    if (!bits || offset.isPoison)
      return machine.stop(RunState::Undefined, "a scalar load with a poison address");
    if (common && *common != *bits)
      return machine.stop(RunState::Divergent, "a scalar load by different resources");
    common = bits;
    BufferOperands operands{Resource::fromBits(*bits), {}, mode};
    operands.index.offset = offset.bits.getZExtValue();
    auto place = locateOperands(machine, operands, request);
    if (!place)
      return;
    readPlace(machine, *lane, *place, *inst.shape, mode, lane->slots + inst.slot);
  }
}

/// make.buffer.rsrc: base, stride (with swizzling), records, flags; a fat pointer begins at 0.
/// Index and offset of a fat pointer are 0. Poison in one lane is poison in this lane only.
static void runMakeResource(Machine &machine, const Inst &inst) {
  unsigned shift = inst.bits == 128 ? 0 : inst.bits == 160 ? 32 : 64;
  for (Lane *lane : machine.group()) {
    const Scalar *parts[4];
    bool isPoison = false;
    for (unsigned i = 0; i < 4; ++i) {
      parts[i] = lane->get(inst.operands[i]);
      isPoison |= parts[i]->isPoison;
    }
    Scalar &result = lane->slots[inst.slot];
    if (isPoison) {
      setPoison(result, inst.bits);
      continue;
    }
    auto number = [&](unsigned i) { return parts[i]->bits.zextOrTrunc(64).getZExtValue(); };
    Resource resource{number(0), static_cast<uint32_t>(number(1)), static_cast<uint32_t>(number(2)),
                      static_cast<uint32_t>(number(3))};
    result = {resource.toBits().zext(inst.bits).shl(shift)};
  }
}

/// The four forms of a memory instruction: raw or struct, by pointer or by dwords.
#define ASSAY_BUFFER_FORMS(name, raw, indexed)                                                     \
  {Intrinsic::amdgcn_raw_ptr_buffer_##name, raw}, {Intrinsic::amdgcn_raw_buffer_##name, raw},      \
      {Intrinsic::amdgcn_struct_ptr_buffer_##name, indexed}, {                                     \
    Intrinsic::amdgcn_struct_buffer_##name, indexed                                                \
  }
#define ASSAY_BUFFER_ATOMIC(name, operation)                                                       \
  ASSAY_BUFFER_FORMS(atomic_##name, (runAtomic<false, BinOp::operation>),                          \
                     (runAtomic<true, BinOp::operation>))

ArrayRef<IntrinsicRow> bufferIntrinsics() {
  static constexpr IntrinsicRow Rows[] = {
      ASSAY_BUFFER_FORMS(load, (runLoad<false, false>), (runLoad<true, false>)),
      ASSAY_BUFFER_FORMS(store, runStore<false>, runStore<true>),
      ASSAY_BUFFER_ATOMIC(swap, Xchg),
      ASSAY_BUFFER_ATOMIC(add, Add),
      ASSAY_BUFFER_ATOMIC(sub, Sub),
      ASSAY_BUFFER_ATOMIC(smin, Min),
      ASSAY_BUFFER_ATOMIC(umin, UMin),
      ASSAY_BUFFER_ATOMIC(smax, Max),
      ASSAY_BUFFER_ATOMIC(umax, UMax),
      ASSAY_BUFFER_ATOMIC(and, And),
      ASSAY_BUFFER_ATOMIC(or, Or),
      ASSAY_BUFFER_ATOMIC(xor, Xor),
      ASSAY_BUFFER_ATOMIC(inc, UIncWrap),
      ASSAY_BUFFER_ATOMIC(dec, UDecWrap),
      ASSAY_BUFFER_ATOMIC(cond_sub_u32, USubCond),
      ASSAY_BUFFER_ATOMIC(sub_clamp_u32, USubSat),
      ASSAY_BUFFER_ATOMIC(fadd, FAdd),
      ASSAY_BUFFER_ATOMIC(fmin, FMin),
      ASSAY_BUFFER_ATOMIC(fmax, FMax),
      ASSAY_BUFFER_FORMS(atomic_cmpswap, runCompareSwap<false>, runCompareSwap<true>),
      {Intrinsic::amdgcn_raw_ptr_atomic_buffer_load, runLoad<false, true>},
      {Intrinsic::amdgcn_raw_atomic_buffer_load, runLoad<false, true>},
      {Intrinsic::amdgcn_struct_ptr_atomic_buffer_load, runLoad<true, true>},
      {Intrinsic::amdgcn_struct_atomic_buffer_load, runLoad<true, true>},
      {Intrinsic::amdgcn_s_buffer_load, runScalarLoad},
      {Intrinsic::amdgcn_make_buffer_rsrc, runMakeResource},
  };
  return Rows;
}

} // namespace assay::ir
