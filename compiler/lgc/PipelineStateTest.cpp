// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/lgc/PipelineStateTesting.h"

#include "compiler/lgc/PassDiagnostics.h"
#include "support/Error.h"
#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

using namespace llvm;
using namespace assay;
using testing::HasSubstr;

static std::unique_ptr<Module> parse(StringRef text, LLVMContext &context) {
  SMDiagnostic diagnostic;
  std::unique_ptr<Module> module = parseAssemblyString(text, diagnostic, context);
  EXPECT_TRUE(module) << diagnostic.getMessage().str();
  return module;
}

static std::string errorOf(StringRef text) {
  LLVMContext context;
  Expected<PipelineState> state = PipelineStateTests::read(*parse(text, context));
  return state ? "" : takeError(state.takeError()).message;
}

TEST(PipelineState, SurvivesText) {
  PipelineState state;
  state.target = cantFail(findTarget("gfx1030"));
  state.waveSize = 64;
  state.layout = makeResourceLayout({{0, 1, 1}, {0, 4, 3}, {2, 0, 1}}, 20);
  state.robustness = Robustness::Access2;
  GraphicsFacts &facts = state.graphics.emplace();
  facts.topology = PrimitiveTopology::LineStrip;
  facts.bindings = {{.binding = 3, .stride = 12, .perInstance = true, .divisor = 4}};
  facts.attributes = {{.location = 1, .binding = 3, .format = TexelFormat(37), .offset = 8}};
  facts.targets = {{.location = 2, .format = TexelFormat(100), .blends = true, .needsAlpha = true}};
  facts.samples = 4;
  facts.hasAlphaToCoverage = facts.provokesLast = true;
  state.pipelineHash = {0x8000000000000001, 2};
  state.shaderHash = {3, 4};
  LLVMContext context;
  Module module("m", context);
  state.write(module);
  state.write(module);
  std::string text;
  raw_string_ostream os(text);
  module.print(os, nullptr);

  Expected<PipelineState> read = PipelineStateTests::read(*parse(text, context));
  ASSERT_TRUE(static_cast<bool>(read));
  EXPECT_EQ(read->target, state.target);
  EXPECT_EQ(read->waveSize, 64u);
  EXPECT_EQ(read->robustness, Robustness::Access2);
  EXPECT_TRUE(read->graphics == state.graphics);
  EXPECT_EQ(read->pipelineHash, state.pipelineHash);
  EXPECT_EQ(read->shaderHash, state.shaderHash);
  EXPECT_EQ(read->layout.pushConstantDwords, 5u);
  ASSERT_EQ(read->layout.tables.size(), 2u);
  EXPECT_EQ(read->layout.tables[1].set, 2u);
  const DescriptorTable *table = nullptr;
  const DescriptorNode *node = read->layout.find(0, 4, &table);
  ASSERT_TRUE(node);
  EXPECT_EQ(node->count, 3u);
  EXPECT_EQ(node->offsetInDwords, 4u);
  EXPECT_EQ(table->userDataEntry, 5u);
  EXPECT_EQ(table->sizeInDwords, 16u);
}

TEST(PipelineState, WaveSizeIsTheTargetsUnlessSaid) {
  LLVMContext context;
  auto module = parse("!lgc.pipeline.state = !{!0}\n!0 = !{!\"target\", !\"gfx900\"}", context);
  Expected<PipelineState> state = PipelineStateTests::read(*module);
  ASSERT_TRUE(static_cast<bool>(state));
  EXPECT_EQ(state->waveSize, 64u);
}

TEST(PipelineState, RejectsBrokenRows) {
  EXPECT_THAT(errorOf(""), HasSubstr("has no !lgc.pipeline.state"));
  EXPECT_THAT(errorOf("!lgc.pipeline.state = !{}"), HasSubstr("names no target"));
  EXPECT_THAT(errorOf("!lgc.pipeline.state = !{!0}\n!0 = !{!\"target\", !\"gfx1\"}"),
              HasSubstr("gfx1100"));
  EXPECT_THAT(errorOf("!lgc.pipeline.state = !{!0}\n!0 = !{!\"what\"}"), HasSubstr("'what'"));
  EXPECT_THAT(errorOf("!lgc.pipeline.state = !{!0}\n!0 = !{!\"wave-size\", i32 16}"),
              HasSubstr("32 or 64"));
  EXPECT_THAT(errorOf("!lgc.pipeline.state = !{!0}\n!0 = !{!\"table\", i32 1}"),
              HasSubstr("must have 3 numbers"));
  EXPECT_THAT(errorOf("!lgc.pipeline.state = !{!0}\n!0 = !{!\"node\", i32 1}"),
              HasSubstr("must have 5 to 6 numbers"));
  EXPECT_THAT(
      errorOf("!lgc.pipeline.state = !{!0}\n!0 = !{!\"node\", i32 1, i32 1, i32 1, i32 1, i32 1}"),
      HasSubstr("must follow the table"));
  EXPECT_THAT(errorOf("!lgc.pipeline.state = !{!0}\n!0 = !{!\"wave-size\", float 1.0}"),
              HasSubstr("text and numbers only"));
}

TEST(DiagnosticCollector, KeepsTheFirstErrorAndItsKind) {
  DiagnosticCollector collector;
  LLVMContext context;
  collector.attach(context);
  EXPECT_FALSE(errorToBool(collector.takeFirstError()));
  reportError(context, invalidInput("first"));
  reportError(context, unsupported("second"));
  context.diagnose(DiagnosticInfoGeneric("beware", DS_Warning));
  EXPECT_TRUE(collector.hasError());
  ErrorParts parts = takeError(collector.takeFirstError());
  EXPECT_EQ(parts.kind, ErrorKind::InvalidInput);
  EXPECT_EQ(parts.message, "first");
  EXPECT_FALSE(collector.hasError());
  ASSERT_EQ(collector.takeWarnings().size(), 1u);
  EXPECT_TRUE(collector.takeWarnings().empty());
}

TEST(DiagnosticCollector, TakesErrorsOfLlvmAsUnsupported) {
  DiagnosticCollector collector;
  LLVMContext context;
  collector.attach(context);
  context.emitError("LLVM's own");
  EXPECT_EQ(takeError(collector.takeFirstError()).kind, ErrorKind::Unsupported);
}

TEST(PipelineState, TakesWhatPassesNeedOfGraphics) {
  GraphicsState state;
  state.rasterization.polygonMode = PolygonMode::Point;
  state.multisample = {.samples = 4, .sampleShading = true, .minSampleShading = 0.5f};
  state.colorTargets.resize(3);
  state.colorTargets[0] = {.format = TexelFormat(37),
                           .blend = true,
                           .srcColor = BlendFactor::SrcAlpha,
                           .dstColor = BlendFactor::Src1Color};
  state.colorTargets[2] = {.format = TexelFormat(100), .srcColor = BlendFactor::SrcAlpha};
  GraphicsFacts facts = makeGraphicsFacts(state);
  EXPECT_TRUE(facts.drawsPoints);
  EXPECT_TRUE(facts.isPerSample);
  EXPECT_TRUE(facts.hasDualSource);
  ASSERT_EQ(facts.targets.size(), 2u);
  EXPECT_TRUE(facts.targets[0].needsAlpha);
  EXPECT_EQ(facts.targets[1].location, 2u);
  EXPECT_FALSE(facts.targets[1].needsAlpha) << "it does not blend";
}
