// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Random draws by lavapipe: each texel must be one that oracles/raster allows. ASSAY_SCALE=full
// draws more of them.
#include "harness/peer/draws/DriverDraw.h"
#include "oracles/machine/vulkan/VulkanIcd.h"
#include "oracles/raster/Draw.h"
#include "oracles/raster/TexelCodec.h"
#include "support/Error.h"
#include "support/Random.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdlib>
#include <gmock/gmock.h>

using namespace llvm;
using namespace assay;
using namespace assay::draws;
using namespace assay::raster;

static TexelFormat formatOf(StringRef name) {
  return findTexelFormat(name).value_or(TexelFormat::Undefined);
}

namespace {
/// The same shaders for the model.
class ModelShaders : public ShaderExecutor {
public:
  explicit ModelShaders(const DriverDraw &draw) : m_draw(draw) {}

  Error runVertices(ArrayRef<VertexInvocation> invocations,
                    MutableArrayRef<VertexOutput> outputs) override {
    for (size_t i = 0; i < invocations.size(); ++i) {
      const DrawnVertex &vertex = m_draw.vertices[invocations[i].vertexIndex];
      for (unsigned k = 0; k < 4; ++k)
        outputs[i].position[k] = Range::point(double(vertex.position[k]));
      outputs[i].pointSize = Range::point(double(vertex.pointSize));
      outputs[i].clipDistances = {Range::point(double(vertex.clipDistance))};
      outputs[i].cullDistances = {Range::point(double(vertex.cullDistance))};
    }
    return Error::success();
  }

  Error runFragments(const FragmentPrimitive &primitive, ArrayRef<Quad> quads,
                     MutableArrayRef<FragmentOutput> outputs) override {
    for (size_t i = 0; i < quads.size(); ++i)
      for (unsigned f = 0; f < 4; ++f)
        if (!quads[i].fragments[f].isHelper)
          shade(primitive, quads[i], f, outputs[4 * i + f]);
    return Error::success();
  }

private:
  void shade(const FragmentPrimitive &primitive, const Quad &quad, unsigned f,
             FragmentOutput &output) const {
    Place place = quad.getPlace(f, m_draw.state.multisample.samples);
    const Interpolation &interpolation = primitive.interpolation;
    Color color = {};
    switch (m_draw.kind) {
    case FragmentKind::Color:
    case FragmentKind::TwoColors:
      color = interpolateColor(primitive, interpolation.getPerspective(place));
      break;
    case FragmentKind::FlatColor:
      for (unsigned k = 0; k < 4; ++k)
        color[k] = Component::point(double(m_draw.vertices[primitive.provoking].color[k]));
      break;
    case FragmentKind::LinearColor:
      color = interpolateColor(primitive, interpolation.getLinear(place));
      break;
    case FragmentKind::CentroidColor:
      color = interpolateColor(primitive, interpolation.getPerspective(quad.fragments[f].centroid));
      break;
    case FragmentKind::PointCoord: {
      Place coord = primitive.getPointCoord(place);
      color = {Component{coord.x}, Component{coord.y}, Component::point(0), Component::point(1)};
      break;
    }
    case FragmentKind::Coordinates: {
      Answer front = primitive.isFrontFacing;
      Range facing{front == Answer::Yes ? 1.0 : 0.0, front == Answer::No ? 0.0 : 1.0};
      color = {Component{quad.fragments[f].depth}, Component{interpolation.getInverseW(place)},
               Component{facing}, Component::point(1)};
      break;
    }
    }
    output.colors.push_back({0, 0, color});
    if (m_draw.kind == FragmentKind::TwoColors)
      output.colors.push_back({0, 1, {color[3], color[2], color[1], color[0]}});
  }

  Color interpolateColor(const FragmentPrimitive &primitive, const Weights &weights) const {
    Color color;
    for (unsigned k = 0; k < 4; ++k) {
      std::array<Range, 3> values;
      for (unsigned i = 0; i < 3; ++i)
        values[i] = Range::point(double(m_draw.vertices[primitive.vertices[i]].color[k]));
      color[k] = {interpolate(weights, values)};
    }
    return color;
  }

  const DriverDraw &m_draw;
};

/// Figures of all draws of one test.
struct Totals {
  unsigned draws = 0;
  unsigned refused = 0; ///< Draws that the model can't say anything of.
  uint64_t texels = 0, drawn = 0, uncertain = 0;
};

class OnLavapipe : public testing::Test {
protected:
  void SetUp() override {
    std::string icd = findVulkanIcd("lvp");
    if (icd.empty())
      GTEST_SKIP() << missingVulkanIcd("lvp");
    auto device = vulkan::Device::create(icd);
    if (device) {
      m_device = std::move(*device);
      return;
    }
    ErrorParts parts = takeError(device.takeError());
    ASSERT_EQ(parts.kind, ErrorKind::Unsupported) << parts.message;
    GTEST_SKIP() << parts.message;
  }

