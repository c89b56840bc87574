// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every subgroup operation on random values, operands and sets of active invocations, against what
// the SPIR-V specification says of one invocation's result, written down directly.
#include "oracles/machine/spirv/AssembledCase.h"

#include <bit>
#include <cmath>
#include <functional>
#include <optional>
#include <random>

using namespace llvm;
using namespace assay;
using namespace assay::reference;
using namespace assay::reference::testing;

namespace {

/// What the invocations of one subgroup bring to an operation.
struct Lanes {
  uint32_t size = 0;
  std::vector<bool> active;
  std::vector<uint64_t> value;   ///< Of the row's width.
  std::vector<uint64_t> operand; ///< 32 bits.

  bool isActive(uint64_t lane) const { return lane < size && active[lane]; }
  std::optional<uint64_t> valueOf(uint64_t lane) const {
    return isActive(lane) ? std::optional(value[lane]) : std::nullopt;
  }
};

/// Nothing represents an undefined value.
using Definition = std::function<std::optional<uint64_t>(const Lanes &, uint32_t lane)>;

enum class Operand : uint8_t {
  Any,     ///< Around the size of the subgroup.
  Uniform, ///< The same for all.
  Quad     ///< 0 to 3 and the same for all.
};

struct OperationRow {
  std::string text; ///< {T}, {v}, {o} represent type, value and operand; {b} for a ballot.
  unsigned width;   ///< 1: bool; 8 to 64: unsigned integers; 0: float, small integral values.
  Definition define;
  Operand operand = Operand::Any;
  bool toBool = false;   ///< The result is a bool.
  bool toUint = false;   ///< The result is a 32-bit unsigned integer.
  bool toBallot = false; ///< The result is a ballot; word (operand % 4) is looked at.
};

class SubgroupOperations : public ::testing::TestWithParam<uint32_t> {};

} // namespace

static uint64_t maskOfWidth(unsigned width) {
  return width == 0 ? 0xffffffff : width >= 64 ? ~0ull : (1ull << width) - 1;
}
static int64_t signedOf(uint64_t value, unsigned width) {
  return int64_t(value << (64 - width)) >> (64 - width);
}
static float floatOf(uint64_t bits) {
  return std::bit_cast<float>(uint32_t(bits));
}
static uint64_t bitsOf(float value) {
  return std::bit_cast<uint32_t>(value);
}

using Fold = std::function<uint64_t(uint64_t, uint64_t)>;

/// The four group operations of one fold; \p range says whose values a lane gets.
static void addReductions(std::vector<OperationRow> &rows, const std::string &name, unsigned width,
                          uint64_t identity, const Fold &fold) {
  struct Kind {
    const char *text;
    std::function<bool(uint32_t self, uint32_t other)> includes;
  };
  const Kind kinds[] = {
      {"Reduce {v}", [](uint32_t, uint32_t) { return true; }},
      {"InclusiveScan {v}", [](uint32_t self, uint32_t other) { return other <= self; }},
      {"ExclusiveScan {v}", [](uint32_t self, uint32_t other) { return other < self; }},
      {"ClusteredReduce {v} %u_1", [](uint32_t self, uint32_t other) { return self == other; }},
      {"ClusteredReduce {v} %u_4",
       [](uint32_t self, uint32_t other) { return self / 4 == other / 4; }},
      {"ClusteredReduce {v} %u_32",
       [](uint32_t self, uint32_t other) { return self / 32 == other / 32; }}};
  for (const Kind &kind : kinds)
    rows.push_back({"OpGroupNonUniform" + name + " {T} %u_3 " + kind.text, width,
                    [=](const Lanes &lanes, uint32_t self) {
                      uint64_t result = identity;
                      for (uint32_t lane = 0; lane < lanes.size; ++lane)
                        if (lanes.active[lane] && kind.includes(self, lane))
                          result = fold(result, lanes.value[lane]);
                      return result & maskOfWidth(width);
                    }});
}

