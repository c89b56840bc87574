// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/syncs/SyncProof.h"
#include "harness/syncs/SyncTruth.h"
#include "oracles/machine/ir3_isa/Codec.h"
#include "oracles/turnip/TurnipShader.h"
#include "support/Error.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

using namespace llvm;
using namespace assay;
using namespace assay::syncs;

using adreno::Chip;
using testing::ElementsAre;
using testing::IsEmpty;

static std::vector<uint64_t> assembled(StringRef text, Chip chip = Chip::A630) {
  Expected<std::vector<uint64_t>> words = adreno::assemble((text + "\nend\n").str(), chip);
  if (words)
    return *words;
  ADD_FAILURE() << takeError(words.takeError()).message;
  return {};
}

static std::vector<SyncPair> pairsOf(StringRef text, Chip chip = Chip::A630) {
  SyncTruth truth(assembled(text, chip), chip, 0);
  std::set<SyncPair> pairs = truth.findPairs(truth.paths());
  return {pairs.begin(), pairs.end()};
}

static std::vector<unsigned> numbersOf(StringRef text, unsigned category, bool writes) {
  std::vector<unsigned> numbers;
  for (const RegisterUse &use : readText(text, category).uses)
    if (use.writes == writes)
      numbers.push_back(use.number);
  return numbers;
}

TEST(OperandText, CountsRegisters) {
  EXPECT_THAT(numbersOf("(sy)(ss)(rpt1)add.f r1.x, (r)r2.x, (neg)r3.y", 2, false),
              ElementsAre(8, 13, 9, 13));
  EXPECT_THAT(
      numbersOf("sam.3d.a.o.s2en.nonuniform.base1 (f32)(xz)r4.x, r0.x, r2.x, r5.z", 5, false),
      ElementsAre(0, 1, 2, 3, 8, 9, 10, 22, 23));
  EXPECT_THAT(numbersOf("sam.s2en.nonuniform.base1 (f32)(xz)r4.x, r0.x, r5.z", 5, true),
              ElementsAre(16, 18));
  EXPECT_THAT(numbersOf("stib.b.typed.2d.f32.4.imm.base0 r1.x, r3.x, 2", 6, false),
              ElementsAre(4, 5, 6, 7, 12, 13));
  EXPECT_THAT(numbersOf("atomic.b.cmpxchg.untyped.1d.u32.1.imm.base0 r4.x, r4.w, 1", 6, false),
              ElementsAre(19, 16, 17, 18));
  EXPECT_THAT(numbersOf("ldg.a.u32 r3.x, g[r1.x+(r0.y+1)<<2], 2", 6, false), ElementsAre(4, 5, 1));
  EXPECT_THAT(numbersOf("ldc.offset1.3.imm.base0 r1.x, r2.y, 2", 6, true), ElementsAre(4, 5, 6));
}

/// isam.v loads from buffers: one coordinate, whatever it writes.
TEST(OperandText, CountsWhatBufferLoadsRead) {
  EXPECT_THAT(numbersOf("isam.v.base0 (u32)(xy)r1.y, r0.w, s#0, t#0", 5, false), ElementsAre(3));
  EXPECT_THAT(numbersOf("isam.v.base0 (u32)(xy)r1.y, r0.w, s#0, t#0", 5, true), ElementsAre(5, 6));
}

TEST(OperandText, KnowsHalvesInMemory) {
  for (StringRef text : {"stl.u16 l[r1.x+56], r3.x, 2", "ldl.u8 r3.x, l[r2.y+164], 2"}) {
    TextInst inst = readText(text, 6);
    ASSERT_EQ(inst.uses.size(), 3u) << text.str();
    for (const RegisterUse &use : inst.uses)
      EXPECT_EQ(use.half, use.number >= 12) << text.str();
  }
}

/// gat takes four slots, gather4r none.
TEST(SyncTruth, TakesNoTextureForAMove) {
  EXPECT_THAT(pairsOf("mul.f r3.z, r3.z, c0.x\n(rpt1)nop\n"
                      "gather4r.base0 (u32)(xyzw)r2.z, r1.z, s#1, t#0\nmov.u32u32 r5.w, r3.z"),
              ElementsAre(SyncPair{0, 3}));
}

