// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Device addresses, arrays of descriptors, robust access, workgroup memory with explicit layout.
#include "oracles/machine/spirv/AssembledCase.h"

using namespace llvm;
using namespace assay;
using namespace assay::reference;
using namespace assay::reference::testing;

namespace {
/// A snippet whose %in begins with the address of byte \p targetOffset of %fin, which is \p fin.
Case addressCase(Snippet snippet, uint64_t targetOffset = 0) {
  snippet.capabilities = "OpCapability PhysicalStorageBufferAddresses\nOpCapability Int64\n"
                         "OpExtension \"SPV_KHR_physical_storage_buffer\"\n" +
                         snippet.capabilities;
  snippet.memoryModel = "PhysicalStorageBuffer64 GLSL450";
  snippet.decorations += "OpDecorate %fnode Block\nOpMemberDecorate %fnode 0 Offset 0\n"
                         "OpMemberDecorate %fnode 1 Offset 4\nOpDecorate %node4 ArrayStride 4\n"
                         "OpDecorate %addresses Block\nOpMemberDecorate %addresses 0 Offset 0\n"
                         "OpMemberDecorate %addresses 1 Offset 8\nOpDecorate %ain DescriptorSet 0\n"
                         "OpDecorate %ain Binding 0\nOpDecorate %ain Aliased\n"
                         "OpDecorate %pd_float ArrayStride 4\n";
  snippet.globals = "%ulong = OpTypeInt 64 0\n%long_4 = OpConstant %ulong 4\n%u_0x7f = OpConstant "
                    "%uint 127\n%node4 = OpTypeArray %uint %u_4\n%fnode = OpTypeStruct %float "
                    "%node4\n%pd_node = OpTypePointer PhysicalStorageBuffer %fnode\n"
                    "%pd_float = OpTypePointer PhysicalStorageBuffer %float\n"
                    "%pd_uint = OpTypePointer PhysicalStorageBuffer %uint\n"
                    "%addresses = OpTypeStruct %pd_node %ulong\n"
                    "%p_addresses = OpTypePointer StorageBuffer %addresses\n"
                    "%p_node = OpTypePointer StorageBuffer %pd_node\n"
                    "%p_ulong = OpTypePointer StorageBuffer %ulong\n"
                    "%ain = OpVariable %p_addresses StorageBuffer\n" +
                    snippet.globals;
  snippet.interface += "%ain ";
  snippet.body =
      "%where = OpAccessChain %p_node %ain %u_0\n%node = OpLoad %pd_node %where\n" + snippet.body;
  Case input = makeCase(snippet);
  input.addresses.push_back({2, 0, 0, targetOffset});
  return input;
}

Snippet addressSnippet(const std::string &body) {
  Snippet snippet;
  snippet.in = {0, 0, 0, 0};
  snippet.fin = {1.5f, 2.5f, 3.5f, 4.5f, 5.5f, 6.5f};
  snippet.body = body;
  return snippet;
}
} // namespace

TEST(DeviceAddress, ReachesMembersOfItsBuffer) {
  Outcome outcome = runCase(addressCase(addressSnippet(
      "%p = OpAccessChain %pd_float %node %u_0\n%x = OpLoad %float %p Aligned 4\n"
      "%q = OpAccessChain %pd_uint %node %u_1 %u_2\n%y = OpLoad %uint %q Aligned 4\n" +
      storeFloat("%x", "%u_0") + storeUint("%y", "%u_1"))));
  EXPECT_EQ(bit_cast<float>(word(finalState(outcome, 3), 0)), 1.5f);
  EXPECT_EQ(bit_cast<float>(word(finalState(outcome, 1), 1)), 4.5f);
  EXPECT_EQ(word(finalState(outcome, 0), 0), 0u); // The address itself reads as 0.
  EXPECT_EQ(word(finalState(outcome, 0), 1), 0u);
}

TEST(DeviceAddress, TravelsThroughIntegersAndArithmetic) {
  Outcome outcome = runCase(addressCase(
      addressSnippet("%bits = OpConvertPtrToU %ulong %node\n%next = OpIAdd %ulong %bits %long_4\n"
                     "%p = OpConvertUToPtr %pd_float %next\n%x = OpLoad %float %p Aligned 4\n"
                     "%words = OpBitcast %uvec2 %p\n%r = OpBitcast %pd_float %words\n"
                     "%s = OpPtrAccessChain %pd_float %r %u_2\n%y = OpLoad %float %s Aligned 4\n"
                     "OpStore %s %f_1 Aligned 4\n" +
                     storeFloat("%x", "%u_0") + storeFloat("%y", "%u_1"))));
  EXPECT_EQ(bit_cast<float>(word(finalState(outcome, 3), 0)), 2.5f);
  EXPECT_EQ(bit_cast<float>(word(finalState(outcome, 3), 1)), 4.5f);
  EXPECT_EQ(bit_cast<float>(word(finalState(outcome, 2), 3)), 1.0f);
}

