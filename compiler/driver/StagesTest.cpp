// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Pipelines of a vertex and a fragment shader through the neutral middle-end.
#include "compiler/cache/Cache.h"
#include "compiler/driver/Compiler.h"
#include "compiler/pal/Glue.h"
#include "compiler/pal/Metadata.h"
#include "compiler/spirv/Module.h"
#include "support/Error.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

using namespace llvm;
using namespace assay;
using testing::HasSubstr;
using testing::Not;

/// Writes a position, input 0 to location 2, and what \p extra says to location 3.
static std::string makeVertex(StringRef extra = "%x") {
  return (Twine(R"(
OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint Vertex %main "main" %in %position %a %b
OpDecorate %in Location 0
OpDecorate %position BuiltIn Position
OpDecorate %a Location 2
OpDecorate %b Location 3
%void = OpTypeVoid
%fn = OpTypeFunction %void
%float = OpTypeFloat 32
%v4 = OpTypeVector %float 4
%pi = OpTypePointer Input %float
%po = OpTypePointer Output %float
%pv4 = OpTypePointer Output %v4
%f2 = OpConstant %float 2
%in = OpVariable %pi Input
%position = OpVariable %pv4 Output
%a = OpVariable %po Output
%b = OpVariable %po Output
%main = OpFunction %void None %fn
%entry = OpLabel
%x = OpLoad %float %in
%y = OpFMul %float %x %f2
%p = OpCompositeConstruct %v4 %x %x %f2 %f2
OpStore %position %p
OpStore %a %x
OpStore %b )") +
          extra + "\nOpReturn\nOpFunctionEnd\n")
      .str();
}

/// Writes the input at \p location, and \p sum.
static std::string makeFragment(unsigned location, StringRef sum = "%x") {
  return (Twine(R"(
OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint Fragment %main "main" %in %color
OpExecutionMode %main OriginUpperLeft
OpDecorate %in Location )") +
          Twine(location) + R"(
OpDecorate %color Location 0
%void = OpTypeVoid
%fn = OpTypeFunction %void
%float = OpTypeFloat 32
%v2 = OpTypeVector %float 2
%pi = OpTypePointer Input %float
%po = OpTypePointer Output %v2
%in = OpVariable %pi Input
%color = OpVariable %po Output
%main = OpFunction %void None %fn
%entry = OpLabel
%x = OpLoad %float %in
%z = OpFAdd %float %x %x
%c = OpCompositeConstruct %v2 %x )" +
          sum + "\nOpStore %color %c\nOpReturn\nOpFunctionEnd\n")
      .str();
}

static PipelineDescription makePipeline(StringRef vertex, StringRef fragment) {
  PipelineDescription pipeline;
  pipeline.addShader(ShaderStage::Vertex).spirv = cantFail(spirv::assemble(vertex));
  pipeline.addShader(ShaderStage::Fragment).spirv = cantFail(spirv::assemble(fragment));
  return pipeline;
}

static std::vector<CompiledStage> compileStages(const PipelineDescription &pipeline,
                                                const CheckShaderCache &check = {},
                                                bool recordBuilder = true) {
  CompileOptions options;
  options.target = cantFail(findTarget("gfx1100"));
  options.recordBuilder = recordBuilder;
  Compiler compiler;
  Expected<std::vector<CompiledStage>> stages = compiler.compileStages(pipeline, options, check);
  if (stages)
    return std::move(*stages);
  ADD_FAILURE() << takeError(stages.takeError()).message;
  return std::vector<CompiledStage>(2);
}

TEST(Stages, LinksWhatTheShadersAgreeOn) {
  std::vector<CompiledStage> stages =
      compileStages(makePipeline(makeVertex("%y"), makeFragment(3)));
  EXPECT_THAT(stages[0].ir, HasSubstr("@lgc.write.output(i32 0, i32 0, i32 0, i32 0"));
  EXPECT_THAT(stages[0].ir, Not(HasSubstr("@lgc.write.output(i32 2"))) << "nobody reads it";
  EXPECT_THAT(stages[0].ir, HasSubstr("@lgc.write.stage.built.in(i32 0, i32 3"));
  EXPECT_THAT(stages[1].ir, HasSubstr("@lgc.read.input(i32 0, i32 0, i32 0, i32 0)"));
}

TEST(Stages, RecordingGivesWhatBuildingAtOnceGives) {
  PipelineDescription pipeline = makePipeline(makeVertex(), makeFragment(2));
  std::vector<CompiledStage> recorded = compileStages(pipeline);
  std::vector<CompiledStage> direct = compileStages(pipeline, {}, /*recordBuilder=*/false);
  for (unsigned i = 0; i < 2; ++i) {
    EXPECT_EQ(recorded[i].ir, direct[i].ir);
    EXPECT_EQ(recorded[i].chain.hash, direct[i].chain.hash);
  }
}

