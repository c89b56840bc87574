// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Atomics and barriers ("Atomic Instructions", "Barrier Instructions"). Invocations run one at a
// time, so an atomic is a plain read and write that races with no other atomic.
#include "oracles/machine/spirv/memory/MemoryAccess.h"
#include "oracles/machine/spirv/ops/OpsSubgroup.h"

#include "support/Error.h"
#include <algorithm>

using namespace llvm;
using namespace assay;
using namespace assay::reference;
using spirv::TypeKind;

// Inst::extra of atomics and fences: the memories a barrier orders (BarrierMemory), flags, and from
// these bits on the order kinds acquired and released towards whoever synchronizes.
static constexpr uint32_t IsFloatAtomic = 4;
static constexpr uint32_t OrdersMemory = 8;
static constexpr unsigned AcquiredShift = 4;
static constexpr unsigned ReleasedShift = AcquiredShift + OrderKinds;
static constexpr uint32_t AllKinds = (1 << OrderKinds) - 1;

/// Bits of the order kinds that the atomic or fence acquires.
static uint8_t acquiredOf(const Inst &inst) {
  return inst.extra >> AcquiredShift & AllKinds;
}
/// Bits of the order kinds that the atomic or fence releases.
static uint8_t releasedOf(const Inst &inst) {
  return inst.extra >> ReleasedShift & AllKinds;
}

/// Both bits of BarrierMemory.
static constexpr uint32_t AllMemories = OrdersWorkgroup | OrdersBuffers;

/// Whether \p semantics has one of the bits in \p masks.
static bool hasAny(uint64_t semantics, std::initializer_list<spv::MemorySemanticsMask> masks) {
  return any_of(masks, [&](auto mask) { return (semantics & uint32_t(mask)) != 0; });
}

/// The bits of Inst::extra that \p scope and \p semantics give.
static uint32_t orderBits(uint64_t scope, uint64_t semantics) {
  using Mask = spv::MemorySemanticsMask;
  bool acquires =
      hasAny(semantics, {Mask::Acquire, Mask::AcquireRelease, Mask::SequentiallyConsistent});
  bool releases =
      hasAny(semantics, {Mask::Release, Mask::AcquireRelease, Mask::SequentiallyConsistent});
  bool isGroup = scope == uint32_t(spv::Scope::Workgroup);
  bool isWide = scope == uint32_t(spv::Scope::Device) ||
                scope == uint32_t(spv::Scope::QueueFamily) ||
                scope == uint32_t(spv::Scope::CrossDevice);
  if (!(acquires || releases))
    return 0;
  uint32_t memories =
      (hasAny(semantics, {Mask::WorkgroupMemory}) ? OrdersWorkgroup : 0) |
      (hasAny(semantics, {Mask::UniformMemory, Mask::ImageMemory}) ? OrdersBuffers : 0);
  if (!isGroup && !isWide)
    return OrdersMemory;
  // Buffers reach beyond the workgroup; towards others, a narrow scope orders nothing.
  uint32_t outward = isWide ? memories : memories & OrdersWorkgroup;
  auto kinds = [&](Mask make) {
    return outward | (hasAny(semantics, {make}) ? outward << MemoryKinds : 0);
  };
  return OrdersMemory | memories | (acquires ? kinds(Mask::MakeVisible) << AcquiredShift : 0) |
         (releases ? kinds(Mask::MakeAvailable) << ReleasedShift : 0);
}

