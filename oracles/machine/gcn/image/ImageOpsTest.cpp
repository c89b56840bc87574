// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Image instructions, one at a time, on an image whose texels say where they are: 100 * level +
// 10 * y + x, components apart by 1000. What forms, modifiers and levels give is written out by
// hand.
#include "oracles/machine/gcn/WaveTesting.h"
#include "oracles/machine/gcn/image/ImageDescriptor.h"
#include "llvm/ADT/bit.h"
#include <cmath>
#include <cstring>

using namespace llvm;
using namespace assay;
using namespace assay::gcn;

namespace {

constexpr uint64_t ImageBase = 0x234500000000;
constexpr unsigned ImageSize = 8; ///< Texels along x and y; levels of 8, 4, 2 and 1.
constexpr unsigned LevelCount = 4;

constexpr const char *Chips[] = {"gfx900", "gfx1030", "gfx1100", "gfx1201"};

/// T# in s[8:15], S# in s[16:19] (points, between levels too). Coordinates are the test's.
class ImageBench {
public:
  ImageBench(StringRef target, StringRef text, ImageDescriptor image = makeImage())
      : m_bench(target, target == "gfx900" ? 64 : 32, text), m_image(std::move(image)) {
    m_bench.group().memory = &m_space;
    m_bytes = m_space.allocate(ImageBase, 16384, "image", true);
    Wave &w = wave();
    Expected<ImageWords> words = encodeImage(m_image, w.gfxMajor);
    if (!words)
      ADD_FAILURE() << takeError(words.takeError()).message;
    else
      std::copy(words->begin(), words->end(), w.s.begin() + 8);
    SamplerDescriptor sampler;
    sampler.clamp = {AddressClamp::LastTexel, AddressClamp::LastTexel, AddressClamp::LastTexel};
    sampler.maxLod = 15;
    SamplerWords samplerWords = encodeSampler(sampler, w.gfxMajor);
    std::copy(samplerWords.begin(), samplerWords.end(), w.s.begin() + 16);
  }

  static ImageDescriptor makeImage() {
    ImageDescriptor image;
    image.base = ImageBase;
    image.width = image.height = ImageSize;
    image.levels = LevelCount;
    image.lastLevel = LevelCount - 1;
    image.texel.format = {{32, 32, 32, 32}, TexelClass::Float, false};
    return image;
  }

  /// Writes 32-bit texels: component c of (x, y) in level l.
  void fill(bool isFloat) {
    for (unsigned level = 0; level < m_image.levels; ++level)
      for (unsigned y = 0; y < ImageSize >> level; ++y)
        for (unsigned x = 0; x < ImageSize >> level; ++x)
          for (unsigned c = 0; c < m_image.texel.format.components(); ++c) {
            unsigned value = texel(level, x, y, c);
            uint32_t bits = isFloat ? llvm::bit_cast<uint32_t>(float(value)) : value;
            uint64_t at = *findTexel(m_image, {int64_t(x), int64_t(y), 0, 0, 0, int64_t(level)});
            unsigned bytes = m_image.texel.format.bits[0] / 8;
            std::memcpy(m_bytes.data() + (at - ImageBase) + bytes * c, &bits, bytes);
          }
  }
  static unsigned texel(unsigned level, unsigned x, unsigned y, unsigned component = 0) {
    return 1000 * component + 100 * level + 10 * y + x;
  }

  void setFloat(unsigned index, unsigned lane, float value) {
    wave().v[index][lane] = llvm::bit_cast<uint32_t>(value);
  }
  float getFloat(unsigned index, unsigned lane) {
    return llvm::bit_cast<float>(wave().v[index][lane]);
  }
  MutableArrayRef<uint8_t> bytes() { return m_bytes; }
  Wave &wave() { return *m_bench.wave; }
  unsigned lanes() { return wave().waveSize; }
  bool run() { return m_bench.run(); }
  /// Runs the instructions and returns why the wave failed.
  std::string runToFailure() {
    m_bench.step();
    return m_bench.failure();
  }

private:
  AddressSpace m_space;
  WaveBench m_bench;
  ImageDescriptor m_image;
  MutableArrayRef<uint8_t> m_bytes;
};

} // namespace

/// " dim:SQ_RSRC_IMG_2D" where instructions have it.
static std::string dim(StringRef target, StringRef name = "2D") {
  return target == "gfx900" ? "" : " dim:SQ_RSRC_IMG_" + name.str();
}

