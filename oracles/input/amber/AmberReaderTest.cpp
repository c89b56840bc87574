// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every construct of AmberScript's compute part, and what is valid beyond it.
#include "oracles/input/CaseReader.h"
#include "support/Error.h"

#include <cstring>
#include <gtest/gtest.h>

using namespace llvm;
using namespace assay;

namespace {

const std::string shaderText = R"(SHADER compute shader GLSL
#version 450
layout(local_size_x = 4) in;
layout(constant_id = 3) const uint factor = 1;
layout(set = 0, binding = 0) buffer A { uint a[]; };
layout(set = 1, binding = 2) uniform B { uint b; };
layout(push_constant) uniform P { uint p; };
void main() { a[gl_GlobalInvocationID.x] = b * factor + p; }
END
)";

/// A script with the shader above and \p rest.
std::string script(const std::string &rest) {
  return "#!amber\n" + shaderText + rest;
}

Expected<Case> read(const std::string &text) {
  return readCaseFromText(text, "t.amber", "t");
}

Case good(const std::string &text) {
  Expected<Case> result = read(text);
  if (result)
    return std::move(*result);
  ADD_FAILURE() << assay::takeError(result.takeError()).message;
  return {};
}

std::string bad(const std::string &text) {
  Expected<Case> result = read(text);
  if (!result)
    return assay::takeError(result.takeError()).message;
  ADD_FAILURE() << "accepted";
  return "";
}

template <typename T> std::vector<T> contents(const Buffer &buffer) {
  std::vector<T> values(buffer.bytes.size() / sizeof(T));
  if (!values.empty())
    std::memcpy(values.data(), buffer.bytes.data(), buffer.bytes.size());
  return values;
}

const std::string buffers = "BUFFER a DATA_TYPE uint32 SIZE 4 FILL 7\n"
                            "BUFFER b DATA_TYPE uint32 DATA 5 END\n";
const std::string pipeline = "PIPELINE compute p\n"
                             "  ATTACH shader SPECIALIZE 3 AS uint32 9\n"
                             "  BIND BUFFER a AS storage DESCRIPTOR_SET 0 BINDING 0\n"
                             "  BIND BUFFER b AS uniform DESCRIPTOR_SET 1 BINDING 2\n"
                             "  BIND BUFFER b AS push_constant\n"
                             "END\n";

TEST(AmberReader, KeepsPipelineBindingsAndCommands) {
  Case result = good(script(buffers + pipeline + "RUN p 1 2 3\nEXPECT a IDX 4 EQ 50 51\n"));
  ASSERT_EQ(result.pipelines.size(), 1u);
  const CasePipeline &made = result.pipelines[0];
  EXPECT_EQ(made.name, "p");
  ASSERT_EQ(made.description.getShader(ShaderStage::Compute).specialization.size(), 1u);
  EXPECT_EQ(made.description.getShader(ShaderStage::Compute).specialization[0].id, 3u);
  EXPECT_EQ(made.description.getShader(ShaderStage::Compute).specialization[0].bits, 9u);
  EXPECT_EQ(made.description.layout.pushConstantDwords, 1u);
  EXPECT_NE(made.description.layout.find(1, 2), nullptr);
  ASSERT_EQ(made.bindings.size(), 3u);
  EXPECT_EQ(made.bindings[1].kind, BindingKind::Uniform);
  EXPECT_EQ(made.bindings[1].set, 1u);
  EXPECT_EQ(made.bindings[1].binding, 2u);
  EXPECT_EQ(made.bindings[2].kind, BindingKind::PushConstant);
  ASSERT_EQ(result.commands.size(), 2u);
  EXPECT_EQ(std::get<Dispatch>(result.commands[0]).groups[2], 3u);
  const auto &expectation = std::get<Expectation>(result.commands[1]);
  EXPECT_EQ(expectation.byteOffset, 4u);
  EXPECT_EQ(expectation.values, (std::vector<uint64_t>{50, 51}));
  EXPECT_EQ(expectation.text, "EXPECT a IDX 4 EQ 50 51");
  EXPECT_TRUE(result.unsupported.empty());
}

