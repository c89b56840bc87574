// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/spirv/Module.h"
#include "compiler/spirv/Capabilities.h"
#include "compiler/spirv/ResourceInterface.h"
#include "support/Error.h"

#include <array>
#include <gtest/gtest.h>

using namespace assay;
namespace sp = assay::spirv;

static const char *const saxpy = R"(
OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main" %ssbo %pc
OpExecutionMode %main LocalSize 4 1 1
OpName %main "entry"
OpDecorate %arr ArrayStride 4
OpDecorate %block Block
OpMemberDecorate %block 0 Offset 16
OpDecorate %ssbo DescriptorSet 1
OpDecorate %ssbo Binding 3
OpDecorate %pcblock Block
OpMemberDecorate %pcblock 0 Offset 4
OpMemberDecorate %pcblock 1 Offset 16
OpMemberDecorate %pcblock 1 MatrixStride 16
OpMemberDecorate %pcblock 1 ColMajor
%void = OpTypeVoid
%fn = OpTypeFunction %void
%uint = OpTypeInt 32 0
%float = OpTypeFloat 32
%v3 = OpTypeVector %float 3
%mat = OpTypeMatrix %v3 2
%arr = OpTypeRuntimeArray %uint
%block = OpTypeStruct %arr
%pblock = OpTypePointer StorageBuffer %block
%ssbo = OpVariable %pblock StorageBuffer
%pcblock = OpTypeStruct %uint %mat
%ppc = OpTypePointer PushConstant %pcblock
%pc = OpVariable %ppc PushConstant
%true_t = OpTypeBool
%true = OpConstantTrue %true_t
%main = OpFunction %void None %fn
%entry = OpLabel
OpSelectionMerge %end None
OpBranchConditional %true %then %end
%then = OpLabel
OpBranch %end
%end = OpLabel
OpReturn
OpFunctionEnd
)";

static sp::Module decodeText(const char *text) {
  auto words = sp::assemble(text);
  EXPECT_TRUE(bool(words)) << (words ? "" : takeError(words.takeError()).message);
  auto module = sp::decode(*words);
  EXPECT_TRUE(bool(module)) << (module ? "" : takeError(module.takeError()).message);
  return std::move(*module);
}

TEST(Capabilities, TellWhetherSubgroupsMatter) {
  auto uses = [](std::string before) {
    auto words = sp::assemble((before + saxpy).c_str());
    EXPECT_TRUE(bool(words));
    return words && sp::usesSubgroups(*words);
  };
  EXPECT_FALSE(uses(""));
  EXPECT_FALSE(uses("OpCapability Int64\n"));
  EXPECT_TRUE(uses("OpCapability Int64\nOpCapability GroupNonUniformVote\n"));
  EXPECT_TRUE(uses("OpCapability SubgroupBallotKHR\n"));
}

TEST(SpirvModule, DecodesStructure) {
  sp::Module module = decodeText(saxpy);
  ASSERT_EQ(module.entryPoints.size(), 1u);
  EXPECT_EQ(module.entryPoints[0].name, "main");
  EXPECT_EQ(module.entryPoints[0].interface.size(), 2u);
  ASSERT_EQ(module.executionModes.size(), 1u);
  EXPECT_EQ(module.executionModes[0].operands[0], 4u);
  ASSERT_EQ(module.functions.size(), 1u);
  ASSERT_EQ(module.functions[0].blocks.size(), 3u);
  const sp::Block &entry = module.functions[0].blocks[0];
  ASSERT_TRUE(entry.merge.has_value());
  EXPECT_FALSE(entry.merge->isLoop);
  EXPECT_EQ(entry.merge->mergeBlock, module.functions[0].blocks[2].label);
  EXPECT_EQ(entry.terminator().opcode, spv::Op::OpBranchConditional);
  EXPECT_EQ(module.name(module.functions[0].id), "entry");
}

