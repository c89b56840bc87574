// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the front-end makes of the inputs and outputs of vertex and fragment shaders.

#include "compiler/frontend/TestShaders.h"

using namespace llvm;
using namespace assay;

static constexpr StringLiteral Types = R"(
%void = OpTypeVoid
%fn = OpTypeFunction %void
%float = OpTypeFloat 32
%int = OpTypeInt 32 1
%uint = OpTypeInt 32 0
%bool = OpTypeBool
%v2 = OpTypeVector %float 2
%v4 = OpTypeVector %float 4
%i0 = OpConstant %int 0
%i1 = OpConstant %int 1
%u2c = OpConstant %uint 2
%f1 = OpConstant %float 1
%pi_float = OpTypePointer Input %float
%pi_v2 = OpTypePointer Input %v2
%pi_v4 = OpTypePointer Input %v4
%pi_int = OpTypePointer Input %int
%pi_bool = OpTypePointer Input %bool
%po_float = OpTypePointer Output %float
%po_v2 = OpTypePointer Output %v2
%po_v4 = OpTypePointer Output %v4
)";

static std::string makeStage(StringRef model, StringRef interface, StringRef annotations,
                             StringRef globals, StringRef body) {
  bool isFragment = model == "Fragment";
  return (Twine("OpCapability Shader\nOpCapability DerivativeControl\n"
                "OpCapability DemoteToHelperInvocation\nOpCapability ClipDistance\n"
                "OpExtension \"SPV_EXT_demote_to_helper_invocation\"\n"
                "OpMemoryModel Logical GLSL450\nOpEntryPoint ") +
          model + " %main \"main\" " + interface + "\n" +
          (isFragment ? "OpExecutionMode %main OriginUpperLeft\n" : "") + annotations + Types +
          globals + "\n%main = OpFunction %void None %fn\n%entry = OpLabel\n" + body +
          "\nOpFunctionEnd\n")
      .str();
}

static Expected<std::string> translate(ShaderStage stage, StringRef text) {
  ShaderDescription shader;
  shader.stage = stage;
  return test::translateText(text, shader);
}

static std::string translateOrFail(ShaderStage stage, StringRef text) {
  Expected<std::string> ir = translate(stage, text);
  if (ir)
    return *ir;
  ADD_FAILURE() << takeError(ir.takeError()).message;
  return "";
}

TEST(InOut, ReadsVertexInputsAndWritesOutputs) {
  std::string text = makeStage("Vertex", "%in %index %block %color",
                               "OpDecorate %in Location 3\nOpDecorate %in Component 1\n"
                               "OpDecorate %index BuiltIn VertexIndex\n"
                               "OpDecorate %block_t Block\n"
                               "OpMemberDecorate %block_t 0 BuiltIn Position\n"
                               "OpMemberDecorate %block_t 1 BuiltIn PointSize\n"
                               "OpDecorate %color Location 2\n",
                               "%block_t = OpTypeStruct %v4 %float\n"
                               "%pblock = OpTypePointer Output %block_t\n"
                               "%colors = OpTypeArray %v2 %u2c\n"
                               "%pcolors = OpTypePointer Output %colors\n"
                               "%in = OpVariable %pi_v2 Input\n%index = OpVariable %pi_int Input\n"
                               "%block = OpVariable %pblock Output\n"
                               "%color = OpVariable %pcolors Output",
                               "%v = OpLoad %v2 %in\n%i = OpLoad %int %index\n"
                               "%c1 = OpAccessChain %po_v2 %color %i\nOpStore %c1 %v\nOpReturn");
  std::string ir = translateOrFail(ShaderStage::Vertex, text);
  for (const char *part :
       {"@lgc.read.input(i32 3, i32 1, i32 0, i32 1)",
        "@lgc.read.input(i32 3, i32 2, i32 0, i32 1)", "@lgc.read.stage.built.in(i32 42, i32 0)",
        "@lgc.write.stage.built.in(i32 0, i32 3", "@lgc.write.stage.built.in(i32 1, i32 0",
        "@lgc.write.output(i32 2, i32 1, i32 0, i32 0",
        "@lgc.write.output(i32 3, i32 0, i32 0, i32 0", "!lgc.stage"})
    EXPECT_NE(ir.find(part), std::string::npos) << part << "\n" << ir;
}