/// The same for integer coordinates, which are never normalized.
static std::string integers(StringRef target, StringRef name = "2D") {
  return dim(target, name) + (target == "gfx1201" ? "" : " unorm");
}

/// Addresses as an operand: GFX12 lists them one by one.
static std::string addresses(StringRef target, unsigned first, unsigned count) {
  std::string text;
  if (target == "gfx1201" && count > 1) {
    for (unsigned i = 0; i < count; ++i)
      text += (i ? ", v" : "[v") + std::to_string(first + i);
    return text + "]";
  }
  return count == 1 ? "v" + std::to_string(first)
                    : "v[" + std::to_string(first) + ":" + std::to_string(first + count - 1) + "]";
}

TEST(ImageOps, LoadsTellOfResidencyBehindTheData) {
  for (StringRef target : Chips) {
    std::string text = "image_load v[16:18], " + addresses(target, 4, 2) + ", s[8:15] dmask:0x5" +
                       integers(target) + " tfe";
    ImageBench bench(target, text);
    bench.fill(false);
    for (unsigned lane = 0; lane < bench.lanes(); ++lane) {
      bench.wave().v[4][lane] = lane % 8;
      bench.wave().v[5][lane] = lane / 8 % 8;
    }
    ASSERT_TRUE(bench.run()) << text;
    for (unsigned lane = 0; lane < bench.lanes(); ++lane) {
      EXPECT_EQ(bench.wave().v[16][lane], ImageBench::texel(0, lane % 8, lane / 8 % 8, 0));
      EXPECT_EQ(bench.wave().v[17][lane], ImageBench::texel(0, lane % 8, lane / 8 % 8, 2));
      EXPECT_EQ(bench.wave().v[18][lane], 0u) << target.str();
    }
  }
}

TEST(ImageOps, HalvesShareRegisters) {
  for (StringRef target : Chips) {
    ImageDescriptor image = ImageBench::makeImage();
    image.texel.format = {{16, 16, 16, 16}, TexelClass::Uint, false};
    std::string tail = ", s[8:15] dmask:0x7" + integers(target);
    std::string text = "image_load v[16:17], " + addresses(target, 4, 2) + tail + " d16\n" +
                       "image_store v[6:7], " + addresses(target, 8, 2) + tail + " d16";
    ImageBench bench(target, text, image);
    bench.fill(false);
    LaneArray before = bench.wave().v[17];
    for (unsigned lane = 0; lane < bench.lanes(); ++lane)
      for (unsigned i : {4u, 5u, 8u, 9u})
        bench.wave().v[i][lane] = lane % (i < 8 ? 8 : 4);
    ASSERT_TRUE(bench.run()) << text;
    for (unsigned lane = 0; lane < bench.lanes(); ++lane) {
      unsigned at = lane % 8;
      EXPECT_EQ(bench.wave().v[16][lane],
                ImageBench::texel(0, at, at, 0) | ImageBench::texel(0, at, at, 1) << 16);
      EXPECT_EQ(bench.wave().v[17][lane],
                (before[lane] & 0xffff0000) | ImageBench::texel(0, at, at, 2));
    }
    for (unsigned at = 0; at < 4; ++at) { // The last lane that wrote there.
      unsigned lane = bench.lanes() - 4 + at;
      uint16_t stored[4];
      std::memcpy(stored, bench.bytes().data() + (at * ImageSize + at) * 8, 8);
      EXPECT_EQ(stored[0], bench.wave().v[6][lane] & 0xffff);
      EXPECT_EQ(stored[1], bench.wave().v[6][lane] >> 16);
      EXPECT_EQ(stored[2], bench.wave().v[7][lane] & 0xffff);
      EXPECT_EQ(stored[3], target == "gfx1201" ? stored[0] : 0);
    }
  }
}

TEST(ImageOps, PackedLoadsConvertNothing) {
  ImageDescriptor image = ImageBench::makeImage();
  image.texel.format = {{8, 8, 8, 8}, TexelClass::Unorm, false};
  image.texel.select = {SelectX + 2, SelectX + 1, SelectX, SelectOne};
  for (StringRef target : Chips) {
    std::string tail = addresses(target, 4, 2) + ", s[8:15] dmask:0xf" + integers(target);
    ImageBench bench(target,
                     "image_load_pck v[16:19], " + tail + "\nimage_load_pck_sgn v[20:23], " + tail,
                     image);
    const uint8_t texel[4] = {0x12, 0x85, 0xff, 0x7f};
    std::memcpy(bench.bytes().data(), texel, 4);
    for (unsigned lane = 0; lane < bench.lanes(); ++lane)
      bench.wave().v[4][lane] = bench.wave().v[5][lane] = 0;
    ASSERT_TRUE(bench.run());
    for (unsigned i = 0; i < 4; ++i) {
      EXPECT_EQ(bench.wave().v[16 + i][0], texel[i]);
      EXPECT_EQ(bench.wave().v[20 + i][0], uint32_t(int32_t(int8_t(texel[i]))));
    }
  }
}