static void addArithmetic(std::vector<OperationRow> &rows, unsigned width) {
  uint64_t all = maskOfWidth(width);
  auto lessSigned = [width](uint64_t a, uint64_t b) {
    return signedOf(a, width) < signedOf(b, width);
  };
  addReductions(rows, "IAdd", width, 0, std::plus<uint64_t>());
  addReductions(rows, "IMul", width, 1, std::multiplies<uint64_t>());
  addReductions(rows, "UMin", width, all, [](auto a, auto b) { return a < b ? a : b; });
  addReductions(rows, "UMax", width, 0, [](auto a, auto b) { return a < b ? b : a; });
  addReductions(rows, "SMin", width, all >> 1,
                [=](auto a, auto b) { return lessSigned(a, b) ? a : b; });
  addReductions(rows, "SMax", width, (all >> 1) + 1,
                [=](auto a, auto b) { return lessSigned(a, b) ? b : a; });
  addReductions(rows, "BitwiseAnd", width, all, std::bit_and<uint64_t>());
  addReductions(rows, "BitwiseOr", width, 0, std::bit_or<uint64_t>());
  addReductions(rows, "BitwiseXor", width, 0, std::bit_xor<uint64_t>());
}

static void addFloatsAndBools(std::vector<OperationRow> &rows) {
  auto onFloats = [](auto function) {
    return [=](uint64_t a, uint64_t b) { return bitsOf(function(floatOf(a), floatOf(b))); };
  };
  addReductions(rows, "FAdd", 0, 0, onFloats(std::plus<float>()));
  addReductions(rows, "FMin", 0, 0x7f800000,
                onFloats([](float a, float b) { return a < b ? a : b; }));
  addReductions(rows, "FMax", 0, 0xff800000,
                onFloats([](float a, float b) { return a < b ? b : a; }));
  addReductions(rows, "LogicalAnd", 1, 1, std::bit_and<uint64_t>());
  addReductions(rows, "LogicalOr", 1, 0, std::bit_or<uint64_t>());
  addReductions(rows, "LogicalXor", 1, 0, std::bit_xor<uint64_t>());
}

/// Operations that move a value from another lane.
static void addMoves(std::vector<OperationRow> &rows, unsigned width) {
  auto move = [&](const std::string &name, const std::string &operands, Operand operand,
                  std::function<std::optional<uint64_t>(const Lanes &, uint32_t)> lane) {
    rows.push_back({"OpGroupNonUniform" + name + " {T} %u_3 {v} " + operands, width,
                    [=](const Lanes &lanes, uint32_t self) -> std::optional<uint64_t> {
                      std::optional<uint64_t> from = lane(lanes, self);
                      return from ? lanes.valueOf(*from) : std::nullopt;
                    },
                    operand});
  };
  using L = const Lanes &;
  using Lane = std::optional<uint64_t>;
  move("Shuffle", "{o}", Operand::Any, [](L l, uint32_t self) -> Lane { return l.operand[self]; });
  move("ShuffleXor", "{o}", Operand::Any,
       [](L l, uint32_t self) -> Lane { return self ^ l.operand[self]; });
  move("ShuffleUp", "{o}", Operand::Any, [](L l, uint32_t self) -> Lane {
    return l.operand[self] > self ? Lane() : self - l.operand[self];
  });
  move("ShuffleDown", "{o}", Operand::Any,
       [](L l, uint32_t self) -> Lane { return self + l.operand[self]; });
  move("Broadcast", "{o}", Operand::Uniform,
       [](L l, uint32_t self) -> Lane { return l.operand[self]; });
  move("BroadcastFirst", "", Operand::Any, [](L l, uint32_t) -> Lane {
    return std::find(l.active.begin(), l.active.end(), true) - l.active.begin();
  });
  move("QuadBroadcast", "{o}", Operand::Quad,
       [](L l, uint32_t self) -> Lane { return self / 4 * 4 + l.operand[self]; });
  for (uint32_t direction = 0; direction < 3; ++direction)
    move("QuadSwap", "%u_" + std::to_string(direction), Operand::Any,
         [=](L, uint32_t self) -> Lane {
           bool across = direction != 1, down = direction != 0;
           return self ^ (across ? 1u : 0u) ^ (down ? 2u : 0u);
         });
  move("RotateKHR", "{o}", Operand::Uniform,
       [](L l, uint32_t self) -> Lane { return (self + l.operand[self]) % l.size; });
  move("RotateKHR", "{o} %u_8", Operand::Uniform,
       [](L l, uint32_t self) -> Lane { return self / 8 * 8 + (self % 8 + l.operand[self]) % 8; });
}

