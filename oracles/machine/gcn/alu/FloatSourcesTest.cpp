// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Signs, halves and parts of float sources, and what follows a float result: random modifiers on
// real instructions, against the operations' definitions and the manuals' chapters on the
// encodings.
#include "oracles/machine/gcn/WaveTesting.h"
#include "oracles/machine/gcn_alu/definitions/Definition.h"

using namespace llvm;
using namespace assay;
using namespace assay::gcn;

namespace {
/// The bits of MODE and the generation that a test runs in.
struct Setting {
  const char *target;
  uint32_t modeBits;

  unsigned gfxMajor() const {
    unsigned number = 0;
    StringRef(target).drop_front(3).drop_back(2).getAsInteger(10, number);
    return number;
  }
  AluMode mode() const {
    AluMode mode;
    mode.f32Round = modeBits & 3;
    mode.f16f64Round = modeBits >> 2 & 3;
    mode.f32DenormIn = modeBits & 0x10;
    mode.f32DenormOut = modeBits & 0x20;
    mode.f16f64DenormIn = modeBits & 0x40;
    mode.f16f64DenormOut = modeBits & 0x80;
    mode.dx10Clamp = gfxMajor() >= 12 || (modeBits & 0x100);
    mode.gfxMajor = gfxMajor();
    return mode;
  }
};
} // namespace

static const Setting Settings[] = {{"gfx900", 0x100},  {"gfx900", 0x1f0}, {"gfx1030", 0x00},
                                   {"gfx1030", 0x1fc}, {"gfx1201", 0x0f}, {"gfx1201", 0xf5},
                                   {"gfx1010", 0x10a}, {"gfx1201", 0x30}};

static uint64_t defined(StringRef name, const Setting &setting, ArrayRef<uint64_t> sources) {
  const definitions::ReadyDefinition *ready = definitions::findDefinition(name, setting.gfxMajor());
  if (!ready)
    report_fatal_error(Twine("no definition of ") + name);
  AluInput input;
  std::copy(sources.begin(), sources.end(), input.src);
  return definitions::define(*ready, input, setting.mode()).value;
}

namespace {
/// abs and neg of one source.
struct Signs {
  bool abs, neg;

  uint64_t applied(uint64_t bits, unsigned width) const {
    uint64_t sign = uint64_t(1) << (width - 1);
    if (abs)
      bits &= ~sign;
    return neg ? bits ^ sign : bits;
  }
  std::string on(const std::string &operand) const {
    std::string text = abs ? "|" + operand + "|" : operand;
    return neg ? "-" + text : text;
  }
};

struct Random {
  std::mt19937 engine;
  bool flip() { return engine() & 1; }
  unsigned below(unsigned limit) { return engine() % limit; }
  Signs signs() { return {flip(), flip()}; }
};
} // namespace

static uint64_t oneOf(unsigned width) {
  return width == 16 ? 0x3c00 : width == 32 ? 0x3f800000 : 0x3ff0000000000000;
}

static uint64_t infinityOf(unsigned width) {
  return width == 16 ? 0x7c00 : width == 32 ? 0x7f800000 : 0x7ff0000000000000;
}

/// Scaled by v_ldexp, but that what is zero or denormal becomes +0, and NaNs stay.
static uint64_t scaled(uint64_t bits, unsigned width, int exponent, Setting setting) {
  uint64_t sign = uint64_t(1) << (width - 1), infinity = infinityOf(width);
  uint64_t smallest = infinity & ~(infinity - 1);
  uint64_t magnitude = bits & (sign - 1);
  if (magnitude >= infinity)
    return bits;
  if (magnitude < smallest)
    return 0;
  setting.modeBits &= ~(width == 32 ? 0x20u : 0x80u);
  uint64_t count = definitions::lowBits(exponent, width == 16 ? 16 : 32);
  return defined("v_ldexp_f" + std::to_string(width), setting, {bits, count});
}

static uint64_t clamped(uint64_t bits, unsigned width, const Setting &setting) {
  uint64_t sign = uint64_t(1) << (width - 1);
  if ((bits & (sign - 1)) > infinityOf(width))
    return setting.mode().dx10Clamp ? 0 : bits;
  return bits & sign ? 0 : std::min(bits, oneOf(width));
}

