// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Small modules of IR with ops of the dialect, launched by hand: what ops mean in a wave, which the
// machine adds to oracles/ir, and how runs end. Modules that the compiler makes run in
// harness/system/snapshots.
#include "oracles/machine/ir/IrMachine.h"

#include "compiler/api/ResourceLayout.h"
#include "compiler/spirv/Module.h"
#include "oracles/divergence/FindRace.h"
#include "oracles/machine/gcn/launch/Launch.h"
#include "support/Error.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/Endian.h"

#include <gmock/gmock.h>

using namespace llvm;
using namespace assay;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

constexpr StringLiteral declarations = R"(
target datalayout = "e-m:e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128:128:48-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
declare ptr addrspace(7) @lgc.load.buffer.desc(i32, i32, i32)
declare ptr addrspace(4) @lgc.descriptor.ptr(i32, i32, i32, i32)
declare i32 @lgc.read.built.in.i32(i32)
declare <3 x i32> @lgc.read.built.in.v3i32(i32)
declare void @lgc.barrier()
declare <4 x i32> @lgc.subgroup.ballot(i1)
declare i32 @lgc.subgroup.count.below(<4 x i32>)
declare i32 @lgc.subgroup.broadcast.first.i32(i32)
declare i32 @lgc.subgroup.shuffle.i32(i32, i32)
declare i32 @lgc.subgroup.shuffle.xor.i32(i32, i32)
declare i32 @lgc.subgroup.quad.permute.i32(i32, i32)
declare i32 @lgc.subgroup.reduce.i32(i32, i32, i32)
declare float @lgc.subgroup.reduce.f32(float, i32, i32)
declare i32 @lgc.subgroup.scan.i32(i32, i32, i1)
declare float @lgc.fdiv.f32(float, float)
declare half @lgc.fptrunc.f16(float, i1)
declare i1 @lgc.opaque.true()
declare void @lgc.anchor()
declare i32 @lgc.buffer.ptr.difference(ptr addrspace(7), ptr addrspace(7))
declare i32 @llvm.amdgcn.ds.bpermute(i32, i32)
declare float @llvm.amdgcn.cubeid(float, float, float)
declare float @llvm.amdgcn.cubema(float, float, float)
declare <4 x i32> @lgc.image.load.v4i32(i32, i32, <8 x i32>, <4 x i32>, i32)
declare void @lgc.image.store(i32, i32, <8 x i32>, <4 x i32>, <4 x i32>)
declare i32 @lgc.image.atomic.i32(i32, i32, i32, <8 x i32>, <4 x i32>, i32, i32)
declare <4 x i32> @lgc.image.query.size(i32, i32, <8 x i32>, i32)
declare <4 x i32> @llvm.amdgcn.image.load.2d.v4i32.i32.v8i32(i32, i32, i32, <8 x i32>, i32, i32)
@shared = internal addrspace(3) global [64 x i32] poison, align 4
)";

/// From which the descriptors of a case are made.
constexpr StringLiteral resources = R"(OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main"
OpExecutionMode %main LocalSize 1 1 1
OpDecorate %Words Block
OpMemberDecorate %Words 0 Offset 0
OpDecorate %array ArrayStride 4
OpDecorate %words DescriptorSet 0
OpDecorate %words Binding 0
OpDecorate %texels DescriptorSet 0
OpDecorate %texels Binding 1
%void = OpTypeVoid
%function = OpTypeFunction %void
%uint = OpTypeInt 32 0
%uint_0 = OpConstant %uint 0
%array = OpTypeRuntimeArray %uint
%Words = OpTypeStruct %array
%toWords = OpTypePointer StorageBuffer %Words
%Image = OpTypeImage %uint 2D 0 0 0 2 R32ui
%toImage = OpTypePointer UniformConstant %Image
%toWord = OpTypePointer StorageBuffer %uint
%words = OpVariable %toWords StorageBuffer
%texels = OpVariable %toImage UniformConstant
%main = OpFunction %void None %function
%begin = OpLabel
%word = OpAccessChain %toWord %words %uint_0 %uint_0
%image = OpLoad %Image %texels
OpReturn
OpFunctionEnd
)";

