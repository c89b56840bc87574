// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/pal_elf/MsgPack.h"

#include "support/Error.h"
#include <gtest/gtest.h>
#include <random>

using namespace llvm;
using namespace assay;

/// The message of the error that \p bytes give; empty when they are read.
static std::string errorOf(ArrayRef<uint8_t> bytes) {
  Expected<MsgValue> value = readMsgPack(bytes);
  return value ? "" : takeError(value.takeError()).message;
}

static MsgValue mustRead(ArrayRef<uint8_t> bytes) {
  return cantFail(readMsgPack(bytes));
}

TEST(MsgPack, ReadsEveryKindOfScalar) {
  const uint8_t bytes[] = {0x99, 0xc0, 0xc3, 0x7f, 0xcd, 1,    2,   0xff, 0xcb, 0x3f, 0xf8, 0,
                           0,    0,    0,    0,    0,    0xa2, 'h', 'i',  0xc4, 1,    9,    0x90};
  MsgValue value = mustRead(bytes);
  ASSERT_EQ(value.items.size(), 9u);
  EXPECT_EQ(value.items[0].kind, MsgKind::Nil);
  EXPECT_EQ(value.items[1].bits, 1u);
  EXPECT_EQ(value.items[2].bits, 127u);
  EXPECT_EQ(value.items[3].bits, 0x102u);
  EXPECT_EQ(value.items[4].kind, MsgKind::Int);
  EXPECT_EQ(static_cast<int64_t>(value.items[4].bits), -1);
  EXPECT_EQ(value.items[5].number, 1.5);
  EXPECT_TRUE(value.items[6].isString("hi"));
  EXPECT_EQ(value.items[7].kind, MsgKind::Binary);
}

TEST(MsgPack, KeepsDuplicatesOrderAndKeysThatAreNoStrings) {
  const uint8_t bytes[] = {0x83, 0xa1, 'a', 1, 0x80, 2, 0xa1, 'a', 3};
  MsgValue value = mustRead(bytes);
  ASSERT_EQ(value.mapSize(), 3u);
  EXPECT_EQ(value.items[2].kind, MsgKind::Map);
  EXPECT_EQ(value.find("a")->bits, 3u) << "the last of two equal keys counts";
  EXPECT_EQ(value.find("b"), nullptr);
}

TEST(MsgPack, ReadsTheThreeBytesThatCrashOtherReaders) {
  const uint8_t bytes[] = {0x81, 0x80, 0x01};
  EXPECT_EQ(mustRead(bytes).items[0].kind, MsgKind::Map);
}

TEST(MsgPack, RefusesCountsAboveTheBytesLeft) {
  const uint8_t array[] = {0xdd, 0xff, 0xff, 0xff, 0xff};
  const uint8_t map[] = {0xdf, 0xff, 0xff, 0xff, 0xff, 1};
  const uint8_t nested[] = {0x92, 0x92, 1, 1};
  EXPECT_NE(errorOf(array).find("container of 4294967295"), std::string::npos);
  EXPECT_NE(errorOf(map).find("container of 8589934590"), std::string::npos);
  EXPECT_NE(errorOf(nested), "");
}

TEST(MsgPack, RefusesTrailingBytesTruncationDepthAndNothing) {
  const uint8_t trailing[] = {0x01, 0x02};
  const uint8_t cut[] = {0xa5, 'a', 'b'};
  const uint8_t reserved[] = {0xc1};
  std::vector<uint8_t> deep(8, 0x91), tooDeep(9, 0x91);
  deep.push_back(1);
  tooDeep.push_back(1);
  EXPECT_NE(errorOf(trailing).find("1 bytes are left"), std::string::npos);
  EXPECT_NE(errorOf(cut).find("cut off"), std::string::npos);
  EXPECT_NE(errorOf(reserved).find("malformed"), std::string::npos);
  EXPECT_EQ(errorOf(deep), "");
  EXPECT_NE(errorOf(tooDeep).find("deeper than 8"), std::string::npos);
  EXPECT_NE(errorOf({}), "");
}

TEST(MsgPack, SurvivesRandomBytes) {
  std::mt19937_64 random(1); // NOLINT(bugprone-random-generator-seed): the same each time.
  for (int round = 0; round < 20000; ++round) {
    std::vector<uint8_t> bytes(1 + random() % 40);
    for (uint8_t &byte : bytes)
      byte = static_cast<uint8_t>(random() % 3 ? 0x80 + random() % 96 : random());
    Expected<MsgValue> value = readMsgPack(bytes);
    if (!value)
      EXPECT_NE(takeError(value.takeError()).message.find("msgpack: "), std::string::npos);
  }
}