namespace {
/// An operation of VOP3 with all that may be on and after it.
struct Modified {
  std::string name;
  unsigned width;
  unsigned sources;
  SmallVector<Signs, 3> signs;
  int omod = 0;
  bool clamp = false;

  std::string text() const {
    auto reg = [&](unsigned first) {
      std::string number = std::to_string(first);
      return width == 64 ? "v[" + number + ":" + std::to_string(first + 1) + "]" : "v" + number;
    };
    std::string text = name + " " + reg(0);
    for (unsigned i = 0; i < sources; ++i)
      text += ", " + signs[i].on(reg(2 + 2 * i));
    static constexpr const char *Omods[] = {" div:2", "", " mul:2", " mul:4"};
    return text + (clamp ? " clamp" : "") + Omods[omod + 1];
  }

  uint64_t result(StringRef plain, const Setting &setting, ArrayRef<uint64_t> values) const {
    SmallVector<uint64_t, 3> operands;
    for (unsigned i = 0; i < sources; ++i)
      operands.push_back(signs[i].applied(values[i], width));
    uint64_t bits = defined(plain, setting, operands);
    bool denormals = setting.modeBits & (width == 32 ? 0x20 : 0x80);
    if (omod && (setting.gfxMajor() >= 12 || !denormals))
      bits = scaled(bits, width, omod, setting);
    return clamp ? clamped(bits, width, setting) : bits;
  }
};
} // namespace

static ArrayRef<uint64_t> edgesOf(unsigned width) {
  static const uint64_t halves[] = {0, 0x8000, 1, 0x83ff, 0x400, 0x3c00, 0xbc01, 0x7bff, 0x7e01};
  static const uint64_t singles[] = {0,          0x80000000, 1,          0x807fffff, 0x800000,
                                     0x3f800000, 0xbf800001, 0x7f7fffff, 0x7fc00001};
  static const uint64_t doubles[] = {0,
                                     0x8000000000000000,
                                     1,
                                     0x800fffffffffffff,
                                     0x0010000000000000,
                                     0x3ff0000000000000,
                                     0xbff0000000000001,
                                     0x7fefffffffffffff,
                                     0x7ff8000000000001};
  return width == 16 ? ArrayRef(halves) : width == 32 ? ArrayRef(singles) : ArrayRef(doubles);
}

/// Edge values now and then in the pairs of registers from v2 on; the rest stays random.
static void fillFloats(Wave &wave, unsigned width, Random &random) {
  ArrayRef<uint64_t> edges = edgesOf(width);
  for (unsigned index = 2; index < 8; index += 2)
    for (unsigned lane = 0; lane < wave.waveSize; ++lane)
      if (random.below(3) == 0) {
        uint64_t value = edges[random.below(unsigned(edges.size()))];
        wave.v[index][lane] = uint32_t(value);
        wave.v[index + 1][lane] = uint32_t(value >> 32);
      }
}

static uint64_t valueAt(const std::vector<LaneArray> &v, unsigned index, unsigned lane,
                        unsigned width) {
  uint64_t bits = v[index][lane] | uint64_t(v[index + 1][lane]) << 32;
  return definitions::lowBits(definitions::Exact(bits), width);
}

TEST(FloatSources, SignsAndResultModifiers) {
  struct Operation {
    const char *name;
    unsigned width, sources;
  };
  static constexpr Operation Operations[] = {
      {"v_add_f32", 32, 2}, {"v_mul_f32", 32, 2}, {"v_fma_f32", 32, 3}, {"v_add_f16", 16, 2},
      {"v_fma_f16", 16, 3}, {"v_mul_f64", 64, 2}, {"v_fma_f64", 64, 3}, {"v_floor_f32", 32, 1}};
  Random random{std::mt19937(21)};
  for (const Setting &setting : Settings)
    for (const Operation &operation : Operations)
      for (unsigned count = 0; count < 12; ++count) {
        Modified each{operation.name, operation.width, operation.sources, {}};
        for (unsigned i = 0; i < each.sources; ++i)
          each.signs.push_back(random.signs());
        each.omod = int(random.below(4)) - 1;
        each.clamp = random.flip();
        bool needsSuffix = each.sources < 3 && StringRef(each.name) != "v_mul_f64";
        if (needsSuffix)
          each.name += "_e64";
        WaveBench bench(setting.target, 32, each.text(), count + 1);
        ASSERT_TRUE(bench.wave) << each.text();
        bench.wave->setMode(setting.modeBits);
        fillFloats(*bench.wave, each.width, random);
        std::vector<LaneArray> v = bench.wave->v;
        ASSERT_TRUE(bench.run()) << each.text();
        for (unsigned lane = 0; lane < 32; ++lane) {
          uint64_t values[3];
          for (unsigned i = 0; i < each.sources; ++i)
            values[i] = valueAt(v, 2 + 2 * i, lane, each.width);
          ASSERT_EQ(valueAt(bench.wave->v, 0, lane, each.width),
                    each.result(operation.name, setting, values))
              << each.text() << " on " << setting.target << " mode " << setting.modeBits;
        }
      }
}

