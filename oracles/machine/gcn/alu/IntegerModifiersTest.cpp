// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What SDWA, op_sel, packed selections, halves of registers and clamp do to integer operations:
// random ones, against the operations' definitions and the manuals' chapters on the encodings.
#include "oracles/machine/gcn/WaveTesting.h"
#include "oracles/machine/gcn_alu/definitions/Definition.h"

using namespace llvm;
using namespace assay;
using namespace assay::gcn;

namespace {

/// A part of a register that SDWA names.
struct Part {
  const char *name;
  unsigned first, bits;
};

/// An operation by the names that chips give it.
struct NamedOperation {
  const char *gfx9, *gfx10, *gfx11, *gfx12; ///< Null: not there.
};

} // namespace

static constexpr Part Parts[] = {{"DWORD", 0, 32},  {"BYTE_0", 0, 8},  {"BYTE_1", 8, 8},
                                 {"BYTE_2", 16, 8}, {"BYTE_3", 24, 8}, {"WORD_0", 0, 16},
                                 {"WORD_1", 16, 16}};

static unsigned gfxOf(StringRef target) {
  unsigned gfxMajor = 0;
  target.drop_front(3).drop_back(2).getAsInteger(10, gfxMajor);
  return gfxMajor;
}

static const char *nameOn(const NamedOperation &operation, unsigned gfxMajor) {
  const char *names[] = {operation.gfx9, operation.gfx10, operation.gfx11, operation.gfx12};
  return names[gfxMajor - 9];
}

static const definitions::ReadyDefinition &definitionOf(StringRef name, unsigned gfxMajor) {
  const definitions::ReadyDefinition *ready = definitions::findDefinition(name, gfxMajor);
  if (!ready)
    report_fatal_error(Twine("no definition of ") + name);
  return *ready;
}

/// What operation \p name makes of \p sources.
static uint32_t defined(StringRef name, unsigned gfxMajor, ArrayRef<uint64_t> sources,
                        bool clamp = false, uint8_t signedSources = 0) {
  AluInput input;
  std::copy(sources.begin(), sources.end(), input.src);
  input.clamp = clamp;
  input.signedSources = signedSources;
  AluMode mode;
  mode.gfxMajor = gfxMajor;
  return static_cast<uint32_t>(
      definitions::define(definitionOf(name, gfxMajor), input, mode).value);
}

/// \p part of \p word, with the sign or zeros above it.
static uint32_t taken(uint32_t word, const Part &part, bool isSigned) {
  definitions::Exact number = definitions::numberOf(word >> part.first, part.bits, isSigned);
  return static_cast<uint32_t>(definitions::lowBits(number, 32));
}

enum class Unused { Pad, Sext, Preserve };
static constexpr const char *UnusedNames[] = {"UNUSED_PAD", "UNUSED_SEXT", "UNUSED_PRESERVE"};

/// \p value in \p part of a register that held \p old; bit by bit.
static uint32_t inserted(uint32_t old, uint32_t value, const Part &part, Unused unused) {
  uint32_t result = 0;
  for (unsigned bit = 0; bit < 32; ++bit) {
    bool isInside = bit >= part.first && bit < part.first + part.bits;
    bool isAbove = bit >= part.first + part.bits;
    bool set = false;
    if (isInside)
      set = value >> (bit - part.first) & 1;
    else if (unused == Unused::Preserve)
      set = old >> bit & 1;
    else if (unused == Unused::Sext && isAbove)
      set = value >> (part.bits - 1) & 1;
    result |= uint32_t(set) << bit;
  }
  return result;
}

/// Runs \p text, which writes v0 from v1, v2, v3, and compares each lane with \p expect(lane, v).
template <typename F>
static void check(StringRef target, unsigned waveSize, const std::string &text, F expect) {
  WaveBench bench(target, waveSize, text, 11);
  ASSERT_TRUE(bench.wave) << text;
  Wave &wave = *bench.wave;
  std::vector<LaneArray> expected = wave.v;
  for (unsigned lane = 0; lane < waveSize; ++lane)
    expected[0][lane] = expect(lane, wave.v);
  ASSERT_TRUE(bench.run()) << text;
  EXPECT_EQ(wave.v, expected) << text << " on " << target.str();
}

