// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reading Mesa's binaries, damaged ones too; and, where Mesa is installed, the peers themselves.
#include "harness/peer/RadvPeer.h"

#include "harness/peer/PipelineBinary.h"
#include "oracles/input/Glsl.h"
#include "oracles/radv/SetLayout.h"
#include "support/Error.h"
#include "llvm/ADT/STLExtras.h"
#include <gtest/gtest.h>
#include <random>

using namespace llvm;
using namespace assay;
using radv::DescriptorType;

static void putWord(std::vector<uint8_t> &bytes, size_t at, uint32_t value) {
  for (unsigned i = 0; i < 4; ++i)
    bytes[at + i] = static_cast<uint8_t>(value >> (8 * i));
}

/// A compute shader of 64 threads with set 0 in s2, as Mesa 25.0 writes it.
static std::vector<uint8_t> makeBinary() {
  std::vector<uint8_t> bytes(0x4b0 + 8);
  const std::pair<size_t, uint32_t> words[] = {
      {0x30, 3 << 1}, {0x44, 1},  {0xc4, 1},       {0x12c, 64},     {0x134, 5},      {0x334, 64},
      {0x338, 1},     {0x33c, 1}, {0x3e0, 0xb830}, {0x3e4, 0xb848}, {0x3e8, 0xb84c}, {0x45c, 64},
      {0x460, 1},     {0x464, 1}, {0x490, 0x4b8},  {0x498, 8},      {0x49c, 4},
  };
  for (unsigned i = 0; i < 58; ++i)
    bytes[0x50 + 2 * i] = 0xff;
  for (const auto &[at, value] : words)
    putWord(bytes, at, value);
  bytes[0x4b] = 64;
  bytes[0x50] = 2; // Set 0.
  bytes[0x51] = 1;
  bytes[0x90] = 0; // Scratch ring.
  bytes[0x91] = 2;
  return bytes;
}

TEST(PipelineBinary, ReadsWhatMesaWrites) {
  Expected<BinaryShader> shader = readPipelineBinary(makeBinary());
  ASSERT_TRUE(static_cast<bool>(shader)) << takeError(shader.takeError()).message;
  const radv::RadvShader &read = shader->shader;
  EXPECT_EQ(read.execBytes, 4u);
  EXPECT_EQ(read.code.size(), 8u);
  EXPECT_EQ(read.blockSize, (std::array<uint32_t, 3>{64, 1, 1}));
  EXPECT_EQ(read.userData, (std::vector<radv::UserRange>{{radv::UserData::DescriptorSet, 0, 2, 1},
                                                         {radv::UserData::ScratchRing, 0, 0, 2}}));
}

TEST(PipelineBinary, NoticesAnotherLayout) {
  std::vector<uint8_t> good = makeBinary();
  for (size_t at : {0x0u, 0x30u, 0xc4u, 0x12cu, 0x134u, 0x334u, 0x3e0u, 0x3e8u, 0x45cu, 0x490u,
                    0x498u, 0x49cu}) {
    std::vector<uint8_t> bytes = good;
    putWord(bytes, at, 0x77777777);
    Expected<BinaryShader> shader = readPipelineBinary(bytes);
    ASSERT_FALSE(static_cast<bool>(shader)) << at;
    EXPECT_EQ(takeError(shader.takeError()).kind, ErrorKind::Unsupported) << at;
  }
  for (unsigned shift : {4u, 8u}) { // A member more at the front.
    std::vector<uint8_t> bytes = good;
    bytes.insert(bytes.begin(), shift, 0);
    EXPECT_FALSE(static_cast<bool>(readPipelineBinary(bytes)) && shift);
  }
}

