// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Data-parallel primitives: every control of every chip, with masks, bound control and fetched
// inactive lanes, against definitions from the manuals' chapters on DPP (Vega 4.9.5 and 13.3.9,
// RDNA 3 16.5). A lane's number is taken apart into row and place here; the machine shifts bits.
#include "oracles/machine/gcn/WaveTesting.h"
#include "oracles/machine/gcn_isa/Isa.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"

using namespace llvm;
using namespace assay;
using namespace assay::gcn;

namespace {

struct Place {
  int row, lane; ///< lane: 0 to 15.
};

constexpr Place Nowhere{-1, 0};

/// Where a lane reads; \p number is the control's argument.
using Control = Place (*)(Place place, int number, int rows);

struct ControlCase {
  const char *text; ///< '#' represents the number.
  int first, last;  ///< Numbers.
  Control source;
  const char *chips; ///< "9", "10+" or "all".
};

} // namespace

static Place inRow(Place place, int lane) {
  return lane >= 0 && lane < 16 ? Place{place.row, lane} : Nowhere;
}

/// Lane \p number of the whole wave.
static Place inWave(int number, int rows) {
  return number >= 0 && number < 16 * rows ? Place{number / 16, number % 16} : Nowhere;
}

static int numberOf(Place place) {
  return 16 * place.row + place.lane;
}

static constexpr ControlCase Controls[] = {
    {"row_shl:#", 1, 15, [](Place p, int n, int) { return inRow(p, p.lane + n); }, "all"},
    {"row_shr:#", 1, 15, [](Place p, int n, int) { return inRow(p, p.lane - n); }, "all"},
    {"row_ror:#", 1, 15, [](Place p, int n, int) { return inRow(p, (p.lane + 16 - n) % 16); },
     "all"},
    {"row_mirror", 0, 0, [](Place p, int, int) { return inRow(p, 15 - p.lane); }, "all"},
    {"row_half_mirror", 0, 0,
     [](Place p, int, int) { return inRow(p, p.lane < 8 ? 7 - p.lane : 23 - p.lane); }, "all"},
    {"wave_shl:1", 0, 0, [](Place p, int, int rows) { return inWave(numberOf(p) + 1, rows); }, "9"},
    {"wave_shr:1", 0, 0, [](Place p, int, int rows) { return inWave(numberOf(p) - 1, rows); }, "9"},
    {"wave_rol:1", 0, 0,
     [](Place p, int, int rows) { return inWave((numberOf(p) + 1) % (16 * rows), rows); }, "9"},
    {"wave_ror:1", 0, 0,
     [](Place p, int, int rows) {
       return inWave((numberOf(p) + 16 * rows - 1) % (16 * rows), rows);
     },
     "9"},
    {"row_bcast:15", 0, 0,
     [](Place p, int, int) { return p.row == 0 ? Nowhere : Place{p.row - 1, 15}; }, "9"},
    {"row_bcast:31", 0, 0, [](Place p, int, int) { return p.row < 2 ? Nowhere : Place{1, 15}; },
     "9"},
    {"row_share:#", 0, 15, [](Place p, int n, int) { return inRow(p, n); }, "10+"},
    {"row_xmask:#", 0, 15, [](Place p, int n, int) { return inRow(p, p.lane ^ n); }, "10+"},
};

namespace {
/// What is after the control.
struct Masks {
  unsigned rows = 15, banks = 15;
  bool boundControl = false;
  bool fetchesInactive = false;

  std::string text() const {
    return " row_mask:" + std::to_string(rows) + " bank_mask:" + std::to_string(banks) +
           (boundControl ? " bound_ctrl:1" : "") + (fetchesInactive ? " fi:1" : "");
  }
};

/// One instruction on all EXEC masks.
class DppRun {
public:
  DppRun(StringRef target, unsigned waveSize, const std::string &text, const Masks &masks)
      : m_bench(target, waveSize, "v_mov_b32_dpp v0, v1 " + text), m_text(text), m_masks(masks),
        m_rows(int(waveSize / 16)) {}

