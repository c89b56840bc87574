// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/machine/gcn_isa/WaitRule.h"
#include "gtest/gtest.h"

using namespace assay::gcn;

static WaitScoreboard::Entry entry(WaitCounter counter, WaitOrder order, uint16_t reg) {
  return {{counterBit(counter), order}, {true, reg, 1}, reg};
}

static WaitLimits limit(WaitCounter counter, unsigned count) {
  WaitLimits limits;
  limits.set(counter, count);
  return limits;
}

TEST(WaitScoreboard, InOrderEventsRetireOldestFirst) {
  WaitScoreboard board(10);
  board.issue(entry(WaitCounter::Load, WaitOrder::Vmem, 0));
  board.issue(entry(WaitCounter::Load, WaitOrder::Vmem, 1));
  board.wait(limit(WaitCounter::Load, 1));
  EXPECT_EQ(board.find({true, 0, 1}), nullptr);
  EXPECT_NE(board.find({true, 1, 1}), nullptr);
}

TEST(WaitScoreboard, ScalarEventDoesNotDelayLdsClass) {
  WaitScoreboard board(9);
  board.issue(entry(WaitCounter::Ds, WaitOrder::Lds, 0));
  board.issue(entry(WaitCounter::Ds, WaitOrder::Scalar, 7));
  board.issue(entry(WaitCounter::Ds, WaitOrder::Lds, 1));
  board.wait(limit(WaitCounter::Ds, 1));
  EXPECT_EQ(board.find({true, 0, 1}), nullptr);
  EXPECT_NE(board.find({true, 1, 1}), nullptr);
  EXPECT_NE(board.find({true, 7, 1}), nullptr);
  board.wait(limit(WaitCounter::Ds, 0));
  EXPECT_TRUE(board.empty());
}

TEST(WaitScoreboard, FlatNeedsBothCounters) {
  WaitScoreboard board(10);
  WaitEvent both{uint8_t(counterBit(WaitCounter::Load) | counterBit(WaitCounter::Ds)),
                 WaitOrder::Flat};
  board.issue({both, {true, 3, 2}, 0});
  board.wait(limit(WaitCounter::Load, 0));
  EXPECT_NE(board.find({true, 4, 1}), nullptr);
  board.wait(limit(WaitCounter::Ds, 0));
  EXPECT_EQ(board.find({true, 4, 1}), nullptr);
}

TEST(WaitScoreboard, FlatCountsInOrderFromGfx10On) {
  WaitScoreboard board(10);
  WaitEvent flat{uint8_t(counterBit(WaitCounter::Load) | counterBit(WaitCounter::Ds)),
                 WaitOrder::Flat};
  board.issue({flat, {true, 0, 1}, 0});
  board.issue({flat, {true, 1, 1}, 1});
  board.wait(limit(WaitCounter::Load, 1));
  EXPECT_NE(board.find({true, 0, 1}), nullptr) << "it may have gone to LDS";
  board.wait(limit(WaitCounter::Ds, 1));
  EXPECT_EQ(board.find({true, 0, 1}), nullptr);
  EXPECT_NE(board.find({true, 1, 1}), nullptr);
  WaitScoreboard gfx9(9);
  gfx9.issue({flat, {true, 0, 1}, 0});
  gfx9.issue({flat, {true, 1, 1}, 1});
  gfx9.wait(limit(WaitCounter::Load, 1));
  gfx9.wait(limit(WaitCounter::Ds, 1));
  EXPECT_NE(gfx9.find({true, 0, 1}), nullptr);
}

TEST(WaitScoreboard, FullCounterStalls) {
  WaitScoreboard board(9);
  for (uint16_t reg = 0; reg < 16; ++reg)
    board.issue(entry(WaitCounter::Ds, WaitOrder::Lds, reg));
  EXPECT_EQ(board.find({true, 0, 1}), nullptr);
  EXPECT_NE(board.find({true, 1, 1}), nullptr);
}