/// Buffer 0 has a word for each invocation of a workgroup, buffer 1 is a 4 x 2 image of R32_UINT
/// that holds 100, 101, ... and is in the table after buffer 0.
struct Launch {
  const char *target = "gfx1100";
  unsigned threads = 4;
  unsigned waveSize = 32;
  uint32_t groups = 1;
  const char *attributes = "nounwind";
  RunOptions options;

  Outcome run(StringRef body);
  /// The results of \p body, which sets %r for each invocation; %lane has its number, %image the
  /// T#.
  std::vector<uint32_t> results(StringRef body);
};

std::vector<uint8_t> makeImageBytes() {
  std::vector<uint8_t> bytes(8 * 4);
  for (uint32_t i = 0; i < 8; ++i)
    support::endian::write32le(bytes.data() + i * 4, 100 + i);
  return bytes;
}

Case makeCase(const Launch &launch) {
  Case input;
  Buffer words, texels;
  words.name = "words";
  words.bytes.resize(launch.threads * 4);
  texels.name = "texels";
  texels.bytes = makeImageBytes();
  texels.texelFormat = findTexelFormat("R32_UINT");
  texels.image = ImageShape{ImageDimension::Dim2D, 4, 2};
  input.buffers = {words, texels};
  CasePipeline pipeline;
  pipeline.name = "p";
  auto spirv = spirv::assemble(resources);
  EXPECT_TRUE(bool(spirv)) << takeError(spirv.takeError()).message;
  pipeline.description.addShader(ShaderStage::Compute).spirv = std::move(*spirv);
  pipeline.description.layout =
      makeResourceLayout({{0, 0, 1, DescriptorKind::Buffer}, {0, 1, 1, DescriptorKind::Image}}, 0);
  BufferBinding storage, image;
  image.kind = BindingKind::StorageImage;
  image.buffer = image.binding = 1;
  pipeline.bindings = {storage, image};
  input.pipelines.push_back(pipeline);
  Dispatch dispatch;
  dispatch.groups[0] = launch.groups;
  input.commands.push_back(dispatch);
  return input;
}

Outcome Launch::run(StringRef body) {
  std::string text = (declarations + "define void @main() #0 !lgc.compute.mode !0 {\n" + body +
                      "\n}\nattributes #0 = { " + attributes + " }\n!0 = !{i32 " + Twine(threads) +
                      ", i32 1, i32 1}\n!lgc.pipeline.state = !{!1}\n!1 = !{!\"wave-size\", i32 " +
                      Twine(waveSize) + "}\n")
                         .str();
  Artifact artifact = Artifact::makeIr(text);
  Case input = makeCase(*this);
  auto outcome = createIrMachine(**findTarget(target))->run(input, artifact, options);
  if (outcome)
    return std::move(*outcome);
  Outcome broken;
  broken.kind = OutcomeKind::Invalid;
  broken.reason = takeError(outcome.takeError()).message;
  return broken;
}

std::vector<uint32_t> toWords(const Outcome &outcome, unsigned buffer) {
  EXPECT_EQ(outcome.kind, OutcomeKind::Completed) << outcome.reason;
  std::vector<uint32_t> words;
  if (outcome.kind == OutcomeKind::Completed)
    for (size_t at = 0; at < outcome.checkpoints.back()[buffer].bytes.size(); at += 4)
      words.push_back(
          support::endian::read32le(outcome.checkpoints.back()[buffer].bytes.data() + at));
  return words;
}

constexpr StringLiteral prologue = R"(
  %buffer = call ptr addrspace(7) @lgc.load.buffer.desc(i32 0, i32 0, i32 0)
  %table = call ptr addrspace(4) @lgc.descriptor.ptr(i32 0, i32 1, i32 0, i32 0)
  %image = load <8 x i32>, ptr addrspace(4) %table, align 4
  %lane = call i32 @lgc.read.built.in.i32(i32 4)
  %own = getelementptr i32, ptr addrspace(7) %buffer, i32 %lane
)";
constexpr StringLiteral epilogue = "\nstore i32 %r, ptr addrspace(7) %own, align 4 ret void";

std::vector<uint32_t> Launch::results(StringRef body) {
  return toWords(run((prologue + body + epilogue).str()), 0);
}

} // namespace

