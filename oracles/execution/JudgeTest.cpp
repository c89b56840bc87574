// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/execution/Judge.h"

#include "oracles/execution/Scalar.h"
#include <bit>
#include <cmath>
#include <cstring>
#include <gtest/gtest.h>
#include <limits>

using namespace llvm;
using namespace assay;

static std::vector<uint8_t> bytesOf(std::initializer_list<float> values) {
  std::vector<uint8_t> bytes(values.size() * 4);
  std::memcpy(bytes.data(), values.begin(), bytes.size());
  return bytes;
}

static uint64_t bits(float value) {
  return std::bit_cast<uint32_t>(value);
}

static Case floatCase(std::initializer_list<float> initial) {
  Case input;
  input.buffers.push_back(
      {"out", makeDataFormat(ScalarKind::Float32, 1, 1, BlockLayout::Std430), bytesOf(initial)});
  input.commands.push_back(Dispatch{});
  return input;
}

static Expectation expectFloats(uint64_t offset, std::initializer_list<float> values,
                                Comparator comparator = Comparator::Eq) {
  Expectation expectation;
  expectation.byteOffset = offset;
  expectation.format = makeDataFormat(ScalarKind::Float32, 1, 1, BlockLayout::Std430);
  expectation.comparator = comparator;
  for (float value : values)
    expectation.values.push_back(bits(value));
  expectation.line = 9;
  expectation.text = "EXPECT out ...";
  return expectation;
}

static Outcome outcomeOf(std::vector<std::vector<uint8_t>> checkpoints) {
  Outcome outcome;
  for (auto &bytes : checkpoints)
    outcome.checkpoints.push_back({BufferState{std::move(bytes), {}, {}}});
  return outcome;
}

static Judgement judge(const Case &input, const Outcome &outcome) {
  Expected<Judgement> result = judgeExpectations(input, outcome);
  EXPECT_TRUE(static_cast<bool>(result));
  return result ? std::move(*result) : Judgement{};
}

static Judgement diff(const Case &input, const Outcome &reference, const Outcome &machine) {
  Expected<Judgement> result = compareWithReference(input, reference, machine);
  EXPECT_TRUE(static_cast<bool>(result));
  return result ? std::move(*result) : Judgement{};
}

TEST(Expectations, AcceptWhatIsRightAndNameTheFirstWrongValue) {
  Case input = floatCase({0, 0, 0, 0});
  input.commands.push_back(expectFloats(4, {1, 2, 3}));
  Outcome good = outcomeOf({bytesOf({9, 1, 2, 3}), bytesOf({9, 1, 2, 3})});
  EXPECT_TRUE(judge(input, good).findings.empty());
  EXPECT_EQ(judge(input, good).compared, 3u);

  Judgement bad = judge(input, outcomeOf({bytesOf({9, 1, 5, 7}), bytesOf({9, 1, 5, 7})}));
  ASSERT_EQ(bad.findings.size(), 1u);
  EXPECT_EQ(bad.findings[0].rule, "EXPECT");
  ASSERT_TRUE(bad.firstDifference);
  EXPECT_EQ(bad.firstDifference->element, 2u);
  EXPECT_EQ(bad.firstDifference->byteOffset, 8u);
  EXPECT_EQ(bad.firstDifference->expected, "2");
  EXPECT_EQ(bad.firstDifference->actual, "5");
}

TEST(Expectations, JudgeEachRunOfExpectationsAtItsOwnCheckpoint) {
  Case input = floatCase({0});
  input.commands = {Dispatch{}, expectFloats(0, {1}), Dispatch{}, expectFloats(0, {2})};
  EXPECT_TRUE(judge(input, outcomeOf({bytesOf({1}), bytesOf({2}), bytesOf({2})})).findings.empty());
  EXPECT_EQ(judge(input, outcomeOf({bytesOf({2}), bytesOf({1}), bytesOf({1})})).findings.size(),
            2u);
  Expected<Judgement> missing = judgeExpectations(input, outcomeOf({bytesOf({1})}));
  EXPECT_FALSE(static_cast<bool>(missing));
  consumeError(missing.takeError());
}