TEST(Stages, PassesConstantsOn) {
  std::vector<CompiledStage> stages =
      compileStages(makePipeline(makeVertex("%f2"), makeFragment(3)));
  EXPECT_THAT(stages[1].ir, Not(HasSubstr("call i32 @lgc.read.input")));
  EXPECT_THAT(stages[1].ir, HasSubstr("i32 1073741824")) << "2.0";
}

TEST(Stages, KeepDiscards) {
  std::string fragment = makeFragment(2);
  StringRef store = "OpStore %color";
  fragment.insert(fragment.find(store), "%far = OpFOrdLessThan %bool %x %z\n"
                                        "OpSelectionMerge %end None\n"
                                        "OpBranchConditional %far %kill %end\n"
                                        "%kill = OpLabel\nOpKill\n%end = OpLabel\n");
  fragment.insert(fragment.find("%void ="), "%bool = OpTypeBool\n");
  std::vector<CompiledStage> stages = compileStages(makePipeline(makeVertex(), fragment));
  EXPECT_THAT(stages[1].ir, HasSubstr("call void @lgc.terminate.invocation()"));
}

TEST(Stages, CompilesWhatTheCallbackReturns) {
  unsigned calls = 0;
  std::vector<StageHash> seen;
  auto check = [&](ArrayRef<StageHash> hashes) {
    ++calls;
    seen = hashes.vec();
    return stageBit(ShaderStage::Fragment);
  };
  std::vector<CompiledStage> stages =
      compileStages(makePipeline(makeVertex(), makeFragment(2)), check);
  EXPECT_EQ(calls, 1u);
  ASSERT_EQ(seen.size(), 2u);
  EXPECT_EQ(seen[0].stage, ShaderStage::Vertex);
  EXPECT_FALSE(stages[0].isCompiled);
  EXPECT_TRUE(stages[0].ir.empty());
  EXPECT_TRUE(stages[1].isCompiled);
  EXPECT_FALSE(stages[1].ir.empty());
}

TEST(Stages, HashesDependOnWhatWasReadAlone) {
  auto hashes = [](StringRef vertex, StringRef fragment) {
    std::vector<CompiledStage> stages = compileStages(makePipeline(vertex, fragment));
    return std::pair(stages[0].hash.hash, stages[1].hash.hash);
  };
  auto base = hashes(makeVertex(), makeFragment(2));
  auto otherFragmentBody = hashes(makeVertex(), makeFragment(2, "%z"));
  EXPECT_EQ(base.first, otherFragmentBody.first);
  EXPECT_NE(base.second, otherFragmentBody.second);
  auto unread = hashes(makeVertex("%y"), makeFragment(2));
  EXPECT_EQ(base, unread) << "no stage reads what differs";
  auto otherPlace = hashes(makeVertex(), makeFragment(3));
  EXPECT_EQ(base, otherPlace) << "linking moves the same value to the same place";
  auto otherVertexBody = hashes(makeVertex("%y"), makeFragment(3));
  EXPECT_NE(base.first, otherVertexBody.first);
  EXPECT_EQ(base.second, otherVertexBody.second);
}

TEST(Stages, BecomeOneElf) {
  PipelineDescription pipeline = makePipeline(makeVertex(), makeFragment(2));
  for (StringRef target : {"gfx900", "gfx1030", "gfx1100"}) {
    CompileOptions options;
    options.target = cantFail(findTarget(target));
    Compiler compiler;
    Expected<CompileResult> assembly = compiler.compile(pipeline, options, EmitPhase::Assembly);
    ASSERT_TRUE(static_cast<bool>(assembly)) << takeError(assembly.takeError()).message;
    StringRef text(reinterpret_cast<const char *>(assembly->output.data()),
                   assembly->output.size());
    EXPECT_TRUE(text.contains(target == "gfx1100" ? "_amdgpu_gs_main:" : "_amdgpu_vs_main:"));
    EXPECT_TRUE(text.contains("_amdgpu_ps_main:"));
    EXPECT_EQ(assembly->hashChains.size(), 2u);
  }
}

TEST(Stages, GiveTheSameBytesAgain) {
  PipelineDescription pipeline = makePipeline(makeVertex(), makeFragment(2));
  CompileOptions options;
  options.target = cantFail(findTarget("gfx1030"));
  Compiler compiler;
  std::vector<uint8_t> first = cantFail(compiler.compile(pipeline, options, EmitPhase::Elf)).output;
  EXPECT_EQ(cantFail(compiler.compile(pipeline, options, EmitPhase::Elf)).output, first);
  options.recordBuilder = false;
  EXPECT_EQ(cantFail(compiler.compile(pipeline, options, EmitPhase::Elf)).output, first);
}

