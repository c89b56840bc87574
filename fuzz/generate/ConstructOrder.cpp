// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What orders memory: semantics and scopes of atomics, barriers, and words that change hands
// through a buffer.
#include "fuzz/generate/Constructs.h"
#include "fuzz/generate/Resources.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace assay::fuzz {

namespace {
/// Bits of Memory Semantics; every order may stand with these storage classes.
enum Semantics : uint32_t {
  Relaxed = 0,
  Acquire = 0x2,
  Release = 0x4,
  AcquireRelease = 0x8,
  OnBuffers = 0x40,
  OnWorkgroup = 0x100,
  OnImages = 0x800
};
} // namespace

namespace {
/// Constants for the operands of an atomic or barrier.
struct ScopeAndSemantics {
  Operand scope, semantics;
};
} // namespace

/// Device, Workgroup, Subgroup; Invocation, which Vulkan wants relaxed (VUID
/// StandaloneSpirv-None-04641).
static ScopeAndSemantics choose(Writer &writer, uint32_t order) {
  static constexpr uint32_t scopes[] = {1, 2, 3, 4};
  static constexpr uint32_t classes[] = {OnBuffers, OnWorkgroup, OnBuffers | OnWorkgroup,
                                         OnBuffers | OnImages};
  Random &random = writer.random();
  uint32_t scope = random.pick(ArrayRef(scopes).drop_back(order == Relaxed ? 0 : 1));
  uint32_t bits = order == Relaxed ? 0 : order | random.pick(ArrayRef(classes));
  return {fuzz::id(writer.pool().number(scope)), fuzz::id(writer.pool().number(bits))};
}

/// On a word of this invocation: loads, stores, steps, exchanges, each in an order that it may
/// have.
void writeOrderAtomic(Writer &writer) {
  static constexpr uint32_t loads[] = {Relaxed, Acquire}, stores[] = {Relaxed, Release},
                            both[] = {Relaxed, Acquire, Release, AcquireRelease};
  static constexpr spv::Op changes[] = {spv::Op::OpAtomicIIncrement, spv::Op::OpAtomicIDecrement};
  Random &random = writer.random();
  Id u32 = writer.pool().intType(32, false);
  Operand pointer = fuzz::id(writer.ownWordPointer().id);
  auto add = [&](spv::Op opcode, ArrayRef<Operand> operands) {
    writer.add({writer.emit(opcode, u32, operands), u32, false, 0});
  };
  for (uint64_t steps = random.between(1, 3); steps > 0; --steps)
    switch (random.below(4)) {
    case 0: {
      ScopeAndSemantics how = choose(writer, random.pick(ArrayRef(loads)));
      add(spv::Op::OpAtomicLoad, {pointer, how.scope, how.semantics});
      break;
    }
    case 1: {
      ScopeAndSemantics how = choose(writer, random.pick(ArrayRef(stores)));
      Value value = writer.take(u32);
      writer.emitVoid(spv::Op::OpAtomicStore,
                      {pointer, how.scope, how.semantics, fuzz::id(value.id)});
      break;
    }
    case 2: {
      spv::Op opcode = random.pick(ArrayRef(changes));
      ScopeAndSemantics how = choose(writer, random.pick(ArrayRef(both)));
      add(opcode, {pointer, how.scope, how.semantics});
      break;
    }
    default: {
      ScopeAndSemantics how = choose(writer, random.pick(ArrayRef(both)));
      Operand relaxed = fuzz::id(writer.pool().number(Relaxed));
      Value value = writer.take(u32), expected = writer.take(u32);
      add(spv::Op::OpAtomicCompareExchange,
          {pointer, how.scope, how.semantics, relaxed, fuzz::id(value.id), fuzz::id(expected.id)});
    }
    }
}

/// Each writes its word, all of the workgroup meet, each reads that of a neighbour.
void writeOrderExchange(Writer &writer) {
  Pool &pool = writer.pool();
  Id u32 = pool.intType(32, false);
  unsigned count = writer.invocationsPerGroup();
  Id buffer =
      newWords(writer, randomWords(writer.random(), totalInvocations(writer.generated(), count)));
  makeCoherent(writer, buffer);
  storeShared(writer, wordPointer(writer, buffer, writer.globalIndex().id), writer.take(u32).id);
  meet(writer, OnBuffers);
  Value other = writer.takeIndex(count);
  Id first = writer.emit(spv::Op::OpISub, u32,
                         {fuzz::id(writer.globalIndex().id), fuzz::id(writer.localIndex().id)});
  Id index = writer.emit(spv::Op::OpIAdd, u32, {fuzz::id(first), fuzz::id(other.id)});
  Id loaded = loadShared(writer, u32, wordPointer(writer, buffer, index));
  meet(writer, OnBuffers);
  writer.add({loaded, u32, other.isUniform, 0});
}

/// Orders nothing that anyone waits for.
void writeOrderBarrier(Writer &writer) {
  static constexpr uint32_t orders[] = {Acquire, Release, AcquireRelease};
  ScopeAndSemantics how = choose(writer, writer.random().pick(ArrayRef(orders)));
  writer.emitVoid(spv::Op::OpMemoryBarrier, {how.scope, how.semantics});
}

} // namespace assay::fuzz
