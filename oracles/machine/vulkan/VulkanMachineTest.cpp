// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/machine/vulkan/VulkanMachine.h"

#include "compiler/spirv/Module.h"
#include "oracles/input/CaseReader.h"
#include "oracles/machine/vulkan/Features.h"
#include "support/Error.h"
#include "llvm/Support/FileSystem.h"
#include <cstring>
#include <fstream>
#include <gtest/gtest.h>

using namespace assay;

namespace {
/// Cases on lavapipe; skipped, with the reason, where there is none that can be used.
class OnLavapipe : public testing::Test {
protected:
  void SetUp() override {
    auto machine = createVulkanMachine("lavapipe");
    if (machine) {
      m_machine = std::move(*machine);
      return;
    }
    ErrorParts parts = takeError(machine.takeError());
    ASSERT_EQ(parts.kind, ErrorKind::Unsupported) << parts.message;
    GTEST_SKIP() << parts.message;
  }

  Case read(const std::string &script) {
    llvm::SmallString<128> path;
    EXPECT_FALSE(llvm::sys::fs::createTemporaryFile("assay-vulkan", "amber", path));
    std::ofstream(path.c_str()) << script;
    auto input = readCase(path, "test");
    llvm::sys::fs::remove(path);
    EXPECT_TRUE(bool(input)) << (input ? "" : takeError(input.takeError()).message);
    return input ? std::move(*input) : Case();
  }

  std::vector<uint32_t> run(const std::string &script) {
    Case input = read(script);
    auto outcome = m_machine->run(input, {}, {});
    EXPECT_TRUE(bool(outcome)) << (outcome ? "" : takeError(outcome.takeError()).message);
    if (!outcome)
      return {};
    EXPECT_EQ(outcome->kind, OutcomeKind::Completed) << outcome->reason;
    EXPECT_GT(outcome->subgroupSize, 0u);
    const std::vector<uint8_t> &bytes = outcome->checkpoints.back()[0].bytes;
    std::vector<uint32_t> words(bytes.size() / 4);
    std::memcpy(words.data(), bytes.data(), words.size() * 4);
    return words;
  }

  std::unique_ptr<Machine> m_machine;
};
} // namespace

static std::string script(const std::string &shader, const std::string &buffers,
                          const std::string &bindings) {
  return std::string("#!amber\nSHADER compute s GLSL\n#version 450\n") + shader + "\nEND\n" +
         buffers + "\nPIPELINE compute p\n ATTACH s\n" + bindings + "\nEND\nRUN p 2 1 1\n";
}

TEST_F(OnLavapipe, RunsDispatchesOnBuffers) {
  std::vector<uint32_t> words = run(script(R"(
layout(local_size_x = 2) in;
layout(set = 0, binding = 0) buffer B { uint data[]; };
layout(set = 1, binding = 3) uniform U { uvec4 scale; };
layout(push_constant) uniform P { uint add; };
void main() { data[gl_GlobalInvocationID.x] = data[gl_GlobalInvocationID.x] * scale.y + add; })",
                                           "BUFFER b DATA_TYPE uint32 DATA 1 2 3 4 END\n"
                                           "BUFFER u DATA_TYPE uint32 DATA 0 10 0 0 END\n"
                                           "BUFFER p DATA_TYPE uint32 DATA 7 END",
                                           "BIND BUFFER b AS storage DESCRIPTOR_SET 0 BINDING 0\n"
                                           "BIND BUFFER u AS uniform DESCRIPTOR_SET 1 BINDING 3\n"
                                           "BIND BUFFER p AS push_constant"));
  EXPECT_EQ(words, (std::vector<uint32_t>{17, 27, 37, 47}));
}

TEST_F(OnLavapipe, GoesOnFromTheLastDispatch) {
  std::string text = script(R"(
layout(local_size_x = 1) in;
layout(set = 0, binding = 0) buffer B { uint data[]; };
void main() { atomicAdd(data[0], 1); })",
                            "BUFFER b DATA_TYPE uint32 DATA 5 END",
                            "BIND BUFFER b AS storage DESCRIPTOR_SET 0 BINDING 0");
  EXPECT_EQ(run(text + "RUN p 3 1 1\n"), std::vector<uint32_t>{10});
}