/// Operands: pointer, scope, semantics, then \p Values values; with two, a second semantics first.
template <unsigned Values>
static Error prepareAtomic(Decoder &decoder, Operands operands, Inst &inst) {
  spirv::Id pointer = decoder.typeOf(operands[0]);
  if (!pointer || decoder.module().type(pointer).kind != TypeKind::Pointer)
    return unsupported("pointer of this kind");
  const spirv::Type &type = decoder.module().type(decoder.module().type(pointer).element);
  if (type.kind != TypeKind::Int && type.kind != TypeKind::Float)
    return invalidInput("pointer to no scalar");
  inst.width = inst.sourceWidth = static_cast<uint8_t>(type.width);
  inst.extra = type.kind == TypeKind::Float ? IsFloatAtomic : 0;
  Expected<uint64_t> scope = decoder.constantValue(operands[1]);
  Expected<uint64_t> semantics = decoder.constantValue(operands[2]);
  if (!scope || !semantics)
    return joinErrors(scope.takeError(), semantics.takeError());
  inst.extra |= orderBits(*scope, *semantics);
  if (Error error = decoder.refs(operands.take_front(), inst))
    return error;
  return decoder.refs(operands.take_back(Values), inst, 1);
}

/// The value at the target: outside of memory, what robust access returns.
static Scalar readTarget(const AtomicTarget &target, const Inst &inst) {
  if (target.outside)
    return target.read;
  return target.scalar
             ? *target.scalar
             : target.buffer->load(target.offset, inst.width / 8, inst.extra & IsFloatAtomic);
}
/// Stores \p value unless the target is outside of memory.
static void writeTarget(const AtomicTarget &target, const Inst &inst, const Scalar &value) {
  if (target.outside)
    return;
  if (target.scalar)
    *target.scalar = value;
  else
    target.buffer->store(target.offset, inst.width / 8, value);
}

/// Identifies the memory of an atomic. Workgroup memory includes the number of the workgroup,
/// because workgroups may reuse memory.
static PublishedOrder::Location locationOf(const Invocation &invocation,
                                           const AtomicTarget &target) {
  if (target.scalar)
    return {target.scalar, invocation.group->index};
  if (target.buffer == invocation.group->block.get())
    return {target.buffer, target.offset | uint64_t(invocation.group->index) << 32};
  return {target.buffer, target.offset};
}

/// Without fences and ordering atomics so far, there is nothing to learn or to tell.
static bool hasOrder(const Invocation &invocation, const Inst &inst) {
  const Execution &execution = *invocation.execution;
  return execution.tracksRaces() &&
         (invocation.order || (inst.extra & OrdersMemory) || execution.sawOrdering());
}

/// An atomic that reads learns what was published where it reads.
static void learnOrder(Invocation &invocation, const Inst &inst, const AtomicTarget &target) {
  if (hasOrder(invocation, inst))
    invocation.execution->publishedOrder().read(invocation.getOrder(),
                                                locationOf(invocation, target), acquiredOf(inst));
}

/// One that writes tells what its invocation has released. \p isUpdate: it has read, too.
static void tellOrder(Invocation &invocation, const Inst &inst, const AtomicTarget &target,
                      bool isUpdate = true) {
  if (hasOrder(invocation, inst))
    invocation.execution->publishedOrder().write(invocation.getOrder(), invocation.getPlace(),
                                                 locationOf(invocation, target), releasedOf(inst),
                                                 isUpdate);
}

/// Finds the target of an atomic and notes that the run has atomics. False: stopped.
static bool begin(Invocation &invocation, const Inst &inst, AccessKind kind, AtomicTarget &target) {
  Execution &execution = *invocation.execution;
  execution.noteAtomic();
  if (inst.extra & OrdersMemory)
    execution.noteOrdering();
  Expected<AtomicTarget> found = atomicTarget(invocation, inst, *invocation.at(inst.op[0]), kind);
  if (!found) {
    consumeError(found.takeError()); // Execution::ending() says why.
    return false;
  }
  target = *found;
  return true;
}

/// Combines the old value with the operand; the caller masks the result to \p width bits.
using Combine = uint64_t (*)(uint64_t old, uint64_t value, unsigned width);