TEST(AmberReader, TakesCommentsContinuationsAndCarriageReturns) {
  Case result = good("# a licence\n\n#!amber\r\n" + shaderText +
                     "BUFFER a DATA_TYPE \\\n  uint32 SIZE 4 \\\n FILL 7 # seven\n"
                     "BUFFER b DATA_TYPE uint32 DATA # values\r\n 1 2 # two\n\n 3\nEND # done\n");
  ASSERT_EQ(result.buffers.size(), 2u);
  EXPECT_EQ(contents<uint32_t>(result.buffers[0]), (std::vector<uint32_t>{7, 7, 7, 7}));
  EXPECT_EQ(contents<uint32_t>(result.buffers[1]), (std::vector<uint32_t>{1, 2, 3}));
}

TEST(AmberReader, LaysBuffersOut) {
  Case result = good("#!amber\n"
                     "BUFFER v DATA_TYPE vec3<float> DATA 1 2 3 4 5 6 END\n"
                     "BUFFER s DATA_TYPE float[] STD140 DATA 1 2 END\n"
                     "BUFFER m DATA_TYPE mat2x2<float> STD140 SIZE 1 FILL 1.5\n"
                     "BUFFER r DATA_TYPE mat2x3<float> STD430 SIZE 1 SERIES_FROM 1 INC_BY 0.5\n");
  EXPECT_EQ(contents<float>(result.buffers[0]), (std::vector<float>{1, 2, 3, 0, 4, 5, 6, 0}));
  EXPECT_EQ(contents<float>(result.buffers[1]), (std::vector<float>{1, 0, 0, 0, 2, 0, 0, 0}));
  EXPECT_EQ(contents<float>(result.buffers[2]),
            (std::vector<float>{1.5, 1.5, 0, 0, 1.5, 1.5, 0, 0}));
  EXPECT_EQ(contents<float>(result.buffers[3]), (std::vector<float>{1, 1.5, 2, 0, 2.5, 3, 3.5, 0}));
}

TEST(AmberReader, FillsSeriesOfIntegers) {
  Case result =
      good("#!amber\nBUFFER d DATA_TYPE int8 SIZE 4 SERIES_FROM 10 INC_BY -6\n"
           "BUFFER u DATA_TYPE uint64 SIZE 2 SERIES_FROM 18446744073709551614 INC_BY 1\n");
  EXPECT_EQ(contents<int8_t>(result.buffers[0]), (std::vector<int8_t>{10, 4, -2, -8}));
  EXPECT_EQ(contents<uint64_t>(result.buffers[1])[1], ~0ull);
}

TEST(AmberReader, BindsArraysOffsetsAndRanges) {
  Case result = good(script(
      "BUFFER a DATA_TYPE uint32 SIZE 64 FILL 0\nBUFFER b DATA_TYPE uint32 SIZE 64 FILL 0\n"
      "PIPELINE compute p\nATTACH shader ENTRY_POINT main\n"
      "BIND BUFFER_ARRAY a b AS storage DESCRIPTOR_SET 0 BINDING 0 "
      "DESCRIPTOR_OFFSET 16 32 DESCRIPTOR_RANGE 64 128\n"
      "BIND BUFFER b AS uniform_dynamic DESCRIPTOR_SET 1 BINDING 2 OFFSET 64 DESCRIPTOR_OFFSET 4\n"
      "END\n"));
  const std::vector<BufferBinding> &bindings = result.pipelines.at(0).bindings;
  ASSERT_EQ(bindings.size(), 3u);
  EXPECT_EQ(bindings[1].arrayElement, 1u);
  EXPECT_EQ(bindings[1].buffer, 1u);
  EXPECT_EQ(bindings[1].offset, 32u);
  EXPECT_EQ(bindings[1].range, 128u);
  EXPECT_EQ(bindings[2].offset, 68u);
  EXPECT_EQ(bindings[2].range, ~0ull);
}