static void addVotes(std::vector<OperationRow> &rows) {
  auto count = [](const Lanes &lanes, bool value) {
    uint32_t result = 0;
    for (uint32_t lane = 0; lane < lanes.size; ++lane)
      result += lanes.active[lane] && lanes.value[lane] == value;
    return result;
  };
  auto all = [=](const Lanes &lanes, uint32_t) -> uint64_t { return count(lanes, false) == 0; };
  auto any = [=](const Lanes &lanes, uint32_t) -> uint64_t { return count(lanes, true) != 0; };
  auto same = [=](const Lanes &lanes, uint32_t) -> uint64_t {
    return count(lanes, true) == 0 || count(lanes, false) == 0;
  };
  auto first = [](const Lanes &lanes, uint32_t self) -> uint64_t {
    return std::find(lanes.active.begin(), lanes.active.end(), true) - lanes.active.begin() == self;
  };
  rows.push_back({"OpGroupNonUniformElect %bool %u_3", 1, first});
  rows.push_back({"OpGroupNonUniformAll %bool %u_3 {v}", 1, all});
  rows.push_back({"OpGroupNonUniformAny %bool %u_3 {v}", 1, any});
  rows.push_back({"OpGroupNonUniformAllEqual %bool %u_3 {v}", 1, same});
  rows.push_back({"OpSubgroupAllKHR %bool {v}", 1, all});
  rows.push_back({"OpSubgroupAnyKHR %bool {v}", 1, any});
  rows.push_back({"OpSubgroupAllEqualKHR %bool {v}", 1, same});
  for (unsigned width : {0u, 8u, 32u, 64u})
    rows.push_back({"OpGroupNonUniformAllEqual %bool %u_3 {v}", width,
                    [](const Lanes &lanes, uint32_t self) -> uint64_t {
                      for (uint32_t lane = 0; lane < lanes.size; ++lane)
                        if (lanes.active[lane] && lanes.value[lane] != lanes.value[self])
                          return 0;
                      return 1;
                    },
                    Operand::Any, true});
}

/// The set lanes of a ballot whose words are made of \p self's own value and operand: see {b}.
static bool ballotHas(const Lanes &lanes, uint32_t self, uint32_t lane) {
  uint64_t words[4] = {lanes.value[self], lanes.value[self] ^ lanes.operand[self] * 0x9e3779b9u,
                       lanes.operand[self], ~0u};
  return words[lane / 32] >> lane % 32 & 1;
}

static void addBallots(std::vector<OperationRow> &rows) {
  auto ballot = [](const Lanes &lanes, uint32_t self) -> uint64_t {
    uint32_t word = lanes.operand[self] % 4, bits = 0;
    for (uint32_t bit = 0; bit < 32; ++bit)
      if (uint32_t lane = word * 32 + bit; lanes.isActive(lane) && lanes.value[lane])
        bits |= 1u << bit;
    return bits;
  };
  rows.push_back(
      {"OpGroupNonUniformBallot %uvec4 %u_3 {v}", 1, ballot, Operand::Any, false, false, true});
  rows.push_back({"OpSubgroupBallotKHR %uvec4 {v}", 1, ballot, Operand::Any, false, false, true});
  auto counted = [](std::function<bool(uint32_t, uint32_t)> includes) -> Definition {
    return [=](const Lanes &lanes, uint32_t self) -> uint64_t {
      uint64_t count = 0;
      for (uint32_t lane = 0; lane < lanes.size; ++lane)
        count += includes(self, lane) && ballotHas(lanes, self, lane);
      return count;
    };
  };
  auto add = [&](const std::string &text, const Definition &define) {
    rows.push_back({"OpGroupNonUniform" + text, 32, define, Operand::Any, false, true});
  };
  add("BallotBitCount %uint %u_3 Reduce {b}", counted([](uint32_t, uint32_t) { return true; }));
  add("BallotBitCount %uint %u_3 InclusiveScan {b}",
      counted([](uint32_t self, uint32_t lane) { return lane <= self; }));
  add("BallotBitCount %uint %u_3 ExclusiveScan {b}",
      counted([](uint32_t self, uint32_t lane) { return lane < self; }));
  for (bool fromTop : {false, true})
    add(std::string("BallotFind") + (fromTop ? "MSB" : "LSB") + " %uint %u_3 {b}",
        [=](const Lanes &lanes, uint32_t self) -> std::optional<uint64_t> {
          std::optional<uint64_t> found;
          for (uint32_t lane = 0; lane < lanes.size; ++lane)
            if (ballotHas(lanes, self, lane) && (fromTop || !found))
              found = lane;
          return found;
        });
  rows.push_back({"OpGroupNonUniformBallotBitExtract %bool %u_3 {b} {o}", 32,
                  [](const Lanes &lanes, uint32_t self) -> std::optional<uint64_t> {
                    uint64_t index = lanes.operand[self];
                    if (index >= lanes.size)
                      return std::nullopt;
                    return ballotHas(lanes, self, static_cast<uint32_t>(index));
                  },
                  Operand::Any, true});
}