/// Whether \p value gives the result whatever the old value is: AND with 0, a maximum with the
/// greatest value. The four probes tell every function below that depends on the old value.
template <Combine Function> static bool decides(const Scalar &value, unsigned width) {
  const uint64_t all = maskOf(width), highest = all ^ (all >> 1);
  auto result = [&](uint64_t old) { return Function(old, value.bits, width) & all; };
  return !(value.flags & Poison) && result(all) == result(0) && result(highest) == result(0) &&
         result(highest - 1) == result(0);
}

/// Read-modify-write of an integer. dst gets the old value. Without \p HasValue the operand is 1.
template <Combine Function, bool HasValue = true>
static Status modify(Invocation &invocation, const Inst &inst) {
  AtomicTarget target;
  if (!begin(invocation, inst, AccessKind::AtomicWrite, target))
    return Status::Stop;
  learnOrder(invocation, inst, target);
  tellOrder(invocation, inst, target);
  Scalar old = readTarget(target, inst);
  Scalar value = HasValue ? *invocation.at(inst.op[1]) : Scalar::exact(1);
  Scalar result =
      (old.flags | value.flags) & Poison && !decides<Function>(value, inst.width)
          ? inheritPoison(old, value)
          : Scalar::exact(Function(old.bits, value.bits, inst.width) & maskOf(inst.width));
  writeTarget(target, inst, result);
  *invocation.at(inst.dst) = old;
  return invocation.execution->yieldSometimes();
}

/// What floats make of the old value and the operand. \p location is where that is.
using FloatCombine = Scalar (*)(Execution &execution, const PublishedOrder::Location &location,
                                const Scalar &old, const Scalar &value, const FloatRules &rules);

/// An addition, bounded over all orders of the additions at this location.
static Scalar sumAt(Execution &execution, const PublishedOrder::Location &location,
                    const Scalar &old, const Scalar &value, const FloatRules &rules) {
  return execution.floatSums().add(location, old, value, rules);
}
/// A minimum or maximum.
template <Interval (*Function)(Interval, Interval)>
static Scalar choose(Execution &, const PublishedOrder::Location &, const Scalar &old,
                     const Scalar &value, const FloatRules &rules) {
  return scalarOf(Function(intervalOf(old, rules), intervalOf(value, rules)), rules);
}

/// Read-modify-write of a float. dst gets the old value.
template <FloatCombine Function>
static Status modifyFloat(Invocation &invocation, const Inst &inst) {
  AtomicTarget target;
  if (!begin(invocation, inst, AccessKind::AtomicWrite, target))
    return Status::Stop;
  learnOrder(invocation, inst, target);
  tellOrder(invocation, inst, target);
  const Scalar old = readTarget(target, inst), value = *invocation.at(inst.op[1]);
  writeTarget(target, inst,
              (old.flags | value.flags) & Poison
                  ? inheritPoison(old, value)
                  : Function(*invocation.execution, locationOf(invocation, target), old, value,
                             inst.rules));
  *invocation.at(inst.dst) = old;
  return invocation.execution->yieldSometimes();
}

/// Stores op[1] and returns the old value. Poison may be exchanged: it is only moved.
static Status exchange(Invocation &invocation, const Inst &inst) {
  AtomicTarget target;
  if (!begin(invocation, inst, AccessKind::AtomicWrite, target))
    return Status::Stop;
  learnOrder(invocation, inst, target);
  tellOrder(invocation, inst, target);
  Scalar old = readTarget(target, inst), value = *invocation.at(inst.op[1]);
  writeTarget(target, inst, value);
  *invocation.at(inst.dst) = old;
  return invocation.execution->yieldSometimes();
}

/// Reads, and learns what releases at this location have published.
static Status atomicLoad(Invocation &invocation, const Inst &inst) {
  AtomicTarget target;
  if (!begin(invocation, inst, AccessKind::AtomicRead, target))
    return Status::Stop;
  learnOrder(invocation, inst, target);
  *invocation.at(inst.dst) = readTarget(target, inst);
  return invocation.execution->yieldSometimes();
}

