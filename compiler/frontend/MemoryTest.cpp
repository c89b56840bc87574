// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Pointers of all kinds, and what functions know of those that they get: whole shaders, and what
// their IR must hold in this order.

#include "compiler/frontend/TestShaders.h"

using namespace llvm;
using namespace assay;

namespace {

/// What a module adds to a minimal one, part by part in the order of SPIR-V's logical layout.
struct ModuleParts {
  const char *capabilities = "";
  const char *model = "OpMemoryModel Logical GLSL450";
  const char *annotations = "";
  const char *declarations = "";
  const char *body = "";
  const char *functions = "";
  const char *interface = "%out"; ///< All variables that are used.
};

struct MemoryCase {
  const char *name;
  ModuleParts parts;
  std::vector<const char *> wanted; ///< In this order.
  const char *forbidden = nullptr;
};

void PrintTo(const MemoryCase &test, std::ostream *os) {
  *os << test.name;
}

std::string makeModule(const ModuleParts &parts) {
  return std::string("OpCapability Shader\n") + parts.capabilities + "\n" + parts.model +
         "\nOpEntryPoint GLCompute %main \"main\" " + parts.interface +
         R"(
OpExecutionMode %main LocalSize 4 1 1
OpDecorate %OutBlock Block
OpMemberDecorate %OutBlock 0 Offset 0
OpMemberDecorate %OutBlock 1 Offset 16
OpDecorate %uints ArrayStride 4
OpDecorate %out DescriptorSet 0
OpDecorate %out Binding 0
)" + parts.annotations +
         R"(
%void = OpTypeVoid
%fn = OpTypeFunction %void
%bool = OpTypeBool
%uint = OpTypeInt 32 0
%float = OpTypeFloat 32
%v2uint = OpTypeVector %uint 2
%v4uint = OpTypeVector %uint 4
%u0 = OpConstant %uint 0
%u1 = OpConstant %uint 1
%u2 = OpConstant %uint 2
%u3 = OpConstant %uint 3
%u64 = OpConstant %uint 64
%u264 = OpConstant %uint 264
%true = OpConstantTrue %bool
%uints = OpTypeRuntimeArray %uint
%OutBlock = OpTypeStruct %uint %uints
%sb_OutBlock = OpTypePointer StorageBuffer %OutBlock
%sb_uint = OpTypePointer StorageBuffer %uint
%out = OpVariable %sb_OutBlock StorageBuffer
)" + parts.declarations +
         R"(
%main = OpFunction %void None %fn
%start = OpLabel
)" + parts.body +
         "\nOpReturn\nOpFunctionEnd\n" + parts.functions;
}

const MemoryCase Cases[] = {
    {"Physical addresses",
     {.capabilities = R"(OpCapability PhysicalStorageBufferAddresses
OpCapability Int64
OpExtension "SPV_KHR_physical_storage_buffer")",
      .model = "OpMemoryModel PhysicalStorageBuffer64 GLSL450",
      .annotations = R"(
OpMemberDecorate %Node 0 Offset 0
OpMemberDecorate %Node 1 Offset 8
OpDecorate %Node Block
OpDecorate %p_Node ArrayStride 16
OpDecorate %HeadBlock Block
OpMemberDecorate %HeadBlock 0 Offset 0
OpDecorate %head DescriptorSet 0
OpDecorate %head Binding 1)",
      .declarations = R"(
OpTypeForwardPointer %p_Node PhysicalStorageBuffer
%Node = OpTypeStruct %uint %p_Node
%p_Node = OpTypePointer PhysicalStorageBuffer %Node
%pp_Node = OpTypePointer PhysicalStorageBuffer %p_Node
%p_uint = OpTypePointer PhysicalStorageBuffer %uint
%ulong = OpTypeInt 64 0
%HeadBlock = OpTypeStruct %p_Node
%sb_HeadBlock = OpTypePointer StorageBuffer %HeadBlock
%sb_p_Node = OpTypePointer StorageBuffer %p_Node
%head = OpVariable %sb_HeadBlock StorageBuffer)",
      .body = R"(
