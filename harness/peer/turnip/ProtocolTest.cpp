// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/peer/turnip/Protocol.h"

#include <gtest/gtest.h>

using namespace assay::turnip;

static Request makeRequest() {
  Request request;
  request.chip = 0x43050a01;
  request.environment = {"TU_DEBUG=nir"};
  request.features = {{7, 24}};
  request.extensions = {"VK_EXT_robustness2"};
  request.resources = {{1024, std::nullopt}, {0, ImageRequest{.type = 1, .width = 20}}};
  request.samplers = {SamplerRequest{.magFilter = 1, .maxLod = 4.5f}};
  PipelineRequest &pipeline = request.pipelines.emplace_back();
  pipeline.spirv = {0x07230203, 1};
  pipeline.specialization = {{3, 8, ~0ull}};
  pipeline.bindings = {{1, 2, 7, 3}};
  pipeline.descriptors = {DescriptorRequest{.set = 1, .binding = 2, .resource = 0}};
  pipeline.assembly = "end\n";
  return request;
}

TEST(TurnipProtocol, ReadsTheRequestThatItWrote) {
  std::vector<uint8_t> bytes = writeRequest(makeRequest());
  std::optional<Request> read = readRequest(bytes.data(), bytes.size());
  ASSERT_TRUE(read.has_value());
  EXPECT_EQ(writeRequest(*read), bytes);
  EXPECT_EQ(read->samplers[0].maxLod, 4.5f);
  EXPECT_EQ(read->resources[1].image->width, 20u);
  EXPECT_EQ(read->pipelines[0].specialization[0].bits, ~0ull);
  for (size_t size = 0; size < bytes.size(); ++size)
    EXPECT_FALSE(readRequest(bytes.data(), size).has_value()) << size;
}

static PipelineAnswer makeAnswer() {
  PipelineAnswer answer;
  answer.isUnsupported = true;
  answer.failure = "no";
  answer.statistics = {{"Loops", 3}};
  answer.submissions = {{{{16, 4}}, {{16, {1, 2, 3, 4}}}}};
  return answer;
}

TEST(TurnipProtocol, KeepsTheRecordsBeforeADeath) {
  WireWriter writer;
  writeDevice(writer, {{"VK_KHR_x"}, {{1, 2}}, {}});
  writeResources(writer, {{4096, 64, {{0, 64, 16, 0, 0}}}});
  writePipeline(writer, makeAnswer());
  size_t first = writer.get().size();
  writePipeline(writer, makeAnswer());
  size_t second = writer.get().size();
  writeEnd(writer);
  std::vector<uint8_t> bytes = writer.get();
  Response whole = readResponse(bytes.data(), bytes.size());
  EXPECT_TRUE(whole.isComplete);
  ASSERT_EQ(whole.pipelines.size(), 2u);
  EXPECT_EQ(whole.pipelines[1].submissions[0].memory[0].bytes.size(), 4u);
  EXPECT_EQ(whole.device->extensions, std::vector<std::string>{"VK_KHR_x"});
  EXPECT_EQ(whole.resources[0].levels[0].rowPitch, 16u);
  for (size_t size = first; size < bytes.size(); ++size) {
    Response part = readResponse(bytes.data(), size);
    EXPECT_FALSE(part.isComplete);
    EXPECT_EQ(part.pipelines.size(), size < second ? 1u : 2u) << size;
  }
}
