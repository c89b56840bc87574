// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Image instructions: which op each becomes, with which operands and flags, and what is refused.

#include "compiler/frontend/TestShaders.h"
#include "compiler/frontend/Translator.h"
#include "llvm/IR/Module.h"

using namespace llvm;
using namespace assay;

namespace {

struct ImageCase {
  const char *name;
  const char *body;
  std::vector<const char *> wanted; ///< In this order.
  const char *annotations = "";
};

void PrintTo(const ImageCase &test, std::ostream *os) {
  *os << test.name;
}

} // namespace

static const char *const Header = R"(
OpCapability Shader
OpCapability Int64
OpCapability Int64ImageEXT
OpCapability Int64Atomics
OpCapability Sampled1D
OpCapability Image1D
OpCapability SampledCubeArray
OpCapability ImageCubeArray
OpCapability SampledBuffer
OpCapability ImageBuffer
OpCapability ImageQuery
OpCapability ImageGatherExtended
OpCapability StorageImageExtendedFormats
OpCapability StorageImageReadWithoutFormat
OpCapability StorageImageWriteWithoutFormat
OpCapability StorageImageMultisample
OpCapability StorageImageArrayDynamicIndexing
OpCapability AtomicFloat32AddEXT
OpCapability AtomicFloat32MinMaxEXT
OpCapability RuntimeDescriptorArray
OpCapability ShaderNonUniform
OpCapability SampledImageArrayNonUniformIndexing
OpExtension "SPV_EXT_shader_image_int64"
OpExtension "SPV_EXT_shader_atomic_float_add"
OpExtension "SPV_EXT_shader_atomic_float_min_max"
OpExtension "SPV_EXT_descriptor_indexing"
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main" %gid %many)";

static const char *const Modes = R"(
OpExecutionMode %main LocalSize 8 1 1
OpDecorate %gid BuiltIn GlobalInvocationId
)";

/// A variable of each type: name, SPIR-V type.
static constexpr std::pair<const char *, const char *> Resources[] = {
    {"st2d", "OpTypeImage %float 2D 0 0 0 2 Rgba32f"},
    {"st1da", "OpTypeImage %float 1D 0 1 0 2 Unknown"},
    {"st3d", "OpTypeImage %uint 3D 0 0 0 2 R32ui"},
    {"stcubea", "OpTypeImage %float Cube 0 1 0 2 Rgba16f"},
    {"st64", "OpTypeImage %ulong 2D 0 0 0 2 R64ui"},
    {"stf", "OpTypeImage %float 2D 0 0 0 2 R32f"},
    {"sti", "OpTypeImage %int 2D 0 0 0 2 R32i"},
    {"stms", "OpTypeImage %float 2D 0 0 1 2 Rgba8"},
    {"stbuf", "OpTypeImage %uint Buffer 0 0 0 2 R32ui"},
    {"sa2d", "OpTypeImage %float 2D 0 0 0 1 Unknown"},
    {"sa2da", "OpTypeImage %float 2D 0 1 0 1 Unknown"},
    {"sa3d", "OpTypeImage %float 3D 0 0 0 1 Unknown"},
    {"sams", "OpTypeImage %float 2D 0 0 1 1 Unknown"},
    {"saint", "OpTypeImage %int 2D 0 0 0 1 Unknown"},
    {"sabuf", "OpTypeImage %float Buffer 0 0 0 1 Unknown"},
    {"smp", "OpTypeSampler"},
    {"c1d", "OpTypeSampledImage %i_c1d"},
    {"c2d", "OpTypeSampledImage %t_sa2d"},
    {"ccube", "OpTypeSampledImage %i_ccube"},
    {"ccubea", "OpTypeSampledImage %i_ccubea"},
    {"cdepth", "OpTypeSampledImage %i_cdepth"},
};

