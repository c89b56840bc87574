// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/radv/RadvGraphics.h"

#include "support/Error.h"
#include <gtest/gtest.h>
#include <random>

using namespace llvm;
using namespace assay;
using namespace assay::radv;

static RadvShader makeShader(Stage stage) {
  RadvShader shader;
  shader.compiler = "aco";
  shader.driver = "radv 25";
  shader.target = "gfx1030";
  shader.stage = stage;
  shader.vgprs = 8;
  shader.userData = {{UserData::VertexBuffers, 0, 0, 1}, {UserData::NggViewport, 0, 3, 4}};
  shader.bindings = {{0, 1, DescriptorType::Sampler, 1}};
  shader.execBytes = 8;
  shader.code = {1, 2, 3, 4, 5, 6, 7, 8};
  return shader;
}

static RadvGraphics makePipeline() {
  RadvGraphics pipeline;
  pipeline.vertex = makeShader(Stage::Vertex);
  pipeline.vertexRegisters = {1, 0, 0x44, 0x01000100, 0x102, 4, 128, 126, 2, 1, 5, 0, {0, 7}};
  pipeline.pixel = makeShader(Stage::Fragment);
  pipeline.pixel->userData = {{UserData::RingTable, 0, 0, 2}};
  pipeline.pixelRegisters = {0x302, 0x312, 0, 0x94, 0xff, 1, 0x10, 1, 1, {0x400, 0x21, 2}};
  return pipeline;
}

TEST(RadvGraphics, ReadsWhatItWrote) {
  for (bool hasPixel : {true, false}) {
    RadvGraphics pipeline = makePipeline();
    if (!hasPixel) {
      pipeline.pixel.reset();
      pipeline.pixelRegisters = {};
    }
    std::vector<uint8_t> bytes = writeRadvGraphics(pipeline);
    Expected<RadvGraphics> read = readRadvGraphics(bytes);
    ASSERT_TRUE(static_cast<bool>(read)) << takeError(read.takeError()).message;
    EXPECT_EQ(read->vertexRegisters, pipeline.vertexRegisters);
    EXPECT_EQ(read->pixelRegisters, pipeline.pixelRegisters);
    EXPECT_EQ(read->vertex.userData, pipeline.vertex.userData);
    ASSERT_EQ(read->pixel.has_value(), hasPixel);
    if (hasPixel)
      EXPECT_EQ(read->pixel->userData, pipeline.pixel->userData);
    EXPECT_EQ(writeRadvGraphics(*read), bytes);
  }
}

static bool isRefused(ArrayRef<uint8_t> bytes) {
  Expected<RadvGraphics> read = readRadvGraphics(bytes);
  if (read)
    return false;
  return takeError(read.takeError()).kind == ErrorKind::InvalidInput;
}

TEST(RadvGraphics, RefusesEveryTruncationAndMore) {
  std::vector<uint8_t> bytes = writeRadvGraphics(makePipeline());
  for (size_t size = 0; size < bytes.size(); ++size)
    EXPECT_TRUE(isRefused(ArrayRef(bytes).take_front(size))) << size;
  bytes.push_back(0);
  EXPECT_TRUE(isRefused(bytes));
  EXPECT_TRUE(isRefused(writeRadvShader(makeShader(Stage::Vertex))));
}

TEST(RadvGraphics, SurvivesDamageAnywhere) {
  std::vector<uint8_t> good = writeRadvGraphics(makePipeline());
  std::mt19937 random(7);
  for (unsigned round = 0; round < 30000; ++round) {
    std::vector<uint8_t> bytes = good;
    for (unsigned i = 0, count = 1 + random() % 4; i < count; ++i)
      bytes[random() % bytes.size()] = static_cast<uint8_t>(random());
    Expected<RadvGraphics> read = readRadvGraphics(bytes);
    if (!read) {
      EXPECT_EQ(takeError(read.takeError()).kind, ErrorKind::InvalidInput);
      continue;
    }
    EXPECT_FALSE(errorToBool(verifyRadvGraphics(*read)));
    EXPECT_FALSE(printRadvGraphics(*read).empty());
    EXPECT_EQ(writeRadvGraphics(*read), bytes);
  }
}

TEST(RadvGraphics, RefusesContradictions) {
  auto refuses = [](auto change) {
    RadvGraphics pipeline = makePipeline();
    change(pipeline);
    return errorToBool(verifyRadvGraphics(pipeline));
  };
  EXPECT_FALSE(refuses([](RadvGraphics &) {}));
  EXPECT_TRUE(refuses([](RadvGraphics &p) { p.vertex.stage = Stage::Compute; }));
  EXPECT_TRUE(refuses([](RadvGraphics &p) { p.pixel->stage = Stage::Vertex; }));
  EXPECT_TRUE(refuses([](RadvGraphics &p) { p.pixel->target = "gfx1100"; }));
  EXPECT_TRUE(refuses([](RadvGraphics &p) { p.pixel->bindings.clear(); }));
  EXPECT_TRUE(refuses([](RadvGraphics &p) { p.pixel.reset(); }));
  EXPECT_TRUE(refuses([](RadvGraphics &p) { p.vertexRegisters.isNgg = 2; }));
  EXPECT_TRUE(refuses([](RadvGraphics &p) { p.vertexRegisters.parameters = 32; }));
  EXPECT_TRUE(refuses([](RadvGraphics &p) { p.vertexRegisters.primitiveParameters = ~0u; }));
  EXPECT_TRUE(refuses([](RadvGraphics &p) { p.vertexRegisters.vertexBindings.clear(); }));
  EXPECT_TRUE(refuses([](RadvGraphics &p) { p.pixelRegisters.inputs.resize(33); }));
  EXPECT_TRUE(refuses([](RadvGraphics &p) { p.pixelRegisters.primitiveInputs = 4; }));
  EXPECT_TRUE(refuses([](RadvGraphics &p) { p.pixelRegisters.loadsProvokingVertex = 3; }));
}