TEST(SpirvModule, CollectsResources) {
  sp::Module module = decodeText(saxpy);
  auto resources = sp::collectResources({module, {}});
  ASSERT_TRUE(bool(resources));
  ASSERT_EQ(resources->bindings.size(), 1u);
  EXPECT_EQ(resources->bindings[0].set, 1u);
  EXPECT_EQ(resources->bindings[0].binding, 3u);
  EXPECT_EQ(resources->pushConstantBytes, 16u + 16 + 12);
  auto layout = sp::layoutFor(module);
  ASSERT_TRUE(bool(layout));
  EXPECT_EQ(layout->pushConstantDwords, 11u);
  ASSERT_EQ(layout->tables.size(), 1u);
  EXPECT_EQ(layout->tables[0].userDataEntry, 11u);
  EXPECT_EQ(layout->tables[0].sizeInDwords, 4u);
}

TEST(SpirvModule, ValidatesByRule) {
  auto words = sp::assemble(saxpy);
  ASSERT_TRUE(bool(words));
  EXPECT_FALSE(bool(sp::validate(*words)));
  // Without OpMemoryModel (three words after capability) the module breaks a rule.
  words->erase(words->begin() + 7, words->begin() + 10);
  auto error = sp::validate(*words);
  ASSERT_TRUE(bool(error));
  EXPECT_EQ(takeError(std::move(error)).kind, ErrorKind::InvalidInput);
}

TEST(SpirvModule, RejectsEveryTruncation) {
  auto words = sp::assemble(saxpy);
  ASSERT_TRUE(bool(words));
  for (size_t size = 0; size < words->size(); ++size) {
    auto module = sp::decode(llvm::ArrayRef(*words).take_front(size));
    if (!module)
      EXPECT_EQ(takeError(module.takeError()).kind, ErrorKind::InvalidInput) << size;
  }
}

TEST(SpirvModule, SurvivesFlippedWords) {
  auto words = sp::assemble(saxpy);
  ASSERT_TRUE(bool(words));
  uint64_t state = 1;
  for (int round = 0; round < 20000; ++round) {
    std::vector<uint32_t> copy = *words;
    for (int flips = 0; flips < 2; ++flips) {
      state = state * 6364136223846793005u + 1442695040888963407u;
      copy[(state >> 33) % copy.size()] ^= 1u << ((state >> 20) & 31);
    }
    auto module = sp::decode(copy);
    if (!module) {
      takeError(module.takeError());
      continue;
    }
    if (auto resources = sp::collectResources({*module, {}}); !resources)
      takeError(resources.takeError());
  }
}

TEST(SpirvModule, KnowsTerminatorsOfOtherStages) {
  const std::array<const char *, 3> ends[] = {
      {"OpCapability MeshShadingEXT\nOpExtension \"SPV_EXT_mesh_shader\"", "TaskEXT",
       "OpEmitMeshTasksEXT %one %one %one"},
      {"OpCapability RayTracingKHR\nOpExtension \"SPV_KHR_ray_tracing\"", "AnyHitKHR",
       "OpIgnoreIntersectionKHR"},
      {"OpCapability RayTracingKHR\nOpExtension \"SPV_KHR_ray_tracing\"", "AnyHitKHR",
       "OpTerminateRayKHR"}};
  for (const auto &[start, stage, end] : ends) {
    std::string text = std::string(start) + "\nOpMemoryModel Logical GLSL450\nOpEntryPoint " +
                       stage + " %main \"main\"" + R"(
%void = OpTypeVoid
%fn = OpTypeFunction %void
%uint = OpTypeInt 32 0
%one = OpConstant %uint 1
%main = OpFunction %void None %fn
%entry = OpLabel
)" + end + "\nOpFunctionEnd\n";
    sp::Module module = decodeText(text.c_str());
    EXPECT_EQ(module.functions.size(), 1u) << end;
  }
}

TEST(SpirvModule, UnknownOpcodeIsUnsupported) {
  auto words = sp::assemble(saxpy);
  ASSERT_TRUE(bool(words));
  words->insert(words->begin() + 5, (1u << 16) | 9999u);
  auto module = sp::decode(*words);
  ASSERT_FALSE(bool(module));
  ErrorParts parts = takeError(module.takeError());
  EXPECT_EQ(parts.kind, ErrorKind::Unsupported);
  EXPECT_NE(parts.message.find("spirv-tools"), std::string::npos);
}