static const char *const Types = R"(
%void = OpTypeVoid
%fn = OpTypeFunction %void
%uint = OpTypeInt 32 0
%int = OpTypeInt 32 1
%ulong = OpTypeInt 64 0
%float = OpTypeFloat 32
%v2float = OpTypeVector %float 2
%v3float = OpTypeVector %float 3
%v4float = OpTypeVector %float 4
%v2int = OpTypeVector %int 2
%v3int = OpTypeVector %int 3
%v4int = OpTypeVector %int 4
%v2uint = OpTypeVector %uint 2
%v3uint = OpTypeVector %uint 3
%v4uint = OpTypeVector %uint 4
%v4ulong = OpTypeVector %ulong 4
%u0 = OpConstant %uint 0
%u1 = OpConstant %uint 1
%u2 = OpConstant %uint 2
%u4 = OpConstant %uint 4
%u66 = OpConstant %uint 66
%u72 = OpConstant %uint 72
%u2056 = OpConstant %uint 2056
%l5 = OpConstant %ulong 5
%i1 = OpConstant %int 1
%i3 = OpConstant %int 3
%im2 = OpConstant %int -2
%o2 = OpConstantComposite %v2int %i3 %im2
%o2b = OpConstantComposite %v2int %i1 %i1
%offsets_t = OpTypeArray %v2int %u4
%offsets = OpConstantComposite %offsets_t %o2 %o2b %o2 %o2b
%f0 = OpConstant %float 0
%f1 = OpConstant %float 1
%f2 = OpConstant %float 2
%p_in = OpTypePointer Input %v3uint
%gid = OpVariable %p_in Input
%i_c1d = OpTypeImage %float 1D 0 0 0 1 Unknown
%i_ccube = OpTypeImage %float Cube 0 0 0 1 Unknown
%i_ccubea = OpTypeImage %float Cube 0 1 0 1 Unknown
%i_cdepth = OpTypeImage %float 2D 1 0 0 1 Unknown
%tp_uint = OpTypePointer Image %uint
%tp_int = OpTypePointer Image %int
%tp_ulong = OpTypePointer Image %ulong
%tp_float = OpTypePointer Image %float
)";

static const char *const Prologue = R"(
%main = OpFunction %void None %fn
%start = OpLabel
%id = OpLoad %v3uint %gid
%id2 = OpVectorShuffle %v2uint %id %id 0 1
%x = OpCompositeExtract %uint %id 0
%fx = OpConvertUToF %float %x
%p2 = OpConvertUToF %v2float %id2
%p3 = OpConvertUToF %v3float %id
%p4 = OpCompositeConstruct %v4float %p3 %f1
%sampler = OpLoad %t_smp %smp
)";

/// Only the variables that \p body names: each is loaded as %NAME_value.
static std::string makeImageShader(StringRef body, StringRef annotations = "") {
  std::string interface, decorations, variables, loads;
  unsigned binding = 0;
  for (auto [name, type] : Resources) {
    ++binding;
    std::string n = name;
    interface += " %" + n;
    decorations += "OpDecorate %" + n + " DescriptorSet 0\nOpDecorate %" + n + " Binding " +
                   std::to_string(binding) + "\n";
    variables += "%t_" + n + " = " + type + "\n%p_" + n + " = OpTypePointer UniformConstant %t_" +
                 n + "\n%" + n + " = OpVariable %p_" + n + " UniformConstant\n";
    if (body.contains("%" + n + "_value"))
      loads += "%" + n + "_value = OpLoad %t_" + n + " %" + n + "\n";
  }
  variables += "%many_t = OpTypeRuntimeArray %t_c2d\n%p_many = OpTypePointer UniformConstant "
               "%many_t\n%many = OpVariable %p_many UniformConstant\n";
  decorations += "OpDecorate %many DescriptorSet 1\nOpDecorate %many Binding 0\n";
  return Header + interface + Modes + decorations + annotations.str() + Types + variables +
         Prologue + loads + body.str() + "\nOpReturn\nOpFunctionEnd\n";
}