TEST_F(OnLavapipe, PassesSpecializationConstants) {
  std::string text = script(R"(
layout(local_size_x = 1) in;
layout(constant_id = 4) const uint C = 1;
layout(constant_id = 5) const bool Flag = false;
layout(set = 0, binding = 0) buffer B { uint data[]; };
void main() { data[0] = C + (Flag ? 100 : 0); })",
                            "BUFFER b DATA_TYPE uint32 DATA 5 END",
                            "BIND BUFFER b AS storage DESCRIPTOR_SET 0 BINDING 0");
  text.replace(text.find("ATTACH s\n"), 9,
               "ATTACH s SPECIALIZE 4 AS uint32 9 SPECIALIZE 5 AS uint32 1\n");
  EXPECT_EQ(run(text), std::vector<uint32_t>{109});
}

TEST_F(OnLavapipe, CopiesEverySampleOfAnImage) {
  struct Row {
    const char *format, *layout;
    unsigned bytes;
    uint8_t stored; ///< A byte of the texel that the shader writes.
  };
  // 9/255 is what the shader leaves of the normalised one; 0x09090909 of the integers.
  for (const Row &row : {Row{"R8G8B8A8_UNORM", "rgba8) uniform image2DMS", 4, 255},
                         Row{"R32G32_UINT", "rg32ui) uniform uimage2DMS", 8, 1},
                         Row{"R32G32B32A32_UINT", "rgba32ui) uniform uimage2DMS", 16, 1}}) {
    std::string value = row.bytes == 4 ? "vec4(1)" : "uvec4(0x01010101)";
    Case input = read(script(
        "layout(set = 0, binding = 0, " + std::string(row.layout) +
            " image;\nvoid main() { imageStore(image, ivec2(1, 1), 2, " + value + "); }",
        "IMAGE i FORMAT " + std::string(row.format) + " DIM_2D WIDTH 3 HEIGHT 2 SAMPLES 4 FILL " +
            (row.bytes == 4 ? "9" : "151587081") + "\n",
        "BIND BUFFER i AS storage_image DESCRIPTOR_SET 0 BINDING 0"));
    auto outcome = m_machine->run(input, {}, {});
    ASSERT_TRUE(bool(outcome)) << takeError(outcome.takeError()).message;
    std::vector<uint8_t> expected(size_t(3) * 2 * 4 * row.bytes, 9);
    size_t changed = ((1 * 3 + 1) * 4 + 2) * size_t(row.bytes);
    std::fill_n(expected.begin() + static_cast<ptrdiff_t>(changed), row.bytes, row.stored);
    EXPECT_EQ(outcome->checkpoints.back().at(0).bytes, expected) << row.format;
  }
}

TEST_F(OnLavapipe, ImagesBeyondTheLimitsAreUnsupported) {
  for (const char *extents : {"WIDTH 65536 HEIGHT 1", "WIDTH 1 HEIGHT 65536"}) {
    Case input = read(script("layout(set = 0, binding = 0, r8ui) uniform uimage2D image;\n"
                             "void main() { imageStore(image, ivec2(0), uvec4(1)); }",
                             "IMAGE i FORMAT R8_UINT DIM_2D " + std::string(extents) + " FILL 0\n",
                             "BIND BUFFER i AS storage_image DESCRIPTOR_SET 0 BINDING 0"));
    auto outcome = m_machine->run(input, {}, {});
    ASSERT_FALSE(bool(outcome)) << extents;
    EXPECT_EQ(takeError(outcome.takeError()).kind, ErrorKind::Unsupported) << extents;
  }
}

TEST_F(OnLavapipe, NamesWhatTheDeviceLacks) {
  Case input = read(script(R"(
layout(local_size_x = 1) in;
layout(set = 0, binding = 0) buffer B { uint data[]; };
void main() { data[0] = 1; })",
                           "BUFFER b DATA_TYPE uint32 DATA 5 END",
                           "BIND BUFFER b AS storage DESCRIPTOR_SET 0 BINDING 0"));
  input.features.push_back("noSuchFeature");
  auto outcome = m_machine->run(input, {}, {});
  ASSERT_FALSE(bool(outcome));
  ErrorParts parts = takeError(outcome.takeError());
  EXPECT_EQ(parts.kind, ErrorKind::Unsupported);
  EXPECT_NE(parts.message.find("noSuchFeature"), std::string::npos) << parts.message;

  input.features.clear();
  input.subgroupSizes = {77};
  auto other = m_machine->run(input, {}, {});
  ASSERT_FALSE(bool(other));
  EXPECT_EQ(takeError(other.takeError()).kind, ErrorKind::Unsupported);
}

