// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The front-end as a whole: layouts, specialization, workgroup size, and what it refuses.

#include "compiler/frontend/TestShaders.h"
#include <random>

using namespace llvm;
using namespace assay;
using test::makeShader;
using test::translateText;

static std::string translateOrFail(StringRef text, const ShaderDescription &shader = {}) {
  auto ir = translateText(text, shader);
  if (ir)
    return *ir;
  ADD_FAILURE() << takeError(ir.takeError()).message;
  return "";
}

static ErrorParts errorOf(StringRef text, const ShaderDescription &shader = {}) {
  auto ir = translateText(text, shader);
  if (!ir)
    return takeError(ir.takeError());
  ADD_FAILURE() << "translated: " << *ir;
  return {};
}

/// \p text with one more variable in the entry point's interface.
static std::string withInterface(std::string text, StringRef variable) {
  const std::string last = "%shared %private\n";
  size_t at = text.find(last);
  EXPECT_NE(at, std::string::npos);
  return text.insert(at, (variable + " ").str());
}

static size_t countOf(StringRef text, StringRef part) {
  return text.count(part);
}

TEST(Frontend, RowMajorMatricesAreReadByComponent) {
  // %m23 stands row-major at 96: element (column 1, row 2) lies at 96 + 2 * 16 + 1 * 4.
  std::string ir = translateOrFail(makeShader(R"(
%c = OpAccessChain %sb_float %data %u5 %u1 %u2c
OpStore %c %f)"));
  EXPECT_EQ(countOf(ir, "i32 96"), 2u); // Once for %m23, once for the chain.
  size_t chain = ir.rfind("i32 96");
  EXPECT_NE(ir.find("i32 4", chain), std::string::npos);
  EXPECT_NE(ir.find("i32 32", chain), std::string::npos);
}

TEST(Frontend, ColumnMajorMatricesAreReadByColumn) {
  std::string ir = translateOrFail(makeShader(R"(
%c = OpAccessChain %sb_v3 %data %u4 %u
%l = OpLoad %v3float %c)"));
  EXPECT_NE(ir.find("mul i32 %"), std::string::npos);
  EXPECT_NE(ir.find(", 16"), std::string::npos);
  EXPECT_NE(ir.find("load <3 x float>, ptr addrspace(7)"), std::string::npos);
}

TEST(Frontend, CoherentMembersAreLoadedVolatile) {
  std::string ir = translateOrFail(makeShader(R"(
%p = OpAccessChain %sb_uint %data %u0
%l = OpLoad %uint %p)",
                                              "", "", "OpMemberDecorate %DataBlock 0 Coherent"));
  EXPECT_NE(ir.find("load volatile i32, ptr addrspace(7)"), std::string::npos);
}

TEST(Frontend, NoContractionTurnsContractionOff) {
  std::string ir = translateOrFail(
      makeShader("%r = OpFAdd %float %f %f2", "", "", "OpDecorate %r NoContraction"));
  EXPECT_NE(ir.find("fadd float"), std::string::npos);
  EXPECT_EQ(ir.find("fadd contract"), std::string::npos);
}

TEST(Frontend, ArraysOfBlocksAreIndexedByDescriptor) {
  std::string ir = translateOrFail(withInterface(makeShader(R"(
%p = OpAccessChain %sb_uint %many %u %u0
OpStore %p %u
%b1 = OpAccessChain %p_DataBlock %many %u1
%len = OpArrayLength %uint %b1 8)",
                                                            R"(
%Many = OpTypeArray %DataBlock %u4
%p_Many = OpTypePointer StorageBuffer %Many
%many = OpVariable %p_Many StorageBuffer)",
                                                            "", R"(
OpDecorate %many DescriptorSet 0
OpDecorate %many Binding 9)"),
                                                 "%many"));
  EXPECT_NE(ir.find("(i32 0, i32 9, i32 %"), std::string::npos) << ir;
  EXPECT_NE(ir.find("(i32 0, i32 9, i32 1)"), std::string::npos) << ir;
}