namespace {
/// A sample at the middle of texel (2, 1) of level 0, with further operands before and after.
struct LevelCase {
  const char *name;
  std::vector<float> front, rest;
  unsigned level; ///< Wanted.
};
} // namespace

/// Coordinates grow by two texels a lane along x, so that implicit levels are 1.
TEST(ImageOps, LevelsComeFromNamesAndNeighbours) {
  const LevelCase cases[] = {
      {"image_sample", {}, {}, 1},
      {"image_sample_l", {}, {2.2f}, 2},
      {"image_sample_lz", {}, {}, 0},
      {"image_sample_b", {1.0f}, {}, 2},
      {"image_sample_b", {-3.0f}, {}, 0},
      {"image_sample_cl", {}, {2.0f}, 2},
      {"image_sample_cl", {}, {0.5f}, 1},
      {"image_sample_b_cl", {1.0f}, {2.6f}, 3},
      {"image_sample_b_cl", {1.0f}, {1.0f}, 2},
      // Gradients of four texels along x, then none along y.
      {"image_sample_d", {0.5f, 0, 0, 0}, {}, 2},
      {"image_sample_d_cl", {0.5f, 0, 0, 0}, {3.0f}, 3},
  };
  for (StringRef target : Chips)
    for (const LevelCase &each : cases) {
      unsigned count = unsigned(each.front.size() + 2 + each.rest.size());
      std::string text = std::string(each.name) + " v16, " + addresses(target, 32, count) +
                         ", s[8:15], s[16:19] dmask:0x1" + dim(target);
      if (target == "gfx1201" && count > 4) // The last operand holds what is left.
        text = std::string(each.name) + " v16, [v32, v33, v34, v[35:" + std::to_string(31 + count) +
               "]], s[8:15], s[16:19] dmask:0x1" + dim(target);
      ImageBench bench(target, text);
      bench.fill(true);
      for (unsigned lane = 0; lane < bench.lanes(); ++lane) {
        std::vector<float> operands = each.front;
        operands.push_back((2.5f + 2 * float(lane % 4 & 1)) / ImageSize);
        operands.push_back((1.5f + 2 * float(lane % 4 >> 1)) / ImageSize);
        operands.insert(operands.end(), each.rest.begin(), each.rest.end());
        for (unsigned i = 0; i < count; ++i)
          bench.setFloat(32 + i, lane, operands[i]);
      }
      ASSERT_TRUE(bench.run()) << text;
      for (unsigned lane = 0; lane < 4; ++lane) {
        unsigned x = (2 + 2 * (lane & 1)) >> each.level, y = (1 + 2 * (lane >> 1)) >> each.level;
        EXPECT_EQ(bench.getFloat(16, lane), float(ImageBench::texel(each.level, x, y)))
            << text << " lane " << lane;
      }
    }
}

TEST(ImageOps, LevelsAreTold) {
  for (StringRef target : Chips) {
    ImageBench bench(target, "image_get_lod v[16:17], " + addresses(target, 4, 2) +
                                 ", s[8:15], s[16:19] dmask:0x3" + dim(target));
    for (unsigned lane = 0; lane < bench.lanes(); ++lane) {
      unsigned step = lane / 4 % 2 ? 32 : 4; // Texels from lane to lane.
      bench.setFloat(4, lane, float(step * (lane % 4 & 1)) / ImageSize);
      bench.setFloat(5, lane, 0);
    }
    ASSERT_TRUE(bench.run());
    for (unsigned lane = 0; lane < 8; ++lane) {
      EXPECT_EQ(bench.getFloat(16, lane), lane < 4 ? 2.0f : 3.0f) << target.str();
      EXPECT_EQ(bench.getFloat(17, lane), lane < 4 ? 2.0f : 5.0f) << target.str();
    }
  }
}