static std::vector<OperationRow> operationRows() {
  std::vector<OperationRow> rows;
  for (unsigned width : {8u, 16u, 32u, 64u})
    addArithmetic(rows, width);
  for (unsigned width : {0u, 1u, 8u, 16u, 32u, 64u})
    addMoves(rows, width);
  addFloatsAndBools(rows);
  addVotes(rows);
  addBallots(rows);
  rows.push_back({"OpSubgroupFirstInvocationKHR {T} {v}", 32, [](const Lanes &lanes, uint32_t) {
                    return lanes.valueOf(std::find(lanes.active.begin(), lanes.active.end(), true) -
                                         lanes.active.begin());
                  }});
  rows.push_back(
      {"OpSubgroupReadInvocationKHR {T} {v} {o}", 32,
       [](const Lanes &lanes, uint32_t self) { return lanes.valueOf(lanes.operand[self]); },
       Operand::Uniform});
  return rows;
}

static std::string typeOfRow(unsigned width) {
  return width == 0    ? "%float"
         : width == 1  ? "%bool"
         : width == 32 ? "%uint"
                       : "%u" + std::to_string(width) + "t";
}

static std::string replaceAll(std::string text, const std::string &what, const std::string &with) {
  for (size_t at; (at = text.find(what)) != std::string::npos;)
    text.replace(at, what.size(), with);
  return text;
}

static const char subgroupCapabilities[] =
    "OpCapability Int8\nOpCapability Int16\nOpCapability Int64\nOpCapability GroupNonUniform\n"
    "OpCapability GroupNonUniformVote\nOpCapability GroupNonUniformArithmetic\n"
    "OpCapability GroupNonUniformBallot\nOpCapability GroupNonUniformShuffle\n"
    "OpCapability GroupNonUniformShuffleRelative\nOpCapability GroupNonUniformClustered\n"
    "OpCapability GroupNonUniformQuad\nOpCapability GroupNonUniformRotateKHR\n"
    "OpCapability SubgroupBallotKHR\nOpCapability SubgroupVoteKHR\n"
    "OpExtension \"SPV_KHR_subgroup_rotate\"\nOpExtension \"SPV_KHR_shader_ballot\"\n"
    "OpExtension \"SPV_KHR_subgroup_vote\"\n";

/// Makes %v of the two words at %w0 and %w1.
static std::string valueCode(unsigned width) {
  if (width == 0)
    return "%v = OpBitcast %float %w0\n";
  if (width == 1)
    return "%v = OpINotEqual %bool %w0 %u_0\n";
  if (width == 32)
    return "%v = OpCopyObject %uint %w0\n";
  if (width == 64)
    return "%low = OpUConvert %u64t %w0\n%high = OpUConvert %u64t %w1\n"
           "%shifted = OpShiftLeftLogical %u64t %high %u_32\n%v = OpBitwiseOr %u64t %low "
           "%shifted\n";
  return "%v = OpUConvert " + typeOfRow(width) + " %w0\n";
}