TEST(Frontend, SpecializationChangesConstantsAndWhatIsMadeOfThem) {
  std::string text = makeShader("%r = OpIAdd %uint %twice %u", R"(
%s = OpSpecConstant %uint 5
%twice = OpSpecConstantOp %uint IMul %s %u2c)",
                                "", "OpDecorate %s SpecId 3");
  EXPECT_NE(translateOrFail(text).find("add i32 10,"), std::string::npos);
  ShaderDescription shader;
  shader.specialization = {{3, 21}};
  EXPECT_NE(translateOrFail(text, shader).find("add i32 42,"), std::string::npos);
  shader.specialization = {{4, 21}}; // No constant has this id.
  EXPECT_NE(translateOrFail(text, shader).find("add i32 10,"), std::string::npos);
}

TEST(Frontend, IntrinsicsAreFoldedInSpecConstantExpressions) {
  std::string text = makeShader("%r = OpFAdd %float %quantized %f", R"(
%bad = OpSpecConstantOp %uint UDiv %u7 %u0
%s = OpSpecConstant %float 1.0001
%quantized = OpSpecConstantOp %float QuantizeToF16 %s)",
                                "", "OpDecorate %s SpecId 3");
  EXPECT_NE(translateOrFail(text).find("fadd contract float 1.000000e+00,"), std::string::npos);
}

TEST(Frontend, ExponentsFitTheirPlace) {
  std::string text = makeShader(R"(
%h = OpFConvert %half %f
%r = OpExtInst %HalfPair %glsl FrexpStruct %h)",
                                R"(
%half = OpTypeFloat 16
%short = OpTypeInt 16 1
%HalfPair = OpTypeStruct %half %short)");
  const std::string before = "OpExtension ";
  text.insert(text.find(before), "OpExtension \"SPV_AMD_gpu_shader_int16\"\n");
  EXPECT_NE(translateOrFail(text).find("insertvalue { half, i16 }"), std::string::npos);
}

TEST(Frontend, WorkgroupSizeConstantGoesBeforeLocalSize) {
  auto withSize = [](const char *globals, const char *annotations) {
    return translateOrFail(makeShader("", globals, "", annotations));
  };
  std::string plain = withSize("", "");
  std::string other = withSize("%wgs = OpConstantComposite %v3uint %u2c %u3 %u1",
                               "OpDecorate %wgs BuiltIn WorkgroupSize");
  EXPECT_NE(plain.find("!{i32 8, i32 4, i32 1}"), std::string::npos) << plain;
  EXPECT_NE(other.find("!{i32 2, i32 3, i32 1}"), std::string::npos) << other;
}

TEST(Frontend, UnreachableBlocksAreLeftOut) {
  std::string ir = translateOrFail(makeShader(R"(
OpSelectionMerge %never None
OpBranchConditional %b %yes %no
%yes = OpLabel
OpReturn
%no = OpLabel
OpReturn
%never = OpLabel
%x = OpIMul %uint %u %u2)"));
  EXPECT_EQ(ir.find("mul i32"), std::string::npos);
}

TEST(Frontend, SharedMemoryIsZeroedWhereAsked) {
  std::string ir = translateOrFail(withInterface(makeShader("%l = OpLoad %uint %zeroed", R"(
%nullu = OpConstantNull %uint
%zeroed = OpVariable %wg_uint Workgroup %nullu)",
                                                            "", ""),
                                                 "%zeroed"));
  EXPECT_NE(ir.find("zero.shared:"), std::string::npos);
  EXPECT_NE(ir.find("store i32 0, ptr addrspace(3)"), std::string::npos);
}

/// The IR of a shader whose entry point has \p modes: "RoundingModeRTZ 32".
static Expected<std::string> withModes(std::vector<std::string> modes, const char *body = "") {
  std::string capabilities;
  std::string lines;
  for (const std::string &mode : modes) {
    capabilities += "OpCapability " + mode.substr(0, mode.find(' ')) + "\n";
    lines += "OpExecutionMode %main " + mode + "\n";
  }
  std::string text = capabilities + makeShader(body);
  text.insert(text.find("OpExecutionMode %main LocalSize"), lines);
  return translateText(text);
}

TEST(Frontend, FloatControlsBecomeAttributes) {
  auto controlled = withModes({"DenormFlushToZero 32", "DenormPreserve 64", "RoundingModeRTE 32"});
  ASSERT_TRUE(bool(controlled)) << takeError(controlled.takeError()).message;
  EXPECT_NE(controlled->find("\"denormal-fp-math-f32\"=\"preserve-sign,preserve-sign\""),
            std::string::npos);
  EXPECT_NE(controlled->find("\"denormal-fp-math\"=\"ieee,ieee\""), std::string::npos);
  EXPECT_EQ(controlled->find("strictfp"), std::string::npos);
  auto flushed = withModes({"DenormFlushToZero 16", "DenormPreserve 32"});
  ASSERT_TRUE(bool(flushed)) << takeError(flushed.takeError()).message;
  EXPECT_NE(flushed->find("\"denormal-fp-math\"=\"preserve-sign,preserve-sign\""),
            std::string::npos);
  EXPECT_NE(flushed->find("\"denormal-fp-math-f32\"=\"ieee,ieee\""), std::string::npos);
}

