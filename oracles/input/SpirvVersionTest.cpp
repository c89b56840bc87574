// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which SPIR-V version assembly gets, and what messages say of it.
#include "oracles/input/SpirvVersion.h"
#include "oracles/input/CaseReader.h"
#include "support/Error.h"
#include <gtest/gtest.h>

using namespace llvm;
using namespace assay;

namespace {

/// A module whose entry point lists its storage buffer, which is right from 1.4 on only, or not,
/// which is right before 1.4 only.
std::string module(bool listsBuffer) {
  return std::string("OpCapability Shader\n"
                     "OpExtension \"SPV_KHR_storage_buffer_storage_class\"\n"
                     "OpMemoryModel Logical GLSL450\n"
                     "OpEntryPoint GLCompute %main \"main\"") +
         (listsBuffer ? " %b\n" : "\n") +
         "OpExecutionMode %main LocalSize 1 1 1\n"
         "OpDecorate %b DescriptorSet 0\n"
         "OpDecorate %b Binding 0\n"
         "OpDecorate %s Block\n"
         "OpMemberDecorate %s 0 Offset 0\n"
         "%void = OpTypeVoid\n"
         "%f = OpTypeFunction %void\n"
         "%u = OpTypeInt 32 0\n"
         "%zero = OpConstant %u 0\n"
         "%s = OpTypeStruct %u\n"
         "%p = OpTypePointer StorageBuffer %s\n"
         "%pu = OpTypePointer StorageBuffer %u\n"
         "%b = OpVariable %p StorageBuffer\n"
         "%main = OpFunction %void None %f\n"
         "%l = OpLabel\n"
         "%c = OpAccessChain %pu %b %zero\n"
         "OpStore %c %zero\n"
         "OpReturn\n"
         "OpFunctionEnd\n";
}

std::string amber(const std::string &head, bool listsBuffer, const std::string &options = "") {
  return "#!amber\n" + head + "SHADER compute s SPIRV-ASM" + options + "\n" + module(listsBuffer) +
         "END\nPIPELINE compute p\n  ATTACH s\nEND\n";
}

std::string vkScript(const std::string &require, bool listsBuffer) {
  return "[require]\n" + require + "\n[compute shader spirv]\n" + module(listsBuffer) +
         "\n[test]\ncompute 1 1 1\n";
}

struct Chosen {
  uint32_t version = 0;
  VersionChoice choice;
};

Chosen choose(const std::string &text, const char *path, StringRef environment = "") {
  Expected<ReadOptions> options = makeReadOptions(environment);
  EXPECT_TRUE(!!options);
  Expected<Case> result = readCaseFromText(text, path, "t", *options);
  EXPECT_TRUE(!!result) << toString(result.takeError());
  if (!result)
    return {};
  const CasePipeline &pipeline = result->pipelines.at(0);
  return {pipeline.description.getShader(ShaderStage::Compute).spirv[1], pipeline.version};
}

} // namespace

TEST(SpirvVersion, IsAmbersDefaultWhereNothingIsListed) {
  Chosen chosen = choose(amber("", false), "t.amber");
  EXPECT_EQ(chosen.version, 0x00010000u);
  EXPECT_EQ(chosen.choice.text,
            "SPIR-V 1.0, because it is Amber's default and the script lists nothing newer");
  EXPECT_FALSE(chosen.choice.isGuess);
}

TEST(SpirvVersion, IsWhatTheScriptLists) {
  Chosen chosen = choose(amber("DEVICE_EXTENSION VK_KHR_spirv_1_4\n", true), "t.amber");
  EXPECT_EQ(chosen.version, 0x00010400u);
  EXPECT_EQ(chosen.choice.text, "SPIR-V 1.4, because line 2 lists VK_KHR_spirv_1_4");
  EXPECT_TRUE(chosen.choice.isGuess);
  // The newest of several, after the shader, too.
  std::string later = amber("DEVICE_EXTENSION VK_KHR_spirv_1_4\n", true) +
                      "DEVICE_FEATURE Vulkan12Features.shaderInt8\n";
  EXPECT_EQ(choose(later, "t.amber").version, 0x00010500u);
  EXPECT_EQ(
      choose(amber("DEVICE_FEATURE Vulkan13Features.maintenance4\n", true), "t.amber").version,
      0x00010600u);
  EXPECT_EQ(choose(amber("DEVICE_FEATURE Vulkan11Features.multiview\n", false), "t.amber").version,
            0x00010300u);
  EXPECT_EQ(choose(amber("DEVICE_FEATURE shaderInt16\n", false), "t.amber").version, 0x00010000u);
}

