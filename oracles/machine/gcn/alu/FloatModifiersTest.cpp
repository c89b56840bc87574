// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Output modifier and clamp of float results, mode bits, halves and bytes of registers: literal
// cases from the manuals and from measurements (docs/errata-amdgpu.md), and operations against
// their definitions.
#include "oracles/machine/gcn/WaveTesting.h"
#include "oracles/machine/gcn/alu/Modifiers.h"
#include "oracles/machine/gcn_alu/definitions/Definition.h"

using namespace llvm;
using namespace assay;
using namespace assay::gcn;

namespace {
/// A result before and after the output modifier and clamp, without denormals.
struct Case {
  OperandKind kind;
  int omod;
  bool clamp;
  uint64_t before, after;
};
} // namespace

static constexpr Case Cases[] = {
    {OperandKind::F32, 1, false, 0x3f800000, 0x40000000},
    {OperandKind::F32, 2, false, 0xbf800000, 0xc0800000},
    {OperandKind::F32, -1, false, 0x3f800000, 0x3f000000},
    {OperandKind::F32, 1, false, 0x80000000, 0},           // -0 becomes +0
    {OperandKind::F32, 2, false, 0x80000001, 0},           // as do denormals
    {OperandKind::F32, -1, false, 0x80800000, 0x80000000}, // a halved normal keeps its sign
    {OperandKind::F32, -1, false, 0x00ffffff, 0},
    {OperandKind::F32, -1, false, 0x01000000, 0x00800000},
    {OperandKind::F32, 2, false, 0x7f000000, 0x7f800000},
    {OperandKind::F32, 1, false, 0x7fc12345, 0x7fc12345},
    {OperandKind::F32, 1, false, 0xff800000, 0xff800000},
    {OperandKind::F32, 0, true, 0x80000000, 0},
    {OperandKind::F32, 0, true, 0x3f800001, 0x3f800000},
    {OperandKind::F32, 1, true, 0x3f400000, 0x3f800000},
    {OperandKind::F32, 0, true, 0xffc00000, 0},
    {OperandKind::F16, 1, false, 0x3c00, 0x4000},
    {OperandKind::F16, 2, false, 0x7800, 0x7c00},
    {OperandKind::F16, -1, false, 0x8400, 0x8000},
    {OperandKind::F16, -1, false, 0x8001, 0},
    {OperandKind::F16, 0, true, 0x3c01, 0x3c00},
    {OperandKind::F64, -1, false, 0x3ff0000000000000, 0x3fe0000000000000},
    {OperandKind::F64, -1, false, 0x8010000000000000, 0x8000000000000000},
    {OperandKind::F64, 1, false, 0x8000000000000000, 0},
    {OperandKind::F64, 2, false, 0xffe0000000000000, 0xfff0000000000000},
    {OperandKind::F64, 0, true, 0xbff0000000000000, 0},
    {OperandKind::PkF16, 0, true, 0xbc003c01, 0x00003c00},
};

static AluMode flushingMode(unsigned gfxMajor) {
  AluMode mode;
  mode.f16f64DenormIn = mode.f16f64DenormOut = false;
  mode.gfxMajor = gfxMajor;
  return mode;
}

static uint64_t modified(const Case &each, const AluMode &mode) {
  Modifiers mods;
  mods.omod = static_cast<int8_t>(each.omod);
  mods.clamp = each.clamp;
  return applyResultModifiers(each.before, each.kind, mods, mode);
}

TEST(FloatModifiers, ScaleAndClampResults) {
  for (unsigned gfxMajor : {9u, 10u, 11u, 12u})
    for (const Case &each : Cases)
      EXPECT_EQ(modified(each, flushingMode(gfxMajor)), each.after)
          << std::hex << each.before << " omod " << each.omod;
}

TEST(FloatModifiers, OverflowFollowsTheMode) {
  AluMode mode = flushingMode(12);
  mode.f32Round = 3;
  EXPECT_EQ(modified({OperandKind::F32, 2, false, 0xff000000, 0}, mode), 0xff7fffffu);
  mode.f16f64Round = 1;
  EXPECT_EQ(modified({OperandKind::F16, 2, false, 0xf800, 0}, mode), 0xfbffu);
  mode.f16f64Round = 0;
  mode.fp16Overflow = true;
  EXPECT_EQ(modified({OperandKind::F16, 2, false, 0x7800, 0}, mode), 0x7bffu);
}

TEST(FloatModifiers, ScalingNeedsFlushedDenormalsBeforeGfx12) {
  AluMode mode = flushingMode(11);
  Case twice = {OperandKind::F32, 1, false, 0x3f800000, 0};
  mode.ieee = true;
  EXPECT_EQ(modified(twice, mode), 0x3f800000u);
  mode.ieee = false;
  mode.f32DenormOut = true;
  EXPECT_EQ(modified(twice, mode), 0x3f800000u);
  mode.gfxMajor = 12;
  EXPECT_EQ(modified(twice, mode), 0x40000000u);
}

