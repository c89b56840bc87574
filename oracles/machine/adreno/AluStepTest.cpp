// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/machine/adreno/WaveTesting.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace llvm;
using namespace assay;
using namespace assay::adreno;

namespace {

/// One instruction on two or three words: the sources are in r1.x, r1.y, r1.z or hr8.x, hr8.y,
/// hr8.z, the result in r2.x.
struct AluCase {
  StringLiteral text;
  uint32_t a, b, c, result;
};

} // namespace

constexpr uint32_t One = 0x3f800000, Two = 0x40000000, Half = 0x3f000000, Nan = 0x7fc00000,
                   Infinity = 0x7f800000;

static constexpr AluCase Cases[] = {
    {"add.f r2.x, r1.x, r1.y", One, One, 0, Two},
    {"add.f r2.x, r1.x, (neg)r1.y", One, One, 0, 0},
    {"add.f r2.x, (abs)r1.x, (0.5)", 0xbf000000, 0, 0, One},
    {"add.f r2.x, r1.x, r1.y", 0x00000001, 0, 0, 0}, // A denormal.
    {"(sat)add.f r2.x, r1.x, r1.y", One, One, 0, One},
    {"(sat)add.f r2.x, r1.x, r1.y", Nan, One, 0, 0},
    {"mul.f r2.x, r1.x, r1.y", Two, Half, 0, One},
    {"add.f r2.x, hr8.x, hr8.y", 0x3c00, 0x3c00, 0, Two}, // Widened.
    {"min.f r2.x, r1.x, r1.y", One, Two, 0, One},
    {"min.f r2.x, r1.x, r1.y", Nan, Two, 0, Two},
    {"max.f r2.x, r1.x, r1.y", 0x80000000, 0, 0, 0},
    {"sign.f r2.x, r1.x", 0xc0a00000, 0, 0, 0xbf800000},
    {"floor.f r2.x, r1.x", 0xbf000000, 0, 0, 0xbf800000},
    {"ceil.f r2.x, r1.x", 0xbf000000, 0, 0, 0x80000000},
    {"rndne.f r2.x, r1.x", 0x3fc00000, 0, 0, Two},
    {"rndaz.f r2.x, r1.x", 0xbf000000, 0, 0, 0xbf800000},
    {"trunc.f r2.x, r1.x", 0xbfc00000, 0, 0, 0xbf800000},
    {"cmps.f.lt r2.x, r1.x, r1.y", One, Two, 0, 1},
    {"cmps.f.ne r2.x, r1.x, r1.y", Nan, Nan, 0, 1},
    {"cmps.f.ge r2.x, r1.x, r1.y", Nan, One, 0, 0},
    {"cmps.s.lt r2.x, r1.x, r1.y", ~0U, 0, 0, 1},
    {"cmps.u.lt r2.x, r1.x, r1.y", ~0U, 0, 0, 0},
    {"add.s r2.x, r1.x, -1", 5, 0, 0, 4},
    {"(sat)add.u r2.x, r1.x, r1.y", ~0U, 1, 0, ~0U},
    {"(sat)add.s r2.x, r1.x, r1.y", 0x7fffffff, 1, 0, 0x7fffffff},
    {"(sat)sub.u r2.x, r1.x, r1.y", 1, 2, 0, 0},
    {"sub.u r2.x, r1.x, r1.y", 1, 2, 0, ~0U},
    {"add.s r2.x, hr8.x, hr8.y", 0xffff, 0, 0, ~0U}, // Widened with the sign.
    {"add.u r2.x, hr8.x, hr8.y", 0xffff, 0, 0, 0xffff},
    {"min.s r2.x, r1.x, r1.y", ~0U, 0, 0, ~0U},
    {"max.u r2.x, r1.x, r1.y", ~0U, 0, 0, ~0U},
    {"absneg.s r2.x, (neg)r1.x", 1, 0, 0, ~0U},
    {"absneg.f r2.x, (abs)r1.x", 0xbf800000, 0, 0, One},
    {"and.b r2.x, r1.x, (neg)r1.y", 0xff, 0x0f, 0, 0xf0},
    {"xor.b r2.x, r1.x, 1", 3, 0, 0, 2},
    {"not.b r2.x, r1.x", 0xff, 0, 0, 0xffffff00},
    {"mul.u24 r2.x, r1.x, r1.y", 0x1000001, 3, 0, 3},
    {"mul.s24 r2.x, r1.x, r1.y", 0xffffff, 3, 0, uint32_t(-3)},
    {"mull.u r2.x, r1.x, r1.y", 0x10003, 0x20005, 0, 15},
    {"madsh.m16 r2.x, r1.x, r1.y, r1.z", 3, 0x50000, 7, 0xf0007},
    {"bfrev.b r2.x, r1.x", 1, 0, 0, 0x80000000},
    {"clz.b r2.x, r1.x", 1, 0, 0, 31},
    {"clz.b r2.x, r1.x", 0, 0, 0, ~0U},
    {"clz.s r2.x, r1.x", ~1U, 0, 0, 31},
    {"shl.b r2.x, r1.x, 4", 1, 0, 0, 16},
    {"shr.b r2.x, r1.x, r1.y", 0x80000000, 31, 0, 1},
    {"ashr.b r2.x, r1.x, r1.y", 0x80000000, 31, 0, ~0U},
    {"cbits.b r2.x, hr8.x", 0xff, 0, 0, 8},
    {"mad.f32 r2.x, r1.x, r1.y, r1.z", Two, Half, One, Two},
    {"mad.u24 r2.x, r1.x, r1.y, r1.z", 3, 4, 5, 17},
    {"sel.b32 r2.x, r1.x, r1.y, r1.z", 3, 4, 5, 3},
    {"sel.b32 r2.x, r1.x, r1.y, r1.z", 3, 0, 5, 5},
    {"dp4acc.unsigned.low r2.x, r1.x, r1.y, r1.z", 0xff020304, 0x02010305, 7, 510 + 2 + 9 + 20 + 7},
    {"dp4acc.mixed.low r2.x, r1.x, r1.y, r1.z", 0xff020304, 0xff010305, 7,
     uint32_t(-255 + 2 + 9 + 20 + 7)},
    {"dp2acc.unsigned.low r2.x, r1.x, r1.y, r1.z", 0xff020304, 0x02010305, 7, 9 + 20 + 7},
    {"dp2acc.unsigned.high r2.x, r1.x, r1.y, r1.z", 0xff020304, 0x02010305, 7, 510 + 2 + 7},
    {"(sat)dp4acc.unsigned.low r2.x, r1.x, r1.y, r1.z", 0x01, 0x02, 0xffffffff, 0xffffffff},
    {"(sat)dp4acc.mixed.low r2.x, r1.x, r1.y, r1.z", 0x80, 0xff, 0x80000000, 0x80000000},
    {"sad.s32 r2.x, r1.x, r1.y, r1.z", 3, 4, 5, 12},
    {"shlg r2.x, 4, r1.y, r1.z", 0, 1, 3, 19},
    {"shrm r2.x, 4, r1.y, r1.z", 0, 0x123, 0xf, 2},
    {"andg r2.x, r1.x, r1.y, r1.z", 6, 3, 8, 10},
    {"rcp r2.x, r1.x", Two, 0, 0, Half},
    {"rcp r2.x, r1.x", 0x80000000, 0, 0, 0xff800000},
    {"rsq r2.x, r1.x", 0x40800000, 0, 0, Half},
    {"sqrt r2.x, r1.x", 0x40800000, 0, 0, Two},
    {"log2 r2.x, r1.x", 0x40800000, 0, 0, Two},
    {"exp2 r2.x, r1.x", One, 0, 0, Two},
    {"sin r2.x, r1.x", 0, 0, 0, 0},
    {"cos r2.x, r1.x", 0, 0, 0, One},
    {"mov.f32f32 r2.x, (1.000000)", 0, 0, 0, One},
    {"cov.f32s32 r2.x, r1.x", 0xc0200000, 0, 0, uint32_t(-2)},
    {"cov.f32u32 r2.x, r1.x", 0xc0200000, 0, 0, 0},
    {"cov.f32s32 r2.x, r1.x", Infinity, 0, 0, 0x7fffffff},
    {"cov.f32u32 r2.x, r1.x", Nan, 0, 0, 0},
    {"cov.s32f32 r2.x, r1.x", ~0U, 0, 0, 0xbf800000},
    {"cov.u32f32 r2.x, r1.x", ~0U, 0, 0, 0x4f800000},
    {"cov.f16f32 r2.x, hr8.x", 0x3c00, 0, 0, One},
    {"cov.s16s32 r2.x, hr8.x", 0x8000, 0, 0, 0xffff8000},
    {"cov.u16u32 r2.x, hr8.x", 0x8000, 0, 0, 0x8000},
};

