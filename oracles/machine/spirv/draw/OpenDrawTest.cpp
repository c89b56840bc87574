// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Draws whose fragments depend on how an implementation rounds: texels with alternatives, and where
// there are too many of them.
#include "oracles/machine/spirv/SpirvMachine.h"

#include "oracles/api/OpenTexels.h"
#include "oracles/input/Glsl.h"
#include "support/Error.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace llvm;
using namespace assay;
using ::testing::HasSubstr;
using ::testing::StartsWith;

static constexpr uint32_t Height = 4;

static const char *const triangle =
    "void main() { gl_Position = vec4(gl_VertexIndex == 1 ? 3 : -1, gl_VertexIndex == 2 ? 3 : -1, "
    "0.25, 1); }";

static unsigned addImage(Case &input, const char *format, uint32_t width) {
  Buffer image;
  image.name = "image" + std::to_string(input.buffers.size());
  image.texelFormat = findTexelFormat(StringRef(format));
  image.image = ImageShape();
  image.image->width = width;
  image.image->height = Height;
  image.bytes.resize(getImageBytes(*image.image, *image.texelFormat));
  input.buffers.push_back(std::move(image));
  return static_cast<unsigned>(input.buffers.size() - 1);
}

/// Draws a triangle over an image (buffer 0) of \p width x 4 pixels. \p fragment is the body of
/// main, which writes color.
static Case makeDraw(const std::string &fragment, uint32_t width = 128,
                     const std::string &declarations = "", const std::string &type = "vec4") {
  Case input;
  CasePipeline &pipeline = input.pipelines.emplace_back();
  auto add = [&](ShaderStage stage, const std::string &text) {
    Expected<std::vector<uint32_t>> words =
        input::compileGlsl(stage, "#version 460\n" + text, 1, input::ScriptFiles(""));
    if (words)
      pipeline.description.addShader(stage).spirv = std::move(*words);
    else
      ADD_FAILURE() << takeError(words.takeError()).message;
  };
  add(ShaderStage::Vertex, triangle);
  add(ShaderStage::Fragment, declarations + "layout(location = 0) out " + type +
                                 " color;\nvoid main() {\n" + fragment + "}\n");
  addImage(input, "R8G8B8A8_UNORM", width);
  pipeline.draw.width = width;
  pipeline.draw.height = Height;
  pipeline.draw.color.push_back(Attachment());
  GraphicsState &state = pipeline.description.graphics;
  state.viewport = {0, 0, float(width), float(Height), 0, 1};
  state.colorTargets.resize(1);
  state.colorTargets[0].format = *input.buffers[0].texelFormat;
  Draw draw;
  draw.vertexCount = 3;
  input.commands.push_back(draw);
  return input;
}

static Outcome runDraw(const Case &input) {
  Expected<Outcome> outcome = createSpirvMachine()->run(input, {}, {});
  if (outcome)
    return std::move(*outcome);
  ADD_FAILURE() << takeError(outcome.takeError()).message;
  return {};
}

/// The state of buffer 0 at the end of a run that must complete.
static BufferState runToEnd(const Case &input) {
  Outcome outcome = runDraw(input);
  EXPECT_EQ(outcome.kind, OutcomeKind::Completed) << outcome.reason;
  return outcome.checkpoints.empty() ? BufferState() : outcome.checkpoints.back()[0];
}

/// True for pixels left of column 2, false for those right of it, and open in column 2: 2.5 / 7 and
/// the constant are as near as the precision of a division lets them be.
static const std::string openInColumn2 = "gl_FragCoord.x / 7.0 < 0.357142865657806396484375";

TEST(OpenDraw, GivesTexelsTheResultsOfBothWays) {
  BufferState state = runToEnd(makeDraw(
      "if (" + openInColumn2 + ") color = vec4(1, 0, 0, 1); else color = vec4(0, 0, 1, 1);"));
  ASSERT_EQ(state.alternatives.size(), size_t(Height));
  EXPECT_EQ(state.alternatives.begin()->first, 8u);
  std::vector<std::vector<uint8_t>> values;
  for (const BufferState &alternative : state.alternatives.begin()->second)
    values.push_back(alternative.bytes);
  EXPECT_THAT(values, testing::UnorderedElementsAre(std::vector<uint8_t>{255, 0, 0, 255},
                                                    std::vector<uint8_t>{0, 0, 255, 255}));
  EXPECT_EQ(state.bytes[4], 255);  // Column 1 is red,
  EXPECT_EQ(state.bytes[14], 255); // column 3 blue.
  EXPECT_TRUE(state.fields.empty() && state.indeterminate.empty());
}

