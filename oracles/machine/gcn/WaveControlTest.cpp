// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scalar instructions that change how waves go on: forks, sub-vector loops, barriers with names,
// global wave sync, hardware registers, and what ends a wave.
#include "oracles/machine/gcn/KernelTesting.h"
#include "oracles/machine/gcn/WaveTesting.h"

using namespace llvm;
using namespace assay;
using namespace assay::gcn;

/// Stores v2 of each thread into buffer 1 and ends.
static AsmText storeAndEnd(StringRef target, const char *reg = "v2") {
  return storeWord(target) + " " + reg + ", v1, s[8:11], " + offset(target) + " offen\ns_endpgm\n";
}

TEST(WaveControl, ForksRunBothSidesSmallerFirst) {
  KernelOptions options;
  options.target = "gfx900";
  options.waveSize = 64;
  for (unsigned taken : {0u, 20u, 40u, 64u}) {
    // v2 counts how far its side came; s21 says which side ran first.
    AsmText body = prologue("gfx900") + R"(
  s_mov_b64 s[22:23], exec
  s_mov_b32 s20, 0
  s_mov_b32 s21, 0
  v_mov_b32 v2, 0
  v_cmp_gt_u32 vcc, )" +
                   std::to_string(taken).c_str() +
                   R"(, v0
  s_cbranch_i_fork vcc, .Ltaken
  s_lshl_b32 s21, s21, 4
  s_or_b32 s21, s21, 1
  v_mov_b32 v2, 100
  s_branch .Ljoin
.Ltaken:
  s_lshl_b32 s21, s21, 4
  s_or_b32 s21, s21, 2
  v_mov_b32 v2, 200
.Ljoin:
  s_cbranch_join s20
  s_mov_b64 exec, s[22:23]
  v_add_u32 v2, s21, v2
)" + storeAndEnd("gfx900");
    Outcome outcome =
        runOrFail(options, body, makeCase({makeBuffer({0}), makeBuffer(iota(64, 0))}, 1));
    ASSERT_EQ(outcome.kind, OutcomeKind::Completed) << outcome.reason;
    uint32_t order = taken == 0 ? 1 : taken == 64 ? 2 : taken == 20 ? 0x21 : 0x12;
    std::vector<uint32_t> result = words(outcome, 1);
    for (unsigned lane = 0; lane < 64; ++lane)
      EXPECT_EQ(result[lane], (lane < taken ? 200 : 100) + order) << taken << " " << lane;
  }
}

TEST(WaveControl, SubvectorLoopsRunOncePerHalfWithLanes) {
  for (const char *target : {"gfx1030", "gfx1100"})
    for (unsigned half : {0u, 1u, 2u, 3u}) { // Bit per half with active lanes.
      KernelOptions options;
      options.target = target;
      options.waveSize = 64;
      AsmText body = prologue(target) + "s_mov_b64 s[22:23], exec\nv_mov_b32 v2, 0\n" +
                     "s_mov_b32 s21, 0\ns_mov_b32 exec_lo, " + (half & 1 ? "-1" : "0") +
                     "\ns_mov_b32 exec_hi, " + (half & 2 ? "-1" : "0") + R"(
  s_subvector_loop_begin s20, .Lafter
.Lbody:
  s_add_i32 s21, s21, 1
  v_add_nc_u32 v2, v2, 16
  s_subvector_loop_end s20, .Lbody
.Lafter:
  s_mov_b64 s[24:25], exec
  s_mov_b64 exec, s[22:23]
  v_add_nc_u32 v2, v2, s21
)" + storeAndEnd(target);
      Outcome outcome =
          runOrFail(options, body, makeCase({makeBuffer({0}), makeBuffer(iota(64, 0))}, 1));
      ASSERT_EQ(outcome.kind, OutcomeKind::Completed) << outcome.reason;
      std::vector<uint32_t> result = words(outcome, 1);
      unsigned rounds = (half & 1) + (half >> 1 & 1);
      for (unsigned lane = 0; lane < 64; ++lane)
        EXPECT_EQ(result[lane], (half >> (lane / 32) & 1) * 16 + rounds) << half << " " << lane;
    }
}