  /// \p source gives a lane's source.
  template <typename F> void check(F source) {
    ASSERT_TRUE(m_bench.wave) << m_text;
    Wave &wave = *m_bench.wave;
    for (uint64_t exec :
         {~uint64_t(0), uint64_t(0x0123456789abcdef), uint64_t(0xfffe7fffffff8001)}) {
      m_bench.randomize(7);
      wave.setExec(exec & wave.laneMask());
      std::vector<LaneArray> expected = wave.v;
      for (int lane = 0; lane < 16 * m_rows; ++lane) {
        Place from = source(Place{lane / 16, lane % 16});
        if (isEnabled(lane) && (exec >> lane & 1))
          expected[0][size_t(lane)] = result(from, exec, wave, expected[0][size_t(lane)]);
      }
      ASSERT_TRUE(m_bench.run()) << m_text;
      EXPECT_EQ(wave.v, expected) << m_text;
    }
  }

  int rows() const { return m_rows; }

private:
  bool isEnabled(int lane) const {
    return (m_masks.rows >> (lane / 16) & 1) && (m_masks.banks >> (lane % 16 / 4) & 1);
  }

  uint32_t result(Place from, uint64_t exec, const Wave &wave, uint32_t old) const {
    bool exists = from.row >= 0;
    bool isActive = exists && (m_masks.fetchesInactive || (exec >> numberOf(from) & 1));
    if (isActive)
      return wave.v[1][size_t(numberOf(from))];
    return m_masks.boundControl ? 0 : old;
  }

  WaveBench m_bench;
  std::string m_text;
  Masks m_masks;
  int m_rows;
};
} // namespace

static bool hasControl(StringRef chips, StringRef target) {
  bool is9 = target.starts_with("gfx9");
  return StringSwitch<bool>(chips).Case("9", is9).Case("10+", !is9).Default(true);
}

static std::vector<Masks> masksOf(StringRef target) {
  std::vector<Masks> result = {{}, {15, 15, true}, {5, 15}, {15, 6, true}, {2, 9, false}};
  if (!target.starts_with("gfx9")) {
    result.push_back({15, 15, false, true});
    result.push_back({11, 13, true, true});
  }
  return result;
}

template <typename F> static void forEachChip(F check) {
  for (const char *target : {"gfx900", "gfx1030", "gfx1100", "gfx1201"})
    for (unsigned waveSize : {32u, 64u})
      if (waveSize == 64 || StringRef(target) != "gfx900")
        check(StringRef(target), waveSize);
}

TEST(Dpp, EveryControlReadsWhereTheManualSays) {
  forEachChip([](StringRef target, unsigned waveSize) {
    for (const ControlCase &control : Controls)
      for (int number = control.first; number <= control.last; ++number)
        for (const Masks &masks : masksOf(target)) {
          if (!hasControl(control.chips, target))
            continue;
          auto [before, after] = StringRef(control.text).split('#');
          bool hasNumber = StringRef(control.text).contains('#');
          std::string text = before.str() + (hasNumber ? std::to_string(number) : "");
          DppRun run(target, waveSize, text + masks.text(), masks);
          run.check([&](Place place) { return control.source(place, number, run.rows()); });
        }
  });
}

TEST(Dpp, QuadsReadAnyOfTheirLanes) {
  forEachChip([](StringRef target, unsigned waveSize) {
    for (unsigned code = 0; code < 256; code += 7) {
      std::array<int, 4> select = {int(code & 3), int(code >> 2 & 3), int(code >> 4 & 3),
                                   int(code >> 6)};
      std::string text = "quad_perm:[";
      for (int lane : select)
        text += std::to_string(lane) + ",";
      text.back() = ']';
      Masks masks{15, 15, (code & 1) != 0};
      DppRun run(target, waveSize, text + masks.text(), masks);
      run.check([&](Place place) {
        return Place{place.row, place.lane / 4 * 4 + select[size_t(place.lane % 4)]};
      });
    }
  });
}

TEST(Dpp, EightLanesReadAnyOfThemselves) {
  std::mt19937 random(2);
  forEachChip([&](StringRef target, unsigned waveSize) {
    if (target.starts_with("gfx9"))
      return;
    for (unsigned count = 0; count < 20; ++count) {
      std::array<int, 8> select;
      std::string text = "dpp8:[";
      for (int &lane : select) {
        lane = int(random() % 8);
        text += std::to_string(lane) + ",";
      }
      text.back() = ']';
      Masks masks;
      masks.boundControl = true; // Inactive lanes are read as 0.
      masks.fetchesInactive = count % 2;
      DppRun run(target, waveSize, text + (masks.fetchesInactive ? " fi:1" : ""), masks);
      run.check([&](Place place) {
        return Place{place.row, place.lane / 8 * 8 + select[size_t(place.lane % 8)]};
      });
    }
  });
}