/// Compilers ask for the level of an array without its layer.
TEST(ImageOps, LevelsOfArraysAreToldWithoutLayer) {
  for (StringRef target : Chips) {
    ImageDescriptor image = ImageBench::makeImage();
    image.kind = ImageType::Dim2DArray;
    ImageBench bench(target,
                     "image_get_lod v[16:17], " + addresses(target, 4, 2) +
                         ", s[8:15], s[16:19] dmask:0x3" + dim(target),
                     image);
    for (unsigned lane = 0; lane < bench.lanes(); ++lane) {
      bench.setFloat(4, lane, float(4 * (lane % 4 & 1)) / ImageSize);
      bench.setFloat(5, lane, 0);
    }
    ASSERT_TRUE(bench.run()) << target.str();
    EXPECT_EQ(bench.getFloat(16, 0), 2.0f) << target.str();
  }
}

/// A load with the dimension of an array accepts the descriptor of a single layer, which counts as
/// an array of one; a sample does not.
TEST(ImageOps, LoadsOfArraysReadSingleLayers) {
  for (StringRef target : {"gfx1030", "gfx1100", "gfx1201"}) {
    ImageBench bench(target, "image_load v16, " + addresses(target, 4, 3) + ", s[8:15] dmask:0x1" +
                                 integers(target, "2D_ARRAY"));
    bench.fill(false);
    for (unsigned lane = 0; lane < bench.lanes(); ++lane) {
      bench.wave().v[4][lane] = lane % 8;
      bench.wave().v[5][lane] = 3;
      bench.wave().v[6][lane] = lane / 16; // The upper half reads a layer that is not there.
    }
    ASSERT_TRUE(bench.run()) << target.str();
    for (unsigned lane = 0; lane < bench.lanes(); ++lane)
      EXPECT_EQ(bench.wave().v[16][lane], lane < 16 ? ImageBench::texel(0, lane % 8, 3) : 0)
          << target.str() << " lane " << lane;
    ImageBench sample(target, "image_sample v16, " + addresses(target, 4, 3) +
                                  ", s[8:15], s[16:19] dmask:0x1" + dim(target, "2D_ARRAY"));
    EXPECT_TRUE(StringRef(sample.runToFailure()).starts_with("BAD-DESCRIPTOR")) << target.str();
  }
}

/// The result's register may be a coordinate's: neighbours still see what was there.
TEST(ImageOps, ResultsMayOverwriteCoordinates) {
  ImageBench bench("gfx1030",
                   "image_sample v4, v[4:5], s[8:15], s[16:19] dmask:0x1" + dim("gfx1030"));
  bench.fill(true);
  for (unsigned lane = 0; lane < bench.lanes(); ++lane) {
    bench.setFloat(4, lane, (0.5f + 2 * float(lane & 1)) / ImageSize);
    bench.setFloat(5, lane, 0.5f / ImageSize);
  }
  ASSERT_TRUE(bench.run());
  for (unsigned lane = 0; lane < bench.lanes(); ++lane)
    EXPECT_EQ(bench.getFloat(4, lane), float(ImageBench::texel(1, lane & 1, 0)));
}

TEST(ImageOps, GathersTakeOneComponentOfOneLevel) {
  for (StringRef target : Chips) {
    std::string text = "image_gather4_l v[16:19], " + addresses(target, 4, 3) +
                       ", s[8:15], s[16:19] dmask:0x4" + dim(target) +
                       "\nimage_gather4_lz v[20:21], " + addresses(target, 4, 2) +
                       ", s[8:15], s[16:19] dmask:0x1" + dim(target) + " d16";
    ImageBench bench(target, text);
    bench.fill(true);
    for (unsigned lane = 0; lane < bench.lanes(); ++lane) {
      bench.setFloat(4, lane, 0.5f); // Between texels 1 and 2 of level 1, 3 and 4 of level 0.
      bench.setFloat(5, lane, 0.5f);
      bench.setFloat(6, lane, 1);
    }
    ASSERT_TRUE(bench.run()) << text;
    const unsigned places[4][2] = {{0, 1}, {1, 1}, {1, 0}, {0, 0}};
    for (unsigned i = 0; i < 4; ++i) {
      auto [dx, dy] = places[i];
      EXPECT_EQ(bench.getFloat(16 + i, 0), float(ImageBench::texel(1, 1 + dx, 1 + dy, 2)));
      uint32_t half = bench.wave().v[20 + i / 2][0] >> (i % 2 * 16) & 0xffff;
      float value = std::ldexp(float((half & 1023) | 1024), int(half >> 10) - 25);
      EXPECT_EQ(value, float(ImageBench::texel(0, 3 + dx, 3 + dy)));
    }
  }
}