TEST(DeviceAddress, IsNotKnownWhereItIsStored) {
  Outcome outcome = runCase(addressCase(
      addressSnippet("%bits = OpConvertPtrToU %ulong %node\n%low = OpUConvert %uint %bits\n"
                     "%same = OpISub %ulong %bits %bits\n%zero = OpUConvert %uint %same\n" +
                     storeUint("%low", "%u_0") + storeUint("%zero", "%u_1"))));
  std::map<uint64_t, uint64_t> expected = {{0, 4}};
  EXPECT_EQ(finalState(outcome, 1).indeterminate, expected);
}

TEST(DeviceAddress, HasBoundsAndAnAlignment) {
  const char *load =
      "%q = OpAccessChain %pd_uint %node %u_1 %u_3\n%y = OpLoad %uint %q Aligned 4\n";
  EXPECT_EQ(runCase(addressCase(addressSnippet(load), 4)).kind, OutcomeKind::Completed);
  EXPECT_EQ(ruleOf(runCase(addressCase(addressSnippet(load), 8))), "UB-OOB");
  EXPECT_EQ(ruleOf(runCase(addressCase(addressSnippet(load), 2))), "UB-ALIGN");
}

TEST(DeviceAddress, OfNothingIsUndefined) {
  EXPECT_EQ(
      ruleOf(runCase(addressCase(addressSnippet(
          "%null = OpConvertUToPtr %pd_float %long_4\n%x = OpLoad %float %null Aligned 4\n")))),
      "UB-OOB");
  EXPECT_EQ(ruleOf(runCase(addressCase(addressSnippet(
                "%zero = OpUConvert %ulong %u_0\n%null = OpConvertUToPtr %pd_float %zero\n"
                "%x = OpLoad %float %null Aligned 4\n")))),
            "UB-NULLPTR");
}

namespace {
/// %blocks: an array of storage buffers in set 1, of which the case binds the first two: %in and
/// %fin. %a chooses.
Case arrayCase(const std::string &array, const std::string &decorations, const std::string &body,
               std::vector<uint32_t> in, uint32_t localSize = 1,
               const std::string &interface = "") {
  Snippet snippet;
  snippet.capabilities = "OpCapability ShaderNonUniform\nOpCapability RuntimeDescriptorArray\n"
                         "OpCapability VariablePointers\n"
                         "OpCapability StorageBufferArrayNonUniformIndexing\n"
                         "OpExtension \"SPV_EXT_descriptor_indexing\"\n";
  bool hasPointer = array.find("%p_blocks") != std::string::npos;
  snippet.globals = array +
                    (hasPointer ? "" : "%p_blocks = OpTypePointer StorageBuffer %ublocks\n") +
                    "%blocks = OpVariable %p_blocks StorageBuffer\n";
  snippet.decorations =
      "OpDecorate %blocks DescriptorSet 1\nOpDecorate %blocks Binding 0\n" + decorations;
  snippet.interface = "%blocks " + interface;
  snippet.in = std::move(in);
  snippet.fin = {2};
  snippet.localSize = localSize;
  snippet.body = body;
  Case input = makeCase(snippet);
  for (unsigned i = 0; i < 2; ++i) {
    BufferBinding binding;
    binding.set = 1;
    binding.arrayElement = i;
    binding.buffer = 2 * i;
    input.pipelines[0].bindings.push_back(binding);
  }
  return input;
}
const char runtimeBlocks[] = "%ublocks = OpTypeRuntimeArray %ublock\n";
const char threeBlocks[] = "%u3 = OpConstant %uint 3\n%ublocks = OpTypeArray %ublock %u3\n";
} // namespace

TEST(DescriptorArray, MayBeOpenEnded) {
  std::string body = "%p = OpAccessChain %p_uint %blocks %a %u_0 %u_0\n%x = OpLoad %uint %p\n" +
                     storeUint("%x", "%u_0");
  Outcome outcome = runCase(arrayCase(runtimeBlocks, "", body, {1}));
  EXPECT_EQ(word(finalState(outcome), 0), bit_cast<uint32_t>(2.0f));
  EXPECT_EQ(ruleOf(runCase(arrayCase(runtimeBlocks, "", body, {2}))), "UB-NULLDESC");
  EXPECT_EQ(ruleOf(runCase(arrayCase(runtimeBlocks, "", body, {64}))), "UB-OOB");
  EXPECT_EQ(ruleOf(runCase(arrayCase(threeBlocks, "", body, {3}))), "UB-OOB");
}