namespace {
/// Draws on lavapipe under Vulkan's validation layer, which must have nothing to say.
class DrawsOnLavapipe : public OnLavapipe {
protected:
  void SetUp() override {
    OnLavapipe::SetUp();
    if (IsSkipped() || HasFatalFailure())
      return;
    auto machine = createVulkanMachine(
        "lavapipe", [this](llvm::StringRef message) { m_messages.push_back(message.str()); });
    if (!machine) {
      ErrorParts parts = takeError(machine.takeError());
      ASSERT_EQ(parts.kind, ErrorKind::Unsupported) << parts.message;
      GTEST_SKIP() << parts.message;
    }
    m_machine = std::move(*machine);
  }
  void TearDown() override {
    for (const std::string &message : m_messages)
      ADD_FAILURE() << message;
  }

  /// The first buffer after \p script, of which a vertex shader and a fragment shader that writes
  /// \p expression are part.
  std::vector<uint8_t> draw(const std::string &script, const std::string &expression = "color",
                            const std::string &type = "vec4") {
    Case input = read("#!amber\n" + script.substr(0, script.find("PIPELINE")) + R"(
SHADER vertex v GLSL
#version 450
layout(location = 0) in vec2 position;
layout(location = 0) out vec4 color;
void main() { gl_Position = vec4(position, 0.5, 1); color = vec4(0, 0.2, 1, 1); }
END
SHADER fragment f GLSL
#version 450
layout(location = 0) in vec4 color;
layout(location = 0) out )" +
                      type + " result;\nvoid main() { result = " + expression + "; }\nEND\n" +
                      script.substr(script.find("PIPELINE")));
    auto outcome = m_machine->run(input, {}, {});
    EXPECT_TRUE(bool(outcome)) << (outcome ? "" : takeError(outcome.takeError()).message);
    if (!outcome)
      return {};
    EXPECT_EQ(outcome->kind, OutcomeKind::Completed) << outcome->reason;
    return outcome->checkpoints.back()[0].bytes;
  }

  std::vector<std::string> m_messages;
};

using Bytes = std::vector<uint8_t>;
} // namespace

/// \p inside in the right half of an image of \p width x \p height texels, \p outside in the left.
static Bytes halves(unsigned width, unsigned height, const Bytes &outside, const Bytes &inside) {
  Bytes image;
  for (unsigned i = 0; i < width * height; ++i) {
    const Bytes &texel = i % width < width / 2 ? outside : inside;
    image.insert(image.end(), texel.begin(), texel.end());
  }
  return image;
}

TEST_F(DrawsOnLavapipe, ClearsAndDraws) {
  EXPECT_EQ(draw("BUFFER t FORMAT R8G8B8A8_UNORM\nPIPELINE graphics p\nATTACH v\nATTACH f\n"
                 "BIND BUFFER t AS color LOCATION 0\nFRAMEBUFFER_SIZE 8 4\nEND\n"
                 "CLEAR_COLOR p 255 0 0 255\nCLEAR p\nRUN p DRAW_RECT POS 4 0 SIZE 4 4\n"),
            halves(8, 4, {255, 0, 0, 255}, {0, 51, 255, 255}));
}

TEST_F(DrawsOnLavapipe, ClearsAndDrawsIntegers) {
  EXPECT_EQ(draw("BUFFER t FORMAT R16_SINT\nPIPELINE graphics p\nATTACH v\nATTACH f\n"
                 "BIND BUFFER t AS color LOCATION 0\nFRAMEBUFFER_SIZE 4 2\nEND\n"
                 "RUN p DRAW_RECT POS 2 0 SIZE 2 2\n",
                 "-2", "int"),
            halves(4, 2, {0, 0}, {0xfe, 0xff}));
}

TEST_F(DrawsOnLavapipe, KeepsDepthAndStencilInOneTexel) {
  struct Row {
    const char *format;
    Bytes outside, inside;
  };
  // Depth 0.5 (D24 and D16 round it up), stencil 7; cleared to 1 and 0.
  for (const Row &row :
       {Row{"D32_SFLOAT_S8_UINT", {0, 0, 0x80, 0x3f, 0, 0, 0, 0}, {0, 0, 0, 0x3f, 7, 0, 0, 0}},
        Row{"D24_UNORM_S8_UINT", {0xff, 0xff, 0xff, 0}, {0, 0, 0x80, 7}},
        Row{"D16_UNORM", {0xff, 0xff}, {0, 0x80}}, Row{"S8_UINT", {0}, {7}}}) {
    std::string name = row.format;
    std::string body = "BUFFER d FORMAT " + name +
                       "\nBUFFER t FORMAT R8G8B8A8_UNORM\nPIPELINE graphics p\nATTACH v\n"
                       "ATTACH f\nBIND BUFFER t AS color LOCATION 0\n"
                       "BIND BUFFER d AS depth_stencil\nFRAMEBUFFER_SIZE 4 2\n";
    if (name.front() == 'D')
      body += "DEPTH\nTEST on\nWRITE on\nCOMPARE_OP less\nEND\n";
    if (name.find("S8") != std::string::npos)
      body += "STENCIL front_and_back\nTEST on\nREFERENCE 7\nPASS_OP replace\nCOMPARE_OP always\n"
              "COMPARE_MASK 255\nWRITE_MASK 255\nFAIL_OP keep\nDEPTH_FAIL_OP keep\nEND\n";
    EXPECT_EQ(draw(body + "END\nCLEAR p\nRUN p DRAW_RECT POS 2 0 SIZE 2 2\n"),
              halves(4, 2, row.outside, row.inside))
        << name;
  }
}