TEST(Expectations, KnowEveryComparatorForFloatsAndNan) {
  struct Row {
    Comparator comparator;
    float expected, actual;
    bool met;
  };
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const Row rows[] = {
      {Comparator::Eq, 1, 1, true},      {Comparator::Eq, 1, 2, false},
      {Comparator::Ne, 1, 2, true},      {Comparator::Ne, 1, 1, false},
      {Comparator::Lt, 2, 1, true},      {Comparator::Lt, 1, 1, false},
      {Comparator::Le, 1, 1, true},      {Comparator::Le, 1, 2, false},
      {Comparator::Gt, 1, 2, true},      {Comparator::Gt, 1, 1, false},
      {Comparator::Ge, 1, 1, true},      {Comparator::Ge, 2, 1, false},
      {Comparator::Eq, nan, nan, true},  {Comparator::Eq, nan, 1, false},
      {Comparator::Eq, 1, nan, false},   {Comparator::Ne, nan, nan, false},
      {Comparator::Ne, nan, 1, true},    {Comparator::Lt, 1, nan, false},
      {Comparator::Eq, 0.f, -0.f, true},
  };
  for (const Row &row : rows) {
    Case input = floatCase({0});
    input.commands.push_back(expectFloats(0, {row.expected}, row.comparator));
    Outcome outcome = outcomeOf({bytesOf({row.actual}), bytesOf({row.actual})});
    EXPECT_EQ(judge(input, outcome).findings.empty(), row.met)
        << int(row.comparator) << " " << row.expected << " " << row.actual;
  }
}

TEST(Expectations, CompareIntegersBySign) {
  Case input = floatCase({0});
  Expectation expectation = expectFloats(0, {});
  expectation.format = makeDataFormat(ScalarKind::Int32, 1, 1, BlockLayout::Std430);
  expectation.comparator = Comparator::Lt;
  expectation.values = {0};
  input.commands.push_back(expectation);
  std::vector<uint8_t> minusOne(4, 0xff);
  EXPECT_TRUE(judge(input, outcomeOf({minusOne, minusOne})).findings.empty());
  std::get<Expectation>(input.commands[1]).format.scalar = ScalarKind::Uint32;
  EXPECT_EQ(judge(input, outcomeOf({minusOne, minusOne})).findings.size(), 1u);
}

TEST(Expectations, AllowAbsoluteAndPercentTolerance) {
  Case input = floatCase({0});
  Expectation expectation = expectFloats(0, {100});
  expectation.tolerances = {{0.5, false}};
  input.commands.push_back(expectation);
  auto wrong = [&](float actual) {
    return judge(input, outcomeOf({bytesOf({actual}), bytesOf({actual})})).findings.size();
  };
  EXPECT_EQ(wrong(100.5f), 0u);
  EXPECT_EQ(wrong(100.6f), 1u);
  std::get<Expectation>(input.commands[1]).tolerances = {{2, true}};
  EXPECT_EQ(wrong(98.f), 0u);
  EXPECT_EQ(wrong(97.9f), 1u);
  EXPECT_EQ(wrong(std::numeric_limits<float>::quiet_NaN()), 1u);
}

TEST(Expectations, ApplyOneTolerancePerComponent) {
  Case input = floatCase({0, 0, 0, 0});
  Expectation expectation = expectFloats(0, {1, 1, 1, 1});
  expectation.format = makeDataFormat(ScalarKind::Float32, 2, 1, BlockLayout::Std430);
  expectation.tolerances = {{0.0, false}, {1.0, false}};
  input.commands.push_back(expectation);
  auto wrong = [&](std::vector<uint8_t> bytes) {
    return judge(input, outcomeOf({bytes, bytes})).findings.size();
  };
  EXPECT_EQ(wrong(bytesOf({1, 2, 1, 0})), 0u);
  EXPECT_EQ(wrong(bytesOf({1, 2, 2, 0})), 1u);
}

