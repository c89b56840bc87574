// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Image instructions in whole shaders; what texels and filters are worth is in TexelTest.cpp and
// SamplingTest.cpp.
#include "oracles/machine/spirv/GlslCaseTesting.h"

using namespace llvm;
using namespace assay;
using namespace assay::reference;
using namespace assay::reference::testing;

static const std::string out = "layout(local_size_x = 1) in;\n"
                               "layout(set = 0, binding = 0) buffer Out { uint r[]; };\n"
                               "layout(set = 0, binding = 0) buffer OutF { float f[]; };\n"
                               "layout(set = 0, binding = 0) buffer OutV { vec4 v[]; };\n"
                               "layout(set = 0, binding = 0) buffer OutU { uvec4 u[]; };\n";

static std::string mainOf(const std::string &body) {
  return "void main() {\n" + body + "\n}\n";
}

/// Bytes of numbers 0, 1, 2, ... as T.
template <typename T> static std::vector<uint8_t> sequence(unsigned count, T first = 0) {
  std::vector<T> values;
  for (unsigned i = 0; i < count; ++i)
    values.push_back(first + T(i));
  return bytesOf(values);
}

static float floatAt(const BufferState &state, unsigned index) {
  return bit_cast<float>(word(state, index));
}

/// Runs and gives the words of buffer \p buffer as text.
static std::string words(const GlslCase &input, unsigned count, unsigned buffer = 0) {
  Outcome outcome = input.run();
  if (outcome.kind != OutcomeKind::Completed)
    return outcome.findings.empty() ? outcome.reason : outcome.findings[0].rule;
  std::string text;
  for (unsigned i = 0; i < count; ++i)
    text += std::to_string(word(outcome.checkpoints.back()[buffer], i)) + " ";
  return text;
}
static std::string floats(const GlslCase &input, unsigned count, unsigned buffer = 0) {
  Outcome outcome = input.run();
  if (outcome.kind != OutcomeKind::Completed)
    return outcome.findings.empty() ? outcome.reason : outcome.findings[0].rule;
  std::string text;
  for (unsigned i = 0; i < count; ++i) {
    std::string number = std::to_string(floatAt(outcome.checkpoints.back()[buffer], i));
    text += number.substr(0, number.find('.') + 3) + " ";
  }
  return text;
}

TEST(Image, ReadsAndWritesStorageImages) {
  GlslCase input(
      out + "layout(binding = 1, r32ui) uniform uimage2D img;\n" +
      mainOf("r[0] = imageLoad(img, ivec2(2, 1)).x; r[1] = imageLoad(img, ivec2(2, 1)).w;"
             "imageStore(img, ivec2(1, 2), uvec4(77, 1, 2, 3));"
             "r[2] = imageLoad(img, ivec2(1, 2)).x;"
             "ivec2 s = imageSize(img); r[3] = s.x * 10 + s.y;"));
  unsigned image = input.addImage("R32_UINT", sequence<uint32_t>(12), shape2D(4, 3));
  input.bind(BindingKind::StorageImage, 1, image);
  EXPECT_EQ(words(input, 4), "6 1 77 43 ");
  EXPECT_EQ(words(input, 12, image), "0 1 2 3 4 5 6 7 8 77 10 11 ");
}

TEST(Image, ConvertsFormats) {
  GlslCase input(out +
                 "layout(binding = 1, rgba8) uniform image2D img;\n"
                 "layout(binding = 2) uniform writeonly image2D other;\n" +
                 mainOf("v[0] = imageLoad(img, ivec2(0)); imageStore(other, ivec2(0), "
                        "vec4(0.5, 1.0, -1.0, 0.25));"));
  unsigned image = input.addImage("R8G8B8A8_UNORM", {0, 255, 51, 102}, shape2D(1, 1));
  unsigned other = input.addImage("R8G8_UNORM", {9, 9}, shape2D(1, 1));
  input.bind(BindingKind::StorageImage, 1, image);
  input.bind(BindingKind::StorageImage, 2, other);
  Outcome outcome = input.run();
  const BufferState &state = finalState(outcome, 0);
  EXPECT_EQ(floatAt(state, 0), 0.0f);
  EXPECT_EQ(floatAt(state, 1), 1.0f);
  EXPECT_FALSE(state.intervals.contains(4));
  ASSERT_TRUE(state.intervals.contains(8)); // A division may be off by 2.5 ULP.
  EXPECT_LE(state.intervals.at(8).lo, 0.2);
  EXPECT_GE(state.intervals.at(8).hi, 0.2);
  const BufferState &written = finalState(outcome, other);
  ASSERT_TRUE(written.fields.contains(0));
  EXPECT_EQ(written.fields.at(0).lo, 127);
  EXPECT_EQ(written.fields.at(0).hi, 128);
  EXPECT_EQ(written.bytes[1], 255);
}