TEST(DescriptorArray, MayBeChosenFromByAVariablePointer) {
  std::string body = "%first = OpIEqual %bool %a %u_0\n"
                     "%array = OpSelect %p_blocks %first %blocks %more\n"
                     "%p = OpAccessChain %p_uint %array %u_1 %u_0 %u_0\n%x = OpLoad %uint %p\n" +
                     storeUint("%x", "%u_0");
  std::string array = std::string(threeBlocks) +
                      "%p_blocks = OpTypePointer StorageBuffer %ublocks\n"
                      "%more = OpVariable %p_blocks StorageBuffer\n";
  Case input = arrayCase(array, "OpDecorate %more DescriptorSet 2\nOpDecorate %more Binding 0\n",
                         body, {0}, 1, "%more ");
  EXPECT_EQ(word(finalState(runCase(input)), 0), bit_cast<uint32_t>(2.0f));
  input.buffers[0].bytes[0] = 1;
  EXPECT_EQ(ruleOf(runCase(input)), "UB-NULLDESC");
}

TEST(DescriptorArray, NeedsNonUniformWhereInvocationsDiffer) {
  std::string body = "%p = OpAccessChain %p_uint %blocks %lid %u_0 %u_0\n%x = OpLoad %uint %p\n" +
                     storeUint("%x", "%lid");
  EXPECT_EQ(ruleOf(runCase(arrayCase(threeBlocks, "", body, {5}, 2))), "UB-NONUNIFORM");
  Outcome outcome = runCase(arrayCase(threeBlocks, "OpDecorate %p NonUniform\n", body, {5}, 2));
  EXPECT_EQ(word(finalState(outcome), 0), 5u);
  EXPECT_EQ(word(finalState(outcome), 1), bit_cast<uint32_t>(2.0f));
}

TEST(DescriptorArray, MayDifferBetweenSubgroupsAndPlaces) {
  // Each invocation of a subgroup takes block 0 in the first iteration and block 1 in the next.
  std::string body =
      "OpBranch %head\n%head = OpLabel\n%i = OpPhi %uint %u_0 %entry %n %go\n"
      "%more = OpULessThan %bool %i %u_2\nOpLoopMerge %end %go None\n"
      "OpBranchConditional %more %in1 %end\n%in1 = OpLabel\n"
      "%p = OpAccessChain %p_uint %blocks %i %u_0 %u_0\n%x = OpLoad %uint %p\nOpBranch %go\n"
      "%go = OpLabel\n%n = OpIAdd %uint %i %u_1\nOpBranch %head\n%end = OpLabel\n";
  EXPECT_EQ(runCase(arrayCase(threeBlocks, "", body, {5}, 4)).kind, OutcomeKind::Completed);
  std::string bySubgroup = "%half = OpUDiv %uint %lid %u_2\n"
                           "%p = OpAccessChain %p_uint %blocks %half %u_0 %u_0\n"
                           "%x = OpLoad %uint %p\n";
  Case input = arrayCase(threeBlocks, "", bySubgroup, {5}, 4);
  RunOptions options;
  options.subgroupSize = 2;
  EXPECT_EQ(runCase(input, options).kind, OutcomeKind::Completed);
  options.subgroupSize = 4;
  EXPECT_EQ(ruleOf(runCase(input, options)), "UB-NONUNIFORM");
}

namespace {
/// Reads and writes %in and %out beyond their ends.
Outcome runRobust(Robustness robustness, const std::string &body, uint32_t outWords = 4) {
  Snippet snippet;
  snippet.in = {11, 12};
  snippet.outWords = outWords;
  snippet.body = body;
  Case input = makeCase(snippet);
  input.pipelines[0].description.robustness = robustness;
  return runCase(input);
}
std::string copyWord(const char *from, const char *to) {
  return std::string("%p = OpAccessChain %p_uint %in %u_0 ") + from + "\n%x = OpLoad %uint %p\n" +
         storeUint("%x", to);
}
} // namespace

