// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Data races: planted ones are found under every schedule, ordered accesses are no races.
#include "oracles/machine/gcn/KernelTesting.h"

using namespace llvm;
using namespace assay;
using namespace assay::gcn;

static AsmText barrierOf(StringRef target) {
  return target == "gfx1201" ? "s_barrier_signal -1\ns_barrier_wait 0xffff\n" : "s_barrier\n";
}

static AsmText waitStores(StringRef target) {
  return target == "gfx1201"  ? "s_wait_storecnt 0x0\n"
         : target == "gfx900" ? "s_waitcnt vmcnt(0)\n"
                              : "s_waitcnt_vscnt null, 0x0\n";
}

static std::set<std::string> rulesOf(const Outcome &outcome) {
  std::set<std::string> rules;
  for (const Finding &finding : outcome.findings)
    rules.insert(finding.rule);
  return rules;
}

static const std::set<std::string> None;

/// Each lane stores to its place; lane i then loads what lane i ^ 64 has stored.
static AsmText exchange(StringRef target, bool throughLds, bool synchronizes) {
  bool old = isOld(target);
  AsmText none = offset(target);
  AsmText wait = throughLds ? waitLds(target) : waitStores(target);
  AsmText store = throughLds ? AsmText(old ? "ds_write_b32 v5, v0\n" : "ds_store_b32 v5, v0\n")
                             : storeWord(target) + " v0, v5, s[8:11], " + none + " offen\n";
  AsmText load = throughLds ? AsmText(old ? "ds_read_b32 v7, v6\n" : "ds_load_b32 v7, v6\n")
                            : loadWord(target) + " v7, v6, s[8:11], " + none + " offen\n";
  return prologue(target) + "v_lshlrev_b32 v5, 2, v0\nv_xor_b32 v6, 0x100, v5\n" + store + wait +
         (synchronizes ? barrierOf(target) : AsmText("")) + load +
         (throughLds ? waitLds(target) : waitLoads(target)) + storeWord(target) +
         " v7, v5, s[4:7], " + none + " offen\ns_endpgm\n";
}

/// Each lane loads its number into LDS by an instruction with the LDS bit, where lane 0 of its wave
/// is at m0, then reads and stores it.
static AsmText loadIntoLds(StringRef target, bool sharesPlaces) {
  AsmText none = offset(target);
  AsmText place =
      sharesPlaces ? "s_mov_b32 m0, 0\n" : "v_readfirstlane_b32 s16, v5\ns_mov_b32 m0, s16\n";
  return prologue(target) + "v_lshlrev_b32 v5, 2, v0\n" + place + "s_nop 0\n" + loadWord(target) +
         " v5, s[8:11], " + none + " offen lds\n" + waitLoads(target) + "ds_read_b32 v7, v5\n" +
         waitLds(target) + storeWord(target) + " v7, v5, s[4:7], " + none + " offen\ns_endpgm\n";
}

TEST(Races, FindsLoadsIntoTheSameLds) {
  for (const char *target : {"gfx900", "gfx1030"}) {
    KernelOptions options;
    options.target = target;
    options.waveSize = 64;
    options.threads = 128;
    options.lds = 512;
    Case input = makeCase({makeBuffer(iota(128, 0)), makeBuffer(iota(128, 7))}, 1);
    Outcome good = runOrFail(options, loadIntoLds(target, false), input);
    EXPECT_EQ(rulesOf(good), None) << target << " " << good.reason;
    Outcome bad = runOrFail(options, loadIntoLds(target, true), input);
    EXPECT_EQ(bad.kind, OutcomeKind::Hazard) << target;
    EXPECT_TRUE(rulesOf(bad).count("RACE-LDS")) << target;
  }
}