TEST(WaveControl, NamedBarriersHoldTheirMembers) {
  KernelOptions options;
  options.target = "gfx1201";
  options.lds = 512;
  AsmText body = prologue("gfx1201") + R"(
  s_mov_b32 m0, 0x20003
  s_barrier_init m0
  s_barrier_signal -1
  s_barrier_wait -1
  s_barrier_join m0
  v_lshlrev_b32 v3, 2, v0
  v_xor_b32 v4, 128, v3
  v_add_nc_u32 v5, 1000, v0
  ds_store_b32 v3, v5
  s_wait_dscnt 0x0
  s_barrier_signal m0
  s_barrier_wait 1
  ds_load_b32 v2, v4
  s_wait_dscnt 0x0
)" + storeAndEnd("gfx1201");
  for (uint64_t seed : {0u, 1u, 2u, 3u}) {
    RunOptions run;
    run.seed = seed;
    Outcome outcome =
        runOrFail(options, body, makeCase({makeBuffer({0}), makeBuffer(iota(64, 0))}, 1), run);
    ASSERT_EQ(outcome.kind, OutcomeKind::Completed) << outcome.reason;
    std::vector<uint32_t> result = words(outcome, 1);
    for (unsigned lane = 0; lane < 64; ++lane)
      EXPECT_EQ(result[lane], 1000 + (lane ^ 32)) << lane;
  }
}

TEST(WaveControl, NamedBarriersWithoutTheirMembersAreNeverReached) {
  KernelOptions options;
  options.target = "gfx1201";
  AsmText body = "s_mov_b32 m0, 0x50003\ns_barrier_init m0\ns_barrier_join m0\n"
                 "s_barrier_signal m0\ns_barrier_wait 1\ns_endpgm\n";
  Outcome outcome = runOrFail(options, body, makeCase({makeBuffer({0})}, 1));
  ASSERT_EQ(outcome.kind, OutcomeKind::Trap);
  EXPECT_EQ(outcome.findings.at(0).rule, "BARRIER");
}

TEST(WaveControl, BarrierStateTellsMembersAndSignals) {
  WaveBench bench("gfx1201", 32,
                  "s_barrier_init m0\ns_barrier_signal m0\ns_get_barrier_state s20, m0\n"
                  "s_get_barrier_state s21, -1");
  bench.wave->s[sreg::M0] = 5u << 16 | 3;
  ASSERT_TRUE(bench.run());
  EXPECT_EQ(bench.wave->s[20], 1u | 5 << 4 | 1 << 16);
  EXPECT_EQ(bench.wave->s[21], 1u | 1 << 4);
}

/// Waves wait for each other at a resource of the chip; a semaphore hands a counter on.
TEST(WaveControl, GlobalWaveSyncOrdersWaves) {
  KernelOptions options;
  options.target = "gfx900";
  options.waveSize = 64;
  options.threads = 128;
  options.lds = 512;
  AsmText body = prologue("gfx900") + R"(
  v_lshlrev_b32 v1, 2, v0
  v_mov_b32 v6, 1
  s_mov_b32 m0, 0
  s_nop 0
  ds_gws_init v6 offset:5 gds
  s_waitcnt lgkmcnt(0)
  s_barrier
  v_lshlrev_b32 v3, 2, v0
  v_xor_b32 v4, 0x100, v3
  v_add_u32 v5, 0x3e8, v0
  s_mov_b32 m0, -1
  ds_write_b32 v3, v5
  s_mov_b32 m0, 0
  s_waitcnt lgkmcnt(0)
  ds_gws_barrier v6 offset:5 gds
  s_waitcnt lgkmcnt(0)
  s_mov_b32 m0, -1
  ds_read_b32 v2, v4
  s_waitcnt lgkmcnt(0)
)" + storeAndEnd("gfx900");
  Outcome outcome =
      runOrFail(options, body, makeCase({makeBuffer({0}), makeBuffer(iota(128, 0))}, 1));
  ASSERT_EQ(outcome.kind, OutcomeKind::Completed) << outcome.reason;
  std::vector<uint32_t> result = words(outcome, 1);
  for (unsigned lane = 0; lane < 128; ++lane)
    EXPECT_EQ(result[lane], 1000 + (lane ^ 64)) << lane;
}

