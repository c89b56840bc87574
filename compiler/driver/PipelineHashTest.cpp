// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/driver/PipelineHash.h"

#include "gtest/gtest.h"
#include <set>

using namespace llvm;
using namespace assay;

static PipelineDescription makePipeline() {
  PipelineDescription pipeline;
  pipeline.addShader(ShaderStage::Compute).spirv = {1, 2, 3};
  pipeline.addShader(ShaderStage::Compute).specialization = {{1, 5}};
  pipeline.layout = makeResourceLayout({{0, 1, 1}}, 8);
  return pipeline;
}

static CompileOptions makeOptions() {
  CompileOptions options;
  options.target = cantFail(findTarget("gfx1100"));
  return options;
}

TEST(PipelineHash, IsTheSameForTheSame) {
  EXPECT_EQ(hashPipeline(makePipeline(), makeOptions()),
            hashPipeline(makePipeline(), makeOptions()));
  CompileOptions spelledOut = makeOptions();
  spelledOut.waveSize = spelledOut.target->defaultWaveSize;
  EXPECT_EQ(hashPipeline(makePipeline(), makeOptions()), hashPipeline(makePipeline(), spelledOut));
  CompileOptions direct = makeOptions();
  direct.recordBuilder = false;
  EXPECT_EQ(hashPipeline(makePipeline(), makeOptions()), hashPipeline(makePipeline(), direct));
}

TEST(PipelineHash, ChangesWithEverythingTheCodeDependsOn) {
  std::set<Hash128> pipelines = {hashPipeline(makePipeline(), makeOptions())};
  unsigned count = 1;
  auto expectNew = [&](const PipelineDescription &pipeline, const CompileOptions &options) {
    pipelines.insert(hashPipeline(pipeline, options));
    EXPECT_EQ(pipelines.size(), ++count);
  };
  PipelineDescription pipeline = makePipeline();
  pipeline.getShader(ShaderStage::Compute).spirv.push_back(0);
  expectNew(pipeline, makeOptions());
  pipeline = makePipeline();
  pipeline.addShader(ShaderStage::Compute).entryPoint = "other";
  expectNew(pipeline, makeOptions());
  pipeline = makePipeline();
  pipeline.getShader(ShaderStage::Compute).specialization[0].bits = 6;
  expectNew(pipeline, makeOptions());
  pipeline = makePipeline();
  pipeline.layout.pushConstantDwords = 3;
  expectNew(pipeline, makeOptions());
  pipeline = makePipeline();
  pipeline.layout.tables[0].nodes[0].strideInDwords = 8;
  expectNew(pipeline, makeOptions());
  CompileOptions options = makeOptions();
  options.optLevel = 0;
  expectNew(makePipeline(), options);
  options = makeOptions();
  options.waveSize = 64;
  expectNew(makePipeline(), options);
  options = makeOptions();
  options.useLlvmLowering = true;
  expectNew(makePipeline(), options);
  options = makeOptions();
  options.target = cantFail(findTarget("gfx1201"));
  expectNew(makePipeline(), options);
  EXPECT_FALSE(pipelines.count({0, 0}));
}

TEST(PipelineHash, ShaderHashDoesNotKnowTheLayout) {
  PipelineDescription pipeline = makePipeline();
  pipeline.layout = {};
  EXPECT_EQ(hashShader(pipeline.getShader(ShaderStage::Compute)),
            hashShader(makePipeline().getShader(ShaderStage::Compute)));
}
