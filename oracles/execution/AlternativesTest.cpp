// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Texels that are one of several, against EXPECTs and against a machine's.
#include "oracles/execution/Judge.h"

#include "oracles/execution/TexelText.h"
#include <gtest/gtest.h>

using namespace llvm;
using namespace assay;

namespace {

/// An image of 2 x 2 texels with four bytes each, of which texel (1, 0) is red or blue.
class Alternatives : public testing::Test {
protected:
  Alternatives() {
    Buffer image;
    image.name = "image";
    image.format = makeDataFormat(ScalarKind::Uint8, 4, 1, BlockLayout::Std430);
    image.format.stride = 4;
    image.texelFormat = findTexelFormat(StringRef("R8G8B8A8_UNORM"));
    image.image = ImageShape();
    image.image->width = image.image->height = 2;
    image.bytes.resize(16);
    m_case.buffers.push_back(image);
    m_case.commands.push_back(Draw());
    m_reference = BufferState{std::vector<uint8_t>(16, 9)};
    std::copy(red.begin(), red.end(), m_reference.bytes.begin() + 4);
    m_reference.alternatives[4] = {BufferState{red}, BufferState{blue}};
  }

  /// What a machine is told that leaves \p texel at texel (1, 0).
  Judgement compare(const std::vector<uint8_t> &texel, uint8_t others = 9) const {
    Outcome reference, machine;
    BufferState state{std::vector<uint8_t>(16, others)};
    std::copy(texel.begin(), texel.end(), state.bytes.begin() + 4);
    reference.checkpoints = {{m_reference}};
    machine.checkpoints = {{state}};
    Expected<Judgement> result = compareWithReference(m_case, reference, machine);
    EXPECT_TRUE(static_cast<bool>(result));
    return result ? std::move(*result) : Judgement{};
  }
  /// What the reference is told of an EXPECT of \p values from byte \p offset on.
  Judgement expect(ScalarKind kind, uint64_t offset, std::vector<uint64_t> values) {
    Expectation expectation;
    expectation.byteOffset = offset;
    expectation.format = makeDataFormat(kind, 1, 1, BlockLayout::Std430);
    expectation.format.stride = scalarBytes(kind);
    expectation.values = std::move(values);
    Case input = m_case;
    input.commands.push_back(expectation);
    Outcome outcome;
    outcome.checkpoints = {{m_reference}, {m_reference}};
    Expected<Judgement> result = judgeExpectations(input, outcome);
    EXPECT_TRUE(static_cast<bool>(result));
    return result ? std::move(*result) : Judgement{};
  }

  const std::vector<uint8_t> red = {255, 0, 0, 255}, blue = {0, 0, 255, 255};
  Case m_case;
  BufferState m_reference;
};

} // namespace

TEST_F(Alternatives, AllowEachAndNothingElse) {
  EXPECT_TRUE(compare(red).findings.empty());
  EXPECT_TRUE(compare(blue).findings.empty());
  Judgement purple = compare({255, 0, 255, 255}); // Each channel is right in one of them.
  ASSERT_EQ(purple.findings.size(), 1u);
  EXPECT_NE(purple.findings[0].message.find("texel (1, 0) (byte 4): the reference has (255, 0, 0, "
                                            "255) or (0, 0, 255, 255), the machine (255, 0, 255, "
                                            "255)"),
            std::string::npos)
      << purple.findings[0].message;
}

TEST_F(Alternatives, LeaveOtherTexelsExact) {
  Judgement judgement = compare(blue, 8);
  ASSERT_EQ(judgement.findings.size(), 1u);
  EXPECT_NE(judgement.findings[0].message.find(
                "texel (0, 0) channel R (byte 0): the reference has 9, the machine 8"),
            std::string::npos)
      << judgement.findings[0].message;
  m_reference.bytes[8] = 1; // After the texel with alternatives.
  EXPECT_EQ(compare(blue).firstDifference->byteOffset, 8u);
}

TEST_F(Alternatives, HaveRangesOfTheirOwn) {
  m_reference.alternatives[4][1].fields[16] = {200, 255, 8, false};
  EXPECT_TRUE(compare({0, 0, 200, 255}).findings.empty());
  EXPECT_EQ(compare({0, 0, 199, 255}).findings.size(), 1u);
  m_reference.alternatives[4][0].indeterminate[1] = 1;
  EXPECT_TRUE(compare({255, 77, 0, 255}).findings.empty());
  EXPECT_EQ(compare({0, 77, 255, 255}).findings.size(), 1u);
}