TEST(Image, SeesEveryShape) {
  GlslCase input(out +
                 "layout(binding = 1, r32ui) uniform uimage1D one;\n"
                 "layout(binding = 2, r32ui) uniform uimage1DArray ones;\n"
                 "layout(binding = 3, r32ui) uniform uimage2DArray twos;\n"
                 "layout(binding = 4, r32ui) uniform uimage3D three;\n"
                 "layout(binding = 5, r32ui) uniform uimageCube cube;\n"
                 "layout(binding = 6, r32ui) uniform uimageCubeArray cubes;\n" +
                 mainOf("r[0] = imageLoad(one, 3).x; r[1] = imageLoad(ones, ivec2(2, 1)).x;"
                        "r[2] = imageLoad(twos, ivec3(1, 0, 2)).x;"
                        "r[3] = imageLoad(three, ivec3(1, 1, 1)).x;"
                        "r[4] = imageLoad(cube, ivec3(1, 0, 5)).x;"
                        "r[5] = imageLoad(cubes, ivec3(0, 1, 11)).x;"
                        "r[6] = imageSize(one); r[7] = imageSize(ones).y;"
                        "r[8] = imageSize(twos).z; r[9] = imageSize(three).z;"
                        "r[10] = imageSize(cube).y; r[11] = imageSize(cubes).z;"));
  auto add = [&](uint32_t place, ImageDimension dimension, ImageShape shape) {
    shape.dimension = dimension;
    unsigned count = shape.width * shape.height * shape.depth * shape.layers;
    input.bind(BindingKind::StorageImage, place,
               input.addImage("R32_UINT", sequence<uint32_t>(count, place * 100), shape));
  };
  using enum ImageDimension;
  add(1, Dim1D, shape2D(4, 1));
  add(2, Dim1D, shape2D(4, 1, 2));
  add(3, Dim2D, shape2D(2, 2, 3));
  ImageShape volume = shape2D(2, 2);
  volume.depth = 2;
  add(4, Dim3D, volume);
  add(5, Dim2D, shape2D(2, 2, 6));
  add(6, Dim2D, shape2D(2, 2, 12));
  EXPECT_EQ(words(input, 12), "103 206 309 407 521 646 4 2 3 2 2 2 ");
}

TEST(Image, FetchesLevelsLayersAndOffsets) {
  GlslCase input(
      out +
      "layout(binding = 1) uniform usampler2DArray tex;\n"
      "layout(binding = 2) uniform utexture2D plain;\n" +
      mainOf("r[0] = texelFetch(tex, ivec3(1, 1, 1), 0).x;"
             "r[1] = texelFetch(tex, ivec3(0, 1, 1), 1).x;"
             "r[2] = texelFetchOffset(tex, ivec3(0, 0, 0), 0, ivec2(3, 1)).x;"
             "r[3] = texelFetch(usampler2D(plain, s), ivec2(1, 0), 0).x;"
             "ivec3 size = textureSize(tex, 1); r[4] = size.x * 100 + size.y * 10 + size.z;"
             "r[5] = textureQueryLevels(tex);")
          .insert(0, "layout(binding = 3) uniform sampler s;\n"));
  // 4 x 4, 2 layers, 2 levels: level 1 begins at texel 32.
  unsigned image = input.addImage("R8_UINT", sequence<uint8_t>(40), shape2D(4, 4, 2, 2));
  input.bind(BindingKind::CombinedImageSampler, 1, image, input.addSampler({}));
  input.bind(BindingKind::SampledImage, 2, image).baseMipLevel = 1;
  input.bind(BindingKind::Sampler, 3, 0, 0);
  EXPECT_EQ(words(input, 6), "21 38 7 33 222 2 ");
}