// ImageDim numbers: 0 1D, 1 2D, 2 3D, 3 cube, 4 1D array, 5 2D array, 6 cube array, 7 MSAA. Flags:
// 1 coherent, 2 volatile, 4 lod, 8 gradients, 16 offset, 32 compare, 64 storage, 128 signed, 256
// float.
static const ImageCase Cases[] = {
    {"Descriptors",
     "%a = OpImageRead %v4float %st2d_value %id2\n"
     "%b = OpImageSampleExplicitLod %v4float %c2d_value %p2 Lod %f0",
     {"lgc.descriptor.ptr(i32 0, i32 16, i32 1, i32 0)", // The sampler's part.
      "lgc.descriptor.ptr(i32 0, i32 1, i32 0, i32 0)",
      "lgc.descriptor.ptr(i32 0, i32 18, i32 0, i32 0)", "load <8 x i32>", "!invariant.load",
      "load <8 x i32>", "i32 32", "load <4 x i32>"}},
    {"Reads",
     "%a = OpImageRead %v4float %st2d_value %id2\n"
     "%b = OpImageRead %v4float %st1da_value %id2\n"
     "%c = OpImageRead %v4uint %st3d_value %id\n"
     "%d = OpImageRead %v4float %stcubea_value %id\n"
     "%e = OpImageRead %v4ulong %st64_value %id2\n"
     "%f = OpImageRead %v4float %stms_value %id2 Sample %u2\n"
     "%g = OpImageRead %v4uint %stbuf_value %x",
     {"lgc.image.load.v4f32(i32 1, i32 64,", "lgc.image.load.v4f32(i32 4, i32 64,",
      "lgc.image.load.v4i32(i32 2, i32 64,", "lgc.image.load.v4f32(i32 6, i32 64,",
      "lgc.image.load.v4i64(i32 1, i32 64,", "i32 2, i64 2", "lgc.image.load.v4f32(i32 7, i32 64,",
      "lgc.texel.load.v4i32(i32 64,"}},
    {"Fetches",
     "%a = OpImageFetch %v4float %sa2d_value %id2 Lod %u2\n"
     "%b = OpImageFetch %v4float %sa2d_value %id2 Lod|ConstOffset %u0 %o2\n"
     "%c = OpImageFetch %v4float %sams_value %id2 Sample %u1\n"
     "%d = OpImageFetch %v4int %saint_value %id2 Lod %u0\n"
     "%e = OpImageFetch %v4float %sabuf_value %x\n"
     "%h = OpImage %t_sa2d %c2d_value\n"
     "%i = OpImageFetch %v4float %h %id2 Lod %u1",
     {"lgc.image.load.v4f32(i32 1, i32 4,", "i32 2)", "add i32", ", 3", "add i32", ", -2",
      "lgc.image.load.v4f32(i32 1, i32 4,", "lgc.image.load.v4f32(i32 7, i32 0,", "i32 poison)",
      "lgc.image.load.v4i32(i32 1, i32 132,", "lgc.texel.load.v4f32(i32 0,", "extractvalue",
      "lgc.image.load.v4f32(i32 1, i32 4,"}},
    {"Writes",
     "OpImageWrite %st2d_value %id2 %p4\n"
     "%v = OpCompositeConstruct %v4ulong %l5 %l5 %l5 %l5\n"
     "OpImageWrite %st64_value %id2 %v\n"
     "%w = OpCompositeConstruct %v4uint %x %x %x %x\n"
     "OpImageWrite %stbuf_value %x %w\n"
     "OpImageWrite %stf_value %id2 %fx\n"
     "OpImageWrite %stms_value %id2 %p4 Sample %u1",
     {"bitcast <4 x float>", "lgc.image.store(i32 1, i32 320,", "lgc.image.store(i32 1, i32 64,",
      "splat (i64 5)", "i32 0, i32 0>)", "lgc.texel.store(i32 64,", "<4 x i32> zeroinitializer",
      "lgc.image.store(i32 1, i32 320,", "lgc.image.store(i32 7, i32 320,"}},
    {"Coherence",
     "%a = OpImageRead %v4float %st2d_value %id2\n"
     "%b = OpImageRead %v4float %st1da_value %id2\n"
     "%t = OpImageTexelPointer %tp_uint %st3d %id %u0\n"
     "%d = OpAtomicIAdd %uint %t %u1 %u0 %u1",
     {"lgc.image.load.v4f32(i32 1, i32 66,", "lgc.image.load.v4f32(i32 4, i32 64,",
      "lgc.image.atomic.i32(i32 2, i32 66, i32 1,"},
     "OpDecorate %st2d Coherent\nOpDecorate %st3d Volatile\n"},
    {"Samples",
     "%a = OpImageSampleExplicitLod %v4float %c1d_value %fx Lod %f2\n"
     "%b = OpImageSampleExplicitLod %v4float %c2d_value %p2 Lod|ConstOffset %f2 %o2\n"
     "%c = OpImageSampleExplicitLod %v4float %c2d_value %p2 Grad %p2 %p2\n"
     "%d = OpImageSampleExplicitLod %v4float %ccube_value %p3 Grad %p3 %p3\n"
     "%e = OpImageSampleExplicitLod %v4float %ccubea_value %p4 Lod %f0\n",
     {"lgc.image.sample.v4f32(i32 0, i32 4,", "float 2.0", "lgc.image.sample.v4f32(i32 1, i32 20,",
      "i32 15875", // 3 | 0x3e << 8
      "lgc.image.sample.v4f32(i32 1, i32 8,", "lgc.image.sample.v4f32(i32 3, i32 8,",
      "lgc.image.sample.v4f32(i32 6, i32 4,"}},
    {"Depth comparisons",
     "%a = OpImageSampleDrefExplicitLod %float %cdepth_value %p2 %fx Lod %f0\n"
     "%b = OpImageSampleProjExplicitLod %v4float %c2d_value %p3 Lod %f0\n"
     "%c = OpImageSampleProjDrefExplicitLod %float %cdepth_value %p3 %fx Lod %f0\n"
     "%d = OpImageDrefGather %v4float %cdepth_value %p2 %fx",
     {"lgc.image.sample.f32(i32 1, i32 36,", "lgc.fdiv", "lgc.fdiv",
      "lgc.image.sample.v4f32(i32 1, i32 4,", "lgc.fdiv", "lgc.fdiv", "lgc.fdiv",
      "lgc.image.sample.f32(i32 1, i32 36,", "lgc.image.gather.v4f32(i32 1, i32 32, i32 0,"}},
    {"Gathers",
     "%a = OpImageGather %v4float %c2d_value %p2 %u2\n"
     "%b = OpImageGather %v4float %c2d_value %p2 %u1 Offset %id2i\n"
     "%c = OpImageGather %v4float %c2d_value %p2 %u0 ConstOffsets %offsets",
     {"lgc.image.gather.v4f32(i32 1, i32 0, i32 2,", "and i32", "63", "shl i32",
      "lgc.image.gather.v4f32(i32 1, i32 16, i32 1,",
      "lgc.image.gather.v4f32(i32 1, i32 16, i32 0,", "i32 15875", "i64 3",
      "lgc.image.gather.v4f32(i32 1, i32 16, i32 0,", "i32 257", "i64 3",
      "lgc.image.gather.v4f32(i32 1, i32 16, i32 0,", "i32 15875",
      "lgc.image.gather.v4f32(i32 1, i32 16, i32 0,", "i32 257"}},
    {"Images and samplers apart",
     "%s = OpSampledImage %t_c2d %sa2d_value %sampler\n"
     "%a = OpImageSampleExplicitLod %v4float %s %p2 Lod %f0",
     {"insertvalue", "insertvalue", "extractvalue", "extractvalue",
      "lgc.image.sample.v4f32(i32 1,"}},
    {"Arrays",
     "%p = OpAccessChain %p_c2d %many %x\n"
     "%s = OpLoad %t_c2d %p\n"
     "%a = OpImageSampleExplicitLod %v4float %s %p2 Lod %f0",
     {"lgc.descriptor.ptr(i32 1, i32 0, i32 0, i32 %", "load <8 x i32>", "load <4 x i32>",
      "lgc.image.sample.v4f32(i32 1,"},
     "OpDecorate %p NonUniform\nOpDecorate %s NonUniform\n"},
    {"Texel atomics",
     "%t = OpImageTexelPointer %tp_uint %st3d %id %u0\n"
     "%a = OpAtomicLoad %uint %t %u1 %u66\n"
     "OpAtomicStore %t %u1 %u0 %u4\n"
     "%b = OpAtomicExchange %uint %t %u1 %u0 %u4\n"
     "%c = OpAtomicCompareExchange %uint %t %u1 %u0 %u0 %u4 %u2\n"
     "%d = OpAtomicIIncrement %uint %t %u1 %u0\n"
     "%e = OpAtomicIDecrement %uint %t %u1 %u0\n"
     "%f = OpAtomicIAdd %uint %t %u1 %u2056 %u4\n"
     "%g = OpAtomicISub %uint %t %u1 %u0 %u4\n"
     "%ti = OpImageTexelPointer %tp_int %sti %id2 %u0\n"
     "%h = OpAtomicSMin %int %ti %u1 %u0 %i1\n"
     "%i = OpAtomicSMax %int %ti %u1 %u0 %i1\n"
     "%j = OpAtomicUMin %uint %t %u1 %u0 %u4\n"
     "%k = OpAtomicUMax %uint %t %u1 %u0 %u4\n"
     "%l = OpAtomicAnd %uint %t %u1 %u0 %u4\n"
     "%m = OpAtomicOr %uint %t %u1 %u0 %u4\n"
     "%n = OpAtomicXor %uint %t %u1 %u0 %u4\n"
     "%tl = OpImageTexelPointer %tp_ulong %st64 %id2 %u0\n"
     "%o = OpAtomicIAdd %ulong %tl %u1 %u0 %l5\n"
     "%tf = OpImageTexelPointer %tp_float %stf %id2 %u0\n"
     "%p = OpAtomicFAddEXT %float %tf %u1 %u0 %f1\n"
     "%q = OpAtomicExchange %float %tf %u1 %u0 %f1\n"
     "%q1 = OpAtomicFMinEXT %float %tf %u1 %u0 %f1\n"
     "%q2 = OpAtomicFMaxEXT %float %tf %u1 %u0 %f1\n"
     "%tb = OpImageTexelPointer %tp_uint %stbuf %x %u0\n"
     "%r = OpAtomicIAdd %uint %tb %u1 %u0 %u4",
     {"lgc.image.load.v4i32(i32 2, i32 66,",
      "fence syncscope(\"agent\") acquire",
      "lgc.image.store(i32 2, i32 66,",
      "atomic.i32(i32 2, i32 64, i32 0,",
      "atomic.i32(i32 2, i32 64, i32 10,",
      "i32 4, i32 2)",
      "atomic.i32(i32 2, i32 64, i32 1,",
      "i32 1, i32 poison)",
      "atomic.i32(i32 2, i32 64, i32 2,",
      "i32 1, i32 poison)",
      "release",
      "atomic.i32(i32 2, i32 64, i32 1,",
      "acquire",
      "atomic.i32(i32 2, i32 64, i32 2,",
      "atomic.i32(i32 1, i32 64, i32 3,",
      "atomic.i32(i32 1, i32 64, i32 5,",
      "atomic.i32(i32 2, i32 64, i32 4,",
      "atomic.i32(i32 2, i32 64, i32 6,",
      "atomic.i32(i32 2, i32 64, i32 7,",
      "atomic.i32(i32 2, i32 64, i32 8,",
      "atomic.i32(i32 2, i32 64, i32 9,",
      "atomic.i64(i32 1, i32 64, i32 1,",
      "atomic.f32(i32 1, i32 64, i32 11,",
      "atomic.f32(i32 1, i32 64, i32 0,",
      "atomic.f32(i32 1, i32 64, i32 12,",
      "atomic.f32(i32 1, i32 64, i32 13,",
      "lgc.texel.atomic.i32(i32 64, i32 1,"}},
    {"Queries",
     "%a = OpImageQuerySize %v2int %st2d_value\n"
     "%b = OpImageQuerySize %v3int %stcubea_value\n"
     "%c = OpImageQuerySize %int %stbuf_value\n"
     "%d = OpImageQuerySizeLod %v2int %sa2d_value %u1\n"
     "%e = OpImageQuerySizeLod %v3int %sa3d_value %u0\n"
     "%f = OpImageQueryLevels %int %sa2d_value\n"
     "%g = OpImageQuerySamples %int %sams_value\n"
     "%h = OpImageQuerySize %v2uint %sams_value",
     {"lgc.image.query.size(i32 1, i32 64,", "i32 0)", "lgc.image.query.size(i32 6, i32 64,",
      "lgc.texel.count(", "lgc.image.query.size(i32 1, i32 0,", "i32 1)",
      "lgc.image.query.size(i32 2, i32 0,", "lgc.image.query.size(i32 1, i32 0,",
      "extractelement <4 x i32>", "i64 3", "lgc.image.query.samples(",
      "lgc.image.query.size(i32 7, i32 0,"}},
};