TEST(WaitScoreboard, MessagesRetireInOrderBesideScalarLoads) {
  WaitScoreboard board(12);
  board.issue(entry(WaitCounter::Km, WaitOrder::Message, 0));
  board.issue(entry(WaitCounter::Km, WaitOrder::Scalar, 7));
  board.wait(limit(WaitCounter::Km, 1));
  EXPECT_NE(board.find({true, 0, 1}), nullptr) << "the load may have come first";
  board.issue(entry(WaitCounter::Km, WaitOrder::Message, 1));
  board.wait(limit(WaitCounter::Km, 1));
  EXPECT_EQ(board.find({true, 0, 1}), nullptr);
  EXPECT_NE(board.find({true, 1, 1}), nullptr);
  EXPECT_NE(board.find({true, 7, 1}), nullptr);
}

TEST(WaitScoreboard, ExportsOfOneTypeRetireInOrder) {
  WaitScoreboard board(11);
  board.issue(entry(WaitCounter::Exp, WaitOrder::ExportColor, 0));
  board.issue(entry(WaitCounter::Exp, WaitOrder::ExportColor, 1));
  board.wait(limit(WaitCounter::Exp, 1));
  EXPECT_EQ(board.find({true, 0, 1}), nullptr);
  EXPECT_NE(board.find({true, 1, 1}), nullptr);
  board.wait(limit(WaitCounter::Exp, 0));
  EXPECT_TRUE(board.empty());
}

TEST(WaitScoreboard, ExportsOfTwoTypesRetireInNoOrder) {
  WaitScoreboard board(10);
  board.issue(entry(WaitCounter::Exp, WaitOrder::ExportPosition, 0));
  board.issue(entry(WaitCounter::Exp, WaitOrder::ExportParameter, 1));
  board.wait(limit(WaitCounter::Exp, 1));
  EXPECT_NE(board.find({true, 0, 1}), nullptr) << "the parameter may have been first";
  EXPECT_NE(board.find({true, 1, 1}), nullptr);
}

/// A loop of loads that nobody waits for must not grow without end.
TEST(WaitScoreboard, FullCounterStallsWhateverTheOrder) {
  WaitScoreboard board(12);
  for (uint16_t reg = 0; reg < 100; ++reg)
    board.issue(entry(WaitCounter::Km, WaitOrder::Scalar, reg));
  EXPECT_EQ(board.entries().size(), 31u);
  EXPECT_EQ(board.find({true, 68, 1}), nullptr);
  EXPECT_NE(board.find({true, 69, 1}), nullptr);
}

TEST(WaitRule, InterpolationWaitsForParametersByItself) {
  Inst inst;
  inst.mnemonic = "v_interp_p10_f32";
  inst.words[0] = 0xcd000000 | 5 << 8;
  std::optional<WaitLimits> limits = decodeWait(inst, 11);
  ASSERT_TRUE(limits);
  EXPECT_EQ(limits->max[unsigned(WaitCounter::Exp)], 5);
  inst.words[0] = 0xcd000000 | 7 << 8;
  EXPECT_FALSE(decodeWait(inst, 11)) << "7 is no wait";
  for (const char *name : {"lds_param_load", "ds_direct_load"}) {
    inst.mnemonic = name;
    std::optional<WaitEvent> event = classifyWaitEvent(inst, 12);
    ASSERT_TRUE(event) << name;
    EXPECT_EQ(event->counters, counterBit(WaitCounter::Exp));
    EXPECT_TRUE(completesInOrder(event->order));
  }
}

TEST(WaitRule, MessagesAreAClassOfTheirOwn) {
  struct Row {
    const char *mnemonic;
    WaitOrder order;
  };
  for (const Row &row : {Row{"s_sendmsg", WaitOrder::Message},
                         {"s_sendmsghalt", WaitOrder::Message},
                         {"s_sendmsg_rtn_b32", WaitOrder::Message},
                         {"s_sendmsg_rtn_b64", WaitOrder::Message},
                         {"s_get_barrier_state", WaitOrder::Scalar},
                         {"s_memrealtime", WaitOrder::Scalar}}) {
    Inst inst;
    inst.mnemonic = row.mnemonic;
    for (unsigned major : {11, 12}) {
      WaitEvent event = classifyWaitEvent(inst, major).value_or(WaitEvent());
      EXPECT_EQ(event.order, row.order) << row.mnemonic;
      ResultOrder result{event};
      EXPECT_FALSE(writesAfter(result, result)) << row.mnemonic;
    }
  }
}