TEST(AmberReader, DerivesPipelines) {
  Case result =
      good(script(buffers + "BUFFER c DATA_TYPE uint32 DATA 6 END\n" + pipeline +
                  "DERIVE_PIPELINE q FROM p\n"
                  "BIND BUFFER c AS uniform DESCRIPTOR_SET 1 BINDING 2\nEND\nRUN q 1 1 1\n"));
  ASSERT_EQ(result.pipelines.size(), 2u);
  const CasePipeline &derived = result.pipelines[1];
  EXPECT_EQ(derived.name, "q");
  EXPECT_EQ(derived.description.getShader(ShaderStage::Compute).specialization.size(), 1u);
  EXPECT_EQ(derived.description.getShader(ShaderStage::Compute).spirv,
            result.pipelines[0].description.getShader(ShaderStage::Compute).spirv);
  ASSERT_EQ(derived.bindings.size(), 3u);
  EXPECT_EQ(derived.bindings[2].buffer, 2u);
  EXPECT_EQ(result.pipelines[0].bindings[1].buffer, 1u);
}

TEST(AmberReader, RepeatsCommands) {
  Case result = good(script(buffers + pipeline +
                            "REPEAT 3\nRUN TIMED_EXECUTION p 1 1 1\nEXPECT a IDX 0 NE 1\nEND\n"));
  ASSERT_EQ(result.commands.size(), 6u);
  EXPECT_TRUE(std::holds_alternative<Dispatch>(result.commands[4]));
}

TEST(AmberReader, ReadsEveryExpectation) {
  Case result = good("#!amber\nBUFFER f DATA_TYPE vec2<float> DATA 1 2 3 4 END\n"
                     "BUFFER g DATA_TYPE vec2<float> DATA 1 2 3 4 END\n"
                     "EXPECT f IDX 0 TOLERANCE 0.5 1% EQ 1 2.0\nEXPECT f IDX 8 LE 3 nan\n"
                     "EXPECT f IDX 0 TOLERANCE 2 EQ 1 2 3 4\n"
                     "EXPECT f EQ_BUFFER g\nEXPECT f RMSE_BUFFER g TOLERANCE 0.25\nCOPY f TO g\n");
  ASSERT_EQ(result.commands.size(), 6u);
  const auto &first = std::get<Expectation>(result.commands[0]);
  ASSERT_EQ(first.tolerances.size(), 2u);
  EXPECT_FALSE(first.tolerances[0].percent);
  EXPECT_TRUE(first.tolerances[1].percent);
  EXPECT_EQ(first.values[1], 0x40000000u);
  EXPECT_EQ(std::get<Expectation>(result.commands[1]).comparator, Comparator::Le);
  EXPECT_EQ(std::get<Expectation>(result.commands[3]).kind, ExpectationKind::EqualBuffers);
  EXPECT_EQ(std::get<Expectation>(result.commands[4]).rmse, 0.25);
  EXPECT_EQ(std::get<BufferCopy>(result.commands[5]).destination, 1u);
}

const std::string assembly = "OpCapability Shader\nOpMemoryModel Logical GLSL450\n"
                             "OpEntryPoint GLCompute %one \"one\"\n"
                             "OpEntryPoint GLCompute %two \"two\"\n"
                             "OpExecutionMode %one LocalSize 1 1 1\n"
                             "OpExecutionMode %two LocalSize 2 1 1\n%void = OpTypeVoid\n"
                             "%fn = OpTypeFunction %void\n"
                             "%one = OpFunction %void None %fn\n%l1 = OpLabel\nOpReturn\n"
                             "OpFunctionEnd\n%two = OpFunction %void None %fn\n%l2 = OpLabel\n"
                             "OpReturn\nOpFunctionEnd\n";