TEST(Image, ReadsSamplesOfATexel) {
  GlslCase input(
      out +
      "layout(binding = 1, r32ui) uniform uimage2DMS img;\n"
      "layout(binding = 2) uniform usampler2DMSArray tex;\n" +
      mainOf("imageStore(img, ivec2(1, 0), 2, uvec4(5));"
             "r[0] = imageLoad(img, ivec2(1, 0), 3).x; r[1] = imageSamples(img);"
             "r[2] = texelFetch(tex, ivec3(0, 1, 1), 1).x; r[3] = textureSamples(tex);"));
  ImageShape many = shape2D(2, 1), layered = shape2D(1, 2, 2);
  many.samples = 4;
  layered.samples = 2;
  unsigned image = input.addImage("R32_UINT", sequence<uint32_t>(8), many);
  input.bind(BindingKind::StorageImage, 1, image);
  input.bind(BindingKind::CombinedImageSampler, 2,
             input.addImage("R32_UINT", sequence<uint32_t>(8, 50), layered), input.addSampler({}));
  EXPECT_EQ(words(input, 4), "7 4 57 2 ");
  EXPECT_EQ(words(input, 8, image), "0 1 2 3 4 5 5 7 ");
}

TEST(Image, TexelBuffersHaveTexels) {
  GlslCase input(out +
                 "layout(binding = 1) uniform usamplerBuffer in_;\n"
                 "layout(binding = 2, rgba16i) uniform iimageBuffer io;\n" +
                 mainOf("r[0] = texelFetch(in_, 2).x; r[1] = textureSize(in_);"
                        "r[2] = uint(imageLoad(io, 1).y); r[3] = imageSize(io);"
                        "imageStore(io, 0, ivec4(-1, 2, -3, 4));"));
  unsigned source = input.addImage("R16_UINT", sequence<uint16_t>(9));
  unsigned target = input.addImage("R16G16B16A16_SINT", sequence<int16_t>(12));
  BufferBinding &view = input.bind(BindingKind::UniformTexelBuffer, 1, source);
  view.offset = 4;
  view.range = 11; // Five whole texels.
  input.bind(BindingKind::StorageTexelBuffer, 2, target);
  EXPECT_EQ(words(input, 4), "4 5 5 3 ");
  EXPECT_EQ(words(input, 2, target), "196607 327677 ");
}

TEST(Image, AtomicsWorkOnTexels) {
  GlslCase input(out +
                 "layout(binding = 1, r32ui) uniform uimage2D img;\n"
                 "layout(binding = 2, r32i) uniform iimageBuffer buf;\n" +
                 mainOf("r[0] = imageAtomicAdd(img, ivec2(1, 1), 5);"
                        "r[1] = imageAtomicExchange(img, ivec2(0, 1), 9);"
                        "r[2] = imageAtomicCompSwap(img, ivec2(1, 0), 1, 11);"
                        "r[3] = uint(imageAtomicMin(buf, 1, -5));"));
  unsigned image = input.addImage("R32_UINT", sequence<uint32_t>(4), shape2D(2, 2));
  unsigned buffer = input.addImage("R32_SINT", sequence<int32_t>(2));
  input.bind(BindingKind::StorageImage, 1, image);
  input.bind(BindingKind::StorageTexelBuffer, 2, buffer);
  EXPECT_EQ(words(input, 4), "3 2 1 1 ");
  EXPECT_EQ(words(input, 4, image), "0 11 9 8 ");
  EXPECT_EQ(words(input, 2, buffer), "0 4294967291 ");
}

TEST(Image, TexelBuffersAreNoAliasesOfBuffers) {
  const char *bodies[] = {"imageStore(texels, 1, uvec4(5)); r[0] = words[1];",
                          "imageAtomicAdd(texels, 1, 5); r[0] = words[1];",
                          "words[1] = 5; r[0] = imageLoad(texels, 1).x;",
                          "imageStore(texels, 1, uvec4(5)); r[0] = words[0];"};
  const char *expected[] = {"UB-ALIAS", "UB-ALIAS", "UB-ALIAS", "0 "};
  for (auto [body, result] : zip_equal(bodies, expected)) {
    GlslCase input(out +
                   "layout(binding = 1, r32ui) uniform uimageBuffer texels;\n"
                   "layout(set = 0, binding = 2) buffer Words { uint words[]; };\n" +
                   mainOf(body));
    unsigned both = input.addImage("R32_UINT", sequence<uint32_t>(4));
    input.bind(BindingKind::StorageTexelBuffer, 1, both);
    input.bind(BindingKind::Storage, 2, both);
    EXPECT_EQ(words(input, 1), result) << body;
  }
}