/// "[1,0,1]" of the low \p count bits.
static std::string listOf(unsigned bits, unsigned count) {
  std::string text;
  for (unsigned i = 0; i < count; ++i)
    text += (i ? "," : "[") + std::to_string(bits >> i & 1);
  return text + "]";
}

TEST(FloatSources, PackedOperationsChooseHalvesAndSigns) {
  Random random{std::mt19937(22)};
  for (const Setting &setting : Settings)
    for (unsigned count = 0; count < 40; ++count) {
      unsigned low = random.below(8), high = random.below(8), negLow = random.below(8),
               negHigh = random.below(8);
      bool clamp = random.flip();
      std::string text = "v_pk_fma_f16 v0, v2, v4, v6 op_sel:" + listOf(low, 3) +
                         " op_sel_hi:" + listOf(high, 3) + " neg_lo:" + listOf(negLow, 3) +
                         " neg_hi:" + listOf(negHigh, 3) + (clamp ? " clamp" : "");
      WaveBench bench(setting.target, 32, text, count + 1);
      bench.wave->setMode(setting.modeBits);
      std::vector<LaneArray> v = bench.wave->v;
      ASSERT_TRUE(bench.run()) << text;
      for (unsigned lane = 0; lane < 32; ++lane) {
        auto half = [&](unsigned select, unsigned negate) {
          uint64_t sources[3];
          for (unsigned i = 0; i < 3; ++i) {
            sources[i] = (v[2 + 2 * i][lane] >> (select >> i & 1 ? 16 : 0)) & 0xffff;
            sources[i] ^= negate >> i & 1 ? 0x8000 : 0;
          }
          uint64_t bits = defined("v_fma_f16", setting, sources);
          return uint32_t(clamp ? clamped(bits, 16, setting) : bits);
        };
        ASSERT_EQ(bench.wave->v[0][lane], half(low, negLow) | half(high, negHigh) << 16)
            << text << " on " << setting.target;
      }
    }
}

TEST(FloatSources, AddendsOfByteProductsHaveSigns) {
  Setting setting{"gfx1201", 0xf0};
  for (const char *name : {"v_dot4_f32_fp8_bf8", "v_dot4_f32_bf8_bf8"})
    for (unsigned bits = 0; bits < 4; ++bits) {
      Signs signs{bool(bits & 2), bool(bits & 1)};
      std::string text = std::string(name) + " v0, v2, v4, v6 neg_lo:" + listOf(signs.neg << 2, 3) +
                         " neg_hi:" + listOf(signs.abs << 2, 3);
      WaveBench bench(setting.target, 32, text, bits + 1);
      bench.wave->setMode(setting.modeBits);
      std::vector<LaneArray> v = bench.wave->v;
      ASSERT_TRUE(bench.run()) << text;
      for (unsigned lane = 0; lane < 32; ++lane)
        ASSERT_EQ(bench.wave->v[0][lane],
                  defined(name, setting, {v[2][lane], v[4][lane], signs.applied(v[6][lane], 32)}))
            << text;
    }
}