TEST(AluStep, ComputesRows) {
  for (const AluCase &test : Cases) {
    TestWave wave(test.text);
    uint32_t values[3] = {test.a, test.b, test.c};
    for (unsigned i = 0; i < 3; ++i) {
      wave.wave().write(0, 4 + i, /*half=*/false, values[i]);
      wave.wave().write(0, 32 + i, /*half=*/true, values[i]);
    }
    EXPECT_EQ(wave.run(), "") << test.text.str();
    EXPECT_EQ(utohexstr(wave("r2.x")), utohexstr(test.result)) << test.text.str();
  }
}

/// What the sources leave open is decided by the switches of Arithmetic alone.
TEST(AluStep, ObeysSwitches) {
  auto run = [](StringRef text, uint32_t a, uint32_t b, uint32_t c, auto set) {
    TestWave wave(text);
    set(wave.arithmetic);
    uint32_t values[3] = {a, b, c};
    for (unsigned i = 0; i < 3; ++i)
      wave.wave().write(0, 4 + i, /*half=*/false, values[i]);
    EXPECT_EQ(wave.run(), "");
    return wave("r2.x");
  };
  // (1 + 2^-23) squared less 1 + 2^-22: a product that is rounded first loses 2^-46.
  uint32_t a = 0x3f800001, minus = 0xbf800002;
  EXPECT_EQ(run("mad.f32 r2.x, r1.x, r1.y, r1.z", a, a, minus, [](Arithmetic &) {}), 0u);
  EXPECT_EQ(run("mad.f32 r2.x, r1.x, r1.y, r1.z", a, a, minus,
                [](Arithmetic &it) { it.fusesMad = true; }),
            0x28800000u);
  EXPECT_EQ(run("max.f r2.x, r1.x, r1.y", Nan, One, 0,
                [](Arithmetic &it) { it.minMaxIgnoresNan = false; }),
            Nan);
  EXPECT_EQ(run("shl.b r2.x, r1.x, r1.y", 1, 33, 0, [](Arithmetic &) {}), 2u);
  EXPECT_EQ(
      run("shl.b r2.x, r1.x, r1.y", 1, 33, 0, [](Arithmetic &it) { it.shifts = ShiftRule::Zero; }),
      0u);
  EXPECT_EQ(run("ashr.b r2.x, r1.x, r1.y", 1U << 31, 99, 0,
                [](Arithmetic &it) { it.shifts = ShiftRule::Zero; }),
            ~0U);
  EXPECT_EQ(
      run("add.f r2.x, r1.x, r1.y", 1, 0, 0, [](Arithmetic &it) { it.flushesDenormals = false; }),
      1u);
  EXPECT_EQ(run("cbits.b r2.x, r1.x", ~0U, 0, 0, [](Arithmetic &) {}), 16u);
  EXPECT_EQ(run("cbits.b r2.x, r1.x", ~0U, 0, 0, [](Arithmetic &it) { it.countsHalf = false; }),
            32u);
  EXPECT_EQ(run("rcp r2.x, r1.x", 0x40000000, 0, 0, [](Arithmetic &it) { it.specialUnits = 1; }),
            0x3effffffu);
}