TEST(IrMachine, SubgroupReadsTakeFromOtherLanes) {
  EXPECT_THAT(Launch().results("%x = add i32 %lane, 10\n"
                               "%r = call i32 @lgc.subgroup.shuffle.xor.i32(i32 %x, i32 1)"),
              ElementsAre(11, 10, 13, 12));
  EXPECT_THAT(Launch().results("%from = sub i32 3, %lane\n"
                               "%r = call i32 @lgc.subgroup.shuffle.i32(i32 %lane, i32 %from)"),
              ElementsAre(3, 2, 1, 0));
  EXPECT_THAT(Launch().results("%r = call i32 @lgc.subgroup.quad.permute.i32(i32 %lane, i32 57)"),
              ElementsAre(1, 2, 3, 0));
  EXPECT_THAT(Launch().results("%x = add i32 %lane, 7\n"
                               "%r = call i32 @lgc.subgroup.broadcast.first.i32(i32 %x)"),
              ElementsAre(7, 7, 7, 7));
}

/// What words hold in the end that poison is stored to.
static constexpr uint32_t poisonWord = 0xfbfbfbfb;

/// What \p body, which sets %y, gives lanes 1 and 3, which alone run it.
static std::vector<uint32_t> resultsOfOddLanes(StringRef body) {
  std::vector<uint32_t> words = Launch().results(("%bit = and i32 %lane, 1\n"
                                                  "%isOdd = icmp eq i32 %bit, 1\n"
                                                  "br i1 %isOdd, label %odd, label %join\n"
                                                  "odd:\n" +
                                                  body +
                                                  "\nbr label %join\n"
                                                  "join:\n"
                                                  "%r = phi i32 [ 99, %0 ], [ %y, %odd ]")
                                                     .str());
  EXPECT_EQ(words.size(), 4u);
  if (words.size() != 4)
    return {};
  EXPECT_EQ(words[0], 99u);
  EXPECT_EQ(words[2], 99u);
  return {words[1], words[3]};
}

TEST(IrMachine, SubgroupReadsOfLanesThatDoNotRunArePoison) {
  struct Row {
    const char *read; ///< Of what is 10 more than a lane's number.
    uint32_t lane1, lane3;
  };
  const Row rows[] = {{"shuffle.i32(i32 %x, i32 3)", 13, 13},
                      {"shuffle.i32(i32 %x, i32 2)", poisonWord, poisonWord},
                      {"shuffle.i32(i32 %x, i32 5)", poisonWord, poisonWord}, // Of no invocation.
                      {"shuffle.xor.i32(i32 %x, i32 2)", 13, 11},
                      {"shuffle.xor.i32(i32 %x, i32 1)", poisonWord, poisonWord},
                      {"quad.permute.i32(i32 %x, i32 108)", 13, 11},         // 0, 3, 2, 1
                      {"quad.permute.i32(i32 %x, i32 172)", 13, poisonWord}, // 0, 3, 2, 2
                      {"broadcast.first.i32(i32 %x)", 11, 11}};
  for (const Row &row : rows)
    EXPECT_THAT(resultsOfOddLanes(("%x = add i32 %lane, 10\n"
                                   "%y = call i32 @lgc.subgroup." +
                                   Twine(row.read))
                                      .str()),
                ElementsAre(row.lane1, row.lane3))
        << row.read;
}

TEST(IrMachine, OnlyActiveLanesTakePart) {
  EXPECT_THAT(
      resultsOfOddLanes("%sum = call i32 @lgc.subgroup.reduce.i32(i32 %lane, i32 0, i32 0)\n"
                        "%before = call i32 @lgc.subgroup.scan.i32(i32 %lane, i32 0, i1 true)\n"
                        "%both = mul i32 %sum, 10\n"
                        "%y = add i32 %both, %before"),
      ElementsAre(40, 41));
}

TEST(IrMachine, ReducesInClustersAndCountsBelow) {
  EXPECT_THAT(Launch().results("%r = call i32 @lgc.subgroup.reduce.i32(i32 %lane, i32 0, i32 2)"),
              ElementsAre(1, 1, 5, 5));
  EXPECT_THAT(Launch().results("%odd = trunc i32 %lane to i1\n"
                               "%m = call <4 x i32> @lgc.subgroup.ballot(i1 %odd)\n"
                               "%n = call i32 @lgc.subgroup.count.below(<4 x i32> %m)\n"
                               "%w = extractelement <4 x i32> %m, i32 0\n"
                               "%s = shl i32 %w, 4 %r = or i32 %s, %n"),
              ElementsAre(0xa0, 0xa0, 0xa1, 0xa1));
}

