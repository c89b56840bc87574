// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/machine/adreno/HazardChecker.h"
#include "oracles/machine/adreno/WaveTesting.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace assay;
using namespace assay::adreno;

/// The rules that \p text breaks, each once, "" when it breaks none. The first \p defined scalar
/// registers have values at the start.
static std::string rulesOf(StringRef text, Chip chip = Chip::A630, HazardLimits limits = {},
                           unsigned defined = reg::SharedEnd) {
  TestWave wave(text, chip);
  wave.environment().local = MutableArrayRef<uint8_t>();
  HazardChecker checker(wave.wave().program(), limits);
  for (unsigned number = 0; number < defined; ++number)
    checker.define(number);
  while (wave.wave().status == simt::WaveStatus::Running) {
    const Op *op = wave.wave().fetch();
    if (!op)
      break;
    checker.step(wave.wave(), *op);
    wave.wave().execute(*op);
  }
  EXPECT_EQ(wave.wave().failure(), "") << text.str();
  std::string rules;
  for (const Finding &finding : checker.findings())
    if (!StringRef(rules).contains(finding.rule))
      rules += (rules.empty() ? "" : " ") + finding.rule;
  return rules;
}

/// The least number of nops between two pieces of code that leaves nothing to report.
static unsigned leastNops(StringRef before, StringRef after, Chip chip = Chip::A630) {
  for (unsigned nops = 0; nops < 8; ++nops) {
    std::string filler = nops ? "(rpt" + std::to_string(nops - 1) + ")nop\n" : "";
    if (rulesOf((before + "\n" + filler + after).str(), chip).empty())
      return nops;
  }
  return 99;
}

namespace {

struct DelayCase {
  StringLiteral before, after;
  unsigned nops;    ///< That a630 needs,
  unsigned newNops; ///< and a740.
};

} // namespace

TEST(HazardChecker, CountsSlots) {
  static constexpr DelayCase Cases[] = {
      {"add.f r1.x, r0.x, r0.x", "add.f r2.x, r1.x, r0.x", 3, 2},
      {"add.f r1.x, r0.x, r0.x", "add.f r2.x, r0.x, r0.x", 0, 0},
      {"(nop2) add.f r1.x, r0.x, r0.x", "add.f r2.x, r1.x, r0.x", 1, 0},
      {"add.f r1.x, r0.x, r0.x", "mad.f32 r2.x, r0.x, r0.x, r1.x", 1, 1},
      {"add.f r1.x, r0.x, r0.x", "mad.f32 r2.x, r1.x, r0.x, r0.x", 3, 2},
      {"add.f r1.x, r0.x, r0.x", "sel.b32 r2.x, r0.x, r0.x, r1.x", 3, 1},
      {"add.f r1.x, r0.x, r0.x", "rcp r2.x, r1.x", 6, 5},
      {"add.f hr4.x, hr0.x, hr0.x", "add.f r2.x, r1.x, r0.x", 0, 0},
      {"add.f hr4.x, hr0.x, hr0.x", "add.f r3.x, r0.x, r2.x", 6, 5},
      {"add.f hr8.x, hr0.x, hr0.x", "add.f r3.x, r4.x, r0.x", 6, 5},
      {"cmps.u.lt p0.x, r0.x, 4", "br p0.x, #done\ndone: (jp)nop", 6, 5},
      {"cov.u32u16 hr8.x, r0.x\n(rpt5)nop\nmova a0.x, hr8.x", "mov.u32u32 r2.x, c<a0.x + 2>", 6, 5},
      {"add.f r1.x, r0.x, r0.x\nrcp r3.x, r0.x", "add.f r2.x, r1.x, r0.x", 3, 2},
      {"cmps.u.lt p0.x, r0.x, 4\ncmps.u.lt p0.y, r0.x, 4\n(rpt5)nop\nadd.f r1.x, r0.x, r0.x\n"
       "brao p0.x, p0.y, #1",
       "add.f r2.x, r1.x, r0.x", 3, 2},
      {"(rpt1)mov.f32f32 r1.x, c0.x", "(rpt1)add.f r2.x, (r)r1.x, (r)c0.x", 2, 1},
      {"(rpt2)mov.f32f32 r1.x, c0.x", "add.f r2.x, r1.x, c0.x", 1, 0},
      {"(rpt1)mov.f32f32 r1.x, c0.x", "add.f r2.x, r1.y, c0.x", 3, 2},
  };
  for (const DelayCase &test : Cases) {
    EXPECT_EQ(leastNops(test.before, test.after), test.nops)
        << test.before.str() << " / " << test.after.str();
    EXPECT_EQ(leastNops(test.before, test.after, Chip::A740), test.newNops)
        << test.before.str() << " / " << test.after.str();
  }
}