TEST(SpirvModule, UnknownNamesInTextAreUnsupported) {
  for (const char *line :
       {"OpCapability QuiteNew", "OpExecutionMode %main MaximallyReconvergesNEW",
        "OpDecorate %x QuiteNew", "OpDecorate %x BuiltIn QuiteNew", "OpQuiteNew"}) {
    auto words = sp::assemble(line);
    ASSERT_FALSE(bool(words)) << line;
    ErrorParts parts = takeError(words.takeError());
    EXPECT_EQ(parts.kind, ErrorKind::Unsupported) << line;
    EXPECT_NE(parts.message.find("spirv-tools"), std::string::npos) << parts.message;
  }
}

TEST(SpirvModule, ForwardPointerClosesACircle) {
  auto words = sp::assemble(R"(
OpCapability Shader
OpCapability PhysicalStorageBufferAddresses
OpMemoryModel PhysicalStorageBuffer64 GLSL450
OpEntryPoint GLCompute %main "main"
OpExecutionMode %main LocalSize 1 1 1
OpMemberDecorate %node 0 Offset 0
OpDecorate %node Block
%void = OpTypeVoid
%fn = OpTypeFunction %void
OpTypeForwardPointer %pnode PhysicalStorageBuffer
%node = OpTypeStruct %pnode
%pnode = OpTypePointer PhysicalStorageBuffer %node
%main = OpFunction %void None %fn
%entry = OpLabel
OpReturn
OpFunctionEnd
)");
  ASSERT_TRUE(bool(words));
  auto module = sp::decode(*words);
  ASSERT_TRUE(bool(module)) << takeError(module.takeError()).message;
  auto isStruct = [&](const sp::Instruction &global) {
    return global.opcode == spv::Op::OpTypeStruct;
  };
  auto node = std::find_if(module->globals.begin(), module->globals.end(), isStruct);
  ASSERT_NE(node, module->globals.end());
  const sp::Type &pointer = module->type(module->type(node->resultId).members[0]);
  EXPECT_EQ(pointer.kind, sp::TypeKind::Pointer);
  EXPECT_EQ(pointer.element, node->resultId);
}

TEST(SpirvModule, NamesEnumerants) {
  EXPECT_EQ(sp::builtInName(spv::BuiltIn::SubgroupSize), "SubgroupSize");
  EXPECT_EQ(sp::builtInName(static_cast<spv::BuiltIn>(99999)), "99999");
  EXPECT_EQ(sp::storageClassName(spv::StorageClass::UniformConstant), "UniformConstant");
  EXPECT_EQ(sp::executionModeName(spv::ExecutionMode::Xfb), "Xfb");
  EXPECT_EQ(sp::executionModeName(spv::ExecutionMode::OutputVertices), "OutputVertices");
  EXPECT_EQ(sp::executionModeName(spv::ExecutionMode::LocalSize), "LocalSize");
  EXPECT_EQ(sp::executionModeName(static_cast<spv::ExecutionMode>(99999)), "99999");
  EXPECT_EQ(sp::storageClassName(static_cast<spv::StorageClass>(99999)), "99999");
}

TEST(SpirvModule, WordsFromBytesChecksMagicAndSize) {
  std::vector<uint8_t> bytes(20, 0);
  for (const std::vector<uint8_t> &bad : {std::vector<uint8_t>(19, 0), bytes}) {
    auto words = sp::wordsFromBytes(bad);
    ASSERT_FALSE(bool(words));
    EXPECT_EQ(takeError(words.takeError()).kind, ErrorKind::InvalidInput);
  }
  bytes[0] = 7, bytes[1] = 0x23, bytes[2] = 2, bytes[3] = 3; // big endian
  auto words = sp::wordsFromBytes(bytes);
  ASSERT_TRUE(bool(words));
  EXPECT_EQ((*words)[0], 0x07230203u);
}

