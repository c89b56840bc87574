// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/machine/adreno/image/Images.h"
#include "oracles/machine/adreno/WaveTesting.h"
#include "llvm/ADT/bit.h"

using namespace llvm;
using namespace assay;
using namespace assay::adreno;

namespace {

constexpr uint64_t Texels = 0x1'0000'0000, Table = 0x2'0000;

uint32_t f(float value) {
  return bit_cast<uint32_t>(value);
}

/// A descriptor's words, as Mesa's fdl6_view_init writes them.
struct ImageWords {
  uint32_t format = 0x4b, type = 1, width = 4, height = 4, depth = 1, levels = 1, pitch = 64,
           layerPages = 0, swap = 0;
};

/// A wave with memory for texels at Texels, an image at descriptor 0 and a sampler after
/// descriptor 1 of base 0.
class ImageWave : public TestWave {
public:
  explicit ImageWave(StringRef text, const ImageWords &image, Chip chip = Chip::A630)
      : TestWave(text, chip) {
    bytes.resize(1 << 16);
    memory.map(Texels, bytes, "image", true);
    table = memory.allocate(Table, 256, "descriptors", false);
    put(0, 0x0688'0 | (image.levels - 1) << 16 | image.format << 22 | image.swap << 30);
    put(1, image.width | image.height << 15);
    put(2, image.pitch << 7 | image.type << 29);
    put(3, image.layerPages);
    put(4, uint32_t(Texels));
    put(5, uint32_t(Texels >> 32) | image.depth << 17);
    environment().bindlessBases = bases;
    environment().descriptorBytes = sizes;
  }
  void put(unsigned word, uint32_t value) { storeWord(&table[4 * word], 4, value); }
  void setSampler(uint32_t word0, uint32_t word1, uint32_t word2 = 1 << 4) {
    put(16, word0);
    put(17, word1);
    put(18, word2);
  }
  void setTexel(unsigned x, unsigned y, uint32_t value) {
    storeWord(&bytes[64 * y + 4 * x], 4, value);
  }

  std::vector<uint8_t> bytes;
  MutableArrayRef<uint8_t> table;
  uint64_t bases[1] = {Table};
  uint32_t sizes[1] = {64};
};

/// r1.x = x of the lane's number, r1.y = y: texel (n % 4, n / 4).
constexpr StringLiteral Coordinates = "and.b r1.x, r0.x, 3\nshr.b r1.y, r0.x, 2\n";

} // namespace

TEST(Texels, ConvertAllKinds) {
  TexelCode code{findTexelRow(0x30)};
  uint8_t bytes[16] = {};
  encodeTexel(code, {f(1), f(0.5), f(-1), f(2)}, bytes);
  EXPECT_EQ(loadWord(bytes, 4), 0xff0080ffu);
  EXPECT_EQ(decodeTexel(code, bytes), (TexelWords{f(1), f(128 / 255.0f), f(0), f(1)}));
  code.swap = 1; // B8G8R8A8.
  EXPECT_EQ(decodeTexel(code, bytes), (TexelWords{f(0), f(128 / 255.0f), f(1), f(1)}));
  TexelCode packed{findTexelRow(0x0a), /*swap=*/1}; // A1R5G5B5.
  storeWord(bytes, 2, 0x8000 | 31 << 10 | 1);
  EXPECT_EQ(decodeTexel(packed, bytes), (TexelWords{f(1), f(0), f(1 / 31.0f), f(1)}));
  TexelCode narrow{findTexelRow(0x17)};
  encodeTexel(narrow, {f(1.0009765f)}, bytes);
  EXPECT_EQ(loadWord(bytes, 2), 0x3c01u);
  EXPECT_EQ(decodeTexel(narrow, bytes)[3], f(1));
  TexelCode signedBytes{findTexelRow(0x32)};
  encodeTexel(signedBytes, {f(-1), f(1), f(0), f(-2)}, bytes);
  EXPECT_EQ(loadWord(bytes, 4), 0x81007f81u);
  TexelCode shared{findTexelRow(0x35)};
  encodeTexel(shared, {f(1), f(0.5), f(2)}, bytes);
  EXPECT_EQ(decodeTexel(shared, bytes), (TexelWords{f(1), f(0.5), f(2), f(1)}));
  TexelCode small{findTexelRow(0x42)};
  encodeTexel(small, {f(1), f(-3), f(0.25)}, bytes);
  EXPECT_EQ(decodeTexel(small, bytes), (TexelWords{f(1), f(0), f(0.25), f(1)}));
}

TEST(Images, FindLevelsAndLayers) {
  ImageView view;
  view.texel.row = findTexelRow(0x4b);
  view.type = ImageType::TwoD;
  view.address = Texels;
  view.width = view.height = 8;
  view.levels = 3;
  view.pitch = 64;
  view.layerPitch = 4096;
  view.depth = 2;
  auto at = [&](TexelPlace place) -> std::optional<uint64_t> {
    std::optional<uint64_t> address = findTexel(view, place);
    return address ? std::optional(*address - Texels) : std::nullopt;
  };
  EXPECT_EQ(at({1, 2, 0, 1, 0}), 4096 + 2 * 64 + 4u);
  EXPECT_EQ(at({1, 0, 0, 0, 1}), 8 * 64 + 4u) << "rows of a level are at least 64 bytes apart";
  EXPECT_EQ(at({0, 1, 0, 0, 2}), 8 * 64 + 4 * 64 + 64u);
  EXPECT_EQ(at({0, 0, 0, 2, 0}), std::nullopt);
  EXPECT_EQ(at({4, 0, 0, 0, 1}), std::nullopt);
  EXPECT_EQ(at({-1, 0, 0, 0, 0}), std::nullopt);
  view.type = ImageType::ThreeD;
  view.depth = 4;
  EXPECT_EQ(at({0, 0, 3, 0, 0}), 3 * 4096u);
  EXPECT_EQ(at({0, 0, 1, 0, 1}), 4 * 4096 + 4096u) << "slices stop shrinking";
}

TEST(Images, LoadAndStoreTexels) {
  ImageWave wave((Coordinates + "ldib.b.typed.2d.u32.1.imm.base0 r2.x, r1.x, 0\n"
                                "add.u r2.y, r2.x, 1\n"
                                "stib.b.typed.2d.u32.1.imm.base0 r2.y, r1.x, 0\n"
                                "isam.base0.1d (u32)(xyzw)r3.x, r1.x, s#0, t#0\n"
                                "resinfo.b.untyped.2d.u32.1.imm.base0 r4.x, 0")
                     .str(),
                 ImageWords());
  wave.setTexel(3, 1, 70);
  EXPECT_EQ(wave.run(), "");
  EXPECT_EQ(wave("r2.x", 7), 70u);
  EXPECT_EQ(wave("r3.x", 7), 71u);
  EXPECT_EQ(wave("r3.w", 7), 1u);
  EXPECT_EQ(wave("r3.w", 20), 0u) << "outside";
  EXPECT_EQ(wave("r4.x", 7), 4u);
  EXPECT_EQ(wave("r4.y", 7), 4u);
}

TEST(Images, SampleWithFilters) {
  ImageWords image;
  image.format = 0x4a;
  std::string text = (Coordinates + "cov.u32f32 r1.x, r1.x\ncov.u32f32 r1.y, r1.y\n"
                                    "mad.f32 r2.x, r1.x, c0.x, r63.x\n"
                                    "mul.f r2.x, r1.x, c0.x\nmul.f r2.y, r1.y, c0.x\n"
                                    "mov.u32u32 r2.z, 0\nmov.u32u32 r5.x, 0\nmov.u32u32 r5.y, 1\n"
                                    "saml.s2en.nonuniform.base0 (f32)(x)r3.x, r2.x, r2.z, r5.x")
                         .str();
  text.erase(text.find("mad.f32"), text.find("mul.f") - text.find("mad.f32"));
  ImageWave nearest(text, image);
  nearest.wave().constants[0] = f(0.25f); // To the corner of a texel.
  nearest.setSampler(0, 0);
  nearest.setTexel(1, 0, f(8));
  EXPECT_EQ(nearest.run(), "");
  EXPECT_EQ(nearest("r3.x", 1), f(8));
  EXPECT_EQ(nearest("r3.x", 2), f(0));
  ImageWave linear(text, image);
  linear.wave().constants[0] = f(0.25f);
  linear.setSampler(1 << 1 | 1 << 3, 0); // Repeats.
  linear.setTexel(0, 0, f(8));
  EXPECT_EQ(linear.run(), "");
  EXPECT_EQ(linear("r3.x", 0), f(2)) << "a quarter of each corner";
  EXPECT_EQ(linear("r3.x", 5), f(2));
  EXPECT_EQ(linear("r3.x", 2), f(0));
}

TEST(Images, RefuseWhatTheyLack) {
  ImageWords image;
  image.format = 0xb3;
  ImageWave compressed("ldib.b.typed.2d.u32.1.imm.base0 r2.x, r1.x, 0", image);
  EXPECT_NE(compressed.run().find("format 179"), std::string::npos);
  EXPECT_TRUE(compressed.wave().isUnsupported());
}