TEST(Expectations, SayWhenTheBufferEndsTooEarly) {
  Case input = floatCase({0});
  input.commands.push_back(expectFloats(0, {1, 2}));
  Judgement judgement = judge(input, outcomeOf({bytesOf({1}), bytesOf({1})}));
  ASSERT_EQ(judgement.findings.size(), 1u);
  EXPECT_NE(judgement.findings[0].message.find("ends at byte 4"), std::string::npos);
}

static Case twoBuffers(ExpectationKind kind, double rmse) {
  Case input = floatCase({0, 0});
  input.buffers.push_back(input.buffers[0]);
  input.buffers[1].name = "other";
  Expectation expectation;
  expectation.kind = kind;
  expectation.otherBuffer = 1;
  expectation.rmse = rmse;
  input.commands.push_back(expectation);
  return input;
}

static Outcome pairOutcome(std::vector<uint8_t> first, std::vector<uint8_t> second) {
  Outcome outcome;
  outcome.checkpoints.assign(2, {BufferState{first, {}, {}}, BufferState{second, {}, {}}});
  return outcome;
}

TEST(Expectations, CompareWholeBuffers) {
  Case input = twoBuffers(ExpectationKind::EqualBuffers, 0);
  EXPECT_TRUE(judge(input, pairOutcome(bytesOf({1, 2}), bytesOf({1, 2}))).findings.empty());
  Judgement bad = judge(input, pairOutcome(bytesOf({1, 2}), bytesOf({1, 3})));
  ASSERT_EQ(bad.findings.size(), 1u);
  EXPECT_EQ(bad.firstDifference->element, 1u);
  EXPECT_EQ(judge(input, pairOutcome(bytesOf({1, 2}), bytesOf({1}))).findings.size(), 1u);
}

TEST(Expectations, BoundTheRootMeanSquare) {
  Case input = twoBuffers(ExpectationKind::RmseBuffers, 1.0);
  EXPECT_TRUE(judge(input, pairOutcome(bytesOf({1, 2}), bytesOf({2, 3}))).findings.empty());
  EXPECT_EQ(judge(input, pairOutcome(bytesOf({1, 2}), bytesOf({2, 3.5}))).findings.size(), 1u);
}

TEST(Expectations, LeaveOpenScalarsOutOfTheRootMeanSquare) {
  Case input = twoBuffers(ExpectationKind::RmseBuffers, 1.0);
  for (uint64_t byte : {4, 7}) {
    Outcome outcome = pairOutcome(bytesOf({1, 2}), bytesOf({2, 300}));
    EXPECT_EQ(judge(input, outcome).findings.size(), 1u);
    for (std::vector<BufferState> &checkpoint : outcome.checkpoints)
      checkpoint[0].indeterminate[byte] = 1;
    EXPECT_TRUE(judge(input, outcome).findings.empty()) << byte;
  }
}

TEST(Expectations, BoundTheDistanceOfHistograms) {
  Case input = twoBuffers(ExpectationKind::HistogramBuffers, 0.125);
  // Of two texels one moves by 64 values in one channel: 32 of 256.
  std::vector<uint8_t> first = {0, 10, 0, 0, 64, 10, 0, 0};
  EXPECT_TRUE(judge(input, pairOutcome(first, {64, 10, 0, 0, 0, 10, 0, 0})).findings.empty());
  EXPECT_TRUE(judge(input, pairOutcome(first, {0, 10, 0, 0, 128, 10, 0, 0})).findings.empty());
  EXPECT_EQ(judge(input, pairOutcome(first, {0, 10, 0, 0, 129, 10, 0, 0})).findings.size(), 1u);
  EXPECT_EQ(judge(input, pairOutcome(first, {0, 10, 0, 0})).findings.size(), 1u);
}

