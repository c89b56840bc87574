// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/machine/adreno/AdrenoMachine.h"
#include "oracles/machine/adreno/MemoryAccess.h"
#include "oracles/machine/ir3_isa/Codec.h"
#include "oracles/turnip/TurnipShader.h"
#include "support/Error.h"
#include "gtest/gtest.h"

using namespace llvm;
using namespace assay;

namespace {

constexpr uint64_t BufferAt = 0x1'0000'1000, TableAt = 0x1'0000'9000;
constexpr unsigned Dwords = 256;

} // namespace

/// A shader with a buffer of 256 dwords after descriptor 0 of base 0. r48.xyz is the workgroup's
/// id, r0.xyz the fiber's.
static turnip::TurnipShader makeShader(StringRef text, unsigned fibers) {
  turnip::TurnipShader shader;
  shader.driver = "a test";
  shader.target = "a630";
  Expected<std::vector<uint64_t>> words =
      adreno::assemble((text + "\nend\n").str(), adreno::Chip::A630);
  if (words)
    shader.code = *words;
  else
    ADD_FAILURE() << takeError(words.takeError()).message;
  shader.launch.fullRegisters = 8;
  shader.launch.mergedRegisters = true;
  shader.launch.constantVec4s = 4;
  shader.launch.localSize = {fibers, 1, 1};
  shader.launch.workgroupIdRegister = adreno::reg::Shared;
  shader.launch.localIdRegister = 0;
  shader.loads.push_back(
      {turnip::LoadSpace::Constants, 0, 0, {{turnip::DwordSource::GroupCount, 0}}});
  shader.resources.push_back({BufferAt, Dwords * 4, {}});
  turnip::BindlessBase base;
  base.address = TableAt;
  base.bytes.resize(64);
  adreno::storeWord(&base.bytes[0], 4, 0x4bU << 22);
  adreno::storeWord(&base.bytes[4], 4, Dwords);
  adreno::storeWord(&base.bytes[8], 4, 4U << 29);
  adreno::storeWord(&base.bytes[16], 4, uint32_t(BufferAt));
  adreno::storeWord(&base.bytes[20], 4, uint32_t(BufferAt >> 32));
  shader.bases.push_back(base);
  return shader;
}

/// Runs \p text in \p groups workgroups of \p fibers on a buffer of zeros.
static Outcome run(StringRef text, unsigned fibers, uint32_t groups, RunOptions options = {}) {
  Case input;
  input.buffers.emplace_back();
  input.buffers[0].name = "b";
  input.buffers[0].bytes.resize(Dwords * 4);
  input.pipelines.emplace_back();
  Dispatch dispatch;
  dispatch.groups[0] = groups;
  input.commands.push_back(dispatch);
  Expected<std::unique_ptr<Machine>> machine = createAdrenoMachine("a630");
  EXPECT_TRUE(bool(machine));
  Artifact artifact(turnip::writeTurnipShader(makeShader(text, fibers)));
  Expected<Outcome> outcome = (*machine)->run(input, artifact, options);
  if (outcome)
    return *outcome;
  ADD_FAILURE() << takeError(outcome.takeError()).message;
  return {};
}

static uint32_t wordAt(const Outcome &outcome, unsigned index) {
  return adreno::loadWord(&outcome.checkpoints.back()[0].bytes[4 * index], 4);
}

/// b[group * fibers + fiber] = the sum of all fibers' numbers, by way of workgroup memory, plus the
/// count of workgroups.
static constexpr StringLiteral Reduction = "(nop3) shl.b r1.x, r0.x, 2\n"
                                           "(rpt2)nop\n"
                                           "stl.u32 l[r1.x], r0.x, 1\n"
                                           "(ss)nop\n"
                                           "(sy)bar.l\n"
                                           "(sy)(ss)mov.u32u32 r1.y, 0\n"
                                           "mov.u32u32 r1.z, 0\n"
                                           "(rpt5)nop\n"
                                           "loop: (jp)ldl.u32 r2.x, l[r1.z], 1\n"
                                           "(ss)(nop3) add.u r1.y, r1.y, r2.x\n"
                                           "(nop3) add.u r1.z, r1.z, 4\n"
                                           "(nop3) cmps.u.lt p0.x, r1.z, 280\n"
                                           "(rpt2)nop\n"
                                           "br p0.x, #loop\n"
                                           "(jp)(nop3) mul.u24 r1.w, r48.x, 70\n"
                                           "(nop3) add.u r1.w, r1.w, r0.x\n"
                                           "(nop3) add.u r1.y, r1.y, c0.x\n"
                                           "(rpt2)nop\n"
                                           "stib.b.untyped.1d.u32.1.imm.base0 r1.y, r1.w, 0";

