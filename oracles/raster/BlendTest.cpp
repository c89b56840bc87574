// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/raster/Blend.h"

#include "support/Random.h"
#include <gmock/gmock.h>

using namespace assay;
using namespace assay::raster;

namespace {
/// The specification's formulas on plain numbers.
struct PlainBlend {
  double source[4], second[4], old[4], constants[4];

  double getFactor(BlendFactor factor, int i) const {
    double saturate = i == 3 ? 1 : std::min(source[3], 1 - old[3]);
    const double values[] = {0,
                             1,
                             source[i],
                             1 - source[i],
                             old[i],
                             1 - old[i],
                             source[3],
                             1 - source[3],
                             old[3],
                             1 - old[3],
                             constants[i],
                             1 - constants[i],
                             constants[3],
                             1 - constants[3],
                             saturate,
                             second[i],
                             1 - second[i],
                             second[3],
                             1 - second[3]};
    return values[int(factor)];
  }
  double blend(BlendFactor sourceFactor, BlendFactor oldFactor, BlendOp op, int i) const {
    double s = source[i] * getFactor(sourceFactor, i), d = old[i] * getFactor(oldFactor, i);
    const double results[] = {s + d, s - d, d - s, std::min(source[i], old[i]),
                              std::max(source[i], old[i])};
    return results[int(op)];
  }
};
} // namespace

static const TexelFormatInfo &infoOf(llvm::StringRef name) {
  return getTexelFormatInfo(findTexelFormat(name).value_or(TexelFormat::Undefined));
}

static Color toColor(const double (&values)[4]) {
  Color color;
  for (unsigned i = 0; i < 4; ++i)
    color[i] = Component::point(values[i]);
  return color;
}

/// For each factor and operation: the formula's result is allowed, and little else.
static void checkAll(llvm::StringRef name, double scale, double most) {
  Random random(3);
  const TexelFormatInfo &format = infoOf(name);
  for (int round = 0; round < 19 * 19 * 5; ++round) {
    ColorTarget target;
    target.format = format.format;
    target.blend = true;
    target.srcColor = target.srcAlpha = BlendFactor(round % 19);
    target.dstColor = target.dstAlpha = BlendFactor(round / 19 % 19);
    target.colorOp = target.alphaOp = BlendOp(round / 361);
    PlainBlend plain = {};
    for (auto *values : {plain.source, plain.second, plain.old, plain.constants})
      for (int i = 0; i < 4; ++i)
        values[i] = double(random.below(256)) / 255;
    float constants[4];
    for (int i = 0; i < 4; ++i)
      plain.constants[i] = constants[i] = float(plain.constants[i]);
    if (scale == 1)
      for (auto *values : {plain.source, plain.second, plain.old})
        for (int i = 0; i < 4; ++i)
          values[i] = float(values[i]);
    TexelFields fields =
        blendTexel(target, format, {toColor(plain.source), toColor(plain.second)}, constants,
                   std::nullopt, encodeColor(format, toColor(plain.old)));
    for (int i = 0; i < 4; ++i) {
      double expected = plain.blend(target.srcColor, target.dstColor, target.colorOp, i) * scale;
      if (scale != 1)
        expected = std::clamp(expected, 0.0, scale);
      // What is next to a number becomes it.
      double slack = scale == 1 ? 1e-9 : 1.0 / 256;
      ASSERT_LE(fields[i].range.lo, expected + slack) << round;
      ASSERT_GE(fields[i].range.hi, expected - slack) << round;
      ASSERT_LE(fields[i].range.hi - fields[i].range.lo, most) << round;
    }
  }
}

TEST(Blend, FollowsTheFormulasInFloats) {
  checkAll("R32G32B32A32_SFLOAT", 1, 0x1p-19);
}
TEST(Blend, FollowsTheFormulasInUnorm) {
  checkAll("R8G8B8A8_UNORM", 255, 4);
}

TEST(Blend, ReplacementIsExact) {
  ColorTarget target;
  target.format = infoOf("R8G8B8A8_UNORM").format;
  target.blend = true;
  const float constants[4] = {};
  TexelFields fields = blendTexel(target, infoOf("R8G8B8A8_UNORM"),
                                  {toColor({0.2, 0.4, 0.6, 1}), {}}, constants, std::nullopt, {});
  for (unsigned i = 0; i < 4; ++i)
    EXPECT_EQ(fields[i], Field::point(i == 3 ? 255 : 51 * (i + 1)));
}

TEST(Blend, MissingAlphaIsOne) {
  ColorTarget target;
  target.format = infoOf("R8_UNORM").format;
  target.blend = true;
  target.srcColor = BlendFactor::DstAlpha;
  const float constants[4] = {};
  EXPECT_EQ(blendTexel(target, infoOf("R8_UNORM"), {toColor({0.2, 0, 0, 0}), {}}, constants,
                       std::nullopt, {})[0],
            Field::point(51));
}

TEST(Blend, OpenColorsStayOpenUnlessUnused) {
  ColorTarget target;
  target.format = infoOf("R8G8B8A8_UNORM").format;
  target.blend = true;
  target.srcColor = BlendFactor::Zero;
  target.dstColor = BlendFactor::One;
  BlendSource source;
  source.color.fill(Component::open());
  const float constants[4] = {};
  TexelFields old = encodeColor(infoOf("R8G8B8A8_UNORM"), toColor({0.2, 0.2, 0.2, 0.2}));
  TexelFields fields =
      blendTexel(target, infoOf("R8G8B8A8_UNORM"), source, constants, std::nullopt, old);
  EXPECT_EQ(fields[0], Field::point(51));
  EXPECT_TRUE(fields[3].isOpen);
}

TEST(Blend, LogicOperationsWorkOnBits) {
  const TexelFormatInfo &format = infoOf("R8G8B8A8_UINT");
  const float constants[4] = {};
  const unsigned s = 0x5c, d = 0xa6;
  const unsigned expected[16] = {0,     s & d,  s & ~d,   s,        ~s & d, d,
                                 s ^ d, s | d,  ~(s | d), ~(s ^ d), ~d,     s | ~d,
                                 ~s,    ~s | d, ~(s & d), 255};
  for (int op = 0; op < 16; ++op) {
    ColorTarget target;
    target.format = format.format;
    TexelFields fields = blendTexel(target, format, {toColor({s, s, s, s}), {}}, constants,
                                    LogicOp(op), encodeColor(format, toColor({d, d, d, d})));
    EXPECT_EQ(fields[1], Field::point(expected[op] & 0xff)) << op;
  }
  // Floats and sRGB pass.
  for (const char *name : {"R32_SFLOAT", "R8G8B8A8_SRGB"}) {
    ColorTarget target;
    target.format = infoOf(name).format;
    TexelFields fields = blendTexel(target, infoOf(name), {toColor({1, 1, 1, 1}), {}}, constants,
                                    LogicOp::Clear, {});
    EXPECT_GT(fields[0].range.lo, 0) << name;
  }
}

TEST(Blend, RefusesWhatHasNoMeaning) {
  ColorTarget target;
  target.format = infoOf("R8_UINT").format;
  EXPECT_EQ(whyNotBlendable(target), "");
  target.blend = true;
  EXPECT_EQ(whyNotBlendable(target), "blending of R8_UINT");
}