TEST(OpenDraw, MayKeepWhatADiscardedFragmentWouldReplace) {
  BufferState state = runToEnd(makeDraw("if (" + openInColumn2 + ") discard; color = vec4(1);"));
  ASSERT_EQ(state.alternatives.size(), size_t(Height));
  std::vector<uint8_t> first;
  for (const BufferState &alternative : state.alternatives.begin()->second)
    first.push_back(alternative.bytes[0]);
  EXPECT_THAT(first, testing::UnorderedElementsAre(0, 255));
}

TEST(OpenDraw, RunsTheWholeQuadBothWaysForDerivatives) {
  BufferState state =
      runToEnd(makeDraw("float x; if (" + openInColumn2 +
                            ") x = 0; else x = 1; color = vec4(abs(dFdxFine(x)), 0, 0, 1);",
                        256));
  // Columns 2 and 3 are a quad; the derivative is 0 or 1 for both.
  EXPECT_EQ(state.alternatives.size(), size_t(2 * Height));
  EXPECT_TRUE(state.alternatives.contains(8));
  EXPECT_TRUE(state.alternatives.contains(12));
}

TEST(OpenDraw, KeepsAlternativesForLaterDraws) {
  Case input =
      makeDraw("if (" + openInColumn2 + ") color = vec4(1, 0, 0, 0.5); else color = vec4(0);");
  input.pipelines[0].description.graphics.colorTargets[0].blend = true;
  input.pipelines[0].description.graphics.colorTargets[0].dstColor = BlendFactor::One;
  input.commands.push_back(input.commands[0]);
  BufferState state = runToEnd(input);
  ASSERT_EQ(state.alternatives.size(), size_t(Height));
  std::vector<uint8_t> red;
  for (const BufferState &alternative : state.alternatives.begin()->second)
    red.push_back(alternative.bytes[0]);
  // Twice the one, twice the other, or one of each.
  EXPECT_THAT(red, testing::IsSupersetOf({0, 255}));
}

TEST(OpenDraw, IsUnsupportedWhereTooManyTexelsAreOpen) {
  Outcome outcome = runDraw(makeDraw(
      "if (" + openInColumn2 + ") color = vec4(1, 0, 0, 1); else color = vec4(0, 0, 1, 1);", 64));
  EXPECT_EQ(outcome.kind, OutcomeKind::Unsupported);
  EXPECT_THAT(outcome.reason, StartsWith("imprecise: 4 of 256 texels of 'image0' may have several "
                                         "values; the first branch that depends on rounding: "
                                         "OpBranchConditional"));
}

TEST(OpenDraw, CountsWhatIsOpenAtTheEndOnly) {
  Case input = makeDraw("if (" + openInColumn2 + ") color = vec4(1); else color = vec4(0);", 64);
  Clear clear;
  clear.color[1] = 1;
  input.commands.push_back(clear);
  BufferState state = runToEnd(input);
  EXPECT_TRUE(state.alternatives.empty());
  EXPECT_EQ(state.bytes[9], 255);
}

TEST(OpenDraw, OpensATexelWhoseShaderBranchesTooOften) {
  // Each iteration is one more open branch.
  BufferState state =
      runToEnd(makeDraw("float n = 0; for (int i = 0; i < 20; ++i) if ((gl_FragCoord.x + "
                        "float(i) * 7.0) / 7.0 - float(i) < "
                        "0.357142865657806396484375) n += 1; color = vec4(n / 20);"));
  EXPECT_TRUE(state.alternatives.contains(8) || state.indeterminate.contains(8));
}

TEST(OpenDraw, RefusesToGoBothWaysWithEffects) {
  Case input = makeDraw("if (" + openInColumn2 + ") atomicAdd(count, 1); color = vec4(1);", 128,
                        "layout(set = 0, binding = 0) buffer Block { uint count; };\n");
  Buffer buffer;
  buffer.name = "count";
  buffer.bytes.resize(4);
  input.buffers.push_back(buffer);
  BufferBinding binding;
  binding.buffer = 1;
  input.pipelines[0].bindings.push_back(binding);
  Outcome outcome = runDraw(input);
  EXPECT_EQ(outcome.kind, OutcomeKind::Unsupported);
  EXPECT_THAT(outcome.reason, HasSubstr("a branch depends on how the implementation rounds"));
}

