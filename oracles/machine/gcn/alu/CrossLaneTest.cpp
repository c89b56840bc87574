// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operations across lanes against their definitions, lane by lane, from the manuals' pseudo code:
// random registers, several EXEC masks, every chip that has them. What an operation must not touch
// is compared, too.
#include "oracles/machine/gcn/WaveTesting.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace assay;
using namespace assay::gcn;

namespace {

/// The registers of a wave before an instruction, and after it as its definition wants them.
struct Registers {
  std::vector<LaneArray> v;
  std::array<uint32_t, sreg::Count + 2> s{};
  uint64_t exec = 0;
  unsigned lanes = 0;

  explicit Registers(const Wave &wave)
      : v(wave.v), s(wave.s), exec(wave.exec()), lanes(wave.waveSize) {}
  bool isActive(unsigned lane) const { return exec >> lane & 1; }
};

using Definition = void (*)(const Registers &before, Registers &after);

struct Case {
  const char *text;
  const char *targets; ///< With one of these names in it.
  Definition definition;
};

} // namespace

/// \p select(lane) names a lane of the row that \p row(lane's row) is; v1 is read, v0 written.
template <typename Row, typename Select>
static void permute(const Registers &before, Registers &after, Row row, Select select,
                    bool fetchesInactive, bool zeroesInvalid) {
  for (unsigned lane = 0; lane < before.lanes; ++lane) {
    if (!before.isActive(lane))
      continue;
    unsigned from = row(lane / 16) * 16 + select(lane);
    if (fetchesInactive || before.isActive(from))
      after.v[0][lane] = before.v[1][from];
    else if (zeroesInvalid)
      after.v[0][lane] = 0;
  }
}

static unsigned sameRow(unsigned row) {
  return row;
}
static unsigned otherRow(unsigned row) {
  return row % 2 ? row - 1 : row + 1;
}

/// Nibble lane % 16 of {s5, s4}.
static unsigned nibbleOf(const Registers &before, unsigned lane) {
  unsigned place = lane % 16;
  return (before.s[place < 8 ? 4 : 5] >> (place % 8 * 4)) % 16;
}

template <auto Row, bool FetchesInactive, bool ZeroesInvalid>
static void permuteBySgpr(const Registers &before, Registers &after) {
  permute(
      before, after, Row, [&](unsigned lane) { return nibbleOf(before, lane); }, FetchesInactive,
      ZeroesInvalid);
}

template <auto Row, bool FetchesInactive, bool ZeroesInvalid>
static void permuteByVgpr(const Registers &before, Registers &after) {
  permute(
      before, after, Row, [&](unsigned lane) { return before.v[2][lane] % 16; }, FetchesInactive,
      ZeroesInvalid);
}

static void swapHalves64(const Registers &before, Registers &after) {
  if (before.lanes == 64)
    for (unsigned lane = 0; lane < 64; ++lane)
      if (before.isActive(lane))
        after.v[0][lane] = before.v[1][(lane + 32) % 64];
}

static void exchange(const Registers &before, Registers &after) {
  for (unsigned lane = 0; lane < before.lanes; ++lane)
    if (before.isActive(lane)) {
      after.v[0][lane] = before.v[1][lane];
      after.v[1][lane] = before.v[0][lane];
    }
}

/// v0's low half and v1's high one.
static void exchangeHalves(const Registers &before, Registers &after) {
  for (unsigned lane = 0; lane < before.lanes; ++lane)
    if (before.isActive(lane)) {
      uint32_t a = before.v[0][lane], b = before.v[1][lane];
      after.v[0][lane] = a / 65536 * 65536 + b / 65536;
      after.v[1][lane] = a % 65536 * 65536 + b % 65536;
    }
}

static void readLane(const Registers &before, Registers &after) {
  after.s[3] = before.v[1][before.s[4] % before.lanes];
}

static void readFirstLane(const Registers &before, Registers &after) {
  unsigned first = 0;
  while (first < before.lanes && !before.isActive(first))
    ++first;
  after.s[3] = before.v[1][first == before.lanes ? 0 : first];
}

static void writeLane(const Registers &before, Registers &after) {
  after.v[0][before.s[4] % before.lanes] = before.s[6];
}

/// GFX9 reads one scalar register an instruction.
static void writeOwnNumber(const Registers &before, Registers &after) {
  after.v[0][before.s[4] % 64] = before.s[4];
}

static unsigned byteDistance(uint64_t bytes, unsigned first, uint32_t reference) {
  unsigned sum = 0;
  for (unsigned i = 0; i < 4; ++i) {
    int a = bytes >> (8 * (first + i)) & 0xff, b = reference >> (8 * i) & 0xff;
    sum += b == 0 ? 0 : static_cast<unsigned>(std::abs(a - b));
  }
  return sum;
}