TEST(Dpp, MasksOfComparesAndCarriesAreZeroWhereNothingIsWritten) {
  // Lanes that a mask or a missing source disables count as inactive: their bits become 0.
  WaveBench compare("gfx1100", 32,
                    "v_cmp_ge_u32_dpp vcc_lo, v1, v1 row_shr:1 row_mask:1 bank_mask:15");
  ASSERT_TRUE(compare.run());
  uint64_t expected = 0;
  for (unsigned lane = 1; lane < 16; ++lane)
    expected |= uint64_t(compare.wave->v[1][lane - 1] >= compare.wave->v[1][lane]) << lane;
  EXPECT_EQ(compare.wave->vcc(), expected);
  WaveBench carry("gfx900", 64,
                  "v_add_co_u32_dpp v0, vcc, v1, v2 row_mirror row_mask:10 bank_mask:15");
  carry.wave->v[1].fill(~0u);
  ASSERT_TRUE(carry.run());
  expected = 0;
  for (unsigned lane = 0; lane < 64; ++lane)
    expected |= uint64_t(lane / 16 % 2 && carry.wave->v[2][lane] != 0) << lane;
  EXPECT_EQ(carry.wave->vcc(), expected);
}

/// The words of \p name on v1 and v2 with \p second as the dword of DPP, as data: LLVM has no
/// comparisons with DPP below GFX11.
static std::string compareWords(Chip chip, Format format, StringRef name, uint32_t source,
                                uint32_t second) {
  for (const InstForm *form : IsaTable::get(chip).forms())
    if (form->layout->format == format && form->name == name)
      return ".long 0x" + utohexstr(0x7c000000 | form->opcode << 17 | 2 << 9 | source) + ", 0x" +
             utohexstr(second);
  return "";
}

static bool isBelow(const Wave &wave, unsigned from, unsigned lane) {
  return int32_t(wave.v[1][from]) < int32_t(wave.v[2][lane]);
}

TEST(Dpp, ComparisonsHaveItBeforeGfx11) {
  constexpr uint32_t Mirror = 0x140, AllRows = 0xfu << 28, EvenBanks = 0x5u << 24;
  for (Chip chip : {Chip::Gfx900, Chip::Gfx1010, Chip::Gfx1030})
    for (StringRef name : {"v_cmp_lt_i32", "v_cmpx_lt_i32"}) {
      bool writesExec = name.starts_with("v_cmpx");
      std::string text =
          compareWords(chip, Format::VopcDpp16, name, 0xfa, 1 | Mirror << 8 | AllRows | EvenBanks);
      WaveBench bench(chipName(chip), 64, text);
      Wave &wave = *bench.wave;
      uint64_t oldVcc = wave.vcc();
      ASSERT_TRUE(bench.run()) << text;
      uint64_t expected = 0;
      for (unsigned lane = 0; lane < 64; ++lane)
        if (lane / 4 % 2 == 0)
          expected |= uint64_t(isBelow(wave, lane / 16 * 16 + 15 - lane % 16, lane)) << lane;
      // v_cmpx writes EXEC, on GFX9 VCC next to it.
      bool keepsVcc = writesExec && chip != Chip::Gfx900;
      EXPECT_EQ(wave.vcc(), keepsVcc ? oldVcc : expected) << name.str();
      EXPECT_EQ(wave.exec(), writesExec ? expected : ~uint64_t(0)) << name.str();
    }
}

TEST(Dpp, ComparisonsOfGfx10ReadEightLanes) {
  for (Chip chip : {Chip::Gfx1010, Chip::Gfx1030}) {
    uint32_t reversed = 0;
    for (unsigned i = 0; i < 8; ++i)
      reversed |= (7 - i) << (8 + 3 * i);
    WaveBench bench(chipName(chip), 32,
                    compareWords(chip, Format::VopcDpp8, "v_cmp_lt_i32", 0xe9, 1 | reversed));
    ASSERT_TRUE(bench.run());
    uint64_t expected = 0;
    for (unsigned lane = 0; lane < 32; ++lane)
      expected |= uint64_t(isBelow(*bench.wave, lane / 8 * 8 + 7 - lane % 8, lane)) << lane;
    EXPECT_EQ(bench.wave->vcc(), expected);
  }
}