TEST(WaveControl, HardwareRegistersReadAndWrite) {
  WaveBench bench("gfx1100", 32,
                  "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 4, 4), 0x5\n"
                  "s_getreg_b32 s20, hwreg(HW_REG_MODE, 0, 8)\n"
                  "s_getreg_b32 s21, hwreg(HW_REG_STATUS, 0, 1)\n"
                  "s_getreg_b32 s22, hwreg(HW_REG_SH_MEM_BASES)\n"
                  "s_setreg_b32 hwreg(HW_REG_FLAT_SCR_LO), s23\n"
                  "s_getreg_b32 s24, hwreg(HW_REG_FLAT_SCR_LO, 8, 16)\n"
                  "s_getreg_b32 s25, hwreg(HW_REG_TRAPSTS)");
  Wave &wave = *bench.wave;
  wave.setMode(0xf3);
  wave.scc = true;
  wave.s[23] = 0x12345678;
  ASSERT_TRUE(bench.run());
  EXPECT_EQ(wave.s[20], 0x53u);
  EXPECT_EQ(wave.s[21], 1u);
  EXPECT_EQ(wave.s[22], 0x10002u);
  EXPECT_EQ(wave.scratchBase & 0xffffffff, 0x12345678u);
  EXPECT_EQ(wave.s[24], 0x3456u);
  EXPECT_EQ(wave.s[25], 0u);
}

TEST(WaveControl, IndicesComeFromM0) {
  WaveBench bench("gfx1030", 32,
                  "s_movrelsd_2_b32 s20, s2\nv_swaprel_b32 v16, v4\nv_movrelsd_2_b32 v30, v4");
  Wave &wave = *bench.wave;
  wave.s[sreg::M0] = 3 << 16 | 2;
  uint32_t scalar = wave.s[4];
  LaneArray from = wave.v[6], to = wave.v[19];
  ASSERT_TRUE(bench.run());
  EXPECT_EQ(wave.s[23], scalar);
  for (unsigned lane = 0; lane < 32; ++lane) {
    EXPECT_EQ(wave.v[19][lane], from[lane]);
    EXPECT_EQ(wave.v[6][lane], to[lane]);
    EXPECT_EQ(wave.v[33][lane], to[lane]);
  }
}

TEST(WaveControl, AnswersOfMessages) {
  WaveBench bench("gfx1100", 32,
                  "s_sendmsg_rtn_b32 s20, sendmsg(MSG_RTN_GET_DOORBELL)\n"
                  "s_sendmsg_rtn_b64 s[22:23], sendmsg(MSG_RTN_GET_TBA)");
  ASSERT_TRUE(bench.run());
  EXPECT_EQ(bench.wave->s[20], 0u);
  EXPECT_EQ(bench.wave->readScalar64(22), 0u);
}

TEST(WaveControl, WhatOnlyOthersMayDoTraps) {
  struct Row {
    const char *target, *text, *rule;
  };
  for (const Row &row : {Row{"gfx1100", "s_sethalt 1\n", "HALT"},
                         {"gfx1100", "s_sendmsghalt sendmsg(MSG_INTERRUPT)\n", "HALT"},
                         {"gfx1100", "s_rfe_b64 s[2:3]\n", "ILLEGAL"},
                         {"gfx1100", "s_sendmsg 0x7f\n", "MESSAGE"},
                         {"gfx1100", "s_getreg_b32 s2, hwreg(62)\n", "HWREG"}}) {
    KernelOptions options;
    options.target = row.target;
    Outcome outcome =
        runOrFail(options, AsmText(row.text) + "s_endpgm\n", makeCase({makeBuffer({0})}, 1));
    ASSERT_EQ(outcome.kind, OutcomeKind::Trap) << row.text << outcome.reason;
    EXPECT_EQ(outcome.findings.at(0).rule, row.rule) << row.text;
  }
}

TEST(WaveControl, KilledWavesAreDone) {
  KernelOptions options;
  Outcome outcome = runOrFail(options, "s_setkill 1\ns_trap 2\n", makeCase({makeBuffer({0})}, 1));
  EXPECT_EQ(outcome.kind, OutcomeKind::Completed) << outcome.reason;
}

TEST(WaveControl, EndlessExportsAndMessagesEnd) {
  for (const char *loop : {".Lagain:\nexp mrt0 v0, v0, v0, v0\ns_branch .Lagain\n",
                           ".Lagain:\ns_sendmsg sendmsg(MSG_INTERRUPT)\ns_branch .Lagain\n"}) {
    KernelOptions options;
    Outcome outcome = runOrFail(options, loop, makeCase({makeBuffer({0})}, 1));
    EXPECT_EQ(outcome.kind, OutcomeKind::Trap) << outcome.reason;
  }
}
