// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/localize/Operations.h"

#include "compiler/spirv/Module.h"
#include "llvm/ADT/STLExtras.h"
#include <gmock/gmock.h>

using namespace llvm;
using namespace assay;

static constexpr const char *text = R"(
OpCapability Shader
OpCapability VariablePointers
OpExtension "SPV_KHR_variable_pointers"
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main" %id %first %second %kept %canvas
OpExecutionMode %main LocalSize 1 1 1
OpDecorate %id BuiltIn GlobalInvocationId
OpDecorate %block Block
OpMemberDecorate %block 0 Offset 0
OpDecorate %first DescriptorSet 0
OpDecorate %first Binding 0
OpDecorate %second DescriptorSet 0
OpDecorate %second Binding 1
OpDecorate %canvas DescriptorSet 0
OpDecorate %canvas Binding 2
%void = OpTypeVoid
%type = OpTypeFunction %void
%bool = OpTypeBool
%uint = OpTypeInt 32 0
%int = OpTypeInt 32 1
%vec3 = OpTypeVector %uint 3
%vec2 = OpTypeVector %int 2
%texel = OpTypeVector %uint 4
%block = OpTypeStruct %uint
%image = OpTypeImage %uint 2D 0 0 0 2 R32ui
%to_image = OpTypePointer UniformConstant %image
%to_vec3 = OpTypePointer Input %vec3
%to_block = OpTypePointer StorageBuffer %block
%to_word = OpTypePointer StorageBuffer %uint
%to_pointer = OpTypePointer Private %to_word
%id = OpVariable %to_vec3 Input
%first = OpVariable %to_block StorageBuffer
%second = OpVariable %to_block StorageBuffer
%kept = OpVariable %to_pointer Private
%canvas = OpVariable %to_image UniformConstant
%zero = OpConstant %uint 0
%one = OpConstant %uint 1
%place = OpConstantNull %vec2
%main = OpFunction %void None %type
%v30 = OpLabel
%v31 = OpLoad %vec3 %id
%v32 = OpCompositeExtract %uint %v31 0
%v33 = OpAccessChain %to_word %first %zero
%v34 = OpLoad %uint %v33
OpStore %kept %v33
%v35 = OpLoad %to_word %kept
%v36 = OpLoad %uint %v35
%v37 = OpISub %uint %v34 %v32
%v38 = OpAccessChain %to_word %second %zero
%v39 = OpAtomicIAdd %uint %v38 %one %zero %one
%v40 = OpLoad %image %canvas
%v41 = OpImageRead %texel %v40 %place
OpImageWrite %v40 %place %v41
OpStore %v33 %v37
%v42 = OpIEqual %bool %v37 %v36
OpSelectionMerge %v45 None
OpSwitch %v37 %v44 1 %v43
%v43 = OpLabel
OpBranch %v44
%v44 = OpLabel
OpBranch %v45
%v45 = OpLabel
OpReturn
OpFunctionEnd
)";

static fuzz::Program makeProgram() {
  return cantFail(fuzz::decode(cantFail(spirv::assemble(text))));
}

/// The value that instruction number \p number of \p opcode gives, from 0 on.
static fuzz::ProbePoint valueOf(const fuzz::Program &program, spv::Op opcode, unsigned number = 0) {
  fuzz::Id found = 0;
  forEachInstruction(program, [&](const fuzz::Instruction &each) {
    if (each.opcode == opcode && number-- == 0)
      found = each.result;
  });
  EXPECT_NE(found, 0u);
  return {fuzz::ProbeKind::Value, found};
}

static fuzz::ProbePoint blockOf(const fuzz::Program &program, size_t number) {
  return {fuzz::ProbeKind::Block, program.functions.front().blocks[number].label};
}

TEST(Operations, OfLoadsSayWhatTheyLoadFrom) {
  fuzz::Program program = makeProgram();
  ASSERT_FALSE(static_cast<bool>(spirv::validate(encode(program))));
  auto name = [&](unsigned load) {
    return describePoint(program, valueOf(program, spv::Op::OpLoad, load), {});
  };
  EXPECT_EQ(name(0), "OpLoad GlobalInvocationId");
  EXPECT_EQ(name(1), "OpLoad StorageBuffer");
  EXPECT_EQ(name(2), "OpLoad Private");
  EXPECT_EQ(name(3), "OpLoad Private") << "through a pointer that nobody has judged";
  EXPECT_EQ(findLoadedBuiltIn(program, valueOf(program, spv::Op::OpLoad, 0)),
            spv::BuiltIn::GlobalInvocationId);
  EXPECT_EQ(findLoadedBuiltIn(program, valueOf(program, spv::Op::OpLoad, 1)), std::nullopt);
}

