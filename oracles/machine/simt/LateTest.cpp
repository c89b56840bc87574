// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Results and stores that arrive late.
#include "oracles/machine/simt/HeldResults.h"
#include "oracles/machine/simt/LateStores.h"
#include <algorithm>
#include <gtest/gtest.h>

using namespace llvm;
using namespace assay;
using namespace assay::simt;

TEST(HeldResults, KeepOldValuesUntilTheyComplete) {
  uint32_t registers[4] = {1, 2, 3, 4};
  Choices choices(0);
  HeldResults held(choices);
  held.begin(7, {});
  held.addRow({registers, 0b1010, 0xffff});
  for (uint32_t &word : registers)
    word = 0x55'0099;
  held.hold();
  EXPECT_EQ(registers[0], 0x55'0099u) << "a lane that the result does not write";
  EXPECT_EQ(registers[1], 0x55'0002u) << "of the bits that it writes, the old ones";
  registers[3] = 0x66'0007; // Somebody else's write of the same register is lost.
  EXPECT_FALSE(held.complete(6));
  EXPECT_TRUE(held.complete(7));
  EXPECT_EQ(registers[1], 0x55'0099u);
  EXPECT_EQ(registers[3], 0x66'0099u);
  EXPECT_TRUE(held.empty());
}

TEST(HeldResults, InstructionThatDidNotExecuteHasNoResult) {
  uint32_t word = 1;
  Choices choices(0);
  HeldResults held(choices);
  held.begin(1, {});
  held.addRow({&word});
  held.begin(2, {});
  held.addRow({&word});
  word = 5;
  held.hold();
  EXPECT_EQ(word, 1u);
  EXPECT_FALSE(held.complete(1));
  EXPECT_TRUE(held.complete(2));
  EXPECT_EQ(word, 5u);
}

/// The numbers of results in the order in which they complete early.
static std::vector<uint32_t> completions(uint64_t seed, bool isOrdered) {
  uint32_t word = 0;
  Choices choices(seed);
  HeldResults held(choices);
  std::vector<uint32_t> order;
  for (uint32_t sequence = 1; sequence <= 200; ++sequence) {
    held.begin(sequence, {1, isOrdered});
    held.addRow({&word});
    word = sequence;
    held.hold();
    if (std::optional<uint32_t> early = held.completeEarly())
      order.push_back(*early);
  }
  return order;
}

TEST(HeldResults, CompleteEarlyAsTheirStreamPermits) {
  EXPECT_TRUE(completions(0, false).empty()) << "nothing is chosen";
  for (uint64_t seed = 1; seed < 5; ++seed) {
    std::vector<uint32_t> ordered = completions(seed, true);
    EXPECT_GT(ordered.size(), 10u);
    for (size_t i = 0; i < ordered.size(); ++i)
      EXPECT_EQ(ordered[i], i + 1);
    std::vector<uint32_t> free = completions(seed, false);
    EXPECT_FALSE(std::is_sorted(free.begin(), free.end()));
  }
}

namespace {
struct Bytes {
  std::vector<uint8_t> bytes = std::vector<uint8_t>(64);

  uint8_t *operator()(MemorySpace, uint64_t address, uint32_t count) {
    return address + count <= bytes.size() ? bytes.data() + address : nullptr;
  }
};
} // namespace

static MemoryEvent storeTo(uint64_t address, uint32_t bytes, bool atomic = false) {
  return {MemorySpace::Global, atomic, true, atomic, 0, bytes, address};
}

/// Instruction \p sequence stores \p value to \p bytes from \p address on.
static void store(LateStores &stores, Bytes &memory, uint32_t sequence, uint64_t address,
                  uint32_t bytes, uint8_t value) {
  stores.show(memory);
  stores.note(memory, storeTo(address, bytes), sequence);
  std::fill_n(memory.bytes.data() + address, bytes, value);
  stores.hide(memory);
}

TEST(LateStores, AreSeenByTheirWaveAloneUntilTheyAreReleased) {
  Bytes memory;
  LateStores stores;
  store(stores, memory, 1, 4, 40, 1); // More than one piece.
  store(stores, memory, 2, 8, 4, 2);
  EXPECT_EQ(std::count(memory.bytes.begin(), memory.bytes.end(), 0), 64);
  stores.show(memory);
  EXPECT_EQ(memory.bytes[4], 1);
  EXPECT_EQ(memory.bytes[8], 2);
  stores.hide(memory);
  stores.release(memory, 2);
  EXPECT_EQ(memory.bytes[8], 2);
  EXPECT_EQ(memory.bytes[4], 1) << "an older store to the same piece comes first";
  EXPECT_EQ(memory.bytes[43], 0) << "another piece is still held";
  stores.releaseAll(memory);
  EXPECT_EQ(memory.bytes[43], 1);
  EXPECT_EQ(memory.bytes[8], 2);
  EXPECT_TRUE(stores.empty());
}

TEST(LateStores, AtomicHappensInMemoryAfterTheStoresOfItsWave) {
  Bytes memory;
  LateStores stores;
  store(stores, memory, 1, 0, 4, 7);
  stores.show(memory);
  stores.note(memory, storeTo(0, 4, /*atomic=*/true), 2);
  ++memory.bytes[0];
  stores.hide(memory);
  EXPECT_EQ(memory.bytes[0], 8);
  EXPECT_EQ(memory.bytes[1], 7);
}