TEST(Frontend, FlushingReachesWhatIsNoArithmetic) {
  const char *body = "%r1 = OpFNegate %float %f\n%r2 = OpExtInst %float %glsl FAbs %r1";
  auto flushed = withModes({"DenormFlushToZero 32"}, body);
  ASSERT_TRUE(bool(flushed)) << takeError(flushed.takeError()).message;
  size_t negated = flushed->find("call contract float @llvm.canonicalize.f32");
  ASSERT_NE(negated, std::string::npos) << *flushed;
  EXPECT_NE(flushed->find("call contract float @llvm.canonicalize.f32", negated + 1),
            std::string::npos);
  auto other = withModes({"DenormFlushToZero 16"}, body);
  ASSERT_TRUE(bool(other)) << takeError(other.takeError()).message;
  EXPECT_EQ(other->find("llvm.canonicalize"), std::string::npos);
}

TEST(Frontend, RoundingTowardZeroIsSaidByEveryOperation) {
  auto ir = withModes({"RoundingModeRTZ 32"}, R"(
%r1 = OpFAdd %float %f %f2
%r2 = OpExtInst %float %glsl Fma %f %f2 %f3
%r3 = OpConvertSToF %float %i)");
  ASSERT_TRUE(bool(ir)) << takeError(ir.takeError()).message;
  for (const char *wanted :
       {"constrained.fadd.f32(float", "!\"round.towardzero\"", "constrained.fma.f32", "ctlz.i32",
        "uitofp i32", "lgc-toward-zero-f32", "strictfp"})
    EXPECT_NE(ir->find(wanted), std::string::npos) << wanted;
}

TEST(Frontend, OneHardwareModeForTwoWidthsIsNotPromisedTwice) {
  for (const std::vector<std::string> &modes :
       {std::vector<std::string>{"DenormFlushToZero 16", "DenormPreserve 64"},
        {"RoundingModeRTZ 16", "RoundingModeRTE 64"}}) {
    auto refused = withModes(modes);
    ASSERT_FALSE(bool(refused));
    ErrorParts parts = takeError(refused.takeError());
    EXPECT_EQ(parts.kind, ErrorKind::Unsupported);
    EXPECT_NE(parts.message.find("of 16 and of 64 bits"), std::string::npos) << parts.message;
  }
}

TEST(Frontend, RefusesWithReasonAndPlace) {
  std::string text = "OpCapability RayQueryKHR\n" + makeShader("");
  text.insert(text.find("OpExtension"), "OpExtension \"SPV_KHR_ray_query\"\n");
  ErrorParts capability = errorOf(text);
  EXPECT_EQ(capability.kind, ErrorKind::Unsupported);
  EXPECT_EQ(capability.message, "OpCapability RayQueryKHR (word 5)");
}

TEST(Frontend, RefusesAMissingEntryPoint) {
  ShaderDescription shader;
  shader.entryPoint = "other";
  ErrorParts error = errorOf(makeShader(""), shader);
  EXPECT_EQ(error.kind, ErrorKind::InvalidInput);
  EXPECT_NE(error.message.find("'other'"), std::string::npos);
}

/// Translates without validating first; must give an error and not crash.
static ErrorParts errorOfUnvalidated(StringRef text) {
  auto module = spirv::decode(test::assembleOrFail(text));
  if (!module)
    return takeError(module.takeError());
  LLVMContext context;
  std::unique_ptr<Builder> builder = createBuilderRecorder(context);
  auto ir = translateShader({}, *module, context, *builder);
  if (!ir)
    return takeError(ir.takeError());
  ADD_FAILURE() << "translated: " << text.str();
  return {};
}