namespace {
class Images : public testing::TestWithParam<ImageCase> {};
} // namespace

static std::string fullBody(const ImageCase &test) {
  std::string body = test.body;
  if (body.find("%id2i") != std::string::npos)
    body = "%id2i = OpBitcast %v2int %id2\n" + body;
  return body;
}

TEST_P(Images, BecomeTheRightOps) {
  auto ir = test::translateText(makeImageShader(fullBody(GetParam()), GetParam().annotations));
  ASSERT_TRUE(bool(ir)) << takeError(ir.takeError()).message;
  size_t position = 0;
  for (StringRef wanted : GetParam().wanted) {
    size_t found = ir->find(wanted.str(), position);
    ASSERT_NE(found, std::string::npos) << "missing '" << wanted.str() << "' in\n" << *ir;
    position = found + 1;
  }
}

INSTANTIATE_TEST_SUITE_P(All, Images, testing::ValuesIn(Cases), [](const auto &info) {
  std::string name = info.param.name;
  llvm::erase_if(name, [](char c) { return !isAlnum(c); });
  return name;
});

TEST(ImageOperandsTest, MayAskForVisibility) {
  std::string text = makeImageShader(
      "%a = OpImageRead %v4float %st1da_value %id2 VolatileTexel\n"
      "%b = OpImageRead %v4float %st1da_value %id2 MakeTexelVisible|NonPrivateTexel "
      "%u1\n"
      "OpImageWrite %st2d_value %id2 %p4 MakeTexelAvailable|NonPrivateTexel %u1");
  auto replace = [&](StringRef old, StringRef with) {
    size_t at = text.find(old.str());
    ASSERT_NE(at, std::string::npos);
    text.replace(at, old.size(), with.str());
  };
  replace("OpCapability Int64\n", "OpCapability Int64\nOpCapability VulkanMemoryModel\n"
                                  "OpCapability VulkanMemoryModelDeviceScope\n");
  replace("Logical GLSL450", "Logical Vulkan");
  auto ir = test::translateText(text);
  ASSERT_TRUE(bool(ir)) << takeError(ir.takeError()).message;
  for (const char *wanted :
       {"lgc.image.load.v4f32(i32 4, i32 66,", "lgc.image.load.v4f32(i32 4, i32 65,",
        "lgc.image.store(i32 1, i32 321,"})
    EXPECT_NE(ir->find(wanted), std::string::npos) << wanted << " in\n" << *ir;
}