/// v[0:3] = v[4:5], v6, v[8:11]
template <bool Clamps> static void maskedSums(const Registers &before, Registers &after) {
  for (unsigned lane = 0; lane < before.lanes; ++lane)
    for (unsigned i = 0; before.isActive(lane) && i < 4; ++i) {
      uint64_t bytes = before.v[4][lane] + (uint64_t(before.v[5][lane]) << 32);
      uint64_t sum = uint64_t(before.v[8 + i][lane]) + byteDistance(bytes, i, before.v[6][lane]);
      after.v[i][lane] = Clamps && sum > UINT32_MAX ? UINT32_MAX : static_cast<uint32_t>(sum);
    }
}

/// The same with an SGPR pair and a constant, whose third byte only is not 0.
static void maskedSumsOfScalars(const Registers &before, Registers &after) {
  for (unsigned lane = 0; lane < before.lanes; ++lane)
    for (unsigned i = 0; before.isActive(lane) && i < 4; ++i) {
      uint64_t bytes = before.s[4] + (uint64_t(before.s[5]) << 32);
      after.v[i][lane] = before.v[8 + i][lane] + byteDistance(bytes, i, 64);
    }
}

/// M0 = 3: v1 plus 3 is read, or v0 plus 3 written, with byte 2 or the next lane of the row.
static void moveByteFrom(const Registers &before, Registers &after) {
  for (unsigned lane = 0; lane < before.lanes; ++lane)
    if (before.isActive(lane))
      after.v[0][lane] = before.v[4][lane] / 65536 % 256;
}
static void moveNextLaneTo(const Registers &before, Registers &after) {
  for (unsigned lane = 0; lane < before.lanes; ++lane)
    if (before.isActive(lane) && lane % 16 != 15 && before.isActive(lane + 1))
      after.v[3][lane] = before.v[1][lane + 1];
}

/// Moves of whole registers: where to and from, all lanes that are active.
template <unsigned To, unsigned From>
static void moveRegister(const Registers &before, Registers &after) {
  for (unsigned lane = 0; lane < before.lanes; ++lane)
    if (before.isActive(lane))
      after.v[To][lane] = before.v[From][lane];
}

/// M0 = 3 for the source, 5 for the destination.
static void moveByTwoIndices(const Registers &before, Registers &after) {
  after.s[sreg::M0] = 0x50003;
  moveRegister<5, 4>(before, after);
}
static void swapByTwoIndices(const Registers &before, Registers &after) {
  moveByTwoIndices(before, after);
  moveRegister<4, 5>(before, after);
}

static constexpr Case Cases[] = {
    {"v_permlane16_b32 v0, v1, s4, s5", "gfx10 gfx11 gfx12", permuteBySgpr<sameRow, false, false>},
    {"v_permlane16_b32 v0, v1, s4, s5 op_sel:[1,0]", "gfx10 gfx11 gfx12",
     permuteBySgpr<sameRow, true, false>},
    {"v_permlane16_b32 v0, v1, s4, s5 op_sel:[0,1]", "gfx10 gfx11 gfx12",
     permuteBySgpr<sameRow, false, true>},
    {"v_permlanex16_b32 v0, v1, s4, s5", "gfx10 gfx11 gfx12",
     permuteBySgpr<otherRow, false, false>},
    {"v_permlanex16_b32 v0, v1, s4, s5 op_sel:[1,1]", "gfx10 gfx11 gfx12",
     permuteBySgpr<otherRow, true, true>},
    {"v_permlane16_var_b32 v0, v1, v2", "gfx12", permuteByVgpr<sameRow, false, false>},
    {"v_permlane16_var_b32 v0, v1, v2 op_sel:[1,0]", "gfx12", permuteByVgpr<sameRow, true, false>},
    {"v_permlanex16_var_b32 v0, v1, v2 op_sel:[0,1]", "gfx12",
     permuteByVgpr<otherRow, false, true>},
    {"v_permlanex16_var_b32 v0, v1, v2", "gfx12", permuteByVgpr<otherRow, false, false>},
    {"v_permlane64_b32 v0, v1", "gfx11 gfx12", swapHalves64},
    {"v_swap_b32 v0, v1", "gfx9 gfx10 gfx11 gfx12", exchange},
    {"v_swap_b16 v0.l, v1.h", "gfx11", exchangeHalves},
    {"v_movrels_b32 v0, v1", "gfx10 gfx11 gfx12", moveRegister<0, 4>},
    {"v_movreld_b32 v0, v1", "gfx10 gfx11 gfx12", moveRegister<3, 1>},
    {"v_movrelsd_b32 v0, v1", "gfx10 gfx11 gfx12", moveRegister<3, 4>},
    {"s_mov_b32 m0, 0x50003\nv_movrelsd_2_b32 v0, v1", "gfx10 gfx11 gfx12", moveByTwoIndices},
    {"s_mov_b32 m0, 0x50003\nv_swaprel_b32 v0, v1", "gfx10 gfx11 gfx12", swapByTwoIndices},
    {"v_movrels_b32_sdwa v0, v1 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:BYTE_2", "gfx10",
     moveByteFrom},
    {"v_movreld_b32_dpp v0, v1 row_shl:1 row_mask:0xf bank_mask:0xf", "gfx10 gfx11 gfx12",
     moveNextLaneTo},
    {"v_readlane_b32 s3, v1, s4", "gfx9 gfx10 gfx11 gfx12", readLane},
    {"v_readfirstlane_b32 s3, v1", "gfx9 gfx10 gfx11 gfx12", readFirstLane},
    {"v_writelane_b32 v0, s6, s4", "gfx10 gfx11 gfx12", writeLane},
    {"v_writelane_b32 v0, s4, s4", "gfx9", writeOwnNumber},
    {"v_mqsad_u32_u8 v[0:3], v[4:5], v6, v[8:11]", "gfx9 gfx10 gfx11 gfx12", maskedSums<false>},
    {"v_mqsad_u32_u8 v[0:3], v[4:5], v6, v[8:11] clamp", "gfx9 gfx10 gfx11 gfx12",
     maskedSums<true>},
    {"v_mqsad_u32_u8 v[0:3], s[4:5], 64, v[8:11]", "gfx9 gfx10 gfx11 gfx12", maskedSumsOfScalars},
};

