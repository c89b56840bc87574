// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Global memory by address, workgroup memory and private memory. Mesa 25.0, ir3-cat6.xml; units of
// offsets and places of operands: ir3_compiler_nir.c and ir3_a6xx.c, which emit these instructions.
#include "oracles/machine/adreno/MemoryAccess.h"
#include "oracles/machine/ir3_isa/Defect.h"

using namespace llvm;
using namespace assay;
using namespace assay::adreno;

using simt::Access;

/// Two registers as a number of 64 bits, the lower half first.
static uint64_t pairAt(const Wave &wave, unsigned lane, unsigned number) {
  return wave.read(lane, number, false) | uint64_t(wave.read(lane, number + 1, false)) << 32;
}

/// ldg, stg: bytes. ldg.a, stg.a of a6xx: (src2 + off) of 4 bytes, src2 shifted further; of a7xx:
/// src2 + off bytes.
static uint64_t globalAddress(const Wave &wave, const Op &op, unsigned lane) {
  const Inst &inst = op.inst;
  unsigned base = inst.get(Field::Src1);
  uint64_t address = inst.get(Field::Src1Const) && base + 1 < wave.constants.size()
                         ? wave.constants[base] | uint64_t(wave.constants[base + 1]) << 32
                         : pairAt(wave, lane, base);
  if (!inst.has(Field::Src2))
    return address + uint64_t(int64_t(inst.getSigned(Field::Offset)));
  uint64_t index = wave.read(lane, inst.get(Field::Src2), false);
  uint64_t offset = inst.get(Field::Offset);
  if (!inst.has(Field::Shift))
    return address + index + offset;
  unsigned shift = inst.get(Field::Shift);
  return address + (((index << shift) + offset) << 2);
}

/// ldg, ldg.a: consecutive components in memory to consecutive registers.
static void loadGlobal(Wave &wave, const Op &op) {
  Component component = componentOf(op.inst);
  forActive(wave, [&](unsigned lane) {
    uint64_t address = globalAddress(wave, op, lane);
    for (unsigned i = 0; i < op.inst.get(Field::Size); ++i)
      if (uint8_t *memory = globalAt(wave, address + uint64_t(i) * component.bytes, component.bytes,
                                     Access::Read))
        wave.write(lane, op.dst + i, component.half, loadWord(memory, component.bytes));
  });
  wave.advance();
}

/// stg, stg.a: consecutive registers to memory.
static void storeGlobal(Wave &wave, const Op &op) {
  Component component = componentOf(op.inst);
  unsigned source = op.inst.get(Field::Src3);
  forActive(wave, [&](unsigned lane) {
    uint64_t address = globalAddress(wave, op, lane);
    for (unsigned i = 0; i < op.inst.get(Field::Size); ++i)
      if (uint8_t *memory = globalAt(wave, address + uint64_t(i) * component.bytes, component.bytes,
                                     Access::Write))
        storeWord(memory, component.bytes, wave.read(lane, source + i, component.half));
  });
  wave.advance();
}

/// Source \p field, which \p immediate may make a number.
static uint32_t valueOf(const Wave &wave, const Op &op, unsigned lane, Field field, Field immediate,
                        unsigned index = 0) {
  if (op.inst.get(immediate))
    return op.inst.get(field);
  return wave.read(lane, op.inst.get(field) + index, false);
}

/// src2 is the data; of cmpxchg, the data and what is compared with.
static void applyAt(Wave &wave, const Op &op, unsigned lane, uint8_t *memory) {
  AtomicOp atomic = atomicOf(op.inst.name());
  uint32_t data = valueOf(wave, op, lane, Field::Src2, Field::Src2Immediate);
  uint32_t compare = atomic == AtomicOp::CompareExchange
                         ? valueOf(wave, op, lane, Field::Src2, Field::Src2Immediate, 1)
                         : 0;
  uint32_t old = loadWord(memory, 4);
  storeWord(memory, 4, applyAtomic(atomic, old, data, compare, componentOf(op.inst).isSigned));
  wave.write(lane, op.dst, /*half=*/false, old);
}

/// True after wave.fail(): atomics work on 32-bit integers alone.
static bool refusesType(Wave &wave, const Op &op) {
  auto type = DataType(op.inst.get(Field::Type));
  if (type == DataType::U32 || type == DataType::S32)
    return false;
  wave.fail("no semantics for '" + wave.program().textOf(wave.pc()) +
                "': its type is no integer of 32 bits",
            /*isUnsupported=*/true);
  return true;
}

/// atomic.g: a word at an address in two registers. Lanes follow each other.
static void atomicGlobal(Wave &wave, const Op &op) {
  if (refusesType(wave, op))
    return;
  forActive(wave, [&](unsigned lane) {
    if (uint8_t *memory =
            globalAt(wave, pairAt(wave, lane, op.inst.get(Field::Src1)), 4, Access::Write))
      applyAt(wave, op, lane, memory);
  });
  wave.advance();
}

