// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every kernel of every width that this host has gives, in every lane, the bits of its row's
// function: edge values and random ones, both modes, both wave sizes; and the kernel of another row
// is told from it.
#include "oracles/machine/gcn_alu/Kernel.h"
#include "oracles/machine/gcn_alu/Tables.h"
#include <gtest/gtest.h>
#include <random>
#include <set>

using namespace llvm;
using namespace assay::gcn;

namespace {

constexpr unsigned MaxLanes = 64;

struct Lanes {
  alignas(64) uint32_t src[3][MaxLanes];
  alignas(64) uint32_t dst[MaxLanes];
  uint64_t carryIn;
  bool clamp;
};

struct Results {
  uint32_t values[MaxLanes] = {};
  uint64_t bits = 0;
};

} // namespace

static uint32_t randomValue(std::mt19937 &random) {
  static constexpr uint32_t Edges[] = {
      0,          1,          2,          31,         32,         0x7fffffff, 0x80000000,
      0x80000001, 0xffffffff, 0x00800000, 0x80800000, 0x00ffffff, 0x007fffff, 0x807fffff,
      0x00400000, 0x3f800000, 0xbf800000, 0x3f7fffff, 0x3f800001, 0x33800000, 0x7f7fffff,
      0xff7fffff, 0x7f800000, 0xff800000, 0x7fc00000, 0xffc00001, 0x7f800001, 0xff812345,
      0x4b800000, 0x5f800000, 0x1f800000, 0x20000000};
  uint32_t bits = random() % 2 ? Edges[random() % std::size(Edges)] : random();
  return random() % 8 ? bits : bits & 0x80ffffff; // small numbers: sums and products are denormal
}

static Lanes randomLanes(std::mt19937 &random) {
  Lanes lanes;
  for (auto &row : lanes.src)
    for (uint32_t &lane : row)
      lane = randomValue(random);
  for (uint32_t &lane : lanes.dst)
    lane = 0xdeadbeef;
  lanes.carryIn = uint64_t(random()) << 32 | random();
  lanes.clamp = random() % 2;
  return lanes;
}

static Results byFunction(const AluOp &op, const Lanes &lanes, unsigned count,
                          const AluMode &mode) {
  Results results;
  for (unsigned lane = 0; lane < count; ++lane) {
    AluInput input;
    for (unsigned i = 0; i < op.sourceCount(); ++i)
      input.src[i] = lanes.src[i][lane];
    input.carry = lanes.carryIn >> lane & 1;
    input.clamp = lanes.clamp;
    input.lane = static_cast<uint8_t>(lane);
    AluOutput output = op.function(input, mode);
    bool isCompare = op.flags & Compare;
    results.values[lane] = isCompare ? 0xdeadbeef : static_cast<uint32_t>(output.value);
    results.bits |= uint64_t(isCompare ? output.value & 1 : output.carry) << lane;
  }
  for (unsigned lane = count; lane < MaxLanes; ++lane)
    results.values[lane] = 0xdeadbeef;
  return results;
}

static Results byKernel(const KernelTable &table, VectorWidth width, const Lanes &lanes,
                        unsigned count, const AluMode &mode) {
  Lanes copy = lanes;
  LaneRows rows{
      {copy.src[0], copy.src[1], copy.src[2]}, copy.dst, lanes.carryIn, count, lanes.clamp};
  Results results;
  results.bits = table.at(width)[unsigned(kernelModeOf(mode))](rows, mode);
  std::copy(std::begin(copy.dst), std::end(copy.dst), results.values);
  return results;
}

static bool isSame(const Results &a, const Results &b) {
  return a.bits == b.bits && std::equal(std::begin(a.values), std::end(a.values), b.values);
}

static AluMode randomMode(std::mt19937 &random, unsigned gfxMajor) {
  AluMode mode;
  mode.f32DenormIn = mode.f32DenormOut = random() % 2;
  mode.ieee = gfxMajor < 12 && random() % 2;
  mode.dx10Clamp = random() % 2;
  mode.f16f64Round = random() % 4;
  mode.gfxMajor = gfxMajor;
  return mode;
}