/// Each changes something, and no two of them are one.
TEST(AluStep, SwitchesHaveNames) {
  EXPECT_EQ(arithmeticSwitches().size(), 8u);
  StringSet<> names;
  for (const ArithmeticSwitch &each : arithmeticSwitches()) {
    EXPECT_TRUE(names.insert(each.name).second) << each.name.str();
    Arithmetic arithmetic;
    each.flip(arithmetic);
    EXPECT_FALSE(arithmetic == Arithmetic()) << each.name.str();
  }
}

TEST(AluStep, AliasesHalves) {
  TestWave merged("mov.u32u32 r1.x, 0x12345678\nmov.u16u16 hr2.y, 4");
  EXPECT_EQ(merged.run(), "");
  EXPECT_EQ(merged("r1.x"), 0x00045678u);
  EXPECT_EQ(merged("hr2.x"), 0x5678u);
  TestWave apart("mov.u32u32 r1.x, 0x12345678\nmov.u16u16 hr2.y, 4", Chip::A420);
  EXPECT_EQ(apart.run(), "");
  EXPECT_EQ(apart("r1.x"), 0x12345678u);
  EXPECT_EQ(apart("hr2.y"), 4u);
}

TEST(AluStep, RepeatsAndSwaps) {
  TestWave wave("mov.u32u32 r1.x, 10\nmov.u32u32 r1.y, 20\n(rpt1)add.s r2.x, (r)r1.x, "
                "r0.x\nswz.u32u32 r1.x, r1.y, r1.y, r1.x\n"
                "gat.u32u32 r3.x, r1.y, r1.x, r2.y, r2.x\n(rpt2)mov.u32u32 r4.x, (r)r3.x");
  EXPECT_EQ(wave.run(), "");
  EXPECT_EQ(wave("r2.x", 5), 15u);
  EXPECT_EQ(wave("r2.y", 5), 25u);
  EXPECT_EQ(wave("r1.x", 5), 20u);
  EXPECT_EQ(wave("r1.y", 5), 10u);
  EXPECT_EQ(wave("r4.x", 5), 10u);
  EXPECT_EQ(wave("r4.z", 5), 25u);
}