/// atomic: a word of workgroup memory. Lanes follow each other.
static void atomicLocal(Wave &wave, const Op &op) {
  if (refusesType(wave, op))
    return;
  forActive(wave, [&](unsigned lane) {
    uint32_t offset = valueOf(wave, op, lane, Field::Src1, Field::Src1Immediate);
    if (uint8_t *memory = localAt(wave, offset, 4, Access::Write))
      applyAt(wave, op, lane, memory);
  });
  wave.advance();
}

/// The private memory of one lane.
static MutableArrayRef<uint8_t> privateOf(const Wave &wave, unsigned lane) {
  const WaveEnvironment &environment = wave.environment();
  lane = hasDefect(Defect::PrivateShared) ? 0 : lane;
  return environment.privateMemory.slice(size_t(lane) * environment.privateBytes,
                                         environment.privateBytes);
}

/// Of a byte in workgroup or private memory; it wraps at 2^32.
static uint32_t offsetOf(const Wave &wave, const Op &op, unsigned lane, unsigned number) {
  return wave.read(lane, number, false) + uint32_t(op.inst.getSigned(Field::Offset));
}

/// A component of an access to workgroup memory or to the lane's private memory; null after
/// wave.fail().
static uint8_t *insideAt(Wave &wave, bool isPrivate, unsigned lane, int64_t offset, unsigned bytes,
                         Access access) {
  return isPrivate ? insideOf(wave, privateOf(wave, lane), "private memory", offset, bytes)
                   : localAt(wave, offset, bytes, access);
}

/// ldl and ldp: consecutive components to consecutive registers.
static void loadInside(Wave &wave, const Op &op, bool isPrivate) {
  Component component = componentOf(op.inst);
  forActive(wave, [&](unsigned lane) {
    int64_t offset = offsetOf(wave, op, lane, op.inst.get(Field::Src1));
    for (unsigned i = 0; i < op.inst.get(Field::Size); ++i)
      if (uint8_t *word = insideAt(wave, isPrivate, lane, offset + int64_t(i) * component.bytes,
                                   component.bytes, Access::Read))
        wave.write(lane, op.dst + i, component.half, loadWord(word, component.bytes));
  });
  wave.advance();
}

/// stl and stp: consecutive registers to memory; the address is where other instructions have
/// their result.
static void storeInside(Wave &wave, const Op &op, bool isPrivate) {
  Component component = componentOf(op.inst);
  unsigned source = op.inst.get(Field::Src1);
  forActive(wave, [&](unsigned lane) {
    int64_t offset = offsetOf(wave, op, lane, op.dst);
    for (unsigned i = 0; i < op.inst.get(Field::Size); ++i)
      if (uint8_t *word = insideAt(wave, isPrivate, lane, offset + int64_t(i) * component.bytes,
                                   component.bytes, Access::Write))
        storeWord(word, component.bytes, wave.read(lane, source + i, component.half));
  });
  wave.advance();
}

static void loadLocal(Wave &wave, const Op &op) {
  loadInside(wave, op, /*isPrivate=*/false);
}
static void loadPrivate(Wave &wave, const Op &op) {
  loadInside(wave, op, /*isPrivate=*/true);
}
static void storeLocal(Wave &wave, const Op &op) {
  storeInside(wave, op, /*isPrivate=*/false);
}
static void storePrivate(Wave &wave, const Op &op) {
  storeInside(wave, op, /*isPrivate=*/true);
}

static constexpr HandlerRow PlainMemoryHandlers[] = {
    {"ldg", loadGlobal},
    {"ldg.a", loadGlobal},
    {"stg", storeGlobal},
    {"stg.a", storeGlobal},
    {"ldl", loadLocal},
    {"stl", storeLocal},
    {"ldp", loadPrivate},
    {"stp", storePrivate},
    {"atomic.add", atomicLocal},
    {"atomic.sub", atomicLocal},
    {"atomic.xchg", atomicLocal},
    {"atomic.inc", atomicLocal},
    {"atomic.dec", atomicLocal},
    {"atomic.cmpxchg", atomicLocal},
    {"atomic.min", atomicLocal},
    {"atomic.max", atomicLocal},
    {"atomic.and", atomicLocal},
    {"atomic.or", atomicLocal},
    {"atomic.xor", atomicLocal},
    {"atomic.g.add", atomicGlobal},
    {"atomic.g.sub", atomicGlobal},
    {"atomic.g.xchg", atomicGlobal},
    {"atomic.g.inc", atomicGlobal},
    {"atomic.g.dec", atomicGlobal},
    {"atomic.g.cmpxchg", atomicGlobal},
    {"atomic.g.min", atomicGlobal},
    {"atomic.g.max", atomicGlobal},
    {"atomic.g.and", atomicGlobal},
    {"atomic.g.or", atomicGlobal},
    {"atomic.g.xor", atomicGlobal},
};

ArrayRef<HandlerRow> adreno::plainMemoryHandlers() {
  return PlainMemoryHandlers;
}
