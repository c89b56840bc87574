// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory instructions, one at a time: what each leaves in registers, LDS, the global share
// and memory, against a model of a few lines a case. Everything is compared, so that nothing else
// may change. Sources of the models: AMD's ISA manuals, the opcodes by name.
#include "oracles/machine/gcn/WaveTesting.h"
#include "oracles/machine/gcn/memory/BufferDescriptor.h"
#include "oracles/machine/gcn/memory/Share.h"
#include "llvm/ADT/StringExtras.h"
#include <cstring>
#include <functional>

using namespace llvm;
using namespace assay;
using namespace assay::gcn;
using namespace assay::simt;

namespace {

constexpr uint64_t MemoryBase = 0x123450000000;
constexpr unsigned MemoryBytes = 4096;
constexpr unsigned LdsBytes = 4096;
constexpr unsigned ScratchBytes = 64; ///< Each lane's.
constexpr uint64_t ScratchAt = 0x345670000000;

/// All that instructions of a case may change.
struct Snapshot {
  std::vector<LaneArray> v;
  std::array<uint32_t, sreg::Count + 2> s;
  std::vector<uint8_t> lds, memory, scratch, share;
  unsigned waveSize = 0;
  uint64_t exec = 0;

  /// Lanes that are active.
  std::vector<unsigned> lanes() const {
    std::vector<unsigned> result;
    for (unsigned lane = 0; lane < waveSize; ++lane)
      if (exec >> lane & 1)
        result.push_back(lane);
    return result;
  }
  static uint64_t get(const std::vector<uint8_t> &bytes, uint64_t at, unsigned count) {
    uint64_t value = 0;
    std::memcpy(&value, bytes.data() + at, count);
    return value;
  }
  static void put(std::vector<uint8_t> &bytes, uint64_t at, unsigned count, uint64_t value) {
    std::memcpy(bytes.data() + at, &value, count);
  }
  uint64_t pair(unsigned index, unsigned lane) const {
    return v[index][lane] | uint64_t(v[index + 1][lane]) << 32;
  }
};

/// v0: offsets of 16 a lane. v[2:3]: addresses in memory. v1: 4 times another lane. v4 to v11:
/// data. v[16:23]: where results go. s[0:1]: memory. s[4:7]: its descriptor. s8: 32. M0:
/// 0x00300040.
class Bench {
public:
  Bench(StringRef target, unsigned waveSize, StringRef text) : m_bench(target, waveSize, text, 7) {
    if (!m_bench.wave)
      return;
    Workgroup &group = m_bench.group();
    group.memory = &m_space;
    m_memory = m_space.allocate(MemoryBase, MemoryBytes, "memory", true);
    m_scratch = m_space.allocate(ScratchAt, uint64_t(ScratchBytes) * waveSize, "scratch", true);
    mapGlobalShare(m_space);
    group.scratchBytesPerLane = ScratchBytes;
    group.lds.resize(LdsBytes);
    std::mt19937 random(11);
    for (auto bytes : {m_memory, m_scratch, MutableArrayRef<uint8_t>(group.lds)})
      for (uint8_t &byte : bytes)
        byte = static_cast<uint8_t>(random());
    setRegisters();
  }

  Snapshot state() {
    Snapshot result;
    result.v = m_bench.wave->v;
    result.s = m_bench.wave->s;
    result.lds = m_bench.group().lds;
    result.memory.assign(m_memory.begin(), m_memory.end());
    result.scratch.assign(m_scratch.begin(), m_scratch.end());
    const uint8_t *share = m_space.find(GlobalShareBase, GlobalShareBytes, Access::Read);
    result.share.assign(share, share + 4096);
    result.waveSize = m_bench.wave->waveSize;
    result.exec = m_bench.wave->exec();
    return result;
  }

