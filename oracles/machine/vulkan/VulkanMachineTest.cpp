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
        "SubgroupSupportedStages.compute", "VariablePointerFeatures.variablePointers"})
    EXPECT_TRUE(isKnownDeviceFeature(name)) << name;
  for (const char *name : {"robustBufferAcess2", "SubgroupSupportedOperations.teleport", "Shader"})
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