/// Rows with kernels, each function once a generation.
static std::vector<const AluOp *> rowsWithKernels(unsigned gfxMajor) {
  std::vector<const AluOp *> rows;
  std::set<AluFunction> seen;
  for (const AluOp *op : listValuOps(gfxMajor))
    if (op->kernels && seen.insert(op->function).second)
      rows.push_back(op);
  return rows;
}

TEST(Kernel, GivesTheBitsOfTheFunction) {
  std::mt19937 random(7);
  for (unsigned gfxMajor : {9u, 10u, 11u, 12u}) {
    std::vector<const AluOp *> rows = rowsWithKernels(gfxMajor);
    EXPECT_GT(rows.size(), 100u);
    for (const AluOp *op : rows)
      for (unsigned round = 0; round < 40; ++round) {
        Lanes lanes = randomLanes(random);
        AluMode mode = randomMode(random, gfxMajor);
        unsigned count = round % 2 ? 64 : 32;
        Results expected = byFunction(*op, lanes, count, mode);
        for (VectorWidth width : hostVectorWidths())
          ASSERT_TRUE(isSame(byKernel(*op->kernels, width, lanes, count, mode), expected))
              << op->name << " gfx" << gfxMajor << " width " << unsigned(width) << " lanes "
              << count << " flushes " << !mode.f32DenormIn;
      }
  }
}

/// A number that is no NaN and not infinite, with a biased exponent from \p least on.
static uint32_t randomNumber(std::mt19937 &random, unsigned least, unsigned count) {
  uint32_t exponent = least + random() % count;
  uint32_t fraction = random() % 4 ? random() & 0x7fffff : random() % 2 ? 0x7fffff : 0;
  return (random() & 1) << 31 | exponent << 23 | fraction;
}

/// Rows for which the host's own arithmetic decides, since no lane has a NaN: results of usual
/// size, and, where \p isSmall, around the smallest normal number.
static Lanes randomNumbers(std::mt19937 &random, bool isSmall) {
  Lanes lanes = randomLanes(random);
  constexpr unsigned Bias = 127;
  for (unsigned lane = 0; lane < MaxLanes; ++lane) {
    unsigned exponent = 40 + random() % 50;
    unsigned partner = Bias + 1 - exponent;
    lanes.src[0][lane] = isSmall ? randomNumber(random, exponent, 1) : randomNumber(random, 90, 70);
    lanes.src[1][lane] =
        isSmall ? randomNumber(random, partner - 2, 4) : randomNumber(random, 90, 70);
    lanes.src[2][lane] = isSmall ? randomNumber(random, 0, 3) : randomNumber(random, 90, 70);
    if (isSmall && random() % 2) // A sum that is small.
      lanes.src[0][lane] = randomNumber(random, 0, 3),
      lanes.src[1][lane] = randomNumber(random, 0, 3);
  }
  return lanes;
}

TEST(Kernel, GivesTheBitsOfTheFunctionForNumbers) {
  std::mt19937 random(17);
  unsigned checked = 0;
  for (const AluOp *op : rowsWithKernels(11)) {
    if (op->src[0] != OperandKind::F32)
      continue;
    for (unsigned round = 0; round < 400; ++round) {
      Lanes lanes = randomNumbers(random, round % 2);
      AluMode mode = randomMode(random, 11);
      Results expected = byFunction(*op, lanes, MaxLanes, mode);
      for (VectorWidth width : hostVectorWidths())
        ASSERT_TRUE(isSame(byKernel(*op->kernels, width, lanes, MaxLanes, mode), expected))
            << op->name << " width " << unsigned(width) << " flushes " << !mode.f32DenormIn;
      ++checked;
    }
  }
  EXPECT_GT(checked, 400u * 20);
}

