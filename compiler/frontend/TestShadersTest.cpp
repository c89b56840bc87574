// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The shader that the front-end's tests build upon; see TestShaders.h.

#include "compiler/frontend/TestShaders.h"

using namespace llvm;
using namespace assay;

const char *const assay::test::Declarations = R"(
%void = OpTypeVoid
%fn = OpTypeFunction %void
%bool = OpTypeBool
%uint = OpTypeInt 32 0
%int = OpTypeInt 32 1
%float = OpTypeFloat 32
%v2float = OpTypeVector %float 2
%v3float = OpTypeVector %float 3
%v4float = OpTypeVector %float 4
%v2uint = OpTypeVector %uint 2
%v3uint = OpTypeVector %uint 3
%v4uint = OpTypeVector %uint 4
%v4int = OpTypeVector %int 4
%v4bool = OpTypeVector %bool 4
%mat2 = OpTypeMatrix %v2float 2
%mat3 = OpTypeMatrix %v3float 3
%mat4 = OpTypeMatrix %v4float 4
%mat23 = OpTypeMatrix %v3float 2
%mat32 = OpTypeMatrix %v2float 3
%u0 = OpConstant %uint 0
%u1 = OpConstant %uint 1
%u2c = OpConstant %uint 2
%u3 = OpConstant %uint 3
%u4 = OpConstant %uint 4
%u5 = OpConstant %uint 5
%u6 = OpConstant %uint 6
%u7 = OpConstant %uint 7
%u8 = OpConstant %uint 8
%u72 = OpConstant %uint 72
%u264 = OpConstant %uint 264
%f1 = OpConstant %float 1
%true = OpConstantTrue %bool
%false = OpConstantFalse %bool
%floats = OpTypeRuntimeArray %float
%DataBlock = OpTypeStruct %uint %float %v4float %v3float %mat3 %mat23 %mat4 %mat2 %floats
%p_DataBlock = OpTypePointer StorageBuffer %DataBlock
%data = OpVariable %p_DataBlock StorageBuffer
%ParamBlock = OpTypeStruct %v4float %uint
%p_ParamBlock = OpTypePointer Uniform %ParamBlock
%params = OpVariable %p_ParamBlock Uniform
%PushBlock = OpTypeStruct %uint %v4float
%p_PushBlock = OpTypePointer PushConstant %PushBlock
%push = OpVariable %p_PushBlock PushConstant
%p_v3uint_in = OpTypePointer Input %v3uint
%p_uint_in = OpTypePointer Input %uint
%gid = OpVariable %p_v3uint_in Input
%sb_uint = OpTypePointer StorageBuffer %uint
%sb_float = OpTypePointer StorageBuffer %float
%sb_v3 = OpTypePointer StorageBuffer %v3float
%sb_v4 = OpTypePointer StorageBuffer %v4float
%sb_m2 = OpTypePointer StorageBuffer %mat2
%sb_m3 = OpTypePointer StorageBuffer %mat3
%sb_m23 = OpTypePointer StorageBuffer %mat23
%sb_m4 = OpTypePointer StorageBuffer %mat4
%un_v4 = OpTypePointer Uniform %v4float
%un_uint = OpTypePointer Uniform %uint
%pc_uint = OpTypePointer PushConstant %uint
%pc_v4 = OpTypePointer PushConstant %v4float
%fn_uint = OpTypePointer Function %uint
%fn_int = OpTypePointer Function %int
%fn_float = OpTypePointer Function %float
%fn_bool = OpTypePointer Function %bool
%wg_uint = OpTypePointer Workgroup %uint
%shared = OpVariable %wg_uint Workgroup
%pr_uint = OpTypePointer Private %uint
%private = OpVariable %pr_uint Private %u7
%UintPair = OpTypeStruct %uint %uint
%IntPair = OpTypeStruct %int %int
)";

