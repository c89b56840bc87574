// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/api/Pipeline.h"

#include "support/Error.h"
#include <gtest/gtest.h>
#include <set>

using namespace assay;

TEST(ShaderStage, HasARowForEachStageWithNumbersOfItsOwn) {
  std::set<uint32_t> bits, models;
  for (const ShaderStageInfo &row : getShaderStages()) {
    EXPECT_EQ(&getStageInfo(row.stage), &row);
    EXPECT_EQ(findStage(row.executionModel), row.stage);
    EXPECT_TRUE(bits.insert(row.vulkanBit).second);
    EXPECT_TRUE(models.insert(row.executionModel).second);
  }
  EXPECT_EQ(getShaderStages().size(), size_t(ShaderStage::Callable) + 1);
  EXPECT_FALSE(findStage(6)); // Kernel.
}

TEST(PipelineDescription, KeepsItsStagesInOrder) {
  PipelineDescription pipeline;
  pipeline.addShader(ShaderStage::Fragment).entryPoint = "f";
  pipeline.addShader(ShaderStage::Vertex).entryPoint = "v";
  EXPECT_EQ(pipeline.addShader(ShaderStage::Fragment).entryPoint, "f");
  ASSERT_EQ(pipeline.stages.size(), 2u);
  EXPECT_EQ(pipeline.stages[0].stage, ShaderStage::Vertex);
  EXPECT_EQ(pipeline.getShader(ShaderStage::Fragment).entryPoint, "f");
  EXPECT_EQ(pipeline.find(ShaderStage::Compute), nullptr);
  EXPECT_TRUE(pipeline.isGraphics());
  EXPECT_FALSE(pipeline.isCompute());
}

TEST(PipelineDescription, NamesTheStageThatIsNotCompute) {
  PipelineDescription pipeline;
  auto why = [&] { return takeError(requireCompute(pipeline).takeError()).message; };
  EXPECT_EQ(why(), "the pipeline has no shader");
  pipeline.addShader(ShaderStage::Compute);
  EXPECT_EQ(llvm::cantFail(requireCompute(pipeline)), &pipeline.stages[0]);
  pipeline.addShader(ShaderStage::TessellationControl);
  EXPECT_EQ(why(), "tessellation control shaders");
}