  void TearDown() override {
    EXPECT_LE(m_totals.refused, m_totals.draws / 10);
    EXPECT_GE(m_totals.drawn, m_totals.texels / 100);
    // What is open is near edges.
    EXPECT_LE(m_totals.uncertain, m_totals.texels / 100);
  }

  /// Calls \p make with a random source for each draw, and compares.
  void compareAll(unsigned count, function_ref<DriverDraw(Random &, unsigned)> make);
  void compare(const DriverDraw &draw, unsigned number);
  void compareTexels(const RenderTarget &target, ArrayRef<uint8_t> bytes, unsigned number);

  std::unique_ptr<vulkan::Device> m_device;
  Totals m_totals;
};
} // namespace

static bool allows(const Field &field, const Field &actual) {
  if (field.isOpen || actual.mayBeNan)
    return field.isOpen || field.mayBeNan;
  return field.range.contains(actual.range.lo);
}

static bool allows(const TexelFormatInfo &format, const TexelFields &fields,
                   const TexelFields &actual) {
  for (unsigned i = 0; i < format.componentCount; ++i) {
    Field number = actual[i];
    // lavapipe stores the second number for -1 where it clamps, which the specification's
    // conversion never gives (docs/draws.md).
    if (format.numeric == TexelNumeric::Snorm)
      number.range =
          maximum(number.range, Range::point(-getMaxCode(format.components[i].bits, true)));
    if (!allows(fields[i], number))
      return false;
  }
  return true;
}

static std::string describe(const TexelFields &fields) {
  std::string text;
  raw_string_ostream os(text);
  for (const Field &field : fields)
    if (field.isExact())
      os << format("%.9g ", field.range.lo);
    else
      os << format("%.9g..%.9g ", field.range.lo, field.range.hi);
  return text;
}

void OnLavapipe::compareTexels(const RenderTarget &target, ArrayRef<uint8_t> bytes,
                               unsigned number) {
  const TexelFormatInfo &info = target.format();
  for (uint64_t i = 0; i * info.bytes < bytes.size(); ++i) {
    TexelFields actual = loadFields(info, &bytes[i * info.bytes]);
    TexelAlternatives texel = target.getTexel(i);
    bool isAllowed =
        any_of(texel, [&](const TexelFields &fields) { return allows(info, fields, actual); });
    ASSERT_TRUE(isAllowed) << "draw " << number << ", " << info.name.str() << " at "
                           << i % target.width() << ' ' << i / target.width() << ": "
                           << describe(actual) << "; allowed " << describe(texel[0])
                           << (texel.size() > 1 ? " and others" : "");
  }
}

void OnLavapipe::compare(const DriverDraw &draw, unsigned number) {
  Expected<DrawnImages> images = drawOnDriver(*m_device, draw);
  ASSERT_TRUE(bool(images)) << takeError(images.takeError()).message;
  const GraphicsState &state = draw.state;
  uint32_t samples = state.multisample.samples;
  RenderTarget color(state.colorTargets[0].format, draw.width, draw.height, 1, samples);
  RenderTarget resolved(state.colorTargets[0].format, draw.width, draw.height, 1, 1);
  Color clear;
  for (unsigned k = 0; k < 4; ++k)
    clear[k] = Component::point(double(draw.clearColor[k]));
  clearColor(color, clear);
  std::unique_ptr<RenderTarget> depth;
  if (state.depthStencilFormat != TexelFormat::Undefined) {
    depth = std::make_unique<RenderTarget>(state.depthStencilFormat, draw.width, draw.height, 1,
                                           samples);
    clearDepthStencil(*depth, double(draw.clearDepth), uint8_t(draw.clearStencil));
  }
  ++m_totals.draws;
  ModelShaders shaders(draw);
  DrawInput input;
  input.state = &state;
  std::vector<DrawVertex> vertices = listVertices(0, uint32_t(draw.vertices.size()));
  input.vertices = vertices;
  std::vector<uint8_t> before(color.bytes());
  if (Error error =
          drawPrimitives(input, shaders, {draw.width, draw.height, {&color}, depth.get()})) {
    ErrorParts parts = takeError(std::move(error));
    EXPECT_EQ(parts.kind, ErrorKind::Unsupported) << parts.message;
    ++m_totals.refused;
    return;
  }
  m_totals.texels += uint64_t(draw.width) * draw.height * samples;
  m_totals.uncertain += color.countUncertain();
  unsigned bytes = color.texelBytes();
  for (size_t i = 0; i < before.size(); i += bytes)
    m_totals.drawn += ArrayRef(before).slice(i, bytes) != color.bytes().slice(i, bytes);
  if (samples > 1)
    resolve(color, resolved);
  compareTexels(samples > 1 ? resolved : color, images->color, number);
  if (depth && samples == 1)
    compareTexels(*depth, images->depth, number);
}