TEST(Image, AtomicsOf64Bits) {
  GlslCase input("#extension GL_EXT_shader_image_int64 : require\n"
                 "#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require\n" +
                 out + "layout(binding = 1, r64ui) uniform u64image2D img;\n" +
                 mainOf("uint64_t old = imageAtomicAdd(img, ivec2(1, 0), 0x100000001ul);"
                        "r[0] = uint(old); r[1] = uint(old >> 32);"
                        "r[2] = uint(imageLoad(img, ivec2(1, 0)).x >> 32);"));
  unsigned image = input.addImage("R64_UINT", sequence<uint64_t>(2, 6), shape2D(2, 1));
  input.bind(BindingKind::StorageImage, 1, image);
  EXPECT_EQ(words(input, 3), "7 0 1 ");
  EXPECT_EQ(words(input, 4, image), "6 0 8 1 ");
}

TEST(Image, SamplesAndGathers) {
  GlslCase input(
      out +
      "layout(binding = 1) uniform sampler2D tex;\n"
      "layout(binding = 2) uniform texture2D img;\n"
      "layout(binding = 3) uniform sampler linear;\n" +
      mainOf("f[0] = textureLod(tex, vec2(0.625, 0.375), 0.0).x;"
             "f[1] = textureLod(sampler2D(img, linear), vec2(0.5, 0.375), 0.0).x;"
             "f[2] = textureGrad(tex, vec2(0.375), vec2(0), vec2(0)).x;"
             "f[3] = textureProjLod(tex, vec3(1.25, 0.75, 2.0), 0.0).x;"
             "vec4 g = textureGather(tex, vec2(0.5)); f[4] = g.x; f[5] = g.y; f[6] = g.z;"
             "f[7] = g.w; f[8] = textureGather(tex, vec2(0.5), 3).x;"
             "f[9] = textureLodOffset(tex, vec2(0.125), 0.0, ivec2(2, 1)).x;"
             "const ivec2 o[4] = ivec2[](ivec2(0), ivec2(1, 0), ivec2(2, 0), ivec2(-1, -1));"
             "f[10] = textureGatherOffsets(tex, vec2(0.5), o).z;"));
  unsigned image = input.addImage("R32_SFLOAT", sequence<float>(16), shape2D(4, 4));
  Sampler linear;
  linear.magFilter = linear.minFilter = Filter::Linear;
  input.bind(BindingKind::CombinedImageSampler, 1, image, input.addSampler({}));
  input.bind(BindingKind::SampledImage, 2, image);
  input.bind(BindingKind::Sampler, 3, 0, input.addSampler(linear));
  EXPECT_EQ(floats(input, 11), "6.00 5.50 5.00 6.00 9.00 10.00 6.00 5.00 1.00 6.00 7.00 ");
}

TEST(Image, ComparesAndLooksAround) {
  GlslCase input(
      out +
      "layout(binding = 1) uniform sampler2DShadow depth;\n"
      "layout(binding = 2) uniform samplerCube cube;\n"
      "layout(binding = 3) uniform samplerCubeArray cubes;\n"
      "layout(binding = 4) uniform sampler2DArrayShadow depths;\n" +
      mainOf("f[0] = textureLod(depth, vec3(0.25, 0.5, 0.4), 0.0);"
             "f[1] = textureLod(depth, vec3(0.75, 0.5, 0.4), 0.0);"
             "f[2] = textureLod(cube, vec3(0.1, -3.0, 0.2), 0.0).x;"
             "f[3] = textureLod(cubes, vec4(0.1, 0.3, -2.0, 1.0), 0.0).x;"
             "vec4 g = textureGather(depth, vec2(0.5), 0.4); f[4] = g.w; f[5] = g.z;"
             "f[6] = textureGrad(depths, vec4(0.75, 0.5, 1.0, 0.4), vec2(0), vec2(0));"));
  Sampler less;
  less.compare = CompareOp::Less;
  unsigned compare = input.addSampler(less), plain = input.addSampler({});
  unsigned depth = input.addImage("D32_SFLOAT", bytesOf<float>({0.25, 0.75}), shape2D(2, 1));
  unsigned depths =
      input.addImage("D16_UNORM", bytesOf<uint16_t>({0, 0, 0, 40000}), shape2D(2, 1, 2));
  input.bind(BindingKind::CombinedImageSampler, 1, depth, compare);
  input.bind(BindingKind::CombinedImageSampler, 2,
             input.addImage("R32_SFLOAT", sequence<float>(6), shape2D(1, 1, 6)), plain);
  input.bind(BindingKind::CombinedImageSampler, 3,
             input.addImage("R32_SFLOAT", sequence<float>(12), shape2D(1, 1, 12)), plain);
  input.bind(BindingKind::CombinedImageSampler, 4, depths, compare);
  EXPECT_EQ(floats(input, 7), "0.00 1.00 3.00 11.00 0.00 1.00 1.00 ");
}