TEST(Expectations, LeaveTheReferenceItsFreedom) {
  Case input = floatCase({0, 0});
  input.commands.push_back(expectFloats(0, {1, 2}));
  Outcome reference = outcomeOf({bytesOf({1.1f, 7}), bytesOf({1.1f, 7})});
  reference.checkpoints[0][0].intervals[0] = {0.9, 1.2, 4, false};
  reference.checkpoints[0][0].intervals[4] = {1.9, 2.1, 4, false};
  EXPECT_TRUE(judge(input, reference).findings.empty());
  reference.checkpoints[0][0].intervals[0] = {1.05, 1.2, 4, false};
  EXPECT_EQ(judge(input, reference).findings.size(), 1u);
}

TEST(Expectations, RefuseToExpectWhatMayBeAnything) {
  Case input = floatCase({0, 0});
  input.commands.push_back(expectFloats(0, {1, 2}));
  Outcome reference = outcomeOf({bytesOf({1, 2}), bytesOf({1, 2})});
  EXPECT_TRUE(judge(input, reference).findings.empty());
  reference.checkpoints[0][0].indeterminate[4] = 4;
  Judgement judgement = judge(input, reference);
  ASSERT_EQ(judgement.findings.size(), 1u);
  EXPECT_EQ(judgement.findings[0].rule, "EXPECT-OPEN");
  EXPECT_EQ(judgement.compared, 1u);
}

TEST(Expectations, OfIntegersAreMetByTheBitsOfFloats) {
  Case input = floatCase({0, 0});
  Outcome outcome = outcomeOf({bytesOf({1.5, 2}), bytesOf({1.5, 2})});
  for (std::vector<BufferState> &checkpoint : outcome.checkpoints)
    checkpoint[0].intervals[0] = {1, 2, 4, false};
  auto judgeBits = [&](ScalarKind kind, uint64_t offset, uint64_t value, Comparator comparator) {
    Case probed = input;
    Expectation expectation = expectFloats(offset, {}, comparator);
    expectation.format = makeDataFormat(kind, 1, 1, BlockLayout::Std430);
    expectation.values = {value};
    probed.commands.push_back(expectation);
    Judgement judgement = judge(probed, outcome);
    return judgement.findings.empty() ? std::string() : judgement.findings[0].rule;
  };
  EXPECT_EQ(judgeBits(ScalarKind::Uint32, 0, bits(1.75), Comparator::Eq), "");
  EXPECT_EQ(judgeBits(ScalarKind::Uint32, 0, bits(2.5), Comparator::Eq), "EXPECT-OPEN");
  EXPECT_EQ(judgeBits(ScalarKind::Uint32, 0, bits(1.75), Comparator::Ge), "EXPECT-OPEN");
  EXPECT_EQ(judgeBits(ScalarKind::Uint64, 0, bits(1) | bits(2) << 32, Comparator::Eq), "");
  EXPECT_EQ(judgeBits(ScalarKind::Uint64, 0, bits(1) | bits(3) << 32, Comparator::Eq),
            "EXPECT-OPEN");
  EXPECT_EQ(judgeBits(ScalarKind::Uint16, 2, 0x3fc0, Comparator::Eq), "EXPECT-OPEN");
  EXPECT_EQ(judgeBits(ScalarKind::Float16, 0, 0, Comparator::Eq), "EXPECT-OPEN");
  EXPECT_EQ(judgeBits(ScalarKind::Uint32, 4, bits(2), Comparator::Eq), "");
  EXPECT_EQ(judgeBits(ScalarKind::Uint32, 4, bits(3), Comparator::Eq), "EXPECT");
}