TEST(Races, FindsMissingBarriersUnderEverySchedule) {
  for (const TestChip &chip : TestChips) {
    for (bool throughLds : {true, false}) {
      KernelOptions options;
      options.target = chip.target;
      options.waveSize = chip.waveSize;
      options.threads = 128;
      options.lds = 512;
      Case input = makeCase({makeBuffer(iota(128, 0)), makeBuffer(iota(128, 0))}, 1);
      for (uint64_t seed = 0; seed < 6; ++seed) {
        RunOptions run;
        run.scheduleSeed = seed;
        run.schedule = seed % 2 ? ScheduleKind::Late : ScheduleKind::Eager;
        Outcome good = runOrFail(options, exchange(chip.target, throughLds, true), input, run);
        EXPECT_EQ(rulesOf(good), None) << chip.target << " " << good.reason;
        Outcome bad = runOrFail(options, exchange(chip.target, throughLds, false), input, run);
        EXPECT_EQ(bad.kind, OutcomeKind::Hazard);
        std::set<std::string> rules = rulesOf(bad); // What was read may be undefined, too.
        rules.erase("UNDEF-STORE");
        std::set<std::string> expected = {throughLds ? "RACE-LDS" : "RACE-GLOBAL"};
        EXPECT_EQ(rules, expected) << chip.target << " seed " << seed;
      }
    }
  }
}

/// Each lane stores its word; after the barrier, between \p before and \p after, it loads what a
/// lane of the other wave has stored, by a load with \p bits.
static AsmText exchangeOnTwoUnits(StringRef target, const AsmText &before, const AsmText &after,
                                  const AsmText &bits = "") {
  AsmText none = offset(target);
  return prologue(target) + "v_lshlrev_b32 v5, 2, v0\nv_xor_b32 v6, 0x100, v5\n" +
         storeWord(target) + " v0, v5, s[8:11], " + none + " offen\n" + waitStores(target) +
         before + barrierOf(target) + after + loadWord(target) + " v7, v6, s[8:11], " + none +
         " offen" + bits + "\n" + waitLoads(target) + storeWord(target) + " v7, v5, s[4:7], " +
         none + " offen\ns_endpgm\n";
}

TEST(Races, CachesOfTwoUnitsAreInvalidatedBehindTheBarrier) {
  struct Row {
    const char *target, *invalidates, *elsewhere, *bits;
  };
  static constexpr Row Rows[] = {
      {"gfx1030", "buffer_gl0_inv\n", "buffer_gl1_inv\n", " glc"},
      {"gfx1100", "buffer_gl0_inv\n", "buffer_gl1_inv\n", " glc"},
      {"gfx1201", "global_inv scope:SCOPE_SE\n", "global_inv scope:SCOPE_CU\n", " scope:SCOPE_SE"},
  };
  const std::set<std::string> stale = {"RACE-STALE"};
  for (const Row &row : Rows) {
    SCOPED_TRACE(row.target);
    KernelOptions options;
    options.target = row.target;
    options.threads = 128;
    options.isOnTwoUnits = true;
    Case input = makeCase({makeBuffer(iota(128, 0)), makeBuffer(iota(128, 0))}, 1);
    auto rules = [&](const char *before, const char *after, const char *bits = "") {
      return rulesOf(
          runOrFail(options, exchangeOnTwoUnits(row.target, before, after, bits), input));
    };
    EXPECT_EQ(rules("", row.invalidates), None);
    EXPECT_EQ(rules("", "", row.bits), None);
    EXPECT_EQ(rules("", ""), stale);
    EXPECT_EQ(rules(row.invalidates, ""), stale) << "too early";
    EXPECT_EQ(rules("", row.elsewhere), stale) << "of another cache";
    options.isOnTwoUnits = false;
    EXPECT_EQ(rules("", ""), None) << "one cache for all waves";
    options.isOnTwoUnits = true;
    options.threads = 32;
    EXPECT_EQ(rules("", ""), None) << "one wave";
  }
}