TEST(Image, GoesThroughFunctionsAndArrays) {
  GlslCase input("#extension GL_EXT_shader_image_load_formatted : require\n" + out +
                 "layout(binding = 1) uniform uimage2D imgs[3];\n"
                 "layout(binding = 2) uniform texture2D texs[2];\n"
                 "layout(binding = 3) uniform sampler s;\n"
                 "uint get(uimage2D img, int x) { return imageLoad(img, ivec2(x, 0)).x; }\n"
                 "float look(texture2D t, sampler by) { return textureLod(sampler2D(t, by), "
                 "vec2(0.5), 0.0).x; }\n" +
                 mainOf("uint i = r[0] & 1u; r[0] = get(imgs[i + 1], 1); r[1] = get(imgs[0], 0);"
                        "f[2] = look(texs[i], s); f[3] = look(texs[i + 1], s);"));
  for (uint32_t i = 0; i < 3; ++i) {
    unsigned image = input.addImage("R32_UINT", sequence<uint32_t>(2, i * 10), shape2D(2, 1));
    input.bind(BindingKind::StorageImage, 1, image).arrayElement = i;
  }
  for (uint32_t i = 0; i < 2; ++i) {
    unsigned image = input.addImage("R32_SFLOAT", sequence<float>(1, float(i)), shape2D(1, 1));
    input.bind(BindingKind::SampledImage, 2, image).arrayElement = i;
  }
  input.bind(BindingKind::Sampler, 3, 0, input.addSampler({}));
  EXPECT_EQ(words(input, 4), "11 0 0 1065353216 ");
}

TEST(Image, DescriptorsOfASubgroupAreUniformOrSaidNotToBe) {
  auto ruleOfChoice = [](const std::string &index) {
    GlslCase input("#extension GL_EXT_nonuniform_qualifier : require\n"
                   "#extension GL_EXT_samplerless_texture_functions : require\n"
                   "layout(local_size_x = 4) in;\nlayout(binding = 0) buffer B { uint b[]; };\n"
                   "layout(binding = 1) uniform utexture2D texs[2];\n"
                   "layout(binding = 2) uniform sampler s;\n" +
                   mainOf("uint i = gl_LocalInvocationIndex; b[i] = textureLod(usampler2D(texs[" +
                          index + "], s), vec2(0.5), 0.0).x + texelFetch(texs[" + index +
                          "], ivec2(0), 0).x;"));
    for (uint32_t i = 0; i < 2; ++i) {
      unsigned image = input.addImage("R32_UINT", sequence<uint32_t>(1, 5 + i), shape2D(1, 1));
      input.bind(BindingKind::SampledImage, 1, image).arrayElement = i;
    }
    input.bind(BindingKind::Sampler, 2, 0, input.addSampler({}));
    return words(input, 4);
  };
  EXPECT_EQ(ruleOfChoice("1"), "12 12 12 12 ");
  EXPECT_EQ(ruleOfChoice("gl_WorkGroupID.x"), "10 10 10 10 ");
  EXPECT_EQ(ruleOfChoice("nonuniformEXT(i & 1u)"), "10 12 10 12 ");
  EXPECT_EQ(ruleOfChoice("i & 1u"), "UB-NONUNIFORM");
  EXPECT_EQ(ruleOfChoice("nonuniformEXT(i)"), "UB-OOB");
}

namespace {
/// One access of a 2 x 1 image of R32_UINT, and what comes of it with each robustness.
struct OutsideRow {
  const char *body;
  const char *none, *access, *access2;
};
} // namespace

