// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Exports, messages and the interpolation of attributes, on waves that tests set up.
#include "oracles/machine/gcn/Interpolation.h"
#include "oracles/machine/gcn/WaveTesting.h"
#include "llvm/ADT/bit.h"
#include <cmath>
#include <cstring>

using namespace llvm;
using namespace assay;
using namespace assay::gcn;

static float asFloat(uint32_t bits) {
  return llvm::bit_cast<float>(bits);
}

// --- Exports

namespace {
struct ExportCase {
  const char *target;
  const char *text;
  ExportTarget place;
  unsigned index;
  unsigned enabled;
  bool isCompressed, isDone, isValidMask, hasRow;
};
constexpr ExportCase ExportCases[] = {
    {"gfx900", "exp mrt3 v4, v5, v6, v7 done vm", ExportTarget::Color, 3, 15, false, true, true,
     false},
    {"gfx900", "exp param31 v4, off, v6, off", ExportTarget::Parameter, 31, 5, false, false, false,
     false},
    {"gfx1030", "exp mrt0 v4, v4, v5, v5 compr vm", ExportTarget::Color, 0, 15, true, false, true,
     false},
    {"gfx1030", "exp pos4 v4, v5, v6, v7", ExportTarget::Position, 4, 15, false, false, false,
     false},
    {"gfx1030", "exp prim v4, off, off, off done", ExportTarget::Primitive, 0, 1, false, true,
     false, false},
    {"gfx1030", "exp null off, off, off, off done", ExportTarget::Nothing, 0, 0, false, true, false,
     false},
    {"gfx1100", "exp dual_src_blend1 v4, v5, v6, v7", ExportTarget::DualSource, 1, 15, false, false,
     false, false},
    {"gfx1100", "exp mrtz off, v5, off, off done", ExportTarget::Depth, 0, 2, false, true, false,
     false},
    {"gfx1100", "exp pos1 v4, v5, v6, v7 done row_en", ExportTarget::Position, 1, 15, false, true,
     false, true},
    {"gfx1201", "export mrt7 v4, v5, v6, v7", ExportTarget::Color, 7, 15, false, false, false,
     false},
};
} // namespace

TEST(Exports, AreRecordedWithTheirLanes) {
  for (const ExportCase &each : ExportCases) {
    WaveBench bench(each.target, 64, each.text);
    Wave &wave = *bench.wave;
    wave.setExec(0xff00ff00f0f0f0f3);
    wave.s[sreg::M0] = 0xabcd0100 + 77; // The row has eight bits.
    ASSERT_TRUE(bench.run()) << each.target << " " << each.text;
    ASSERT_EQ(wave.exports.size(), 1u);
    const ExportRecord &record = wave.exports[0];
    EXPECT_EQ(record.place.target, each.place) << each.text;
    EXPECT_EQ(record.place.index, each.index) << each.text;
    EXPECT_EQ(record.enabled, each.enabled) << each.text;
    EXPECT_EQ(record.isCompressed, each.isCompressed) << each.text;
    EXPECT_EQ(record.isDone, each.isDone) << each.text;
    EXPECT_EQ(record.isValidMask, each.isValidMask) << each.text;
    EXPECT_EQ(record.row, each.hasRow ? std::optional(77u) : std::nullopt) << each.text;
    EXPECT_EQ(record.exec, wave.exec());
    for (unsigned i = 0; i < (each.isCompressed ? 2u : 4u); ++i)
      for (unsigned lane = 0; lane < 64; ++lane) {
        bool isSent = (wave.exec() >> lane & 1) && (each.isCompressed || each.enabled >> i & 1);
        EXPECT_EQ(record.values[i][lane], isSent ? wave.v[4 + i][lane] : 0) << each.text;
      }
  }
}

TEST(Exports, PlacesDifferByGeneration) {
  EXPECT_FALSE(findExportPlace(32, 11)) << "parameters go through memory since GFX11";
  EXPECT_TRUE(findExportPlace(32, 10));
  EXPECT_FALSE(findExportPlace(16, 9)) << "POS4";
  EXPECT_FALSE(findExportPlace(20, 9)) << "PRIM";
  EXPECT_FALSE(findExportPlace(9, 11)) << "NULL";
  EXPECT_FALSE(findExportPlace(21, 10)) << "dual source";
  EXPECT_FALSE(findExportPlace(10, 10));
}

