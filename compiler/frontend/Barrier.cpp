// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Chapter "Barrier Instructions", and scopes and semantics.

#include "compiler/frontend/Scopes.h"
#include "support/Error.h"
#include "support/Fault.h"

using namespace llvm;
using namespace assay;
using Inst = spirv::Instruction;

/// LLVM's names: AMDGPUUsage, "Memory Scopes".
struct ScopeRow {
  spv::Scope spirv;
  const char *llvm; ///< Empty: the whole system.
};

/// Scopes that have no row (ShaderCallKHR) are Unsupported. QueueFamily is the whole device, as
/// LLVM has nothing smaller that contains it.
static constexpr ScopeRow ScopeRows[] = {
    {spv::Scope::CrossDevice, ""},       {spv::Scope::Device, "agent"},
    {spv::Scope::QueueFamily, "agent"},  {spv::Scope::Workgroup, "workgroup"},
    {spv::Scope::Subgroup, "wavefront"}, {spv::Scope::Invocation, "singlethread"},
};

/// Unsupported for scopes without a row; InvalidInput where \p id is no constant.
Expected<SyncScope::ID> assay::syncScope(Translator &t, spirv::Id id) {
  Expected<uint32_t> scope = t.constantInt(id);
  if (!scope)
    return scope.takeError();
  for (const ScopeRow &row : ScopeRows)
    if (static_cast<uint32_t>(row.spirv) == *scope)
      return t.context().getOrInsertSyncScopeID(row.llvm);
  return unsupported("scope " + Twine(*scope));
}

/// Acquire and Release together are AcquireRelease. The bits for storage classes do not count here.
Expected<AtomicOrdering> assay::ordering(Translator &t, spirv::Id id) {
  Expected<uint32_t> semantics = t.constantInt(id);
  if (!semantics)
    return semantics.takeError();
  auto has = [&](spv::MemorySemanticsMask mask) {
    return (*semantics & static_cast<uint32_t>(mask)) != 0;
  };
  if (has(spv::MemorySemanticsMask::SequentiallyConsistent))
    return AtomicOrdering::SequentiallyConsistent;
  bool acquires = has(spv::MemorySemanticsMask::Acquire);
  bool releases = has(spv::MemorySemanticsMask::Release);
  if (has(spv::MemorySemanticsMask::AcquireRelease) || (acquires && releases))
    return AtomicOrdering::AcquireRelease;
  if (acquires)
    return AtomicOrdering::Acquire;
  return releases ? AtomicOrdering::Release : AtomicOrdering::Monotonic;
}

/// Volatile is bit 15 of the semantics, in the Vulkan memory model.
Expected<bool> assay::hasVolatileSemantics(Translator &t, spirv::Id id) {
  Expected<uint32_t> semantics = t.constantInt(id);
  if (!semantics)
    return semantics.takeError();
  return (*semantics & static_cast<uint32_t>(spv::MemorySemanticsMask::Volatile)) != 0;
}

/// Returns Workgroup only if WorkgroupMemory is the one storage class that the semantics name. A
/// mask without any storage class orders all memory.
Expected<FencedMemory> assay::fencedMemory(Translator &t, spirv::Id id) {
  Expected<uint32_t> semantics = t.constantInt(id);
  if (!semantics)
    return semantics.takeError();
  using Mask = spv::MemorySemanticsMask;
  constexpr Mask classes[] = {Mask::UniformMemory,       Mask::SubgroupMemory,
                              Mask::WorkgroupMemory,     Mask::CrossWorkgroupMemory,
                              Mask::AtomicCounterMemory, Mask::ImageMemory,
                              Mask::OutputMemory};
  uint32_t named = 0;
  for (Mask mask : classes)
    named |= *semantics & static_cast<uint32_t>(mask);
  return named == static_cast<uint32_t>(Mask::WorkgroupMemory) ? FencedMemory::Workgroup
                                                               : FencedMemory::All;
}

void assay::createFence(IRBuilderBase &builder, AtomicOrdering ordering, SyncScope::ID scope,
                        FencedMemory memory) {
  setFencedMemory(*builder.CreateFence(ordering, scope), memory);
}

namespace {
/// What the operands of a barrier say of memory.
struct MemoryOrder {
  SyncScope::ID scope = SyncScope::System;
  AtomicOrdering ordering = AtomicOrdering::Monotonic;
  FencedMemory memory = FencedMemory::All;
};
} // namespace

/// Reads the scope constant \p scopeId and the constant \p semantics; the first error of the three
/// is returned.
static Expected<MemoryOrder> readOrder(Translator &t, spirv::Id scopeId, spirv::Id semantics) {
  Expected<SyncScope::ID> scope = syncScope(t, scopeId);
  if (!scope)
    return scope.takeError();
  Expected<AtomicOrdering> order = ordering(t, semantics);
  if (!order)
    return order.takeError();
  Expected<FencedMemory> memory = fencedMemory(t, semantics);
  if (!memory)
    return memory.takeError();
  return MemoryOrder{*scope, *order, *memory};
}

/// Emits one fence; none for relaxed semantics, which order nothing.
static Error memoryBarrier(Translator &t, const Inst &inst) {
  Expected<MemoryOrder> order = readOrder(t, inst.operand(0), inst.operand(1));
  if (!order)
    return order.takeError();
  if (order->ordering != AtomicOrdering::Monotonic)
    createFence(t.builder(), order->ordering, order->scope, order->memory);
  return Error::success();
}

/// Memory before the barrier is released, memory of it acquired. A subgroup runs in lockstep
/// and needs no barrier of its own.
static Error controlBarrier(Translator &t, const Inst &inst) {
  Expected<uint32_t> execution = t.constantInt(inst.operand(0));
  if (!execution)
    return execution.takeError();
  Expected<MemoryOrder> order = readOrder(t, inst.operand(1), inst.operand(2));
  if (!order)
    return order.takeError();
  bool isWorkgroup = *execution == static_cast<uint32_t>(spv::Scope::Workgroup);
  if (!isWorkgroup && *execution != static_cast<uint32_t>(spv::Scope::Subgroup))
    return unsupported("execution scope " + Twine(*execution));

  if (isReleaseOrStronger(order->ordering))
    createFence(t.builder(), AtomicOrdering::Release, order->scope, order->memory);
  if (isWorkgroup && !faultPlanted(Fault::BarrierDropped))
    t.builder().createBarrier();
  if (isAcquireOrStronger(order->ordering))
    createFence(t.builder(), AtomicOrdering::Acquire, order->scope, order->memory);
  return Error::success();
}

static constexpr OpcodeRow BarrierRows[] = {
    {.opcode = spv::Op::OpControlBarrier, .effect = controlBarrier},
    {.opcode = spv::Op::OpMemoryBarrier, .effect = memoryBarrier},
};

ArrayRef<OpcodeRow> assay::barrierOpcodes() {
  return BarrierRows;
}