/// Writes op[1] without reading: what was published at the location is replaced.
static Status atomicStore(Invocation &invocation, const Inst &inst) {
  AtomicTarget target;
  if (!begin(invocation, inst, AccessKind::AtomicWrite, target))
    return Status::Stop;
  tellOrder(invocation, inst, target, false);
  writeTarget(target, inst, *invocation.at(inst.op[1]));
  return invocation.execution->yieldSometimes();
}

/// op[1] the new value, op[2] the comparator.
static Status compareExchange(Invocation &invocation, const Inst &inst) {
  AtomicTarget target;
  if (!begin(invocation, inst, AccessKind::AtomicWrite, target))
    return Status::Stop;
  learnOrder(invocation, inst, target);
  Scalar old = readTarget(target, inst);
  const Scalar value = *invocation.at(inst.op[1]), expected = *invocation.at(inst.op[2]);
  if ((old.flags | expected.flags) & Poison)
    return invocation.execution->poisonUsed(inheritPoison(old, expected), "an exchange", invocation,
                                            inst);
  if (old.bits == expected.bits) {
    tellOrder(invocation, inst, target);
    writeTarget(target, inst, value);
  }
  *invocation.at(inst.dst) = old;
  return invocation.execution->yieldSometimes();
}

static uint64_t addTo(uint64_t old, uint64_t value, unsigned) {
  return old + value;
}
static uint64_t subFrom(uint64_t old, uint64_t value, unsigned) {
  return old - value;
}
static uint64_t andWith(uint64_t old, uint64_t value, unsigned) {
  return old & value;
}
static uint64_t orWith(uint64_t old, uint64_t value, unsigned) {
  return old | value;
}
static uint64_t xorWith(uint64_t old, uint64_t value, unsigned) {
  return old ^ value;
}
static uint64_t minUnsigned(uint64_t old, uint64_t value, unsigned) {
  return std::min(old, value);
}
static uint64_t maxUnsigned(uint64_t old, uint64_t value, unsigned) {
  return std::max(old, value);
}
/// Compares as signed numbers of \p width bits.
static uint64_t minSigned(uint64_t old, uint64_t value, unsigned width) {
  return signExtend(old, width) < signExtend(value, width) ? old : value;
}
/// Compares the low \p width bits as signed numbers.
static uint64_t maxSigned(uint64_t old, uint64_t value, unsigned width) {
  return signExtend(old, width) > signExtend(value, width) ? old : value;
}

/// extra: the memories ordered for the workgroup; op[0]: those for each subgroup alone.
static Error prepareControlBarrier(Decoder &decoder, Operands operands, Inst &inst) {
  uint64_t values[3];
  for (unsigned i = 0; i < 3; ++i) {
    Expected<uint64_t> value = decoder.constantValue(operands[i]);
    if (!value)
      return value.takeError();
    values[i] = *value;
  }
  if (values[0] == uint32_t(spv::Scope::Subgroup))
    // Within the subgroup, a barrier whose memory scope is the subgroup orders as much as a wider
    // one.
    return addSubgroupBarrier(decoder, inst,
                              orderBits(uint32_t(spv::Scope::Workgroup), values[2]) & AllMemories);
  if (values[0] != uint32_t(spv::Scope::Workgroup))
    return unsupported("execution scope " + Twine(values[0]));
  decoder.program().tracksLoops = true;
  inst.extra = orderBits(values[1], values[2]) & AllMemories;
  if (values[1] == uint32_t(spv::Scope::Subgroup))
    inst.op[0] = orderBits(uint32_t(spv::Scope::Workgroup), values[2]) & AllMemories;
  if (decoder.module().memoryModel == spv::MemoryModel::Vulkan)
    inst.access =
        (hasAny(values[2], {spv::MemorySemanticsMask::MakeAvailable}) ? 0 : LacksAvailable) |
        (hasAny(values[2], {spv::MemorySemanticsMask::MakeVisible}) ? 0 : LacksVisible);
  return Error::success();
}