TEST(SpirvVersion, IsOneThatSpirvValAccepts) {
  // Listed, but written for an older version.
  Chosen older = choose(amber("DEVICE_EXTENSION VK_KHR_spirv_1_4\n", false), "t.amber");
  EXPECT_EQ(older.version, 0x00010000u);
  // Not listed, but written for a newer one.
  Chosen newer = choose(amber("", true), "t.amber");
  EXPECT_EQ(newer.version, 0x00010600u);
  EXPECT_EQ(newer.choice.text,
            "SPIR-V 1.6, because it is the newest version that spirv-val accepts");
  // No version is right.
  std::string broken = amber("DEVICE_EXTENSION VK_KHR_spirv_1_4\n", true);
  broken.replace(broken.find("OpStore %c %zero"), 16, "OpStore %c %void");
  Chosen none = choose(broken, "t.amber");
  EXPECT_EQ(none.version, 0x00010400u);
  EXPECT_EQ(none.choice.text,
            "SPIR-V 1.4, because line 2 lists VK_KHR_spirv_1_4; spirv-val accepts "
            "no version from 1.0 to 1.6");
}

TEST(SpirvVersion, IsWhatTargetEnvSaysThenTheOption) {
  std::string listed = "DEVICE_EXTENSION VK_KHR_spirv_1_4\n";
  EXPECT_EQ(choose(amber(listed, true), "t.amber", "spv1.3").version, 0x00010300u);
  EXPECT_EQ(choose(amber(listed, true), "t.amber", "vulkan1.1spv1.4").version, 0x00010400u);
  Chosen said = choose(amber(listed, true, " TARGET_ENV \"vulkan1.2\""), "t.amber", "spv1.3");
  EXPECT_EQ(said.version, 0x00010500u);
  EXPECT_EQ(said.choice.text, "SPIR-V 1.5, because TARGET_ENV says so");
  EXPECT_EQ(choose(vkScript("", false), "t.shader_test", "spv1.1").version, 0x00010100u);
  EXPECT_EQ(choose(module(false), "t.spvasm", "spv1.2").version, 0x00010200u);
  EXPECT_EQ(choose("; Version: 1.3\n" + module(false), "t.spvasm", "spv1.2").version, 0x00010300u);
}

TEST(SpirvVersion, IsReadFromRequire) {
  Chosen chosen = choose(vkScript("shaderFloat64\nVK_KHR_spirv_1_4", true), "t.shader_test");
  EXPECT_EQ(chosen.version, 0x00010400u);
  EXPECT_EQ(chosen.choice.text, "SPIR-V 1.4, because line 3 lists VK_KHR_spirv_1_4");
  chosen = choose(vkScript("vulkan 1.2", true), "t.shader_test");
  EXPECT_EQ(chosen.version, 0x00010500u);
  EXPECT_EQ(chosen.choice.text, "SPIR-V 1.5, because line 2 requires Vulkan 1.2");
  EXPECT_EQ(choose(vkScript("", false), "t.shader_test").version, 0x00010000u);
}

TEST(SpirvVersion, OfAnUnknownEnvironmentIsAnError) {
  for (const char *name : {"spv1.7", "vulkan2.0", "opencl2.0", "1.3"}) {
    Expected<ReadOptions> options = makeReadOptions(name);
    ASSERT_FALSE(!!options) << name;
    ErrorParts parts = assay::takeError(options.takeError());
    EXPECT_EQ(parts.kind, ErrorKind::InvalidInput);
    EXPECT_NE(parts.message.find("unknown target environment"), std::string::npos);
  }
}
