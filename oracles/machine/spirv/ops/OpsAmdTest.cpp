// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What AMD's instruction sets leave open. Their results are in corpora/compute/amd-*.amber.
#include "oracles/machine/spirv/GlslCaseTesting.h"

using namespace llvm;
using namespace assay;
using namespace assay::reference;
using namespace assay::reference::testing;

/// The bytes of the results that are not determined, from offset to length.
using Open = std::map<uint64_t, uint64_t>;

static Open openOf(const std::string &extensions, const std::string &body, unsigned lanes) {
  GlslCase input(extensions + "layout(local_size_x = " + std::to_string(lanes) +
                 ") in;\nlayout(set = 0, binding = 0) buffer Out { float r[16]; };\n"
                 "void main() {\n" +
                 body + "\n}\n");
  Outcome outcome = input.run();
  EXPECT_EQ(outcome.kind, OutcomeKind::Completed) << outcome.reason;
  return outcome.kind == OutcomeKind::Completed ? outcome.checkpoints.back()[0].indeterminate
                                                : Open();
}

TEST(TrinaryMinMax, IsUndefinedWithNan) {
  EXPECT_EQ(openOf("#extension GL_AMD_shader_trinary_minmax : require\n",
                   "float nan = uintBitsToFloat(0x7fc00000u + uint(r[8] == 1.0));\n"
                   "r[0] = min3(1.0, 2.0, 3.0); r[1] = min3(1.0, nan, 3.0);\n"
                   "r[2] = mid3(1.0, 2.0, 3.0); r[3] = max3(nan, 2.0, 3.0);",
                   1),
            (Open{{4, 4}, {12, 4}}));
}

TEST(GcnShader, LeavesEdgesOfTheCubeOpen) {
  EXPECT_EQ(openOf("#extension GL_AMD_gcn_shader : require\n",
                   "r[0] = cubeFaceIndexAMD(vec3(1, 2, 0.5));\n"
                   "r[1] = cubeFaceIndexAMD(vec3(2, 2, 0.5));\n"
                   "r[2] = cubeFaceCoordAMD(vec3(0)).x;",
                   1),
            (Open{{4, 8}}));
}

TEST(ShaderBallot, IsUndefinedUnlessUniform) {
  const std::string extensions = "#extension GL_ARB_shader_ballot : require\n"
                                 "#extension GL_AMD_shader_ballot : require\n";
  EXPECT_EQ(openOf(extensions,
                   "uint i = gl_LocalInvocationIndex;\n"
                   "r[i] = writeInvocationAMD(float(i), 9.0, 1u);\n"
                   "r[i + 4u] = writeInvocationAMD(float(i), 9.0, i);\n"
                   "r[i + 8u] = writeInvocationAMD(float(i), float(i), 1u);\n"
                   "r[i + 12u] = writeInvocationAMD(float(i), 9.0, 128u);",
                   4),
            (Open{{16, 48}}));
}

/// The rule that a shader of four invocations breaks whose two even ones execute \p statement.
static std::string ruleOfHalf(const std::string &statement) {
  GlslCase input("#extension GL_ARB_shader_ballot : require\n"
                 "#extension GL_AMD_shader_ballot : require\n"
                 "#extension GL_KHR_shader_subgroup_arithmetic : require\n"
                 "layout(local_size_x = 4) in;\n"
                 "layout(set = 0, binding = 0) buffer Out { uint r[16]; };\n"
                 "void main() {\nuint i = gl_LocalInvocationIndex;\n"
                 "r[8u + i] = subgroupAdd(i);\nif ((i & 1u) == 0u)\n" +
                 statement + "\n}\n");
  Outcome outcome = input.run();
  return outcome.kind == OutcomeKind::Completed ? "" : ruleOf(outcome);
}

TEST(ShaderBallot, ReducesPartsOfASubgroupWhereItSaysSo) {
  EXPECT_EQ(ruleOfHalf("r[i] = addInvocationsNonUniformAMD(i);"), "");
  EXPECT_EQ(ruleOfHalf("r[i] = addInvocationsAMD(i);"), "UB-NONUNIFORM");
}