TEST(OpenDraw, ReportsUndefinedBehaviorOfOneWayAsImprecise) {
  Outcome outcome = runDraw(
      makeDraw("float values[2] = float[2](0.5, 1.0); int i = int(gl_FragCoord.x) "
               "& 1; if (" +
               openInColumn2 + ") i += gl_FragCoord.x > 2.0 ? 9 : 0; color = vec4(values[i]);"));
  EXPECT_EQ(outcome.kind, OutcomeKind::Unsupported);
  EXPECT_THAT(outcome.reason,
              HasSubstr("imprecise: after a branch that depends on rounding, UB-OOB"));
}

TEST(OpenDraw, RefusesAnUndefinedStencilReference) {
  Case input = makeDraw("int reference; gl_FragStencilRefARB = reference; color = vec4(1);", 4,
                        "#extension GL_ARB_shader_stencil_export : require\n");
  Outcome outcome = runDraw(input);
  EXPECT_EQ(outcome.kind, OutcomeKind::Unsupported);
  EXPECT_THAT(outcome.reason, HasSubstr("stencil reference"));
}

TEST(OpenDraw, ThreadsChangeNothing) {
  // Open branches on some fragments, and a shader that ends some.
  Case input =
      makeDraw("if (gl_FragCoord.x > 400.0) discard; if (" + openInColumn2 +
                   ") color = vec4(1, 0, 0, 1); else color = vec4(0, gl_FragCoord.y / 3, 0, 1);",
               512);
  Expected<Outcome> one = createSpirvMachine()->run(input, {}, {});
  ASSERT_TRUE(bool(one));
  RunOptions options;
  options.threads = 3;
  Expected<Outcome> three = createSpirvMachine()->run(input, {}, options);
  ASSERT_TRUE(bool(three));
  EXPECT_EQ(one->kind, OutcomeKind::Completed) << one->reason;
  EXPECT_EQ(one->instructions, three->instructions);
  const BufferState &a = one->checkpoints.back()[0], &b = three->checkpoints.back()[0];
  EXPECT_EQ(a.bytes, b.bytes);
  EXPECT_EQ(a.fields, b.fields);
  EXPECT_EQ(a.indeterminate, b.indeterminate);
  EXPECT_EQ(a.alternatives.size(), b.alternatives.size());
  // Nor do they when the instructions do not suffice.
  RunOptions few, fewThreads = options;
  few.maxInstructions = fewThreads.maxInstructions = one->instructions / 2 / 64;
  Expected<Outcome> early = createSpirvMachine()->run(input, {}, few);
  Expected<Outcome> earlyThreads = createSpirvMachine()->run(input, {}, fewThreads);
  ASSERT_TRUE(early && earlyThreads);
  EXPECT_EQ(early->kind, OutcomeKind::Timeout);
  EXPECT_EQ(early->reason, earlyThreads->reason);
  EXPECT_EQ(early->instructions, earlyThreads->instructions);
}

TEST(OpenDraw, StoresOfOneValueAreNoRace) {
  for (const char *value : {"7", "int(gl_FragCoord.x)"}) {
    Case input = makeDraw(std::string("stored = ") + value + "; color = vec4(1);", 4,
                          "layout(set = 0, binding = 0) buffer Block { int stored; };\n");
    Buffer buffer;
    buffer.name = "stored";
    buffer.bytes.resize(4);
    input.buffers.push_back(std::move(buffer));
    BufferBinding &binding = input.pipelines[0].bindings.emplace_back();
    binding.kind = BindingKind::Storage;
    binding.buffer = 1;
    Outcome outcome = runDraw(input);
    if (StringRef(value) == "7") {
      ASSERT_EQ(outcome.kind, OutcomeKind::Completed) << outcome.reason;
      EXPECT_EQ(outcome.checkpoints.back()[1].bytes[0], 7);
    } else {
      EXPECT_EQ(outcome.kind, OutcomeKind::UndefinedBehavior);
      EXPECT_THAT(outcome.reason, StartsWith("UB-RACE"));
    }
  }
}