TEST(ReferenceDiff, AcceptsEqualBytesAndNamesTheFirstOther) {
  Case input = floatCase({0, 0, 0});
  Outcome reference = outcomeOf({bytesOf({1, 2, 3})});
  EXPECT_TRUE(diff(input, reference, outcomeOf({bytesOf({1, 2, 3})})).findings.empty());
  Judgement bad = diff(input, reference, outcomeOf({bytesOf({1, 2.5, 4})}));
  ASSERT_EQ(bad.findings.size(), 1u);
  EXPECT_EQ(bad.findings[0].rule, "REF-DIFF");
  EXPECT_EQ(bad.firstDifference->element, 1u);
  EXPECT_EQ(bad.firstDifference->expected, "2");
  EXPECT_EQ(bad.firstDifference->actual, "2.5");
  EXPECT_EQ(bad.compared, 12u);
}

TEST(ReferenceDiff, ComparesSignsOfZeroUnlessTheIntervalSpansBoth) {
  Case input = floatCase({1});
  Outcome reference = outcomeOf({bytesOf({0.f})});
  Outcome machine = outcomeOf({bytesOf({-0.f})});
  EXPECT_EQ(diff(input, reference, machine).findings.size(), 1u);
  reference.checkpoints[0][0].intervals[0] = {-0.0, 0.0, 4, false};
  EXPECT_TRUE(diff(input, reference, machine).findings.empty());
  reference.checkpoints[0][0].intervals[0] = {0.0, 1.0, 4, false};
  EXPECT_EQ(diff(input, reference, machine).findings.size(), 1u);
}

TEST(ReferenceDiff, HonoursIntervalsNanAndIndeterminateBytes) {
  Case input = floatCase({9, 9, 9, 9});
  Outcome reference = outcomeOf({bytesOf({1, 2, 3, 4})});
  BufferState &state = reference.checkpoints[0][0];
  state.intervals[0] = {0.5, 1.5, 4, false};
  state.intervals[4] = {2, 2, 4, true};
  state.indeterminate[8] = 4;
  const float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_TRUE(diff(input, reference, outcomeOf({bytesOf({1.5, nan, 99, 4})})).findings.empty());
  EXPECT_EQ(diff(input, reference, outcomeOf({bytesOf({1.6f, 2, 3, 4})})).findings.size(), 1u);
  EXPECT_EQ(diff(input, reference, outcomeOf({bytesOf({nan, 2, 3, 4})})).findings.size(), 1u);
  Judgement last = diff(input, reference, outcomeOf({bytesOf({1, 2, 3, 5})}));
  ASSERT_EQ(last.findings.size(), 1u);
  EXPECT_EQ(last.firstDifference->element, 3u);
  EXPECT_EQ(last.compared, 12u);
}

static BufferState texels(std::vector<uint8_t> bytes) {
  BufferState state;
  state.bytes = std::move(bytes);
  return state;
}

/// Two texels of two UNORM8 components, then one of R5G6B5.
static Outcome texelReference() {
  Outcome outcome;
  BufferState state = texels({10, 20, 30, 40, 0x1f, 0xf8});
  state.fields[8] = {19, 21, 8, false};
  state.fields[32] = {30, 31, 5, false};
  state.fields[43] = {-2, -1, 5, true};
  outcome.checkpoints = {{state}};
  return outcome;
}

static Case texelCase() {
  Case input;
  DataFormat bytes = makeDataFormat(ScalarKind::Uint8, 1, 1, BlockLayout::Std430);
  input.buffers.push_back({"image", bytes, {0, 0, 0, 0, 0, 0}});
  input.commands.push_back(Dispatch{});
  return input;
}