static const char *const Header = R"(
OpCapability Shader
OpCapability Int8
OpCapability Int16
OpCapability Int64
OpCapability Float16
OpCapability Float64
OpCapability DotProduct
OpCapability DotProductInputAll
OpCapability DotProductInput4x8Bit
OpCapability DotProductInput4x8BitPacked
OpCapability ExpectAssumeKHR
OpCapability VariablePointers
OpCapability AtomicFloat32AddEXT
OpCapability AtomicFloat32MinMaxEXT
OpCapability ShaderClockKHR
OpExtension "SPV_EXT_shader_atomic_float_add"
OpExtension "SPV_EXT_shader_atomic_float_min_max"
OpExtension "SPV_KHR_shader_clock"
OpExtension "SPV_KHR_expect_assume"
%glsl = OpExtInstImport "GLSL.std.450"
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main" %data %params %push %gid %shared %private
OpExecutionMode %main LocalSize 8 4 1
OpName %main "main"
OpName %shared "shared"
OpName %private "private"
OpDecorate %floats ArrayStride 4
OpDecorate %sb_float ArrayStride 4
OpDecorate %DataBlock Block
OpMemberDecorate %DataBlock 0 Offset 0
OpMemberDecorate %DataBlock 1 Offset 4
OpMemberDecorate %DataBlock 2 Offset 16
OpMemberDecorate %DataBlock 3 Offset 32
OpMemberDecorate %DataBlock 4 Offset 48
OpMemberDecorate %DataBlock 4 ColMajor
OpMemberDecorate %DataBlock 4 MatrixStride 16
OpMemberDecorate %DataBlock 5 Offset 96
OpMemberDecorate %DataBlock 5 RowMajor
OpMemberDecorate %DataBlock 5 MatrixStride 16
OpMemberDecorate %DataBlock 6 Offset 144
OpMemberDecorate %DataBlock 6 ColMajor
OpMemberDecorate %DataBlock 6 MatrixStride 16
OpMemberDecorate %DataBlock 7 Offset 208
OpMemberDecorate %DataBlock 7 ColMajor
OpMemberDecorate %DataBlock 7 MatrixStride 16
OpMemberDecorate %DataBlock 8 Offset 240
OpDecorate %data DescriptorSet 0
OpDecorate %data Binding 1
OpDecorate %ParamBlock Block
OpMemberDecorate %ParamBlock 0 Offset 0
OpMemberDecorate %ParamBlock 1 Offset 16
OpDecorate %params DescriptorSet 2
OpDecorate %params Binding 3
OpDecorate %PushBlock Block
OpMemberDecorate %PushBlock 0 Offset 4
OpMemberDecorate %PushBlock 1 Offset 16
OpDecorate %gid BuiltIn GlobalInvocationId
)";

const char *const assay::test::Prologue = R"(
%main = OpFunction %void None %fn
%start = OpLabel
%var_u = OpVariable %fn_uint Function
%var_i = OpVariable %fn_int Function
%var_f = OpVariable %fn_float Function
%var_b = OpVariable %fn_bool Function %true
%uv3 = OpLoad %v3uint %gid
%u = OpCompositeExtract %uint %uv3 0
%u2 = OpCompositeExtract %uint %uv3 1
%i = OpBitcast %int %u
%i2 = OpBitcast %int %u2
%a_v4 = OpAccessChain %sb_v4 %data %u2c
%v4 = OpLoad %v4float %a_v4
%v4b = OpVectorShuffle %v4float %v4 %v4 3 2 1 0
%v3 = OpVectorShuffle %v3float %v4 %v4 0 1 2
%v3b = OpVectorShuffle %v3float %v4 %v4 1 2 3
%v2 = OpVectorShuffle %v2float %v4 %v4 0 1
%f = OpCompositeExtract %float %v4 0
%f2 = OpCompositeExtract %float %v4 1
%f3 = OpCompositeExtract %float %v4 2
%uv4 = OpCompositeConstruct %v4uint %u %u2 %u %u2
%uv4b = OpCompositeConstruct %v4uint %u2 %u2 %u %u
%b = OpULessThan %bool %u %u2
%b2 = OpUGreaterThan %bool %u %u5
%bv4 = OpFOrdLessThan %v4bool %v4 %v4b
%a_m2 = OpAccessChain %sb_m2 %data %u7
%m2 = OpLoad %mat2 %a_m2
%a_m3 = OpAccessChain %sb_m3 %data %u4
%m3 = OpLoad %mat3 %a_m3
%a_m23 = OpAccessChain %sb_m23 %data %u5
%m23 = OpLoad %mat23 %a_m23
%a_m4 = OpAccessChain %sb_m4 %data %u6
%m4 = OpLoad %mat4 %a_m4
)";

std::string assay::test::makeShader(StringRef body, StringRef globals, StringRef functions,
                                    StringRef annotations) {
  return (Twine(Header) + annotations + "\n" + Declarations + globals + Prologue + body +
          "\nOpReturn\nOpFunctionEnd\n" + functions)
      .str();
}

std::vector<uint32_t> assay::test::assembleOrFail(StringRef text) {
  auto words = spirv::assemble(text);
  if (words)
    return std::move(*words);
  ADD_FAILURE() << takeError(words.takeError()).message;
  return {};
}

Expected<std::string> assay::test::translateText(StringRef text, const ShaderDescription &shader,
                                                 Robustness robustness) {
  std::vector<uint32_t> words = assembleOrFail(text);
  if (Error error = spirv::validate(words))
    return addContext(std::move(error), "validate");
  auto spirvModule = spirv::decode(words);
  if (!spirvModule)
    return spirvModule.takeError();
  LLVMContext context;
  std::unique_ptr<Builder> builder = createBuilderRecorder(context);
  auto module = translateShader(shader, *spirvModule, context, *builder, robustness);
  if (!module)
    return module.takeError();
  std::string ir;
  raw_string_ostream os(ir);
  (*module)->print(os, nullptr);
  std::string problem;
  raw_string_ostream problems(problem);
  EXPECT_FALSE(verifyModule(**module, &problems)) << problem << ir;
  return ir;
}