  Wave *wave() { return m_bench.wave.get(); }
  bool run() { return m_bench.run(); }

private:
  void setRegisters() {
    Wave &wave = *m_bench.wave;
    for (unsigned lane = 0; lane < wave.waveSize; ++lane) {
      wave.v[0][lane] = 16 * lane;
      wave.v[1][lane] = 4 * ((lane * 7 + 3) % wave.waveSize);
      uint64_t address = MemoryBase + 16 * lane;
      wave.v[2][lane] = static_cast<uint32_t>(address);
      wave.v[3][lane] = static_cast<uint32_t>(address >> 32);
    }
    wave.writeScalar64(0, MemoryBase);
    auto words = encodeBufferDescriptor(makeRawBuffer(MemoryBase, MemoryBytes, wave.gfxMajor),
                                        wave.gfxMajor);
    std::copy(words.begin(), words.end(), wave.s.begin() + 4);
    wave.s[8] = 32;
    wave.s[sreg::M0] = 0x00300040;
    wave.setExec(wave.laneMask() & 0xfff7fffdff7ffffb);
    // Bits above the 48 of an address do not count: RADV's code sets them.
    wave.scratchBase = ScratchAt | 0xffffull << 48;
    if (wave.gfxMajor == 9)
      wave.writeScalar64(sreg::FlatScratchLo, wave.scratchBase);
  }

  AddressSpace m_space;
  WaveBench m_bench;
  MutableArrayRef<uint8_t> m_memory, m_scratch;
};

constexpr const char *Old = "gfx900 gfx1010 gfx1030";
constexpr const char *New = "gfx1100 gfx1150 gfx1201";
constexpr const char *All = "gfx900 gfx1010 gfx1030 gfx1100 gfx1150 gfx1201";
constexpr const char *Gds = "gfx900 gfx1010 gfx1030";

struct MemoryCase {
  const char *targets;
  const char *text;
  std::function<void(Snapshot &)> model;
};

} // namespace

static void expectSame(const Snapshot &got, const Snapshot &wanted, StringRef what) {
  for (unsigned index = 0; index < got.v.size(); ++index)
    for (unsigned lane = 0; lane < got.waveSize; ++lane)
      ASSERT_EQ(got.v[index][lane], wanted.v[index][lane])
          << what.str() << ": v" << index << " of lane " << lane;
  for (unsigned index = 0; index < got.s.size(); ++index)
    ASSERT_EQ(got.s[index], wanted.s[index]) << what.str() << ": s" << index;
  EXPECT_EQ(got.lds, wanted.lds) << what.str() << ": LDS";
  EXPECT_EQ(got.memory, wanted.memory) << what.str() << ": memory";
  EXPECT_EQ(got.scratch, wanted.scratch) << what.str() << ": scratch";
  EXPECT_EQ(got.share, wanted.share) << what.str() << ": global share";
}

static void runCase(const MemoryCase &each) {
  SmallVector<StringRef, 6> targets;
  StringRef(each.targets).split(targets, ' ');
  for (StringRef target : targets) {
    for (unsigned waveSize : {64u, 32u}) {
      if (waveSize == 32 && target == "gfx900")
        continue;
      Bench bench(target, waveSize, each.text);
      ASSERT_NE(bench.wave(), nullptr);
      Snapshot wanted = bench.state();
      each.model(wanted);
      std::string what = (target + " wave" + Twine(waveSize) + ": " + each.text).str();
      ASSERT_TRUE(bench.run()) << what;
      expectSame(bench.state(), wanted, what);
    }
  }
}

static void runCases(ArrayRef<MemoryCase> cases) {
  for (const MemoryCase &each : cases)
    runCase(each);
}

/// Loads \p dwords a lane from \p bytes, at \p address of the lane.
static std::function<void(Snapshot &)>
loads(std::vector<uint8_t> Snapshot::*bytes,
      std::function<uint64_t(const Snapshot &, unsigned)> address, unsigned dwords) {
  return [=](Snapshot &s) {
    for (unsigned lane : s.lanes())
      for (unsigned i = 0; i < dwords; ++i)
        s.v[16 + i][lane] = uint32_t(Snapshot::get(s.*bytes, address(s, lane) + 4 * i, 4));
  };
}