TEST(Image, OutsideIsRobustOrUndefined) {
  const OutsideRow rows[] = {
      {"r[0] = imageLoad(img, ivec2(1, 0)).x;", "1 ", "1 ", "1 "},
      {"r[0] = imageLoad(img, ivec2(2, 0)).x;", "UB-OOB", "0 ", "0 "},
      {"r[0] = imageLoad(img, ivec2(-1, 0)).x;", "UB-OOB", "0 ", "0 "},
      {"r[0] = imageLoad(img, ivec2(0, 7)).w;", "UB-OOB", "open", "1 "},
      {"imageStore(img, ivec2(2, 0), uvec4(3)); r[0] = 4;", "4 ", "4 ", "4 "},
      {"r[0] = texelFetch(tex, ivec2(0, 0), 1).x;", "UB-OOB", "0 ", "0 "},
      {"r[0] = imageAtomicAdd(img, ivec2(0, 1), 1u);", "UB-OOB", "0 ", "0 "},
      {"r[0] = texelFetch(buf, 2).x;", "UB-OOB", "open", "0 "},
      {"imageStore(io, 2, uvec4(1)); r[0] = 4;", "UB-OOB", "unsupported", "4 "},
      {"imageStore(img, ivec2(2, 0), uvec4(3)); r[0] = imageLoad(img, ivec2(2, 0)).x;", "UB-OOB",
       "open", "open"},
  };
  for (const OutsideRow &row : rows) {
    const char *expected[] = {row.none, row.access, row.access2};
    for (Robustness robustness : {Robustness::None, Robustness::Access, Robustness::Access2}) {
      GlslCase input(out +
                     "layout(binding = 1, r32ui) uniform uimage2D img;\n"
                     "layout(binding = 2) uniform usampler2D tex;\n"
                     "layout(binding = 3) uniform usamplerBuffer buf;\n"
                     "layout(binding = 4, r32ui) uniform uimageBuffer io;\n" +
                     mainOf(row.body));
      unsigned image = input.addImage("R32_UINT", sequence<uint32_t>(2), shape2D(2, 1));
      input.bind(BindingKind::StorageImage, 1, image);
      input.bind(BindingKind::CombinedImageSampler, 2, image, input.addSampler({}));
      input.bind(BindingKind::UniformTexelBuffer, 3, image);
      input.bind(BindingKind::StorageTexelBuffer, 4, image);
      input.description().robustness = robustness;
      Outcome outcome = input.run();
      std::string result =
          outcome.kind == OutcomeKind::Unsupported ? "unsupported" : words(input, 1);
      if (outcome.kind == OutcomeKind::Completed && !finalState(outcome, 0).indeterminate.empty())
        result = "open";
      EXPECT_EQ(result, expected[unsigned(robustness)]) << row.body << " " << unsigned(robustness);
      if (outcome.kind == OutcomeKind::Completed) {
        EXPECT_EQ(words(input, 2, image), "0 1 ") << row.body;
      }
    }
  }
}

/// Reads a 4 x 4 image in binding 1, sampled or stored, after \p change.
static std::string bound(const std::string &declaration, const std::string &body,
                         function_ref<void(GlslCase &, unsigned image)> change) {
  GlslCase input(out + declaration + mainOf(body));
  unsigned image = input.addImage("R32_UINT", sequence<uint32_t>(16), shape2D(4, 4));
  change(input, image);
  return words(input, 1);
}