static bool isFullScale() {
  const char *scale = std::getenv("ASSAY_SCALE");
  return scale && StringRef(scale) == "full";
}

void OnLavapipe::compareAll(unsigned count, function_ref<DriverDraw(Random &, unsigned)> make) {
  if (isFullScale())
    count *= 20;
  for (unsigned i = 0; i < count && !HasFatalFailure(); ++i) {
    Random random(i);
    compare(make(random, i), i);
  }
}

static float getNumber(Random &random, double lo, double hi) {
  return float(lo + (hi - lo) * double(random.below(1 << 24)) / (1 << 24));
}

static DriverDraw makeDraw(PrimitiveTopology topology, StringRef format = "R32G32B32A32_SFLOAT") {
  DriverDraw draw;
  draw.width = 32;
  draw.height = 24;
  draw.state.viewport = {0, 0, 32, 24, 0, 1};
  draw.state.input.topology = topology;
  draw.state.colorTargets.resize(1);
  draw.state.colorTargets[0].format = formatOf(format);
  return draw;
}

// \p range: of x and y after division; on half pixels, which edges and samples share, if \p onGrid.
static void addVertices(Random &random, DriverDraw &draw, unsigned count, double range,
                        bool onGrid = false, bool hasPerspective = false) {
  for (unsigned i = 0; i < count; ++i) {
    DrawnVertex &vertex = draw.vertices.emplace_back();
    float w = hasPerspective ? getNumber(random, 0.3, 3) : 1;
    float x = getNumber(random, -range, range), y = getNumber(random, -range, range);
    if (onGrid) {
      x = float(random.below(65)) / 32 - 1;
      y = float(random.below(49)) / 24 - 1;
    }
    vertex.position = {x * w, y * w, getNumber(random, 0, 1) * w, w};
    for (float &c : vertex.color)
      c = getNumber(random, 0, 1);
  }
}

TEST_F(OnLavapipe, Triangles) {
  compareAll(10, [](Random &random, unsigned i) {
    const PrimitiveTopology topologies[] = {
        PrimitiveTopology::TriangleList, PrimitiveTopology::TriangleStrip,
        PrimitiveTopology::TriangleFan, PrimitiveTopology::TriangleListWithAdjacency,
        PrimitiveTopology::TriangleStripWithAdjacency};
    DriverDraw draw = makeDraw(topologies[i % 5]);
    addVertices(random, draw, 12 + i % 3, 0.95, i & 1, i & 2);
    const FragmentKind kinds[] = {FragmentKind::Color, FragmentKind::LinearColor,
                                  FragmentKind::Coordinates, FragmentKind::FlatColor};
    draw.kind = kinds[i % 4];
    return draw;
  });
}

TEST_F(OnLavapipe, ClippedTriangles) {
  compareAll(12, [](Random &random, unsigned i) {
    DriverDraw draw = makeDraw(PrimitiveTopology::TriangleList);
    draw.state.rasterization.depthClamp = i % 5 == 0;
    draw.state.rasterization.depthClip = !draw.state.rasterization.depthClamp;
    addVertices(random, draw, 6, i % 2 ? 3 : 1.2, false, i & 4);
    for (DrawnVertex &vertex : draw.vertices) {
      if (i % 4 == 1)
        vertex.position[2] = getNumber(random, -1, 2);
      if (i % 4 == 2)
        vertex.position[3] = getNumber(random, -1, 2);
      if (i % 4 == 3) {
        vertex.clipDistance = getNumber(random, -1, 1);
        vertex.cullDistance = getNumber(random, -1, 1);
      }
    }
    for (DrawnVertex &vertex : MutableArrayRef(draw.vertices).take_front(3)) {
      if (i % 4 != 3)
        break;
      vertex.clipDistance = 1;
      vertex.cullDistance = -1;
    }
    return draw;
  });
}

TEST_F(OnLavapipe, FacesAndViewports) {
  compareAll(6, [](Random &random, unsigned i) {
    DriverDraw draw = makeDraw(PrimitiveTopology::TriangleStrip);
    draw.state.rasterization.cullMode = CullFaces(i % 3);
    draw.state.rasterization.frontFace = FrontFace(i / 3 % 2);
    draw.state.viewport = {3, 20, 24, -17, 0.25f, 0.75f};
    addVertices(random, draw, 7, 1);
    draw.kind = FragmentKind::Coordinates;
    return draw;
  });
}