TEST(InOut, KeepsInterpolation) {
  std::string text = makeStage("Fragment", "%a %b %c %d %front %out",
                               "OpDecorate %a Location 0\nOpDecorate %b Location 1\n"
                               "OpDecorate %b Flat\nOpDecorate %c Location 2\n"
                               "OpDecorate %c NoPerspective\nOpDecorate %c Centroid\n"
                               "OpDecorate %d Location 3\nOpDecorate %d Component 2\n"
                               "OpDecorate %front BuiltIn FrontFacing\n"
                               "OpDecorate %out Location 0\nOpDecorate %out Index 1\n",
                               "%a = OpVariable %pi_float Input\n%b = OpVariable %pi_int Input\n"
                               "%c = OpVariable %pi_float Input\n%d = OpVariable %pi_v2 Input\n"
                               "%front = OpVariable %pi_bool Input\n"
                               "%out = OpVariable %po_v4 Output",
                               "OpReturn");
  std::string ir = translateOrFail(ShaderStage::Fragment, text);
  for (const char *part :
       {"@lgc.read.input(i32 0, i32 0, i32 0, i32 0)",
        "@lgc.read.input(i32 1, i32 0, i32 1, i32 1)",
        "@lgc.read.input(i32 2, i32 0, i32 0, i32 6)",
        "@lgc.read.input(i32 3, i32 3, i32 0, i32 0)", "@lgc.read.stage.built.in(i32 17, i32 0)",
        "@lgc.write.output(i32 0, i32 3, i32 1, i32 0"})
    EXPECT_NE(ir.find(part), std::string::npos) << part << "\n" << ir;
}

TEST(InOut, TerminatesDemotesAndDerives) {
  std::string text =
      makeStage("Fragment", "%a %out", "OpDecorate %a Location 0\nOpDecorate %out Location 0\n",
                "%a = OpVariable %pi_float Input\n%out = OpVariable %po_float Output",
                "%x = OpLoad %float %a\n%dx = OpDPdxFine %float %x\n%w = OpFwidth %float %x\n"
                "%helper = OpIsHelperInvocationEXT %bool\nOpSelectionMerge %end None\n"
                "OpBranchConditional %helper %kill %end\n%kill = OpLabel\nOpKill\n%end = OpLabel\n"
                "OpDemoteToHelperInvocation\n%s = OpFAdd %float %dx %w\nOpStore %out %s\nOpReturn");
  std::string ir = translateOrFail(ShaderStage::Fragment, text);
  for (const char *part : {", i32 2)", "i32 0)", "@lgc.is.helper()",
                           "call void @lgc.terminate.invocation()\n", "call void @lgc.demote()"})
    EXPECT_NE(ir.find(part), std::string::npos) << part << "\n" << ir;
}

TEST(InOut, RefusesWithTheReason) {
  std::string vertex = makeStage("Vertex", "%a", "OpDecorate %a BuiltIn InstanceIndex\n",
                                 "%a = OpVariable %pi_int Input", "OpReturn");
  Expected<std::string> asFragment = translate(ShaderStage::Fragment, vertex);
  ASSERT_FALSE(asFragment);
  EXPECT_EQ(takeError(asFragment.takeError()).message, "no fragment entry point is called 'main'");
  Expected<std::string> asGeometry = translate(ShaderStage::Geometry, vertex);
  ASSERT_FALSE(asGeometry);
  EXPECT_EQ(takeError(asGeometry.takeError()).message, "geometry shaders");
}
