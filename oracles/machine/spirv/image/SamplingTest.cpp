// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Samplers against the formulas of the specification, evaluated here one texel at a time.
#include "oracles/machine/spirv/image/Sampling.h"
#include "oracles/machine/spirv/image/CubeMap.h"
#include "oracles/machine/spirv/math/FloatMath.h"
#include <cmath>
#include <functional>
#include <gtest/gtest.h>
#include <random>

using namespace llvm;
using namespace assay;
using namespace assay::reference;

namespace {
/// An image whose texels are a function of their place.
struct Scene {
  ImageView view;
  Sampler sampler;
  SampleRequest request;
  std::function<double(const TexelPlace &)> texelOf;

  Scene(uint32_t width, uint32_t height, uint32_t depth = 1, const char *format = "R32_SFLOAT") {
    view.format = &getTexelFormatInfo(*findTexelFormat(StringRef(format)));
    view.shape.width = width;
    view.shape.height = height;
    view.shape.depth = depth;
    view.shape.dimension = depth > 1 ? ImageDimension::Dim3D : ImageDimension::Dim2D;
    request.dimensions = depth > 1 ? 3 : 2;
    request.lod = Interval::point(0);
    for (AddressMode &mode : sampler.address)
      mode = AddressMode::ClampToEdge;
    texelOf = [](const TexelPlace &place) {
      return double(place.x + 10 * place.y + 100 * place.z + 1000 * place.layer +
                    10000 * place.level);
    };
  }
  void filterLinearly() { sampler.magFilter = sampler.minFilter = Filter::Linear; }
  void setLevels(uint32_t levels) { view.shape.mipLevels = levels; }
  void setLayers(uint32_t layers) { view.shape.layers = view.layers = layers; }

  TexelValue read(const TexelPlace &place) const {
    EXPECT_TRUE(view.contains(place));
    TexelValue value = zeroTexel(*view.format, 1);
    double number = texelOf(place);
    value[0] =
        view.format->isInteger() ? Scalar::exact(uint64_t(number)) : Scalar::exact(toFloat(number));
    return value;
  }
  Color run(bool gathers = false, const int64_t (*offsets)[2] = nullptr) {
    request.view = &view;
    request.sampler = &sampler;
    auto source = [&](const TexelPlace &place) { return read(place); };
    TexelSampler texels(request, source);
    EXPECT_EQ(texels.whyNot(), "");
    Color color = gathers ? texels.gather(0, offsets) : texels.sample();
    EXPECT_FALSE(texels.usedWrongBorder());
    return color;
  }
  std::string whyNot() {
    request.view = &view;
    request.sampler = &sampler;
    return TexelSampler(request, [&](const TexelPlace &place) { return read(place); }).whyNot();
  }
  Interval at(double s, double t, double r = 0) {
    request.coordinates[0] = Interval::point(s);
    request.coordinates[1] = Interval::point(t);
    request.coordinates[2] = Interval::point(r);
    Color color = run();
    EXPECT_FALSE(color.isPoison());
    return color.channel[0];
  }
};

std::string text(const Interval &interval) {
  auto number = [](double x) {
    std::string result = std::to_string(x);
    result.erase(result.find_last_not_of('0') + 1);
    return result.back() == '.' ? result.substr(0, result.size() - 1) : result;
  };
  return interval.isPoint() ? number(interval.lo)
                            : number(interval.lo) + ".." + number(interval.hi);
}

bool isNear(const Interval &interval, double value) {
  return interval.contains(value) && interval.hi - interval.lo <= 3e-4 * (1 + std::fabs(value));
}
} // namespace

TEST(Sampling, NearestTakesTheTexelAround) {
  Scene scene(4, 4);
  EXPECT_EQ(text(scene.at(0.125, 0.125)), "0");
  EXPECT_EQ(text(scene.at(0.875, 0.625)), "23");
  EXPECT_EQ(text(scene.at(0.5, 0.5)), "22");       // On an edge: the texel that begins there.
  EXPECT_EQ(text(scene.at(0.499, 0.5)), "21..22"); // Coordinates may be rounded to 1/16.
  EXPECT_EQ(text(scene.at(2, -3)), "3");
  EXPECT_EQ(text(scene.at(1e30, -1e30)), "3");
  scene.request.coordinates[0] = Interval{0.3, 0.6, false};
  scene.request.coordinates[1] = Interval::point(0.125);
  EXPECT_EQ(text(scene.run().channel[0]), "1..2");
  scene.request.coordinates[0] = Interval::onlyNan();
  EXPECT_TRUE(scene.run().isPoison());
}

