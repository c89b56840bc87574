// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/machine/adreno/MemoryAccess.h"
#include "oracles/machine/adreno/WaveTesting.h"

using namespace llvm;
using namespace assay;
using namespace assay::adreno;

namespace {

constexpr uint64_t Buffer = 0x1'0000'0040, Table = 0x2'0000;
constexpr unsigned Lanes = 64;

/// A wave with workgroup memory, private memory, a buffer of 64 dwords (i * 10) after descriptor 1
/// of base 0, and the same as a uniform buffer after descriptor 2.
class MemoryWave : public TestWave {
public:
  explicit MemoryWave(StringRef text, Chip chip = Chip::A630) : TestWave(text, chip, Lanes) {
    bytes.resize(256);
    for (unsigned i = 0; i < 64; ++i)
      storeWord(&bytes[4 * i], 4, 10 * i);
    memory.map(Buffer, bytes, "buffer", true);
    putDescriptors(memory.allocate(Table, 256, "descriptors", false));
    environment().local = local;
    environment().privateMemory = privates;
    environment().privateBytes = 16;
    environment().bindlessBases = bases;
    environment().descriptorBytes = sizes;
  }
  uint32_t word(unsigned index) const { return loadWord(&bytes[4 * index], 4); }

  std::vector<uint8_t> bytes, local = std::vector<uint8_t>(1024),
                              privates = std::vector<uint8_t>(16 * Lanes);
  uint64_t bases[1] = {Table};
  uint32_t sizes[1] = {64};

private:
  static void putDescriptors(MutableArrayRef<uint8_t> table) {
    storeWord(&table[64], 4, 0x4bU << 22);  // Format 32_UINT.
    storeWord(&table[64 + 4], 4, 64);       // Elements.
    storeWord(&table[64 + 8], 4, 4U << 29); // A buffer.
    storeWord(&table[64 + 16], 4, uint32_t(Buffer));
    storeWord(&table[64 + 20], 4, uint32_t(Buffer >> 32));
    storeWord(&table[128], 4, uint32_t(Buffer));
    storeWord(&table[128 + 4], 4, uint32_t(Buffer >> 32) | 16U << 17);
  }
};

} // namespace

TEST(Memory, LoadsAndStoresBuffers) {
  MemoryWave wave("ldib.b.untyped.1d.u32.1.imm.base0 r1.x, r0.x, 1\n"
                  "isam.base0.1d (u32)(x)r1.y, r0.x, s#0, t#1\n"
                  "add.u r1.z, r1.x, r1.y\n"
                  "stib.b.untyped.1d.u32.1.imm.base0 r1.z, r0.x, 1\n"
                  "add.u r2.x, r0.x, 60\n"
                  "ldib.b.untyped.1d.u32.2.imm.base0 r2.y, r2.x, 1");
  EXPECT_EQ(wave.run(), "");
  EXPECT_EQ(wave("r1.x", 7), 70u);
  EXPECT_EQ(wave("r1.y", 7), 70u);
  EXPECT_EQ(wave.word(7), 140u);
  EXPECT_EQ(wave("r2.y", 2), 1240u);
  EXPECT_EQ(wave("r2.z", 3), 0u) << "beyond the end";
}

TEST(Memory, UniformDataMayReplaceTheSlot) {
  MemoryWave wave("mov.u32u32 r1.x, 1\nmov.u32u32 r1.z, 2\n(rpt5)nop\n"
                  "ldc.offset0.4.nonuniform.base0 r1.x, r1.x, r1.z");
  EXPECT_EQ(wave.run(), "");
  EXPECT_EQ(wave("r1.x", 7), 40u);
  EXPECT_EQ(wave("r1.z", 7), 60u);
  EXPECT_EQ(wave("r1.w", 7), 70u) << "the slot is read before the registers are written";
}

/// Byte offsets wrap, for both ways to read a buffer: 0x40000003 is element 3.
TEST(Memory, IndicesWrap) {
  MemoryWave wave("mov.u32u32 r2.x, 0x40000003\n"
                  "ldib.b.untyped.1d.u32.1.imm.base0 r1.x, r2.x, 1\n"
                  "isam.base0.1d (u32)(x)r1.y, r2.x, s#0, t#1");
  EXPECT_EQ(wave.run(), "");
  EXPECT_EQ(wave("r1.x", 7), 30u);
  EXPECT_EQ(wave("r1.y", 7), 30u);
}

TEST(Memory, LoadsUniforms) {
  MemoryWave wave(
      "ldc.offset1.2.imm.base0 r1.x, 3, 2\nldc.offset0.1.imm.base0 r1.z, r0.x, 2\nmova1 a1.x, 8\n"
      "ldc.2.k.imm.base0 c[a1.x], 1, 2\nmov.u32u32 r2.x, c3.w\nstc.u32 c[4], r1.x, 1\nmov.u32u32 "
      "r2.y, c1.x");
  EXPECT_EQ(wave.run(), "");
  EXPECT_EQ(wave("r1.x", 5), 130u);
  EXPECT_EQ(wave("r1.y", 5), 140u);
  EXPECT_EQ(wave("r1.z", 5), 200u);
  EXPECT_EQ(wave("r1.z", 16), 0u);
  EXPECT_EQ(wave("r2.x", 5), 110u);
  EXPECT_EQ(wave("r2.y", 9), 130u);
}