/// Tests have waves of a few lanes.
TEST(AluStep, RunsSmallWaves) {
  TestWave wave("add.u r2.x, r0.x, 1\n(nop3) cmps.u.lt p0.x, r0.x, 5\nmov.u16u16 hr8.x, 7\n"
                "add.u r3.x, hr8.x, h(1)\nmov.u32u32 r40.w, r0.x",
                Chip::A630, /*lanes=*/8);
  EXPECT_EQ(wave.run(), "");
  for (unsigned lane = 0; lane < 8; ++lane) {
    EXPECT_EQ(wave("r2.x", lane), lane + 1);
    EXPECT_EQ(hasLane(wave.wave().predicates[0], lane), lane < 5);
    EXPECT_EQ(wave("r3.x", lane), 8u);
    EXPECT_EQ(wave("r40.w", lane), lane);
  }
}

TEST(AluStep, AddressesRelatively) {
  TestWave wave("cov.u32u16 hr8.x, r0.x\nmova a0.x, hr8.x\nmov.u32u32 r<a0.x + 40>, "
                "r0.x\nmov.u32u32 r2.x, c<a0.x + 1>\n"
                "mov.u32u32 r2.y, r<a0.x + 40>");
  for (unsigned i = 0; i < 64; ++i)
    wave.wave().constants[i] = 100 + i;
  EXPECT_EQ(wave.run(), "");
  EXPECT_EQ(wave("r10.w", 3), 3u); // Number 43.
  EXPECT_EQ(wave("r10.w", 2), 0xdeadbeefu);
  EXPECT_EQ(wave("r2.x", 7), 108u);
  EXPECT_EQ(wave("r2.y", 9), 9u);
  EXPECT_EQ(wave("r2.x", 63), 0u) << "beyond the const file";
}