/// Texel i of an endless row that repeats, or is mirrored at each end.
static int64_t walk(AddressMode mode, int64_t i, int64_t size) {
  int64_t at = 0, step = 1;
  // From texel 0 one step at a time, to the right and, mirrored or not, to the left.
  bool isMirrored = mode == AddressMode::MirroredRepeat || mode == AddressMode::MirrorClampToEdge;
  if (i < 0 && isMirrored)
    i = -1 - i;
  for (; i < 0; ++i)
    at = at == 0 ? (mode == AddressMode::Repeat ? size - 1 : 0) : at - 1;
  for (; i > 0; --i) {
    bool isEnd = at + step >= size || at + step < 0;
    if (!isEnd)
      at += step;
    else if (mode == AddressMode::Repeat)
      at = 0;
    else if (mode == AddressMode::MirroredRepeat)
      step = -step;
  }
  return at;
}

TEST(Sampling, WrapsCoordinates) {
  using enum AddressMode;
  for (AddressMode mode : {Repeat, MirroredRepeat, ClampToEdge, MirrorClampToEdge}) {
    for (uint32_t size : {1, 2, 5, 8}) {
      Scene scene(size, 1);
      scene.sampler.address[0] = mode;
      for (int64_t i = -21; i <= 21; ++i) {
        if (mode == ClampToEdge && i < 0)
          continue; // Below zero it stays there; walk() has no word for it.
        Interval result = scene.at((double(i) + 0.5) / size, 0);
        EXPECT_EQ(text(result), std::to_string(walk(mode, i, size)))
            << int(mode) << " " << i << " of " << size;
      }
    }
  }
}

TEST(Sampling, BordersHaveTheirColour) {
  using enum BorderColor;
  Scene scene(4, 4);
  scene.sampler.address[0] = AddressMode::ClampToBorder;
  scene.sampler.border = FloatOpaqueWhite;
  EXPECT_EQ(text(scene.at(-0.125, 0.125)), "1");
  EXPECT_EQ(text(scene.at(1.125, 0.125)), "1");
  EXPECT_EQ(text(scene.at(0.875, 0.125)), "3");
  Color color = scene.run();
  scene.request.coordinates[0] = Interval::point(-1);
  scene.sampler.border = FloatTransparentBlack;
  color = scene.run();
  // R32 has no alpha: it is 1 whatever the border's is.
  EXPECT_EQ(text(color.channel[3]), "1");
  EXPECT_EQ(text(color.channel[1]), "0");
  scene.filterLinearly();
  scene.sampler.border = FloatOpaqueWhite;
  EXPECT_TRUE(isNear(scene.at(0, 0.125), 0.5)); // Half of texel 0, half of the border.
  Scene integers(4, 4, 1, "R8G8B8A8_UINT");
  integers.sampler.address[0] = AddressMode::ClampToBorder;
  integers.sampler.border = IntOpaqueWhite;
  EXPECT_EQ(text(integers.at(-0.125, 0.125)), "1");
  integers.sampler.border = FloatOpaqueWhite;
  auto source = [&](const TexelPlace &place) { return integers.read(place); };
  TexelSampler wrong(integers.request, source);
  wrong.sample();
  EXPECT_TRUE(wrong.usedWrongBorder());
}