static std::function<void(Snapshot &)>
stores(std::vector<uint8_t> Snapshot::*bytes,
       std::function<uint64_t(const Snapshot &, unsigned)> address, unsigned count) {
  return [=](Snapshot &s) {
    for (unsigned lane : s.lanes())
      for (unsigned i = 0; i < count; ++i)
        (s.*bytes)[address(s, lane) + i] = uint8_t(s.v[4 + i / 4][lane] >> (i % 4 * 8));
  };
}

/// A narrow load: \p bytes of LDS to the bits of v16 that \p keeps leaves.
static std::function<void(Snapshot &)> narrow(unsigned bytes, bool isSigned, uint32_t keeps,
                                              unsigned shift) {
  return [=](Snapshot &s) {
    for (unsigned lane : s.lanes()) {
      uint64_t value = Snapshot::get(s.lds, s.v[0][lane] + 5, bytes);
      int64_t extended =
          isSigned ? int64_t(value << (64 - 8 * bytes)) >> (64 - 8 * bytes) : int64_t(value);
      uint32_t &to = s.v[16][lane];
      to = (to & keeps) | (uint32_t(extended) << shift & ~keeps);
    }
  };
}

static uint64_t ldsAddress(const Snapshot &s, unsigned lane) {
  return s.v[0][lane];
}

TEST(MemoryOps, LdsLoadsAndStores) {
  auto at8 = [](const Snapshot &s, unsigned lane) { return uint64_t(s.v[0][lane]) + 8; };
  runCases({
      {Old, "ds_read_b32 v16, v0", loads(&Snapshot::lds, ldsAddress, 1)},
      {New, "ds_load_b32 v16, v0", loads(&Snapshot::lds, ldsAddress, 1)},
      {Old, "ds_read_b64 v[16:17], v0 offset:8", loads(&Snapshot::lds, at8, 2)},
      {New, "ds_load_b96 v[16:18], v0 offset:8", loads(&Snapshot::lds, at8, 3)},
      {Old, "ds_read_b128 v[16:19], v0 offset:8", loads(&Snapshot::lds, at8, 4)},
      {Old, "ds_read_u8 v16, v0 offset:5", narrow(1, false, 0, 0)},
      {New, "ds_load_i8 v16, v0 offset:5", narrow(1, true, 0, 0)},
      {Old, "ds_read_i16 v16, v0 offset:5", narrow(2, true, 0, 0)},
      {New, "ds_load_u16 v16, v0 offset:5", narrow(2, false, 0, 0)},
      {Old, "ds_read_u8_d16 v16, v0 offset:5", narrow(1, false, 0xffff0000, 0)},
      {New, "ds_load_i8_d16_hi v16, v0 offset:5", narrow(1, true, 0xffff, 16)},
      {Old, "ds_read_u16_d16_hi v16, v0 offset:5", narrow(2, false, 0xffff, 16)},
      {Old, "ds_write_b32 v0, v4", stores(&Snapshot::lds, ldsAddress, 4)},
      {New, "ds_store_b8 v0, v4", stores(&Snapshot::lds, ldsAddress, 1)},
      {Old, "ds_write_b16 v0, v4", stores(&Snapshot::lds, ldsAddress, 2)},
      {New, "ds_store_b96 v0, v[4:6]", stores(&Snapshot::lds, ldsAddress, 12)},
      {Old, "ds_write_b128 v0, v[4:7]", stores(&Snapshot::lds, ldsAddress, 16)},
      {Old, "ds_write_b8_d16_hi v0, v4",
       [](Snapshot &s) {
         for (unsigned lane : s.lanes())
           s.lds[s.v[0][lane]] = uint8_t(s.v[4][lane] >> 16);
       }},
  });
}