%h = OpAccessChain %sb_p_Node %head %u0
%n = OpLoad %p_Node %h
%next_p = OpAccessChain %pp_Node %n %u1
%next = OpLoad %p_Node %next_p Aligned 8
%second = OpPtrAccessChain %p_Node %next %u1
%value = OpAccessChain %p_uint %second %u0
%v = OpLoad %uint %value Aligned 16
OpStore %value %v Aligned 4
OpStore %h %second
%bits = OpConvertPtrToU %ulong %second
%back = OpConvertUToPtr %p_Node %bits
%pair = OpBitcast %v2uint %back
%again = OpBitcast %p_Node %pair
OpStore %h %again)",
      .interface = "%out %head"},
     {"load ptr addrspace(1), ptr addrspace(7)", "getelementptr i8, ptr addrspace(1)", "i64 8",
      "load ptr addrspace(1), ptr addrspace(1)", "align 8", "i64 16", "load i32, ptr addrspace(1)",
      "align 16", "store i32", "align 4", "store ptr addrspace(1)", "ptr addrspace(7)",
      "ptrtoint ptr addrspace(1)", "inttoptr i64", "ptrtoint ptr addrspace(1)", "to <2 x i32>",
      "bitcast <2 x i32>", "inttoptr i64"}},
    {"Variable pointers in memory",
     {.capabilities = "OpCapability VariablePointers",
      .declarations = R"(
%fn_p = OpTypePointer Function %sb_uint
%wg_uint = OpTypePointer Workgroup %uint
%pr_p = OpTypePointer Private %wg_uint
%shared = OpVariable %wg_uint Workgroup
%nowhere = OpConstantNull %wg_uint
%kept = OpVariable %pr_p Private %nowhere)",
      .body = R"(
%local = OpVariable %fn_p Function
%e = OpAccessChain %sb_uint %out %u1 %u3
OpStore %local %e
%p = OpLoad %sb_uint %local
OpStore %p %u1
OpStore %kept %shared
%q = OpLoad %wg_uint %kept
OpStore %q %u2)",
      .interface = "%out %shared %kept"},
     {"@1 = internal addrspace(5) global ptr addrspace(3) inttoptr (i32 -1 to ptr addrspace(3))",
      "alloca [5 x i32]", "store ptr addrspace(7)", "load ptr addrspace(7)", "store i32 1",
      "store ptr addrspace(3)", "load ptr addrspace(3)", "store i32 2, ptr addrspace(3)"}},
    {"Functions give and take pointers",
     {.capabilities = "OpCapability VariablePointers",
      .declarations = R"(
%pick_t = OpTypeFunction %sb_uint %sb_uint %sb_uint %uint)",
      .body = R"(
%a = OpAccessChain %sb_uint %out %u0
%b = OpAccessChain %sb_uint %out %u1 %u3
%r = OpFunctionCall %sb_uint %pick %a %b %u1
OpStore %r %u3)",
      .functions = R"(
%pick = OpFunction %sb_uint None %pick_t
%x = OpFunctionParameter %sb_uint
%y = OpFunctionParameter %sb_uint
%z = OpFunctionParameter %uint
%l = OpLabel
%c = OpIEqual %bool %z %u0
%s = OpSelect %sb_uint %c %x %y
OpReturnValue %s
OpFunctionEnd)"},
     {"call ptr addrspace(7) @", "store i32 3", "define internal ptr addrspace(7)", "select i1 %",
      "ret ptr addrspace(7)"}},
    {"One body for each layout",
     {.capabilities = "OpCapability VariablePointersStorageBuffer",
      .annotations = R"(
OpDecorate %M Block
OpMemberDecorate %M 0 Offset 0
OpMemberDecorate %M 0 ColMajor
OpMemberDecorate %M 0 MatrixStride 16
OpMemberDecorate %M 1 Offset 32
OpMemberDecorate %M 1 RowMajor
OpMemberDecorate %M 1 MatrixStride 8
OpDecorate %m DescriptorSet 0
OpDecorate %m Binding 1)",
      .declarations = R"(
%v2float = OpTypeVector %float 2
%mat2 = OpTypeMatrix %v2float 2
%M = OpTypeStruct %mat2 %mat2
%sb_M = OpTypePointer StorageBuffer %M
%sb_mat2 = OpTypePointer StorageBuffer %mat2
%sb_float = OpTypePointer StorageBuffer %float
%m = OpVariable %sb_M StorageBuffer
%get_t = OpTypeFunction %float %sb_mat2
%sum_t = OpTypeFunction %void %float)",
      .body = R"(