TEST(IrMachine, SubgroupOperationsThatAreNoneAreUnsupported) {
  Outcome outcome =
      Launch().run("%x = call i32 @lgc.subgroup.reduce.i32(i32 1, i32 99, i32 0) ret void");
  EXPECT_EQ(outcome.kind, OutcomeKind::Unsupported);
  EXPECT_THAT(outcome.reason, HasSubstr("a subgroup operation"));
}

/// What lane 40 of a wave of 64 gets that asks for lane 3.
static uint32_t permuteAcrossHalves(const char *target) {
  Launch launch;
  launch.target = target;
  launch.threads = launch.waveSize = 64;
  auto words = launch.results("%r = call i32 @llvm.amdgcn.ds.bpermute(i32 12, i32 %lane)");
  return words.size() > 40 ? words[40] : ~0u;
}

TEST(IrMachine, BackwardPermutationsStayInTheirHalfOnGfx10And11) {
  EXPECT_EQ(permuteAcrossHalves("gfx900"), 3u);
  EXPECT_EQ(permuteAcrossHalves("gfx1030"), 35u);
  EXPECT_EQ(permuteAcrossHalves("gfx1100"), 35u);
  EXPECT_EQ(permuteAcrossHalves("gfx1201"), 3u);
}

TEST(IrMachine, BackwardPermutationsReadZeroOfLanesThatDoNotRun) {
  EXPECT_THAT(Launch().results("%x = add i32 %lane, 7 %next = add i32 %lane, 1\n"
                               "%at = mul i32 %next, 4\n"
                               "%r = call i32 @llvm.amdgcn.ds.bpermute(i32 %at, i32 %x)"),
              ElementsAre(8, 9, 10, 0));
}

/// Bits of \p x / \p y by the op of the dialect.
static std::vector<uint32_t> divide(uint32_t x, uint32_t y, const char *attributes) {
  Launch launch;
  launch.threads = 1;
  launch.attributes = attributes;
  return launch.results(("%x = bitcast i32 " + Twine(x) + " to float %y = bitcast i32 " + Twine(y) +
                         " to float\n%q = call float @lgc.fdiv.f32(float %x, float %y)\n"
                         "%r = bitcast float %q to i32")
                            .str());
}

/// 65520, which is halfway to what would be the next half, and its negative; halfway between two
/// halves; three quarters of the smallest one.
TEST(IrMachine, TruncatesInTheRoundingThatTheOpNames) {
  auto truncate = [](StringRef towardZero) {
    return Launch().results(
        ("%a = insertelement <4 x float> poison, float 0x40EFFE0000000000, i32 0\n"
         "%b = insertelement <4 x float> %a, float 0xC0EFFE0000000000, i32 1\n"
         "%c = insertelement <4 x float> %b, float 0x3FF0060000000000, i32 2\n"
         "%d = insertelement <4 x float> %c, float 0x3E68000000000000, i32 3\n"
         "%x = extractelement <4 x float> %d, i32 %lane\n"
         "%h = call half @lgc.fptrunc.f16(float %x, i1 " +
         towardZero + ")\n%bits = bitcast half %h to i16\n%r = zext i16 %bits to i32")
            .str());
  };
  EXPECT_THAT(truncate("true"), ElementsAre(0x7bff, 0xfbff, 0x3c01, 0));
  EXPECT_THAT(truncate("false"), ElementsAre(0x7c00, 0xfc00, 0x3c02, 1));
}

TEST(IrMachine, KnowsOpsOnControlFlowAndPointers) {
  EXPECT_THAT(Launch().results("call void @lgc.anchor()\n%t = call i1 @lgc.opaque.true()\n"
                               "%p = getelementptr i8, ptr addrspace(7) %buffer, i32 %lane\n"
                               "%q = getelementptr i8, ptr addrspace(7) %buffer, i32 2\n"
                               "%d = call i32 @lgc.buffer.ptr.difference(ptr addrspace(7) %p, ptr "
                               "addrspace(7) %q)\n"
                               "%same = icmp eq i32 %d, 0\n%both = and i1 %t, %same\n"
                               "%r = zext i1 %both to i32"),
              ElementsAre(0, 0, 1, 0));
}