TEST(Sampling, LinearWeighsNeighbours) {
  std::mt19937 random(1);
  for (unsigned round = 0; round < 300; ++round) {
    bool is3D = round % 2;
    Scene scene(8, 4, is3D ? 2 : 1);
    scene.filterLinearly();
    auto value = [&](int64_t x, int64_t y, int64_t z) {
      return double((x * 7 + y * 13 + z * 29) % 31);
    };
    scene.texelOf = [&](const TexelPlace &p) { return value(p.x, p.y, p.z); };
    // On multiples of 1/16 of a texel nothing is rounded; elsewhere the formula lies inside.
    bool isExact = round % 3 == 0;
    double texels[3];
    for (double &texel : texels)
      texel = isExact ? double(random() % 160) / 16 - 1 : double(random() % 100000) / 10000 - 1;
    double sum = 0;
    double base[3], part[3];
    for (unsigned i = 0; i < 3; ++i) {
      base[i] = std::floor(texels[i] - 0.5);
      part[i] = texels[i] - 0.5 - base[i];
    }
    auto clamp = [](double x, int64_t size) {
      return std::min<int64_t>(std::max<int64_t>(int64_t(x), 0), size - 1);
    };
    for (unsigned corner = 0; corner < (is3D ? 8 : 4); ++corner) {
      double weight = 1;
      for (unsigned i = 0; i < (is3D ? 3 : 2); ++i)
        weight *= corner >> i & 1 ? part[i] : 1 - part[i];
      sum += weight * value(clamp(base[0] + (corner & 1), 8), clamp(base[1] + (corner >> 1 & 1), 4),
                            is3D ? clamp(base[2] + (corner >> 2), 2) : 0);
    }
    Interval result = scene.at(texels[0] / 8, texels[1] / 4, texels[2] / 2);
    EXPECT_TRUE(result.contains(sum)) << text(result) << " " << sum;
    EXPECT_LE(result.hi - result.lo, isExact ? 0.003 : 12.0);
  }
}

TEST(Sampling, LinearOnATexelsCentreIsExact) {
  Scene scene(4, 4);
  scene.filterLinearly();
  EXPECT_EQ(text(scene.at(0.375, 0.625)), "21");
  scene.texelOf = [](const TexelPlace &place) { return place.x == 1 ? INFINITY : 1; };
  EXPECT_EQ(text(scene.at(0.125, 0.625)), "1"); // Its neighbour has no weight.
  scene.request.coordinates[0] = Interval::point(0.25);
  EXPECT_TRUE(scene.run().isPoison());
}

TEST(Sampling, ChoosesLevels) {
  Scene scene(8, 8);
  scene.setLevels(4);
  auto level = [&](double lod) {
    scene.request.lod = Interval::point(lod);
    Interval result = scene.at(0, 0);
    return text({result.lo / 10000, result.hi / 10000, false});
  };
  EXPECT_EQ(level(-5), "0");
  EXPECT_EQ(level(0), "0");
  EXPECT_EQ(level(1), "1");
  EXPECT_EQ(level(1.4375), "1");
  EXPECT_EQ(level(1.5), "1..2");  // A tie.
  EXPECT_EQ(level(1.46), "1..2"); // May be quantized to one.
  EXPECT_EQ(level(1.75), "2");
  EXPECT_EQ(level(99), "3");
  scene.sampler.maxLod = 2;
  EXPECT_EQ(level(99), "2");
  scene.sampler.minLod = 1;
  EXPECT_EQ(level(0), "1");
  scene.sampler.minLod = 0;
  scene.sampler.lodBias = 1;
  EXPECT_EQ(level(0), "1");
  scene.sampler.lodBias = 0;
  scene.sampler.mipFilter = Filter::Linear;
  EXPECT_TRUE(isNear({scene.at(0, 0).lo, scene.at(0, 0).hi, false}, 0));
  scene.request.lod = Interval::point(1.25);
  EXPECT_TRUE(isNear(scene.at(0, 0), 12500));
  scene.request.lod = Interval::point(2);
  EXPECT_EQ(text(scene.at(0, 0)), "20000");
  scene.request.lod = Interval::point(0.01);
  Interval result = scene.at(0, 0);
  EXPECT_TRUE(result.contains(0) && result.contains(100) && result.contains(625));
}

