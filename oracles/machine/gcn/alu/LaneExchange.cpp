// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// DS instructions that move data between lanes and reach no memory. Sources: AMD's ISA manuals,
// DS_SWIZZLE_B32, DS_PERMUTE_B32, DS_BPERMUTE_B32, DS_BPERMUTE_FI_B32.
#include "oracles/machine/gcn/Bind.h"
#include "oracles/machine/gcn/Operands.h"
#include "oracles/machine/gcn/memory/Share.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;
using namespace assay;
using namespace assay::gcn;

namespace {
/// Numbers of the sources.
enum ExchangeSource : uint8_t { Address, Data0 };
} // namespace

/// The decomposition of a fast Fourier transform: the reversed lane number, without the bits that
/// \p mask keeps in place.
static unsigned transformedLane(unsigned mask, unsigned lane) {
  unsigned reversed = reverseBits(lane & 31) >> 27;
  return reversed >> popcount(mask) | (lane & mask) | (lane & 32);
}

/// The lane that ds_swizzle's \p pattern makes \p lane read.
static unsigned swizzledLane(uint16_t pattern, unsigned lane) {
  unsigned base = lane & ~31u;
  unsigned inGroup = lane & 31;
  if (!(pattern & 0x8000)) { // bit mask mode: and, or, xor
    unsigned selected = inGroup & (pattern & 31);
    selected |= (pattern >> 5) & 31;
    return base | (selected ^ ((pattern >> 10) & 31));
  }
  if (!(pattern & 0x4000)) // quad permutation
    return (lane & ~3u) | ((pattern >> (2 * (lane & 3))) & 3);
  unsigned mask = pattern & 31;
  if (pattern & 0x2000)
    return transformedLane(mask, lane);
  unsigned amount = (pattern >> 5) & 31;
  unsigned moved = pattern & 0x400 ? inGroup - amount : inGroup + amount;
  return base | (inGroup & mask) | (moved & 31 & ~mask);
}

/// Inactive lanes are read as 0.
static void runSwizzle(Wave &wave, const MicroOp &op) {
  const LaneArray from = wave.v[op.sources[0].operand.index];
  uint64_t exec = wave.exec();
  for (uint64_t left = exec; left; left &= left - 1) {
    auto lane = static_cast<unsigned>(countr_zero(left));
    unsigned source = swizzledLane(op.simm16, lane);
    wave.v[op.destination.index][lane] = exec >> source & 1 ? from[source] : 0;
  }
}

/// GFX10 and GFX11 permute within each half of a wave64 (LLVM, supportsWaveWideBPermute).
static unsigned permutedLane(const Wave &wave, unsigned lane, uint32_t address) {
  if (wave.gfxMajor == 10 || wave.gfxMajor == 11)
    return (lane & 32) | (address / 4 & 31);
  return address / 4 & (wave.waveSize - 1);
}

/// Each lane reads the lane that its address names. Inactive ones give 0, except with \p
/// readsInactive.
static void permuteBackward(Wave &wave, const MicroOp &op, bool readsInactive) {
  const LaneArray data = wave.v[op.sources[Data0].operand.index];
  const LaneArray select = wave.v[op.sources[Address].operand.index];
  uint64_t exec = wave.exec();
  auto offset = static_cast<uint32_t>(op.inst->mods.offset);
  for (uint64_t left = exec; left; left &= left - 1) {
    auto lane = static_cast<unsigned>(countr_zero(left));
    unsigned source = permutedLane(wave, lane, select[lane] + offset);
    bool isRead = readsInactive || (exec >> source & 1);
    wave.v[op.destination.index][lane] = isRead ? data[source] : 0;
  }
}

static void runBackwardPermute(Wave &wave, const MicroOp &op) {
  permuteBackward(wave, op, false);
}
static void runBackwardPermuteAll(Wave &wave, const MicroOp &op) {
  permuteBackward(wave, op, true);
}

/// Each lane writes to the lane that its address names. The highest lane wins; lanes that none
/// names get 0.
static void runForwardPermute(Wave &wave, const MicroOp &op) {
  const LaneArray data = wave.v[op.sources[Data0].operand.index];
  const LaneArray select = wave.v[op.sources[Address].operand.index];
  LaneArray result{};
  uint64_t exec = wave.exec();
  auto offset = static_cast<uint32_t>(op.inst->mods.offset);
  for (uint64_t left = exec; left; left &= left - 1) {
    auto lane = static_cast<unsigned>(countr_zero(left));
    result[permutedLane(wave, lane, select[lane] + offset)] = data[lane];
  }
  for (uint64_t left = exec; left; left &= left - 1)
    wave.v[op.destination.index][countr_zero(left)] = result[countr_zero(left)];
}

namespace {
/// A mnemonic, and how many sources it has.
struct ExchangeRow {
  const char *name;
  Handler run;
  uint8_t sources;
};
constexpr ExchangeRow Rows[] = {
    {"ds_swizzle_b32", runSwizzle, 1},
    {"ds_bpermute_b32", runBackwardPermute, 2},
    {"ds_bpermute_fi_b32", runBackwardPermuteAll, 2},
    {"ds_permute_b32", runForwardPermute, 2},
};
} // namespace

BindResult gcn::bindLaneExchange(const Inst &inst, const ProgramOptions &, MicroOp &op) {
  for (const ExchangeRow &row : Rows) {
    if (inst.mnemonic != row.name)
      continue;
    op.run = row.run;
    return takeShareOperands(inst, op, 1, row.sources) ? BindResult::Bound
                                                       : BindResult::Unsupported;
  }
  return BindResult::NotMine;
}
