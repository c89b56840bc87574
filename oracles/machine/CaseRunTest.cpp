// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/machine/CaseRun.h"

#include "support/Error.h"
#include "llvm/Support/Endian.h"
#include <gtest/gtest.h>

using namespace llvm;
using namespace assay;

/// Two buffers of 24 bytes; the first holds the address of byte 4 of the second at byte 8.
static Case addressCase() {
  Case input;
  input.buffers.resize(2);
  for (Buffer &buffer : input.buffers)
    buffer.bytes.assign(24, 7);
  input.addresses.push_back({1, 0, 8, 4});
  input.commands.push_back(Dispatch());
  return input;
}

static uint64_t addressOf(unsigned buffer) {
  return 0x1122334400000000u + 0x1000 * buffer;
}

TEST(CaseRun, WritesAddressesBeforeTheFirstCommandAndHidesThem) {
  uint64_t seen = 0;
  auto dispatch = [&](const Dispatch &, std::vector<BufferState> &buffers,
                      Outcome &) -> Expected<bool> {
    seen = support::endian::read64le(&buffers[0].bytes[8]);
    buffers[0].bytes[8] = 1; // The shader may write there; nobody sees it.
    buffers[0].bytes[7] = 9;
    return true;
  };
  Expected<Outcome> outcome = runCommands(addressCase(), dispatch, addressOf);
  ASSERT_TRUE(bool(outcome));
  EXPECT_EQ(seen, 0x1122334400001004u);
  const std::vector<uint8_t> &bytes = outcome->checkpoints.back()[0].bytes;
  EXPECT_EQ(support::endian::read64le(&bytes[8]), 0u);
  EXPECT_EQ(bytes[7], 9);
  EXPECT_EQ(bytes[16], 7);
}

TEST(CaseRun, LacksAddressesWhereTheMachineHasNone) {
  auto dispatch = [](const Dispatch &, std::vector<BufferState> &, Outcome &) -> Expected<bool> {
    ADD_FAILURE() << "ran";
    return true;
  };
  Expected<Outcome> outcome = runCommands(addressCase(), dispatch);
  ASSERT_TRUE(bool(outcome));
  EXPECT_EQ(outcome->kind, OutcomeKind::Unsupported);
  EXPECT_EQ(outcome->reason, "device addresses of buffers");
}

TEST(CaseRun, RefusesAnAddressBeyondTheEnd) {
  auto dispatch = [](const Dispatch &, std::vector<BufferState> &, Outcome &) -> Expected<bool> {
    return true;
  };
  Case input = addressCase();
  input.addresses[0].offset = 17;
  Expected<Outcome> outcome = runCommands(input, dispatch, addressOf);
  ASSERT_FALSE(bool(outcome));
  EXPECT_EQ(takeError(outcome.takeError()).kind, ErrorKind::InvalidInput);
}

TEST(CaseRun, CopiesPartsOfBuffers) {
  auto dispatch = [](const Dispatch &, std::vector<BufferState> &buffers,
                     Outcome &) -> Expected<bool> {
    buffers[0].bytes.assign(24, 1);
    return true;
  };
  Case input = addressCase();
  input.addresses.clear();
  BufferCopy copy;
  copy.source = 1;
  copy.range = CopyRange{20, 6, 4};
  input.commands.push_back(copy);
  Expected<Outcome> outcome = runCommands(input, dispatch);
  ASSERT_TRUE(bool(outcome));
  std::vector<uint8_t> expected(24, 1);
  std::fill_n(expected.begin() + 6, 4, uint8_t(7));
  EXPECT_EQ(outcome->checkpoints.back()[0].bytes, expected);
  for (CopyRange wrong : {CopyRange{21, 6, 4}, CopyRange{0, 25, 0}, CopyRange{0, 21, 4}}) {
    copy.range = wrong;
    input.commands.back() = copy;
    Expected<Outcome> refused = runCommands(input, dispatch);
    ASSERT_FALSE(bool(refused));
    EXPECT_EQ(takeError(refused.takeError()).kind, ErrorKind::InvalidInput);
  }
}

TEST(CaseRun, KeepsWhatBuffersHoldWhereItEndsEarly) {
  auto dispatch = [](const Dispatch &, std::vector<BufferState> &buffers,
                     Outcome &outcome) -> Expected<bool> {
    buffers[1].bytes[3] = 9;
    outcome.kind = OutcomeKind::Trap;
    return false;
  };
  Expected<Outcome> outcome = runCommands(addressCase(), dispatch, addressOf);
  ASSERT_TRUE(bool(outcome));
  EXPECT_TRUE(outcome->checkpoints.empty());
  ASSERT_EQ(outcome->atEnd.size(), 2u);
  EXPECT_EQ(outcome->atEnd[1].bytes[3], 9);
  EXPECT_EQ(support::endian::read64le(&outcome->atEnd[0].bytes[8]), 0u);
}

TEST(CaseRun, ReportsDrawsAndClearsBeforeAnythingRuns) {
  auto dispatch = [](const Dispatch &, std::vector<BufferState> &, Outcome &) -> Expected<bool> {
    ADD_FAILURE() << "ran";
    return true;
  };
  Case input;
  input.commands = {Dispatch{}, Draw{.line = 7}, Clear{.line = 8}};
  Expected<Outcome> outcome = runCommands(input, dispatch);
  ASSERT_TRUE(bool(outcome));
  EXPECT_EQ(outcome->kind, OutcomeKind::Unsupported);
  EXPECT_EQ(outcome->reason, "draws (line 7)");
  input.commands.erase(input.commands.begin() + 1);
  outcome = runCommands(input, dispatch);
  ASSERT_TRUE(bool(outcome));
  EXPECT_EQ(outcome->reason, "clears (line 8)");
}