/// The fiber that getone takes writes r48.x; the others read it next.
TEST(SyncTruth, FollowsTheWaveForSharedRegisters) {
  EXPECT_THAT(pairsOf("loop: (jp)mov.u32u32 r1.x, r48.x\ngetone #loop\nmov.u32u32 r48.x, r2.x\n"
                      "jump #done\nnop\ndone: (jp)(ss)nop"),
              ElementsAre(SyncPair{2, 0}, SyncPair{2, 2}));
}

/// What predication takes from all fibers uses nothing.
TEST(SyncTruth, KnowsWhatNobodyExecutes) {
  SyncTruth truth(assembled("predt\nmov.u32u32 r1.x, 1\nadd.u r2.x, r1.x, 1\nprede"), Chip::A630,
                  0);
  SyncPaths paths = truth.paths();
  EXPECT_THAT(truth.findPairs(paths), ElementsAre(SyncPair{1, 2}));
  paths.active = {0, 3, 4};
  EXPECT_THAT(truth.findPairs(paths), IsEmpty());
}

/// What an alias replaces is not read; its source is, by the texture instruction.
TEST(SyncTruth, KnowsAliases) {
  StringRef samples = "alias.tex.b32.1 r1.y, r3.w\n"
                      "alias.tex.b32.0 r40.x, (0x0)\n"
                      "saml.base0 (f32)(x)r2.x, r1.x, r40.x, s#1, t#0";
  EXPECT_THAT(pairsOf(("mov.u32u32 r1.y, 1\nmov.u32u32 r40.x, 1\n" + samples).str(), Chip::A740),
              IsEmpty());
  EXPECT_THAT(pairsOf(("mov.u32u32 r3.w, 1\n" + samples).str(), Chip::A740),
              ElementsAre(SyncPair{0, 3}));
}

TEST(SyncTruth, KnowsSlotsAndFlags) {
  EXPECT_THAT(pairsOf("mov.u32u32 r1.x, 1\n(rpt1)nop\nadd.u r2.x, r1.x, 1"),
              ElementsAre(SyncPair{0, 2}));
  EXPECT_THAT(pairsOf("mov.u32u32 r1.x, 1\n(rpt2)nop\nadd.u r2.x, r1.x, 1"), IsEmpty());
  EXPECT_THAT(pairsOf("mov.u32u32 r1.x, 1\n(rpt1)nop\nadd.u r2.x, r1.x, 1", Chip::A740), IsEmpty());
  EXPECT_THAT(pairsOf("mov.u32u32 r1.x, 1\n(rpt4)nop\nrcp r2.x, r1.x"),
              ElementsAre(SyncPair{0, 2}));
  EXPECT_THAT(pairsOf("rcp r2.x, r1.x\nmov.u32u32 r1.x, 0\n(ss)mov.u32u32 r3.x, r2.x"),
              ElementsAre(SyncPair{0, 1}));
  EXPECT_THAT(pairsOf("ldib.b.untyped.1d.u32.1.imm.base0 r2.x, r1.x, 0\n(ss)add.u r3.x, r2.x, 1"),
              ElementsAre(SyncPair{0, 1}));
}

TEST(SyncTruth, KnowsTheScalarAlu) {
  StringRef reads = "mov.u32u32 r48.x, r0.x\n(ss)add.u r48.y, r48.x, 1\n";
  EXPECT_THAT(pairsOf((reads + "mov.u32u32 r48.x, r0.x").str(), Chip::A660),
              ElementsAre(SyncPair{1, 2}));
  EXPECT_THAT(pairsOf((reads + "mov.u32u32 r48.x, 7").str(), Chip::A660), IsEmpty());
  StringRef slots = "add.f r1.x, r0.x, r0.x\n(rpt1)nop\n";
  EXPECT_THAT(pairsOf((slots + "mov.u32u32 r48.y, 1\nadd.f r2.x, r1.x, r0.x").str(), Chip::A660),
              ElementsAre(SyncPair{0, 3}));
}

TEST(SyncTruth, FollowsPaths) {
  EXPECT_THAT(pairsOf("mov.u32u32 r1.x, 1\n(rpt2)nop\nloop: (jp)add.u r2.x, r1.x, 1\n"
                      "mov.u32u32 r1.x, 2\nbr p0.x, #loop"),
              ElementsAre(SyncPair{3, 2}));
  EXPECT_THAT(pairsOf("predt\nrcp r1.x, r0.x\npredf\nmov.u32u32 r1.x, 2\nprede"), IsEmpty());
  EXPECT_THAT(pairsOf("predt\nrcp r1.x, r0.x\nprede\nmov.u32u32 r1.x, 2"),
              ElementsAre(SyncPair{1, 3}));
}

