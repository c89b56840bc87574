// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/divergence/CompareAccesses.h"

#include "oracles/ir/Spaces.h"
#include "llvm/ADT/StringExtras.h"

#include <gtest/gtest.h>

using namespace llvm;
using namespace assay;

namespace {

/// Two lanes of two groups: each reads 12 bytes of a table and 4 of its own, and writes 8.
std::string makeIr() {
  ir::ExecutionLog log;
  ir::Memory memory;
  memory.buffers.emplace_back().bytes.resize(0x3000);
  log.begin(memory);
  for (unsigned group = 0; group < 2; ++group)
    for (unsigned lane = 0; lane < 2; ++lane) {
      unsigned own = group * 2 + lane;
      uint64_t thread = ir::threadOf({group, 0, 0}, /*wave=*/0, lane);
      log.addRead(thread, 0x100, 12);
      log.addRead(thread, ir::Spaces::SharedAperture | 16, 4);
      log.addRead(thread, 0x1000 + own * 4, 4);
      std::vector<uint8_t> bytes(8), poison(8);
      log.addWrite(thread, 0x2000 + own * 8, bytes, poison);
    }
  return printAccesses(log);
}

std::string makeCode(StringRef table, StringRef load, StringRef store) {
  std::string text;
  for (unsigned group = 0; group < 2; ++group) {
    auto head = [&](StringRef pc) {
      return ("group " + Twine(group) + ",0,0 wave 0 pc " + pc + "\n").str();
    };
    auto place = [&](uint64_t base, unsigned size) {
      return "0x" + utohexstr(base + group * 2 * size, /*LowerCase=*/true);
    };
    text += head("0x0: s_buffer_load_b128 s[0:3], s[0:3], 0x0") + "    reads global " +
            table.str() + " step 0x4, 4 bytes, lane 0, 4 times\n";
    text += head("0x8: buffer_load_b32 v0, v1, s[0:3], 0 offen") + "    reads global " +
            place(load == "right" ? 0x1000 : 0x1800, 4) + " step 0x4, 4 bytes, lanes 0-1\n";
    text += head("0xc: v_add_u32 v0, v0, v1");
    text += head("0x10: buffer_store_b64 v[0:1], v1, s[0:3], 0 offen");
    for (unsigned lane = 0; lane < 2; ++lane)
      if (store != "none")
        text += "    writes global " + place((store == "right" ? 0x2000 : 0x2004) + lane * 8, 8) +
                " step 0x4, 4 bytes, lane " + std::to_string(lane) + ", 2 times: 0x0 -> 0x1\n";
  }
  return text;
}

std::string compare(StringRef table, StringRef load, StringRef store) {
  std::optional<AccessMismatch> mismatch = compareAccesses(makeIr(), makeCode(table, load, store));
  return mismatch
             ? mismatch->wrong + ": " + mismatch->instruction.substr(0, 8) + ": " + mismatch->place
             : "";
}

} // namespace

TEST(CompareAccesses, TakesCodeThatReadsMoreAndInPieces) {
  EXPECT_EQ(compare("0x100", "right", "right"), "");
  // The way to a table, say.
  std::string launch = "group 0,0,0 wave 0 pc 0x0: s_load_b128 s[0:3], s[0:1], 0x10\n"
                       "    reads global 0x10 step 0x4, 4 bytes, lane 0, 4 times\n";
  EXPECT_FALSE(compareAccesses(makeIr(), launch + makeCode("0x100", "right", "right")));
}

TEST(CompareAccesses, NamesTheFirstInstructionThatGoesElsewhere) {
  EXPECT_EQ(compare("0x104", "right", "right"),
            "load address: pc 0x0: : group 0,0,0 wave 0 lane 0");
  EXPECT_EQ(compare("0x100", "wrong", "right"),
            "load address: pc 0x8: : group 0,0,0 wave 0 lane 0");
  EXPECT_EQ(compare("0x100", "right", "wrong"),
            "store address: pc 0x10:: group 0,0,0 wave 0 lane 0");
  EXPECT_EQ(compare("0x100", "right", "none"), "lost store: : group 0,0,0 wave 0 lane 0");
}

static std::string compareBehind(StringRef ir, StringRef code) {
  std::optional<AccessMismatch> mismatch =
      compareAccesses(makeIr() + ir.str(), makeCode("0x100", "right", "right") + code.str());
  return mismatch ? mismatch->wrong + " by " + mismatch->instruction : "";
}

TEST(CompareAccesses, NamesAStoreBesideAllOthers) {
  const std::string head = "group 1,0,0 wave 0 pc 0x14: buffer_store_b32 v0\n";
  EXPECT_EQ(compareBehind("", head + "    writes global 0x2800, 4 bytes, lane 1: 0x0 -> 0x1\n"),
            "extra store by pc 0x14: buffer_store_b32 v0");
  EXPECT_EQ(compareBehind("", head + "    writes global 0x2000, 4 bytes, lane 1: 0x0 -> 0x1\n"),
            "extra store by pc 0x14: buffer_store_b32 v0")
      << "which another thread writes";
  EXPECT_EQ(compareBehind("", head + "    writes global 0x2018, 4 bytes, lane 1: 0x0 -> 0x1\n"), "")
      << "once more";
  EXPECT_EQ(compareBehind("", head + "    writes global 0x8000, 4 bytes, lane 1: 0x0 -> 0x1\n"), "")
      << "scratch";
}

TEST(CompareAccesses, TakesAnExchangeThatFailsForARead) {
  const std::string ir = "thread " +
                         std::to_string(ir::threadOf({0, 0, 0}, /*wave=*/0, /*lane=*/1)) +
                         " reads 0x2800 4\n";
  const std::string head = "group 0,0,0 wave 0 pc 0x14: buffer_atomic_cmpswap v0\n";
  const std::string exchange = "    atomic global 0x2800, 4 bytes, lane 1: 0x0\n";
  EXPECT_EQ(compareBehind(ir, head + exchange), "");
  EXPECT_EQ(compareBehind("", head + exchange),
            "load address by pc 0x14: buffer_atomic_cmpswap v0");
  EXPECT_EQ(compareBehind(ir, head + "    writes global 0x2800, 4 bytes, lane 1: 0x0 -> 0x1\n"),
            "extra store by pc 0x14: buffer_atomic_cmpswap v0");
}