TEST(Operations, OfWhatIsStoredAreWhatMakesIt) {
  EXPECT_EQ(describeStored(makeProgram()), "OpAtomicIAdd");
  auto describe = [](StringRef from, StringRef to) {
    std::string changed = text;
    size_t at = changed.find(from);
    EXPECT_NE(at, std::string::npos);
    changed.replace(at, from.size(), to);
    return describeStored(cantFail(fuzz::decode(cantFail(spirv::assemble(changed)))));
  };
  StringRef atomic = "%v39 = OpAtomicIAdd %uint %v38 %one %zero %one\n";
  EXPECT_EQ(describe(atomic, ""), "OpImageRead");
  EXPECT_EQ(describe(atomic, "OpStore %v38 %v37\n"), "OpISub");
  // Past what only passes.
  EXPECT_EQ(describe(atomic, "%c = OpCopyObject %uint %v37\nOpStore %v38 %c\n"), "OpISub");
  EXPECT_EQ(
      describe(atomic, "%c = OpBitcast %int %one\n%d = OpBitcast %uint %c\nOpStore %v38 %d\n"),
      "OpBitcast");
  EXPECT_EQ(describe(atomic, "OpStore %v38 %one\n"), "");
}

TEST(Operations, OfValuesLookPastWhatNobodyHasJudged) {
  fuzz::Program program = makeProgram();
  fuzz::ProbePoint sub = valueOf(program, spv::Op::OpISub);
  fuzz::Id word = valueOf(program, spv::Op::OpLoad, 1).id;
  fuzz::Id component = valueOf(program, spv::Op::OpCompositeExtract).id;
  EXPECT_EQ(describePoint(program, sub, {word, component}), "OpISub");
  EXPECT_EQ(describePoint(program, sub, {component}), "OpLoad StorageBuffer");
  EXPECT_EQ(describePoint(program, sub, {word}), "OpLoad GlobalInvocationId");
  EXPECT_EQ(describePoint(program, valueOf(program, spv::Op::OpImageRead), {}), "OpImageRead")
      << "an image has no value of its own";
}