TEST(MemoryOps, LdsOfTwoAddresses) {
  auto load2 = [](unsigned first, unsigned second, unsigned bytes) {
    return [=](Snapshot &s) {
      for (unsigned lane : s.lanes())
        for (unsigned i = 0; i < 2; ++i)
          for (unsigned word = 0; word < bytes / 4; ++word)
            s.v[16 + i * bytes / 4 + word][lane] =
                uint32_t(Snapshot::get(s.lds, s.v[0][lane] + (i ? second : first) + 4 * word, 4));
    };
  };
  auto exchange2 = [](unsigned first, unsigned second) {
    return [=](Snapshot &s) {
      for (unsigned lane : s.lanes())
        for (unsigned i = 0; i < 2; ++i) {
          uint64_t at = s.v[0][lane] + (i ? second : first);
          s.v[16 + i][lane] = uint32_t(Snapshot::get(s.lds, at, 4));
          Snapshot::put(s.lds, at, 4, s.v[4 + i][lane]);
        }
    };
  };
  runCases({
      {Old, "ds_read2_b32 v[16:17], v0 offset0:3 offset1:1", load2(12, 4, 4)},
      {New, "ds_load_2addr_b64 v[16:19], v0 offset0:1 offset1:2", load2(8, 16, 8)},
      {Old, "ds_read2st64_b32 v[16:17], v0 offset0:1 offset1:2", load2(256, 512, 4)},
      {Old, "ds_write2st64_b32 v0, v4, v5 offset0:1 offset1:0",
       [](Snapshot &s) {
         for (unsigned lane : s.lanes()) {
           Snapshot::put(s.lds, s.v[0][lane] + 256, 4, s.v[4][lane]);
           Snapshot::put(s.lds, s.v[0][lane], 4, s.v[5][lane]);
         }
       }},
      {Old, "ds_wrxchg2_rtn_b32 v[16:17], v0, v4, v5 offset0:1 offset1:2", exchange2(4, 8)},
      {New, "ds_storexchg_2addr_rtn_b32 v[16:17], v0, v4, v5 offset0:3", exchange2(12, 0)},
      {New, "ds_storexchg_2addr_stride64_rtn_b32 v[16:17], v0, v4, v5 offset0:4 offset1:5",
       exchange2(1024, 1280)},
  });
}

TEST(MemoryOps, LdsByLaneAndCounters) {
  auto count = [](int sign) {
    return [=](Snapshot &s) { // Whatever M0 is.
      uint64_t old = Snapshot::get(s.lds, 8, 4);
      for (unsigned lane : s.lanes())
        s.v[16][lane] = uint32_t(old);
      Snapshot::put(s.lds, 8, 4, old + uint64_t(sign * int(s.lanes().size())));
    };
  };
  auto byLane = [](const Snapshot &, unsigned lane) { return uint64_t(0x40 + 16 + 4 * lane); };
  runCases({
      {All, "ds_append v16 offset:8", count(1)},
      {All, "ds_consume v16 offset:8", count(-1)},
      {Old, "ds_read_addtid_b32 v16 offset:16", loads(&Snapshot::lds, byLane, 1)},
      {New, "ds_store_addtid_b32 v4 offset:16", stores(&Snapshot::lds, byLane, 4)},
  });
}

