// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/localize/LargerCase.h"

#include "support/Error.h"

#include <gtest/gtest.h>

using namespace llvm;
using namespace assay;

namespace {

/// One that does nothing with a buffer of two words, in workgroups of \p size.
Subject makeCase(StringRef size) {
  std::string text = ("#!amber\nSHADER compute s SPIRV-ASM\n"
                      "OpCapability Shader\n"
                      "OpMemoryModel Logical GLSL450\n"
                      "OpEntryPoint GLCompute %main \"main\"\n"
                      "OpExecutionMode %main LocalSize " +
                      size +
                      " 1 1\n"
                      "%void = OpTypeVoid\n"
                      "%function = OpTypeFunction %void\n"
                      "%main = OpFunction %void None %function\n"
                      "%begin = OpLabel\nOpReturn\nOpFunctionEnd\nEND\n"
                      "BUFFER b DATA_TYPE uint32 DATA 5 6 END\n"
                      "PIPELINE compute p\n  ATTACH s\n"
                      "  BIND BUFFER b AS storage DESCRIPTOR_SET 0 BINDING 0\nEND\n"
                      "RUN p 2 3 1\n")
                         .str();
  return cantFail(readSubjectFromText(text));
}

const Dispatch &dispatchOf(const Subject &subject) {
  return std::get<Dispatch>(subject.input.commands.front());
}

std::vector<uint32_t> sizeOf(const Subject &subject) {
  for (const fuzz::Instruction &mode : subject.programs.front().executionModes)
    if (mode.word(1) == static_cast<uint32_t>(spv::ExecutionMode::LocalSize))
      return {mode.word(2), mode.word(3), mode.word(4)};
  return {};
}

} // namespace

TEST(LargerCase, HasMoreInvocationsInAWorkgroup) {
  std::optional<Subject> grown = growCase(makeCase("2"), Growth::Invocations);
  ASSERT_TRUE(grown);
  EXPECT_EQ(sizeOf(*grown), (std::vector<uint32_t>{8, 1, 1}));
  EXPECT_EQ(dispatchOf(*grown).groups[0], 2u);
  EXPECT_EQ(grown->input.buffers[0].bytes,
            (std::vector<uint8_t>{5, 0, 0, 0, 6, 0, 0, 0, 5, 0, 0, 0, 6, 0, 0, 0,
                                  5, 0, 0, 0, 6, 0, 0, 0, 5, 0, 0, 0, 6, 0, 0, 0}));
  EXPECT_TRUE(static_cast<bool>(printSubject(*grown)));
}

TEST(LargerCase, HasMoreWorkgroups) {
  std::optional<Subject> grown = growCase(makeCase("2"), Growth::Workgroups);
  ASSERT_TRUE(grown);
  EXPECT_EQ(sizeOf(*grown), (std::vector<uint32_t>{2, 1, 1}));
  EXPECT_EQ(dispatchOf(*grown).groups[0], 8u);
  EXPECT_EQ(dispatchOf(*grown).groups[1], 3u);
}

TEST(LargerCase, IsNoneWhereNoTargetCouldLaunchIt) {
  EXPECT_TRUE(growCase(makeCase("64"), Growth::Invocations));
  EXPECT_FALSE(growCase(makeCase("128"), Growth::Invocations));
}

TEST(LargerCase, LaunchesNothingThatIsNoElf) {
  EXPECT_FALSE(growLaunch({}, Growth::Invocations));
  EXPECT_TRUE(growLaunch({}, Growth::Workgroups)) << "the case says how many";
}