TEST(Operations, OfAddressesReachWhatNoDescriptorIsOf) {
  fuzz::Program program = cantFail(fuzz::decode(cantFail(spirv::assemble(R"(
OpCapability PhysicalStorageBufferAddresses
OpMemoryModel PhysicalStorageBuffer64 GLSL450
OpEntryPoint GLCompute %main "main" %table
OpExecutionMode %main LocalSize 1 1 1
OpDecorate %array ArrayStride 4
OpMemberDecorate %Words 0 Offset 0
OpMemberDecorate %Table 0 Offset 0
OpDecorate %Table Block
OpDecorate %table DescriptorSet 0
OpDecorate %table Binding 0
%void = OpTypeVoid
%function = OpTypeFunction %void
%uint = OpTypeInt 32 0
%uint_0 = OpConstant %uint 0
%uint_2 = OpConstant %uint 2
%array = OpTypeArray %uint %uint_2
%Words = OpTypeStruct %array
%toWords = OpTypePointer PhysicalStorageBuffer %Words
%toWord = OpTypePointer PhysicalStorageBuffer %uint
%Table = OpTypeStruct %toWords
%toTable = OpTypePointer StorageBuffer %Table
%toPointer = OpTypePointer StorageBuffer %toWords
%table = OpVariable %toTable StorageBuffer
%main = OpFunction %void None %function
%begin = OpLabel
%entry = OpAccessChain %toPointer %table %uint_0
%words = OpLoad %toWords %entry
%word = OpAccessChain %toWord %words %uint_0 %uint_0
OpStore %word %uint_2 Aligned 4
OpReturn
OpFunctionEnd
)"))));
  Case input;
  input.pipelines.resize(1);
  input.pipelines.front().bindings.push_back({}); // Of buffer 0, to binding 0.
  EXPECT_EQ(findWrittenPlace(program, input, 1), "array");
  EXPECT_EQ(findWrittenPlace(program, input, 0), "") << "the table, which nothing writes";
}

TEST(Operations, OfFetchesSayWhetherTheLevelMatters) {
  auto words = spirv::assemble(R"(OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main"
OpExecutionMode %main LocalSize 1 1 1
OpDecorate %texels DescriptorSet 0
OpDecorate %texels Binding 0
%void = OpTypeVoid
%function = OpTypeFunction %void
%uint = OpTypeInt 32 0
%v2uint = OpTypeVector %uint 2
%v4uint = OpTypeVector %uint 4
%uint_0 = OpConstant %uint 0
%uint_1 = OpConstant %uint 1
%null = OpConstantNull %uint
%place = OpConstantComposite %v2uint %uint_0 %uint_0
%Image = OpTypeImage %uint 2D 0 0 0 1 Unknown
%toImage = OpTypePointer UniformConstant %Image
%texels = OpVariable %toImage UniformConstant
%main = OpFunction %void None %function
%begin = OpLabel
%image = OpLoad %Image %texels
%a = OpImageFetch %v4uint %image %place
%b = OpImageFetch %v4uint %image %place Lod %uint_0
%c = OpImageFetch %v4uint %image %place Lod %null
%d = OpImageFetch %v4uint %image %place Lod %uint_1
%component = OpCompositeExtract %uint %a 0
%e = OpImageFetch %v4uint %image %place Lod %component
OpReturn
OpFunctionEnd
)");
  fuzz::Program program = cantFail(fuzz::decode(cantFail(std::move(words))));
  std::vector<std::string> names;
  for (unsigned fetch = 0; fetch < 5; ++fetch)
    names.push_back(describePoint(program, valueOf(program, spv::Op::OpImageFetch, fetch), {}));
  EXPECT_THAT(names, testing::ElementsAre("OpImageFetch", "OpImageFetch", "OpImageFetch",
                                          "OpImageFetch level", "OpImageFetch level"));
}

TEST(Operations, OfBlocksAreTheBranchesThatDecide) {
  fuzz::Program program = makeProgram();
  EXPECT_EQ(describePoint(program, blockOf(program, 1), {}), "OpSwitch");
  EXPECT_EQ(describePoint(program, blockOf(program, 3), {}), "OpSwitch") << "where its parts meet";
  EXPECT_EQ(describePoint(program, blockOf(program, 0), {}), "OpBranch");
}

TEST(Operations, OfWritesAreThoseOfTheBuffer) {
  fuzz::Program program = makeProgram();
  Case input;
  input.pipelines.resize(1);
  for (uint32_t i = 0; i < 3; ++i) {
    BufferBinding binding;
    binding.buffer = binding.binding = i;
    input.pipelines.front().bindings.push_back(binding);
  }
  EXPECT_EQ(describeWrites(program, input, 0), "OpStore StorageBuffer");
  EXPECT_EQ(describeWrites(program, input, 1), "OpAtomicIAdd");
  EXPECT_EQ(describeWrites(program, input, 2), "OpImageWrite");
  EXPECT_EQ(describeWrites(program, input, 3), "OpAtomicIAdd") << "the first of what is written";
}

/// Blocks of arrays, matrices and members, and variables with and without anything written.
static constexpr const char *placesText = R"(
OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main" %data %kept %changed
OpExecutionMode %main LocalSize 1 1 1
OpDecorate %block Block
OpMemberDecorate %block 0 Offset 0
OpMemberDecorate %block 1 Offset 16
OpMemberDecorate %block 1 ColMajor
OpMemberDecorate %block 1 MatrixStride 16
OpMemberDecorate %block 2 Offset 64
OpDecorate %words ArrayStride 4
OpDecorate %data DescriptorSet 3
OpDecorate %data Binding 7
%void = OpTypeVoid
%type = OpTypeFunction %void
%uint = OpTypeInt 32 0
%float = OpTypeFloat 32
%vec3 = OpTypeVector %float 3
%mat3 = OpTypeMatrix %vec3 3
%words = OpTypeRuntimeArray %uint
%block = OpTypeStruct %uint %mat3 %words
%to_block = OpTypePointer StorageBuffer %block
%to_word = OpTypePointer StorageBuffer %uint
%to_float = OpTypePointer StorageBuffer %float
%to_private = OpTypePointer Private %uint
%zero = OpConstant %uint 0
%one = OpConstant %uint 1
%two = OpConstant %uint 2
%data = OpVariable %to_block StorageBuffer
%kept = OpVariable %to_private Private %one
%changed = OpVariable %to_private Private %one
%main = OpFunction %void None %type
%entry = OpLabel
%a = OpAccessChain %to_word %data %zero
%b = OpAccessChain %to_float %data %one %two %zero
%c = OpAccessChain %to_word %data %two %one
%0 = OpLoad %uint %a
%1 = OpLoad %float %b
%2 = OpLoad %uint %c
%3 = OpLoad %uint %kept
%4 = OpLoad %uint %changed
OpCopyMemory %changed %kept
OpStore %c %2
OpReturn
OpFunctionEnd
)";

TEST(Operations, OfBlocksSayWhatIsPlacedWhere) {
  fuzz::Program program = cantFail(fuzz::decode(cantFail(spirv::assemble(placesText))));
  ASSERT_FALSE(static_cast<bool>(spirv::validate(encode(program))));
  static constexpr StringLiteral places[] = {"member", "matrix", "array"};
  for (auto [number, place] : enumerate(places)) {
    std::optional<BlockLoad> load =
        findBlockLoad(program, valueOf(program, spv::Op::OpLoad, static_cast<unsigned>(number)));
    ASSERT_TRUE(load) << place.str();
    EXPECT_EQ(load->place, place.str());
    EXPECT_EQ(load->set, 3u);
    EXPECT_EQ(load->binding, 7u);
  }
  EXPECT_FALSE(findBlockLoad(program, valueOf(program, spv::Op::OpLoad, 3))) << "no block";
  Case input;
  BufferBinding binding;
  binding.set = 3;
  binding.binding = 7;
  input.pipelines.emplace_back().bindings.push_back(binding);
  EXPECT_EQ(findWrittenPlace(program, input, 0), "array");
  EXPECT_EQ(findWrittenPlace(program, input, 1), "");
}

TEST(Operations, OfVariablesThatNobodyWritesAreTheVariables) {
  fuzz::Program program = cantFail(fuzz::decode(cantFail(spirv::assemble(placesText))));
  EXPECT_EQ(describePoint(program, valueOf(program, spv::Op::OpLoad, 3), {}), "OpVariable Private");
  EXPECT_EQ(describePoint(program, valueOf(program, spv::Op::OpLoad, 4), {}), "OpLoad Private");
  auto isCopy = [](fuzz::ProbePoint point) { return point.kind == fuzz::ProbeKind::Copied; };
  std::vector<fuzz::ProbePoint> points = listProbePoints(program);
  auto copy = find_if(points, isCopy);
  ASSERT_NE(copy, points.end());
  EXPECT_EQ(describePoint(program, *copy, {}), "OpVariable Private");
}

TEST(Operations, OfAtomicsWhoseResultsAreOpenDecide) {
  std::string indexed = text;
  StringRef store = "OpStore %v33 %v37\n";
  size_t at = indexed.find(store.str());
  ASSERT_NE(at, std::string::npos);
  indexed.replace(at, store.size(),
                  "%v99 = OpAccessChain %to_word %first %v39\nOpStore %v99 %v37\n");
  fuzz::Program program = cantFail(fuzz::decode(cantFail(spirv::assemble(indexed))));
  fuzz::Id result = valueOf(program, spv::Op::OpAtomicIAdd).id;
  Case input;
  input.pipelines.emplace_back().bindings.emplace_back();
  EXPECT_EQ(describeTargetOrigin(program, input, 0, {}), "OpAtomicIAdd");
  EXPECT_EQ(describeTargetOrigin(program, input, 0, {result}), "");
  EXPECT_EQ(describeTargetOrigin(program, input, 1, {}), "") << "which nobody writes";
  EXPECT_EQ(describeOpenAtomic(program, {}), "OpAtomicIAdd");
  EXPECT_EQ(describeOpenAtomic(program, {result}), "");
}

/// A shader that ends in so many OpUnreachable, after a branch, then a switch.
static fuzz::Program makeUnreachable(bool afterBranch, bool afterSwitch) {
  auto end = [](bool isUnreachable) { return isUnreachable ? "OpUnreachable\n" : "OpReturn\n"; };
  std::string text = R"(
OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main"
OpExecutionMode %main LocalSize 1 1 1
%void = OpTypeVoid
%type = OpTypeFunction %void
%bool = OpTypeBool
%uint = OpTypeInt 32 0
%true = OpConstantTrue %bool
%zero = OpConstant %uint 0
%main = OpFunction %void None %type
%entry = OpLabel
OpSelectionMerge %after None
OpBranchConditional %true %after %never
%never = OpLabel
)";
  text += end(afterBranch);
  text += R"(%after = OpLabel
OpSelectionMerge %last None
OpSwitch %zero %default 1 %one
%default = OpLabel
OpReturn
%one = OpLabel
OpReturn
%last = OpLabel
)";
  text += end(afterSwitch);
  text += "OpFunctionEnd\n";
  return cantFail(fuzz::decode(cantFail(spirv::assemble(text))));
}

TEST(Operations, OfWhatIsUnreachableAreTheBranchesThatLeadThere) {
  EXPECT_EQ(describeUnreachable(makeUnreachable(true, false)), "OpBranchConditional");
  EXPECT_EQ(describeUnreachable(makeUnreachable(false, true)), "OpSwitch");
  EXPECT_EQ(describeUnreachable(makeUnreachable(true, true)), "") << "which?";
  EXPECT_EQ(describeUnreachable(makeUnreachable(false, false)), "");
}
