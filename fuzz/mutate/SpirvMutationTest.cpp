// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fuzz/mutate/SpirvMutation.h"

#include "support/Error.h"

#include <gtest/gtest.h>

using namespace assay;

static const char *const shader = R"(
OpCapability Shader
%ext = OpExtInstImport "GLSL.std.450"
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main" %gid %buf
OpExecutionMode %main LocalSize 8 1 1
OpDecorate %gid BuiltIn GlobalInvocationId
OpDecorate %arr ArrayStride 4
OpDecorate %block Block
OpMemberDecorate %block 0 Offset 0
OpDecorate %buf DescriptorSet 0
OpDecorate %buf Binding 0
%void = OpTypeVoid
%fn = OpTypeFunction %void
%uint = OpTypeInt 32 0
%bool = OpTypeBool
%v3 = OpTypeVector %uint 3
%pv3 = OpTypePointer Input %v3
%pin = OpTypePointer Input %uint
%gid = OpVariable %pv3 Input
%arr = OpTypeRuntimeArray %uint
%block = OpTypeStruct %arr
%pblock = OpTypePointer StorageBuffer %block
%pu = OpTypePointer StorageBuffer %uint
%buf = OpVariable %pblock StorageBuffer
%c0 = OpConstant %uint 0
%c5 = OpConstant %uint 5
%main = OpFunction %void None %fn
%l = OpLabel
%px = OpAccessChain %pin %gid %c0
%x = OpLoad %uint %px
%less = OpULessThan %bool %x %c5
%sum = OpIAdd %uint %x %c5
%min = OpExtInst %uint %ext UMin %sum %c5
%sel = OpSelect %uint %less %sum %min
%po = OpAccessChain %pu %buf %c0 %x
OpStore %po %sel
OpReturn
OpFunctionEnd
)";

TEST(SpirvMutation, EachKindGivesValidDifferentModules) {
  auto words = spirv::assemble(shader);
  ASSERT_TRUE(bool(words));
  auto module = spirv::decode(*words);
  ASSERT_TRUE(bool(module));
  const std::pair<MutationKind, size_t> expected[] = {
      {MutationKind::Operator, 2}, {MutationKind::Comparison, 1}, {MutationKind::Index, 2}};
  for (auto [kind, count] : expected) {
    std::vector<Mutation> mutations = collectMutations(*module, kind);
    EXPECT_EQ(mutations.size(), count);
    for (const Mutation &mutation : mutations) {
      std::vector<uint32_t> mutated = applyMutation(*words, *module, mutation);
      EXPECT_NE(mutated, *words) << mutation.description;
      llvm::Error error = spirv::validate(mutated);
      bool failed = bool(error);
      EXPECT_FALSE(failed) << mutation.description
                           << (failed ? takeError(std::move(error)).message : "");
    }
  }
}