TEST(ReferenceDiff, AllowsEachFieldOfATexelItsNumbers) {
  auto differsAt = [](std::vector<uint8_t> bytes) -> std::string {
    Outcome machine;
    machine.checkpoints = {{texels(std::move(bytes))}};
    Judgement judgement = diff(texelCase(), texelReference(), machine);
    if (!judgement.firstDifference)
      return "";
    return std::to_string(judgement.firstDifference->byteOffset) + " " +
           judgement.firstDifference->expected + " " + judgement.firstDifference->actual;
  };
  EXPECT_EQ(differsAt({10, 20, 30, 40, 0x1f, 0xf8}), "");
  EXPECT_EQ(differsAt({10, 19, 30, 40, 0x1e, 0xf0}), "");
  EXPECT_EQ(differsAt({10, 18, 30, 40, 0x1f, 0xf8}), "1 from 19 to 21 18");
  EXPECT_EQ(differsAt({10, 22, 30, 40, 0x1f, 0xf8}), "1 from 19 to 21 22");
  EXPECT_EQ(differsAt({10, 20, 31, 40, 0x1f, 0xf8}), "2 30 31");
  EXPECT_EQ(differsAt({10, 20, 30, 40, 0x1d, 0xf8}), "4 from 30 to 31 (bits 32 to 36) 29");
  EXPECT_EQ(differsAt({10, 20, 30, 40, 0x1f, 0x08}), "5 from -2 to -1 (bits 43 to 47) 1");
  EXPECT_EQ(differsAt({10, 20, 30, 40, 0x3f, 0xf8}), "4 31 63"); // A bit between the fields.
}

TEST(Expectations, AreMetByAnyNumberOfAField) {
  auto judged = [](ScalarKind kind, uint64_t offset, uint64_t value, Comparator comparator) {
    Case input = texelCase();
    Expectation expectation;
    expectation.byteOffset = offset;
    expectation.format = makeDataFormat(kind, 1, 1, BlockLayout::Std430);
    expectation.comparator = comparator;
    expectation.values = {value};
    input.commands.push_back(expectation);
    Outcome outcome = texelReference();
    outcome.checkpoints.push_back(outcome.checkpoints[0]);
    Judgement judgement = judge(input, outcome);
    return judgement.findings.empty() ? "" : judgement.findings[0].rule;
  };
  using enum ScalarKind;
  EXPECT_EQ(judged(Uint8, 1, 21, Comparator::Eq), "");
  EXPECT_EQ(judged(Uint8, 1, 22, Comparator::Eq), "EXPECT");
  EXPECT_EQ(judged(Uint8, 1, 21, Comparator::Gt), "EXPECT");
  EXPECT_EQ(judged(Uint8, 1, 20, Comparator::Gt), "");
  EXPECT_EQ(judged(Uint8, 0, 20, Comparator::Eq), "EXPECT");
  EXPECT_EQ(judged(Uint16, 4, 0xf01e, Comparator::Eq), "");
  EXPECT_EQ(judged(Uint16, 4, 0xf01d, Comparator::Eq), "EXPECT");
  EXPECT_EQ(judged(Uint16, 4, 0xf03e, Comparator::Eq), "EXPECT"); // A bit between the fields.
  EXPECT_EQ(judged(Uint16, 0, 20 << 8 | 10, Comparator::Eq), "");
  EXPECT_EQ(judged(Uint16, 0, 22 << 8 | 10, Comparator::Eq), "EXPECT");
}

TEST(ReferenceDiff, CountsNothingWhereEverythingIsOpen) {
  Case input = floatCase({9, 9});
  Outcome reference = outcomeOf({bytesOf({1, 2})});
  reference.checkpoints[0][0].indeterminate[0] = 8;
  Judgement judgement = diff(input, reference, outcomeOf({bytesOf({5, 6})}));
  EXPECT_TRUE(judgement.findings.empty());
  EXPECT_EQ(judgement.compared, 0u);
}

TEST(ReferenceDiff, SeesPaddingAndRefusesOtherShapes) {
  Case input;
  input.buffers.push_back({"v", makeDataFormat(ScalarKind::Float32, 3, 1, BlockLayout::Std430),
                           std::vector<uint8_t>(32)});
  Outcome reference = outcomeOf({std::vector<uint8_t>(32)});
  Outcome machine = reference;
  machine.checkpoints[0][0].bytes[13] = 1;
  Judgement judgement = diff(input, reference, machine);
  ASSERT_EQ(judgement.findings.size(), 1u);
  EXPECT_EQ(judgement.firstDifference->actual, "1 (padding byte)");
  machine.checkpoints[0][0].bytes.resize(31);
  Expected<Judgement> refused = compareWithReference(input, reference, machine);
  EXPECT_FALSE(static_cast<bool>(refused));
  consumeError(refused.takeError());
}

