// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// DS instructions that pass registers between lanes. Sources: AMD's ISA manuals, DS_SWIZZLE_B32,
// DS_PERMUTE_B32, DS_BPERMUTE_B32, DS_BPERMUTE_FI_B32; LLVM, supportsWaveWideBPermute.
#include "oracles/machine/gcn/definitions/ShareMeaning.h"

using namespace llvm;
using namespace assay;
using namespace assay::gcn;
using namespace assay::gcn::definitions;

/// The pattern's fields, bit by bit.
static unsigned field(const Request &request, unsigned first, unsigned count) {
  return static_cast<uint64_t>(request.offset) >> first & ((1u << count) - 1);
}

/// The lane of a group of 32 that lane \p lane of it reads from.
static unsigned swizzled(const Request &request, unsigned lane) {
  if (!field(request, 15, 1)) {
    unsigned selected = lane & field(request, 0, 5);
    return (selected | field(request, 5, 5)) ^ field(request, 10, 5);
  }
  if (!field(request, 14, 1)) // Quad permute: two bits a lane.
    return lane / 4 * 4 + field(request, 2 * (lane % 4), 2);
  unsigned mask = field(request, 0, 5);
  if (!field(request, 13, 1)) { // Rotate, up or down; the bits of the mask stay.
    unsigned amount = field(request, 5, 5);
    unsigned moved = (field(request, 10, 1) ? lane + 32 - amount : lane + amount) % 32;
    return (lane & mask) | (moved & ~mask);
  }
  // Fast Fourier transform: bits reversed, those of the mask kept and the others moved down.
  unsigned reversed = 0, kept = 0;
  for (unsigned i = 0; i < 5; ++i) {
    reversed = reversed * 2 + (lane >> i & 1);
    kept += mask >> i & 1;
  }
  return (reversed >> kept) | (lane & mask);
}

/// Inactive lanes are read as 0.
static void swizzle(const Request &request, World &world) {
  Lanes from = world.v[request.address];
  world.forLanes([&](unsigned lane) {
    unsigned source = lane / 32 * 32 + swizzled(request, lane % 32);
    world.v[request.dst][lane] = world.isActive(source) ? from[source] : 0;
  });
}

/// Dwords count. GFX10 and GFX11 stay in each half of a wave of 64.
static unsigned selected(const Request &request, const World &world, unsigned lane) {
  uint32_t byte = world.v[request.address][lane] + static_cast<uint32_t>(request.offset);
  bool isWhole = world.gfx == 9 || world.gfx == 12;
  return isWhole ? byte / 4 % world.lanes : lane / 32 * 32 + byte / 4 % 32;
}

/// Each lane reads the data of the lane that its address names. Inactive ones give 0, except with
/// \p fetchesInactive.
static void permuteBackward(const Request &request, World &world, bool fetchesInactive) {
  World before = world;
  world.forLanes([&](unsigned lane) {
    unsigned source = selected(request, before, lane);
    bool isRead = fetchesInactive || before.isActive(source);
    world.v[request.dst][lane] = isRead ? before.v[request.data0][source] : 0;
  });
}

/// Of lanes that name the same one, the last wins; who is named by none gets 0.
static void permuteForward(const Request &request, World &world) {
  Lanes result{};
  world.forLanes([&](unsigned lane) {
    result[selected(request, world, lane)] = world.v[request.data0][lane];
  });
  world.forLanes([&](unsigned lane) { world.v[request.dst][lane] = result[lane]; });
}

namespace {
/// \c data0 is in dwords: 1 where there is data in addition to the address.
struct ExchangeRow {
  StringLiteral name;
  void (*run)(const Request &, World &);
  unsigned data0;
  OffsetForm offset;
};
constexpr ExchangeRow Rows[] = {
    {"swizzle_b32", swizzle, 0, OffsetForm::Pattern},
    {"bpermute_b32", [](const Request &r, World &w) { permuteBackward(r, w, false); }, 1,
     OffsetForm::One},
    {"bpermute_fi_b32", [](const Request &r, World &w) { permuteBackward(r, w, true); }, 1,
     OffsetForm::One},
    {"permute_b32", permuteForward, 1, OffsetForm::One},
};
} // namespace

std::optional<Effect> gcn::definitions::laneExchangeEffect(StringRef name) {
  for (const ExchangeRow &row : Rows) {
    if (row.name != name)
      continue;
    Effect effect;
    effect.dst = 1;
    effect.hasAddress = true;
    effect.data0 = row.data0;
    effect.offset = row.offset;
    effect.run = row.run;
    return effect;
  }
  return std::nullopt;
}