TEST(IrMachine, DenormalsAreAsTheAttributesOfTheShaderSay) {
  constexpr uint32_t leastNormal = 0x80800000, quarter = 0x80200000, four = 0x40800000;
  EXPECT_THAT(divide(leastNormal, four, "nounwind"), ElementsAre(quarter));
  EXPECT_THAT(divide(leastNormal, four, "\"denormal-fp-math-f32\"=\"preserve-sign,ieee\""),
              ElementsAre(0x80000000));
  EXPECT_THAT(divide(leastNormal, four, "\"denormal-fp-math-f32\"=\"ieee,preserve-sign\""),
              ElementsAre(quarter));
  constexpr uint32_t oneFourth = 0x3e800000;
  EXPECT_THAT(divide(quarter, oneFourth, "\"denormal-fp-math-f32\"=\"preserve-sign,ieee\""),
              ElementsAre(leastNormal));
  EXPECT_THAT(divide(quarter, oneFourth, "\"denormal-fp-math-f32\"=\"ieee,preserve-sign\""),
              ElementsAre(0x80000000));
}

TEST(IrMachine, LoadsStoresAndCountsTexels) {
  for (const char *target : {"gfx900", "gfx1030", "gfx1100", "gfx1201"}) {
    Launch launch;
    launch.target = target;
    launch.waveSize = StringRef(target) == "gfx900" ? 64 : 32;
    constexpr uint64_t ThirdOfSecondRow = (4 + 2) * 4;
    launch.options.watch = simt::placeBuffers({launch.threads * 4, 8 * 4})[1] + ThirdOfSecondRow;
    Outcome outcome = launch.run((prologue + R"(
      %at = insertelement <4 x i32> poison, i32 %lane, i32 0
      %row0 = insertelement <4 x i32> %at, i32 0, i32 1
      %row1 = insertelement <4 x i32> %at, i32 1, i32 1
      %texel = call <4 x i32> @lgc.image.load.v4i32(i32 1, i32 64, <8 x i32> %image, <4 x i32> %row1, i32 poison)
      %red = extractelement <4 x i32> %texel, i32 0
      %alpha = extractelement <4 x i32> %texel, i32 3
      %value = insertelement <4 x i32> poison, i32 %lane, i32 0
      call void @lgc.image.store(i32 1, i32 64, <8 x i32> %image, <4 x i32> %row1, <4 x i32> %value)
      %old = call i32 @lgc.image.atomic.i32(i32 1, i32 64, i32 1, <8 x i32> %image, <4 x i32> %row0, i32 1000, i32 poison)
      %size = call <4 x i32> @lgc.image.query.size(i32 1, i32 64, <8 x i32> %image, i32 0)
      %width = extractelement <4 x i32> %size, i32 0
      %height = extractelement <4 x i32> %size, i32 1
      %s0 = mul i32 %red, 1000 %s1 = add i32 %s0, %old %s2 = mul i32 %s1, 1000
      %s3 = mul i32 %alpha, 100 %s4 = add i32 %s2, %s3
      %s5 = mul i32 %width, 10 %s6 = add i32 %s4, %s5
      %r = add i32 %s6, %height)" +
                                  epilogue)
                                     .str());
    EXPECT_THAT(toWords(outcome, 0), ElementsAre(104100142, 105101142, 106102142, 107103142))
        << target;
    EXPECT_THAT(toWords(outcome, 1), ElementsAre(1100, 1101, 1102, 1103, 0, 1, 2, 3)) << target;
    ASSERT_EQ(outcome.findings.size(), 1u);
    EXPECT_EQ(outcome.findings.front().rule, lastWriteRule);
    EXPECT_THAT(outcome.findings.front().message, HasSubstr("@lgc.image.store("));
    EXPECT_THAT(outcome.findings.front().location, HasSubstr("lane 2"));
  }
}