TEST_F(DrawsOnLavapipe, DrawsIntoEverySample) {
  Bytes inside, outside(size_t(4) * 4, 0);
  for (int i = 0; i < 4; ++i)
    inside.insert(inside.end(), {0, 51, 255, 255});
  std::string body = "ATTACH v\nATTACH f\nBIND BUFFER t AS color LOCATION 0\n"
                     "BIND BUFFER r AS resolve\nFRAMEBUFFER_SIZE 4 2\nEND\nCLEAR p\n"
                     "RUN p DRAW_RECT POS 2 0 SIZE 2 2\n";
  EXPECT_EQ(draw("BUFFER t FORMAT R8G8B8A8_UNORM SAMPLES 4\nBUFFER r FORMAT R8G8B8A8_UNORM\n"
                 "PIPELINE graphics p\n" +
                 body),
            halves(4, 2, outside, inside));
  EXPECT_EQ(draw("BUFFER r FORMAT R8G8B8A8_UNORM\nBUFFER t FORMAT R8G8B8A8_UNORM SAMPLES 4\n"
                 "PIPELINE graphics p\n" +
                 body),
            halves(4, 2, {0, 0, 0, 0}, {0, 51, 255, 255}));
}

TEST_F(DrawsOnLavapipe, ReadsVerticesAndIndices) {
  EXPECT_EQ(draw("BUFFER t FORMAT R8G8B8A8_UNORM\n"
                 "BUFFER b DATA_TYPE vec2<float> DATA -9 -9 0 -1 1 -1 0 1 1 1 END\n"
                 "BUFFER i DATA_TYPE uint16 DATA 1 2 3 65535 3 2 4 END\nPIPELINE graphics p\n"
                 "ATTACH v\nATTACH f\nBIND BUFFER t AS color LOCATION 0\n"
                 "VERTEX_DATA b LOCATION 0\nINDEX_DATA i\nFRAMEBUFFER_SIZE 8 4\nEND\n"
                 "RUN p DRAW_ARRAY AS TRIANGLE_STRIP INDEXED\n"),
            halves(8, 4, {0, 0, 0, 0}, {0, 51, 255, 255}));
}

TEST_F(DrawsOnLavapipe, ReadsInputAttachments) {
  Case input = read(R"(#!amber
SHADER vertex v PASSTHROUGH
SHADER fragment first GLSL
#version 450
layout(location = 0) out uvec4 color;
void main() { color = uvec4(gl_FragCoord.xy, 3, 4); }
END
SHADER fragment second GLSL
#version 450
layout(input_attachment_index = 1, set = 0, binding = 2) uniform usubpassInput image;
layout(location = 0) out uvec4 color;
void main() { color = subpassLoad(image) * 2; }
END
BUFFER target FORMAT R8G8B8A8_UINT
BUFFER between FORMAT R8G8B8A8_UINT
PIPELINE graphics p
  ATTACH v
  ATTACH first
  BIND BUFFER between AS color LOCATION 0
  FRAMEBUFFER_SIZE 2 2
END
PIPELINE graphics q
  ATTACH v
  ATTACH second
  BIND BUFFER between AS sampled_image DESCRIPTOR_SET 0 BINDING 2
  BIND BUFFER target AS color LOCATION 0
  FRAMEBUFFER_SIZE 2 2
END
CLEAR p
CLEAR q
RUN p DRAW_RECT POS 0 0 SIZE 2 2
RUN q DRAW_RECT POS 1 0 SIZE 1 2
)");
  auto outcome = m_machine->run(input, {}, {});
  ASSERT_TRUE(bool(outcome)) << takeError(outcome.takeError()).message;
  ASSERT_EQ(outcome->kind, OutcomeKind::Completed) << outcome->reason;
  EXPECT_EQ(outcome->checkpoints.back()[0].bytes,
            (Bytes{0, 0, 0, 0, 2, 0, 6, 8, 0, 0, 0, 0, 2, 2, 6, 8}));
}