TEST(AmberReader, ReadsAssemblyForTheAskedVersion) {
  Case result = good("#!amber\nSHADER compute s SPIRV-ASM\n" + assembly +
                     "END\nSHADER multi m SPIRV-ASM TARGET_ENV spv1.3\n" + assembly +
                     "END\nPIPELINE compute p\nATTACH s ENTRY_POINT one\nEND\n"
                     "PIPELINE compute q\nATTACH m TYPE compute ENTRY_POINT two\nEND\n");
  ASSERT_EQ(result.pipelines.size(), 2u);
  EXPECT_EQ(result.pipelines[0].description.getShader(ShaderStage::Compute).spirv[1], 0x00010000u);
  EXPECT_EQ(result.pipelines[1].description.getShader(ShaderStage::Compute).spirv[1], 0x00010300u);
  EXPECT_EQ(result.pipelines[1].description.getShader(ShaderStage::Compute).entryPoint, "two");
}

TEST(AmberReader, ReadsHexadecimalModules) {
  Case assembled = good("#!amber\nSHADER compute s SPIRV-ASM\n" + assembly +
                        "END\nPIPELINE compute p\nATTACH s ENTRY_POINT one\nEND\n");
  std::string hex;
  for (uint32_t word : assembled.pipelines.at(0).description.getShader(ShaderStage::Compute).spirv)
    hex += "0x" + utohexstr(word) + (hex.size() % 3 == 0 ? "\n" : " ");
  Case result = good("#!amber\nSHADER compute s SPIRV-HEX\n" + hex +
                     "\nEND\nPIPELINE compute p\nATTACH s ENTRY_POINT one\nEND\n");
  EXPECT_EQ(result.pipelines.at(0).description.getShader(ShaderStage::Compute).spirv,
            assembled.pipelines[0].description.getShader(ShaderStage::Compute).spirv);
}

TEST(AmberReader, ReadsVirtualFilesAndIncludes) {
  Case result =
      good("#!amber\nVIRTUAL_FILE body.glsl\nvoid main() {}\nEND\n"
           "VIRTUAL_FILE whole.comp\n#version 450\n"
           "#extension GL_GOOGLE_include_directive : require\n#include \"body.glsl\"\nEND\n"
           "SHADER compute s GLSL VIRTUAL_FILE whole.comp\n"
           "PIPELINE compute p\nATTACH s\nEND\n");
  EXPECT_EQ(result.pipelines.size(), 1u);
}

TEST(AmberReader, FindsIncludesBesideTheIncludingFile) {
  Case result =
      good("#!amber\nVIRTUAL_FILE \"x.glsl\"\nwrong\nEND\n"
           "VIRTUAL_FILE \"sub/x.glsl\"\nvoid main() {}\nEND\n"
           "VIRTUAL_FILE sub/y.glsl\n#include \"x.glsl\"\nEND\n"
           "SHADER compute s GLSL\n#version 450\n"
           "#extension GL_GOOGLE_include_directive : require\n#include \"sub/y.glsl\"\nEND\n"
           "PIPELINE compute p\nATTACH s\nEND\n");
  EXPECT_EQ(result.pipelines.size(), 1u);
}

TEST(AmberReader, OptimizesShaders) {
  std::string head = "#!amber\nSHADER compute s SPIRV-ASM\n" + assembly +
                     "END\nPIPELINE compute p\nATTACH s ENTRY_POINT one\nSHADER_OPTIMIZATION s\n";
  Case plain = good("#!amber\nSHADER compute s SPIRV-ASM\n" + assembly +
                    "END\nPIPELINE compute p\nATTACH s ENTRY_POINT one\nEND\n");
  Case result = good(head + "strip-debug\n--unify-const\nmerge-return\nEND\nEND\n");
  EXPECT_TRUE(result.unsupported.empty());
  ASSERT_EQ(result.pipelines.size(), 1u);
  EXPECT_LE(result.pipelines[0].description.getShader(ShaderStage::Compute).spirv.size(),
            plain.pipelines.at(0).description.getShader(ShaderStage::Compute).spirv.size());
  Case unknown = good(head + "no-such-pass\nEND\nEND\n");
  ASSERT_EQ(unknown.unsupported.size(), 1u);
  EXPECT_NE(unknown.unsupported[0].reason.find("no-such-pass"), std::string::npos);
}