TEST(Messages, AreRecordedWithM0) {
  for (const char *target : {"gfx900", "gfx1030", "gfx1100", "gfx1201"}) {
    WaveBench bench(target, 64, "s_sendmsg sendmsg(MSG_GS_ALLOC_REQ)");
    bench.wave->s[sreg::M0] = 0x3004;
    ASSERT_TRUE(bench.run()) << target;
    ASSERT_EQ(bench.wave->messages.size(), 1u);
    EXPECT_EQ(bench.wave->messages[0].message, 9);
    EXPECT_EQ(bench.wave->messages[0].m0, 0x3004u);
  }
}

// --- Interpolation

namespace {
constexpr uint32_t ParameterOffset = 0x80;
/// Quads 3 and 7 begin another primitive.
constexpr uint32_t PrimitiveMask = 1u << 2 | 1u << 6;

/// A wave whose LDS has parameters: small numbers, so that sums are exact.
class AttributeBench {
public:
  AttributeBench(StringRef target, unsigned waveSize, StringRef text)
      : m_bench(target, waveSize, text) {
    std::vector<uint8_t> &lds = m_bench.group().lds;
    lds.resize(4096);
    std::mt19937 random(5);
    for (unsigned i = 0; i < lds.size() / 4; ++i) {
      auto value = static_cast<float>(int(random() % 256) - 128) / 8;
      std::memcpy(&lds[4 * i], &value, 4);
    }
    wave().s[sreg::M0] = PrimitiveMask << 16 | ParameterOffset;
    for (unsigned lane = 0; lane < 64; ++lane) {
      wave().v[4][lane] = llvm::bit_cast<uint32_t>(float(lane) / 64);
      wave().v[5][lane] = llvm::bit_cast<uint32_t>(float(63 - lane) / 64);
    }
  }

  Wave &wave() { return *m_bench.wave; }
  bool run() { return m_bench.run(); }

  /// P0, P10 or P20, by the manual's formula: twelve dwords an attribute of a primitive.
  float parameter(unsigned lane, unsigned attribute, unsigned channel, unsigned which) {
    unsigned quad = lane / 4;
    unsigned primitive = (quad >= 3) + (quad >= 7);
    unsigned dword = (attribute * 3 + primitive) * 12 + which * 4 + channel;
    float value;
    std::memcpy(&value, &m_bench.group().lds[ParameterOffset + 4 * dword], 4);
    return value;
  }
  uint32_t parameterBits(unsigned lane, unsigned attribute, unsigned channel, unsigned which) {
    return llvm::bit_cast<uint32_t>(parameter(lane, attribute, channel, which));
  }

private:
  WaveBench m_bench;
};
} // namespace

TEST(Interpolation, AddressesFollowTheManual) {
  uint32_t m0 = PrimitiveMask << 16 | ParameterOffset;
  EXPECT_EQ(countPrimitives(m0), 3u);
  EXPECT_EQ(parameterAddress(m0, 0, 0, 0, 0), 0x80u);
  EXPECT_EQ(parameterAddress(m0, 2, 0, 3, 2), 0x80u + 4 * 11);
  EXPECT_EQ(parameterAddress(m0, 3, 1, 0, 0), 0x80u + 4 * 12 * 4);
  EXPECT_EQ(parameterAddress(m0, 15, 2, 1, 1), 0x80u + 4 * (12 * 8 + 5));
  EXPECT_EQ(countPrimitives(0x7fff0000), 16u);
}