TEST(Sampling, MagnifiesUpToLevelZero) {
  Scene scene(4, 4);
  scene.sampler.minFilter = Filter::Linear;
  scene.request.lod = Interval::point(0);
  EXPECT_EQ(text(scene.at(0.25, 0.125)), "1");
  scene.request.lod = Interval::point(1);
  EXPECT_TRUE(isNear(scene.at(0.25, 0.125), 0.5));
  scene.request.lod = Interval{-1, 1, false};
  EXPECT_TRUE(scene.at(0.25, 0.125).contains(1));
  EXPECT_TRUE(scene.at(0.25, 0.125).contains(0.5));
}

TEST(Sampling, GradientsGiveALevel) {
  Scene scene(16, 16);
  scene.setLevels(5);
  scene.request.lod.reset();
  auto level = [&](double dsdx, double dtdx, double dsdy, double dtdy) {
    scene.request.gradients[0][0] = Interval::point(dsdx);
    scene.request.gradients[0][1] = Interval::point(dtdx);
    scene.request.gradients[1][0] = Interval::point(dsdy);
    scene.request.gradients[1][1] = Interval::point(dtdy);
    Interval result = scene.at(0, 0);
    return text({result.lo / 10000, result.hi / 10000, false});
  };
  EXPECT_EQ(level(0, 0, 0, 0), "0");
  EXPECT_EQ(level(1 / 16.0, 0, 0, 1 / 16.0), "0..1"); // log2(1) to log2(sqrt(2)).
  EXPECT_EQ(level(1.5 / 16, 0, 0, 1.5 / 16), "1");    // 0.58 to 1.08.
  EXPECT_EQ(level(0, 3 / 16.0, 0, 0), "2");           // 1.58 to 2.08.
  EXPECT_EQ(level(-6 / 16.0, 0, 0, 0), "3");
  EXPECT_EQ(level(1e9, 0, 0, 0), "4");
}

TEST(Sampling, LayersAreRounded) {
  Scene scene(1, 1);
  scene.setLayers(4);
  scene.request.isArrayed = true;
  auto layer = [&](double a) {
    scene.request.layer = Interval::point(a);
    Interval result = scene.at(0, 0);
    return text({result.lo / 1000, result.hi / 1000, false});
  };
  EXPECT_EQ(layer(0), "0");
  EXPECT_EQ(layer(1.4), "1");
  EXPECT_EQ(layer(1.6), "2");
  EXPECT_EQ(layer(1.5), "1..2");
  EXPECT_EQ(layer(-7), "0");
  EXPECT_EQ(layer(99), "3");
}

TEST(Sampling, GathersInOrder) {
  Scene scene(4, 4);
  scene.request.coordinates[0] = Interval::point(0.5);
  scene.request.coordinates[1] = Interval::point(0.5);
  Color four = scene.run(true);
  EXPECT_EQ(text(four.channel[0]), "21"); // i0 j1
  EXPECT_EQ(text(four.channel[1]), "22"); // i1 j1
  EXPECT_EQ(text(four.channel[2]), "12"); // i1 j0
  EXPECT_EQ(text(four.channel[3]), "11"); // i0 j0
  const int64_t offsets[4][2] = {{-1, -1}, {2, 0}, {0, 2}, {7, 7}};
  four = scene.run(true, offsets);
  EXPECT_EQ(text(four.channel[0]), "0");
  EXPECT_EQ(text(four.channel[1]), "13");
  EXPECT_EQ(text(four.channel[2]), "31");
  EXPECT_EQ(text(four.channel[3]), "33");
  scene.request.offset[0] = 1;
  EXPECT_EQ(text(scene.run(true).channel[3]), "12");
  // Half a texel from a centre the cell is certain; on the centre it is what begins there.
  scene.request.offset[0] = 0;
  scene.request.coordinates[0] = Interval::point(0.375);
  EXPECT_EQ(text(scene.run(true).channel[3]), "11");
  scene.request.coordinates[0] = Interval::point(0.374);
  EXPECT_EQ(text(scene.run(true).channel[3]), "10..11");
}

