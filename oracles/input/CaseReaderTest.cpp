// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which reader an input goes to, and shaders alone.
#include "oracles/input/CaseReader.h"
#include "compiler/spirv/Module.h"
#include "support/Error.h"
#include "support/File.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include <gtest/gtest.h>

using namespace llvm;
using namespace assay;

namespace {

const std::string glsl = "#version 450\nlayout(binding = 2) buffer B { uint b; };\n"
                         "void main() { b = 1; }\n";
const std::string assembly = "OpCapability Shader\nOpMemoryModel Logical GLSL450\n"
                             "OpEntryPoint GLCompute %f \"only\"\n"
                             "OpExecutionMode %f LocalSize 1 1 1\n%void = OpTypeVoid\n"
                             "%fn = OpTypeFunction %void\n%f = OpFunction %void None %fn\n"
                             "%l = OpLabel\nOpReturn\nOpFunctionEnd\n";

ErrorParts failure(Expected<Case> result) {
  if (!result)
    return assay::takeError(result.takeError());
  ADD_FAILURE() << "accepted";
  return {ErrorKind::Limit, ""};
}

std::optional<InputKind> kindOf(StringRef path, StringRef text) {
  Expected<InputKind> kind = detectInputKind(path, text);
  if (kind)
    return *kind;
  consumeError(kind.takeError());
  return std::nullopt;
}

TEST(CaseReader, KnowsKindsByExtension) {
  EXPECT_EQ(kindOf("a.spv", ""), InputKind::SpirvBinary);
  EXPECT_EQ(kindOf("a.spvasm", ""), InputKind::SpirvAssembly);
  EXPECT_EQ(kindOf("a.comp", ""), InputKind::Glsl);
  EXPECT_EQ(kindOf("a.vkscript", ""), InputKind::VkScript);
  EXPECT_EQ(kindOf("a.amber", "#!amber"), InputKind::Amber);
  EXPECT_EQ(kindOf("a.amber", "# x\n[test]"), InputKind::VkScript);
  EXPECT_EQ(kindOf("a.amber", ""), InputKind::Amber);
}

TEST(CaseReader, KnowsKindsByContent) {
  EXPECT_EQ(kindOf("-", StringRef("\x03\x02\x23\x07", 4)), InputKind::SpirvBinary);
  EXPECT_EQ(kindOf("x", "# c\n#!amber\n"), InputKind::Amber);
  EXPECT_EQ(kindOf("x", "\n[compute shader]\n"), InputKind::VkScript);
  EXPECT_EQ(kindOf("x", "\n#version 450\n"), InputKind::Glsl);
  EXPECT_EQ(kindOf("x", "; a test\n[Version]\nversion = 40\n"), InputKind::Pipe);
  EXPECT_EQ(kindOf("x", "; SPIR-V\nOpCapability Shader\n"), InputKind::SpirvAssembly);
  EXPECT_EQ(kindOf("x", "hello"), std::nullopt);
}

TEST(CaseReader, CallsOtherStagesUnsupported) {
  for (const char *path : {"a.geom", "a.tesc", "a.hlsl", "a.rgen"})
    EXPECT_EQ(failure(readCaseFromText("", path, "")).kind, ErrorKind::Unsupported) << path;
}

TEST(CaseReader, MakesOnePipelineOfAShader) {
  Expected<Case> result = readCaseFromText(glsl, "a.comp", "id");
  ASSERT_TRUE(!!result) << toString(result.takeError());
  EXPECT_EQ(result->id, "id");
  EXPECT_EQ(result->path, "a.comp");
  ASSERT_EQ(result->pipelines.size(), 1u);
  EXPECT_TRUE(result->buffers.empty() && result->commands.empty() && result->unsupported.empty());
  EXPECT_EQ(result->pipelines[0].description.getShader(ShaderStage::Compute).spirv[1], 0x00010600u);
  EXPECT_NE(result->pipelines[0].description.layout.find(0, 2), nullptr);
}

TEST(CaseReader, TakesTheOnlyEntryPointAndTheWrittenVersion) {
  Expected<Case> result = readCaseFromText("; SPIR-V\n; Version: 1.3\n" + assembly, "a.spvasm", "");
  ASSERT_TRUE(!!result) << toString(result.takeError());
  EXPECT_EQ(result->pipelines[0].description.getShader(ShaderStage::Compute).entryPoint, "only");
  EXPECT_EQ(result->pipelines[0].description.getShader(ShaderStage::Compute).spirv[1], 0x00010300u);
}

TEST(CaseReader, TakesTheNewestVersionUnderWhichAssemblyIsValid) {
  auto versionOf = [](const std::string &text) {
    Expected<Case> result = readCaseFromText(text, "a.spvasm", "");
    if (result)
      return result->pipelines[0].description.getShader(ShaderStage::Compute).spirv[1];
    ADD_FAILURE() << toString(result.takeError());
    return 0u;
  };
  EXPECT_EQ(versionOf(assembly), 0x00010600u);
  // BufferBlock is gone since 1.4.
  std::string old = "OpCapability Shader\nOpMemoryModel Logical GLSL450\n"
                    "OpEntryPoint GLCompute %f \"f\"\nOpExecutionMode %f LocalSize 1 1 1\n"
                    "OpDecorate %s BufferBlock\nOpMemberDecorate %s 0 Offset 0\n"
                    "OpDecorate %b DescriptorSet 0\nOpDecorate %b Binding 0\n"
                    "%void = OpTypeVoid\n%fn = OpTypeFunction %void\n%uint = OpTypeInt 32 0\n"
                    "%s = OpTypeStruct %uint\n%p = OpTypePointer Uniform %s\n"
                    "%b = OpVariable %p Uniform\n%f = OpFunction %void None %fn\n"
                    "%l = OpLabel\nOpReturn\nOpFunctionEnd\n";
  EXPECT_EQ(versionOf(old), 0x00010300u);
  // Valid as nothing: the newest, whose faults are told later.
  EXPECT_EQ(versionOf(old + "%g = OpFunction %void None %fn\n%m = OpLabel\nOpReturn\n"
                            "OpFunctionEnd\n%h = OpFunction %uint None %fn\n%n = OpLabel\n"
                            "OpReturn\nOpFunctionEnd\n"),
            0x00010600u);
}

TEST(CaseReader, ReadsBinariesOfBothByteOrders) {
  Expected<std::vector<uint32_t>> words = spirv::assemble(assembly);
  ASSERT_TRUE(!!words) << toString(words.takeError());
  std::string little;
  std::string big;
  for (uint32_t word : *words)
    for (int i = 0; i < 4; ++i) {
      little += static_cast<char>(word >> (8 * i));
      big += static_cast<char>(word >> (24 - 8 * i));
    }
  for (const std::string &bytes : {little, big}) {
    Expected<Case> result = readCaseFromText(bytes, "a.spv", "");
    ASSERT_TRUE(!!result) << toString(result.takeError());
    EXPECT_EQ(result->pipelines[0].description.getShader(ShaderStage::Compute).spirv, *words);
  }
}

TEST(CaseReader, RefusesBrokenShaders) {
  for (const auto &[path, text] :
       {std::pair<const char *, std::string>{"a.spv", ""},
        {"a.spv", "abc"},
        {"a.spv", std::string(20, '\0')},
        {"a.spvasm", "OpCapability"},
        {"a.spvasm", ""},
        {"a.spvasm", "OpCapability Shader\n"},
        {"a.comp", ""},
        {"a.comp", "#version 450\nvoid main() { x }\n"},
        {"a.comp", "#version 450\nvoid f() {}\n"},
        {"a.comp", std::string("#version 450\0void", 17)},
        {"a.comp", "#version 450\n#extension GL_GOOGLE_include_directive : require\n"
                   "#include \"/etc/passwd\"\nvoid main() {}\n"}}) {
    ErrorParts parts = failure(readCaseFromText(text, path, ""));
    EXPECT_EQ(parts.kind, ErrorKind::InvalidInput) << path << ": " << text;
    EXPECT_TRUE(StringRef(parts.message).starts_with(path)) << parts.message;
  }
}

/// glslang would write pages to stdout.
TEST(CaseReader, RefusesGlslOlderThanComputeShaders) {
  for (const char *version :
       {"#version 110", " # version 140", "// a\n#/* b */version /* c */ 120 es",
        "#ver\\\nsion 130", "void f() {}\n#version 110", "#version 300 es"}) {
    testing::internal::CaptureStdout();
    ErrorParts parts =
        failure(readCaseFromText(std::string(version) + "\nvoid main() {}\n", "a.comp", ""));
    EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
    EXPECT_NE(parts.message.find("has no compute shaders for Vulkan: the first is 420, of ES 310"),
              std::string::npos)
        << parts.message;
  }
  Expected<Case> fine = readCaseFromText("// #version 110\n" + glsl, "a.comp", "");
  EXPECT_TRUE(!!fine) << toString(fine.takeError());
}

TEST(CaseReader, DrawsWithAFragmentShaderThatIsAlone) {
  std::string fragment = "OpCapability Shader\nOpMemoryModel Logical GLSL450\n"
                         "OpEntryPoint Fragment %f \"main\"\n"
                         "OpExecutionMode %f OriginUpperLeft\n" +
                         assembly.substr(assembly.find("%void"));
  for (const auto &[path, text] : {std::pair<const char *, std::string>{"a.spvasm", fragment},
                                   {"a.frag", "#version 450\nvoid main() {}\n"}}) {
    Expected<Case> result = readCaseFromText(text, path, "");
    ASSERT_TRUE(!!result) << path << ": " << toString(result.takeError());
    const PipelineDescription &pipeline = result->pipelines.at(0).description;
    EXPECT_TRUE(pipeline.find(ShaderStage::Vertex)) << path;
    EXPECT_TRUE(pipeline.find(ShaderStage::Fragment)) << path;
    EXPECT_FALSE(pipeline.find(ShaderStage::Compute)) << path;
    EXPECT_TRUE(result->commands.empty()) << path;
  }
}

TEST(CaseReader, CallsModulesOfOtherStagesUnsupported) {
  std::string geometry = "OpCapability Geometry\nOpMemoryModel Logical GLSL450\n"
                         "OpEntryPoint Geometry %f \"main\"\n"
                         "OpExecutionMode %f Triangles\nOpExecutionMode %f Invocations 1\n"
                         "OpExecutionMode %f OutputTriangleStrip\n"
                         "OpExecutionMode %f OutputVertices 3\n" +
                         assembly.substr(assembly.find("%void"));
  ErrorParts parts = failure(readCaseFromText(geometry, "a.spvasm", ""));
  EXPECT_EQ(parts.kind, ErrorKind::Unsupported);
  EXPECT_NE(parts.message.find("geometry shaders"), std::string::npos) << parts.message;
}

TEST(CaseReader, SaysThatAFileIsMissing) {
  EXPECT_EQ(failure(readCase("/no/such/file.amber", "x")).kind, ErrorKind::Environment);
}

TEST(CaseReader, ReadsFilesBesideTheScript) {
  SmallString<128> folder;
  ASSERT_FALSE(sys::fs::createUniqueDirectory("assay-input", folder));
  auto path = [&](StringRef name) { return (folder + "/" + name).str(); };
  cantFail(writeFile(path("s.comp"), StringRef(glsl)));
  cantFail(writeFile(path("data.bin"), StringRef("\1\0\0\0\2\0\0\0", 8)));
  cantFail(writeFile(path("data.txt"), StringRef("3 # three\n4\n")));
  cantFail(writeFile(path("t.amber"),
                     StringRef("#!amber\nSHADER compute s GLSL FILE s.comp\n"
                               "BUFFER b DATA_TYPE uint32 SIZE 2 FILE BINARY data.bin\n"
                               "BUFFER t DATA_TYPE uint32 SIZE 2 FILE TEXT data.txt\n"
                               "PIPELINE compute p\nATTACH s\nEND\n"
                               "SHADER compute k SPIRV-BIN FILE k.spv\n"
                               "PIPELINE compute q\nATTACH k ENTRY_POINT only\nEND\n")));
  Expected<std::vector<uint32_t>> words = spirv::assemble(assembly);
  ASSERT_TRUE(!!words) << toString(words.takeError());
  cantFail(writeFile(path("k.spv"),
                     StringRef(reinterpret_cast<const char *>(words->data()), words->size() * 4)));
  Expected<Case> result = readCase(path("t.amber"), "t");
  ASSERT_TRUE(!!result) << toString(result.takeError());
  EXPECT_EQ(result->buffers.at(0).bytes.at(4), 2);
  EXPECT_EQ(result->buffers.at(1).bytes.at(4), 4);
  EXPECT_EQ(result->pipelines.at(1).description.getShader(ShaderStage::Compute).spirv, *words);
  sys::fs::remove_directories(folder);
}

} // namespace
