// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/machine/adreno/LateRun.h"
#include "oracles/machine/adreno/WaveTesting.h"
#include "llvm/ADT/bit.h"

using namespace llvm;
using namespace assay;
using namespace assay::adreno;

namespace {

/// Runs \p text with late results. Seed 0: nothing completes early.
void runLate(TestWave &wave, uint64_t seed = 0) {
  simt::Choices choices(seed);
  LateRun late(wave.wave().program(), choices);
  while (wave.wave().status == simt::WaveStatus::Running)
    if (const Op *op = wave.wave().fetch())
      late.execute(wave.wave(), *op);
  EXPECT_EQ(wave.wave().failure(), "");
}

uint32_t resultOf(StringRef text, StringRef name, Chip chip = Chip::A630, uint64_t seed = 0) {
  TestWave wave(text, chip);
  runLate(wave, seed);
  return wave(name, 5);
}

constexpr uint32_t Old = 0xdeadbeef;

} // namespace

TEST(LateRun, KeepsOldValuesUntilSlotsPass) {
  EXPECT_EQ(resultOf("mov.u32u32 r1.x, 7\n(nop2) add.u r3.x, r3.x, 1\nadd.u r2.x, r1.x, 1\n"
                     "(rpt5)nop\nmov.u32u32 r2.y, r2.x\n(rpt5)nop",
                     "r2.y"),
            8u);
  EXPECT_EQ(resultOf("mov.u32u32 r1.x, 7\n(rpt1)nop\nadd.u r2.x, r1.x, 1\n(rpt5)nop", "r2.x"),
            Old + 1);
  EXPECT_EQ(
      resultOf("mov.u32u32 r1.x, 7\n(rpt1)nop\nadd.u r2.x, r1.x, 1\n(rpt5)nop", "r2.x", Chip::A740),
      8u);
  EXPECT_EQ(resultOf("mova a0.x, 1\nmov.u32u32 r2.x, r<a0.x + 0>\n(rpt5)nop", "r2.x"), 5u)
      << "a0.x is 0 until then";
}

TEST(LateRun, WaitsForFlags) {
  std::string rcp = "mov.f32f32 r1.x, (2.0)\n(rpt5)nop\nrcp r2.x, r1.x\n";
  EXPECT_EQ(resultOf(rcp + "(rpt5)nop\n(ss)mov.u32u32 r3.x, r2.x\n(rpt5)nop", "r3.x"),
            bit_cast<uint32_t>(0.5f));
  EXPECT_EQ(resultOf(rcp + "(rpt5)nop\nmov.u32u32 r3.x, r2.x\n(rpt5)nop", "r3.x"), Old);
}

TEST(LateRun, ReadsSourcesLate) {
  std::string overwritten = "mov.f32f32 r1.x, (2.0)\n(rpt5)nop\nrcp r2.x, r1.x\n";
  std::string rest = "mov.f32f32 r1.x, (4.0)\n(rpt5)nop\n(ss)nop\n(rpt5)nop";
  EXPECT_EQ(resultOf(overwritten + rest, "r2.x"), bit_cast<uint32_t>(0.25f));
  EXPECT_EQ(resultOf(overwritten + "(ss)" + rest, "r2.x"), bit_cast<uint32_t>(0.5f));
}

/// rcp has seen a1.x of before; it runs at (ss), where the new one arrives.
TEST(LateRun, KeepsA1ThatArrivesWhenAnotherInstructionReads) {
  TestWave wave("mov.f32f32 r1.x, (2.0)\n(rpt5)nop\nmova1 a1.x, 16\n(rpt5)nop\nrcp r2.x, r1.x\n"
                "(rpt5)nop\n(ss)nop\n(rpt5)nop",
                Chip::A740);
  runLate(wave);
  EXPECT_EQ(wave.wave().address1, 16u);
}

TEST(LateRun, MayCompleteEarly) {
  std::string text = "mov.f32f32 r1.x, (2.0)\n(rpt5)nop\nrcp r2.x, r1.x\n";
  for (unsigned i = 0; i < 40; ++i)
    text += "nop\n";
  text += "mov.u32u32 r3.x, r2.x\n(rpt5)nop";
  unsigned early = 0;
  for (uint64_t seed = 1; seed < 20; ++seed)
    early += resultOf(text, "r3.x", Chip::A630, seed) != Old;
  EXPECT_GT(early, 10u);
}