TEST(OpenDraw, TellsTheHistoryOfATexel) {
  Case input = makeDraw("color = vec4(gl_FragCoord.x / 8.0, 1, 0.5, 0);", 4);
  std::get<Draw>(input.commands[0]).line = 12;
  Clear clear;
  clear.line = 11;
  clear.color[2] = 1;
  input.commands.insert(input.commands.begin(), clear);
  TexelInspection inspection;
  inspection.x = 1;
  inspection.y = 2;
  SpirvMachineOptions options;
  options.inspection = &inspection;
  ASSERT_TRUE(bool(createSpirvMachine(options)->run(input, {}, {})));
  ASSERT_EQ(inspection.history.size(), 2u);
  EXPECT_EQ(inspection.history[0],
            "line 11: clear: (R 0, G 0, B 0, A 0) -> (R 0, G 0, B 255, A 0)");
  EXPECT_THAT(inspection.history[1],
              StartsWith("line 12: primitive 0 of instance 0, back face, location 0 ("));
  EXPECT_EQ(inspection.primitive, "primitive 0 of instance 0, back face (line 12)");
  EXPECT_THAT(inspection.history[1], HasSubstr(": (R 0, G 0, B 255, A 0) -> (R "));
}

/// A draw whose fragments sample a texture of 2 x 1 texels, red and blue, at coordinate \p x.
static Case makeNearestDraw(const std::string &x, const std::string &after = "") {
  Case input = makeDraw("color = texture(image, vec2(" + x + ", 0.5));\n" + after, 128,
                        "layout(binding = 0) uniform sampler2D image;\n");
  unsigned texture = addImage(input, "R8G8B8A8_UNORM", 2);
  for (size_t i = 0; i < input.buffers[texture].bytes.size(); i += 8) {
    static constexpr uint8_t texels[] = {255, 0, 0, 255, 0, 0, 255, 255};
    std::copy(std::begin(texels), std::end(texels), input.buffers[texture].bytes.begin() + i);
  }
  Sampler &sampler = input.samplers.emplace_back();
  sampler.minFilter = sampler.magFilter = Filter::Nearest;
  BufferBinding binding;
  binding.kind = BindingKind::CombinedImageSampler;
  binding.buffer = texture;
  input.pipelines[0].bindings.push_back(binding);
  return input;
}

TEST(OpenDraw, LetsANearestFilterTakeEitherTexel) {
  // All texels: far more than the hundredth that rounding may leave open.
  BufferState state = runToEnd(makeNearestDraw("0.49"));
  ASSERT_EQ(state.alternatives.size(), size_t(128 * Height));
  std::vector<std::vector<uint8_t>> values;
  for (const BufferState &alternative : state.alternatives.begin()->second)
    values.push_back(alternative.bytes);
  EXPECT_THAT(values, testing::UnorderedElementsAre(std::vector<uint8_t>{255, 0, 0, 255},
                                                    std::vector<uint8_t>{0, 0, 255, 255}));
}

TEST(OpenDraw, KnowsATexelAwayFromItsNeighbours) {
  BufferState state = runToEnd(makeNearestDraw("0.25"));
  EXPECT_TRUE(state.alternatives.empty());
  EXPECT_EQ(state.bytes[0], 255);
}

TEST(OpenDraw, TakesCoordinatesAtFullPrecisionWhereTheResultIsRelaxed) {
  // 128 / 256 is where a texel begins: at 2^-10 of it, both would be right.
  Case input = makeDraw("color = texture(image, vec2(0.5));\n", 128,
                        "precision mediump float;\nlayout(binding = 0) uniform mediump sampler2D "
                        "image;\n",
                        "mediump vec4");
  Case plain = makeNearestDraw("0.5");
  input.buffers.push_back(plain.buffers[1]);
  input.samplers = plain.samplers;
  input.pipelines[0].bindings = plain.pipelines[0].bindings;
  BufferState state = runToEnd(input);
  EXPECT_TRUE(state.alternatives.empty());
  EXPECT_EQ(state.bytes[2], 255);
}

TEST(OpenDraw, FollowsTheTexelThatWasTaken) {
  // Red and green never differ from 1 - blue: nothing but the two texels is right.
  BufferState state =
      runToEnd(makeNearestDraw("0.49", "if (color.r + color.b != 1) color = vec4(0.5);"));
  ASSERT_EQ(state.alternatives.size(), size_t(128 * Height));
  EXPECT_EQ(state.alternatives.begin()->second.size(), 2u);
}

