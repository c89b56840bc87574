// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every kind of change of a case is a difference, and what does not count is none.
#include "oracles/input/CaseDifference.h"

#include <functional>
#include <gtest/gtest.h>
#include <limits>

using namespace llvm;
using namespace assay;

static Case makeCase() {
  Case result;
  result.buffers.resize(2);
  result.buffers[0].bytes = {1, 2, 3, 4};
  result.buffers[1].image = ImageShape();
  result.samplers.resize(1);
  result.addresses.resize(1);
  CasePipeline pipeline;
  pipeline.description.addShader(ShaderStage::Compute).spirv = {0x07230203, 0x00010600, 0, 8,
                                                                0,          0x00020011, 1};
  pipeline.description.addShader(ShaderStage::Compute).specialization = {{1, 2}};
  pipeline.bindings.resize(1);
  result.pipelines = {pipeline};
  Expectation expectation;
  expectation.values = {1, 2};
  Expectation buffers;
  buffers.kind = ExpectationKind::RmseBuffers;
  buffers.rmse = std::numeric_limits<double>::quiet_NaN(); // Equal to itself.
  result.commands = {Dispatch(), BufferCopy(), expectation, buffers};
  return result;
}

TEST(CaseDifference, SeesEveryChange) {
  const std::pair<const char *, std::function<void(Case &)>> changes[] = {
      {"buffer 0: bytes", [](Case &c) { c.buffers[0].bytes[2] = 0; }},
      {"buffer 1: image", [](Case &c) { c.buffers[1].image->layers = 2; }},
      {"buffer 1: image", [](Case &c) { c.buffers[1].image.reset(); }},
      {"the number of buffers", [](Case &c) { c.buffers.pop_back(); }},
      {"sampler 0: values", [](Case &c) { c.samplers[0].lodBias = 1; }},
      {"address 0: values", [](Case &c) { c.addresses[0].targetOffset = 4; }},
      {"pipeline 0: words of SPIR-V",
       [](Case &c) {
         c.pipelines[0].description.getShader(ShaderStage::Compute).spirv.push_back(0);
       }},
      {"pipeline 0: version of SPIR-V",
       [](Case &c) {
         c.pipelines[0].description.getShader(ShaderStage::Compute).spirv[1] = 0x00010500;
       }},
      {"pipeline 0: instructions of SPIR-V",
       [](Case &c) {
         c.pipelines[0].description.getShader(ShaderStage::Compute).spirv[5] = 0x0002000a;
       }},
      {"pipeline 0: specialization constants",
       [](Case &c) {
         c.pipelines[0].description.getShader(ShaderStage::Compute).specialization[0].bits = 3;
       }},
      {"pipeline 0: robustness",
       [](Case &c) { c.pipelines[0].description.robustness = Robustness::Access; }},
      {"pipeline 0: bindings", [](Case &c) { c.pipelines[0].bindings[0].set = 1; }},
      {"pipeline 0: bindings", [](Case &c) { c.pipelines[0].bindings[0].range = 3; }},
      {"steps", [](Case &c) { std::get<Dispatch>(c.commands[0]).groups[2] = 2; }},
      {"steps", [](Case &c) { std::get<BufferCopy>(c.commands[1]).range = CopyRange(); }},
      {"steps", [](Case &c) { std::get<Expectation>(c.commands[2]).values.pop_back(); }},
      {"steps", [](Case &c) { std::get<Expectation>(c.commands[2]).values[1] = 3; }},
      {"steps", [](Case &c) { std::get<Expectation>(c.commands[2]).buffer = 1; }},
      {"steps", [](Case &c) { std::get<Expectation>(c.commands[2]).byteOffset = 4; }},
      {"steps", [](Case &c) { std::get<Expectation>(c.commands[2]).comparator = Comparator::Lt; }},
      {"steps",
       [](Case &c) { std::get<Expectation>(c.commands[2]).format.scalar = ScalarKind::Float32; }},
      {"steps", [](Case &c) { std::get<Expectation>(c.commands[2]).tolerances = {{0, false}}; }},
      {"steps", [](Case &c) { std::get<Expectation>(c.commands[3]).rmse = 1; }},
      {"steps", [](Case &c) { std::get<Expectation>(c.commands[3]).otherBuffer = 1; }},
      {"steps", [](Case &c) { std::swap(c.commands[0], c.commands[1]); }},
      {"features", [](Case &c) { c.features = {"shaderInt16"}; }},
      {"subgroup sizes", [](Case &c) { c.subgroupSizes = {32}; }}};
  for (const auto &[name, change] : changes) {
    Case changed = makeCase();
    change(changed);
    EXPECT_EQ(describeDifference(makeCase(), changed), name);
  }
}

TEST(CaseDifference, ClearsOfDepthCountWhereThereIsDepth) {
  Case first = makeCase();
  first.commands = {Clear()};
  for (bool hasDepth : {false, true}) {
    if (hasDepth)
      first.pipelines[0].draw.depthStencil = Attachment();
    Case color = first, depth = first, stencil = first;
    std::get<Clear>(color.commands[0]).color[0] = 0.5f;
    std::get<Clear>(depth.commands[0]).depth = 0.25f;
    std::get<Clear>(stencil.commands[0]).stencil = 7;
    EXPECT_EQ(describeDifference(first, color), "steps");
    EXPECT_EQ(describeDifference(first, depth), hasDepth ? "steps" : "");
    EXPECT_EQ(describeDifference(first, stencil), hasDepth ? "steps" : "");
  }
}

TEST(CaseDifference, LeavesOutWhatDoesNotCount) {
  Case changed = makeCase();
  changed.buffers[0].name = "other";
  changed.pipelines[0].description.getShader(ShaderStage::Compute).spirv[3] =
      9;                                      // The bound of ids.
  changed.pipelines[0].bindings[0].range = 4; // To the end, in a number.
  auto &expectation = std::get<Expectation>(changed.commands[2]);
  expectation.line = 7;
  expectation.values = {1};
  Expectation second = expectation; // The second value on a line of its own.
  second.byteOffset = 4;
  second.values = {2};
  changed.commands.insert(changed.commands.begin() + 3, second);
  EXPECT_EQ(describeDifference(makeCase(), changed), "");
}