TEST(FloatSources, MixedOperationsTakeHalvesOrWholeRegisters) {
  Random random{std::mt19937(23)};
  for (const Setting &setting : Settings)
    for (unsigned count = 0; count < 40; ++count) {
      static constexpr const char *Names[] = {"mix_f32", "mixlo_f16", "mixhi_f16"};
      unsigned which = random.below(3), select = random.below(8), isHalf = random.below(8);
      // gfx900 has no fused ones.
      std::string family = setting.gfxMajor() == 9 ? "v_mad_" : "v_fma_";
      Signs signs[] = {random.signs(), random.signs(), random.signs()};
      std::string name = family + Names[which];
      std::string text = name + " v0";
      for (unsigned i = 0; i < 3; ++i)
        text += ", " + signs[i].on("v" + std::to_string(2 + 2 * i));
      text += " op_sel:" + listOf(select & isHalf, 3) + " op_sel_hi:" + listOf(isHalf, 3);
      WaveBench bench(setting.target, 32, text, count + 1);
      bench.wave->setMode(setting.modeBits);
      std::vector<LaneArray> v = bench.wave->v;
      ASSERT_TRUE(bench.run()) << text;
      for (unsigned lane = 0; lane < 32; ++lane) {
        uint64_t sources[3];
        for (unsigned i = 0; i < 3; ++i) {
          uint32_t bits = v[2 + 2 * i][lane];
          uint64_t half = (select >> i & 1 ? bits >> 16 : bits) & 0xffff;
          sources[i] = isHalf >> i & 1 ? defined("v_cvt_f32_f16", setting, {half}) : bits;
          sources[i] = signs[i].applied(sources[i], 32);
        }
        uint32_t value = uint32_t(defined(name, setting, sources)), old = v[0][lane];
        uint32_t expected = which == 0   ? value
                            : which == 1 ? (old & 0xffff0000) | value
                                         : (old & 0xffff) | value << 16;
        auto isNan = [](uint32_t x) { return (x & 0x7fffffff) > 0x7f800000; };
        if (which == 0 && isNan(expected) && isNan(bench.wave->v[0][lane]))
          continue; // a signalling f16 is quiet in f32 already
        ASSERT_EQ(bench.wave->v[0][lane], expected) << text << " on " << setting.target;
      }
    }
}

TEST(FloatSources, SdwaSelectsBeforeSigns) {
  struct Part {
    const char *name;
    unsigned first, bits;
  };
  static constexpr Part Parts[] = {{"DWORD", 0, 32}, {"WORD_0", 0, 16}, {"WORD_1", 16, 16}};
  Random random{std::mt19937(24)};
  for (const Setting &setting : Settings) {
    if (setting.gfxMajor() > 10)
      continue;
    for (unsigned count = 0; count < 40; ++count) {
      bool isHalf = random.flip();
      std::string name = isHalf ? "v_mul_f16" : "v_add_f32";
      const Part &a = Parts[random.below(3)], &b = Parts[random.below(3)];
      Signs first = random.signs(), second = random.signs();
      std::string text = name + "_sdwa v0, " + first.on("v2") + ", " + second.on("v4") +
                         " dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:" + a.name +
                         " src1_sel:" + b.name;
      WaveBench bench(setting.target, 32, text, count + 1);
      bench.wave->setMode(setting.modeBits);
      std::vector<LaneArray> v = bench.wave->v;
      ASSERT_TRUE(bench.run()) << text;
      unsigned width = isHalf ? 16 : 32;
      for (unsigned lane = 0; lane < 32; ++lane) {
        auto source = [&](unsigned index, const Part &part, const Signs &signs) {
          uint64_t bits = definitions::lowBits(v[index][lane] >> part.first, part.bits);
          return signs.applied(definitions::lowBits(definitions::Exact(bits), width), width);
        };
        ASSERT_EQ(bench.wave->v[0][lane],
                  defined(name, setting, {source(2, a, first), source(4, b, second)}))
            << text << " on " << setting.target;
      }
    }
  }
}

TEST(FloatSources, PseudoScalarsTakeSignsAndModifiers) {
  Setting setting = {"gfx1201", 0xf0};
  for (std::string name : {"v_s_rcp_f32", "v_s_sqrt_f32", "v_s_exp_f32"}) {
    WaveBench bench("gfx1201", 32, name + " s0, -|s2| mul:2");
    bench.wave->setMode(setting.modeBits);
    uint32_t source = bench.wave->s[2];
    ASSERT_TRUE(bench.run());
    uint64_t bits = defined(name, setting, {source | 0x80000000u});
    EXPECT_EQ(bench.wave->s[0], scaled(bits, 32, 1, setting)) << name;
  }
}
