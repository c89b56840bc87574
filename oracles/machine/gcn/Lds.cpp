// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// LDS instructions, and the lane permutations that go through LDS hardware.
#include "oracles/machine/gcn/Atomics.h"
#include "oracles/machine/gcn/Bind.h"
#include "oracles/machine/gcn/Operands.h"
#include "oracles/machine/gcn/Transfer.h"
#include "llvm/ADT/bit.h"

using namespace llvm;
using namespace assay;
using namespace assay::gcn;

namespace {
/// Sources: the address register, then up to two data registers.
enum LdsSource : uint8_t { Address, Data0, Data1 };
} // namespace

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

static bool moveElement(Wave &wave, const MicroOp &op, unsigned lane, unsigned element,
                        uint8_t *loaded) {
  uint64_t address = elementAddress(wave, op, lane, element);
  uint8_t *memory = findLds(wave, op, lane, address, op.memory.bytes, op.memory.isStore);
  if (!memory)
    return false;
  if (op.memory.isStore) {
    unsigned from = op.sources[Data0 + element].operand.index;
    uint8_t data[MaxAccessBytes];
    readStored(wave, op.memory, from, lane, data);
    std::copy_n(data, op.memory.bytes, memory);
  } else {
    std::copy_n(memory, op.memory.bytes, loaded);
  }
  return true;
}