// Descriptors are values: a function may take them as such.
TEST(ImageParameters, MayBePassedByValue) {
  std::string text = makeImageShader("%a = OpFunctionCall %v4float %look %c2d_value %p2\n"
                                     "%b = OpFunctionCall %v4float %get %sa2d_value %id2");
  text += "%look = OpFunction %v4float None %look_t\n%s = OpFunctionParameter %t_c2d\n"
          "%at = OpFunctionParameter %v2float\n%l1 = OpLabel\n"
          "%r1 = OpImageSampleExplicitLod %v4float %s %at Lod %f0\nOpReturnValue %r1\n"
          "OpFunctionEnd\n"
          "%get = OpFunction %v4float None %get_t\n%i = OpFunctionParameter %t_sa2d\n"
          "%p = OpFunctionParameter %v2uint\n%l2 = OpLabel\n"
          "%r2 = OpImageFetch %v4float %i %p Lod %u0\nOpReturnValue %r2\nOpFunctionEnd\n";
  size_t at = text.find("%main = OpFunction");
  text.insert(at, "%look_t = OpTypeFunction %v4float %t_c2d %v2float\n"
                  "%get_t = OpTypeFunction %v4float %t_sa2d %v2uint\n");
  auto ir = test::translateText(text);
  ASSERT_TRUE(bool(ir)) << takeError(ir.takeError()).message;
  EXPECT_NE(ir->find("({ <8 x i32>, <4 x i32> } %"), std::string::npos) << *ir;
  EXPECT_NE(ir->find("(<8 x i32> %"), std::string::npos) << *ir;
}