/// Makes %r0 and %r1 of %r.
static std::string resultCode(const OperationRow &row) {
  if (row.toBallot)
    return "%word = OpUMod %uint %o %u_4\n%r0 = OpVectorExtractDynamic %uint %r %word\n"
           "%r1 = OpCopyObject %uint %u_0\n";
  std::string second = "%r1 = OpCopyObject %uint %u_0\n";
  if (row.toBool || row.width == 1)
    return "%r0 = OpSelect %uint %r %u_1 %u_0\n" + second;
  if (row.toUint || row.width == 32)
    return "%r0 = OpCopyObject %uint %r\n" + second;
  if (row.width == 0)
    return "%r0 = OpBitcast %uint %r\n" + second;
  if (row.width == 64)
    return "%r0 = OpUConvert %uint %r\n%up = OpShiftRightLogical %u64t %r %u_32\n"
           "%r1 = OpUConvert %uint %up\n";
  return "%r0 = OpUConvert %uint %r\n" + second;
}

static Snippet makeSnippet(const OperationRow &row) {
  Snippet snippet;
  snippet.capabilities = subgroupCapabilities;
  snippet.globals = "%u8t = OpTypeInt 8 0\n%u16t = OpTypeInt 16 0\n%u64t = OpTypeInt 64 0\n"
                    "%golden = OpConstant %uint 2654435769\n%ones = OpConstant %uint 4294967295\n";
  std::string text = replaceAll(row.text, "{T}", typeOfRow(row.width));
  for (auto [what, with] : {std::pair("{v}", "%v"), {"{o}", "%o"}, {"{b}", "%bal"}})
    text = replaceAll(text, what, with);
  snippet.body = "%base = OpIMul %uint %gid %u_4\n";
  const char *names[] = {"%w0", "%w1", "%o", "%on"};
  for (unsigned i = 0; i < 4; ++i) {
    std::string number = std::to_string(i);
    snippet.body += "%at" + number + " = OpIAdd %uint %base %u_" + number + "\n%q" + number +
                    " = OpAccessChain %p_uint %in %u_0 %at" + number + "\n" + names[i] +
                    " = OpLoad %uint %q" + number + "\n";
  }
  snippet.body += valueCode(row.width);
  if (row.text.find("{b}") != std::string::npos)
    snippet.body += "%mixed = OpIMul %uint %o %golden\n%b1 = OpBitwiseXor %uint %w0 %mixed\n"
                    "%bal = OpCompositeConstruct %uvec4 %w0 %b1 %o %ones\n";
  snippet.body += "%goes = OpINotEqual %bool %on %u_0\nOpSelectionMerge %end None\n"
                  "OpBranchConditional %goes %then %end\n%then = OpLabel\n%r = " +
                  text + "\n" + resultCode(row) +
                  "%twice = OpIMul %uint %gid %u_2\n%next = OpIAdd %uint %twice %u_1\n" +
                  storeUint("%r0", "%twice") + storeUint("%r1", "%next") +
                  "OpBranch %end\n%end = OpLabel\n";
  snippet.localSize = 100; // The last subgroup is not full.
  snippet.groups = 3;
  snippet.outWords = snippet.localSize * snippet.groups * 2;
  return snippet;
}

/// Random records for all subgroups, and what they mean.
static std::vector<Lanes> fillLanes(const OperationRow &row, Snippet &snippet, uint32_t size,
                                    std::mt19937_64 &random) {
  std::vector<Lanes> all;
  for (uint32_t group = 0; group < snippet.groups; ++group)
    for (uint32_t first = 0; first < snippet.localSize; first += size) {
      Lanes lanes;
      lanes.size = size;
      uint64_t shared = random(), narrow = random() % 3; // Sometimes nearly all values are equal.
      for (uint32_t lane = 0; lane < size; ++lane) {
        bool isPresent = first + lane < snippet.localSize;
        uint64_t value = narrow ? random() : random() % 40 != 0;
        if (row.width == 0)
          value = bitsOf(float(int(value % 200) - 100));
        uint64_t operand =
            row.operand == Operand::Any ? random() % (size + 4) : shared % (size + 2);
        lanes.active.push_back(isPresent && (random() % 4 || narrow == 1));
        lanes.value.push_back(value & maskOfWidth(row.width));
        lanes.operand.push_back(row.operand == Operand::Quad ? shared % 4 : operand);
        if (!isPresent)
          continue;
        for (uint64_t word : {lanes.value[lane] & 0xffffffff, lanes.value[lane] >> 32,
                              lanes.operand[lane], uint64_t(lanes.active[lane])})
          snippet.in.push_back(static_cast<uint32_t>(word));
      }
      all.push_back(lanes);
    }
  return all;
}