/// Products and sums at the end of the normal range: one unit in the last place of a smaller number
/// decides whether they are flushed.
TEST(Kernel, FlushesWhatIsTinyBeforeItRounds) {
  struct Row {
    const char *name;
    uint32_t sources[3];
    uint32_t flushed, kept;
  };
  for (const Row &row : {
           Row{"v_mul_f32", {0x00ffffff, 0x3f000000, 0}, 0, 0x00800000},
           {"v_mul_f32", {0x80ffffff, 0x3f000000, 0}, 0x80000000, 0x80800000},
           {"v_mul_f32", {0x01000000, 0x3f000000, 0}, 0x00800000, 0x00800000},
           {"v_fma_f32", {0x00ffffff, 0x3f000000, 0}, 0, 0x00800000},
           {"v_fma_f32", {0x00c00000, 0x3f000000, 0}, 0, 0x00600000},
       }) {
    const AluOp *op = findValuOp(row.name, 11);
    ASSERT_TRUE(op && op->kernels) << row.name;
    Lanes lanes = {};
    for (unsigned i = 0; i < 3; ++i)
      std::fill(std::begin(lanes.src[i]), std::end(lanes.src[i]), row.sources[i]);
    for (bool keeps : {false, true})
      for (VectorWidth width : hostVectorWidths()) {
        AluMode mode;
        mode.f32DenormIn = mode.f32DenormOut = keeps;
        Results results = byKernel(*op->kernels, width, lanes, MaxLanes, mode);
        for (uint32_t value : results.values)
          ASSERT_EQ(value, keeps ? row.kept : row.flushed) << row.name << " " << unsigned(width);
      }
  }
}

/// Kernels pass for each other exactly where functions do: v_fma and v_fmac, say.
TEST(Kernel, IsToldFromThatOfAnotherRow) {
  std::mt19937 random(11);
  std::vector<const AluOp *> rows = rowsWithKernels(11);
  size_t told = 0;
  for (size_t i = 0; i < rows.size(); ++i) {
    const AluOp &op = *rows[i], &other = *rows[(i + 1) % rows.size()];
    bool differs = false, functionsDiffer = false;
    for (unsigned round = 0; round < 40; ++round) {
      Lanes lanes = randomLanes(random);
      AluMode mode = randomMode(random, 11);
      Results expected = byFunction(op, lanes, 64, mode);
      functionsDiffer |= !isSame(byFunction(other, lanes, 64, mode), expected);
      differs |= !isSame(byKernel(*other.kernels, hostVectorWidth(), lanes, 64, mode), expected);
    }
    EXPECT_EQ(differs, functionsDiffer) << op.name << " and " << other.name;
    told += differs;
  }
  EXPECT_GE(told, rows.size() - 4);
}

TEST(Kernel, MayWriteOverItsSource) {
  std::mt19937 random(13);
  for (const AluOp *op : rowsWithKernels(11))
    for (VectorWidth width : hostVectorWidths()) {
      if (op->flags & Compare)
        continue;
      Lanes lanes = randomLanes(random);
      AluMode mode = randomMode(random, 11);
      Results expected = byFunction(*op, lanes, 64, mode);
      LaneRows rows{
          {lanes.src[0], lanes.src[1], lanes.src[2]}, lanes.src[0], lanes.carryIn, 64, lanes.clamp};
      op->kernels->at(width)[unsigned(kernelModeOf(mode))](rows, mode);
      EXPECT_TRUE(std::equal(std::begin(lanes.src[0]), std::end(lanes.src[0]), expected.values))
          << op->name << " width " << unsigned(width);
    }
}

TEST(Kernel, HelpersFillBlendAndSign) {
  std::mt19937 random(17);
  for (VectorWidth width : hostVectorWidths())
    for (unsigned count : {32u, 64u}) {
      const LaneHelpers &helpers = laneHelpers(width);
      Lanes lanes = randomLanes(random), before = lanes;
      helpers.fill(lanes.src[0], 5, count);
      helpers.blend(lanes.src[1], lanes.src[2], lanes.carryIn, count);
      helpers.sign(lanes.dst, lanes.src[2], 0x7fffffff, 0x80000000, count);
      for (unsigned lane = 0; lane < MaxLanes; ++lane) {
        bool isIn = lane < count, isActive = isIn && lanes.carryIn >> lane & 1;
        EXPECT_EQ(lanes.src[0][lane], isIn ? 5 : before.src[0][lane]);
        EXPECT_EQ(lanes.src[1][lane], isActive ? before.src[2][lane] : before.src[1][lane]);
        EXPECT_EQ(lanes.dst[lane], isIn ? before.src[2][lane] | 0x80000000 : before.dst[lane]);
      }
    }
}