%m0 = OpAccessChain %sb_mat2 %m %u0
%m1 = OpAccessChain %sb_mat2 %m %u1
%r0 = OpFunctionCall %float %get %m0
%r1 = OpFunctionCall %float %get %m1
%r2 = OpFunctionCall %float %get %m0)",
      .functions = R"(
%get = OpFunction %float None %get_t
%p = OpFunctionParameter %sb_mat2
%l = OpLabel
%e = OpAccessChain %sb_float %p %u1 %u0
%v = OpLoad %float %e
OpReturnValue %v
OpFunctionEnd)",
      .interface = "%m"},
     {"call contract float @0(", "call contract float @1(", "call contract float @0(",
      "define internal float @0", "i32 16", "define internal float @1", "i32 4"},
     "@2("},
    {"Descriptors through functions",
     {.capabilities = R"(OpCapability ShaderNonUniform
OpCapability VariablePointersStorageBuffer
OpCapability RuntimeDescriptorArray
OpExtension "SPV_EXT_descriptor_indexing")",
      .annotations = R"(
OpDecorate %many DescriptorSet 1
OpDecorate %many Binding 0)",
      .declarations = R"(
%blocks = OpTypeRuntimeArray %OutBlock
%sb_blocks = OpTypePointer StorageBuffer %blocks
%many = OpVariable %sb_blocks StorageBuffer
%len_t = OpTypeFunction %uint %sb_OutBlock)",
      .body = R"(
%e = OpAccessChain %sb_uint %out %u0
%i = OpLoad %uint %e
%d = OpAccessChain %sb_OutBlock %many %i
%r = OpFunctionCall %uint %len %d
OpStore %e %r)",
      .functions = R"(
%len = OpFunction %uint None %len_t
%p = OpFunctionParameter %sb_OutBlock
%l = OpLabel
%n = OpArrayLength %uint %p 1
OpReturnValue %n
OpFunctionEnd)",
      .interface = "%out %many"},
     {"load.buffer.desc(i32 1, i32 0, i32 %", "call i32 @0(ptr addrspace(7) %", ", i32 %",
      "define internal i32 @0(ptr addrspace(7) %", "buffer.length(i32 1, i32 0, i32 %"}},
    {"A choice between arrays of blocks",
     {.capabilities = R"(OpCapability VariablePointers)",
      .annotations = R"(
OpDecorate %a DescriptorSet 1
OpDecorate %a Binding 0
OpDecorate %b DescriptorSet 1
OpDecorate %b Binding 5)",
      .declarations = R"(
%blocks = OpTypeArray %OutBlock %u3
%sb_blocks = OpTypePointer StorageBuffer %blocks
%a = OpVariable %sb_blocks StorageBuffer
%b = OpVariable %sb_blocks StorageBuffer)",
      .body = R"(
