// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// s_*_saveexec and s_*_wrexec against their truth tables, in every form that a chip has.
#include "oracles/machine/gcn/WaveTesting.h"

using namespace llvm;
using namespace assay;
using namespace assay::gcn;

namespace {
/// Bit 2 * s + e of the table is the new EXEC bit of source bit s and old EXEC bit e.
struct MaskCase {
  const char *name; ///< After "s_", without width.
  unsigned table;
  const char *newName;    ///< From GFX11 on.
  bool writesNew = false; ///< The destination gets the new EXEC, not the old one.
};
} // namespace

static constexpr MaskCase Cases[] = {
    {"and_saveexec", 0b1000, "and_saveexec"},
    {"or_saveexec", 0b1110, "or_saveexec"},
    {"xor_saveexec", 0b0110, "xor_saveexec"},
    {"nand_saveexec", 0b0111, "nand_saveexec"},
    {"nor_saveexec", 0b0001, "nor_saveexec"},
    {"xnor_saveexec", 0b1001, "xnor_saveexec"},
    {"andn1_saveexec", 0b0010, "and_not0_saveexec"},
    {"andn2_saveexec", 0b0100, "and_not1_saveexec"},
    {"orn1_saveexec", 0b1011, "or_not0_saveexec"},
    {"orn2_saveexec", 0b1101, "or_not1_saveexec"},
    {"andn1_wrexec", 0b0010, "and_not0_wrexec", true},
    {"andn2_wrexec", 0b0100, "and_not1_wrexec", true},
};

static uint64_t combine(unsigned table, uint64_t source, uint64_t exec, unsigned lanes) {
  uint64_t result = 0;
  for (unsigned lane = 0; lane < lanes; ++lane) {
    unsigned row = (source >> lane & 1) * 2 + (exec >> lane & 1);
    result |= uint64_t(table >> row & 1) << lane;
  }
  return result;
}

/// \p source, \p exec: what the instruction finds; \p inPlace: its destination is its source.
static void check(const MaskCase &test, StringRef target, unsigned waveSize, bool inPlace) {
  bool isNew = target.starts_with("gfx11") || target.starts_with("gfx12");
  const char *registers[] = {inPlace ? "s4" : "s6", inPlace ? "s[4:5]" : "s[6:7]"};
  std::string text = std::string("s_") + (isNew ? test.newName : test.name);
  text += waveSize == 32 ? "_b32 " : "_b64 ";
  text += std::string(registers[waveSize == 64]) + (waveSize == 32 ? ", s4" : ", s[4:5]");
  WaveBench bench(target, waveSize, text);
  ASSERT_TRUE(bench.wave);
  Wave &wave = *bench.wave;
  for (uint64_t source : {uint64_t(0), ~uint64_t(0), uint64_t(0xff00ff00f0f0a5a5)})
    for (uint64_t exec : {uint64_t(0), ~uint64_t(0), uint64_t(0x00ffff000ff0c3c3)}) {
      bench.randomize(3);
      wave.s[4] = static_cast<uint32_t>(source);
      wave.s[5] = static_cast<uint32_t>(source >> 32);
      wave.setExec(exec & wave.laneMask());
      uint64_t changed = combine(test.table, source, exec, waveSize);
      auto scalars = wave.s;
      uint64_t saved = test.writesNew ? changed : exec & wave.laneMask();
      unsigned first = inPlace ? 4 : 6;
      scalars[first] = static_cast<uint32_t>(saved);
      scalars[sreg::ExecLo] = static_cast<uint32_t>(changed);
      if (waveSize == 64) {
        scalars[first + 1] = static_cast<uint32_t>(saved >> 32);
        scalars[sreg::ExecLo + 1] = static_cast<uint32_t>(changed >> 32);
      }
      ASSERT_TRUE(bench.run()) << text;
      EXPECT_EQ(wave.s, scalars) << text << " on " << target.str();
      EXPECT_EQ(wave.scc, changed != 0) << text << " on " << target.str();
    }
}

TEST(ExecMask, WidthIsTheInstructionsNotTheWaves) {
  WaveBench narrow("gfx1100", 64, "s_and_saveexec_b32 s6, s4");
  narrow.wave->s[4] = 0;
  narrow.wave->setExec(0xffffffff00000001);
  ASSERT_TRUE(narrow.run());
  EXPECT_EQ(narrow.wave->exec(), 0xffffffff00000000);
  EXPECT_FALSE(narrow.wave->scc);
  WaveBench wide("gfx1100", 32, "s_or_saveexec_b64 s[6:7], s[4:5]");
  wide.wave->s[4] = wide.wave->s[5] = 0;
  wide.wave->s[sreg::ExecLo] = 0;
  wide.wave->s[sreg::ExecLo + 1] = 5;
  ASSERT_TRUE(wide.run());
  EXPECT_EQ(wide.wave->s[7], 5u);
  EXPECT_TRUE(wide.wave->scc);
}

TEST(ExecMask, OperationsMeetTheirTruthTables) {
  for (const MaskCase &test : Cases)
    for (const char *target : {"gfx900", "gfx1030", "gfx1100", "gfx1201"})
      for (unsigned waveSize : {32u, 64u})
        for (bool inPlace : {false, true})
          if (waveSize == 64 || StringRef(target) != "gfx900")
            check(test, target, waveSize, inPlace);
}

TEST(ExecMask, NoTwoOperationsAreTheSame) {
  // The values above hold all pairs of bits: what meets one truth table meets no other.
  for (const MaskCase &first : Cases)
    for (const MaskCase &second : Cases)
      EXPECT_TRUE(&first == &second || first.table != second.table ||
                  first.writesNew != second.writesNew)
          << first.name << " and " << second.name;
}
