// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// DS instructions that load, store or do atomics in LDS or, with gds, in the global data share.
#include "oracles/machine/gcn/Bind.h"
#include "oracles/machine/gcn/Operands.h"
#include "oracles/machine/gcn/memory/Atomics.h"
#include "oracles/machine/gcn/memory/LaneWalk.h"
#include "oracles/machine/gcn/memory/Share.h"
#include "llvm/ADT/bit.h"
#include <cstring>

using namespace llvm;
using namespace assay;
using namespace assay::gcn;

namespace {
/// Sources: the address register, then up to two data registers.
enum LdsSource : uint8_t { Address, Data0, Data1 };
} // namespace

/// The instruction's offset of element 0 or 1, in bytes.
static uint64_t elementOffset(const MicroOp &op, unsigned element) {
  const Modifiers &mods = op.inst->mods;
  if (op.memory.elements == 1)
    return static_cast<uint64_t>(mods.offset);
  return uint64_t(element ? mods.offset1 : mods.offset0) * op.memory.elementStep;
}

/// The sum wraps at 32 bits: LLVM folds an offset into an address below zero.
static uint64_t elementAddress(const Wave &wave, const MicroOp &op, unsigned lane,
                               unsigned element) {
  uint32_t base = wave.v[op.sources[Address].operand.index][lane];
  return static_cast<uint32_t>(base + elementOffset(op, element));
}

/// Moves one element of one lane. Out of the global share's range, \p loaded keeps its zeros. False
/// after ending the run.
static bool moveElement(Wave &wave, const MicroOp &op, unsigned lane, unsigned element,
                        uint8_t *loaded) {
  uint64_t address = elementAddress(wave, op, lane, element);
  auto memory = findShare(wave, op, lane, address, op.memory.bytes, op.memory.isStore);
  if (!memory)
    return false;
  if (op.memory.isStore) {
    unsigned from = op.sources[Data0 + element].operand.index;
    uint8_t data[MaxAccessBytes];
    readStored(wave, op.memory, from, lane, data);
    if (*memory)
      std::copy_n(data, op.memory.bytes, *memory);
  } else if (*memory) {
    std::copy_n(*memory, op.memory.bytes, loaded);
  }
  return true;
}

static void runLdsMove(Wave &wave, const MicroOp &op) {
  for (unsigned lane : LaneWalk(wave, shareLanes(wave, op))) {
    // Both elements are read before either is written: the address may be in the destination.
    uint8_t loaded[2][MaxAccessBytes] = {};
    for (unsigned element = 0; element < op.memory.elements; ++element)
      if (!moveElement(wave, op, lane, element, loaded[element]))
        return;
    if (op.memory.isStore)
      continue;
    for (unsigned element = 0; element < op.memory.elements; ++element)
      writeLoaded(wave, op.memory, op.destination.index + element * accessDwords(op.memory), lane,
                  loaded[element]);
  }
}

/// Out of the global share's range nothing is stored and the old value is 0.
static void runLdsAtomic(Wave &wave, const MicroOp &op) {
  const AtomicRow &row = *op.memory.atomic;
  AtomicOperands operands;
  operands.data = op.sources[Data0].operand.index;
  operands.compare = op.sources[Data1].operand.index;
  if (row.compareFirst)
    std::swap(operands.data, operands.compare);
  if (op.destinationCount)
    operands.result = op.destination.index;
  for (unsigned lane : LaneWalk(wave, shareLanes(wave, op))) {
    uint64_t address = elementAddress(wave, op, lane, 0);
    auto memory = findShare(wave, op, lane, address, row.bytes, true);
    if (!memory)
      return;
    doAtomic(wave, op.memory, operands, lane, *memory, shareSpace(op));
  }
}

/// Two atomics (exchanges) in one: the second address is looked up before the first is written.
static void runLdsExchange2(Wave &wave, const MicroOp &op) {
  unsigned dwords = op.memory.bytes / 4u;
  for (unsigned lane : LaneWalk(wave, shareLanes(wave, op))) {
    uint8_t *memory[2];
    uint8_t old[2][MaxAccessBytes] = {};
    uint8_t data[2][MaxAccessBytes];
    for (unsigned i = 0; i < 2; ++i) {
      uint64_t address = elementAddress(wave, op, lane, i);
      auto found = findShare(wave, op, lane, address, op.memory.bytes, true);
      if (!found)
        return;
      memory[i] = *found;
      readStored(wave, op.memory, op.sources[Data0 + i].operand.index, lane, data[i]);
      if (memory[i])
        std::copy_n(memory[i], op.memory.bytes, old[i]);
    }
    for (unsigned i = 0; i < 2; ++i) {
      if (memory[i])
        std::copy_n(data[i], op.memory.bytes, memory[i]);
      writeLoaded(wave, op.memory, op.destination.index + i * dwords, lane, old[i]);
    }
  }
}