TEST_F(DrawsOnLavapipe, PassesTheMessagesOfTheLayer) {
  Case input = read("#!amber\nSHADER vertex v PASSTHROUGH\nSHADER fragment f GLSL\n#version 450\n"
                    "layout(location = 0) out vec4 c;\nvoid main() { c = vec4(1); }\nEND\n"
                    "BUFFER t FORMAT R8G8B8A8_UNORM\nPIPELINE graphics p\nATTACH v\nATTACH f\n"
                    "BIND BUFFER t AS color LOCATION 0\nFRAMEBUFFER_SIZE 4 2\nEND\n"
                    "RUN p DRAW_RECT POS 2 0 SIZE 2 2\n");
  input.pipelines.at(0).description.graphics.viewport.width = 0;
  llvm::consumeError(m_machine->run(input, {}, {}).takeError());
  EXPECT_FALSE(m_messages.empty());
  m_messages.clear();
}

TEST_F(DrawsOnLavapipe, NamesWhatADrawLacks) {
  Case input = read("#!amber\nSHADER vertex v PASSTHROUGH\nSHADER fragment f GLSL\n#version 450\n"
                    "layout(location = 0) out vec4 c;\nvoid main() { c = vec4(1); }\nEND\n"
                    "BUFFER t FORMAT R8G8B8A8_UNORM\nPIPELINE graphics p\nATTACH v\nATTACH f\n"
                    "BIND BUFFER t AS color LOCATION 0\nFRAMEBUFFER_SIZE 4 2\nEND\n"
                    "RUN p DRAW_RECT POS 2 0 SIZE 2 2\n");
  input.pipelines.at(0).description.graphics.colorTargets.at(0).advancedOp =
      AdvancedBlendOp::HslHue;
  auto outcome = m_machine->run(input, {}, {});
  if (outcome)
    GTEST_SKIP() << "this driver has VK_EXT_blend_operation_advanced";
  ErrorParts parts = takeError(outcome.takeError());
  EXPECT_EQ(parts.kind, ErrorKind::Unsupported);
  EXPECT_NE(parts.message.find("VK_EXT_blend_operation_advanced"), std::string::npos)
      << parts.message;
}

TEST(VulkanMachine, SaysThatADriverIsMissing) {
  auto machine = createVulkanMachine("no-such-driver");
  ASSERT_FALSE(bool(machine));
  ErrorParts parts = takeError(machine.takeError());
  EXPECT_EQ(parts.kind, ErrorKind::Unsupported);
  EXPECT_NE(parts.message.find("no-such-driver"), std::string::npos);
}

TEST(DeviceFeatures, KnowsVulkansNames) {
  for (const char *name :
       {"shaderInt16", "Float16Int8Features.shaderFloat16", "robustBufferAccess2",
        "SubgroupSupportedOperations.shuffleRelative", "VK_KHR_shader_clock",
        "SubgroupSupportedStages.compute", "SubgroupSupportedStages.fragment",
        "SubgroupSupportedStages.tessellationControl", "VariablePointerFeatures.variablePointers"})
    EXPECT_TRUE(isKnownDeviceFeature(name)) << name;
  for (const char *name : {"robustBufferAcess2", "SubgroupSupportedOperations.teleport", "Shader",
                           "SubgroupSupportedStages.task"})
    EXPECT_FALSE(isKnownDeviceFeature(name)) << name;
}

TEST(DeviceFeatures, AskForFloatControlsOfTheWidthThatIsUsed) {
  auto words = spirv::assemble(R"(OpCapability Shader
OpCapability DenormPreserve
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main"
OpExecutionMode %main LocalSize 1 1 1
OpExecutionMode %main DenormPreserve 16
%void = OpTypeVoid
%fn = OpTypeFunction %void
%main = OpFunction %void None %fn
%entry = OpLabel
OpReturn
OpFunctionEnd
)");
  ASSERT_TRUE(bool(words)) << takeError(words.takeError()).message;
  Case input;
  input.pipelines.emplace_back();
  input.pipelines[0].description.addShader(ShaderStage::Compute).spirv = *words;
  vulkan::DeviceFeatures features;
  features.names.insert("shaderDenormPreserveFloat32");
  EXPECT_EQ(llvm::cantFail(vulkan::findMissingFeature(input, features)),
            "shaderDenormPreserveFloat16");
  features.names.insert("shaderDenormPreserveFloat16");
  EXPECT_EQ(llvm::cantFail(vulkan::findMissingFeature(input, features)), "");
}