TEST_F(Alternatives, MeetAnExpectationByOneOfThem) {
  EXPECT_TRUE(expect(ScalarKind::Uint8, 4, {0, 0, 255, 255}).findings.empty());
  EXPECT_TRUE(expect(ScalarKind::Uint32, 4, {0xffff0000}).findings.empty());
  // Neither of them has both the red of one and the blue of the other.
  EXPECT_EQ(expect(ScalarKind::Uint8, 4, {255, 0, 255, 255}).findings.size(), 1u);
  Judgement green = expect(ScalarKind::Uint8, 4, {0, 255, 0, 255});
  ASSERT_EQ(green.findings.size(), 1u);
  EXPECT_EQ(green.findings[0].rule, "EXPECT");
  Judgement across = expect(ScalarKind::Uint64, 0, {0});
  ASSERT_EQ(across.findings.size(), 1u);
  EXPECT_EQ(across.findings[0].rule, "EXPECT-OPEN");
}

TEST_F(Alternatives, AreEqualToABufferThatOneOfThemIsIn) {
  Buffer other = m_case.buffers[0];
  other.name = "other";
  m_case.buffers.push_back(other);
  Expectation expectation;
  expectation.kind = ExpectationKind::EqualBuffers;
  expectation.otherBuffer = 1;
  m_case.commands.push_back(expectation);
  auto judge = [&](const std::vector<uint8_t> &texel, FieldInterval field = {}) {
    BufferState state{std::vector<uint8_t>(16, 9)};
    std::copy(texel.begin(), texel.end(), state.bytes.begin() + 4);
    if (field.hi)
      state.fields[32] = field;
    Outcome outcome;
    outcome.checkpoints = {{m_reference, state}, {m_reference, state}};
    Expected<Judgement> result = judgeExpectations(m_case, outcome);
    return result ? result->findings.size() : 99;
  };
  EXPECT_EQ(judge(red), 0u);
  EXPECT_EQ(judge(blue), 0u);
  EXPECT_EQ(judge({255, 0, 255, 255}), 1u); // A mixture.
  EXPECT_EQ(judge({128, 0, 0, 255}, {100, 255, 8, false}), 0u);
  EXPECT_EQ(judge({128, 0, 0, 255}, {100, 200, 8, false}), 1u);
}

TEST(TexelText, FindsTexelsInAllDimensions) {
  Buffer buffer;
  buffer.texelFormat = findTexelFormat(StringRef("R16_SFLOAT"));
  buffer.image = ImageShape();
  buffer.image->width = 4;
  buffer.image->height = 2;
  buffer.image->layers = 2;
  buffer.image->mipLevels = 2;
  buffer.image->samples = 2;
  // Level 0 has 4 x 2 texels x 2 layers x 2 samples of 2 bytes.
  std::optional<TexelLocation> texel = locateTexel(buffer, ((8 + 4 + 3) * 2 + 1) * 2 + 1);
  ASSERT_TRUE(texel);
  EXPECT_EQ(printTexelLocation(*texel, *buffer.image), "texel (3, 1) layer 1 level 0 sample 1");
  EXPECT_EQ(texel->byteOffset, 62u);
  texel = locateTexel(buffer, 64 + 4);
  ASSERT_TRUE(texel);
  EXPECT_EQ(printTexelLocation(*texel, *buffer.image), "texel (1, 0) layer 0 level 1 sample 0");
  EXPECT_FALSE(locateTexel(buffer, getImageBytes(*buffer.image, *buffer.texelFormat)));
}

TEST(TexelText, PrintsComponentsByTheirFormat) {
  auto print = [](const char *format, std::vector<uint8_t> bytes) {
    return printTexel(getTexelFormatInfo(*findTexelFormat(StringRef(format))), bytes);
  };
  EXPECT_EQ(print("B8G8R8A8_UNORM", {1, 2, 3, 4}), "(3, 2, 1, 4)");
  EXPECT_EQ(print("R8G8_SNORM", {0xff, 2}), "(-1, 2)");
  EXPECT_EQ(print("R16G16_SFLOAT", {0, 0x3c, 0, 0xc0}), "(1, -2)");
  EXPECT_EQ(print("R5G6B5_UNORM_PACK16", {0x1f, 0xf8}), "(31, 0, 31)");
}

TEST_F(Alternatives, TexelsAreComparedOneByOne) {
  BufferState machine = m_reference;
  std::copy(blue.begin(), blue.end(), machine.bytes.begin() + 4);
  machine.bytes[15] = 8;
  using enum TexelMatch;
  EXPECT_EQ(compareTexels(m_case.buffers[0], 0, m_reference, machine),
            (std::vector<TexelMatch>{Same, Permitted, Same, Different}));
}

TEST_F(Alternatives, AFindingKnowsItsCheckpoint) {
  EXPECT_EQ(getCheckpoint(compare({255, 0, 255, 255}).findings.at(0)), 0u);
  Finding other;
  other.rule = "EXPECT";
  other.location = "checkpoint 2 of 3";
  EXPECT_EQ(getCheckpoint(other), std::nullopt);
  other.rule = "REF-DIFF";
  EXPECT_EQ(getCheckpoint(other), 1u);
}