static void runLdsMove(Wave &wave, const MicroOp &op) {
  for (uint64_t left = wave.exec(); left; left &= left - 1) {
    auto lane = static_cast<unsigned>(countr_zero(left));
    // Both elements are read before either is written: the address may be in the destination.
    uint8_t loaded[2][MaxAccessBytes];
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

static void runLdsAtomic(Wave &wave, const MicroOp &op) {
  const AtomicRow &row = *op.memory.atomic;
  AtomicOperands operands;
  operands.data = op.sources[Data0].operand.index;
  operands.compare = op.sources[Data1].operand.index;
  if (row.compareFirst)
    std::swap(operands.data, operands.compare);
  if (op.destinationCount)
    operands.result = op.destination.index;
  for (uint64_t left = wave.exec(); left; left &= left - 1) {
    auto lane = static_cast<unsigned>(countr_zero(left));
    uint64_t address = elementAddress(wave, op, lane, 0);
    uint8_t *memory = findLds(wave, op, lane, address, row.bytes, true);
    if (!memory)
      return;
    doAtomic(wave, op.memory, operands, lane, memory);
  }
}

/// ds_append and ds_consume: the counter at M0[31:16] + offset moves by the active lanes.
static void countLanes(Wave &wave, const MicroOp &op, bool append) {
  uint64_t address = (wave.s[sreg::M0] >> 16) + elementOffset(op, 0);
  uint8_t *memory = findLds(wave, op, 0, address, 4, true);
  if (!memory)
    return;
  uint32_t old;
  std::copy_n(memory, 4, reinterpret_cast<uint8_t *>(&old));
  auto active = static_cast<uint32_t>(popcount(wave.exec()));
  uint32_t value = append ? old + active : old - active;
  std::copy_n(reinterpret_cast<const uint8_t *>(&value), 4, memory);
  for (uint64_t left = wave.exec(); left; left &= left - 1)
    wave.v[op.destination.index][countr_zero(left)] = old;
}

static void runAppend(Wave &wave, const MicroOp &op) {
  countLanes(wave, op, true);
}
static void runConsume(Wave &wave, const MicroOp &op) {
  countLanes(wave, op, false);
}

/// The lane that ds_swizzle's \p pattern makes \p lane read, or -1 for a pattern not known here.
static int swizzledLane(uint16_t pattern, unsigned lane) {
  unsigned base = lane & ~31u;
  unsigned inGroup = lane & 31;
  if (!(pattern & 0x8000)) { // bit mask mode: and, or, xor
    unsigned selected = inGroup & (pattern & 31);
    selected |= (pattern >> 5) & 31;
    return int(base | (selected ^ ((pattern >> 10) & 31)));
  }
  if (!(pattern & 0x4000)) // quad permutation
    return int((lane & ~3u) | ((pattern >> (2 * (lane & 3))) & 3));
  if (pattern & 0x2000) // FFT mode
    return -1;
  unsigned mask = pattern & 31;
  unsigned amount = (pattern >> 5) & 31;
  unsigned moved = pattern & 0x400 ? inGroup - amount : inGroup + amount;
  return int(base | (inGroup & mask) | (moved & 31 & ~mask));
}

static void runSwizzle(Wave &wave, const MicroOp &op) {
  const LaneArray from = wave.v[op.sources[0].operand.index];
  uint64_t exec = wave.exec();
  for (uint64_t left = exec; left; left &= left - 1) {
    auto lane = static_cast<unsigned>(countr_zero(left));
    int source = swizzledLane(op.simm16, lane);
    if (source < 0)
      return wave.failUnsupported("ds_swizzle pattern (" + op.inst->text + ")");
    bool active = (exec >> source) & 1;
    wave.v[op.destination.index][lane] = active ? from[unsigned(source)] : 0;
  }
}

/// From GFX10 on, wave64 permutes within each half.
static unsigned permutedLane(const Wave &wave, unsigned lane, uint32_t address) {
  if (wave.gfxMajor >= 10)
    return (lane & 32) | (address / 4 & 31);
  return address / 4 & (wave.waveSize - 1);
}

static void runBackwardPermute(Wave &wave, const MicroOp &op) {
  const LaneArray data = wave.v[op.sources[Data0].operand.index];
  const LaneArray select = wave.v[op.sources[Address].operand.index];
  uint64_t exec = wave.exec();
  for (uint64_t left = exec; left; left &= left - 1) {
    auto lane = static_cast<unsigned>(countr_zero(left));
    auto offset = static_cast<uint32_t>(op.inst->mods.offset);
    unsigned source = permutedLane(wave, lane, select[lane] + offset);
    wave.v[op.destination.index][lane] = (exec >> source) & 1 ? data[source] : 0;
  }
}

static void runForwardPermute(Wave &wave, const MicroOp &op) {
  const LaneArray data = wave.v[op.sources[Data0].operand.index];
  const LaneArray select = wave.v[op.sources[Address].operand.index];
  LaneArray result{};
  uint64_t exec = wave.exec();
  for (uint64_t left = exec; left; left &= left - 1) {
    auto lane = static_cast<unsigned>(countr_zero(left));
    auto offset = static_cast<uint32_t>(op.inst->mods.offset);
    result[permutedLane(wave, lane, select[lane] + offset)] = data[lane];
  }
  for (uint64_t left = exec; left; left &= left - 1)
    wave.v[op.destination.index][countr_zero(left)] = result[countr_zero(left)];
}

namespace {
struct LdsSpecialRow {
  const char *names;
  Handler run;
  uint8_t sources;
};
constexpr LdsSpecialRow SpecialRows[] = {
    {"append", runAppend, 0},
    {"consume", runConsume, 0},
    {"swizzle_b32", runSwizzle, 1},
    {"bpermute_b32", runBackwardPermute, 2},
    {"permute_b32", runForwardPermute, 2},
};
/// "read2", "load_2addr", ...: two elements, their offsets in units of \p step elements.
struct LdsMoveRow {
  StringLiteral prefix;
  bool isStore;
  uint8_t elements;
  uint8_t step;
};
constexpr LdsMoveRow MoveRows[] = {
    {"read2st64_", false, 2, 64}, {"load_2addr_stride64_", false, 2, 64},
    {"read2_", false, 2, 1},      {"load_2addr_", false, 2, 1},
    {"read_", false, 1, 1},       {"load_", false, 1, 1},
    {"write2st64_", true, 2, 64}, {"store_2addr_stride64_", true, 2, 64},
    {"write2_", true, 2, 1},      {"store_2addr_", true, 2, 1},
    {"write_", true, 1, 1},       {"store_", true, 1, 1},
};
} // namespace

static BindResult bindOperands(const Inst &inst, MicroOp &op, unsigned destinations,
                               unsigned sources) {
  if (inst.operands.size() != destinations + sources)
    return BindResult::Unsupported;
  op.destinationCount = static_cast<uint8_t>(destinations);
  if (destinations)
    op.destination = inst.operands[0];
  for (const Operand &operand : drop_begin(inst.operands, destinations))
    addSource(op, operand, OperandKind::U32);
  return BindResult::Bound;
}

/// Every data operand has the registers that the handlers will use.
static BindResult checkWidths(const MicroOp &op, BindResult result, unsigned dwords,
                              unsigned destinationDwords) {
  if (result != BindResult::Bound)
    return result;
  bool good = !op.destinationCount || hasDwords(op.destination, destinationDwords);
  for (unsigned i = Data0; i < op.sourceCount; ++i)
    good &= hasDwords(op.sources[i].operand, dwords);
  return good ? BindResult::Bound : BindResult::Unsupported;
}

static BindResult bindMove(const Inst &inst, const LdsMoveRow &row, StringRef width, MicroOp &op) {
  auto access = row.isStore ? findStoreWidth(width) : findLoadWidth(width);
  if (!access)
    return BindResult::Unsupported;
  op.memory = *access;
  op.memory.elements = row.elements;
  op.memory.elementStep = static_cast<uint16_t>(row.step * access->bytes);
  op.run = runLdsMove;
  BindResult result = bindOperands(inst, op, !row.isStore, row.isStore ? 1 + row.elements : 1);
  return checkWidths(op, result, accessDwords(op.memory), row.elements * accessDwords(op.memory));
}

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
  BindResult result = bindOperands(inst, op, returns != std::string::npos, sources);
  unsigned dwords = op.memory.atomic->bytes / 4;
  return checkWidths(op, result, dwords, dwords);
}

BindResult gcn::bindLds(const Inst &inst, const ProgramOptions &, MicroOp &op) {
  StringRef name = inst.mnemonic;
  if (!name.consume_front("ds_"))
    return BindResult::NotMine;
  if (inst.mods.gds)
    return BindResult::Unsupported;
  for (const LdsSpecialRow &row : SpecialRows) {
    if (!isNamed(row.names, name))
      continue;
    op.run = row.run;
    return bindOperands(inst, op, 1, row.sources);
  }
  for (const LdsMoveRow &row : MoveRows)
    if (name.starts_with(row.prefix))
      return bindMove(inst, row, name.drop_front(row.prefix.size()), op);
  return bindLdsAtomic(inst, name, op);
}