%e = OpAccessChain %sb_uint %out %u0
%i = OpLoad %uint %e
%c = OpIEqual %bool %i %u0
%array = OpSelect %sb_blocks %c %a %b
%p = OpAccessChain %sb_uint %array %u2 %u0
OpStore %p %u1)",
      .interface = "%out %a %b"},
     {"load.buffer.desc(i32 1, i32 5, i32 2)", "load.buffer.desc(i32 1, i32 0, i32 2)",
      "select i1 %", "store i32 1"}},
    {"Built-ins in a structure",
     {.annotations = R"(
OpDecorate %Ids Block
OpMemberDecorate %Ids 0 BuiltIn LocalInvocationId
OpMemberDecorate %Ids 1 BuiltIn NumWorkgroups)",
      .declarations = R"(
%v3uint = OpTypeVector %uint 3
%Ids = OpTypeStruct %v3uint %v3uint
%in_Ids = OpTypePointer Input %Ids
%in_uint = OpTypePointer Input %uint
%ids = OpVariable %in_Ids Input)",
      .body = R"(
%y = OpAccessChain %in_uint %ids %u1 %u2
%n = OpLoad %uint %y
%all = OpLoad %Ids %ids
%x = OpCompositeExtract %uint %all 0 1
%s = OpIAdd %uint %n %x
%e = OpAccessChain %sb_uint %out %u0
OpStore %e %s)",
      .interface = "%out %ids"},
     {"read.built.in.v3i32(i32 0)", "extractelement <3 x i32> %", "read.built.in.v3i32(i32 2)",
      "insertvalue", "add i32"}},
    {"Atomics of 64 bits",
     {.capabilities = R"(OpCapability Int64
OpCapability Int64Atomics
OpCapability Float64
OpCapability AtomicFloat64AddEXT
OpExtension "SPV_EXT_shader_atomic_float_add")",
      .annotations = R"(
OpDecorate %Wide Block
OpMemberDecorate %Wide 0 Offset 0
OpMemberDecorate %Wide 1 Offset 8
OpDecorate %wide DescriptorSet 1
OpDecorate %wide Binding 0)",
      .declarations = R"(
%ulong = OpTypeInt 64 0
%double = OpTypeFloat 64
%long7 = OpConstant %ulong 7
%half = OpConstant %double 0.5
%Wide = OpTypeStruct %ulong %double
%sb_Wide = OpTypePointer StorageBuffer %Wide
%sb_ulong = OpTypePointer StorageBuffer %ulong
%sb_double = OpTypePointer StorageBuffer %double
%wide = OpVariable %sb_Wide StorageBuffer)",
      .body = R"(
%i = OpAccessChain %sb_ulong %wide %u0
%d = OpAccessChain %sb_double %wide %u1
%r1 = OpAtomicIIncrement %ulong %i %u1 %u0
%r2 = OpAtomicCompareExchange %ulong %i %u1 %u0 %u0 %long7 %r1
%r3 = OpAtomicFAddEXT %double %d %u1 %u0 %half
%r4 = OpAtomicExchange %double %d %u1 %u0 %half
%r5 = OpAtomicLoad %double %d %u1 %u0)",
      .interface = "%wide"},
     {"atomicrmw add ptr addrspace(7)", "i64 1 syncscope(\"agent\") monotonic, align 8", "cmpxchg",
      "i64 7 syncscope", "atomicrmw fadd ptr addrspace(7)", "double 5.000000e-01",
      "atomicrmw xchg ptr addrspace(7)", "i64 4602678819172646912", "bitcast i64",
      "load atomic double", "align 8"}},
    {"A buffer has no alias",
     {.body = "%p = OpAccessChain %sb_uint %out %u0\nOpStore %p %u1"},
     {"lgc.load.buffer.desc(i32 0, i32 0, i32 0), !lgc.unaliased"}},
    {"Unless its variable says so",
     {.annotations = "OpDecorate %out Aliased",
      .body = "%p = OpAccessChain %sb_uint %out %u0\nOpStore %p %u1"},
     {"lgc.load.buffer.desc(i32 0, i32 0, i32 0)"},
     "lgc.unaliased"},
    {"Workgroup blocks overlay each other",
     {.capabilities = R"(OpCapability WorkgroupMemoryExplicitLayoutKHR
OpExtension "SPV_KHR_workgroup_memory_explicit_layout")",
      .annotations = R"(
OpDecorate %A Block
OpMemberDecorate %A 0 Offset 0
OpMemberDecorate %A 1 Offset 20
OpDecorate %B Block
OpMemberDecorate %B 0 Offset 16
OpDecorate %a Aliased
OpDecorate %b Aliased)",
      .declarations = R"(