/// The second address of a ds_*_src2: an offset in dwords from the first, in the instruction or, as
/// its highest bit says, in the upper half of the address (AMD's GCN3 and Vega ISA manuals).
static uint32_t secondAddress(const MicroOp &op, uint32_t first) {
  auto offset = static_cast<uint32_t>(op.inst->mods.offset) & 0xffff;
  int32_t dwords = offset & 0x8000 ? static_cast<int32_t>(first) >> 17
                                   : static_cast<int32_t>(offset << 17) >> 17;
  return first + static_cast<uint32_t>(dwords) * 4;
}

/// memory[A] = f(memory[A], memory[B]), both in LDS. A plain move has no old value to look at.
static void runLdsSource2(Wave &wave, const MicroOp &op) {
  const AtomicRow &row = *op.memory.atomic;
  for (unsigned lane : LaneWalk(wave, shareLanes(wave, op))) {
    uint32_t first = wave.v[op.sources[Address].operand.index][lane];
    uint32_t second = secondAddress(op, first);
    if (op.inst->mods.offset & 0x8000) { // Those bits were no address.
      first &= 0x1ffff;
      second &= 0x1ffff;
    }
    auto from = findShare(wave, op, lane, second, row.bytes, false);
    if (!from)
      return;
    uint64_t data = 0;
    if (*from)
      std::memcpy(&data, *from, row.bytes);
    auto to = findShare(wave, op, lane, first, row.bytes, true);
    if (!to)
      return;
    if (!*to)
      continue;
    uint64_t old = 0;
    std::memcpy(&old, *to, row.bytes);
    uint64_t value = row.function(old, data, 0, atomicMode(wave, row, shareSpace(op)));
    std::memcpy(*to, &value, row.bytes);
  }
}

/// ds_append and ds_consume: the counter at the instruction's offset moves by the active lanes. (In
/// the global share, M0's upper half is added by who finds the address there.)
static void countLanes(Wave &wave, const MicroOp &op, bool append) {
  auto memory = findShare(wave, op, 0, elementOffset(op, 0), 4, true);
  if (!memory)
    return;
  uint32_t old = 0;
  if (*memory) {
    std::memcpy(&old, *memory, 4);
    auto active = static_cast<uint32_t>(popcount(wave.exec()));
    uint32_t value = append ? old + active : old - active;
    std::memcpy(*memory, &value, 4);
  }
  for (uint64_t left = wave.exec(); left; left &= left - 1)
    wave.v[op.destination.index][countr_zero(left)] = old;
}

static void runAppend(Wave &wave, const MicroOp &op) {
  countLanes(wave, op, true);
}
static void runConsume(Wave &wave, const MicroOp &op) {
  countLanes(wave, op, false);
}

/// ds_read_addtid and ds_write_addtid: the address is M0[15:0] + offset + 4 * lane.
static void runByLane(Wave &wave, const MicroOp &op) {
  for (unsigned lane : LaneWalk(wave, wave.exec())) {
    uint64_t address = (wave.s[sreg::M0] & 0xffff) + elementOffset(op, 0) + uint64_t(4) * lane;
    auto memory = findShare(wave, op, lane, address, 4, op.memory.isStore);
    if (!memory)
      return;
    if (op.memory.isStore && *memory) {
      std::memcpy(*memory, &wave.v[op.sources[0].operand.index][lane], 4);
    } else if (!op.memory.isStore) {
      uint32_t &to = wave.v[op.destination.index][lane];
      to = 0;
      if (*memory)
        std::memcpy(&to, *memory, 4);
    }
  }
}

// --- Binding