TEST(Image, RefusesDescriptorsThatDoNotFit) {
  const std::string storage = "layout(binding = 1, r32ui) uniform uimage2D img;\n",
                    load = "r[0] = imageLoad(img, ivec2(0)).x;",
                    texture = "layout(binding = 1) uniform usampler2D img;\n",
                    fetch = "r[0] = texelFetch(img, ivec2(0), 0).x;";
  auto asStorage = [](GlslCase &input, unsigned image) {
    input.bind(BindingKind::StorageImage, 1, image);
  };
  EXPECT_EQ(bound(storage, load, asStorage), "0 ");
  EXPECT_EQ(bound(storage, load, [](GlslCase &, unsigned) {}), "UB-NULLDESC");
  EXPECT_EQ(bound(storage, "r[0] = imageSize(img).x;", [](GlslCase &, unsigned) {}), "UB-NULLDESC");
  EXPECT_EQ(bound(storage, "r[0] = 5;", [](GlslCase &, unsigned) {}), "5 ");
  auto withShape = [&](auto change) {
    return bound(storage, load, [&](GlslCase &input, unsigned image) {
      change(input.input().buffers[image]);
      asStorage(input, image);
    });
  };
  const char *problem = "UB-DESCRIPTOR";
  for (BindingKind kind : {BindingKind::Storage, BindingKind::SampledImage,
                           BindingKind::StorageTexelBuffer, BindingKind::Sampler})
    EXPECT_EQ(
        bound(storage, load, [&](GlslCase &input, unsigned image) { input.bind(kind, 1, image); }),
        problem);
  EXPECT_EQ(withShape([](Buffer &b) { b.image.reset(); }), problem);
  EXPECT_EQ(withShape([](Buffer &b) { b.texelFormat.reset(); }), problem);
  EXPECT_EQ(withShape([](Buffer &b) { b.image->dimension = ImageDimension::Dim3D; }), problem);
  EXPECT_EQ(withShape([](Buffer &b) { b.image->width = 5; }), problem);
  EXPECT_EQ(withShape([](Buffer &b) { b.image->width = 0; }), problem);
  EXPECT_EQ(withShape([](Buffer &b) { b.image->mipLevels = 0; }), problem);
  EXPECT_EQ(withShape([](Buffer &b) { b.image->mipLevels = 4000000000u; }), problem);
  EXPECT_EQ(withShape([](Buffer &b) { b.image->samples = 2, b.image->width = 2; }), problem);
  EXPECT_EQ(withShape([](Buffer &b) {
              b.image->width = b.image->height = b.image->layers = b.image->samples = 0xffffffffu;
            }),
            problem);
  EXPECT_EQ(withShape([](Buffer &b) { b.texelFormat = findTexelFormat(StringRef("R32_SINT")); }),
            problem);
  EXPECT_EQ(withShape([](Buffer &b) { b.texelFormat = TexelFormat(9999); }), problem);
  EXPECT_EQ(bound(texture, fetch,
                  [](GlslCase &input, unsigned image) {
                    input.bind(BindingKind::CombinedImageSampler, 1, image, 7);
                  }),
            problem);
  EXPECT_EQ(bound(texture, fetch,
                  [](GlslCase &input, unsigned image) {
                    input.addSampler({});
                    input.bind(BindingKind::CombinedImageSampler, 1, image).baseMipLevel = 1;
                  }),
            problem);
  EXPECT_EQ(bound("layout(binding = 1) uniform isampler2D img;\n",
                  "r[0] = texelFetch(img, ivec2(0), 0).x;",
                  [](GlslCase &input, unsigned image) {
                    input.addSampler({});
                    input.bind(BindingKind::CombinedImageSampler, 1, image);
                  }),
            problem);
  EXPECT_EQ(bound(texture, "r[0] = textureLod(img, vec2(0), 0.0).x;",
                  [](GlslCase &input, unsigned image) {
                    Sampler linear;
                    linear.magFilter = Filter::Linear;
                    input.addSampler(linear);
                    input.bind(BindingKind::CombinedImageSampler, 1, image);
                  }),
            problem);
  EXPECT_EQ(bound("layout(binding = 1) buffer B { uint data[]; };\n", "r[0] = data[0];", asStorage),
            problem);
}

TEST(Image, TexelsRaceAsAWhole) {
  auto ruleOfStore = [](const char *format, const char *texel, unsigned bytes) {
    GlslCase input("layout(local_size_x = 4) in;\nlayout(binding = 0) buffer B { uint b[]; };\n"
                   "layout(binding = 1) uniform writeonly image2D img;\n" +
                   mainOf("b[gl_LocalInvocationIndex] = 1; imageStore(img, ivec2(" +
                          std::string(texel) + ", 0), vec4(1));"));
    input.bind(BindingKind::StorageImage, 1,
               input.addImage(format, std::vector<uint8_t>(4 * bytes), shape2D(4, 1)));
    return ruleOf(input.run());
  };
  EXPECT_EQ(ruleOfStore("R8_UNORM", "gl_LocalInvocationIndex", 1), "");
  EXPECT_EQ(ruleOfStore("R8G8_UNORM", "gl_LocalInvocationIndex", 2), "");
  EXPECT_EQ(ruleOfStore("R8G8B8_UNORM", "gl_LocalInvocationIndex", 3), "");
  EXPECT_EQ(ruleOfStore("R8_UNORM", "gl_LocalInvocationIndex / 2", 1), "UB-RACE");
  EXPECT_EQ(ruleOfStore("R32G32_SFLOAT", "gl_LocalInvocationIndex / 2", 8), "UB-RACE");
}