TEST(PipelineBinary, SurvivesDamage) {
  std::vector<uint8_t> good = makeBinary();
  for (size_t size = 0; size < good.size(); size += 7)
    consumeError(readPipelineBinary(ArrayRef(good).take_front(size)).takeError());
  std::mt19937 random(3);
  for (unsigned round = 0; round < 20000; ++round) {
    std::vector<uint8_t> bytes = good;
    for (unsigned i = 0, count = 1 + random() % 6; i < count; ++i)
      bytes[random() % bytes.size()] = static_cast<uint8_t>(random());
    Expected<BinaryShader> shader = readPipelineBinary(bytes);
    if (shader)
      EXPECT_LE(shader->shader.execBytes, shader->shader.code.size());
    else
      EXPECT_EQ(takeError(shader.takeError()).kind, ErrorKind::Unsupported);
  }
}

/// Skips, with the driver's reason, where there is no Mesa that can be used.
class InstalledPeer : public testing::Test {
protected:
  /// Null: m_reason says why.
  RadvPeer *make(const RadvSettings &settings, StringRef target) {
    auto peer = RadvPeer::create(settings, **findTarget(target));
    if (peer) {
      m_peer = std::move(*peer);
      return m_peer.get();
    }
    ErrorParts parts = takeError(peer.takeError());
    EXPECT_EQ(parts.kind, ErrorKind::Unsupported) << parts.message;
    m_reason = parts.message;
    return nullptr;
  }
  std::unique_ptr<RadvPeer> m_peer;
  std::string m_reason;
};

TEST_F(InstalledPeer, LaysOutSetsAsItsDriver) {
  RadvPeer *peer = make({}, "gfx1100");
  if (!peer)
    GTEST_SKIP() << m_reason;
  auto spirv = input::compileGlsl("#version 450\nlayout(local_size_x = 1) in;\nvoid main() {}\n", 1,
                                  input::ScriptFiles(""));
  ASSERT_TRUE(static_cast<bool>(spirv));
  // Every type first and last, between others; compile() compares with the driver.
  for (unsigned first = 0; first < radv::descriptorTypeCount; ++first)
    for (unsigned last = 0; last < radv::descriptorTypeCount; ++last) {
      RadvPipeline pipeline;
      pipeline.stages.emplace_back().spirv = *spirv;
      pipeline.bindings = {{0, 1, DescriptorType(first), 3},
                           {0, 4, DescriptorType::SampledImage, 2},
                           {0, 5, DescriptorType::Sampler, 1},
                           {0, 9, DescriptorType::CombinedImageSampler, 1},
                           {0, 11, DescriptorType::StorageBuffer, 2},
                           {0, 12, DescriptorType(last), 1}};
      Expected<radv::RadvShader> shader = peer->compile(pipeline);
      EXPECT_TRUE(static_cast<bool>(shader)) << takeError(shader.takeError()).message;
    }
}

TEST_F(InstalledPeer, RefusesSizesThatTheDriverLacks) {
  RadvPeer *peer = make({}, "gfx900");
  if (!peer)
    GTEST_SKIP() << m_reason;
  EXPECT_FALSE(peer->device().offersSubgroupSize(32));
  EXPECT_TRUE(peer->device().offersSubgroupSize(64));
  RadvPipeline pipeline;
  pipeline.stages.emplace_back().requiredSubgroupSize = 32;
  Expected<radv::RadvShader> shader = peer->compile(pipeline);
  ASSERT_FALSE(static_cast<bool>(shader));
  EXPECT_EQ(takeError(shader.takeError()).kind, ErrorKind::Unsupported);
}

TEST(RadvPeer, KnowsItsCompilersAndTheirTargets) {
  EXPECT_EQ(findRadvCompiler("aco"), RadvSettings());
  EXPECT_EQ(findRadvCompiler("radv-llvm"), RadvSettings{RadvCompiler::Llvm});
  EXPECT_EQ(findRadvCompiler("aco-nongg"), (RadvSettings{RadvCompiler::Aco, false}));
  EXPECT_EQ(findRadvCompiler("assay"), std::nullopt);
  auto peer = RadvPeer::create({RadvCompiler::Llvm}, **findTarget("gfx1201"));
  ASSERT_FALSE(static_cast<bool>(peer));
  EXPECT_EQ(takeError(peer.takeError()).kind, ErrorKind::Unsupported);
}