TEST(WaitRule, ExportsHaveAClassForEachType) {
  struct Row {
    int64_t target;
    WaitOrder order;
  };
  for (const Row &row : {Row{0, WaitOrder::ExportColor},
                         {7, WaitOrder::ExportColor},
                         {8, WaitOrder::ExportColor},
                         {9, WaitOrder::ExportColor},
                         {12, WaitOrder::ExportPosition},
                         {16, WaitOrder::ExportPosition},
                         {20, WaitOrder::ExportPrimitive},
                         {21, WaitOrder::ExportDualSource},
                         {22, WaitOrder::ExportDualSource},
                         {32, WaitOrder::ExportParameter},
                         {63, WaitOrder::ExportParameter}}) {
    Inst inst;
    inst.mnemonic = "exp";
    Operand target;
    target.type = OperandType::Text;
    target.value = row.target;
    inst.operands.push_back(target);
    WaitEvent event = classifyWaitEvent(inst, 10).value_or(WaitEvent());
    EXPECT_EQ(event.counters, counterBit(WaitCounter::Exp));
    EXPECT_EQ(event.order, row.order) << row.target;
    EXPECT_FALSE(writesAfter({event}, {event})) << row.target;
  }
}

TEST(WaitRule, StoresCountWithLoadsOnGfx9Only) {
  Inst inst;
  inst.mnemonic = "buffer_store_dword";
  EXPECT_EQ(classifyWaitEvent(inst, 9).value_or(WaitEvent()).counters,
            counterBit(WaitCounter::Load));
  EXPECT_EQ(classifyWaitEvent(inst, 10).value_or(WaitEvent()).counters,
            counterBit(WaitCounter::Store));
  inst.mnemonic = "v_mov_b32";
  EXPECT_FALSE(classifyWaitEvent(inst, 9));
}

struct WaitEncoding {
  unsigned gfxMajor;
  const char *mnemonic;
  uint32_t word;
  WaitCounter counter;
  uint8_t max;
};

TEST(WaitRule, DecodesEveryEncoding) {
  // Words as llvm-mc 22 assembles them.
  const WaitEncoding rows[] = {
      {9, "s_waitcnt", 0xbf8cc07f, WaitCounter::Ds, 0},
      {9, "s_waitcnt", 0xbf8c0f70, WaitCounter::Load, 0},
      {9, "s_waitcnt", 0xbf8c0f70, WaitCounter::Ds, WaitLimits::NoLimit},
      {10, "s_waitcnt", 0xbf8c3f70, WaitCounter::Load, 0},
      {10, "s_waitcnt", 0xbf8cc07f, WaitCounter::Load, WaitLimits::NoLimit},
      {11, "s_waitcnt", 0xbf8903f7, WaitCounter::Load, 0},
      {11, "s_waitcnt", 0xbf89fc07, WaitCounter::Ds, 0},
      {11, "s_waitcnt_vscnt", 0xbc7c0002, WaitCounter::Store, 2},
      {12, "s_wait_loadcnt_dscnt", 0xbfc80102, WaitCounter::Load, 1},
      {12, "s_wait_loadcnt_dscnt", 0xbfc80102, WaitCounter::Ds, 2},
      {12, "s_wait_kmcnt", 0xbfc70000, WaitCounter::Km, 0},
  };
  for (const WaitEncoding &row : rows) {
    Inst inst;
    inst.mnemonic = row.mnemonic;
    inst.words[0] = row.word;
    auto limits = decodeWait(inst, row.gfxMajor);
    ASSERT_TRUE(limits.has_value()) << row.mnemonic;
    uint8_t max = limits.value_or(WaitLimits()).max[unsigned(row.counter)];
    EXPECT_EQ(max, row.max) << row.mnemonic << " " << row.gfxMajor;
  }
}

TEST(WaitRule, SamplesHaveACounterOfTheirOwnFromGfx12On) {
  Inst sample;
  sample.mnemonic = "image_sample_lz";
  Inst load;
  load.mnemonic = "image_load";
  for (unsigned major : {9, 10, 11, 12}) {
    WaitCounter counter = major >= 12 ? WaitCounter::Sample : WaitCounter::Load;
    EXPECT_EQ(classifyWaitEvent(sample, major)->counters, counterBit(counter));
    EXPECT_EQ(classifyWaitEvent(load, major)->counters, counterBit(WaitCounter::Load));
  }
}