TEST(Sampling, ComparesDepths) {
  Scene scene(2, 1, 1, "D32_SFLOAT");
  scene.texelOf = [](const TexelPlace &place) { return place.x ? 0.75 : 0.25; };
  auto compared = [&](CompareOp op, double reference, double s) {
    scene.sampler.compare = op;
    scene.request.reference = Interval::point(reference);
    return text(scene.at(s, 0));
  };
  // The reference stands on the left: VkCompareOp says so.
  const char *expected[8][3] = {{"0", "0", "0"}, {"1", "0", "0"}, {"0", "1", "0"}, {"1", "1", "0"},
                                {"0", "0", "1"}, {"1", "0", "1"}, {"0", "1", "1"}, {"1", "1", "1"}};
  for (unsigned op = 0; op < 8; ++op)
    for (unsigned i = 0; i < 3; ++i)
      EXPECT_EQ(compared(CompareOp(op), 0.125 + 0.125 * i, 0.25), expected[op][i])
          << op << " " << i;
  scene.filterLinearly();
  EXPECT_EQ(compared(CompareOp::Less, 0.5, 0.5), "0..1"); // One passes, one fails.
  EXPECT_EQ(compared(CompareOp::Less, 0.1, 0.5), "1");
  EXPECT_EQ(compared(CompareOp::Less, 0.9, 0.5), "0");
  scene.request.reference = Interval{0.2, 0.3, false};
  scene.sampler.compare = CompareOp::Greater;
  EXPECT_EQ(text(scene.at(0.25, 0)), "0..1");
  Scene fixed(1, 1, 1, "D16_UNORM");
  fixed.texelOf = [](const TexelPlace &) { return 1; };
  fixed.sampler.compare = CompareOp::LessOrEqual;
  fixed.request.reference = Interval::point(2); // Clamped to 1.
  EXPECT_EQ(text(fixed.at(0, 0)), "1");
}

TEST(Sampling, UnnormalizedCoordinatesCountTexels) {
  Scene scene(5, 5);
  scene.sampler.normalized = false;
  EXPECT_EQ(text(scene.at(2.5, 3.5)), "32");
  EXPECT_EQ(text(scene.at(-3, 100)), "40");
  scene.setLevels(2);
  EXPECT_NE(scene.whyNot(), "");
}

TEST(Sampling, SaysWhatHasNoMeaning) {
  Scene scene(4, 4, 1, "R8_UINT");
  EXPECT_EQ(scene.whyNot(), "");
  scene.filterLinearly();
  EXPECT_NE(scene.whyNot(), "");
  Scene comparing(4, 4);
  comparing.sampler.compare = CompareOp::Less;
  EXPECT_NE(comparing.whyNot(), "");
  comparing.request.reference = Interval::point(0);
  EXPECT_EQ(comparing.whyNot(), "");
  comparing.sampler.compare.reset();
  EXPECT_NE(comparing.whyNot(), "");
  Scene lods(4, 4);
  lods.sampler.minLod = 2;
  lods.sampler.maxLod = 1;
  EXPECT_NE(lods.whyNot(), "");
}

// Where the centre of a texel lies on the cube, by the table of faces: s_c and t_c from -1 to 1.
static void centreOf(unsigned face, int64_t x, int64_t y, int64_t size, double point[3]) {
  double s = (2 * double(x) + 1) / double(size) - 1, t = (2 * double(y) + 1) / double(size) - 1;
  const double points[6][3] = {{1, -t, -s}, {-1, -t, s}, {s, 1, t},
                               {s, -1, -t}, {s, -t, 1},  {-s, -t, -1}};
  std::copy_n(points[face], 3, point);
}

TEST(CubeMap, FindsEveryTexel) {
  Scene scene(4, 4);
  scene.setLayers(6);
  scene.view.isCube = true;
  scene.request.dimensions = 3;
  for (unsigned face = 0; face < 6; ++face)
    for (int64_t i = 0; i < 16; ++i) {
      double point[3];
      centreOf(face, i % 4, i / 4, 4, point);
      double expected = 1000.0 * face + double(i % 4) + 10.0 * double(i / 4);
      EXPECT_EQ(text(scene.at(point[0], point[1], point[2])), text(Interval::point(expected)));
      EXPECT_EQ(text(scene.at(point[0] * 4, point[1] * 4, point[2] * 4)),
                text(Interval::point(expected)));
    }
}