static bool isOpen(const BufferState &state, uint64_t offset) {
  auto next = state.indeterminate.upper_bound(offset);
  return next != state.indeterminate.begin() &&
         std::prev(next)->first + std::prev(next)->second > offset;
}

/// Compares one run with the definition. Returns how many results were looked at.
static unsigned checkRow(const OperationRow &row, uint32_t size, std::mt19937_64 &random) {
  Snippet snippet = makeSnippet(row);
  std::vector<Lanes> subgroups = fillLanes(row, snippet, size, random);
  RunOptions options;
  options.subgroupSize = size;
  Outcome outcome = runCase(makeCase(snippet), options);
  const BufferState &state = finalState(outcome);
  unsigned checks = 0, perGroup = (snippet.localSize + size - 1) / size;
  for (size_t i = 0; i < subgroups.size() && outcome.kind == OutcomeKind::Completed; ++i)
    for (uint32_t lane = 0; lane < size; ++lane) {
      if (!subgroups[i].active[lane])
        continue;
      size_t word0 = (i / perGroup * snippet.localSize + i % perGroup * size + lane) * 2;
      std::optional<uint64_t> expected = row.define(subgroups[i], lane);
      bool open = isOpen(state, word0 * 4);
      uint64_t value = word(state, word0) | uint64_t(word(state, word0 + 1)) << 32;
      ++checks;
      // The bits of a zero that was computed are open: it may have either sign.
      bool isZero = row.width == 0 && expected && *expected == 0;
      if (!isZero)
        EXPECT_EQ(open, !expected) << row.text << " width " << row.width << " lane " << lane;
      if (expected && !open)
        EXPECT_EQ(value, *expected) << row.text << " width " << row.width << " lane " << lane;
      if (::testing::Test::HasFailure())
        return checks;
    }
  return checks;
}

TEST_P(SubgroupOperations, GiveWhatTheDefinitionSays) {
  std::mt19937_64 random(GetParam());
  unsigned checks = 0;
  for (const OperationRow &row : operationRows()) {
    checks += checkRow(row, GetParam(), random);
    ASSERT_FALSE(HasFailure()) << row.text << "\n"
                               << preamble(makeSnippet(row)) << makeSnippet(row).body;
  }
  EXPECT_GE(checks, 20000u);
  RecordProperty("checks", static_cast<int>(checks));
}
INSTANTIATE_TEST_SUITE_P(Sizes, SubgroupOperations, ::testing::Values(32, 64, 128));

TEST(SubgroupIdentities, OfFloatsAreExactButForTheSignOfZero) {
  struct Row {
    const char *name;
    float identity;
  };
  const Row rows[] = {{"FAdd", 0}, {"FMul", 1}, {"FMin", HUGE_VALF}, {"FMax", -HUGE_VALF}};
  for (const Row &row : rows)
    for (const char *decoration : {"", "OpDecorate %r RelaxedPrecision\n"}) {
      Snippet snippet;
      snippet.capabilities = subgroupCapabilities;
      snippet.decorations = decoration;
      snippet.body = "%r = OpGroupNonUniform" + std::string(row.name) +
                     " %float %u_3 ExclusiveScan %f_2\n" + storeFloat("%r", "%u_0");
      Outcome outcome = run(snippet);
      const BufferState &state = finalState(outcome, 3);
      EXPECT_EQ(std::bit_cast<float>(word(state, 0)), row.identity) << row.name;
      EXPECT_EQ(state.intervals.contains(0), row.identity == 0) << row.name;
      if (row.identity == 0 && state.intervals.contains(0)) {
        EXPECT_TRUE(std::signbit(state.intervals.at(0).lo));
        EXPECT_EQ(state.intervals.at(0).lo, 0);
        EXPECT_EQ(state.intervals.at(0).hi, 0);
      }
    }
}