/// The scheduler does the rest once all invocations have arrived (Execution::passBarrier()).
static Status controlBarrier(Invocation &, const Inst &) {
  return Status::Barrier;
}

/// extra: as orderBits() has it.
static Error prepareMemoryBarrier(Decoder &decoder, Operands operands, Inst &inst) {
  Expected<uint64_t> scope = decoder.constantValue(operands[0]);
  Expected<uint64_t> semantics = decoder.constantValue(operands[1]);
  if (!scope || !semantics)
    return joinErrors(scope.takeError(), semantics.takeError());
  inst.extra = orderBits(*scope, *semantics);
  return Error::success();
}

/// Publishes and learns by the fence, and counts the invocation for the barrier that may follow: a
/// fence by all orders as much as the barrier's semantics.
static Status memoryBarrier(Invocation &invocation, const Inst &inst) {
  invocation.execution->noteOrdering();
  PublishedOrder::fence(invocation.getOrder(), invocation.getPlace(), acquiredOf(inst),
                        releasedOf(inst));
  uint32_t added = inst.extra & (OrdersWorkgroup | OrdersBuffers) & ~uint32_t(invocation.fenced);
  invocation.group->fences[0] += added & 1;
  invocation.group->fences[1] += added >> 1 & 1;
  invocation.fenced |= added;
  return invocation.execution->yieldSometimes();
}

/// Atomics and barriers. prepareAtomic's argument is the number of values after the semantics.
ArrayRef<OpRow> reference::atomicOps() {
  using spv::Op;
  static const OpRow rows[] = {
      {uint32_t(Op::OpAtomicLoad), prepareAtomic<0>, atomicLoad},
      {uint32_t(Op::OpAtomicStore), prepareAtomic<1>, atomicStore},
      {uint32_t(Op::OpAtomicExchange), prepareAtomic<1>, exchange},
      {uint32_t(Op::OpAtomicCompareExchange), prepareAtomic<2>, compareExchange},
      {uint32_t(Op::OpAtomicIIncrement), prepareAtomic<0>, modify<addTo, false>},
      {uint32_t(Op::OpAtomicIDecrement), prepareAtomic<0>, modify<subFrom, false>},
      {uint32_t(Op::OpAtomicIAdd), prepareAtomic<1>, modify<addTo>},
      {uint32_t(Op::OpAtomicISub), prepareAtomic<1>, modify<subFrom>},
      {uint32_t(Op::OpAtomicSMin), prepareAtomic<1>, modify<minSigned>},
      {uint32_t(Op::OpAtomicUMin), prepareAtomic<1>, modify<minUnsigned>},
      {uint32_t(Op::OpAtomicSMax), prepareAtomic<1>, modify<maxSigned>},
      {uint32_t(Op::OpAtomicUMax), prepareAtomic<1>, modify<maxUnsigned>},
      {uint32_t(Op::OpAtomicAnd), prepareAtomic<1>, modify<andWith>},
      {uint32_t(Op::OpAtomicOr), prepareAtomic<1>, modify<orWith>},
      {uint32_t(Op::OpAtomicXor), prepareAtomic<1>, modify<xorWith>},
      {uint32_t(Op::OpAtomicFAddEXT), prepareAtomic<1>, modifyFloat<sumAt>},
      {uint32_t(Op::OpAtomicFMinEXT), prepareAtomic<1>, modifyFloat<choose<minimum>>},
      {uint32_t(Op::OpAtomicFMaxEXT), prepareAtomic<1>, modifyFloat<choose<maximum>>},
      {uint32_t(Op::OpControlBarrier), prepareControlBarrier, controlBarrier},
      {uint32_t(Op::OpMemoryBarrier), prepareMemoryBarrier, memoryBarrier},
  };
  return rows;
}
