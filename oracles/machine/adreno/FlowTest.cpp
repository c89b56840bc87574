// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/machine/adreno/WaveTesting.h"

using namespace llvm;
using namespace assay;
using namespace assay::adreno;

TEST(Flow, DivergesAndJoins) {
  // if (lane < 20) r1 = 1; else r1 = 2; movmsk after it sees all lanes.
  TestWave wave("cmps.u.lt p0.x, r0.x, 20\n"
                "br p0.x, #then\n"
                "mov.u32u32 r1.x, 2\n"
                "jump #done\n"
                "then: mov.u32u32 r1.x, 1\n"
                "movmsk.w64 r2.x\n"
                "done: (jp)movmsk.w64 r3.x\n");
  EXPECT_EQ(wave.run(), "");
  EXPECT_EQ(wave("r1.x", 19), 1u);
  EXPECT_EQ(wave("r1.x", 20), 2u);
  EXPECT_EQ(wave("r2.x", 3), 0xfffffu);
  EXPECT_EQ(wave("r3.x", 3), 0xffffffffu);
  EXPECT_EQ(wave("r3.y", 63), 0xffffffffu);
}

TEST(Flow, JoinsOnlyWhereMarked) {
  TestWave wave("cmps.u.lt p0.x, r0.x, 20\n"
                "br p0.x, #done\n"
                "mov.u32u32 r1.x, 2\n"
                "done: movmsk.w64 r3.x\n");
  EXPECT_EQ(wave.run(), "");
  EXPECT_EQ(wave("r3.x", 3), 0xfffffu);
  EXPECT_EQ(wave("r3.x", 40), 0xfff00000u);
}

TEST(Flow, LoopsEachFiberItsOwnTimes) {
  TestWave wave("mov.u32u32 r1.x, 0\n"
                "loop: (jp)cmps.u.lt p0.x, r1.x, r0.x\n"
                "br !p0.x, #done\n"
                "add.u r1.x, r1.x, 1\n"
                "jump #loop\n"
                "done: (jp)movmsk.w128 r2.x\n",
                Chip::A630, 128);
  EXPECT_EQ(wave.run(), "");
  for (unsigned lane : {0U, 1U, 63U, 64U, 127U})
    EXPECT_EQ(wave("r1.x", lane), lane);
  EXPECT_EQ(wave("r2.w", 127), 0xffffffffu);
}

TEST(Flow, TestsWaves) {
  TestWave wave("cmps.u.lt p0.x, r0.x, 20\ncmps.u.lt p0.y, r0.x, 99\nmov.u32u32 r1.x, 0\n"
                "bany p0.x, #any\nmov.u32u32 r1.x, 1\n"
                "any: ball p0.x, #all\nadd.u r1.x, r1.x, 2\n"
                "all: ball p0.y, #every\nadd.u r1.x, r1.x, 4\n"
                "every: braa p0.x, !p0.y, #none\nadd.u r1.x, r1.x, 8\n"
                "none: (jp)brao !p0.x, p0.y, #last\nadd.u r1.x, r1.x, 16\n"
                "last: nop\n");
  EXPECT_EQ(wave.run(), "");
  EXPECT_EQ(wave("r1.x", 0), 10u);
  EXPECT_EQ(wave("r1.x", 40), 10u);
}

TEST(Flow, PicksOneAndPredicates) {
  TestWave wave(
      "mov.u32u32 r1.x, 0\nmov.u32u32 r1.y, 0\n"
      "getone #rest\nmov.u32u32 r1.x, 1\nmov.u32u32 r48.x, r0.x\n"
      "rest: (jp)cmps.u.lt p0.x, r0.x, 8\n"
      "predt\nmov.u32u32 r1.y, 5\npredf\nmov.u32u32 r1.y, 6\nprede\nadd.u r1.z, r48.x, 3");
  EXPECT_EQ(wave.run(), "");
  EXPECT_EQ(wave("r1.x", 0), 1u);
  EXPECT_EQ(wave("r1.x", 1), 0u);
  EXPECT_EQ(wave("r1.y", 7), 5u);
  EXPECT_EQ(wave("r1.y", 8), 6u);
  EXPECT_EQ(wave("r1.z", 33), 3u);
}

TEST(Flow, ExchangesValues) {
  TestWave wave("quad_shuffle.diag (u32)(x)r1.x, r0.x\nmov.u32u32 r2.x, 1\nquad_shuffle.brcst "
                "(u32)(x)r1.y, r0.x, r2.x\n"
                "shfl.xor.u32 r1.z, r0.x, 63\nshfl.rdown.u32 r1.w, r0.x, 5\nmov.u32u32 r3.x, 77\n"
                "brcst.active.w8 (u32)(x)r3.x, r0.x\ngetfiberid.u32 r3.y\n");
  EXPECT_EQ(wave.run(), "");
  EXPECT_EQ(wave("r1.x", 5), 6u);
  EXPECT_EQ(wave("r1.y", 6), 5u);
  EXPECT_EQ(wave("r1.z", 1), 62u);
  EXPECT_EQ(wave("r1.w", 60), 1u);
  EXPECT_EQ(wave("r3.x", 3), 77u);
  EXPECT_EQ(wave("r3.x", 14), 11u);
  EXPECT_EQ(wave("r3.y", 9), 9u);
}

TEST(Flow, SaysWhatIsWrong) {
  TestWave outside("jump #100");
  EXPECT_EQ(outside.run(), "control leaves the code, to instruction 100");
  TestWave unknown("mgen.b r0.x, r0.x, r0.y");
  EXPECT_EQ(unknown.run(), "no semantics for 'mgen.b r0.x, r0.x, r0.y'");
  EXPECT_TRUE(unknown.wave().isUnsupported());
  TestWave diverged("cmps.u.lt p0.x, r0.x, 20\nbr p0.x, #far\nbar.l\nfar: nop");
  EXPECT_EQ(diverged.run(), "a barrier at instruction 2 that some fibers of the wave do not reach");
  TestWave endless("loop: jump #loop");
  EXPECT_EQ(endless.run(1000), "budget");
}