TEST(IntegerModifiers, SdwaTakesAndInsertsParts) {
  static constexpr NamedOperation Operations[] = {
      {"v_add_u32", "v_add_nc_u32", nullptr, nullptr},
      {"v_lshlrev_b32", "v_lshlrev_b32", nullptr, nullptr},
      {"v_ashrrev_i32", "v_ashrrev_i32", nullptr, nullptr},
      {"v_max_i32", "v_max_i32", nullptr, nullptr},
      {"v_mul_i32_i24", "v_mul_i32_i24", nullptr, nullptr},
      {"v_xor_b32", "v_xor_b32", nullptr, nullptr},
  };
  std::mt19937 random(4);
  for (const char *target : {"gfx900", "gfx1010", "gfx1030"})
    for (const NamedOperation &operation : Operations)
      for (unsigned count = 0; count < 40; ++count) {
        StringRef name = nameOn(operation, gfxOf(target));
        const Part &a = Parts[random() % 7], &b = Parts[random() % 7], &d = Parts[random() % 7];
        bool aSigned = random() & 1, bSigned = random() & 1;
        auto unused = Unused(random() % 3);
        auto source = [](const char *reg, bool isSigned) {
          return isSigned ? std::string("sext(") + reg + ")" : std::string(reg);
        };
        std::string text = (name + "_sdwa v0, ").str() + source("v1", aSigned) + ", " +
                           source("v2", bSigned) + " dst_sel:" + d.name +
                           " dst_unused:" + UnusedNames[int(unused)] + " src0_sel:" + a.name +
                           " src1_sel:" + b.name;
        check(target, 64, text, [&](unsigned lane, const std::vector<LaneArray> &v) {
          uint32_t value = defined(name, gfxOf(target),
                                   {taken(v[1][lane], a, aSigned), taken(v[2][lane], b, bSigned)});
          return inserted(v[0][lane], value, d, unused);
        });
      }
}

TEST(IntegerModifiers, OpSelChoosesHalves) {
  static constexpr NamedOperation Operations[] = {
      {"v_mad_u16", "v_mad_u16", nullptr, nullptr},
      {"v_med3_i16", "v_med3_i16", nullptr, nullptr},
      {"v_max3_u16", "v_max3_u16", nullptr, nullptr},
      {"v_add_i16", "v_add_nc_i16", nullptr, nullptr},
      {nullptr, "v_sub_nc_u16", nullptr, nullptr},
      {nullptr, "v_lshlrev_b16", nullptr, nullptr},
  };
  for (const char *target : {"gfx900", "gfx1010", "gfx1030"})
    for (const NamedOperation &operation : Operations)
      for (unsigned bits = 0; bits < 32; ++bits) {
        const char *name = nameOn(operation, gfxOf(target));
        if (!name)
          continue;
        size_t sources = definitionOf(name, gfxOf(target)).shape.sources.size();
        bool canClamp = definitionOf(name, gfxOf(target)).shape.clamps;
        bool clamp = (bits & 16) && canClamp;
        std::string text = std::string(name) + "_e64 v0, v1, v2" + (sources == 3 ? ", v3" : "");
        text += " op_sel:[";
        for (size_t index = 0; index < sources; ++index)
          text += bits >> index & 1 ? "1," : "0,";
        text += std::string(bits & 8 ? "1]" : "0]") + (clamp ? " clamp" : "");
        check(target, 64, text, [&](unsigned lane, const std::vector<LaneArray> &v) {
          std::vector<uint64_t> halves;
          for (size_t index = 0; index < sources; ++index)
            halves.push_back(v[index + 1][lane] >> (bits >> index & 1 ? 16 : 0) & 0xffff);
          uint32_t value = defined(name, gfxOf(target), halves, clamp);
          return inserted(v[0][lane], value, bits & 8 ? Parts[6] : Parts[5], Unused::Preserve);
        });
      }
}

TEST(IntegerModifiers, RegistersHaveHalvesFromGfx11On) {
  for (StringRef name : {"v_add_nc_u16", "v_mad_i16", "v_min3_u16", "v_lshrrev_b16"})
    for (unsigned bits = 0; bits < 16; ++bits) {
      size_t sources = definitionOf(name, 11).shape.sources.size();
      std::string text = name.str();
      text += bits & 8 ? " v0.h" : " v0.l";
      for (size_t index = 0; index < sources; ++index)
        text += ", v" + std::to_string(index + 1) + (bits >> index & 1 ? ".h" : ".l");
      check("gfx1100", 32, text, [&](unsigned lane, const std::vector<LaneArray> &v) {
        std::vector<uint64_t> halves;
        for (size_t index = 0; index < sources; ++index)
          halves.push_back(v[index + 1][lane] >> (bits >> index & 1 ? 16 : 0) & 0xffff);
        return inserted(v[0][lane], defined(name, 11, halves), bits & 8 ? Parts[6] : Parts[5],
                        Unused::Preserve);
      });
    }
}

/// "[1,0]" for the bits of \p bits.
static std::string listOf(unsigned bits, size_t count) {
  std::string text = "[";
  for (size_t index = 0; index < count; ++index)
    text += bits >> index & 1 ? "1," : "0,";
  text.back() = ']';
  return text;
}