namespace {
/// Instructions with an address in M0 or the instruction; names without "ds_".
struct LdsSpecialRow {
  const char *names;
  Handler run;
  bool isStore;
  uint8_t destinations, sources;
};
constexpr LdsSpecialRow SpecialRows[] = {
    {"append", runAppend, false, 1, 0},
    {"consume", runConsume, false, 1, 0},
    {"read_addtid_b32|load_addtid_b32", runByLane, false, 1, 0},
    {"write_addtid_b32|store_addtid_b32", runByLane, true, 0, 1},
};
/// "read2", "load_2addr", ...: two elements, their offsets in units of \p step elements.
struct LdsMoveRow {
  StringLiteral prefix;
  Handler run;
  bool isStore;
  uint8_t elements;
  uint8_t step;
};
constexpr LdsMoveRow MoveRows[] = {
    {"read2st64_", runLdsMove, false, 2, 64},
    {"load_2addr_stride64_", runLdsMove, false, 2, 64},
    {"read2_", runLdsMove, false, 2, 1},
    {"load_2addr_", runLdsMove, false, 2, 1},
    {"read_", runLdsMove, false, 1, 1},
    {"load_", runLdsMove, false, 1, 1},
    {"write2st64_", runLdsMove, true, 2, 64},
    {"store_2addr_stride64_", runLdsMove, true, 2, 64},
    {"write2_", runLdsMove, true, 2, 1},
    {"store_2addr_", runLdsMove, true, 2, 1},
    {"wrxchg2_rtn_", runLdsExchange2, true, 2, 1},
    {"storexchg_2addr_rtn_", runLdsExchange2, true, 2, 1},
    {"wrxchg2st64_rtn_", runLdsExchange2, true, 2, 64},
    {"storexchg_2addr_stride64_rtn_", runLdsExchange2, true, 2, 64},
    {"write_", runLdsMove, true, 1, 1},
    {"store_", runLdsMove, true, 1, 1},
};
} // namespace

/// Every data operand has the registers that the handlers will use.
static BindResult checkWidths(const MicroOp &op, unsigned dwords, unsigned destinationDwords) {
  bool good = !op.destinationCount || hasDwords(op.destination, destinationDwords);
  for (unsigned i = Data0; i < op.sourceCount; ++i)
    good &= hasDwords(op.sources[i].operand, dwords);
  return good ? BindResult::Bound : BindResult::Unsupported;
}

/// \p width is what follows the row's prefix. Exchanges return the old values.
static BindResult bindMove(const Inst &inst, const LdsMoveRow &row, StringRef width, MicroOp &op) {
  auto access = row.isStore ? findStoreWidth(width) : findLoadWidth(width);
  if (!access)
    return BindResult::Unsupported;
  op.memory = *access;
  op.memory.elements = row.elements;
  op.memory.elementStep = static_cast<uint16_t>(row.step * access->bytes);
  op.run = row.run;
  bool returns = !row.isStore || row.run == runLdsExchange2;
  if (!takeShareOperands(inst, op, returns, row.isStore ? 1 + row.elements : 1))
    return BindResult::Unsupported;
  return checkWidths(op, accessDwords(op.memory), row.elements * accessDwords(op.memory));
}

/// "add_src2_u32" and the like, and "write_src2_b32".
static BindResult bindSource2(const Inst &inst, StringRef name, MicroOp &op) {
  auto [operation, type] = name.split("_src2_");
  if (type.empty())
    return BindResult::NotMine;
  std::string plain = operation == "write" ? "wrxchg" : operation.str();
  op.memory.atomic = findLdsAtomic(plain + "_" + type.str());
  op.run = runLdsSource2;
  bool good = op.memory.atomic && takeShareOperands(inst, op, 0, 1);
  return good ? BindResult::Bound : BindResult::Unsupported;
}

/// Atomics, with or without "_rtn" anywhere in the name.
static BindResult bindLdsAtomic(const Inst &inst, StringRef name, MicroOp &op) {
  std::string plain = name.str();
  size_t returns = plain.find("_rtn");
  if (returns != std::string::npos)
    plain.erase(returns, 4);
  op.memory.atomic = findLdsAtomic(plain);
  if (!op.memory.atomic)
    return BindResult::Unsupported;
  op.run = runLdsAtomic;
  unsigned sources = op.memory.atomic->takesCompare ? 3 : 2;
  if (!takeShareOperands(inst, op, returns != std::string::npos, sources))
    return BindResult::Unsupported;
  unsigned dwords = op.memory.atomic->bytes / 4;
  return checkWidths(op, dwords, dwords);
}

/// All of ds_* that the other binders did not take.
BindResult gcn::bindLds(const Inst &inst, const ProgramOptions &, MicroOp &op) {
  StringRef name = inst.mnemonic;
  if (!name.consume_front("ds_"))
    return BindResult::NotMine;
  for (const LdsSpecialRow &row : SpecialRows) {
    if (!isNamed(row.names, name))
      continue;
    op.run = row.run;
    op.memory.isStore = row.isStore;
    return takeShareOperands(inst, op, row.destinations, row.sources) ? BindResult::Bound
                                                                      : BindResult::Unsupported;
  }
  if (BindResult result = bindSource2(inst, name, op); result != BindResult::NotMine)
    return result;
  for (const LdsMoveRow &row : MoveRows)
    if (name.starts_with(row.prefix))
      return bindMove(inst, row, name.drop_front(row.prefix.size()), op);
  return bindLdsAtomic(inst, name, op);
}