TEST(MemoryOps, LdsAtomicsTakeTheirOperandsInOrder) {
  // The comparison comes first up to GFX10, the new value since.
  auto compareSwap = [](unsigned compare, unsigned data) {
    return [=](Snapshot &s) {
      for (unsigned lane : s.lanes()) {
        uint64_t old = Snapshot::get(s.lds, s.v[0][lane], 4);
        s.v[16][lane] = uint32_t(old);
        if (old == s.v[compare][lane])
          Snapshot::put(s.lds, s.v[0][lane], 4, s.v[data][lane]);
      }
    };
  };
  auto maskedOr = [](Snapshot &s) {
    for (unsigned lane : s.lanes()) {
      uint64_t old = Snapshot::get(s.lds, s.v[0][lane], 4);
      Snapshot::put(s.lds, s.v[0][lane], 4, (old & ~uint64_t(s.v[4][lane])) | s.v[5][lane]);
    }
  };
  runCases({
      {Old, "ds_cmpst_rtn_b32 v16, v0, v4, v5", compareSwap(4, 5)},
      {New, "ds_cmpstore_rtn_b32 v16, v0, v4, v5", compareSwap(5, 4)},
      {Old, "ds_mskor_b32 v0, v4, v5", maskedOr},
      {All, "ds_rsub_u32 v0, v4 offset:4",
       [](Snapshot &s) {
         for (unsigned lane : s.lanes()) {
           uint64_t at = s.v[0][lane] + 4;
           Snapshot::put(s.lds, at, 4, uint32_t(s.v[4][lane] - Snapshot::get(s.lds, at, 4)));
         }
       }},
      {All, "ds_add_rtn_u64 v[16:17], v0, v[4:5]",
       [](Snapshot &s) {
         for (unsigned lane : s.lanes()) {
           uint64_t old = Snapshot::get(s.lds, s.v[0][lane], 8);
           s.v[16][lane] = uint32_t(old);
           s.v[17][lane] = uint32_t(old >> 32);
           Snapshot::put(s.lds, s.v[0][lane], 8, old + s.pair(4, lane));
         }
       }},
      // The second address is a signed number of dwords after the first.
      {"gfx900 gfx1010", "ds_add_src2_u32 v0 offset:2",
       [](Snapshot &s) {
         for (unsigned lane : s.lanes()) {
           uint64_t at = s.v[0][lane];
           Snapshot::put(s.lds, at, 4,
                         Snapshot::get(s.lds, at, 4) + Snapshot::get(s.lds, at + 8, 4));
         }
       }},
      {"gfx900 gfx1010", "ds_write_src2_b32 v0 offset:1",
       [](Snapshot &s) {
         for (unsigned lane : s.lanes())
           Snapshot::put(s.lds, s.v[0][lane], 4, Snapshot::get(s.lds, s.v[0][lane] + 4, 4));
       }},
  });
}

TEST(MemoryOps, LaneExchanges) {
  auto swizzle = [](std::function<unsigned(unsigned)> source) {
    return [=](Snapshot &s) {
      LaneArray from = s.v[4];
      for (unsigned lane : s.lanes())
        s.v[16][lane] = s.exec >> source(lane) & 1 ? from[source(lane)] : 0;
    };
  };
  auto backward = [](bool all, bool wide) {
    return [=](Snapshot &s) {
      LaneArray from = s.v[4];
      for (unsigned lane : s.lanes()) {
        unsigned source = s.v[1][lane] / 4 + 1;
        source = wide ? source % s.waveSize : (lane & 32) | source % 32;
        s.v[16][lane] = all || (s.exec >> source & 1) ? from[source] : 0;
      }
    };
  };
  auto reversedBits = [](unsigned lane) {
    unsigned result = 0;
    for (unsigned i = 0; i < 5; ++i)
      result |= (lane >> i & 1) << (4 - i);
    return result;
  };
  runCases({
      {All, "ds_swizzle_b32 v16, v4 offset:0x801f", // Broadcast within quads: lane 3, 3, 1, 0.
       swizzle([](unsigned lane) {
         const unsigned select[] = {3, 3, 1, 0};
         return (lane & ~3u) | select[lane & 3];
       })},
      {All, "ds_swizzle_b32 v16, v4 offset:0x0c5e", // (lane & 30 | 2) ^ 3.
       swizzle([](unsigned lane) { return (lane & 32) | ((((lane & 31) & 30) | 2) ^ 3); })},
      {All, "ds_swizzle_b32 v16, v4 offset:0xc060", // Rotate by three.
       swizzle([](unsigned lane) { return (lane & 32) | ((lane + 3) & 31); })},
      {All, "ds_swizzle_b32 v16, v4 offset:0xe000",
       swizzle([=](unsigned lane) { return (lane & 32) | reversedBits(lane & 31); })},
      {All, "ds_swizzle_b32 v16, v4 offset:0xe010", // The last of five steps is done.
       swizzle([=](unsigned lane) {
         return (lane & 32) | (reversedBits(lane & 31) >> 1 | (lane & 16));
       })},
      {"gfx900 gfx1201", "ds_bpermute_b32 v16, v1, v4 offset:4", backward(false, true)},
      {"gfx1010 gfx1030 gfx1100 gfx1150", "ds_bpermute_b32 v16, v1, v4 offset:4",
       backward(false, false)},
      {"gfx1201", "ds_bpermute_fi_b32 v16, v1, v4 offset:4", backward(true, true)},
      {"gfx900 gfx1201", "ds_permute_b32 v16, v1, v4",
       [](Snapshot &s) {
         LaneArray result{};
         for (unsigned lane : s.lanes())
           result[s.v[1][lane] / 4 % s.waveSize] = s.v[4][lane];
         for (unsigned lane : s.lanes())
           s.v[16][lane] = result[lane];
       }},
  });
}