TEST(HazardChecker, WantsFlags) {
  EXPECT_EQ(rulesOf("rcp r1.x, r0.x\nadd.f r2.x, r1.x, r1.x"), "SYNC-SS");
  EXPECT_EQ(rulesOf("rcp r1.x, r0.x\n(ss)add.f r2.x, r1.x, r1.x"), "");
  EXPECT_EQ(rulesOf("rcp r1.x, r0.x\n(sy)add.f r2.x, r1.x, r1.x"), "SYNC-SS");
  EXPECT_EQ(rulesOf("rcp r1.x, r0.x\nmov.u32u32 r1.x, 0"), "SYNC-SS")
      << "the result is overwritten";
  EXPECT_EQ(rulesOf("rcp r1.x, r0.x\nmov.u32u32 r0.x, 0"), "WAR");
  EXPECT_EQ(rulesOf("rcp r1.x, r0.x\n(ss)mov.u32u32 r0.x, 0"), "");
  EXPECT_EQ(rulesOf("quad_shuffle.horiz (u32)(x)r1.x, r0.x\nmov.u32u32 r2.x, r1.x"), "SYNC-SY");
  EXPECT_EQ(
      rulesOf(
          "quad_shuffle.horiz (u32)(x)r1.x, r0.x\n(sy)mov.u32u32 r2.x, r1.x\nmov.u32u32 r0.x, 0"),
      "")
      << "(sy) of the reader's result waits for its sources, too";
  EXPECT_EQ(rulesOf("quad_shuffle.horiz (u32)(x)r1.x, r0.x\nmov.u32u32 r0.x, 0"), "WAR");
  EXPECT_EQ(rulesOf("mov.u32u32 r48.x, r0.x\n(rpt5)nop\nadd.u r1.x, r48.x, 1"), "SYNC-SS");
  EXPECT_EQ(rulesOf("mov.u32u32 r48.x, 5\n(ss)add.u r1.x, r48.x, 1"), "");
  EXPECT_EQ(rulesOf("mov.u32u32 r48.x, 5\nadd.u r48.y, r48.x, 1", Chip::A630), "SYNC-SS");
  EXPECT_EQ(rulesOf("mov.u32u32 r48.x, 5\nadd.u r48.y, r48.x, 1", Chip::A660), "")
      << "both are of the scalar ALU";
  EXPECT_EQ(rulesOf("mov.u32u32 r48.x, r0.x\nmov.u32u32 r0.x, 0"), "WAR");
  EXPECT_EQ(rulesOf("mov.u32u32 r48.x, r0.x\n(ss)mov.u32u32 r0.x, 0"), "");
  EXPECT_EQ(rulesOf("stc.u32 c[4], r0.x, 1\nmov.u32u32 r1.x, c1.x"), "SYNC-CONST");
  EXPECT_EQ(rulesOf("stc.u32 c[4], r0.x, 1\n(ss)mov.u32u32 r1.x, c1.x"), "");
  EXPECT_EQ(rulesOf("stsc.u32 c[0], 0, 4\nmov.u32u32 r1.x, c1.x", Chip::A740), "SYNC-CONST");
  EXPECT_EQ(rulesOf("stsc.u32 c[0], 0, 4\n(ss)mov.u32u32 r1.x, c1.x", Chip::A740), "");
}

/// Each code first waits for the result in r48.x, so that none is outstanding.
TEST(HazardChecker, WantsFlagsForSourcesOfTheScalarAlu) {
  std::string reads = "mov.u32u32 r48.x, r0.x\n(ss)add.u r48.y, r48.x, 1\n";
  EXPECT_EQ(rulesOf(reads + "mov.u32u32 r48.x, r0.x", Chip::A660), "WAR-SCALAR");
  EXPECT_EQ(rulesOf(reads + "(ss)mov.u32u32 r48.x, r0.x", Chip::A660), "");
  EXPECT_EQ(rulesOf(reads + "mov.u32u32 r48.x, 7", Chip::A660), "")
      << "the scalar ALU keeps its order";
}