/// Offsets count 16 bits; the data is in the second pair of registers, what is compared with in the
/// third.
TEST(Memory, AppliesWideAtomics) {
  MemoryWave wave(
      "mov.u32u32 r2.x, r0.x\nshl.b r2.x, r2.x, 2\nmov.u32u32 r1.z, 5\nmov.u32u32 r1.w, "
      "0xffffffff\natomic.b.add.untyped.1d.u64.1.imm.base0 r1.x, r2.x, 1\n"
      "mov.u32u32 r3.z, 1\nmov.u32u32 r3.w, 2\nmov.u32u32 r4.x, 45\nmov.u32u32 r4.y, 49\n"
      "atomic.b.cmpxchg.untyped.1d.u64.1.imm.base0 r3.x, r2.x, 1",
      Chip::A740);
  EXPECT_EQ(wave.run(), "");
  // Lane 2 has dwords 4 and 5, which hold 40 and 50: 50 * 2^32 + 40, and -2^32 + 5 is added.
  EXPECT_EQ(wave("r1.x", 2), 40u);
  EXPECT_EQ(wave("r1.y", 2), 50u);
  EXPECT_EQ(wave("r3.x", 2), 45u);
  EXPECT_EQ(wave("r3.y", 2), 49u);
  EXPECT_EQ(wave.word(4), 1u) << "exchanged";
  EXPECT_EQ(wave.word(5), 2u);
  EXPECT_EQ(wave.word(6), 65u) << "not exchanged";
  EXPECT_EQ(wave.word(7), 69u);
}

TEST(Memory, AppliesAtomics) {
  MemoryWave wave(
      "mov.u32u32 r2.x, 1\nmov.u32u32 r1.x, 0\nmov.u32u32 r1.y, 3\n"
      "atomic.b.add.untyped.1d.u32.1.imm.base0 r1.x, r2.x, 1\n"
      "mov.u32u32 r3.x, 16\natomic.max.untyped.1d.u32.1.l r3.y, l[r3.x], r0.x\n"
      "mov.u32u32 r4.x, 2\nmov.u32u32 r4.y, 99\nmov.u32u32 r4.z, 20\nmov.u32u32 r4.w, 2\n"
      "atomic.b.cmpxchg.untyped.1d.u32.1.imm.base0 r4.x, r4.w, 1");
  EXPECT_EQ(wave.run(), "");
  EXPECT_EQ(wave.word(1), 10u + 64 * 3);
  EXPECT_EQ(wave("r1.x", 2), 16u);
  EXPECT_EQ(loadWord(&wave.local[16], 4), 63u);
  EXPECT_EQ(wave("r3.y", 5), 4u);
  EXPECT_EQ(wave.word(2), 99u);
  EXPECT_EQ(wave("r4.x", 0), 20u);
  EXPECT_EQ(wave("r4.x", 1), 99u);
}

TEST(Memory, KeepsLocalAndPrivateMemory) {
  MemoryWave wave("shl.b r1.x, r0.x, 2\nstl.u32 l[r1.x+8], r0.x, 1\nmov.u32u32 r1.y, 16\nldl.u32 "
                  "r2.x, l[r1.y-4], 1\n"
                  "mov.u32u32 r1.z, 4\nstp.u32 p[r1.z+4], r0.x, 1\nldp.u32 r2.y, p[r1.z+4], 1");
  EXPECT_EQ(wave.run(), "");
  EXPECT_EQ(wave("r2.x", 9), 1u);
  EXPECT_EQ(wave("r2.y", 9), 9u);
}

TEST(Memory, ReachesGlobalMemory) {
  std::string address = "mov.u32u32 r1.y, 1\nand.b r0.y, r0.x, 31\nmov.u32u32 r1.x, 64\n";
  MemoryWave wave(
      address +
      "ldg.u32 r2.x, g[r1.x+8], 2\nldg.a.u32 r3.x, g[r1.x+(r0.y+1)<<2], 1\n"
      "ldg.a.u32 r3.y, g[r1.x+r0.y<<3+1<<2], 1\nmov.u32u32 r4.x, 7\nstg.u32 g[r1.x+4], r4.x, 1\n"
      "atomic.g.add.untyped.1d.u32.1.g r5.x, r1.x, r4.x");
  EXPECT_EQ(wave.run(), "");
  EXPECT_EQ(wave("r2.y", 3), 30u);
  EXPECT_EQ(wave("r3.x", 33), 20u);
  EXPECT_EQ(wave("r3.y", 5), 110u);
  EXPECT_EQ(wave.word(1), 7u);
  EXPECT_EQ(wave.word(0), 64u * 7);
  EXPECT_EQ(wave("r5.x", 2), 14u);
}

TEST(Memory, SaysWhatIsWrong) {
  MemoryWave far("mov.u32u32 r1.x, 2048\nldl.u32 r2.x, l[r1.x], 1");
  EXPECT_EQ(far.run(),
            "instruction 1 'ldl.u32 r2.x, l[r1.x], 1' uses byte 2048 of 1024 in workgroup memory");
  MemoryWave outside("mov.u32u32 r1.x, 0\nmov.u32u32 r1.y, 1\nldg.u32 r2.x, g[r1.x], 1");
  EXPECT_EQ(outside.run().substr(0, 70),
            "instruction 2 'ldg.u32 r2.x, g[r1.x], 1' reads address 0x100000000 (42");
  MemoryWave base("ldib.b.untyped.1d.u32.1.imm.base3 r1.x, r0.x, 1");
  EXPECT_EQ(base.run(), "instruction 0 'ldib.b.untyped.1d.u32.1.imm.base3 r1.x, r0.x, 1' uses base "
                        "3, which has no descriptors");
  MemoryWave image("ldib.b.typed.1d.f32.4.imm r0.x, r0.w, 1");
  EXPECT_EQ(
      image.run(),
      "no semantics for 'ldib.b.typed.1d.f32.4.imm r0.x, r0.w, 1': its buffer is not bindless");
  EXPECT_TRUE(image.wave().isUnsupported());
}