// Before SPIR-V 1.6, texel buffers came as sampled images.
TEST(ImageTypes, TexelBuffersMayBeSampledImages) {
  std::string text = makeImageShader("%b = OpLoad %cbuf_t %cbuf\n%i = OpImage %t_sabuf %b\n"
                                     "%a = OpImageFetch %v4float %i %x\n");
  auto insert = [&](StringRef before, StringRef what) {
    text.insert(text.find(before.str()), what.str());
  };
  insert("%many_t =", "%cbuf_t = OpTypeSampledImage %t_sabuf\n"
                      "%p_cbuf = OpTypePointer UniformConstant %cbuf_t\n"
                      "%cbuf = OpVariable %p_cbuf UniformConstant\n");
  insert("OpDecorate %many D", "OpDecorate %cbuf DescriptorSet 2\nOpDecorate %cbuf Binding 0\n");
  std::vector<uint32_t> words = test::assembleOrFail(text);
  constexpr uint32_t Version15 = 0x00010500;
  words[1] = Version15;
  Expected<spirv::Module> module = spirv::decode(words);
  ASSERT_TRUE(bool(module)) << takeError(module.takeError()).message;
  LLVMContext context;
  auto builder = createBuilderRecorder(context);
  auto ir = translateShader({}, *module, context, *builder);
  ASSERT_TRUE(bool(ir)) << takeError(ir.takeError()).message;
  Function *load = (*ir)->getFunction("lgc.texel.load.v4f32");
  EXPECT_TRUE(load && load->hasOneUse());
}

static void expectRefusal(StringRef body, StringRef reason) {
  auto ir = test::translateText(makeImageShader(body));
  ASSERT_FALSE(bool(ir)) << *ir;
  ErrorParts parts = takeError(ir.takeError());
  EXPECT_EQ(parts.kind, ErrorKind::Unsupported);
  EXPECT_NE(parts.message.find(reason.str()), std::string::npos) << parts.message;
}

TEST(ImageRefusals, NameWhatIsMissing) {
  expectRefusal("%t = OpImageTexelPointer %tp_float %stf %id2 %u0\n"
                "%c = OpCopyObject %tp_float %t",
                "OpCopyObject");
}

TEST(ImageCoverage, EveryRowIsTested) {
  std::string text;
  for (const ImageCase &test : Cases)
    text += fullBody(test) + "\n";
  for (auto family : {imageOpcodes, imageSampleOpcodes})
    for (const OpcodeRow &row : family()) {
      std::string name = spirv::opcodeName(row.opcode) + " ";
      EXPECT_NE(text.find(name), std::string::npos) << name;
    }
}