TEST(Image, BarriersOrderTexels) {
  auto ruleOfExchange = [](const std::string &pragma, const std::string &image,
                           const std::string &barrier) {
    GlslCase input(pragma +
                   "layout(local_size_x = 4) in;\nlayout(binding = 0) buffer B { uint b[]; };\n"
                   "layout(binding = 1, r32ui) uniform " +
                   image + " uimage2D img;\n" +
                   mainOf("int i = int(gl_LocalInvocationIndex); imageStore(img, ivec2(i, 0), "
                          "uvec4(i)); " +
                          barrier + " b[i] = imageLoad(img, ivec2(3 - i, 0)).x;"));
    input.bind(BindingKind::StorageImage, 1,
               input.addImage("R32_UINT", std::vector<uint8_t>(16), shape2D(4, 1)));
    return words(input, 4);
  };
  const std::string vulkan = "#pragma use_vulkan_memory_model\n"
                             "#extension GL_KHR_memory_scope_semantics : require\n",
                    barrier = "memoryBarrierImage(); barrier();";
  EXPECT_EQ(ruleOfExchange("", "coherent", barrier), "3 2 1 0 ");
  EXPECT_EQ(ruleOfExchange("", "coherent", ""), "UB-RACE");
  EXPECT_EQ(ruleOfExchange("", "coherent", "barrier();"), "UB-RACE"); // Orders shared memory alone.
  EXPECT_EQ(ruleOfExchange(vulkan, "coherent", barrier), "3 2 1 0 ");
  EXPECT_EQ(ruleOfExchange(vulkan, "", barrier), "UB-RACE"); // Private accesses.
}

TEST(Image, UndefinedCoordinatesAreNamed) {
  auto ruleOfRead = [](const char *body) {
    GlslCase input(out + "layout(binding = 1, r32ui) uniform uimage2D img;\n" + mainOf(body));
    input.bind(BindingKind::StorageImage, 1,
               input.addImage("R32_UINT", sequence<uint32_t>(4), shape2D(2, 2)));
    return ruleOf(input.run());
  };
  EXPECT_EQ(ruleOfRead("int x; r[0] = imageLoad(img, ivec2(x, 0)).x;"), "UB-UNINIT");
  EXPECT_EQ(ruleOfRead("int s = int(r[1]); r[0] = imageLoad(img, ivec2(1 << s, 0)).x;"),
            "UB-SHIFT");
}

TEST(Image, WritesWhatIsOpen) {
  GlslCase input(out +
                 "layout(binding = 1, r32f) uniform image2D img;\n"
                 "layout(binding = 2, r16f) uniform image2D half_;\n" +
                 mainOf("float x = exp(f[0] * 0.0 + 1.0); imageStore(img, ivec2(0), vec4(x));"
                        "float u; imageStore(half_, ivec2(0), vec4(1.0 / 3.0));"
                        "imageStore(half_, ivec2(1, 0), vec4(u));"));
  input.input().buffers[0].bytes.assign(64, 0);
  unsigned image = input.addImage("R32_SFLOAT", std::vector<uint8_t>(4), shape2D(1, 1));
  unsigned half = input.addImage("R16_SFLOAT", std::vector<uint8_t>(4), shape2D(2, 1));
  input.bind(BindingKind::StorageImage, 1, image);
  input.bind(BindingKind::StorageImage, 2, half);
  Outcome outcome = input.run();
  const BufferState &state = finalState(outcome, image), &halves = finalState(outcome, half);
  ASSERT_TRUE(state.intervals.contains(0));
  EXPECT_LE(state.intervals.at(0).lo, 2.7182818);
  EXPECT_GE(state.intervals.at(0).hi, 2.7182819);
  ASSERT_TRUE(halves.intervals.contains(0));
  EXPECT_EQ(halves.intervals.at(0).bytes, 2u);
  EXPECT_LE(halves.intervals.at(0).lo, 1 / 3.0);
  EXPECT_GE(halves.intervals.at(0).hi, 1 / 3.0);
  EXPECT_EQ(halves.indeterminate.at(2), 2u);
}