TEST(Frontend, BrokenModulesGiveErrors) {
  const char *const bodies[] = {
      "%x = OpIAdd %uint %f %u",
      "%x = OpIAdd %uint %u %missing",
      "%x = OpFAdd %float %void %f",
      "%x = OpCompositeExtract %float %v4 9",
      "%x = OpCompositeConstruct %v4float %f %f",
      "%x = OpVectorShuffle %v2float %v4 %v4 0 77",
      "%x = OpLoad %uint %u",
      "OpStore %var_u %f",
      "%x = OpAccessChain %sb_float %data %u8",
      "%x = OpAccessChain %sb_float %data %u %u",
      "%x = OpFunctionCall %void %main %u",
      "%x = OpFunctionCall %void %u",
      "%x = OpFunctionCall %void %main",
      "OpBranch %u\n%after = OpLabel",
      "OpBranchConditional %u %start %start\n%after = OpLabel",
      "%x = OpPhi %uint %u %start",
      "%x = OpAtomicIAdd %uint %var_f %u1 %u0 %u",
      "%x = OpAtomicIAdd %uint %var_u %u %u0 %u",
      "%x = OpMatrixTimesVector %v4float %m3 %v4",
      "%x = OpExtInst %float %glsl FMin %u %u",
      "%x = OpExtInst %float %glsl Cross %v4 %v4",
      "%x = OpArrayLength %uint %data 0",
      "%x = OpSelect %v4float %bv4 %f %f",
      "OpControlBarrier %u %u %u",
      "OpReturnValue %u\n%after = OpLabel",
      "OpCopyMemory %var_u %var_f",
      "%x = OpBitcast %v2float %f",
      "%x = OpDot %float %f %f",
  };
  for (const char *body : bodies) {
    ErrorParts error = errorOfUnvalidated(makeShader(body));
    EXPECT_FALSE(error.message.empty()) << body;
  }
}

TEST(Frontend, BrokenSelectionsOfConstantsGiveErrors) {
  for (const char *constant : {"%x = OpSpecConstantOp %uint Select %u7 %u7 %u0",
                               "%true = OpConstantTrue %bool\n%bv2 = OpTypeVector %bool 2\n"
                               "%both = OpConstantComposite %bv2 %true %true\n"
                               "%x = OpSpecConstantOp %uint Select %both %u7 %u0"}) {
    ErrorParts error = errorOfUnvalidated(makeShader("%r = OpIAdd %uint %x %u", constant));
    EXPECT_EQ(error.kind, ErrorKind::InvalidInput) << constant << ": " << error.message;
  }
}

/// Mutated modules, of which some decode and fewer translate: none may crash, and what translates
/// must be well-formed except for dominance, which spirv-val would have looked at.
TEST(Frontend, MutatedModulesDoNotCrash) {
  constexpr size_t HeaderWords = 5;
  constexpr unsigned Rounds = 4000;
  const std::vector<uint32_t> original = test::assembleOrFail(makeShader(R"(
%p = OpAccessChain %sb_uint %data %u0
%r1 = OpAtomicIAdd %uint %p %u1 %u0 %u
%r2 = OpExtInst %float %glsl Frexp %f %var_i
%r3 = OpExtInst %mat3 %glsl MatrixInverse %m3
%r4 = OpMatrixTimesVector %v3float %m23 %v2
%r5 = OpBitFieldInsert %v4uint %uv4 %uv4b %u %u2
%r6 = OpSelect %v4float %bv4 %v4 %v4b
OpControlBarrier %u2c %u2c %u264)"));
  std::mt19937 random(1); // NOLINT: the same modules each time.
  unsigned decoded = 0;
  for (unsigned round = 0; round < Rounds; ++round) {
    std::vector<uint32_t> words = original;
    size_t at = HeaderWords + random() % (words.size() - HeaderWords);
    words[at] = random() % 2 ? random() % words[3] : words[at] ^ (1u << random() % 8);
    auto module = spirv::decode(words);
    if (!module) {
      consumeError(module.takeError());
      continue;
    }
    ++decoded;
    LLVMContext context;
    std::unique_ptr<Builder> builder = createBuilderRecorder(context);
    auto ir = translateShader({}, *module, context, *builder);
    std::string problem;
    raw_string_ostream os(problem);
    if (!ir)
      EXPECT_FALSE(takeError(ir.takeError()).message.empty());
    else if (verifyModule(**ir, &os))
      EXPECT_NE(problem.find("does not dominate"), std::string::npos) << problem;
  }
  EXPECT_GT(decoded, Rounds / 10);
}