TEST(IntegerModifiers, PackedOperationsChooseEachHalf) {
  std::mt19937 random(6);
  for (const char *target : {"gfx900", "gfx1030", "gfx1100", "gfx1201"})
    for (StringRef name : {"v_pk_add_u16", "v_pk_sub_i16", "v_pk_mul_lo_u16", "v_pk_mad_i16",
                           "v_pk_lshlrev_b16", "v_pk_ashrrev_i16", "v_pk_min_u16"})
      for (unsigned count = 0; count < 24; ++count) {
        size_t sources = definitionOf(name, 9).shape.sources.size();
        unsigned low = random() % (1u << sources), high = random() % (1u << sources);
        bool clamp = count % 3 == 0 && definitionOf(name, 9).shape.flags & Packed &&
                     !name.contains("shl") && !name.contains("shr");
        std::string text = name.str() + " v0, v1, v2" + (sources == 3 ? ", v3" : "") +
                           " op_sel:" + listOf(low, sources) +
                           " op_sel_hi:" + listOf(high, sources) + (clamp ? " clamp" : "");
        check(target, 64, text, [&](unsigned lane, const std::vector<LaneArray> &v) {
          std::vector<uint64_t> words;
          for (size_t index = 0; index < sources; ++index) {
            uint32_t word = v[index + 1][lane];
            uint32_t first = low >> index & 1 ? word >> 16 : word & 0xffff;
            uint32_t second = high >> index & 1 ? word >> 16 : word & 0xffff;
            words.push_back(first | second << 16);
          }
          return defined(name, gfxOf(target), words, clamp);
        });
      }
}

TEST(IntegerModifiers, DotProductsTakeTheirSignsFromNeg) {
  for (StringRef name : {"v_dot4_i32_iu8", "v_dot8_i32_iu4"})
    for (const char *target : {"gfx1100", "gfx1201"})
      for (unsigned bits = 0; bits < 8; ++bits) {
        bool clamp = bits & 4;
        std::string text =
            name.str() + " v0, v1, v2, v3 neg_lo:" + listOf(bits & 3, 3) + (clamp ? " clamp" : "");
        check(target, 32, text, [&](unsigned lane, const std::vector<LaneArray> &v) {
          return defined(name, gfxOf(target), {v[1][lane], v[2][lane], v[3][lane]}, clamp,
                         bits & 3);
        });
      }
}

TEST(IntegerModifiers, ClampSaturates) {
  static constexpr NamedOperation Operations[] = {
      {"v_add_u32", "v_add_nc_u32", "v_add_nc_u32", "v_add_nc_u32"},
      {"v_sub_i32", "v_sub_nc_i32", "v_sub_nc_i32", "v_sub_nc_i32"},
      {"v_mad_u32_u24", "v_mad_u32_u24", "v_mad_u32_u24", "v_mad_u32_u24"},
      {"v_sad_u32", "v_sad_u32", "v_sad_u32", "v_sad_u32"},
      {"v_mad_i32_i16", "v_mad_i32_i16", nullptr, nullptr},
  };
  for (const char *target : {"gfx900", "gfx1010", "gfx1100", "gfx1201"})
    for (const NamedOperation &operation : Operations) {
      const char *name = nameOn(operation, gfxOf(target));
      if (!name)
        continue;
      const definitions::Shape &shape = definitionOf(name, gfxOf(target)).shape;
      size_t sources = shape.sources.size();
      std::string text = std::string(name) + "_e64 v0, v1, v2" + (sources == 3 ? ", v3" : "");
      check(target, 64, text + " clamp", [&](unsigned lane, const std::vector<LaneArray> &v) {
        std::vector<uint64_t> words;
        for (size_t index = 0; index < sources; ++index)
          words.push_back(
              definitions::lowBits(v[index + 1][lane], definitions::widthOf(shape.sources[index])));
        return defined(name, gfxOf(target), words, true);
      });
    }
}

TEST(IntegerModifiers, ConstantsOfPackedOperationsAreInTheLowHalf) {
  // An inline integer is sign-extended to 32 bits; a float is that of its own 32 bits.
  for (const char *target : {"gfx900", "gfx1030", "gfx1100", "gfx1201"}) {
    unsigned gfx = gfxOf(target);
    check(target, 64, "v_pk_add_u16 v0, v1, 5",
          [&](unsigned lane, const std::vector<LaneArray> &v) {
            return defined("v_pk_add_u16", gfx, {v[1][lane], 5});
          });
    check(target, 64, "v_pk_add_u16 v0, v1, -3 op_sel_hi:[1,0]",
          [&](unsigned lane, const std::vector<LaneArray> &v) {
            return defined("v_pk_add_u16", gfx, {v[1][lane], 0xfffdfffd});
          });
    check(target, 64, "v_pk_lshlrev_b16 v0, 4, v1 op_sel_hi:[0,1]",
          [&](unsigned lane, const std::vector<LaneArray> &v) {
            return defined("v_pk_lshlrev_b16", gfx, {0x00040004, v[1][lane]});
          });
  }
}
