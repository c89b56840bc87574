// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/radv/RadvShader.h"

#include "oracles/radv/SetLayout.h"
#include "support/Error.h"
#include <gtest/gtest.h>
#include <random>

using namespace llvm;
using namespace assay;
using namespace assay::radv;

static RadvShader makeShader() {
  RadvShader shader;
  shader.compiler = "aco";
  shader.driver = "radv 25";
  shader.target = "gfx1100";
  shader.rsrc1 = 0x12345678;
  shader.rsrc2 = 0x9abcdef0;
  shader.rsrc3 = 7;
  shader.sgprs = 16;
  shader.vgprs = 24;
  shader.ldsUnits = 3;
  shader.scratchBytesPerWave = 1024;
  shader.waveSize = 32;
  shader.blockSize = {8, 4, 2};
  shader.inlinePushMask = 0x8000000000000003;
  shader.userData = {{UserData::ScratchRing, 0, 0, 2}, {UserData::DescriptorSet, 5, 2, 1}};
  shader.bindings = {{0, 1, DescriptorType::Sampler, 1}, {5, 0, DescriptorType::SampledImage, 4}};
  shader.execBytes = 8;
  shader.code = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
  return shader;
}

TEST(RadvShader, ReadsWhatItWrote) {
  RadvShader shader = makeShader();
  std::vector<uint8_t> bytes = writeRadvShader(shader);
  Expected<RadvShader> read = readRadvShader(bytes);
  ASSERT_TRUE(static_cast<bool>(read)) << takeError(read.takeError()).message;
  EXPECT_EQ(read->compiler, shader.compiler);
  EXPECT_EQ(read->driver, shader.driver);
  EXPECT_EQ(read->target, shader.target);
  EXPECT_EQ(read->rsrc1, shader.rsrc1);
  EXPECT_EQ(read->rsrc2, shader.rsrc2);
  EXPECT_EQ(read->rsrc3, shader.rsrc3);
  EXPECT_EQ(read->sgprs, shader.sgprs);
  EXPECT_EQ(read->vgprs, shader.vgprs);
  EXPECT_EQ(read->ldsUnits, shader.ldsUnits);
  EXPECT_EQ(read->scratchBytesPerWave, shader.scratchBytesPerWave);
  EXPECT_EQ(read->waveSize, shader.waveSize);
  EXPECT_EQ(read->blockSize, shader.blockSize);
  EXPECT_EQ(read->inlinePushMask, shader.inlinePushMask);
  EXPECT_EQ(read->userData, shader.userData);
  EXPECT_EQ(read->bindings, shader.bindings);
  EXPECT_EQ(read->execBytes, shader.execBytes);
  EXPECT_EQ(read->code, shader.code);
  EXPECT_EQ(writeRadvShader(*read), bytes);
}

static bool isRefused(ArrayRef<uint8_t> bytes) {
  Expected<RadvShader> read = readRadvShader(bytes);
  if (read)
    return false;
  return takeError(read.takeError()).kind == ErrorKind::InvalidInput;
}

TEST(RadvShader, RefusesEveryTruncationAndMore) {
  std::vector<uint8_t> bytes = writeRadvShader(makeShader());
  for (size_t size = 0; size < bytes.size(); ++size)
    EXPECT_TRUE(isRefused(ArrayRef(bytes).take_front(size))) << size;
  bytes.push_back(0);
  EXPECT_TRUE(isRefused(bytes));
  EXPECT_TRUE(isRefused(ArrayRef<uint8_t>{0x7f, 'E', 'L', 'F'}));
}

TEST(RadvShader, SurvivesDamageAnywhere) {
  std::vector<uint8_t> good = writeRadvShader(makeShader());
  std::mt19937 random(7);
  for (unsigned round = 0; round < 50000; ++round) {
    std::vector<uint8_t> bytes = good;
    for (unsigned i = 0, count = 1 + random() % 4; i < count; ++i)
      bytes[random() % bytes.size()] = static_cast<uint8_t>(random());
    Expected<RadvShader> read = readRadvShader(bytes);
    if (!read) {
      EXPECT_EQ(takeError(read.takeError()).kind, ErrorKind::InvalidInput);
      continue;
    }
    EXPECT_LE(read->execBytes, read->code.size());
    EXPECT_FALSE(errorToBool(verifyRadvShader(*read)));
    EXPECT_EQ(writeRadvShader(*read), bytes);
  }
}

TEST(RadvShader, RefusesWhatContradictsItself) {
  auto refuses = [](auto change) {
    RadvShader shader = makeShader();
    change(shader);
    return isRefused(writeRadvShader(shader));
  };
  EXPECT_FALSE(refuses([](RadvShader &) {}));
  EXPECT_TRUE(refuses([](RadvShader &s) { s.execBytes = 16; }));
  EXPECT_TRUE(refuses([](RadvShader &s) { s.execBytes = 6; }));
  EXPECT_TRUE(refuses([](RadvShader &s) { s.execBytes = 0; }));
  EXPECT_TRUE(refuses([](RadvShader &s) { s.waveSize = 16; }));
  EXPECT_TRUE(refuses([](RadvShader &s) { s.userData[1].first = 1; }));
  EXPECT_TRUE(refuses([](RadvShader &s) { s.userData[1].first = 32; }));
  EXPECT_TRUE(refuses([](RadvShader &s) { s.userData[1].count = 0; }));
  EXPECT_TRUE(refuses([](RadvShader &s) { s.userData[1].count = ~0u; }));
  EXPECT_TRUE(refuses([](RadvShader &s) { s.userData[1].set = 32; }));
  EXPECT_TRUE(refuses([](RadvShader &s) { s.userData[0].set = 1; }));
  EXPECT_TRUE(refuses([](RadvShader &s) { s.bindings[1].count = ~0u; }));
  EXPECT_TRUE(refuses([](RadvShader &s) { std::swap(s.bindings[0], s.bindings[1]); }));
  EXPECT_TRUE(refuses([](RadvShader &s) { s.bindings[1] = s.bindings[0]; }));
}

/// What Mesa 25.0.7 says by vkGetDescriptorSetLayoutBindingOffsetEXT for the same bindings.
TEST(RadvSetLayout, GroupsBindingsByAlignment) {
  std::vector<SetBinding> bindings = {
      {1, 0, DescriptorType::StorageBuffer, 1},        {1, 1, DescriptorType::SampledImage, 2},
      {1, 2, DescriptorType::CombinedImageSampler, 1}, {1, 3, DescriptorType::Sampler, 1},
      {1, 7, DescriptorType::StorageImage, 1},         {2, 0, DescriptorType::UniformBuffer, 3}};
  SetLayout layout = layOutSet(bindings, 1);
  ASSERT_EQ(layout.bindings.size(), 5u);
  const uint32_t offsets[] = {0, 32, 160, 16, 256};
  for (unsigned i = 0; i < 5; ++i)
    EXPECT_EQ(layout.bindings[i].offset, offsets[i]) << i;
  EXPECT_EQ(layout.bindings[2].samplerOffset, 80u);
  EXPECT_EQ(layout.bytes, 288u);
  bindings.insert(bindings.begin() + 5, {1, 9, DescriptorType::UniformTexelBuffer, 1});
  layout = layOutSet(bindings, 1);
  EXPECT_EQ(layout.bindings[1].offset, 0u) << "32 first when the last one is of 16";
  EXPECT_EQ(layout.bindings[0].offset, 256u);
  EXPECT_EQ(layOutSet(bindings, 2).bytes, 48u);
  EXPECT_EQ(layOutSet(bindings, 0).bytes, 0u);
}