TEST_F(OnLavapipe, PointsAndLines) {
  compareAll(12, [](Random &random, unsigned i) {
    const PrimitiveTopology topologies[] = {
        PrimitiveTopology::PointList, PrimitiveTopology::LineList, PrimitiveTopology::LineStrip,
        PrimitiveTopology::LineListWithAdjacency, PrimitiveTopology::LineStripWithAdjacency};
    DriverDraw draw = makeDraw(topologies[i % 5]);
    addVertices(random, draw, 8, i % 3 ? 1 : 1.2, i & 1, i & 2);
    if (i % 4 == 3)
      draw.state.rasterization.lineWidth = getNumber(random, 1, 5);
    for (DrawnVertex &vertex : draw.vertices)
      vertex.pointSize = i & 4 ? getNumber(random, 0.3, 9) : float(1 + random.below(8));
    draw.kind = i % 5 == 0 ? FragmentKind::PointCoord : FragmentKind::Color;
    return draw;
  });
}

TEST_F(OnLavapipe, PolygonModes) {
  compareAll(8, [](Random &random, unsigned i) {
    DriverDraw draw = makeDraw(PrimitiveTopology::TriangleList);
    draw.state.rasterization.polygonMode = i & 1 ? PolygonMode::Line : PolygonMode::Point;
    addVertices(random, draw, 6, 0.95, i & 2);
    for (DrawnVertex &vertex : draw.vertices)
      vertex.pointSize = 3;
    return draw;
  });
}

TEST_F(OnLavapipe, FourSamples) {
  compareAll(10, [](Random &random, unsigned i) {
    DriverDraw draw = makeDraw(PrimitiveTopology::TriangleList);
    MultisampleState &state = draw.state.multisample;
    state.samples = 4;
    state.sampleShading = i % 3 == 1;
    state.minSampleShading = 1;
    if (i % 4 == 0)
      state.sampleMask = random.below(16);
    state.alphaToOne = i % 5 == 1;
    // Without perspective: see docs/draws.md.
    addVertices(random, draw, 6, 0.95, i & 1);
    draw.kind = i % 3 == 2   ? FragmentKind::CentroidColor
                : i % 3 == 1 ? FragmentKind::Coordinates
                             : FragmentKind::Color;
    return draw;
  });
}

TEST_F(OnLavapipe, Depth) {
  compareAll(12, [](Random &random, unsigned i) {
    const char *formats[] = {"D16_UNORM", "X8_D24_UNORM_PACK32", "D32_SFLOAT"};
    DriverDraw draw = makeDraw(PrimitiveTopology::TriangleList);
    draw.state.depthStencilFormat = formatOf(formats[i / 2 % 3]);
    draw.clearDepth = 0.5;
    DepthStencilState &state = draw.state.depthStencil;
    state.depthTest = state.depthWrite = true;
    state.depthCompare = CompareOp(1 + i % 6);
    if (i % 3 == 0) {
      RasterizationState &rasterization = draw.state.rasterization;
      rasterization.depthBias = true;
      rasterization.depthBiasConstant = getNumber(random, -20, 20);
      rasterization.depthBiasSlope = getNumber(random, -2, 2);
      rasterization.depthBiasClamp = i % 2 ? getNumber(random, -0.01, 0.01) : 0;
    }
    addVertices(random, draw, 12, 0.95, i & 1, i & 2);
    // The first triangles again, at equal depth, and with other colours.
    for (unsigned k = 0; k < 9; ++k) {
      DrawnVertex vertex = draw.vertices[k];
      vertex.color = {1, 1, 0, 0};
      draw.vertices.push_back(vertex);
    }
    return draw;
  });
}

TEST_F(OnLavapipe, Stencil) {
  compareAll(16, [](Random &random, unsigned i) {
    DriverDraw draw = makeDraw(PrimitiveTopology::TriangleList);
    draw.state.depthStencilFormat = formatOf("S8_UINT");
    draw.clearStencil = i % 8 == 3 ? 255 : uint32_t(random.below(3));
    DepthStencilState &state = draw.state.depthStencil;
    state.stencilTest = true;
    state.front.fail = StencilOp((i + 1) % 8);
    state.front.pass = StencilOp(i % 8);
    state.front.compare = i % 2 ? CompareOp::Always : CompareOp(i / 2 % 8);
    state.back = state.front;
    state.back.pass = StencilOp((i + 3) % 8);
    for (StencilFaceState *face : {&state.front, &state.back}) {
      face->compareMask = random.oneIn(4) ? uint32_t(random.below(256)) : 255;
      face->writeMask = i % 4 == 1 ? uint32_t(random.below(256)) : 255;
      face->reference = uint32_t(random.below(5));
    }
    addVertices(random, draw, 18, 0.95, i & 4);
    return draw;
  });
}