/// Both halves of a register are written in the second iteration, by an instruction that is known
/// by then, after a load whose record (sy) has ended. Only this iteration reads a half too early.
TEST(HazardChecker, RemembersBothHalvesOfARegister) {
  std::string loop = "mov.u32u32 r2.x, 0\n(rpt5)nop\nloop: (jp)cmps.u.ge p0.x, r2.x, 1\n"
                     "add.u r2.x, r2.x, 1\nquad_shuffle.horiz (u32)(x)r1.x, r0.x\n(rpt5)nop\n"
                     "(sy)mov.u32u32 r3.x, r1.x\n(rpt1)mov.u16u16 hr2.x, hr40.x\n";
  std::string rest = "br p0.x, #done\n(rpt5)nop\njump #loop\ndone: (jp)mov.u16u16 hr6.x, hr2.x";
  EXPECT_EQ(rulesOf(loop + rest), "DELAY");
  EXPECT_EQ(rulesOf(loop + "(rpt5)nop\n" + rest), "");
}

/// The two sides of a branch or of predication are different fibers.
TEST(HazardChecker, KnowsFibers) {
  EXPECT_EQ(
      rulesOf(
          "cmps.u.lt p0.x, r0.x, 20\n(rpt5)nop\nbr p0.x, #then\nmov.u32u32 r1.x, 2\njump #done\n"
          "then: (jp)add.u r2.x, r1.x, 1\ndone: (jp)nop"),
      "");
  EXPECT_EQ(rulesOf("cmps.u.lt p0.x, r0.x, 20\n(rpt5)nop\npredt\nrcp r1.x, r0.x\npredf\nmov.u32u32 "
                    "r1.x, 2\nprede"),
            "");
  EXPECT_EQ(
      rulesOf(
          "cmps.u.lt p0.x, r0.x, 20\n(rpt5)nop\npredt\nrcp r1.x, r0.x\nprede\nmov.u32u32 r1.x, 2"),
      "SYNC-SS");
}

/// Slots and flags of one side of a branch do not help the other one, which the hardware may run
/// first.
TEST(HazardChecker, CountsEachSideByItself) {
  auto sides = [](StringRef producer, StringRef first, StringRef second) {
    return rulesOf(("cmps.u.lt p0.x, r0.x, 20\n(rpt5)nop\n" + producer + "\nbr p0.x, #then\n" +
                    first + "\njump #done\nthen: (jp)" + second + "\ndone: (jp)nop")
                       .str());
  };
  EXPECT_EQ(sides("add.u r1.x, r0.x, 1", "(rpt5)nop", "add.u r2.x, r1.x, 1"), "DELAY");
  EXPECT_EQ(sides("add.u r1.x, r0.x, 1", "nop", "(rpt2)nop\nadd.u r2.x, r1.x, 1"), "");
  EXPECT_EQ(sides("rcp r1.x, r0.x", "(ss)nop", "add.u r2.x, r1.x, 1"), "SYNC-SS");
  EXPECT_EQ(sides("rcp r1.x, r0.x", "(ss)nop", "(ss)add.u r2.x, r1.x, 1"), "");
  EXPECT_EQ(sides("mov.u32u32 r48.x, 5", "(ss)nop", "add.u r2.x, r48.x, 1"), "")
      << "shared registers are the wave's";
}

/// Where sides meet again, what either has computed is as old as it was.
TEST(HazardChecker, KeepsAgesWhereSidesMeet) {
  auto meeting = [](StringRef nops) {
    return rulesOf(("cmps.u.lt p0.x, r0.x, 20\n(rpt5)nop\nbr p0.x, #then\n(rpt5)nop\n"
                    "mov.u32u32 r1.x, 2\njump #done\nthen: (jp)mov.u32u32 r1.x, 3\ndone: (jp)" +
                    nops + "\nadd.u r2.x, r1.x, 1")
                       .str());
  };
  EXPECT_EQ(meeting("(rpt1)nop"), "DELAY");
  EXPECT_EQ(meeting("(rpt2)nop"), "");
}