TEST(FloatModifiers, NansClampToZeroOnlyWithDx10Clamp) {
  AluMode mode = flushingMode(11);
  Case nan = {OperandKind::F32, 0, true, 0x7fc00001, 0};
  EXPECT_EQ(modified(nan, mode), 0u);
  mode.dx10Clamp = false;
  EXPECT_EQ(modified(nan, mode), 0x7fc00001u);
}

TEST(FloatModifiers, SixteenBitOverflowFollowsItsModeBit) {
  for (uint32_t bit : {0u, 1u << 23}) {
    WaveBench bench("gfx1201", 32, "v_mul_f16_e32 v0, v1, v2");
    bench.wave->setMode(0xf0 | bit);
    bench.wave->v[0].fill(0);
    bench.wave->v[1].fill(0x7800);
    bench.wave->v[2].fill(0x4400);
    ASSERT_TRUE(bench.run());
    EXPECT_EQ(bench.wave->v[0][5], bit ? 0x7bffu : 0x7c00u);
  }
}

/// What \p name makes of \p sources, a byte chosen.
static uint64_t defined(StringRef name, ArrayRef<uint64_t> sources, uint8_t byte = 0) {
  const definitions::ReadyDefinition *ready = definitions::findDefinition(name, 12);
  if (!ready)
    report_fatal_error(Twine("no definition of ") + name);
  AluInput input;
  std::copy(sources.begin(), sources.end(), input.src);
  input.byteSelect = byte;
  AluMode mode;
  mode.gfxMajor = 12;
  mode.f32DenormIn = mode.f32DenormOut = true;
  return definitions::define(*ready, input, mode).value;
}

TEST(FloatModifiers, EightBitFloatsChooseTheirByte) {
  for (unsigned byte = 0; byte < 4; ++byte) {
    std::string suffix = byte ? " byte_sel:" + std::to_string(byte) : "";
    for (std::string type : {"fp8", "bf8"}) {
      std::string from = "v_cvt_f32_" + type, to = "v_cvt_sr_" + type + "_f32";
      WaveBench load("gfx1201", 32, from + "_e64 v0, v1" + suffix);
      std::vector<LaneArray> v = load.wave->v;
      ASSERT_TRUE(load.run()) << load.failure();
      WaveBench store("gfx1201", 32, to + " v0, v1, v2" + suffix);
      ASSERT_TRUE(store.run()) << store.failure();
      for (unsigned lane = 0; lane < 32; ++lane) {
        EXPECT_EQ(load.wave->v[0][lane], defined(from, {v[1][lane]}, uint8_t(byte)));
        EXPECT_EQ(store.wave->v[0][lane],
                  defined(to, {v[1][lane], v[2][lane], v[0][lane]}, uint8_t(byte)));
      }
    }
  }
}

TEST(FloatModifiers, PairsOfEightBitFloatsChooseTheirHalf) {
  for (bool high : {false, true})
    for (std::string type : {"fp8", "bf8"}) {
      std::string from = "v_cvt_pk_f32_" + type, to = "v_cvt_pk_" + type + "_f32";
      WaveBench load("gfx1201", 32, from + "_e64 v[4:5], v1" + (high ? " op_sel:[1,0]" : ""));
      std::vector<LaneArray> v = load.wave->v;
      ASSERT_TRUE(load.run()) << load.failure();
      WaveBench store("gfx1201", 32, to + " v0, v1, v2" + (high ? " op_sel:[0,0,1]" : ""));
      ASSERT_TRUE(store.run()) << store.failure();
      for (unsigned lane = 0; lane < 32; ++lane) {
        uint64_t pair = defined(from, {(v[1][lane] >> (high ? 16 : 0)) & 0xffff});
        EXPECT_EQ(load.wave->v[4][lane], uint32_t(pair));
        EXPECT_EQ(load.wave->v[5][lane], uint32_t(pair >> 32));
        uint64_t half = defined(to, {v[1][lane], v[2][lane]});
        uint32_t old = v[0][lane];
        EXPECT_EQ(store.wave->v[0][lane], high ? (old & 0xffff) | uint32_t(half << 16)
                                               : (old & 0xffff0000) | uint32_t(half));
      }
    }
}

TEST(FloatModifiers, MixedSourcesFlushDenormalsByTheirOwnMode) {
  for (uint32_t mode : {0x30u, 0xf0u}) {
    WaveBench bench("gfx1100", 32, "v_fma_mix_f32 v0, v1, v2, v3 op_sel_hi:[1,0,0]");
    bench.wave->setMode(mode);
    bench.wave->v[1].fill(1);
    bench.wave->v[2].fill(0x3f800000);
    bench.wave->v[3].fill(0);
    ASSERT_TRUE(bench.run());
    EXPECT_EQ(bench.wave->v[0][0], mode & 0xc0 ? 0x33800000u : 0u);
  }
}