TEST(AmberReader, SaysWhatIsBeyondIt) {
  const std::pair<const char *, const char *> rows[] = {
      {"IMAGE i FORMAT D24_UNORM_S8_UINT DIM_2D WIDTH 1 HEIGHT 1\n"
       "EXPECT i IDX 0 0 SIZE 1 1 EQ_RGBA 1 2 3 4\n",
       "EXPECT of pixels of D24_UNORM_S8_UINT (line 3)"},
      {"IMAGE i DATA_TYPE vec3<uint32> DIM_2D WIDTH 2 HEIGHT 1 DATA\n1 2\nEND\n",
       "images of vec3<uint32> (line 2)"},
      {"SHADER compute s HLSL\nvoid main() {}\nEND\n", "HLSL shaders (line 2)"},
      {"SHADER compute s OPENCL-C\nkernel void f() {}\nEND\nPIPELINE compute p\nATTACH s\n"
       "COMPILE_OPTIONS s\n-O2\nEND\nEND\nRUN p 1 1 1\n",
       "OPENCL-C shaders (line 2)"},
      {"SHADER fragment s HLSL\nvoid main() {}\nEND\n", "HLSL shaders (line 2)"},
      {"PIPELINE raytracing r\nEND\n", "raytracing pipelines (line 2)"},
      {"ACCELERATION_STRUCTURE BOTTOM_LEVEL b\nGEOMETRY TRIANGLES\n0 0 0\nEND\nEND\n",
       "acceleration structures (line 2)"},
      {"IMAGE i FORMAT R5G6B5_UNORM_PACK16 DIM_2D WIDTH 1 HEIGHT 1\n"
       "EXPECT i IDX 0 0 SIZE 1 1 EQ_RGB 1 2 3\n",
       "EXPECT of pixels of R5G6B5_UNORM_PACK16 (line 3)"},
  };
  for (const auto &[text, reason] : rows) {
    Case result = good(std::string("#!amber\n") + text);
    ASSERT_FALSE(result.unsupported.empty()) << text;
    EXPECT_EQ(result.unsupported[0].reason, reason);
  }
}

TEST(AmberReader, SaysWhatAPipelineNeeds) {
  for (const char *statement :
       {"BIND BUFFER a KERNEL ARG_NUMBER 1", "SUBGROUP shader\nREQUIRED_SIZE MIN\nEND",
        "BIND BUFFER a AS color LOCATION 0", "SET KERNEL ARG_NAME m AS int32 3",
        "BIND ACCELERATION_STRUCTURE s DESCRIPTOR_SET 0 BINDING 0"}) {
    Case result =
        good(script(buffers + "PIPELINE compute p\nATTACH shader\n" + statement + "\nEND\n"));
    EXPECT_EQ(result.unsupported.size(), 1u) << statement;
    EXPECT_EQ(result.pipelines.size(), 1u);
  }
}

TEST(AmberReader, KeepsRequirementsOfDevices) {
  Case result =
      good("#!amber\nDEVICE_FEATURE shaderInt64\nDEVICE_EXTENSION VK_KHR_16bit_storage\n"
           "INSTANCE_EXTENSION VK_KHR_surface\nDEVICE_PROPERTY FloatControlsProperties.x\n"
           "DEVICE_FEATURE shaderInt64\nSET ENGINE_DATA fence_timeout_ms 1000\n");
  EXPECT_TRUE(result.unsupported.empty());
  EXPECT_EQ(result.features, (std::vector<std::string>{"shaderInt64", "VK_KHR_16bit_storage",
                                                       "FloatControlsProperties.x"}));
}