TEST(HazardChecker, KnowsLimits) {
  HazardLimits limits{3, 16};
  EXPECT_EQ(rulesOf("mov.u32u32 r2.w, c3.w", Chip::A630, limits), "");
  EXPECT_EQ(rulesOf("mov.u32u32 r3.x, c3.w", Chip::A630, limits), "REG-RANGE");
  EXPECT_EQ(rulesOf("mov.u16u16 hr5.w, hr0.x", Chip::A630, limits), "");
  EXPECT_EQ(rulesOf("mov.u16u16 hr6.x, hr0.x", Chip::A630, limits), "REG-RANGE");
  EXPECT_EQ(rulesOf("mov.u32u32 r2.w, c4.x", Chip::A630, limits), "CONST-RANGE");
}

TEST(HazardChecker, NamesTheProducer) {
  TestWave wave("rcp r1.x, r0.x\nadd.f r2.x, r1.x, r1.x");
  HazardChecker checker(wave.wave().program(), {});
  for (unsigned i = 0; i < 2; ++i) {
    const Op *op = wave.wave().fetch();
    checker.step(wave.wave(), *op);
    wave.wave().execute(*op);
  }
  ASSERT_EQ(checker.findings().size(), 1u);
  EXPECT_EQ(checker.findings()[0].message,
            "a result is used before (ss): instruction 1 'add.f r2.x, r1.x, r1.x', after "
            "instruction 0 'rcp r1.x, r0.x'");
  EXPECT_EQ(checker.findings()[0].signature, "SYNC-SS add.f");
}

/// r0.x alone has a value.
static std::string undefinedIn(StringRef text) {
  return rulesOf(text, Chip::A630, {}, /*defined=*/1);
}

TEST(HazardChecker, KnowsWhatIsUndefined) {
  EXPECT_EQ(undefinedIn("cmps.u.lt p0.x, r0.y, 4\n(rpt5)nop\nbr p0.x, #done\ndone: (jp)nop"),
            "UNDEF-BRANCH");
  EXPECT_EQ(undefinedIn("cmps.u.lt p0.x, r0.x, 4\n(rpt5)nop\nbr p0.x, #done\ndone: (jp)nop"), "");
  EXPECT_EQ(undefinedIn("mov.u32u32 r1.x, r2.x\n(rpt2)nop\nadd.u r1.y, r1.x, 1"), "");
  EXPECT_EQ(undefinedIn("mov.u32u32 r1.x, 0\n(rpt2)nop\nsel.b32 r1.y, r0.y, r1.x, r0.x\n(rpt5)nop\n"
                        "cmps.u.lt p0.x, r1.y, 4\n(rpt5)nop\nbr p0.x, #done\ndone: (jp)nop"),
            "")
      << "sel does not choose what is undefined";
  EXPECT_EQ(undefinedIn("mov.u32u32 r1.x, 1\n(rpt2)nop\nsel.b32 r1.y, r0.y, r1.x, r0.x\n(rpt5)nop\n"
                        "cmps.u.lt p0.x, r1.y, 4\n(rpt5)nop\nbr p0.x, #done\ndone: (jp)nop"),
            "UNDEF-BRANCH");
  EXPECT_EQ(undefinedIn("mov.u16u16 hr2.x, 1\n(rpt5)nop\ncmps.u.lt p0.x, r1.x, 4\n(rpt5)nop\n"
                        "br p0.x, #done\ndone: (jp)nop"),
            "UNDEF-BRANCH")
      << "half of r1.x";
}

TEST(HazardChecker, KnowsTheBranchStack) {
  std::string text = "cmps.u.lt p0.x, r0.x, 20\ncmps.u.lt p0.y, r0.x, 10\n(rpt5)nop\n"
                     "br p0.x, #one\njump #done\none: br p0.y, #two\nnop\ntwo: nop\n"
                     "done: (jp)nop";
  HazardLimits limits;
  limits.waitingPlaces = 2;
  EXPECT_EQ(rulesOf(text, Chip::A630, limits), "");
  limits.waitingPlaces = 0;
  EXPECT_EQ(rulesOf(text, Chip::A630, limits), "BRANCH-STACK");
  // The fiber that getone takes waits at a jump, which leads to where others are.
  std::string loop =
      "cmps.u.lt p0.x, r0.x, 20\n(rpt5)nop\nbr p0.x, #last\nloop: (jp)nop\n"
      "getlast.w8 #done\nnop\ngetone #loop\njump #done\nlast: (jp)nop\ndone: (jp)nop";
  limits.waitingPlaces = 2;
  EXPECT_EQ(rulesOf(loop, Chip::A660, limits), "");
}