TEST(CubeMap, CrossesEdgesToTheTexelBeside) {
  for (int64_t size : {1, 2, 3, 8})
    for (unsigned face = 0; face < 6; ++face)
      for (int64_t i = 0; i < size; ++i)
        for (unsigned side = 0; side < 4; ++side) {
          int64_t out = side & 1 ? size : -1, in = side & 1 ? size - 1 : 0;
          FaceTexel texel{face, side & 2 ? i : out, side & 2 ? out : i};
          FaceTexel beside = crossEdge(texel, size);
          EXPECT_NE(beside.face, face);
          double a[3], b[3];
          centreOf(face, side & 2 ? i : in, side & 2 ? in : i, size, a);
          centreOf(beside.face, beside.x, beside.y, size, b);
          double square = 0;
          for (unsigned k = 0; k < 3; ++k)
            square += (a[k] - b[k]) * (a[k] - b[k]);
          // Both are half a texel from the edge, at a right angle.
          EXPECT_NEAR(square, 2.0 / double(size * size), 1e-9) << face << " " << i << " " << side;
        }
}

TEST(CubeMap, FiltersAcrossEdgesAndCorners) {
  Scene scene(2, 2);
  scene.setLayers(6);
  scene.view.isCube = true;
  scene.request.dimensions = 3;
  scene.filterLinearly();
  scene.texelOf = [](const TexelPlace &place) { return double(place.layer); };
  // On the edge of +X and +Z, whichever of the two faces is taken: half of each.
  EXPECT_TRUE(isNear(scene.at(1, 0, 1), 2));
  EXPECT_TRUE(isNear(scene.at(1, 0, 0), 0));
  // In a corner: something of the three around it.
  Interval corner = scene.at(1, 1, 1);
  EXPECT_TRUE(corner.contains(2)); // (0 + 2 + 4) / 3
  EXPECT_LE(corner.lo, 2);
  EXPECT_GE(corner.lo, 0);
  EXPECT_LE(corner.hi, 4.01);
  scene.texelOf = [](const TexelPlace &) { return 5; };
  EXPECT_TRUE(isNear(scene.at(1, 1, 1), 5));
  scene.request.coordinates[0] = Interval::point(0);
  scene.request.coordinates[1] = Interval::point(0);
  scene.request.coordinates[2] = Interval::point(0);
  EXPECT_TRUE(scene.run().isPoison());
}

TEST(CubeMap, DerivativesOfTheFace) {
  // On +Z at (0.5, 0): s = (x / z + 1) / 2, so ds = dx / 2z - x dz / 2z^2.
  Interval direction[3] = {Interval::point(0.5), Interval::point(0), Interval::point(1)};
  Interval moves[3] = {Interval::point(0.25), Interval::point(0.125), Interval::point(-0.5)};
  FaceSpeed speed = faceSpeed(4, direction, moves);
  EXPECT_TRUE(speed.s.contains(0.25)); // 0.125 + 0.125
  EXPECT_NEAR(speed.s.hi, speed.s.lo, 1e-5);
  EXPECT_TRUE(speed.t.contains(0.0625));
}

TEST(Sampling, NominalIsOnePlainImplementation) {
  Scene scene(8, 8);
  scene.setLevels(4);
  scene.request.isNominal = true;
  EXPECT_EQ(text(scene.at(0.249, 0)), "1");
  scene.request.lod = Interval::point(1.5);
  EXPECT_EQ(text(scene.at(0, 0)), "10000");
  scene.filterLinearly();
  scene.request.lod = Interval::point(0);
  EXPECT_TRUE(isNear(scene.at(0.3, 0), 1.9));
  scene.request.lod.reset();
  scene.request.gradients[0][0] = Interval::point(0.25);
  EXPECT_TRUE(isNear(scene.at(0, 0), 10000));
  Scene array(1, 1);
  array.setLayers(4);
  array.request.isArrayed = true;
  array.request.isNominal = true;
  array.request.layer = Interval::point(2.5);
  EXPECT_EQ(text(array.at(0, 0)), "2000");
}
