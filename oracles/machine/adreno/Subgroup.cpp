// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Exchange between the fibers of a wave: categories 5 and 6. Mesa 25.0, ir3-cat5.xml and
// ir3-cat6.xml.
#include "oracles/machine/adreno/Wave.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/STLFunctionalExtras.h"

using namespace llvm;
using namespace assay;
using namespace assay::adreno;

/// Writes to each active lane what \p source names: a lane of the source register, or no lane (its
/// register stays).
static void exchange(Wave &wave, const Op &op, bool half,
                     function_ref<std::optional<unsigned>(unsigned)> source) {
  LaneMask active = wave.active();
  unsigned number = op.inst.get(Field::Src1);
  LaneWords values;
  for (unsigned lane = 0; lane < wave.lanes(); ++lane)
    values[lane] = wave.read(lane, number, half);
  for (unsigned lane = 0; lane < wave.lanes(); ++lane) {
    if (!hasLane(active, lane))
      continue;
    if (std::optional<unsigned> from = source(lane))
      wave.write(lane, op.dst, op.dstHalf, values[*from]);
  }
  wave.advance();
}

/// Of each quad, the lane of the number; or the neighbour.
static void quadBroadcast(Wave &wave, const Op &op) {
  unsigned index = op.inst.get(Field::Src2);
  bool half = op.inst.hasHalfSources();
  exchange(wave, op, half, [&](unsigned lane) {
    return std::optional((lane & ~3U) | (wave.read(lane, index, half) & 3));
  });
}
/// Of each quad, the neighbour in x, in y, in both.
static void quadHorizontal(Wave &wave, const Op &op) {
  exchange(wave, op, op.inst.hasHalfSources(),
           [](unsigned lane) { return std::optional(lane ^ 1); });
}
static void quadVertical(Wave &wave, const Op &op) {
  exchange(wave, op, op.inst.hasHalfSources(),
           [](unsigned lane) { return std::optional(lane ^ 2); });
}
static void quadDiagonal(Wave &wave, const Op &op) {
  exchange(wave, op, op.inst.hasHalfSources(),
           [](unsigned lane) { return std::optional(lane ^ 3); });
}

/// The upper half of each cluster gets the value of the last active lane of the lower half.
static void broadcastActive(Wave &wave, const Op &op) {
  unsigned size = 2U << op.inst.get(Field::Width);
  LaneMask active = wave.active();
  exchange(wave, op, op.inst.hasHalfSources(), [&](unsigned lane) -> std::optional<unsigned> {
    unsigned begin = lane / size * size;
    if (lane < begin + size / 2)
      return std::nullopt;
    for (unsigned from = begin + size / 2; from-- > begin;)
      if (hasLane(active, from))
        return from;
    return std::nullopt;
  });
}

/// shfl: the amount is the same for all lanes. Lanes beyond the ends keep what they have.
static void shuffle(Wave &wave, const Op &op) {
  unsigned amount = op.inst.get(Field::Src2);
  if (!op.inst.get(Field::Src2Immediate))
    amount = wave.active() ? wave.read(firstLane(wave.active()), amount, /*half=*/false) : 0;
  unsigned lanes = wave.lanes();
  unsigned mode = op.inst.get(Field::Shuffle);
  if (mode == 0 || mode == 4 || mode == 5)
    return wave.fail("shfl of a mode without a name", /*isUnsupported=*/true);
  exchange(wave, op, op.dstHalf, [&](unsigned lane) -> std::optional<unsigned> {
    uint64_t from = lane;
    switch (mode) {
    case 1:
      from = lane ^ amount;
      break;
    case 2:
      from = uint64_t(lane) - amount;
      break;
    case 3:
      from = uint64_t(lane) + amount;
      break;
    case 6:
      from = (lane + lanes - amount % lanes) % lanes;
      break;
    default:
      from = (lane + amount) % lanes;
    }
    return from < lanes ? std::optional(unsigned(from)) : std::nullopt;
  });
}

/// The number of the lane in its wave.
static void getFiberId(Wave &wave, const Op &op) {
  LaneMask active = wave.active();
  for (unsigned lane = 0; lane < wave.lanes(); ++lane)
    if (hasLane(active, lane))
      wave.write(lane, op.dst, /*half=*/false, lane);
  wave.advance();
}

static constexpr std::pair<StringLiteral, Handler> SubgroupHandlers[] = {
    {"quad_shuffle.brcst", quadBroadcast},
    {"quad_shuffle.horiz", quadHorizontal},
    {"quad_shuffle.vert", quadVertical},
    {"quad_shuffle.diag", quadDiagonal},
    {"brcst.active", broadcastActive},
    {"shfl", shuffle},
    {"getfiberid", getFiberId},
};

Handler adreno::findSubgroupHandler(StringRef name) {
  const auto *found =
      find_if(SubgroupHandlers, [&](const auto &entry) { return entry.first == name; });
  return found == std::end(SubgroupHandlers) ? nullptr : found->second;
}