TEST(MemoryOps, GlobalShare) {
  // M0: 0x40 bytes from byte 0x30 on; what lies beyond reads as 0.
  runCases({
      {Gds, "ds_write_b32 v0, v4 gds",
       [](Snapshot &s) {
         for (unsigned lane : s.lanes())
           if (s.v[0][lane] + 4 <= 0x40)
             Snapshot::put(s.share, 0x30 + s.v[0][lane], 4, s.v[4][lane]);
       }},
      {Gds, "ds_add_rtn_u32 v16, v0, v4 gds",
       [](Snapshot &s) {
         for (unsigned lane : s.lanes()) {
           s.v[16][lane] = 0; // The share begins as zeros.
           if (s.v[0][lane] + 4 <= 0x40)
             Snapshot::put(s.share, 0x30 + s.v[0][lane], 4, s.v[4][lane]);
         }
       }},
      {"gfx1100 gfx1150", "ds_add_u32 v0, v4 gds", // The lowest lane only.
       [](Snapshot &s) {
         Snapshot::put(s.share, 0x30 + s.v[0][s.lanes()[0]], 4, s.v[4][s.lanes()[0]]);
       }},
      {Gds, "ds_append v16 gds",
       [](Snapshot &s) {
         for (unsigned lane : s.lanes())
           s.v[16][lane] = 0;
         Snapshot::put(s.share, 0x30, 4, s.lanes().size());
       }},
      {Gds, "ds_ordered_count v16, v4 offset:772 gds", // Index 4; releases and is done.
       [](Snapshot &s) {
         for (unsigned lane : s.lanes())
           s.v[16][lane] = 0;
         Snapshot::put(s.share, 0x30 * 4 + 4, 4, s.v[4][s.lanes()[0]]);
       }},
  });
}