TEST(OpenDraw, LimitsWaysThatFollowFromRoundingEvenBesideTexels) {
  Outcome outcome = runDraw(
      makeNearestDraw("0.49", "if (gl_FragCoord.x / 3.0 * 3.0 == gl_FragCoord.x) color.g = 1;"));
  EXPECT_EQ(outcome.kind, OutcomeKind::Unsupported);
  EXPECT_THAT(outcome.reason, StartsWith("imprecise: "));
}

TEST(OpenDraw, GivesIntegersOfFloatsTheirRange) {
  // 9.99... or 10: a range of two numbers, of which a texel of integers keeps both.
  Case input =
      makeDraw("color = uvec4(uint(gl_FragCoord.x / 7.0 * 7.0 + 0.5), 1, 2, 3);", 128, "", "uvec4");
  input.buffers[0].texelFormat = findTexelFormat(StringRef("R8G8B8A8_UINT"));
  input.pipelines[0].description.graphics.colorTargets[0].format = *input.buffers[0].texelFormat;
  BufferState state = runToEnd(input);
  EXPECT_TRUE(state.alternatives.empty() && state.indeterminate.empty());
  ASSERT_FALSE(state.fields.empty());
  for (const auto &[bit, field] : state.fields)
    EXPECT_EQ(field.hi, field.lo + 1) << bit;
}

TEST(OpenDraw, TakesEachIntegerThatChoosesAnElement) {
  BufferState state = runToEnd(
      makeDraw("const float table[3] = {0.2, 0.4, 0.6};\n"
               "color = vec4(table[int(gl_FragCoord.x < 1.0 ? (gl_FragCoord.x + 0.5) / 3.0 * 3.0 : "
               "1.25)]);"));
  ASSERT_EQ(state.alternatives.size(), size_t(Height));
  std::vector<uint8_t> first;
  for (const BufferState &alternative : state.alternatives.begin()->second)
    first.push_back(alternative.bytes[0]);
  EXPECT_THAT(first, testing::UnorderedElementsAre(51, 102));
}

TEST(OpenDraw, ChoosesTexelsForEachFragmentOfAQuad) {
  BufferState state =
      runToEnd(makeNearestDraw("mod(gl_FragCoord.x, 2.0) < 1.0 ? 0.49 : 0.25", "color.g = 1;"));
  ASSERT_EQ(state.alternatives.size(), size_t(64 * Height));
  for (const auto &[byte, alternatives] : state.alternatives) {
    EXPECT_EQ(byte % 8, 0u);
    EXPECT_EQ(alternatives.size(), 2u);
  }
  EXPECT_EQ(state.bytes[4], 255);
  EXPECT_EQ(state.bytes[5], 255);
}

TEST(OpenDraw, SeesWhatNeighboursChose) {
  // The difference to the red of the neighbour, which chooses for itself, may be anything.
  Outcome outcome =
      runDraw(makeNearestDraw("0.49", "color = vec4(color.r, abs(dFdx(color.r)), 0, 1);"));
  EXPECT_EQ(outcome.kind, OutcomeKind::Unsupported);
  EXPECT_THAT(outcome.reason, StartsWith("imprecise: 512 of 512"));
}

TEST(OpenDraw, RunsAgainFromTheChoiceOn) {
  auto count = [](const std::string &x) {
    Case input = makeNearestDraw(x);
    std::string loop = "float sum = 0; for (int i = 0; i < 50; ++i) sum += 1.0 / 64;\n";
    Case whole = makeDraw(loop + "color = texture(image, vec2(" + x + ", 0.5)); color.g = sum;",
                          128, "layout(binding = 0) uniform sampler2D image;\n");
    whole.buffers.push_back(input.buffers[1]);
    whole.samplers = input.samplers;
    whole.pipelines[0].bindings = input.pipelines[0].bindings;
    return runDraw(whole).instructions;
  };
  uint64_t exact = count("0.25"), choosing = count("0.49");
  EXPECT_GT(choosing, exact);
  EXPECT_LT(choosing, exact * 5 / 2); // The loop runs twice: once to see that there is a choice.
}