TEST(Races, WorkgroupsAreOrderedByNothing) {
  KernelOptions options;
  options.threads = 32;
  // Every workgroup stores to the first words, on one thread and on two.
  AsmText body = prologue("gfx1100") + "v_lshlrev_b32 v5, 2, v0\nbuffer_store_b32 v0, v5, "
                                       "s[8:11], 0 offen\ns_endpgm\n";
  Case input = makeCase({makeBuffer({0}), makeBuffer(iota(32, 0))}, 12);
  for (unsigned threads : {1, 2}) {
    RunOptions run;
    run.threads = threads;
    Outcome outcome = runOrFail(options, body, input, run);
    ASSERT_EQ(rulesOf(outcome), std::set<std::string>{"RACE-GLOBAL"});
    EXPECT_EQ(outcome.findings.size(), 1u);
    EXPECT_NE(outcome.findings[0].message.find("wave 0 of workgroup 1 writes"), std::string::npos)
        << outcome.findings[0].message;
  }
  // A place of one's own is no race.
  AsmText apart = prologue("gfx1100") + "buffer_store_b32 v0, v1, s[8:11], 0 offen\ns_endpgm\n";
  Case wide = makeCase({makeBuffer({0}), makeBuffer(iota(64 * 12, 0))}, 12);
  EXPECT_EQ(rulesOf(runOrFail(options, apart, wide)), None);
}

/// Workgroup 0 stores to word 1 of buffer 1, then adds 16 to word 0; the others count word 0 up,
/// and read word 1, by a load with \p bits, where workgroup 0 was there before.
static AsmText handOver(bool waits, bool invalidates, const AsmText &bits = "",
                        StringRef target = "gfx1100") {
  AsmText add = isOld(target) ? "buffer_atomic_add" : "buffer_atomic_add_u32";
  return prologue(target) + R"(
  v_mov_b32 v3, 0
  v_mov_b32 v2, 1
  v_mov_b32 v4, 77
  s_cmp_lg_u32 s2, 0
  s_cbranch_scc1 .Lreader
)" + storeWord(target) +
         " v4, v3, s[8:11], 0 offen offset:4\n" + (waits ? "  s_waitcnt_vscnt null, 0x0\n" : "") +
         R"(
  v_mov_b32 v2, 16
)" + add +
         R"( v2, v3, s[8:11], 0 offen
  s_endpgm
.Lreader:
)" + add +
         R"( v2, v3, s[8:11], 0 offen glc
  s_waitcnt vmcnt(0)
)" + (invalidates ? "  buffer_gl1_inv\n  buffer_gl0_inv\n" : "") +
         R"(
  v_cmp_le_u32 vcc_lo, 16, v2
  s_and_saveexec_b32 s16, vcc_lo
)" + loadWord(target) +
         " v5, v3, s[8:11], 0 offen offset:4" + bits + R"(
  s_waitcnt vmcnt(0)
)" + storeWord(target) +
         " v5, v1, s[4:7], 0 offen\ns_endpgm\n";
}

TEST(Races, AtomicsOrderBehindWaitAndInvalidation) {
  KernelOptions options;
  options.threads = 1;
  Case input = makeCase({makeBuffer(iota(200, 0)), makeBuffer({0, 0})}, 3);
  EXPECT_EQ(rulesOf(runOrFail(options, handOver(true, true), input)), None);
  std::set<std::string> race = {"RACE-GLOBAL"};
  EXPECT_EQ(rulesOf(runOrFail(options, handOver(false, true), input)), race);
  EXPECT_EQ(rulesOf(runOrFail(options, handOver(true, false), input)), race);
  std::string half = handOver(true, true).str();
  half.replace(half.find("buffer_gl1_inv"), 14, "s_nop 0");
  EXPECT_EQ(rulesOf(runOrFail(options, half, input)), race) << "of both caches, or not at all";
  RunOptions run;
  for (uint64_t seed = 1; seed < 30; ++seed) { // Several workgroups in flight.
    run.scheduleSeed = seed;
    run.schedule = seed % 2 ? ScheduleKind::Late : ScheduleKind::Eager;
    EXPECT_EQ(rulesOf(runOrFail(options, handOver(true, true), input, run)), None) << seed;
  }
  run = {};
  run.threads = 2;
  EXPECT_EQ(rulesOf(runOrFail(options, handOver(true, true), input, run)), None);
  EXPECT_EQ(rulesOf(runOrFail(options, handOver(true, false), input, run)), race);
}