TEST(SpirvModule, RefusesIdsBeyondTheBound) {
  constexpr size_t BoundWord = 3;
  auto words = sp::assemble(saxpy);
  ASSERT_TRUE(bool(words));
  (*words)[BoundWord] = 3;
  auto module = sp::decode(*words);
  ASSERT_FALSE(bool(module));
  EXPECT_NE(takeError(module.takeError()).message.find("not below the bound 3"), std::string::npos);

  (*words)[BoundWord] = 0xffffffff;
  for (uint32_t &word : *words)
    if (word == 0x00040015) // OpTypeInt
      (&word)[1] = 0xffffffff;
  module = sp::decode(*words);
  ASSERT_FALSE(bool(module));
  EXPECT_EQ(takeError(module.takeError()).kind, ErrorKind::InvalidInput);
}

/// A compute shader whose OpSource says \p language.
static std::string textOfLanguage(llvm::StringRef language) {
  return ("OpCapability Shader\nOpMemoryModel Logical GLSL450\n"
          "OpEntryPoint GLCompute %main \"main\"\nOpExecutionMode %main LocalSize 1 1 1\n"
          "%file = OpString \"a.slang\"\n  OpSource " +
          language +
          " 1 %file \"code\"\n%void = OpTypeVoid\n%fn = OpTypeFunction %void\n"
          "%main = OpFunction %void None %fn\n%start = OpLabel\nOpReturn\nOpFunctionEnd\n")
      .str();
}

TEST(SpirvModule, ReadsSourceOfUnknownLanguages) {
  std::vector<uint32_t> words = cantFail(sp::assemble(textOfLanguage("GLSL")));
  auto isSource = [](uint32_t word) { return (word & 0xffff) == uint32_t(spv::Op::OpSource); };
  auto source = std::find_if(words.begin(), words.end(), isSource);
  ASSERT_NE(source, words.end());
  for (uint32_t language : {11u, 63u, 64u, 0xffffffffu}) {
    source[1] = language;
    EXPECT_TRUE(bool(sp::decode(words))) << language;
    EXPECT_FALSE(bool(sp::validate(words))) << language;
    EXPECT_NE(cantFail(sp::disassemble(words)).find("OpSource Unknown 1"), std::string::npos);
    EXPECT_EQ(source[1], language);
  }
  source[1] = uint32_t(spv::SourceLanguage::HLSL);
  EXPECT_NE(cantFail(sp::disassemble(words)).find("OpSource HLSL 1"), std::string::npos);
}

TEST(SpirvModule, AssemblesSourceOfUnknownLanguages) {
  auto words = sp::assemble(textOfLanguage("Newest_1"));
  ASSERT_TRUE(bool(words)) << takeError(words.takeError()).message;
  EXPECT_NE(cantFail(sp::disassemble(*words)).find("OpSource Unknown 1"), std::string::npos);
  EXPECT_NE(cantFail(sp::disassemble(cantFail(sp::assemble(textOfLanguage("HLSL")))))
                .find("OpSource HLSL 1"),
            std::string::npos);
  // The text before, between and after them stays as it is, and other errors keep their place.
  auto two = sp::assemble("OpCapability Shader OpMemoryModel Logical GLSL450\n"
                          "%text = OpString \"\n OpSource Foo 1\n\"\n"
                          "OpSource HLSL 1 OpSource Slang 1\nOpSource Newest 2\n");
  ASSERT_TRUE(bool(two)) << takeError(two.takeError()).message;
  std::string text = cantFail(sp::disassemble(*two));
  EXPECT_NE(text.find("OpSource Foo 1"), std::string::npos) << text;
  EXPECT_NE(text.find("OpSource HLSL 1"), std::string::npos) << text;
  EXPECT_NE(text.find("OpSource Unknown 1"), std::string::npos) << text;
  EXPECT_NE(text.find("OpSource Unknown 2"), std::string::npos) << text;
  auto broken = sp::assemble(textOfLanguage("Newest") + "OpNothing\n");
  ASSERT_FALSE(bool(broken));
  EXPECT_NE(takeError(broken.takeError()).message.find("OpNothing"), std::string::npos);
}
