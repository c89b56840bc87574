// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Submissions made by hand as turnip makes them, right and wrong.
#include "harness/peer/turnip/Submission.h"

#include "support/Error.h"
#include <gtest/gtest.h>
#include <random>

using namespace llvm;
using namespace assay;
using namespace assay::turnip;

namespace {

constexpr uint64_t StreamAddress = 0x100000000, ConstantsAddress = 0x100001000,
                   CodeAddress = 0x100002000, SetAddress = 0x100003000, BorderAddress = 0x100004000;

class StreamWriter {
public:
  void registers(uint32_t first, ArrayRef<uint32_t> values) {
    m_words.push_back(4u << 28 | first << 8 | static_cast<uint32_t>(values.size()));
    m_words.insert(m_words.end(), values.begin(), values.end());
  }
  void packet(uint32_t opcode, ArrayRef<uint32_t> payload) {
    m_words.push_back(7u << 28 | opcode << 16 | static_cast<uint32_t>(payload.size()));
    m_words.insert(m_words.end(), payload.begin(), payload.end());
  }
  MemoryRange at(uint64_t address) const {
    MemoryRange range{address, {}};
    for (uint32_t word : m_words)
      for (unsigned i = 0; i < 4; ++i)
        range.bytes.push_back(static_cast<uint8_t>(word >> (8 * i)));
    return range;
  }

private:
  std::vector<uint32_t> m_words;
};

/// What is wrong with a submission.
enum class Flaw { None, NoDispatch, Conditional, OtherCode, OtherConstant, UnknownLoad };

} // namespace

/// A dispatch of a630 with driver parameters, an immediate and a push constant.
static Submission makeSubmission(uint32_t dispatch, Flaw flaw) {
  auto low = [](uint64_t address) { return static_cast<uint32_t>(address); };
  StreamWriter constants;
  constants.packet(
      0x34, {uint32_t(1) << 22 | 14 << 18 | 2 << 14, 0, 0, dispatchedPushConstant(dispatch, 5)});
  StreamWriter stream;
  stream.registers(0xa9b0, {0x80000180u | 2 << 14, 3});
  stream.registers(0xa9b3, {0, low(CodeAddress), 1, 2, 0, 0, 1u << 31, 0, 0x105, 1});
  stream.registers(0xab00, {0xd});
  stream.registers(0xb987, {0x102});
  stream.registers(0xb990, {3 | 15 << 2 | 1 << 12});
  stream.registers(0xb997, {0x00fcfcc0, 0xfc});
  stream.registers(0xa9e8, {low(SetAddress) | 3, 1});
  stream.registers(0xb180, {low(BorderAddress), 1});
  stream.packet(0x3f, {low(ConstantsAddress), 1, 5});
  uint32_t groups = dispatchedGroups(dispatch, 1), base = dispatchedBase(dispatch, 2);
  if (flaw == Flaw::OtherConstant)
    base += dispatch;
  stream.packet(0x34, {uint32_t(1) << 22 | 13 << 18 | 1 << 14 | 1, 0, 0, groups, base, 64, 7});
  if (flaw == Flaw::Conditional)
    stream.packet(0x47, {0, 0});
  if (flaw == Flaw::UnknownLoad)
    stream.packet(0x34, {uint32_t(1) << 22 | 13 << 18 | 3 << 14, 0, 0, 1, 2, 3, 4});
  if (flaw != Flaw::NoDispatch)
    stream.packet(0x33, {0, 1, 2, 3});
  MemoryRange code{CodeAddress, std::vector<uint8_t>(128)};
  code.bytes[7] = flaw == Flaw::OtherCode ? static_cast<uint8_t>(dispatch) : 3;
  MemoryRange set{SetAddress, std::vector<uint8_t>(256)};
  set.bytes[65] = 9;
  Submission submission;
  submission.memory = {stream.at(StreamAddress), constants.at(ConstantsAddress), code, set};
  submission.streams = {{StreamAddress, submission.memory[0].bytes.size()}};
  return submission;
}

