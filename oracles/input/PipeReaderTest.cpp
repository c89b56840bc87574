// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sections and settings of LLPC's pipeline files, and what is not read.
#include "oracles/input/CaseReader.h"
#include "support/Error.h"

#include <gtest/gtest.h>

using namespace llvm;
using namespace assay;

namespace {

const std::string glsl = "[CsGlsl]\n#version 450\nlayout(constant_id = 3) const uint f = 1;\n"
                         "layout(set = 1, binding = 2) buffer B { uint b[]; };\n"
                         "void main() { b[0] = f; }\n\n";

Case good(const std::string &text) {
  Expected<Case> result = readCaseFromText(text, "t.pipe", "t");
  if (result)
    return std::move(*result);
  ADD_FAILURE() << assay::takeError(result.takeError()).message << "\n" << text;
  return {};
}

ErrorParts bad(const std::string &text) {
  Expected<Case> result = readCaseFromText(text, "t.pipe", "t");
  if (!result)
    return assay::takeError(result.takeError());
  ADD_FAILURE() << "accepted:\n" << text;
  return {ErrorKind::Environment, ""};
}

TEST(PipeReader, ReadsAPipeline) {
  Case result = good("; RUN: something\n\n[Version]\nversion = 40\n\n" + glsl +
                     "[CsInfo]\nentryPoint = main\n; a comment\n"
                     "specConst.mapEntry[0].constantID = 3\nspecConst.mapEntry[0].offset = 4\n"
                     "specConst.mapEntry[0].size = 4\nspecConst.uintData = 7, 9,\n"
                     "specConst.floatData = 1.0\noptions.waveSize = 64\n"
                     "userDataNode[0].type = DescriptorTableVaPtr\n"
                     "[ResourceMapping]\nuserDataNode[0].visibility = 32\n"
                     "[ComputePipelineState]\ndeviceIndex = 0\noptions.includeIr = 0\n"
                     "options.robustBufferAccess = 1\n");
  ASSERT_EQ(result.pipelines.size(), 1u);
  const PipelineDescription &description = result.pipelines[0].description;
  ASSERT_EQ(description.getShader(ShaderStage::Compute).specialization.size(), 1u);
  EXPECT_EQ(description.getShader(ShaderStage::Compute).specialization[0].id, 3u);
  EXPECT_EQ(description.getShader(ShaderStage::Compute).specialization[0].bits, 9u);
  EXPECT_NE(description.layout.find(1, 2), nullptr);
  EXPECT_EQ(description.robustness, Robustness::Access);
  EXPECT_EQ(description.getShader(ShaderStage::Compute).requiredSubgroupSize, 0u);
  EXPECT_TRUE(result.commands.empty() && result.unsupported.empty());
}

TEST(PipeReader, ReadsAssemblyAndOptions) {
  Case result = good("[CsSpirv]\n; SPIR-V\n; Version: 1.3\nOpCapability Shader\n"
                     "OpMemoryModel Logical GLSL450\nOpEntryPoint GLCompute %f \"go\"\n"
                     "OpExecutionMode %f LocalSize 1 1 1\n%v = OpTypeVoid\n"
                     "%t = OpTypeFunction %v\n%f = OpFunction %v None %t\n%l = OpLabel\nOpReturn\n"
                     "OpFunctionEnd\n[CsInfo]\nentryPoint = go\noptions.subgroupSize = 64\n"
                     "[ComputePipelineState]\noptions.extendedRobustness.robustBufferAccess = 1\n"
                     "options.overrideShaderThreadGroupSizeX = 0\n");
  const PipelineDescription &description = result.pipelines.at(0).description;
  EXPECT_EQ(description.getShader(ShaderStage::Compute).spirv[1], 0x00010300u);
  EXPECT_EQ(description.getShader(ShaderStage::Compute).entryPoint, "go");
  EXPECT_EQ(description.getShader(ShaderStage::Compute).requiredSubgroupSize, 64u);
  EXPECT_EQ(description.robustness, Robustness::Access2);
}

TEST(PipeReader, OverridesTheWorkgroupSize) {
  auto sizeOf = [](const std::string &options) {
    const Case result = good("[CsGlsl]\n#version 450\nlayout(local_size_x = 3, local_size_y = 5) "
                             "in;\nvoid main() {}\n[CsInfo]\nentryPoint = main\n"
                             "[ComputePipelineState]\n" +
                             options);
    const std::vector<uint32_t> &words =
        result.pipelines.at(0).description.getShader(ShaderStage::Compute).spirv;
    std::vector<uint32_t> size;
    // OpExecutionMode, six words long, mode LocalSize (17).
    for (size_t i = 5; i < words.size(); i += words[i] >> 16)
      if (words[i] == (6u << 16 | 16u) && words[i + 2] == 17)
        size.assign(words.begin() + static_cast<ptrdiff_t>(i) + 3,
                    words.begin() + static_cast<ptrdiff_t>(i) + 6);
    return size;
  };
  EXPECT_EQ(sizeOf("options.overrideShaderThreadGroupSizeZ = 1\n"),
            (std::vector<uint32_t>{3, 5, 1}));
  EXPECT_EQ(sizeOf("options.overrideShaderThreadGroupSizeX = 8\n"
                   "options.overrideShaderThreadGroupSizeY = 0\n"
                   "options.overrideShaderThreadGroupSizeZ = 2\n"),
            (std::vector<uint32_t>{8, 5, 2}));
}

TEST(PipeReader, SaysWhatIsBeyondIt) {
  const std::pair<std::string, const char *> rows[] = {
      {"[VsGlsl]\n", "graphics pipelines (line 1)"},
      {"[FragmentShaderGlsl]\n", "graphics pipelines (line 1)"},
      {"[GraphicsPipelineState]\n", "graphics pipelines (line 1)"},
      {glsl + "[FsInfo]\nentryPoint = main\n", "graphics pipelines"},
      {"[rgenGlsl]\n", "ray tracing pipelines (line 1)"},
      {"[CsHlsl]\n", "HLSL shaders (line 1)"},
      {"[CsGlsl]\n#version 450\nlayout(local_size_x_id = 1) in;\nvoid main() {}\n[CsInfo]\n"
       "options.overrideShaderThreadGroupSizeY = 8\n",
       "overrideShaderThreadGroupSize of"},
  };
  for (const auto &[text, reason] : rows) {
    ErrorParts parts = bad(text);
    EXPECT_EQ(parts.kind, ErrorKind::Unsupported) << text;
    EXPECT_NE(parts.message.find(reason), std::string::npos) << parts.message;
  }
}

TEST(PipeReader, RefusesBrokenText) {
  const std::pair<std::string, const char *> rows[] = {
      {"", "no compute shader"},
      {"hello\n", "line 1: expected a section"},
      {"[CsSoup]\n", "line 1: expected a section"},
      {glsl + glsl, "has a compute shader already"},
      {"[CsGlsl]\n#version 450\nvoid main() { x = 1; }\n", "line 3: GLSL: 'x'"},
      {"[Version]\n40\n" + glsl, "line 2: expected 'key = value'"},
      {"[Version]\nversion =\n" + glsl, "expected a value after 'version ='"},
      {glsl + "[CsInfo]\nentryPoint = other\n", "no compute entry point 'other'"},
      {glsl + "[CsInfo]\nanswer = 42\n", "unknown setting 'answer'"},
      {glsl + "[CsInfo]\nspecConst.count = 1\n", "unknown setting 'specConst.count'"},
      {glsl + "[CsInfo]\nspecConst.mapEntry[x].size = 1\n", "an index"},
      {glsl + "[CsInfo]\nspecConst.mapEntry[0].stride = 1\n", "unknown member 'stride'"},
      {glsl + "[CsInfo]\nspecConst.uintData = 4294967296\n", "does not fit in uint32"},
      {glsl + "[CsInfo]\noptions.overrideShaderThreadGroupSizeW = 1\n", "unknown option"},
      {glsl + "[CsInfo]\noptions.overrideShaderThreadGroupSizeX = 1025\n", "is above 1024"},
      {glsl + "[CsInfo]\nspecConst.mapEntry[0].constantID = 3\n", "outside the data"},
      {glsl + "[CsInfo]\nspecConst.mapEntry[0].constantID = 3\nspecConst.uintData = 1\n"
              "specConst.mapEntry[0].offset = 4294967295\n",
       "outside the data"},
      {glsl + "[CsInfo]\nspecConst.mapEntry[0].constantID = 3\nspecConst.uintData = 1\n"
              "specConst.mapEntry[1].constantID = 3\n",
       "specialized twice"},
      {glsl + "[CsInfo]\noptions.subgroupSize = 48\n", "no power of two"},
      {"[CsGlslFile]\nx.comp\n", "expected 'fileName"},
      {"[CsGlslFile]\nfileName = not-there.comp\n", "does not exist"},
      {"[CsGlslFile]", "expected 'fileName"},
  };
  for (const auto &[text, message] : rows) {
    ErrorParts parts = bad(text);
    EXPECT_EQ(parts.kind, ErrorKind::InvalidInput) << text << parts.message;
    EXPECT_NE(parts.message.find(message), std::string::npos) << parts.message;
  }
}

} // namespace