TEST(Stages, NeedNoFragmentShader) {
  PipelineDescription pipeline;
  pipeline.addShader(ShaderStage::Vertex).spirv = cantFail(spirv::assemble(makeVertex()));
  CompileOptions options;
  options.target = cantFail(findTarget("gfx1030"));
  Compiler compiler;
  Expected<CompileResult> assembly = compiler.compile(pipeline, options, EmitPhase::Assembly);
  ASSERT_TRUE(static_cast<bool>(assembly)) << takeError(assembly.takeError()).message;
  StringRef text(reinterpret_cast<const char *>(assembly->output.data()), assembly->output.size());
  EXPECT_TRUE(text.contains("_amdgpu_ps_main:")) << "PAL wants one";
}

TEST(Stages, OfAFragmentShaderAloneGetGlue) {
  PipelineDescription pipeline;
  pipeline.addShader(ShaderStage::Fragment).spirv = cantFail(spirv::assemble(makeFragment(2)));
  pipeline.graphics.colorTargets.push_back({.format = TexelFormat(16) /* R8G8_UNORM */});
  CompileOptions options;
  options.target = cantFail(findTarget("gfx1030"));
  for (PalVersion version : {PalVersion::V3_0, PalVersion::V2_6}) {
    options.palVersion = version;
    Compiler compiler;
    compiler.setGraphicsChoices({.linkMode = LinkMode::Unlinked});
    std::vector<uint8_t> part = cantFail(compiler.compileParts(pipeline, options))[0].result.output;
    EXPECT_TRUE(cantFail(pal::readGlueNeeds(part)));
    std::vector<uint8_t> elf = cantFail(compiler.compile(pipeline, options, EmitPhase::Elf)).output;
    EXPECT_FALSE(cantFail(pal::readGlueNeeds(elf)));
    EXPECT_GT(cantFail(pal::readGlueCode(elf)).size(), cantFail(pal::readGlueCode(part)).size());
    std::string metadata = cantFail(pal::printElfMetadata(elf));
    EXPECT_EQ(StringRef(metadata).contains(".ps_input_semantic"), version == PalVersion::V3_0);
    EXPECT_EQ(StringRef(metadata).contains(".registers"), version == PalVersion::V2_6);
  }
}

static void checkCachedParts(PalVersion version, LinkMode mode) {
  CompileOptions options;
  options.target = cantFail(findTarget("gfx1030"));
  options.palVersion = version;
  auto compile = [&](Cache *cache, StringRef vertex, StringRef fragment) {
    Compiler compiler;
    compiler.setCache(cache);
    compiler.setGraphicsChoices({.linkMode = mode});
    PipelineDescription pipeline = makePipeline(vertex, fragment);
    return cantFail(compiler.compile(pipeline, options, EmitPhase::Elf));
  };
  std::unique_ptr<Cache> cache = cantFail(Cache::open({}));
  CompileResult first = compile(cache.get(), makeVertex(), makeFragment(2));
  EXPECT_FALSE(first.isFromCache);
  EXPECT_EQ(cache->getStatistics().misses, 2u);
  CompileResult second = compile(cache.get(), makeVertex(), makeFragment(2));
  EXPECT_TRUE(second.isFromCache);
  EXPECT_EQ(second.output, first.output);
  // Another fragment shader that reads the same inputs: the vertex part is found.
  CompileResult other = compile(cache.get(), makeVertex(), makeFragment(2, "%z"));
  EXPECT_FALSE(other.isFromCache);
  EXPECT_EQ(cache->getStatistics().misses, 3u);
  EXPECT_EQ(other.output, compile(nullptr, makeVertex(), makeFragment(2, "%z")).output);
}

TEST(Stages, CacheParts) {
  for (PalVersion version : {PalVersion::V3_0, PalVersion::V2_6})
    for (LinkMode mode : {LinkMode::Parts, LinkMode::Unlinked})
      checkCachedParts(version, mode);
}

TEST(Stages, PrintEveryPhase) {
  CompileOptions options;
  options.target = cantFail(findTarget("gfx1100"));
  Compiler compiler;
  PipelineDescription pipeline = makePipeline(makeVertex(), makeFragment(2));
  for (EmitPhase phase : {EmitPhase::SpirvText, EmitPhase::Lgc}) {
    Expected<CompileResult> text = compiler.compile(pipeline, options, phase);
    ASSERT_TRUE(static_cast<bool>(text)) << takeError(text.takeError()).message;
    StringRef printed(reinterpret_cast<const char *>(text->output.data()), text->output.size());
    EXPECT_TRUE(printed.contains("; stage vertex") && printed.contains("; stage fragment"));
  }
}