TEST(RobustAccess, ReadsZeroAndDropsWrites) {
  Outcome outcome =
      runRobust(Robustness::Access2,
                copyWord("%u_9", "%u_1") + storeUint("%u_5", "%u_4") + storeUint("%u_7", "%u_2"));
  const BufferState &state = finalState(outcome);
  EXPECT_TRUE(state.indeterminate.empty());
  EXPECT_EQ(word(state, 1), 0u);
  EXPECT_EQ(word(state, 2), 7u);
}

TEST(RobustAccess, WithoutItTheSameIsUndefined) {
  EXPECT_EQ(ruleOf(runRobust(Robustness::None, copyWord("%u_9", "%u_1"))), "UB-OOB");
}

TEST(RobustAccess, MayReturnWhatTheInvocationWroteOutside) {
  Outcome outcome =
      runRobust(Robustness::Access2, storeUint("%u_5", "%u_40", "in") + copyWord("%u_9", "%u_1"));
  std::map<uint64_t, uint64_t> expected = {{4, 4}};
  EXPECT_EQ(finalState(outcome).indeterminate, expected);
}

TEST(RobustAccess, OfTheFirstKindPromisesLittle) {
  Outcome outcome = runRobust(Robustness::Access, copyWord("%u_9", "%u_1"));
  std::map<uint64_t, uint64_t> expected = {{4, 4}};
  EXPECT_EQ(finalState(outcome).indeterminate, expected);
  outcome = runRobust(Robustness::Access, storeUint("%u_5", "%u_40") + storeUint("%u_7", "%u_2"));
  expected = {{0, 16}}; // The write may go anywhere in the buffer.
  EXPECT_EQ(finalState(outcome).indeterminate, expected);
  outcome = runRobust(Robustness::Access, copyWord("%u_2", "%u_1"));
  EXPECT_EQ(outcome.kind, OutcomeKind::Unsupported);
  EXPECT_EQ(outcome.reason.find("imprecise: "), 0u);
}

TEST(RobustAccess, ABranchOnAnOpenValueIsUnsupported) {
  Outcome outcome = runRobust(Robustness::Access,
                              "%p = OpAccessChain %p_uint %in %u_0 %u_9\n%x = OpLoad %uint %p\n"
                              "%c = OpIEqual %bool %x %u_0\nOpSelectionMerge %m None\n"
                              "OpBranchConditional %c %t %m\n%t = OpLabel\nOpBranch %m\n"
                              "%m = OpLabel\n");
  EXPECT_EQ(outcome.kind, OutcomeKind::Unsupported);
  EXPECT_EQ(outcome.reason.find("imprecise: "), 0u);
}

TEST(RobustAccess, KeepsAtomicsFromMemory) {
  Outcome outcome = runRobust(Robustness::Access2, "%p = OpAccessChain %p_uint %out %u_0 %u_9\n"
                                                   "%x = OpAtomicIAdd %uint %p %u_1 %u_0 %u_1\n" +
                                                       storeUint("%x", "%u_1"));
  std::map<uint64_t, uint64_t> expected = {{4, 4}};
  EXPECT_EQ(finalState(outcome).indeterminate, expected);
  EXPECT_EQ(word(finalState(outcome), 0), 0u);
}

namespace {
/// Two blocks over the same workgroup memory: four words, and the two halves of eight bytes.
Snippet aliasSnippet(const std::string &body) {
  Snippet snippet;
  snippet.capabilities = "OpCapability Int64\nOpCapability WorkgroupMemoryExplicitLayoutKHR\n"
                         "OpExtension \"SPV_KHR_workgroup_memory_explicit_layout\"\n";
  snippet.decorations = "OpDecorate %words Block\nOpMemberDecorate %words 0 Offset 0\n"
                        "OpDecorate %wide Block\nOpMemberDecorate %wide 0 Offset 8\n"
                        "OpDecorate %w4 ArrayStride 4\nOpDecorate %asWords Aliased\n"
                        "OpDecorate %asWide Aliased\n";
  snippet.globals = "%ulong = OpTypeInt 64 0\n%w4 = OpTypeArray %uint %u_4\n"
                    "%words = OpTypeStruct %w4\n%wide = OpTypeStruct %ulong\n"
                    "%pw_words = OpTypePointer Workgroup %words\n"
                    "%pw_wide = OpTypePointer Workgroup %wide\n"
                    "%pw_ulong = OpTypePointer Workgroup %ulong\n"
                    "%pw_word = OpTypePointer Workgroup %uint\n"
                    "%asWords = OpVariable %pw_words Workgroup\n"
                    "%asWide = OpVariable %pw_wide Workgroup\n";
  snippet.interface = "%asWords %asWide ";
  snippet.body = body;
  return snippet;
}
/// The module may have no other variable in workgroup memory than blocks.
Case withoutShared(Snippet snippet) {
  snippet.hasShared = false;
  return makeCase(snippet);
}
} // namespace