/// r0.x is the fiber's number; descriptor 0 of base 0 is a buffer of 64 dwords.
static turnip::TurnipShader makeShader(StringRef text) {
  turnip::TurnipShader shader;
  shader.driver = "a test";
  shader.target = "a630";
  shader.code = assembled(text);
  shader.launch.fullRegisters = 8;
  shader.launch.mergedRegisters = true;
  shader.launch.constantVec4s = 4;
  shader.launch.localSize = {64, 1, 1};
  shader.launch.localIdRegister = 0;
  constexpr uint64_t Buffer = 0x1'0000'1000;
  shader.resources.push_back({Buffer, 256, {}});
  turnip::BindlessBase base;
  base.address = 0x1'0000'9000;
  base.bytes.resize(64);
  const uint32_t words[6] = {0x4bU << 22, 64, 4U << 29, 0, uint32_t(Buffer), 1};
  std::memcpy(base.bytes.data(), words, sizeof words);
  shader.bases.push_back(base);
  return shader;
}

static SyncResult proofOf(StringRef text, SyncProofOptions options = {}) {
  Case input;
  input.buffers.emplace_back();
  input.buffers[0].bytes.resize(256);
  input.pipelines.emplace_back();
  input.commands.push_back(Dispatch());
  Artifact artifact(turnip::writeTurnipShader(makeShader(text)));
  Expected<SyncResult> result = proveSyncs(input, artifact, "a630", options);
  if (result)
    return *result;
  ADD_FAILURE() << takeError(result.takeError()).message;
  return {};
}

static constexpr StringLiteral Good = "(nop3) shl.b r1.x, r0.x, 1\n"
                                      "cov.u32f32 r1.y, r1.x\n"
                                      "(rpt5)nop\n"
                                      "rcp r1.z, r1.y\n"
                                      "(ss)(nop3) add.f r1.z, r1.z, r1.z\n"
                                      "(rpt1)nop\n"
                                      "(rpt2)nop\n"
                                      "stib.b.untyped.1d.u32.1.imm.base0 r1.z, r0.x, 0";

TEST(SyncProof, SeesWhatIsNeeded) {
  SyncResult result = proofOf(Good);
  EXPECT_EQ(result.skipped, "");
  EXPECT_THAT(result.problems, IsEmpty());
  EXPECT_GT(result.counts.needed, 3u);
  EXPECT_EQ(result.counts.reported, result.counts.needed);
  EXPECT_GT(result.counts.redundant, 0u) << "two nops more than needed before stib.b";
  EXPECT_EQ(result.counts.falseReports, 0u);
  EXPECT_EQ(result.counts.changed, result.counts.needed);
}

TEST(SyncProof, FlagsAfterABarrierAreNotRedundant) {
  SyncResult result = proofOf("bar.g\n"
                              "(sy)(ss)mov.u32u32 r1.y, 7\n"
                              "(rpt5)nop\n"
                              "stib.b.untyped.1d.u32.1.imm.base0 r1.y, r0.x, 0");
  EXPECT_EQ(result.counts.barrier, 2u);
  EXPECT_EQ(result.counts.redundant, 0u);
}

TEST(SyncProof, NopThatCarriesAFlagStays) {
  SyncResult result = proofOf("rcp r1.z, r0.x\n"
                              "(ss)nop\n"
                              "stib.b.untyped.1d.u32.1.imm.base0 r1.z, r0.x, 0");
  EXPECT_EQ(result.counts.needed, 1u);
  EXPECT_EQ(result.counts.redundant, 0u);
}

TEST(SyncProof, FailsWithoutTheSanitizer) {
  SyncProofOptions options;
  options.sanitize = false;
  SyncResult result = proofOf(Good, options);
  EXPECT_EQ(result.counts.reported, 0u);
  EXPECT_FALSE(result.problems.empty());
}

TEST(SyncProof, SaysWhatItCannotProve) {
  EXPECT_EQ(proofOf("mov.u32u32 r1.x, r<a0.x + 1>").skipped, "registers that a0.x chooses");
  EXPECT_NE(proofOf("jump #99").skipped, "");
}
