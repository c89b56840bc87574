// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the writer says must read back as the same case: for the whole corpus, and for values that
// a script can hardly say.
#include "oracles/input/amber/AmberWriter.h"
#include "oracles/input/CaseDifference.h"
#include "oracles/input/CaseReader.h"
#include "support/Error.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include <gmock/gmock.h>

using namespace llvm;
using namespace assay;

static std::string writeOrExplain(const Case &input) {
  Expected<std::string> text = writeAmber(input);
  return text ? std::move(*text) : "unsupported: " + takeError(text.takeError()).message;
}

static Case readText(StringRef text) {
  Expected<Case> input = readCaseFromText(text, "written.amber", "written");
  EXPECT_TRUE(bool(input)) << (input ? "" : takeError(input.takeError()).message) << text.str();
  return input ? std::move(*input) : Case();
}

TEST(AmberWriter, CorpusReadsBackTheSame) {
  std::error_code code;
  unsigned written = 0;
  std::vector<std::string> refused;
  for (sys::fs::directory_iterator it(ASSAY_SOURCE_DIR "/corpora/compute", code), end;
       it != end && !code; it.increment(code)) {
    if (sys::path::extension(it->path()) != ".amber")
      continue;
    SCOPED_TRACE(it->path());
    Case input = cantFail(readCase(it->path(), "case"));
    std::string text = writeOrExplain(input);
    if (StringRef(text).starts_with("unsupported: ")) {
      refused.push_back(sys::path::stem(it->path()).str());
      continue;
    }
    ++written;
    Case again = readText(text);
    EXPECT_EQ(describeDifference(input, again), "");
    // The assembler numbers ids as it first sees them, so from the second text on nothing changes.
    std::string second = writeOrExplain(again);
    EXPECT_EQ(writeOrExplain(readText(second)), second);
  }
  EXPECT_GE(written, 190u);
  // Floats expected in a structure.
  EXPECT_THAT(refused, testing::ElementsAre("resource-structures"));
}

static const char *const shader = R"(#!amber
SHADER compute s GLSL
#version 450
layout(set = 0, binding = 0) buffer B { uint values[]; };
void main() { values[0] = 1; }
END
)";

TEST(AmberWriter, RefusesAnExpectedValueWithoutALiteral) {
  Case input = readText(std::string(shader) + R"(BUFFER b DATA_TYPE float DATA
1.5
END
PIPELINE compute p
  ATTACH s
  BIND BUFFER b AS storage DESCRIPTOR_SET 0 BINDING 0
END
RUN p 1 1 1
EXPECT b IDX 0 EQ 1.5
)");
  ASSERT_EQ(input.commands.size(), 2u);
  auto &expectation = std::get<Expectation>(input.commands[1]);
  EXPECT_THAT(writeOrExplain(input), testing::HasSubstr("EXPECT b IDX 0 EQ 1.5\n"));
  expectation.values = {0x7fc00001}; // A NaN with a payload.
  EXPECT_EQ(writeOrExplain(input),
            "unsupported: writing AmberScript: an expected value in buffer b that has no literal");
}

TEST(AmberWriter, RefusesCopiesOfParts) {
  Case input = readText(std::string(shader) + R"(BUFFER a DATA_TYPE uint32 SIZE 2 FILL 1
BUFFER b DATA_TYPE uint32 SIZE 2 FILL 0
PIPELINE compute p
  ATTACH s
  BIND BUFFER b AS storage DESCRIPTOR_SET 0 BINDING 0
END
COPY a TO b
)");
  EXPECT_THAT(writeOrExplain(input), testing::HasSubstr("COPY a TO b\n"));
  std::get<BufferCopy>(input.commands[0]).range = CopyRange{0, 4, 4};
  EXPECT_EQ(writeOrExplain(input),
            "unsupported: writing AmberScript: a copy of a part of a buffer");
}

TEST(AmberWriter, BytesThatNoLiteralSaysStay) {
  Case input = readText(std::string(shader) + R"(BUFFER b DATA_TYPE vec4<float> DATA
1.5 -0.0 nan inf
END
PIPELINE compute p
  ATTACH s
  BIND BUFFER b AS storage DESCRIPTOR_SET 0 BINDING 0
END
RUN p 1 1 1
)");
  EXPECT_EQ(input.buffers.size(), 1u);
  Case again = readText(writeOrExplain(input));
  EXPECT_EQ(again.buffers[0].bytes, input.buffers[0].bytes);
  EXPECT_EQ(again.buffers[0].format.rows, 4u);
  input.buffers[0].bytes[8] = 1; // A payload of the NaN.
  again = readText(writeOrExplain(input));
  EXPECT_EQ(again.buffers[0].bytes, input.buffers[0].bytes);
  EXPECT_EQ(again.buffers[0].format.scalar, ScalarKind::Uint32);
}