TEST(AmberReader, GivesPipelinesTheRobustnessAskedFor) {
  const std::string rest = buffers + pipeline;
  auto robustness = [&](const std::string &feature) {
    return good(script("DEVICE_FEATURE " + feature + "\n" + rest))
        .pipelines.at(0)
        .description.robustness;
  };
  EXPECT_EQ(robustness("shaderInt64"), Robustness::None);
  EXPECT_EQ(robustness("robustBufferAccess"), Robustness::Access);
  EXPECT_EQ(robustness("Robustness2Features.robustBufferAccess2"), Robustness::Access2);
  // Also where the feature is named after the pipeline.
  Case late = good(script(rest + "DEVICE_FEATURE robustBufferAccess\n"));
  EXPECT_EQ(late.pipelines.at(0).description.robustness, Robustness::Access);
}

TEST(AmberReader, ReadsSubgroupSettings) {
  Case result = good(script(buffers + "PIPELINE compute p\nATTACH shader\nSUBGROUP shader\n"
                                      "FULLY_POPULATED on\nVARYING_SIZE off REQUIRED_SIZE 32\n"
                                      "END\nEND\nDERIVE_PIPELINE q FROM p\nSUBGROUP shader\n"
                                      "VARYING_SIZE on\nEND\nEND\n"));
  ASSERT_EQ(result.pipelines.size(), 2u);
  EXPECT_TRUE(result.pipelines[0].fullSubgroups);
  EXPECT_FALSE(result.pipelines[0].varyingSubgroupSize);
  EXPECT_EQ(result.pipelines[0].description.getShader(ShaderStage::Compute).requiredSubgroupSize,
            32u);
  EXPECT_TRUE(result.pipelines[1].varyingSubgroupSize);
  EXPECT_EQ(result.pipelines[1].description.getShader(ShaderStage::Compute).requiredSubgroupSize,
            32u);
}

TEST(AmberReader, ReadsDirectives) {
  Case result = good(script("# ASSAY: SUBGROUP_SIZES 32 64\n#ASSAY: ADDRESS_OF b IN a OFFSET 8\n" +
                            buffers + "  # ASSAY: ADDRESS_OF a IN a OFFSET 0 PLUS 4\n" + pipeline +
                            "# an ASSAY: nobody means\n"));
  EXPECT_EQ(result.subgroupSizes, (std::vector<uint32_t>{32, 64}));
  ASSERT_EQ(result.addresses.size(), 2u);
  EXPECT_EQ(result.addresses[0].target, 1u);
  EXPECT_EQ(result.addresses[0].buffer, 0u);
  EXPECT_EQ(result.addresses[0].offset, 8u);
  EXPECT_EQ(result.addresses[1].targetOffset, 4u);
}

TEST(AmberReader, LeavesDirectivesInShadersAlone) {
  Case result = good("#!amber\nVIRTUAL_FILE x\n# ASSAY: NONSENSE\nEND\n"
                     "BUFFER b DATA_TYPE int8 DATA 1 END\n");
  EXPECT_TRUE(result.subgroupSizes.empty());
}

TEST(AmberReader, MapsGlslErrorsToLinesOfTheScript) {
  std::string message = bad("#!amber\n\nSHADER compute s GLSL\n#version 450\nvoid main() {\n"
                            "  oops = 1;\n}\nEND\n");
  EXPECT_NE(message.find("line 6: GLSL: 'oops'"), std::string::npos) << message;
}

TEST(AmberReader, MapsAssemblyErrorsToLinesOfTheScript) {
  std::string message =
      bad("#!amber\nSHADER compute s SPIRV-ASM\nOpCapability Shader\n%x =\nEND\n");
  EXPECT_NE(message.find("line 5"), std::string::npos) << message;
}

} // namespace