TEST(Interpolation, OldInstructionsReadAndInterpolate) {
  for (const char *target : {"gfx900", "gfx1010", "gfx1030"}) {
    AttributeBench bench(target, 64,
                         "v_interp_p1_f32 v16, v4, attr2.y\nv_interp_p2_f32 v16, v5, attr2.y\n"
                         "v_interp_mov_f32 v17, p10, attr1.w\nv_interp_mov_f32 v18, p0, attr3.x\n"
                         "v_interp_p1_f32_e64 v19, -v4, attr0.z clamp");
    ASSERT_TRUE(bench.run()) << target;
    for (unsigned lane = 0; lane < 64; ++lane) {
      float i = asFloat(bench.wave().v[4][lane]), j = asFloat(bench.wave().v[5][lane]);
      float first = std::fma(bench.parameter(lane, 2, 1, 1), i, bench.parameter(lane, 2, 1, 0));
      EXPECT_EQ(asFloat(bench.wave().v[16][lane]),
                std::fma(bench.parameter(lane, 2, 1, 2), j, first))
          << target << " " << lane;
      EXPECT_EQ(bench.wave().v[17][lane], bench.parameterBits(lane, 1, 3, 1));
      EXPECT_EQ(bench.wave().v[18][lane], bench.parameterBits(lane, 3, 0, 0));
      float sum = std::fma(bench.parameter(lane, 0, 2, 1), -i, bench.parameter(lane, 0, 2, 0));
      EXPECT_EQ(asFloat(bench.wave().v[19][lane]), std::fmin(std::fmax(sum, 0), 1));
    }
  }
}

TEST(Interpolation, HalvesOfOldAttributes) {
  for (const char *target : {"gfx900", "gfx1030"}) {
    AttributeBench bench(target, 64,
                         "v_interp_p1ll_f16 v16, v4, attr1.x high\n"
                         "v_interp_p2_f16 v17, v5, attr1.x, v16 high");
    // 2.0 and 3.0 in the high halves of P10 and P20, 0.5 in P0's.
    for (unsigned lane = 0; lane < 64; lane += 4)
      for (auto [which, bits] : {std::pair(0u, 0x3800dead), {1u, 0x4000dead}, {2u, 0x4200dead}}) {
        uint64_t at = parameterAddress(bench.wave().s[sreg::M0], lane / 4, 1, 0, which);
        std::memcpy(&bench.wave().group->lds[at], &bits, 4);
      }
    std::vector<uint32_t> before(bench.wave().v[17].begin(), bench.wave().v[17].end());
    ASSERT_TRUE(bench.run()) << target;
    for (unsigned lane = 0; lane < 64; ++lane) {
      float first = 0.5f + 2 * asFloat(bench.wave().v[4][lane]);
      EXPECT_EQ(asFloat(bench.wave().v[16][lane]), first);
      float sum = first + 3 * asFloat(bench.wave().v[5][lane]);
      uint32_t half = bench.wave().v[17][lane] & 0xffff;
      float exponent = std::ldexp(1.0f, int(half >> 10) - 25);
      EXPECT_NEAR(exponent * float((half & 1023) | 1024), sum, exponent / 2) << lane;
      uint32_t kept = before[lane] & 0xffff0000;
      EXPECT_EQ(bench.wave().v[17][lane] & 0xffff0000, kept);
    }
  }
}

TEST(Interpolation, NewInstructionsTakeParametersFromTheirQuad) {
  for (const char *target : {"gfx1100", "gfx1150", "gfx1201"}) {
    std::string load = std::string(target) == "gfx1201"
                           ? "ds_param_load v16, attr2.y wait_va_vdst:0 wait_vm_vsrc:0\n"
                           : "lds_param_load v16, attr2.y wait_vdst:0\n";
    AttributeBench bench(target, 64,
                         load + "v_interp_p10_f32 v17, v16, v4, v16 wait_exp:0\n"
                                "v_interp_p2_f32 v18, v16, -v5, v17 wait_exp:7");
    ASSERT_TRUE(bench.run()) << target;
    for (unsigned lane = 0; lane < 64; ++lane) {
      unsigned quad = lane & ~3u;
      for (unsigned which = 0; which < 3; ++which)
        EXPECT_EQ(bench.wave().v[16][quad + which], bench.parameterBits(lane, 2, 1, which));
      EXPECT_EQ(bench.wave().v[16][quad + 3], 0u);
      float i = asFloat(bench.wave().v[4][lane]), j = asFloat(bench.wave().v[5][lane]);
      float first = std::fma(bench.parameter(lane, 2, 1, 1), i, bench.parameter(lane, 2, 1, 0));
      EXPECT_EQ(asFloat(bench.wave().v[17][lane]), first) << target << " " << lane;
      EXPECT_EQ(asFloat(bench.wave().v[18][lane]),
                std::fma(bench.parameter(lane, 2, 1, 2), -j, first));
    }
  }
}