TEST(MemoryOps, FlatGlobalAndScratch) {
  auto at = [](unsigned offset) {
    return [=](const Snapshot &, unsigned lane) { return uint64_t(16 * lane + offset); };
  };
  auto scratchAt = [](unsigned byte) { // Dword by dword, the lanes side by side.
    return [=](const Snapshot &s, unsigned lane) {
      return uint64_t(byte / 4 * 4 * s.waveSize + 4 * lane);
    };
  };
  auto blockOf = [](Snapshot &s) {
    for (unsigned lane : s.lanes())
      for (unsigned i : {6u, 20u, 21u}) // The bits of M0.
        s.v[16 + i][lane] = uint32_t(Snapshot::get(s.memory, 16 * lane + 4 * i, 4));
  };
  runCases({
      {Old, "flat_load_dwordx2 v[16:17], v[2:3]", loads(&Snapshot::memory, at(0), 2)},
      {New, "flat_load_b32 v16, v[2:3] offset:8", loads(&Snapshot::memory, at(8), 1)},
      {Old, "global_load_dwordx4 v[16:19], v[2:3], off offset:16",
       loads(&Snapshot::memory, at(16), 4)},
      {New, "global_load_b64 v[16:17], v0, s[0:1] offset:4", loads(&Snapshot::memory, at(4), 2)},
      {Old, "global_store_short v0, v4, s[0:1] offset:6", stores(&Snapshot::memory, at(6), 2)},
      {"gfx1030", "global_load_dword_addtid v16, s[0:1] offset:20",
       loads(
           &Snapshot::memory, [](const Snapshot &, unsigned lane) { return 20 + 4 * lane; }, 1)},
      {New, "global_store_addtid_b32 v4, s[0:1] offset:20",
       stores(
           &Snapshot::memory, [](const Snapshot &, unsigned lane) { return 20 + 4 * lane; }, 4)},
      {"gfx1201", "global_load_block v[16:47], v[2:3], off", blockOf},
      {"gfx1201", "s_mov_b32 m0, 12\nglobal_load_block v[0:31], v[2:3], off",
       [](Snapshot &s) { // Over its address.
         s.s[sreg::M0] = 12;
         for (unsigned lane : s.lanes())
           for (unsigned i : {2u, 3u})
             s.v[i][lane] = uint32_t(Snapshot::get(s.memory, 16 * lane + 4 * i, 4));
       }},
      {Old, "scratch_load_dword v16, off, s8", loads(&Snapshot::scratch, scratchAt(32), 1)},
      {New, "scratch_load_b32 v16, off, s8 offset:8", loads(&Snapshot::scratch, scratchAt(40), 1)},
      {Old, "scratch_store_dword off, v4, s8 offset:8",
       stores(&Snapshot::scratch, scratchAt(40), 4)},
      // Into LDS, after M0[17:2].
      {"gfx900 gfx1010 gfx1030", "global_load_ushort v[2:3], off lds",
       [](Snapshot &s) {
         for (unsigned lane : s.lanes())
           Snapshot::put(s.lds, 0x40 + 4 * lane, 4, Snapshot::get(s.memory, 16 * lane, 2));
       }},
  });
}

TEST(MemoryOps, ScalarStoresAndAtomics) {
  constexpr const char *Stores = "gfx900 gfx1010";
  runCases({
      {Stores, "s_store_dwordx2 s[10:11], s[0:1], 0x20",
       [](Snapshot &s) {
         Snapshot::put(s.memory, 0x20, 4, s.s[10]);
         Snapshot::put(s.memory, 0x24, 4, s.s[11]);
       }},
      {Stores, "s_buffer_store_dword s10, s[4:7], 0x10",
       [](Snapshot &s) { Snapshot::put(s.memory, 0x10, 4, s.s[10]); }},
      {Stores, "s_buffer_store_dword s10, s[4:7], 0x1000", [](Snapshot &) {}}, // Out of range.
      {Stores, "s_scratch_store_dword s10, s[0:1], s8", // Blocks of 64 bytes.
       [](Snapshot &s) { Snapshot::put(s.memory, 32 * 64, 4, s.s[10]); }},
      {Stores, "s_scratch_load_dword s20, s[0:1], s8",
       [](Snapshot &s) { s.s[20] = uint32_t(Snapshot::get(s.memory, 32 * 64, 4)); }},
      {Stores, "s_atomic_add s10, s[0:1], 0x8 glc",
       [](Snapshot &s) {
         uint64_t old = Snapshot::get(s.memory, 8, 4);
         Snapshot::put(s.memory, 8, 4, old + s.s[10]);
         s.s[10] = uint32_t(old);
       }},
      {Stores, "s_buffer_atomic_cmpswap_x2 s[12:15], s[4:7], 0x18",
       [](Snapshot &s) {
         uint64_t compare = s.s[14] | uint64_t(s.s[15]) << 32;
         if (Snapshot::get(s.memory, 0x18, 8) == compare)
           Snapshot::put(s.memory, 0x18, 8, s.s[12] | uint64_t(s.s[13]) << 32);
       }},
      {"gfx1201", "s_load_i8 s20, s[0:1], 0x3",
       [](Snapshot &s) { s.s[20] = uint32_t(int32_t(int8_t(s.memory[3]))); }},
      {"gfx1201", "s_buffer_load_u16 s20, s[4:7], 0x6",
       [](Snapshot &s) { s.s[20] = uint32_t(Snapshot::get(s.memory, 6, 2)); }},
  });
}