static Expected<TurnipShader> read(Flaw flaw) {
  std::vector<Submission> submissions;
  for (uint32_t dispatch = 0; dispatch < dispatchCount; ++dispatch)
    submissions.push_back(makeSubmission(dispatch, flaw));
  return readSubmissions(submissions, Generation::A6xx, {192});
}

TEST(TurnipSubmission, SaysWhatALaunchNeeds) {
  Expected<TurnipShader> shader = read(Flaw::None);
  ASSERT_TRUE(static_cast<bool>(shader)) << takeError(shader.takeError()).message;
  const Launch &launch = shader->launch;
  EXPECT_EQ(launch.fullRegisters, 3u);
  EXPECT_EQ(launch.branchStack, 2u);
  EXPECT_TRUE(launch.mergedRegisters);
  EXPECT_EQ(launch.fibersPerWave, 64u);
  EXPECT_EQ(launch.localBytes, 4096u);
  EXPECT_EQ(launch.privateBytesPerFiber, 1024u);
  EXPECT_TRUE(launch.privatePerWave);
  EXPECT_EQ(launch.constantVec4s, 8u);
  EXPECT_TRUE(launch.sharedConstants);
  EXPECT_EQ(launch.localSize, (std::array<uint32_t, 3>{16, 2, 1}));
  EXPECT_EQ(launch.workgroupIdRegister, 192u);
  EXPECT_EQ(launch.localIdRegister, 0u);
  EXPECT_EQ(launch.localIndexRegister, 252u);
  ASSERT_EQ(shader->code.size(), 16u);
  EXPECT_EQ(shader->code[0], 0x0300000000000000u);
  EXPECT_EQ(shader->loads,
            (std::vector<Load>{{LoadSpace::SharedConstants, 0, 0, {{DwordSource::PushConstant, 5}}},
                               {LoadSpace::Constants,
                                0,
                                4,
                                {{DwordSource::GroupCount, 1},
                                 {DwordSource::FirstGroup, 2},
                                 {DwordSource::Value, 64},
                                 {DwordSource::Value, 7}}}}));
  ASSERT_EQ(shader->bases.size(), 1u);
  EXPECT_EQ(shader->bases[0].address, SetAddress);
  EXPECT_EQ(shader->bases[0].descriptorBytes, 64u);
  EXPECT_EQ(shader->bases[0].bytes.size(), 128u)
      << "two descriptors, of three that there is room for";
  ASSERT_EQ(shader->memory.size(), 1u);
  EXPECT_EQ(shader->memory[0].address, BorderAddress);
  EXPECT_FALSE(errorToBool(verifyTurnipShader(*shader)));
}

TEST(TurnipSubmission, RefusesWhatIsNotKnown) {
  for (Flaw flaw : {Flaw::NoDispatch, Flaw::Conditional, Flaw::OtherCode, Flaw::OtherConstant,
                    Flaw::UnknownLoad}) {
    Expected<TurnipShader> shader = read(flaw);
    ASSERT_FALSE(static_cast<bool>(shader)) << int(flaw);
    EXPECT_EQ(takeError(shader.takeError()).kind, ErrorKind::Unsupported) << int(flaw);
  }
  Expected<TurnipShader> none = readSubmissions({}, Generation::A6xx, {});
  EXPECT_EQ(takeError(none.takeError()).kind, ErrorKind::Unsupported);
}

TEST(TurnipSubmission, SurvivesDamage) {
  std::mt19937 random(5);
  for (unsigned round = 0; round < 4000; ++round) {
    std::vector<Submission> submissions;
    for (uint32_t dispatch = 0; dispatch < dispatchCount; ++dispatch)
      submissions.push_back(makeSubmission(dispatch, Flaw::None));
    for (unsigned i = 0, count = 1 + random() % 6; i < count; ++i) {
      std::vector<uint8_t> &bytes = submissions[random() % 2].memory[random() % 2].bytes;
      bytes[random() % bytes.size()] = static_cast<uint8_t>(random());
    }
    Expected<TurnipShader> shader = readSubmissions(submissions, Generation::A6xx, {192});
    if (!shader)
      EXPECT_EQ(takeError(shader.takeError()).kind, ErrorKind::Unsupported);
  }
}