%A = OpTypeStruct %uint %uint
%B = OpTypeStruct %v4uint
%wg_A = OpTypePointer Workgroup %A
%wg_B = OpTypePointer Workgroup %B
%wg_uint = OpTypePointer Workgroup %uint
%wg_v4 = OpTypePointer Workgroup %v4uint
%a = OpVariable %wg_A Workgroup
%b = OpVariable %wg_B Workgroup
%v = OpConstantComposite %v4uint %u0 %u1 %u2 %u3)",
      .body = R"(
%pa = OpAccessChain %wg_uint %a %u1
OpStore %pa %u1
%pb = OpAccessChain %wg_v4 %b %u0
OpStore %pb %v)",
      .interface = "%a %b"},
     {"@shared = internal addrspace(3) global [32 x i8] poison, align 16",
      "getelementptr (i8, ptr addrspace(3) @shared, i32 20)", "store <4 x i32>",
      "getelementptr (i8, ptr addrspace(3) @shared, i32 16), align"}},
    {"Two sets of memory operands",
     {.capabilities = R"(OpCapability VulkanMemoryModel
OpCapability VulkanMemoryModelDeviceScope
OpExtension "SPV_KHR_vulkan_memory_model")",
      .model = "OpMemoryModel Logical Vulkan",
      .body = R"(
%x = OpAccessChain %sb_uint %out %u0
%y = OpAccessChain %sb_uint %out %u1 %u1
OpCopyMemory %x %y MakePointerAvailable|MakePointerVisible|NonPrivatePointer %u1 %u1
%v = OpLoad %uint %x NonPrivatePointer|Aligned 4
OpStore %y %v Volatile|Aligned 16)"},
     {"load volatile i32", "store volatile i32", "load i32", "store volatile i32", "align 16"}},
};

class MemoryShaders : public testing::TestWithParam<MemoryCase> {};

} // namespace

TEST_P(MemoryShaders, MakeTheIrTheyShould) {
  const MemoryCase &param = GetParam();
  auto ir = test::translateText(makeModule(param.parts));
  ASSERT_TRUE(bool(ir)) << takeError(ir.takeError()).message;
  StringRef rest = *ir;
  for (StringRef wanted : param.wanted) {
    size_t at = rest.find(wanted);
    ASSERT_NE(at, StringRef::npos) << wanted.str() << "\n" << *ir;
    rest = rest.drop_front(at + wanted.size());
  }
  if (param.forbidden)
    EXPECT_EQ(ir->find(param.forbidden), std::string::npos) << *ir;
}

/// An index that does not fit 32 bits as bytes must not come around to the start of the buffer.
TEST(RobustAccess2, KeepsIndicesFromWrappingAround) {
  ModuleParts parts;
  parts.body = R"(
%first = OpAccessChain %sb_uint %out %u0
%i = OpLoad %uint %first
%e = OpAccessChain %sb_uint %out %u1 %i
OpStore %e %u3)";
  std::string text = makeModule(parts);
  auto robust = test::translateText(text, {}, Robustness::Access2);
  ASSERT_TRUE(bool(robust)) << takeError(robust.takeError()).message;
  for (const char *wanted : {"mul i64", "trunc i64", "icmp eq i64", "i32 1342177280"})
    EXPECT_NE(robust->find(wanted), std::string::npos) << wanted << "\n" << *robust;
  auto plain = test::translateText(text);
  ASSERT_TRUE(bool(plain)) << takeError(plain.takeError()).message;
  EXPECT_EQ(plain->find("select"), std::string::npos) << *plain;
}

INSTANTIATE_TEST_SUITE_P(All, MemoryShaders, testing::ValuesIn(Cases), [](const auto &info) {
  std::string name = info.param.name;
  llvm::erase_if(name, [](char c) { return !isAlnum(c); });
  return name;
});