TEST(MemoryOps, BuffersIntoLdsAndBack) {
  constexpr const char *Lds = "gfx900 gfx1010 gfx1030";
  runCases({
      {Lds, "buffer_load_sbyte v0, s[4:7], s8 offen offset:4 lds",
       [](Snapshot &s) {
         for (unsigned lane : s.lanes())
           Snapshot::put(s.lds, 0x40 + 4 + 4 * lane, 4,
                         uint32_t(int32_t(int8_t(s.memory[16 * lane + 32 + 4]))));
       }},
      {"gfx900", "buffer_store_lds_dword s[4:7], s8 offset:4 lds",
       [](Snapshot &s) {
         for (unsigned lane : s.lanes()) // One address for all: the last lane stays.
           Snapshot::put(s.memory, 32 + 4, 4, Snapshot::get(s.lds, 0x40 + 4 + 4 * lane, 4));
       }},
      {Old, "buffer_load_dword v[16:17], v0, s[4:7], 0 offen tfe",
       [](Snapshot &s) {
         for (unsigned lane : s.lanes()) {
           s.v[16][lane] = uint32_t(Snapshot::get(s.memory, 16 * lane, 4));
           s.v[17][lane] = 0;
         }
       }},
  });
}

/// 16_16_16_16_UINT and _FLOAT: two components a register.
TEST(MemoryOps, FormatsOfSixteenBits) {
  auto words = [](unsigned first, unsigned count) {
    return [=](Snapshot &s) {
      for (unsigned lane : s.lanes())
        for (unsigned i = 0; i < count; ++i) {
          uint32_t &to = s.v[16 + i / 2][lane];
          auto half = uint32_t(Snapshot::get(s.memory, 16 * lane + first + 2 * i, 2));
          to = i % 2 ? (to & 0xffff) | half << 16 : (to & 0xffff0000) | half;
        }
    };
  };
  runCases({
      {"gfx900",
       "tbuffer_load_format_d16_xyzw v[16:17], v0, s[4:7], 0 "
       "format:[BUF_DATA_FORMAT_16_16_16_16,BUF_NUM_FORMAT_UINT] offen",
       words(0, 4)},
      {"gfx1010 gfx1030",
       "tbuffer_load_format_d16_xyz v[16:17], v0, s[4:7], 0 "
       "format:[BUF_FMT_16_16_16_16_UINT] offen offset:8",
       words(8, 3)},
      {"gfx1100 gfx1150",
       "tbuffer_load_d16_format_xy v16, v0, s[4:7], 0 format:[BUF_FMT_16_16_SINT] offen",
       words(0, 2)},
      {"gfx1201", "tbuffer_load_d16_format_x v16, v0, s[4:7], null format:[BUF_FMT_16_UINT] offen",
       words(0, 1)},
      {"gfx1100", "tbuffer_store_d16_format_xy v4, v0, s[4:7], 0 format:[BUF_FMT_16_16_UINT] offen",
       stores(
           &Snapshot::memory, [](const Snapshot &, unsigned lane) { return uint64_t(16 * lane); },
           4)},
  });
}