TEST(ImageOps, SamplesOfMultisampledImages) {
  ImageDescriptor image = ImageBench::makeImage();
  image.kind = ImageType::Dim2DMsaa;
  image.levels = 1;
  image.lastLevel = 0;
  image.samples = 8;
  image.texel.format = {{32, 0, 0, 0}, TexelClass::Uint, false};
  for (StringRef target : {"gfx1100", "gfx1201"}) {
    ImageBench bench(target,
                     "image_msaa_load v[16:19], " + addresses(target, 4, 3) +
                         ", s[8:15] dmask:0x1" + integers(target, "2D_MSAA"),
                     image);
    for (unsigned i = 0; i < 4096 / 4; ++i)
      std::memcpy(bench.bytes().data() + 4 * i, &i, 4);
    for (unsigned lane = 0; lane < bench.lanes(); ++lane) {
      bench.wave().v[4][lane] = lane % 8;
      bench.wave().v[5][lane] = 3;
      bench.wave().v[6][lane] = lane % 2 ? 6 : 1;
    }
    ASSERT_TRUE(bench.run());
    for (unsigned lane = 0; lane < bench.lanes(); ++lane)
      for (unsigned i = 0; i < 4; ++i) {
        unsigned sample = (lane % 2 ? 6 : 1) + i;
        EXPECT_EQ(bench.wave().v[16 + i][lane],
                  sample < 8 ? (3 * ImageSize + lane % 8) * 8 + sample : 0);
      }
  }
}

/// a16 on GFX9 packs gradients with the coordinates, each direction in registers of its own.
TEST(ImageOps, AddressesOfSixteenBits) {
  struct Row {
    const char *target, *text;
    bool packsGradients;
  };
  const Row rows[] = {
      {"gfx900", "image_sample_d v16, v[4:6], s[8:15], s[16:19] dmask:0x1 a16", true},
      {"gfx1030",
       "image_sample_d_g16 v16, v[4:6], s[8:15], s[16:19] dmask:0x1 dim:SQ_RSRC_IMG_2D a16", true},
      {"gfx1030", "image_sample_d v16, v[4:8], s[8:15], s[16:19] dmask:0x1 dim:SQ_RSRC_IMG_2D a16",
       false},
  };
  constexpr uint32_t Half = 0x3800, Eighth = 0x3000; // 0.5, 0.125
  for (const Row &row : rows) {
    ImageBench bench(row.target, row.text);
    bench.fill(true);
    for (unsigned lane = 0; lane < bench.lanes(); ++lane) {
      unsigned next = 4;
      if (row.packsGradients) {
        bench.wave().v[next++][lane] = Half; // Four texels along x.
        bench.wave().v[next++][lane] = Eighth << 16;
      } else {
        for (float value : {0.5f, 0.0f, 0.0f, 0.125f})
          bench.setFloat(next++, lane, value);
      }
      bench.wave().v[next][lane] = Half | Eighth << 16; // (0.5, 0.125)
    }
    ASSERT_TRUE(bench.run()) << row.text;
    EXPECT_EQ(bench.getFloat(16, 0), float(ImageBench::texel(2, 1, 0))) << row.text;
  }
}

TEST(ImageOps, ShortDescriptorsHaveNoLevels) {
  ImageDescriptor image = ImageBench::makeImage();
  image.kind = ImageType::Dim1D;
  image.height = 1;
  image.levels = 1;
  image.lastLevel = 0;
  image.texel.format = {{32, 0, 0, 0}, TexelClass::Uint, false};
  ImageBench bench("gfx1100", "image_load v16, v4, s[8:15] dmask:0x1 dim:SQ_RSRC_IMG_1D unorm r128",
                   image);
  for (unsigned i = 4; i < 8; ++i) // No part of a descriptor of 128 bits.
    bench.wave().s[8 + i] = ~0u;
  uint32_t value = 12345;
  std::memcpy(bench.bytes().data() + 12, &value, 4);
  for (unsigned lane = 0; lane < bench.lanes(); ++lane)
    bench.wave().v[4][lane] = 3;
  ASSERT_TRUE(bench.run());
  EXPECT_EQ(bench.wave().v[16][0], value);
}