TEST(WorkgroupBlock, LiesOverTheOthers) {
  std::string body = "%p2 = OpAccessChain %pw_word %asWords %u_0 %u_2\nOpStore %p2 %u_7\n"
                     "%p3 = OpAccessChain %pw_word %asWords %u_0 %u_3\nOpStore %p3 %u_9\n"
                     "%q = OpAccessChain %pw_ulong %asWide %u_0\n%x = OpLoad %ulong %q\n"
                     "%both = OpBitcast %uvec2 %x\n%low = OpCompositeExtract %uint %both 0\n"
                     "%high = OpCompositeExtract %uint %both 1\n" +
                     storeUint("%low", "%u_0") + storeUint("%high", "%u_1");
  Outcome outcome = runCase(withoutShared(aliasSnippet(body)));
  EXPECT_EQ(word(finalState(outcome), 0), 7u);
  EXPECT_EQ(word(finalState(outcome), 1), 9u);
}

TEST(WorkgroupBlock, BeginsUnwritten) {
  std::string body = "%p = OpAccessChain %pw_word %asWords %u_0 %u_2\n%x = OpLoad %uint %p\n"
                     "%c = OpIEqual %bool %x %u_0\nOpSelectionMerge %m None\n"
                     "OpBranchConditional %c %t %m\n%t = OpLabel\nOpBranch %m\n%m = OpLabel\n";
  EXPECT_EQ(ruleOf(runCase(withoutShared(aliasSnippet(body)))), "UB-UNINIT");
}

TEST(WorkgroupBlock, HasRaces) {
  Snippet snippet = aliasSnippet("%p = OpAccessChain %pw_word %asWords %u_0 %u_2\n"
                                 "OpStore %p %lid\n");
  snippet.localSize = 2;
  EXPECT_EQ(ruleOf(runCase(withoutShared(snippet))), "UB-RACE");
}

namespace {
/// A case whose %in and %out are one buffer; %out is words [outAt, 8) of it.
Case aliasCase(const std::string &body, uint64_t outAt, const std::string &decorations = "") {
  Snippet snippet;
  snippet.in = {1, 2, 3, 4, 5, 6, 7, 8};
  snippet.decorations = decorations;
  snippet.body = body;
  Case input = makeCase(snippet);
  BufferBinding &out = input.pipelines[0].bindings[1];
  out.buffer = input.pipelines[0].bindings[0].buffer;
  out.offset = outAt * 4;
  return input;
}
} // namespace

TEST(Aliases, MustNotMeetWhereOneWrites) {
  // The snippet has read all of %in.
  Outcome outcome = runCase(aliasCase(storeUint("%a", "%u_0"), 4));
  EXPECT_EQ(ruleOf(outcome), "UB-ALIAS") << outcome.reason;
  EXPECT_NE(outcome.reason.find("OpStore"), std::string::npos) << outcome.reason;
}

TEST(Aliases, MustNotReadWhatAnotherVariableWrote) {
  std::string body = storeUint("%u_7", "%u_9") +
                     "%p9 = OpAccessChain %p_uint %in %u_0 %u_10\n%again = OpLoad %uint %p9\n";
  Case input = aliasCase(body, 1);
  input.buffers[0].bytes.resize(64);
  input.pipelines[0].bindings[0].range = input.pipelines[0].bindings[1].range = 60;
  EXPECT_EQ(ruleOf(runCase(input)), "UB-ALIAS");
}

TEST(Aliases, MayReadTheSame) {
  Outcome outcome =
      runCase(aliasCase("%p0 = OpAccessChain %p_uint %out %u_0 %u_1\n%x = OpLoad %uint %p0\n" +
                            storeFloat("%f_1", "%u_0"),
                        0));
  EXPECT_EQ(outcome.kind, OutcomeKind::Completed) << outcome.reason;
}

TEST(Aliases, MayMeetIfBothAreDecorated) {
  std::string both = "OpDecorate %in Aliased\nOpDecorate %out Aliased\n";
  Outcome outcome = runCase(aliasCase(storeUint("%a", "%u_0"), 4, both));
  EXPECT_EQ(word(finalState(outcome, 0), 4), 1u) << outcome.reason;
  EXPECT_EQ(ruleOf(runCase(aliasCase(storeUint("%a", "%u_0"), 4, "OpDecorate %in Aliased\n"))),
            "UB-ALIAS");
}