TEST(Scalar, PrintsShortestText) {
  EXPECT_EQ(printScalar(ScalarKind::Float32, bits(0.1f)), "0.1");
  EXPECT_EQ(printScalar(ScalarKind::Float16, 0x3c01), "1.0009766");
  EXPECT_EQ(printScalar(ScalarKind::Float16, 0x0001), "5.9604645e-08");
  EXPECT_EQ(printScalar(ScalarKind::Int8, 0xff), "-1");
  EXPECT_EQ(printScalar(ScalarKind::Uint64, ~0ull), "18446744073709551615");
  EXPECT_EQ(printScalar(ScalarKind::Float32, 0x7fc00001), "nan (0x7fc00001)");
  EXPECT_EQ(printScalar(ScalarKind::Float32, 0xff800000), "-inf");
}

TEST(Scalar, LocatesMatrixComponents) {
  DataFormat format = makeDataFormat(ScalarKind::Float32, 3, 2, BlockLayout::Std430);
  ScalarPosition position = locateScalar(format, 32 + 16 + 5, 64);
  EXPECT_EQ(position.element, 1u);
  EXPECT_EQ(position.component, 4u);
  EXPECT_EQ(position.byteOffset, 52u);
  EXPECT_TRUE(locateScalar(format, 12, 64).padding);
}

static Judgement diffAtEnd(const Case &input, const Outcome &reference, const Outcome &machine) {
  Expected<Judgement> result = compareBufferAtEnd(input, 0, reference, machine);
  EXPECT_TRUE(static_cast<bool>(result));
  return result ? std::move(*result) : Judgement{};
}

TEST(BufferAtEnd, OfAWholeRunIsComparedWithTheReferences) {
  Case input = floatCase({9, 9, 9});
  Outcome reference = outcomeOf({bytesOf({1, 2, 9})});
  EXPECT_FALSE(diffAtEnd(input, reference, reference).firstDifference);
  EXPECT_FALSE(diffAtEnd(input, reference, reference).isOpen);
  Judgement missing = diffAtEnd(input, reference, outcomeOf({bytesOf({1, 9, 9})}));
  ASSERT_TRUE(missing.firstDifference) << "what is not stored is wrong, too";
  EXPECT_EQ(missing.firstDifference->element, 1u);
  reference.checkpoints[0][0].indeterminate[4] = 4;
  EXPECT_TRUE(diffAtEnd(input, reference, outcomeOf({bytesOf({1, 5, 9})})).isOpen);
}

TEST(BufferAtEnd, OfARunThatEndedEarlyIsJudgedByWhatWasStored) {
  Case input = floatCase({9, 9, 9});
  Outcome reference = outcomeOf({bytesOf({1, 2, 9})});
  Outcome early;
  early.kind = OutcomeKind::Trap;
  early.atEnd = {BufferState{bytesOf({1, 9, 9}), {}, {}}};
  EXPECT_FALSE(diffAtEnd(input, reference, early).firstDifference);
  early.atEnd = {BufferState{bytesOf({9, 3, 9}), {}, {}}};
  ASSERT_TRUE(diffAtEnd(input, reference, early).firstDifference);
  EXPECT_EQ(diffAtEnd(input, reference, early).firstDifference->element, 1u);
  early.atEnd = {BufferState{bytesOf({9, 9, 3}), {}, {}}};
  EXPECT_TRUE(diffAtEnd(input, reference, early).firstDifference) << "nothing belongs there";
  Expected<Judgement> none = compareBufferAtEnd(input, 0, reference, Outcome());
  EXPECT_FALSE(static_cast<bool>(none));
  consumeError(none.takeError());
}
