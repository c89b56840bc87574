// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/machine/adreno/MemoryAccess.h"
#include "oracles/machine/adreno/WaveTesting.h"

using namespace llvm;
using namespace assay;
using namespace assay::adreno;

namespace {

constexpr uint32_t Address = 0x20000;

/// A wave of a420 with a buffer of 32 dwords (i * 10) in slot 1. c0.x has its address; r0.y is the
/// address of the dword of the lane's number.
class SlotWave : public TestWave {
public:
  explicit SlotWave(StringRef text)
      : TestWave(
            ("shl.b r0.y, r0.x, 2\n(rpt5)nop\nadd.u r0.y, c0.x, r0.y\n(rpt5)nop\n" + text).str(),
            Chip::A420, 32) {
    bytes.resize(128);
    for (unsigned i = 0; i < 32; ++i)
      storeWord(&bytes[4 * i], 4, 10 * i);
    memory.map(Address, bytes, "buffer", true);
    environment().slots = slots;
    wave().constants[0] = Address;
  }
  uint32_t word(unsigned index) const { return loadWord(&bytes[4 * index], 4); }

  std::vector<uint8_t> bytes;
  turnip::BufferSlot slots[2] = {{}, {Address, 32}};
};

} // namespace

TEST(SlotMemory, LoadsAndStores) {
  SlotWave wave("ldgb.untyped.4d.u32.2 r1.x, g[1], r0.y, r0.x\n"
                "(sy)add.u r1.z, r1.x, 1\n(rpt5)nop\n"
                "stgb.untyped.4d.u32.1 g[1], r1.z, r0.x, r0.y");
  EXPECT_EQ(wave.run(), "");
  EXPECT_EQ(wave("r1.x", 7), 70u);
  EXPECT_EQ(wave("r1.y", 31), 0u) << "beyond the end";
  EXPECT_EQ(wave.word(7), 71u);
}

TEST(SlotMemory, KnowsTheSizeOfTheSlot) {
  SlotWave wave("resinfo.u32.2d r1.x, g[1]\nldgb.untyped.4d.u32.1 r2.x, g[5], r0.y, r0.x");
  EXPECT_EQ(wave.run(), "");
  EXPECT_EQ(wave("r1.x"), 32u);
  EXPECT_EQ(wave("r1.y"), 0u);
  EXPECT_EQ(wave("r2.x", 3), 0u) << "nothing is in slot 5";
}

TEST(SlotMemory, AtomicsGiveTheOldValue) {
  SlotWave wave("mov.u32u32 r1.x, 5\nmov.u32u32 r1.y, 30\n(rpt5)nop\n"
                "atomic.s.add.untyped.4d.u32.1.g r2.x, g[1], r1.x, r0.x, r0.y\n"
                "(sy)mov.u32u32 r1.x, 9\nmov.u32u32 r1.y, 35\n(rpt5)nop\n"
                "atomic.s.cmpxchg.untyped.4d.u32.1.g r2.y, g[1], r1.x, r0.x, r0.y");
  EXPECT_EQ(wave.run(), "");
  EXPECT_EQ(wave("r2.x", 2), 20u);
  EXPECT_EQ(wave("r2.y", 3), 35u);
  EXPECT_EQ(wave.word(2), 25u);
  EXPECT_EQ(wave.word(3), 9u) << "the new value is first, what memory is compared with second";
}

TEST(SlotMemory, RefusesFormats) {
  SlotWave wave("ldgb.typed.2d.u32.1 r1.x, g[1], r0.y, r0.x");
  EXPECT_NE(wave.run().find("no semantics"), std::string::npos);
}