TEST(Races, LoadsPastTheCachesNeedNoInvalidation) {
  KernelOptions options;
  options.threads = 1;
  Case input = makeCase({makeBuffer(iota(200, 0)), makeBuffer({0, 0})}, 3);
  std::set<std::string> race = {"RACE-GLOBAL"};
  EXPECT_EQ(rulesOf(runOrFail(options, handOver(true, false, " glc"), input)), None);
  EXPECT_EQ(rulesOf(runOrFail(options, handOver(true, false, " slc"), input)), race);
  EXPECT_EQ(rulesOf(runOrFail(options, handOver(false, false, " glc"), input)), race);
  // GFX10 has two such caches, and a bit for each.
  options.target = "gfx1030";
  auto old = [&](const AsmText &bits) { return handOver(true, false, bits, "gfx1030"); };
  EXPECT_EQ(rulesOf(runOrFail(options, old(" glc dlc"), input)), None);
  EXPECT_EQ(rulesOf(runOrFail(options, old(" glc"), input)), race);
}

TEST(Races, BytesOfOneDwordAreApart) {
  KernelOptions options;
  options.threads = 64;
  options.lds = 64;
  // Each lane stores a byte; then one wave stores over the other's.
  AsmText body = prologue("gfx1100") + "ds_store_b8 v0, v0\ns_waitcnt lgkmcnt(0)\n";
  Case input = makeCase({makeBuffer({0}), makeBuffer({0})}, 1);
  EXPECT_EQ(rulesOf(runOrFail(options, body + "s_endpgm\n", input)), None);
  EXPECT_EQ(rulesOf(runOrFail(
                options, body + "v_xor_b32 v2, 32, v0\nds_store_b8 v2, v0\ns_endpgm\n", input)),
            std::set<std::string>{"RACE-LDS"});
}

TEST(Races, AtomicAndPlainAccessRace) {
  KernelOptions options;
  options.threads = 64;
  options.lds = 64;
  AsmText counts = prologue("gfx1100") + "v_mov_b32 v2, 0\nds_add_u32 v2, v0\n";
  Case input = makeCase({makeBuffer({0}), makeBuffer({0})}, 1);
  EXPECT_EQ(rulesOf(runOrFail(options, counts + "s_endpgm\n", input)), None);
  EXPECT_EQ(rulesOf(runOrFail(options, counts + "ds_load_b32 v3, v2\ns_endpgm\n", input)),
            std::set<std::string>{"RACE-LDS"});
}

TEST(Races, LoopsOfCompareAndSwapMayGuess) {
  KernelOptions options;
  options.threads = 64;
  options.lds = 64;
  AsmText swaps = prologue("gfx1100") +
                  "v_mov_b32 v2, 0\nv_readfirstlane_b32 s16, v0\ns_cmp_eq_u32 s16, 0\n"
                  "s_cbranch_scc0 .Lgo\nds_store_b32 v2, v2\n.Lgo:\ns_waitcnt lgkmcnt(0)\n"
                  "s_barrier\nds_load_b32 v3, v2\ns_waitcnt lgkmcnt(0)\n";
  Case input = makeCase({makeBuffer({0}), makeBuffer({0})}, 1);
  EXPECT_EQ(rulesOf(runOrFail(options, swaps + "ds_cmpstore_b32 v2, v0, v3\ns_endpgm\n", input)),
            None);
  EXPECT_EQ(rulesOf(runOrFail(options, swaps + "ds_add_u32 v2, v0\ns_endpgm\n", input)),
            std::set<std::string>{"RACE-LDS"});
}