TEST(AdrenoMachine, RunsWorkgroups) {
  for (uint64_t seed : {0, 1, 2, 3}) {
    RunOptions options;
    options.scheduleSeed = seed;
    Outcome outcome = run(Reduction, /*fibers=*/70, /*groups=*/3, options);
    ASSERT_EQ(outcome.kind, OutcomeKind::Completed) << outcome.reason;
    EXPECT_TRUE(outcome.findings.empty()) << outcome.findings.front().message;
    EXPECT_EQ(wordAt(outcome, 0), 69u * 70 / 2 + 3);
    EXPECT_EQ(wordAt(outcome, 209), 69u * 70 / 2 + 3);
    EXPECT_EQ(wordAt(outcome, 210), 0u);
  }
}

/// Each flag and each nop of the reduction taken away: no result may change without a finding, and
/// most are reported.
TEST(AdrenoMachine, MissesWhatIsTakenAway) {
  SmallVector<StringRef, 24> lines;
  StringRef(Reduction).split(lines, '\n');
  unsigned taken = 0, reported = 0;
  for (size_t i = 0; i < lines.size(); ++i) {
    for (StringRef flag : {"(ss)", "(sy)", "(nop3) ", "(rpt2)nop", "(rpt5)nop"}) {
      if (!lines[i].contains(flag))
        continue;
      std::string text;
      for (size_t j = 0; j < lines.size(); ++j) {
        auto [before, after] = lines[j].split(flag);
        StringRef kept = lines[j].contains(" nop") || flag.ends_with("nop") ? "nop" : "";
        text += (i != j ? lines[j].str() : (before + kept + after).str()) + "\n";
      }
      Outcome outcome = run(text, 70, 3);
      ++taken;
      bool isReported = !outcome.findings.empty() || outcome.kind != OutcomeKind::Completed;
      reported += isReported;
      if (!isReported)
        EXPECT_EQ(wordAt(outcome, 209), 69u * 70 / 2 + 3) << text;
    }
  }
  EXPECT_GE(taken, 15u);
  EXPECT_GE(reported, 10u);
}

TEST(AdrenoMachine, EndsWhatIsWrong) {
  EXPECT_EQ(run("mgen.b r0.x, r0.x, r0.x", 4, 1).kind, OutcomeKind::Unsupported);
  EXPECT_EQ(run("jump #99", 4, 1).kind, OutcomeKind::Trap);
  Outcome hazard = run("rcp r1.x, r0.x\nadd.f r1.y, r1.x, r1.x", 4, 1);
  EXPECT_EQ(hazard.kind, OutcomeKind::Hazard);
  EXPECT_EQ(hazard.reason.substr(0, 8), "SYNC-SS:");
  RunOptions options;
  options.maxInstructions = 1000;
  EXPECT_EQ(run("loop: jump #loop", 4, 1, options).kind, OutcomeKind::Timeout);
  Outcome stuck =
      run("cmps.u.eq p0.x, r0.x, 0\n(rpt5)nop\nbany p0.x, #done\n(sy)bar.l\ndone: nop", 70, 1);
  EXPECT_EQ(stuck.kind, OutcomeKind::Completed) << "waves that have ended do not wait";
  options.sanitize = false;
  EXPECT_EQ(run("rcp r1.x, r0.x\nadd.f r1.y, r1.x, r1.x", 4, 1, options).kind,
            OutcomeKind::Completed);
}

TEST(AdrenoMachine, RefusesOtherCode) {
  Expected<std::unique_ptr<Machine>> old = createAdrenoMachine("a540");
  ASSERT_FALSE(bool(old));
  EXPECT_EQ(takeError(old.takeError()).kind, ErrorKind::Unsupported);
  Expected<std::unique_ptr<Machine>> machine = createAdrenoMachine("a660");
  ASSERT_TRUE(bool(machine));
  Case input;
  input.pipelines.emplace_back();
  Artifact artifact(turnip::writeTurnipShader(makeShader("nop", 1)));
  Expected<Outcome> outcome = (*machine)->run(input, artifact, RunOptions());
  ASSERT_FALSE(bool(outcome));
  EXPECT_EQ(takeError(outcome.takeError()).message,
            "pipeline '': the code is for a630, not for a660");
}