static bool isOn(const Case &test, StringRef target) {
  SmallVector<StringRef, 4> names;
  StringRef(test.targets).split(names, ' ');
  return any_of(names, [&](StringRef name) { return target.drop_back(2) == name; });
}

/// EXEC masks of all tests; each comes with random registers of its own.
static constexpr uint64_t Masks[] = {~uint64_t(0), 0, 0x123456789abcdef0, 0xffff0000aaaa5555,
                                     0x8000000000000000};

/// Registers and EXEC of question \p index.
static void prepare(WaveBench &bench, unsigned index) {
  bench.randomize(index + 2);
  Wave &wave = *bench.wave;
  wave.s[sreg::M0] = 3;
  if (index == 1) // Sums near their limit, which the clamp bit shows.
    for (unsigned number = 8; number < 12; ++number)
      wave.v[number].fill(0xfffffff0 + number);
  if (index == 0)
    for (unsigned number = 8; number < 12; ++number)
      wave.v[number].fill(0xffffff00 + number);
  wave.setExec(Masks[index] & wave.laneMask());
}

static void check(const Case &test, StringRef target, unsigned waveSize) {
  WaveBench bench(target, waveSize, test.text);
  ASSERT_TRUE(bench.wave);
  for (unsigned index = 0; index < std::size(Masks); ++index) {
    prepare(bench, index);
    Wave &wave = *bench.wave;
    Registers before(wave), after(wave);
    test.definition(before, after);
    ASSERT_TRUE(bench.run()) << test.text;
    EXPECT_EQ(wave.v, after.v) << test.text << " on " << target.str() << " wave" << waveSize;
    EXPECT_EQ(wave.s, after.s) << test.text << " on " << target.str() << " wave" << waveSize;
  }
}

template <typename F> static void forEachChip(F check) {
  for (const char *target : {"gfx900", "gfx1010", "gfx1030", "gfx1100", "gfx1150", "gfx1201"})
    for (unsigned waveSize : {32u, 64u})
      if (waveSize == 64 || StringRef(target) != "gfx900")
        check(StringRef(target), waveSize);
}

TEST(CrossLane, OperationsMeetTheirDefinitions) {
  forEachChip([](StringRef target, unsigned waveSize) {
    for (const Case &test : Cases)
      if (isOn(test, target))
        check(test, target, waveSize);
  });
}

/// True when some question has different answers.
static bool canTellApart(const Case &first, const Case &second, WaveBench &bench) {
  for (unsigned index = 0; index < std::size(Masks); ++index) {
    prepare(bench, index);
    Registers before(*bench.wave), one(*bench.wave), other(*bench.wave);
    first.definition(before, one);
    second.definition(before, other);
    if (one.v != other.v || one.s != other.s)
      return true;
  }
  return false;
}

TEST(CrossLane, ExchangedOperationsAreNoticed) {
  // What meets one definition and not the other cannot be in the other's place.
  forEachChip([](StringRef target, unsigned waveSize) {
    WaveBench bench(target, waveSize, "s_nop 0");
    for (const Case &first : Cases)
      for (const Case &second : Cases)
        if (&first != &second && isOn(first, target) && isOn(second, target))
          EXPECT_TRUE(canTellApart(first, second, bench)) << first.text << " and " << second.text;
  });
}