static const char *const drawScript = R"(#!amber
SHADER vertex v PASSTHROUGH
SHADER fragment f GLSL
#version 450
layout(location = 0) out vec4 color;
layout(set = 0, binding = 2) uniform U { vec4 value; };
void main() { color = value; }
END
BUFFER u DATA_TYPE vec4<float> DATA 1 0.5 0 1 END
BUFFER vertices DATA_TYPE vec3<float> DATA 0 0 0 1 0 0 0 1 0 END
BUFFER indices DATA_TYPE uint16 DATA 0 1 2 END
BUFFER color FORMAT R8G8B8A8_UNORM SAMPLES 4
BUFFER other FORMAT R32_UINT SAMPLES 4
BUFFER resolved FORMAT R8G8B8A8_UNORM
BUFFER depth FORMAT D32_SFLOAT_S8_UINT SAMPLES 4
BUFFER plain FORMAT B8G8R8A8_UNORM MIP_LEVELS 2
PIPELINE graphics p
  ATTACH v
  ATTACH f
  BIND BUFFER color AS color LOCATION 0
  BIND BUFFER other AS color LOCATION 1
  BIND BUFFER resolved AS resolve
  BIND BUFFER depth AS depth_stencil
  BIND BUFFER u AS uniform DESCRIPTOR_SET 0 BINDING 2
  FRAMEBUFFER_SIZE 16 8
  VERTEX_DATA vertices LOCATION 0 RATE instance
  INDEX_DATA indices
  VIEWPORT 1.5 2 SIZE 8 4.25 MIN_DEPTH 0.25
  POLYGON_MODE line
  PATCH_CONTROL_POINTS 5
  DEPTH
    TEST on WRITE on CLAMP on COMPARE_OP greater
    BOUNDS min 0.25 max 0.75
    BIAS constant 1.5 clamp 0 slope -2
  END
  STENCIL back
    TEST on PASS_OP invert COMPARE_OP less REFERENCE 7 WRITE_MASK 15
  END
  BLEND
    SRC_COLOR_FACTOR src_alpha
    DST_ALPHA_FACTOR constant_alpha
    ALPHA_OP subtract
  END
END
PIPELINE graphics q
  ATTACH v
  ATTACH f
  BIND BUFFER plain AS color LOCATION 0 BASE_MIP_LEVEL 1
  BIND BUFFER u AS uniform DESCRIPTOR_SET 0 BINDING 2
  FRAMEBUFFER_SIZE 8 8
END
CLEAR_COLOR p 255 1 2 3
CLEAR_DEPTH p 0.5
CLEAR p
RUN p DRAW_ARRAY AS TRIANGLE_LIST INDEXED START_IDX 1 COUNT 2
RUN p DRAW_ARRAY AS LINE_STRIP INSTANCE_COUNT 4
RUN q DRAW_RECT POS 0 0 SIZE 8 8
EXPECT plain IDX 1 2 SIZE 2 1 EQ_RGBA 255 128 0 255
EXPECT plain IDX 1 2 SIZE 2 1 EQ_RGB 255 128 0
)";

TEST(AmberWriter, DrawsReadBackTheSame) {
  Case input = readText(drawScript);
  ASSERT_EQ(input.pipelines.size(), 3u);
  std::string text = writeOrExplain(input);
  ASSERT_THAT(text, testing::StartsWith("#!amber")) << text;
  Case again = readText(text);
  EXPECT_EQ(describeDifference(input, again), "");
  std::string second = writeOrExplain(again);
  EXPECT_EQ(writeOrExplain(readText(second)), second);
  Case cleared = input;
  std::get<Clear>(cleared.commands[0]).color[0] = 0.3f;
  EXPECT_NE(writeOrExplain(cleared).find("255ths"), std::string::npos);
}

TEST(AmberWriter, RefusesDrawsThatAmberRefuses) {
  Case input = readText(drawScript);
  auto *draw = std::get_if<Draw>(&input.commands.at(1));
  ASSERT_TRUE(draw && draw->indexed);
  draw->vertexOffset = 2; // Of three indices two are drawn.
  EXPECT_THAT(writeOrExplain(input), testing::HasSubstr("leaves the indices"));
  draw->vertexOffset = -1;
  EXPECT_THAT(writeOrExplain(input), testing::HasSubstr("negative vertex offset"));
  draw->indexed = false;
  EXPECT_THAT(writeOrExplain(input), testing::HasSubstr("without indices"));
}

TEST(AmberWriter, SaysOtherStateInDirectives) {
  Case input = readText(drawScript);
  GraphicsState &state = input.pipelines[0].description.graphics;
  state.input.primitiveRestart = true;
  state.input.bindings[0].divisor = 3;
  state.rasterization.cullMode = CullBack;
  state.rasterization.frontFace = FrontFace::Clockwise;
  state.rasterization.depthClip = true;
  state.rasterization.lineWidth = 2.5f;
  state.rasterization.provokingVertex = ProvokingVertex::Last;
  state.multisample.sampleMask = 5;
  state.multisample.sampleShading = true;
  state.multisample.minSampleShading = 0.5f;
  state.multisample.alphaToCoverage = state.multisample.alphaToOne = true;
  state.logicOp = LogicOp::AndReverse;
  state.blendConstants[2] = 0.25f;
  for (ColorTarget &target : state.colorTargets)
    target.writeMask = 5;
  std::string text = writeOrExplain(input);
  ASSERT_THAT(text, testing::HasSubstr("# ASSAY: STATE pipeline0 cullMode VK_CULL_MODE_BACK_BIT"));
  EXPECT_EQ(describeDifference(input, readText(text)), "");
  state.colorTargets[1].blend = false;
  EXPECT_NE(writeOrExplain(input).find("no words for"), std::string::npos);
}

TEST(AmberWriter, RefusesWhatAScriptCannotSay) {
  Case input = readText(std::string(shader) + R"(BUFFER b DATA_TYPE uint32 SIZE 1 FILL 0
PIPELINE compute p
  ATTACH s
  BIND BUFFER b AS storage DESCRIPTOR_SET 0 BINDING 0
END
RUN p 1 1 1
EXPECT b IDX 0 EQ 1
)");
  EXPECT_FALSE(StringRef(writeOrExplain(input)).starts_with("unsupported"));
  Case gap = input;
  gap.pipelines[0].bindings[0].arrayElement = 1;
  EXPECT_NE(writeOrExplain(gap).find("gaps"), std::string::npos);
  Case typed = input;
  std::get<Expectation>(typed.commands[1]).format.scalar = ScalarKind::Float32;
  EXPECT_NE(writeOrExplain(typed).find("an expectation of float32"), std::string::npos);
}