TEST(IrMachine, IntrinsicsForImagesAreWhatTheInstructionsAre) {
  EXPECT_THAT(
      Launch().results("%x = add i32 %lane, 2\n%texel = call <4 x i32> "
                       "@llvm.amdgcn.image.load.2d.v4i32.i32.v8i32(i32 15, i32 %x, i32 0, <8 x "
                       "i32> %image, i32 0, i32 0)\n%r = extractelement <4 x i32> %texel, i32 0"),
      ElementsAre(102, 103, 0, 0)); // Outside of it there is nothing.
}

TEST(IrMachine, PoisonCoordinatesAreUndefined) {
  Outcome outcome = Launch().run(
      (prologue + "%t = call <4 x i32> @lgc.image.load.v4i32(i32 1, i32 64, <8 x i32> %image, <4 x "
                  "i32> poison, i32 poison) ret void")
          .str());
  EXPECT_EQ(outcome.kind, OutcomeKind::Trap);
  EXPECT_THAT(outcome.reason, HasSubstr("poison"));
  ASSERT_FALSE(outcome.findings.empty());
  EXPECT_EQ(outcome.findings.back().rule, stopRule);
  EXPECT_THAT(outcome.findings.back().message, HasSubstr("lgc.image.load"));
}

TEST(IrMachine, ProjectsOnTheFacesOfACube) {
  struct Row {
    float x, y, z, face, major;
  };
  for (const Row &row : {Row{3, 1, -2, 0, 6}, Row{-3, 1, 2, 1, -6}, Row{1, 2, 1, 2, 4},
                         Row{1, -2, 1, 3, -4}, Row{1, 1, 1, 4, 2}, Row{0, 1, -2, 5, -4}}) {
    auto ask = [&](const char *name) {
      std::string operands;
      for (float value : {row.x, row.y, row.z})
        operands += (operands.empty() ? "float " : ", float ") + std::to_string(value);
      Launch launch;
      launch.threads = 1;
      auto words = launch.results((Twine("%f = call float @llvm.amdgcn.") + name + "(" + operands +
                                   ")\n%r = bitcast float %f to i32")
                                      .str());
      return words.empty() ? -1 : bit_cast<float>(words[0]);
    };
    EXPECT_EQ(ask("cubeid"), row.face);
    EXPECT_EQ(ask("cubema"), row.major);
  }
}

TEST(IrMachine, WavesOfAGroupMeetAtBarriers) {
  Launch launch;
  launch.threads = 64;
  auto words = launch.results(R"(
    %mine = getelementptr i32, ptr addrspace(3) @shared, i32 %lane
    store i32 %lane, ptr addrspace(3) %mine, align 4
    call void @lgc.barrier()
    %mirror = sub i32 63, %lane
    %other = getelementptr i32, ptr addrspace(3) @shared, i32 %mirror
    %r = load i32, ptr addrspace(3) %other, align 4)");
  ASSERT_EQ(words.size(), 64u);
  for (uint32_t i = 0; i < 64; ++i)
    EXPECT_EQ(words[i], 63 - i);
}

/// Without the barrier of the last test, by the order in which waves run.
std::vector<uint32_t> runWithoutBarrier(std::optional<uint64_t> scheduleSeed,
                                        ir::ExecutionLog *log = nullptr) {
  Launch launch;
  launch.threads = 64;
  launch.options.scheduleSeed = scheduleSeed;
  launch.options.execution = log;
  return launch.results(R"(
    %mine = getelementptr i32, ptr addrspace(3) @shared, i32 %lane
    store i32 %lane, ptr addrspace(3) %mine, align 4
    %mirror = sub i32 63, %lane
    %other = getelementptr i32, ptr addrspace(3) @shared, i32 %mirror
    %r = load i32, ptr addrspace(3) %other, align 4)");
}

TEST(IrMachine, BackwardsTheLastWaveIsFirst) {
  for (bool isBackwards : {false, true}) {
    auto words = runWithoutBarrier(isBackwards ? 1 : 0);
    ASSERT_EQ(words.size(), 64u);
    for (uint32_t i = 0; i < 64; ++i)
      EXPECT_EQ(words[i] == 63 - i, (i < 32) == isBackwards) << i;
  }
  EXPECT_EQ(runWithoutBarrier(std::nullopt), runWithoutBarrier(0));
}