// Two rectangles over all of the image.
static void addLayers(Random &random, DriverDraw &draw, double least, double most) {
  for (unsigned layer = 0; layer < 2; ++layer)
    for (unsigned corner : {0u, 1u, 2u, 2u, 1u, 3u}) {
      DrawnVertex &vertex = draw.vertices.emplace_back();
      vertex.position = {corner & 1 ? 1.f : -1.f, corner & 2 ? 1.f : -1.f, 0, 1};
      for (float &c : vertex.color)
        c = getNumber(random, least, most);
    }
}

static constexpr StringLiteral colorFormats[] = {"R8_UNORM",
                                                 "R8G8_UNORM",
                                                 "R8G8B8A8_UNORM",
                                                 "B8G8R8A8_UNORM",
                                                 "R8_SNORM",
                                                 "R8G8B8A8_SNORM",
                                                 "R8G8B8A8_SRGB",
                                                 "B8G8R8A8_SRGB",
                                                 "R5G6B5_UNORM_PACK16",
                                                 "B5G6R5_UNORM_PACK16",
                                                 "A1R5G5B5_UNORM_PACK16",
                                                 "R5G5B5A1_UNORM_PACK16",
                                                 "R4G4B4A4_UNORM_PACK16",
                                                 "B4G4R4A4_UNORM_PACK16",
                                                 "A2B10G10R10_UNORM_PACK32",
                                                 "A2R10G10B10_UNORM_PACK32",
                                                 "R16_UNORM",
                                                 "R16G16B16A16_UNORM",
                                                 "R16G16B16A16_SNORM",
                                                 "R16_SFLOAT",
                                                 "R16G16B16A16_SFLOAT",
                                                 "R32_SFLOAT",
                                                 "R32G32B32A32_SFLOAT",
                                                 "B10G11R11_UFLOAT_PACK32"};

TEST_F(OnLavapipe, FormatsAndBlending) {
  // In turn, so that the small test has all factors and operations.
  unsigned formats = 0, factor = 0, operation = 0;
  auto getFactor = [&] { return BlendFactor(factor++ % 19); };
  for (StringRef format : colorFormats)
    for (bool blend : {false, true}) {
      if (HasFatalFailure() || !canDraw(*m_device, formatOf(format), 1, blend))
        continue;
      // A draw takes lavapipe 40 ms: the small test has one for each format.
      if (!isFullScale() && !blend && canDraw(*m_device, formatOf(format), 1, true))
        continue;
      ++formats;
      compareAll(1, [&](Random &random, unsigned i) {
        DriverDraw draw = makeDraw(PrimitiveTopology::TriangleList, format);
        ColorTarget &target = draw.state.colorTargets[0];
        target.blend = blend;
        target.srcColor = getFactor();
        target.dstColor = getFactor();
        target.colorOp = BlendOp(operation++ % 5);
        target.srcAlpha = getFactor();
        target.dstAlpha = getFactor();
        target.alphaOp = BlendOp(operation++ % 5);
        target.writeMask = formats % 4 == 3 ? 5 : 15;
        draw.kind = blend ? FragmentKind::TwoColors : FragmentKind::Color;
        for (float &c : draw.state.blendConstants)
          c = getNumber(random, 0, 1);
        for (float &c : draw.clearColor)
          c = getNumber(random, 0, 1);
        bool isFloat = format.contains("FLOAT");
        addLayers(random, draw, isFloat ? -1 : -0.2, isFloat ? (i % 2 ? 3 : 50) : 1.2);
        return draw;
      });
    }
  EXPECT_GT(formats, 18u);
}

TEST_F(OnLavapipe, LogicOperations) {
  compareAll(16, [](Random &random, unsigned i) {
    DriverDraw draw = makeDraw(PrimitiveTopology::TriangleList, "R8G8B8A8_UNORM");
    draw.state.logicOp = LogicOp(i % 16);
    addLayers(random, draw, 0, 1);
    std::array<float, 4> color;
    for (float &c : color)
      c = float(random.below(256)) / 255;
    for (DrawnVertex &vertex : draw.vertices)
      vertex.color = color;
    for (float &c : draw.clearColor)
      c = float(random.below(256)) / 255;
    return draw;
  });
}