TEST(Interpolation, QuadsWithOneActiveLaneAreLoadedWhole) {
  AttributeBench bench("gfx1100", 32, "lds_param_load v16, attr0.x wait_vdst:0");
  bench.wave().setExec(0x00000020); // Lane 5, of quad 1.
  LaneArray before = bench.wave().v[16];
  ASSERT_TRUE(bench.run());
  for (unsigned lane = 0; lane < 32; ++lane) {
    if (lane / 4 == 1)
      continue;
    EXPECT_EQ(bench.wave().v[16][lane], before[lane]);
  }
  EXPECT_EQ(bench.wave().v[16][4], bench.parameterBits(5, 0, 0, 0));
}

TEST(Interpolation, DirectLoadsBroadcastOneElement) {
  struct Row {
    uint32_t type;
    unsigned bytes;
    bool isSigned;
  };
  for (const Row &row :
       {Row{0, 1, false}, {1, 2, false}, {2, 4, false}, {4, 1, true}, {5, 2, true}}) {
    AttributeBench bench("gfx1100", 32, "lds_direct_load v16 wait_vdst:0");
    bench.wave().s[sreg::M0] = row.type << 16 | 0x124;
    uint64_t value = 0;
    std::memcpy(&value, &bench.wave().group->lds[0x124], row.bytes);
    unsigned unused = 64 - 8 * row.bytes;
    int64_t number = row.isSigned ? int64_t(value << unused) >> unused : int64_t(value);
    ASSERT_TRUE(bench.run());
    for (unsigned lane = 0; lane < 32; ++lane)
      EXPECT_EQ(bench.wave().v[16][lane], static_cast<uint32_t>(number));
  }
}

TEST(Interpolation, ParametersOfSixteenBitsRoundAsTheNameSays) {
  struct Row {
    const char *text;
    bool toZero;
  };
  for (const Row &row : {Row{"v_interp_p2_f16_f32 v17.l, v16.l, v4, v5 wait_exp:0", false},
                         {"v_interp_p2_rtz_f16_f32 v17.l, v16.l, v4, v5 wait_exp:0", true}}) {
    AttributeBench bench("gfx1100", 32, row.text);
    for (unsigned lane = 0; lane < 32; ++lane) {
      bench.wave().v[16][lane] = 0x3c00; // 1.0
      bench.wave().v[4][lane] = llvm::bit_cast<uint32_t>(1.0f);
      bench.wave().v[5][lane] = llvm::bit_cast<uint32_t>(0x1.8p-11f); // 3/4 of the last place.
    }
    ASSERT_TRUE(bench.run()) << row.text;
    for (unsigned lane = 0; lane < 32; ++lane)
      EXPECT_EQ(bench.wave().v[17][lane] & 0xffff, row.toZero ? 0x3c00u : 0x3c01u);
  }
}

/// As if all waves that were launched before had left their ordered section.
TEST(FragmentOps, TheExitingWaveIsTheWavesOwn) {
  for (StringRef target : {"gfx900", "gfx1030"}) {
    StringRef add = target == "gfx900" ? "v_add_u32_e64" : "v_add_nc_u32_e64";
    WaveBench bench(
        target, 64,
        ("s_add_i32 s3, src_pops_exiting_wave_id, s4\n" + add + " v0, src_pops_exiting_wave_id, v1")
            .str());
    bench.wave->number = 0x407; // Ten bits count.
    ASSERT_TRUE(bench.run());
    EXPECT_EQ(bench.wave->s[3], bench.wave->s[4] + 7);
    EXPECT_EQ(bench.wave->v[0][5], bench.wave->v[1][5] + 7);
  }
}
