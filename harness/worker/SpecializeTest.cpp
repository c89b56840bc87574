// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/worker/Specialize.h"

#include "compiler/spirv/Module.h"
#include "support/Error.h"
#include <gtest/gtest.h>

using namespace llvm;
using namespace assay;

static constexpr StringRef moduleText = R"(
OpCapability Shader
OpCapability Int16
OpCapability Int64
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main"
OpExecutionMode %main LocalSize 1 1 1
OpDecorate %yes SpecId 0
OpDecorate %no SpecId 1
OpDecorate %short SpecId 2
OpDecorate %unsigned SpecId 3
OpDecorate %long SpecId 4
OpDecorate %other SpecId 5
%void = OpTypeVoid
%fn = OpTypeFunction %void
%bool = OpTypeBool
%i16 = OpTypeInt 16 1
%u16 = OpTypeInt 16 0
%i64 = OpTypeInt 64 1
%yes = OpSpecConstantTrue %bool
%no = OpSpecConstantFalse %bool
%short = OpSpecConstant %i16 1
%unsigned = OpSpecConstant %u16 2
%long = OpSpecConstant %i64 3
%other = OpSpecConstant %i64 4
%main = OpFunction %void None %fn
%entry = OpLabel
OpReturn
OpFunctionEnd
)";

TEST(SpecializeDefaults, SetsEachKindOfConstant) {
  ShaderDescription shader;
  shader.spirv = cantFail(spirv::assemble(moduleText));
  EXPECT_EQ(specializeDefaults(shader), shader.spirv);
  shader.specialization = {{0, 0}, {1, 1}, {2, 0xfffe}, {3, 0xfffe}, {4, 0x8000000000000007},
                           {9, 1}};
  std::string text = cantFail(spirv::disassemble(specializeDefaults(shader)));
  for (StringRef part : {"OpSpecConstantFalse %bool\n", "OpSpecConstantTrue %bool\n",
                         "OpSpecConstant %short -2\n", "OpSpecConstant %ushort 65534\n",
                         "OpSpecConstant %long -9223372036854775801\n", "OpSpecConstant %long 4\n"})
    EXPECT_NE(text.find(part), std::string::npos) << part.str() << text;
  EXPECT_LT(text.find("OpSpecConstantFalse"), text.find("OpSpecConstantTrue"));
  EXPECT_FALSE(errorToBool(spirv::validate(specializeDefaults(shader))));
}

TEST(SpecializeDefaults, LeavesWhatIsNoModule) {
  ShaderDescription shader;
  shader.specialization = {{0, 1}};
  for (std::vector<uint32_t> words :
       {std::vector<uint32_t>{}, {1, 2, 3}, {0, 0, 0, 0, 0, 0}, {0, 0, 0, 0, 0, 0x90032, 1}}) {
    shader.spirv = words;
    EXPECT_EQ(specializeDefaults(shader), words);
  }
}