TEST(IrMachine, LogsBarriersSoThatRacesAreFound) {
  ir::ExecutionLog with, without;
  runWithoutBarrier(std::nullopt, &without);
  EXPECT_THAT(findRace(without).value_or(""), HasSubstr("wave 1 writes LDS byte 0x80; nothing"));
  Launch launch;
  launch.threads = 64;
  launch.options.execution = &with;
  launch.results(R"(
    %mine = getelementptr i32, ptr addrspace(3) @shared, i32 %lane
    store i32 %lane, ptr addrspace(3) %mine, align 4
    call void @lgc.barrier()
    %r = load i32, ptr addrspace(3) @shared, align 4)");
  EXPECT_EQ(findRace(with), std::nullopt);
}

TEST(IrMachine, TheBudgetIsOfAllWavesAndGroups) {
  Launch launch;
  launch.threads = 64;
  launch.groups = 2;
  Outcome whole = launch.run("%x = add i32 1, 2 ret void");
  EXPECT_EQ(whole.kind, OutcomeKind::Completed) << whole.reason;
  EXPECT_EQ(whole.instructions, 2u * 64 * 2);
  launch.options.maxInstructions = whole.instructions;
  EXPECT_EQ(launch.run("%x = add i32 1, 2 ret void").kind, OutcomeKind::Completed);
  --launch.options.maxInstructions;
  EXPECT_EQ(launch.run("%x = add i32 1, 2 ret void").kind, OutcomeKind::Timeout);
}

TEST(IrMachine, PoisonInMemoryIsNoResult) {
  // The first lane's word is good, what is stored again is, too.
  EXPECT_THAT(Launch().results("%c = icmp eq i32 %lane, 0\n"
                               "%r = select i1 %c, i32 7, i32 poison"),
              ElementsAre(7, poisonWord, poisonWord, poisonWord));
  EXPECT_THAT(Launch().results("store i32 poison, ptr addrspace(7) %own, align 4\n"
                               "%r = add i32 %lane, 1"),
              ElementsAre(1, 2, 3, 4));
}

TEST(IrMachine, NoShaderAccessesABufferInPart) {
  Outcome outcome = Launch().run((prologue + "%end = getelementptr i8, ptr addrspace(7) %buffer, "
                                             "i32 14\n"
                                             "store i32 1, ptr addrspace(7) %end, align 2\n"
                                             "ret void")
                                     .str());
  EXPECT_EQ(outcome.kind, OutcomeKind::Trap);
  EXPECT_THAT(outcome.reason, HasSubstr("partly outside"));
}

TEST(IrMachine, KeepsWhatWasStoredBeforeItStopped) {
  Outcome outcome = Launch().run((prologue + "store i32 5, ptr addrspace(7) %own, align 4\n"
                                             "%c = icmp eq i32 poison, 0\n"
                                             "br i1 %c, label %a, label %b\n"
                                             "a:\nret void\nb:\nret void\n")
                                     .str());
  EXPECT_EQ(outcome.kind, OutcomeKind::Trap);
  ASSERT_EQ(outcome.atEnd.size(), 2u);
  EXPECT_EQ(outcome.atEnd[0].bytes[4], 5);
}

/// Binding 1 is next to binding 0 in the table.
TEST(IrMachine, DescriptorsOutsideOfTheirArrayMustNotBeUsed) {
  Launch launch;
  const char *outside =
      "%other = call ptr addrspace(7) @lgc.load.buffer.desc(i32 0, i32 0, i32 1)\n";
  EXPECT_EQ(launch.results((Twine(outside) + "%r = add i32 %lane, 7").str()),
            (std::vector<uint32_t>{7, 8, 9, 10}));
  Outcome outcome =
      launch.run((Twine(outside) + "store i32 1, ptr addrspace(7) %other, align 4 ret void").str());
  EXPECT_EQ(outcome.kind, OutcomeKind::Trap);
  EXPECT_THAT(outcome.reason, HasSubstr("an access through poison"));
}

TEST(IrMachine, RefusesModulesThatNoCompilerMakes) {
  Launch launch;
  EXPECT_THAT(launch.run("ret i32 0").reason, HasSubstr("IR, line"));
  launch.waveSize = 32;
  Outcome outcome = launch.run("%x = call i32 @lgc.read.built.in.i32(i32 77) ret void");
  EXPECT_EQ(outcome.kind, OutcomeKind::Unsupported);
  EXPECT_THAT(outcome.reason, HasSubstr("built-in 77"));
}
