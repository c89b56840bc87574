// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// VkScript's sections and commands, and how writes between dispatches are kept.
#include "oracles/input/CaseReader.h"
#include "support/Error.h"

#include <cstring>
#include <gtest/gtest.h>

using namespace llvm;
using namespace assay;

namespace {

const std::string shader = R"([compute shader]
#version 450
layout(set = 0, binding = 1) buffer A { int a[]; };
layout(set = 2, binding = 3) uniform B { vec4 b; };
layout(push_constant) uniform P { int p; };
void main() { a[0] = int(b.x) + p; }

)";

Expected<Case> read(const std::string &text) {
  return readCaseFromText(text, "t.shader_test", "t");
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

const Buffer &bufferNamed(const Case &input, StringRef name) {
  for (const Buffer &buffer : input.buffers)
    if (buffer.name == name)
      return buffer;
  ADD_FAILURE() << "no buffer " << name.str();
  static const Buffer none;
  return none;
}

int32_t intAt(const Buffer &buffer, size_t offset) {
  int32_t value = 0;
  if (offset + 4 <= buffer.bytes.size())
    std::memcpy(&value, buffer.bytes.data() + offset, 4);
  return value;
}

TEST(VkScriptReader, KeepsRequirementsAndDirectives) {
  Case result = good("# ASSAY: SUBGROUP_SIZES 64\n[require]\nshaderInt64\nrobustBufferAccess\n"
                     "VK_KHR_16bit_storage\nsubgroup_size 64\nfbsize 3 4\n\n" +
                     shader +
                     "[test]\nssbo 1 16\nubo 2:3 16\n# ASSAY: ADDRESS_OF ubo 2:3 IN ssbo "
                     "1 OFFSET 8 PLUS 4\ncompute 1 1 1\n");
  EXPECT_EQ(result.features, (std::vector<std::string>{"shaderInt64", "robustBufferAccess",
                                                       "VK_KHR_16bit_storage"}));
  EXPECT_EQ(result.subgroupSizes, std::vector<uint32_t>{64});
  const PipelineDescription &description = result.pipelines.at(0).description;
  EXPECT_EQ(description.getShader(ShaderStage::Compute).requiredSubgroupSize, 64u);
  EXPECT_EQ(description.robustness, Robustness::Access);
  ASSERT_EQ(result.addresses.size(), 1u);
  EXPECT_EQ(result.addresses[0].targetOffset, 4u);
  EXPECT_EQ(&bufferNamed(result, "ssbo 0:1"), &result.buffers[result.addresses[0].buffer]);
}

TEST(VkScriptReader, ReadsSectionsBuffersAndCommands) {
  Case result = good("# licence\n[require]\nshaderInt64\nfence_timeout 100\n\n" + shader +
                     "[test]\nssbo 1 16 # bytes\nssbo 0:1 subdata ivec2 8 -1 2\n"
                     "uniform ubo 2:3 vec4 0 1 2 3 4\npush int 0 5\n\ncompute 2 1 1\n"
                     "# a comment before the end\n"
                     "probe ssbo int 0:1 0 == 6 0 \\\n  -1 2\n");
  EXPECT_EQ(bufferNamed(result, "ssbo 0:1").bytes.size(), 16u);
  EXPECT_EQ(intAt(bufferNamed(result, "ssbo 0:1"), 8), -1);
  EXPECT_EQ(intAt(bufferNamed(result, "push"), 0), 5);
  ASSERT_EQ(result.pipelines.size(), 1u);
  ASSERT_EQ(result.pipelines[0].bindings.size(), 3u);
  EXPECT_EQ(result.pipelines[0].bindings[1].kind, BindingKind::Uniform);
  EXPECT_EQ(result.pipelines[0].bindings[1].set, 2u);
  EXPECT_EQ(result.pipelines[0].bindings[1].binding, 3u);
  ASSERT_EQ(result.commands.size(), 2u);
  EXPECT_EQ(std::get<Expectation>(result.commands[1]).values.size(), 4u);
  EXPECT_TRUE(result.unsupported.empty());
}

TEST(VkScriptReader, LaysValuesOutAsTheBufferHasThem) {
  Case result = good("[test]\nuniform ubo 1:0 float 0 1 2\nssbo 0 subdata vec3 0 1 2 3 4 5 6\n"
                     "ssbo layout std140\nssbo 1 subdata mat2 0 1 2 3 4\nubo layout std430\n"
                     "ubo 9 subdata int 4 3\nubo 8 subdata mat2 0 1 2 3 4\n");
  EXPECT_EQ(bufferNamed(result, "ubo 1:0").bytes.size(), 8u);
  EXPECT_EQ(bufferNamed(result, "ssbo 0:0").bytes.size(), 32u);
  EXPECT_EQ(intAt(bufferNamed(result, "ssbo 0:1"), 16), 0x40400000);
  EXPECT_EQ(intAt(bufferNamed(result, "ubo 0:8"), 8), 0x40400000);
  EXPECT_EQ(intAt(bufferNamed(result, "ubo 0:9"), 4), 3);
}

TEST(VkScriptReader, ReadsEveryComparison) {
  const std::pair<const char *, Comparator> rows[] = {
      {"==", Comparator::Eq}, {"!=", Comparator::Ne}, {"<", Comparator::Lt},
      {"<=", Comparator::Le}, {">", Comparator::Gt},  {">=", Comparator::Ge}};
  for (const auto &[name, comparator] : rows) {
    Case result = good(std::string("[test]\nssbo 3 8\nprobe ssbo uint 3 4 ") + name + " 7\n");
    ASSERT_EQ(result.commands.size(), 1u);
    const auto &expectation = std::get<Expectation>(result.commands[0]);
    EXPECT_EQ(expectation.comparator, comparator) << name;
    EXPECT_EQ(expectation.byteOffset, 4u);
    EXPECT_TRUE(expectation.tolerances.empty());
  }
}

TEST(VkScriptReader, KeepsTolerancesUntilTheNext) {
  Case result = good("[test]\nssbo 0 16\nprobe ssbo float 0 0 ~= 0\ntolerance 0.5\n"
                     "probe ssbo float 0 0 ~= 0\ntolerance 1 2% 3 4\nprobe ssbo vec2 0 0 ~= 0 0\n");
  ASSERT_EQ(result.commands.size(), 3u);
  EXPECT_EQ(std::get<Expectation>(result.commands[0]).tolerances.size(), 1u);
  EXPECT_EQ(std::get<Expectation>(result.commands[1]).tolerances.at(0).value, 0.5);
  const std::vector<Tolerance> &last = std::get<Expectation>(result.commands[2]).tolerances;
  ASSERT_EQ(last.size(), 2u);
  EXPECT_TRUE(last[1].percent);
}

TEST(VkScriptReader, GivesLaterWritesOfConstantsTheirOwnPipeline) {
  Case result = good(shader + "[test]\nssbo 1 4\nuniform ubo 2:3 vec4 0 0 0 0 0\nuniform int 0 1\n"
                              "compute 1 1 1\nuniform int 0 2\ncompute 1 1 1\ncompute 1 1 1\n"
                              "uniform ubo 2:3 float 0 9\ncompute 1 1 1\n");
  ASSERT_EQ(result.pipelines.size(), 3u);
  ASSERT_EQ(result.commands.size(), 4u);
  EXPECT_EQ(std::get<Dispatch>(result.commands[1]).pipeline, 1u);
  EXPECT_EQ(std::get<Dispatch>(result.commands[2]).pipeline, 1u);
  EXPECT_EQ(std::get<Dispatch>(result.commands[3]).pipeline, 2u);
  EXPECT_EQ(intAt(bufferNamed(result, "push"), 0), 1);
  EXPECT_EQ(intAt(bufferNamed(result, "push #1"), 0), 2);
  // The storage buffer is the same one throughout.
  EXPECT_EQ(result.pipelines[2].bindings[0].buffer, result.pipelines[0].bindings[0].buffer);
}

TEST(VkScriptReader, CopiesWholeLaterWritesOfStorage) {
  Case whole = good(shader + "[test]\nssbo 1 subdata int 0 1 2\ncompute 1 1 1\n"
                             "ssbo 1 subdata int 0 3 4\n");
  ASSERT_EQ(whole.commands.size(), 2u);
  const auto &copied = std::get<BufferCopy>(whole.commands[1]);
  EXPECT_EQ(intAt(whole.buffers[copied.source], 4), 4);
  EXPECT_EQ(intAt(whole.buffers[copied.destination], 4), 2);
  Case part = good(shader + "[test]\nssbo 1 subdata int 0 1 2\ncompute 1 1 1\n"
                            "ssbo 1 subdata int 4 4\n");
  EXPECT_TRUE(part.unsupported.empty());
  ASSERT_EQ(part.commands.size(), 2u);
  const auto &copiedPart = std::get<BufferCopy>(part.commands[1]);
  EXPECT_EQ(copiedPart.range, (CopyRange{0, 4, 4}));
  EXPECT_EQ(part.buffers[copiedPart.source].bytes, (std::vector<uint8_t>{4, 0, 0, 0}));
}

TEST(VkScriptReader, ClearsPaddingOfWholeElements) {
  std::string head = shader + "[test]\nssbo 1 subdata float 0 1 1 1 1 1 1 1 1 1 1\n"
                              "ssbo 1 subdata mat2x3 0 2 2 2 2 2 2\ncompute 1 1 1\n";
  Case result = good(head + "ssbo 1 subdata mat2x3 32 3 3 3 3 3 3\n");
  const Buffer &buffer = bufferNamed(result, "ssbo 0:1");
  EXPECT_EQ(intAt(buffer, 8), 0x40000000);
  EXPECT_EQ(intAt(buffer, 12), 0);
  EXPECT_EQ(intAt(buffer, 16), 0x40000000);
  EXPECT_EQ(intAt(buffer, 32), 0x3f800000);
  EXPECT_EQ(std::get<BufferCopy>(result.commands[1]).range, (CopyRange{0, 32, 32}));
  Case part = good(head + "ssbo 1 subdata mat2x3 32 3 3 3\n");
  ASSERT_EQ(part.unsupported.size(), 1u);
  EXPECT_NE(part.unsupported[0].reason.find("part of a matrix"), std::string::npos);
}

TEST(VkScriptReader, KeepsWritesBetweenProbesApart) {
  Case result = good("[test]\nssbo 1 subdata int 0 1 2\nprobe ssbo int 1 0 == 1 2\n"
                     "ssbo 1 subdata int 4 3\nssbo 1 subdata int 0 7\nprobe ssbo int 1 0 == 7 3\n");
  ASSERT_EQ(result.commands.size(), 4u);
  const auto &last = std::get<BufferCopy>(result.commands[2]);
  EXPECT_EQ(intAt(result.buffers[last.source], 0), 7);
  EXPECT_EQ(intAt(result.buffers[last.source], 4), 3);
  EXPECT_EQ(intAt(bufferNamed(result, "ssbo 0:1"), 4), 2);
}

const std::string assembly = "[compute shader spirv]\nOpCapability Shader\n"
                             "OpMemoryModel Logical GLSL450\n"
                             "OpEntryPoint GLCompute %one \"one\"\n"
                             "OpEntryPoint GLCompute %one \"main\"\n"
                             "OpExecutionMode %one LocalSize 1 1 1\n%void = OpTypeVoid\n"
                             "%fn = OpTypeFunction %void\n%one = OpFunction %void None %fn\n"
                             "%l1 = OpLabel\nOpReturn\nOpFunctionEnd\n";

TEST(VkScriptReader, ReadsAssemblyAndEntryPoints) {
  Case result = good(assembly + "[test]\ncompute 1 1 1\ncompute entrypoint one\ncompute 1 1 1\n");
  ASSERT_EQ(result.pipelines.size(), 2u);
  EXPECT_EQ(result.pipelines[0].description.getShader(ShaderStage::Compute).entryPoint, "main");
  EXPECT_EQ(result.pipelines[1].description.getShader(ShaderStage::Compute).entryPoint, "one");
  EXPECT_EQ(result.pipelines[0].description.getShader(ShaderStage::Compute).spirv[1], 0x00010000u);
  EXPECT_NE(bad(assembly + "[test]\ncompute entrypoint three\n").find("no compute entry point"),
            std::string::npos);
}

TEST(VkScriptReader, ReadsHexadecimalModules) {
  Case assembled = good(assembly + "[test]\ncompute 1 1 1\n");
  std::string hex = "[compute shader spirv hex]\n";
  for (uint32_t word : assembled.pipelines.at(0).description.getShader(ShaderStage::Compute).spirv)
    hex += utohexstr(word) + " ";
  Case result = good(hex + "\n[test]\ncompute 1 1 1\n");
  EXPECT_EQ(result.pipelines.at(0).description.getShader(ShaderStage::Compute).spirv,
            assembled.pipelines[0].description.getShader(ShaderStage::Compute).spirv);
}

TEST(VkScriptReader, SaysWhatIsBeyondIt) {
  Case result = good("[vertex shader passthrough]\n[require]\nframebuffer R8G8B8_UNORM\n[test]\n");
  ASSERT_EQ(result.unsupported.size(), 1u);
  EXPECT_EQ(result.unsupported[0].reason, "images of R8G8B8_UNORM (line 3)");
}

TEST(VkScriptReader, RefusesBrokenScripts) {
  const std::pair<const char *, const char *> rows[] = {
      {"[test\n", "expected ]"},
      {"[tests]\n", "unknown section"},
      {"[require]\nx\n", "no [test] section"},
      {"hello\n[test]\n", "expected a section"},
      {"[require]\nfbsize\n[test]\n", "a framebuffer's size"},
      {"[require]\na b\n[test]\n", "one feature or extension"},
      {"[require]\nsubgroup_size 12\n[test]\n", "no power of two"},
      {"[test]\nssbo 0 8\n# ASSAY: ADDRESS_OF ssbo 1 IN ssbo 0 OFFSET 0\n", "no such buffer"},
      {"[test]\nssbo 0 8\n# ASSAY: ADDRESS_OF 0 IN ssbo 0 OFFSET 0\n", "expected ssbo or ubo"},
      {"[compute shader]\n\n[test]\n", "the shader is empty"},
      {"[compute shader python]\nx\n[test]\n", "unknown kind of shader"},
      {"[compute shader spirv hex]\n07230203 zz\n[test]\n", "not a hexadecimal"},
      {"[compute shader spirv hex]\n1 2 3 4 5\n[test]\n", "no SPIR-V module"},
      {"[test]\nfly 1\n", "unknown command 'fly'"},
      {"[test]\ncompute 1 1\n", "expected a number of workgroups"},
      {"[test]\ncompute 1 1 1 1\n", "expected the end of the line"},
      {"[test]\ncompute 1 1 1\n", "compute without a compute shader"},
      {"[test]\ncompute -1 1 1\n", "unsigned number"},
      {"[test]\nssbo\n", "expected a binding"},
      {"[test]\nssbo a 4\n", "a binding"},
      {"[test]\nssbo 0:0:0 4\n", "a binding"},
      {"[test]\nssbo 0 0\n", "has no bytes"},
      {"[test]\nssbo 0 268435457\n", "is above"},
      {"[test]\nssbo 0 268435456\nssbo 1 4\n", "more than 256 MiB"},
      {"[test]\nssbo 0 subdata integer 0 1\n", "unknown data type"},
      {"[test]\nssbo 0 subdata int 2 1\n", "no multiple"},
      {"[test]\nssbo 0 subdata int 0\n", "expected values"},
      {"[test]\nssbo 0 subdata ivec2 0 1\n", "whole number of elements"},
      {"[test]\nssbo 0 subdata int 0 1.5\n", "is not an integer"},
      {"[test]\nssbo layout std555\n", "expected std140 or std430"},
      {"[test]\nprobe ssbo int 0 0 == 1\n", "unknown buffer 'ssbo 0:0'"},
      {"[test]\nssbo 0 4\nprobe ssbo int 0 4 == 1\n", "bytes 4 to 8"},
      {"[test]\nssbo 0 4\nprobe ssbo int 0 0 = 1\n", "unknown comparison"},
      {"[test]\nprobe pixels\n", "expected ssbo, rect"},
      {"[test]\ntolerance\n", "one or four tolerances"},
      {"[test]\ntolerance 1 2\n", "one or four tolerances"},
      {"[test]\npush int 256 1\n", "push constants"}};
  for (const auto &[text, message] : rows)
    EXPECT_NE(bad(text).find(message), std::string::npos) << text << bad(text);
}

TEST(VkScriptReader, RefusesASecondShader) {
  EXPECT_NE(bad(shader + shader + "[test]\n").find("already"), std::string::npos);
}

} // namespace
