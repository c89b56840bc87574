// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Who takes part in a subgroup operation after divergent branches, loops and calls; barriers that
// not everybody reaches; and what the schedule may change.
#include "oracles/machine/spirv/AssembledCase.h"

#include <random>

using namespace llvm;
using namespace assay;
using namespace assay::reference;
using namespace assay::reference::testing;

static const char capabilities[] =
    "OpCapability GroupNonUniform\nOpCapability GroupNonUniformVote\n"
    "OpCapability GroupNonUniformArithmetic\nOpCapability GroupNonUniformBallot\n"
    "OpCapability GroupNonUniformShuffle\nOpCapability GroupNonUniformClustered\n";

static std::string countHere(const std::string &result) {
  return result + " = OpGroupNonUniformIAdd %uint %u_3 Reduce %u_1\n";
}

static Snippet subgroupSnippet(const std::string &body, uint32_t localSize = 64) {
  Snippet snippet;
  snippet.capabilities = capabilities;
  snippet.body = body;
  snippet.localSize = localSize;
  snippet.outWords = localSize * 4;
  return snippet;
}

static Outcome runSized(const Snippet &snippet, uint32_t size, uint64_t seed = 0) {
  RunOptions options;
  options.subgroupSize = size;
  options.seed = seed;
  return runCase(makeCase(snippet), options);
}

TEST(Convergence, PartsAtABranchAndMeetsAtItsMerge) {
  Outcome outcome =
      runSized(subgroupSnippet("%low = OpULessThan %bool %lid %u_5\nOpSelectionMerge %m None\n"
                               "OpBranchConditional %low %t %e\n%t = OpLabel\n" +
                               countHere("%ct") + "OpBranch %m\n%e = OpLabel\n" + countHere("%ce") +
                               "OpBranch %m\n%m = OpLabel\n%both = OpPhi %uint %ct %t %ce %e\n" +
                               countHere("%cm") + "%at = OpIMul %uint %lid %u_2\n" +
                               "%next = OpIAdd %uint %at %u_1\n" + storeUint("%both", "%at") +
                               storeUint("%cm", "%next")),
               32);
  const BufferState &state = finalState(outcome);
  for (uint32_t lane = 0; lane < 64; ++lane) {
    EXPECT_EQ(word(state, lane * 2), lane < 5 ? 5u : lane < 32 ? 27u : 32u) << lane;
    EXPECT_EQ(word(state, lane * 2 + 1), 32u) << lane;
  }
}

/// for (i = 0;; ++i) { if (i >= trips) { broke = count; break; } if (i & lid) { sum += count << 8;
/// continue; } sum += count; }, with a count before each next round and one after the loop.
static std::string loopBody() {
  return "%ptrips = OpAccessChain %p_uint %in %u_0 %lid\n%trips = OpLoad %uint %ptrips\n"
         "OpBranch %head\n%head = OpLabel\n%i = OpPhi %uint %u_0 %entry %i2 %cont\n"
         "%sum = OpPhi %uint %u_0 %entry %sum2 %cont\nOpLoopMerge %done %cont None\n"
         "OpBranch %body\n%body = OpLabel\n%over = OpUGreaterThanEqual %bool %i %trips\n"
         "OpSelectionMerge %stay None\nOpBranchConditional %over %leave %stay\n"
         "%leave = OpLabel\n" +
         countHere("%broke") +
         "OpBranch %done\n%stay = OpLabel\n%mixed = OpBitwiseAnd %uint %i %lid\n"
         "%odd = OpINotEqual %bool %mixed %u_0\nOpSelectionMerge %rest None\n"
         "OpBranchConditional %odd %skip %rest\n%skip = OpLabel\n" +
         countHere("%cs") +
         "%shifted = OpShiftLeftLogical %uint %cs %u_8\n%sums = OpIAdd %uint %sum %shifted\n"
         "OpBranch %cont\n%rest = OpLabel\n" +
         countHere("%cr") +
         "%sumr = OpIAdd %uint %sum %cr\nOpBranch %cont\n%cont = OpLabel\n"
         "%sum2 = OpPhi %uint %sums %skip %sumr %rest\n" +
         countHere("%cc") +
         "%i2 = OpIAdd %uint %i %u_1\n%q = OpIMul %uint %lid %u_4\n"
         "%q3 = OpIAdd %uint %q %u_3\n" +
         storeUint("%cc", "%q3") + "OpBranch %head\n%done = OpLabel\n" + countHere("%end") +
         "%at = OpIMul %uint %lid %u_4\n%at1 = OpIAdd %uint %at %u_1\n"
         "%at2 = OpIAdd %uint %at %u_2\n" +
         storeUint("%sum", "%at") + storeUint("%broke", "%at1") + storeUint("%end", "%at2");
}

TEST(Convergence, CountsTheIterationsOfALoop) {
  std::mt19937 random(1);
  for (uint32_t size : {8u, 32u, 64u}) {
    Snippet snippet = subgroupSnippet(loopBody());
    for (uint32_t lane = 0; lane < 64; ++lane)
      snippet.in.push_back(random() % 9);
    Outcome outcome = runSized(snippet, size);
    const BufferState &state = finalState(outcome);
    for (uint32_t lane = 0; lane < 64; ++lane) {
      // Of the lane's subgroup: whoever is still in the loop in round i, by what they do there.
      auto countIf = [&](auto predicate) {
        uint32_t count = 0;
        for (uint32_t other = lane / size * size; other < lane / size * size + size; ++other)
          count += predicate(other);
        return count;
      };
      uint32_t sum = 0, last = 0, trips = snippet.in[lane];
      for (uint32_t i = 0; i < trips; ++i) {
        bool skips = i & lane;
        uint32_t together = countIf(
            [&](uint32_t other) { return snippet.in[other] > i && bool(i & other) == skips; });
        sum += skips ? together << 8 : together;
        last = countIf([&](uint32_t other) { return snippet.in[other] > i; });
      }
      uint32_t leaving = countIf([&](uint32_t other) { return snippet.in[other] == trips; });
      EXPECT_EQ(word(state, lane * 4), sum) << lane;
      EXPECT_EQ(word(state, lane * 4 + 1), leaving) << lane;
      EXPECT_EQ(word(state, lane * 4 + 2), size) << lane;
      if (trips)
        EXPECT_EQ(word(state, lane * 4 + 3), last) << lane;
    }
  }
}

TEST(Convergence, FollowsSwitchesAndTheirFallThrough) {
  Outcome outcome =
      runSized(subgroupSnippet("%s = OpUMod %uint %lid %u_4\nOpSelectionMerge %m None\n"
                               "OpSwitch %s %other 0 %zero 1 %one\n%zero = OpLabel\n" +
                               countHere("%c0") + "OpBranch %one\n%one = OpLabel\n" +
                               "%before = OpPhi %uint %u_0 %entry %c0 %zero\n" + countHere("%c1") +
                               "%sum = OpIAdd %uint %before %c1\nOpBranch %m\n%other = OpLabel\n" +
                               countHere("%co") +
                               "OpBranch %m\n%m = OpLabel\n"
                               "%r = OpPhi %uint %sum %one %co %other\n" +
                               storeUint("%r", "%lid")),
               64);
  const BufferState &state = finalState(outcome);
  const uint32_t expected[] = {16 + 32, 32, 32, 32}; // One is reached by itself and from zero.
  for (uint32_t lane = 0; lane < 64; ++lane)
    EXPECT_EQ(word(state, lane), expected[lane % 4]) << lane;
}

TEST(Convergence, TellsCallsApartAndMeetsBehindReturns) {
  Snippet snippet = subgroupSnippet("%x = OpFunctionCall %uint %f %lid\n%lid2 = OpIAdd %uint %lid "
                                    "%u_1\n%y = OpFunctionCall %uint %f %lid2\n" +
                                    countHere("%z") +
                                    "%xy = OpIMul %uint %x %y\n"
                                    "%xyz = OpIAdd %uint %xy %z\n" +
                                    storeUint("%xyz", "%lid"));
  snippet.globals = "%fnu = OpTypeFunction %uint %uint\n";
  snippet.functions = "%f = OpFunction %uint None %fnu\n%n = OpFunctionParameter %uint\n"
                      "%fe = OpLabel\n%small = OpULessThan %bool %n %u_10\n"
                      "OpSelectionMerge %fm None\nOpBranchConditional %small %ft %fm\n"
                      "%ft = OpLabel\n" +
                      countHere("%cf") + "OpReturnValue %cf\n%fm = OpLabel\n" + countHere("%cg") +
                      "OpReturnValue %cg\nOpFunctionEnd\n";
  Outcome outcome = runSized(snippet, 64);
  const BufferState &state = finalState(outcome);
  for (uint32_t lane = 0; lane < 64; ++lane)
    EXPECT_EQ(word(state, lane), (lane < 10 ? 10u : 54u) * (lane + 1 < 10 ? 9u : 55u) + 64) << lane;
}

static Outcome runBody(const std::string &body, uint32_t size = 64, uint32_t localSize = 64) {
  return runSized(subgroupSnippet(body, localSize), size);
}

TEST(SubgroupRules, ABroadcastNeedsAUniformLane) {
  Outcome outcome =
      runBody("%r = OpGroupNonUniformBroadcast %uint %u_3 %lid %lid\n" + storeUint("%r", "%lid"));
  EXPECT_EQ(ruleOf(outcome), "UB-NONUNIFORM");
  EXPECT_NE(outcome.reason.find("invocation (1, 0, 0)"), std::string::npos) << outcome.reason;
}

TEST(SubgroupRules, AQuadBroadcastNeedsAnIndexUniformInItsQuad) {
  auto body = [](const std::string &index) {
    return "%quad = OpUDiv %uint %lid %u_4\n%q = OpUMod %uint %quad %u_4\n"
           "%own = OpUMod %uint %lid %u_4\n"
           "%r = OpGroupNonUniformQuadBroadcast %uint %u_3 %lid " +
           index + "\n" + storeUint("%r", "%lid");
  };
  Snippet snippet = subgroupSnippet(body("%q"));
  snippet.capabilities += "OpCapability GroupNonUniformQuad\n";
  Outcome outcome = runSized(snippet, 32);
  EXPECT_EQ(word(finalState(outcome), 22), 21u); // Quad 5 takes its number 1.
  snippet.body = body("%own");
  EXPECT_EQ(ruleOf(runSized(snippet, 32)), "UB-NONUNIFORM");
}

TEST(SubgroupRules, AClusterMustFitIntoTheSubgroup) {
  std::string body = "%r = OpGroupNonUniformIAdd %uint %u_3 ClusteredReduce %lid %u_32\n" +
                     storeUint("%r", "%lid");
  EXPECT_EQ(ruleOf(runBody(body, 16)), "UB-CLUSTER");
  EXPECT_EQ(runBody(body, 32).kind, OutcomeKind::Completed);
}

TEST(SubgroupRules, AnAbsentValueIsReportedWhereItMatters) {
  std::string shuffle = "%r = OpGroupNonUniformShuffle %uint %u_3 %lid %u_40\n";
  EXPECT_EQ(runBody(shuffle + storeUint("%r", "%lid"), 32).kind, OutcomeKind::Completed);
  EXPECT_EQ(ruleOf(runBody(shuffle + "%c = OpIEqual %bool %r %u_1\nOpSelectionMerge %m None\n"
                                     "OpBranchConditional %c %t %m\n%t = OpLabel\nOpBranch %m\n"
                                     "%m = OpLabel\n",
                           32)),
            "UB-SUBGROUP");
}

static const char barrier[] = "OpControlBarrier %u_2 %u_2 %u_264\n";

TEST(Barriers, MustBeReachedByAllInTheSameIteration) {
  // Each invocation waits once: even ones in round 0, odd ones in round 1.
  std::string body =
      "OpBranch %head\n%head = OpLabel\n%i = OpPhi %uint %u_0 %entry %i2 %cont\n"
      "OpLoopMerge %done %cont None\nOpBranch %body\n%body = OpLabel\n"
      "%par = OpBitwiseAnd %uint %lid %u_1\n%mine = OpIEqual %bool %par %i\n"
      "OpSelectionMerge %cont2 None\nOpBranchConditional %mine %wait %cont2\n%wait = OpLabel\n" +
      std::string(barrier) +
      "OpBranch %cont2\n%cont2 = OpLabel\nOpBranch %cont\n%cont = OpLabel\n"
      "%i2 = OpIAdd %uint %i %u_1\n%more = OpULessThan %bool %i2 %u_2\n"
      "OpBranchConditional %more %head %done\n%done = OpLabel\n";
  Outcome outcome = runBody(body);
  EXPECT_EQ(ruleOf(outcome), "UB-BARRIER");
  EXPECT_NE(outcome.reason.find("in another iteration"), std::string::npos) << outcome.reason;
}

TEST(Barriers, AreNotPassedByASubgroupOperation) {
  std::string body = "%low = OpULessThan %bool %lid %u_5\nOpSelectionMerge %m None\n"
                     "OpBranchConditional %low %t %m\n%t = OpLabel\n" +
                     std::string(barrier) + "OpBranch %m\n%m = OpLabel\n" + countHere("%n") +
                     storeUint("%n", "%lid");
  Outcome outcome = runBody(body);
  EXPECT_EQ(ruleOf(outcome), "UB-BARRIER");
  EXPECT_NE(outcome.reason.find("is at a subgroup operation"), std::string::npos) << outcome.reason;
}

/// Writes shared memory, waits by \p wait, and reads what a neighbour wrote.
static std::string exchange(const std::string &wait) {
  return "%own = OpAccessChain %pw_uint %shared %lid\nOpStore %own %lid\n" + wait +
         "%other = OpBitwiseXor %uint %lid %u_1\n"
         "%theirs = OpAccessChain %pw_uint %shared %other\n%r = OpLoad %uint %theirs\n" +
         wait + "OpStore %own %r\n" + wait + "%again = OpLoad %uint %theirs\n" +
         storeUint("%again", "%lid");
}

TEST(Barriers, OfASubgroupOrderItsMemory) {
  EXPECT_EQ(ruleOf(runBody(exchange(""), 16, 16)), "UB-RACE");
  // 264: AcquireRelease | WorkgroupMemory.
  Outcome outcome = runBody(exchange("OpControlBarrier %u_3 %u_3 %u_264\n"), 16, 16);
  const BufferState &state = finalState(outcome);
  for (uint32_t lane = 0; lane < 16; ++lane)
    EXPECT_EQ(word(state, lane), lane) << lane;
  // 72 orders buffers alone.
  EXPECT_EQ(ruleOf(runBody(exchange("OpControlBarrier %u_3 %u_3 %u_72\n"), 16, 16)), "UB-RACE");
  // Neighbours in different subgroups.
  EXPECT_EQ(ruleOf(runBody(exchange("OpControlBarrier %u_3 %u_3 %u_264\n"), 1, 16)), "UB-RACE");
}

TEST(Barriers, OfPartOfASubgroupOrderThatPart) {
  std::string inside = exchange("OpControlBarrier %u_3 %u_3 %u_264\n");
  std::string body = "%low = OpULessThan %bool %lid %u_10\nOpSelectionMerge %m None\n"
                     "OpBranchConditional %low %t %m\n%t = OpLabel\n" +
                     inside + "OpBranch %m\n%m = OpLabel\n";
  Outcome outcome = runBody(body, 16, 16);
  const BufferState &state = finalState(outcome);
  for (uint32_t lane = 0; lane < 10; ++lane)
    EXPECT_EQ(word(state, lane), lane) << lane;
}

TEST(Barriers, OfASubgroupOrderOneWriterAfterManyReaders) {
  std::string wait = "OpControlBarrier %u_3 %u_3 %u_264\n";
  std::string body = "%cell = OpAccessChain %pw_uint %shared %u_0\n"
                     "%first = OpIEqual %bool %lid %u_0\nOpSelectionMerge %m1 None\n"
                     "OpBranchConditional %first %t1 %m1\n%t1 = OpLabel\nOpStore %cell %u_7\n"
                     "OpBranch %m1\n%m1 = OpLabel\n" +
                     wait + "%r1 = OpLoad %uint %cell\n" + wait +
                     "OpSelectionMerge %m2 None\nOpBranchConditional %first %t2 %m2\n"
                     "%t2 = OpLabel\nOpStore %cell %u_9\nOpBranch %m2\n%m2 = OpLabel\n" +
                     wait + "%r2 = OpLoad %uint %cell\n%r = OpIMul %uint %r1 %r2\n" +
                     storeUint("%r", "%lid");
  Outcome outcome = runBody(body, 16, 16);
  EXPECT_EQ(word(finalState(outcome), 15), 63u);
}

/// Every invocation reads a counter and writes it back plus one, in two atomics.
static std::string ticketBody() {
  return "%cell = OpAccessChain %p_uint %out %u_0 %u_0\n"
         "%old = OpAtomicLoad %uint %cell %u_1 %u_0\n%new = OpIAdd %uint %old %u_1\n"
         "OpAtomicStore %cell %u_1 %u_0 %new\n";
}

TEST(Schedules, ComeBetweenTheAtomicsOfAnInvocation) {
  Outcome outcome = run(subgroupSnippet(ticketBody()));
  const BufferState &state = finalState(outcome);
  ASSERT_FALSE(state.indeterminate.empty()); // An update between load and store is lost.
  EXPECT_EQ(state.indeterminate.begin()->first, 0u);
}

TEST(Schedules, LetEverybodyPassALock) {
  // while (exchange(lock, 1)) ; ++counter (atomic load and store); release.
  std::string body =
      "%lock = OpAccessChain %p_uint %out %u_0 %u_1\n"
      "%cell = OpAccessChain %p_uint %out %u_0 %u_0\nOpBranch %head\n%head = OpLabel\n"
      "OpLoopMerge %got %cont None\nOpBranch %try\n%try = OpLabel\n"
      "%held = OpAtomicExchange %uint %lock %u_1 %u_72 %u_1\n"
      "%free = OpIEqual %bool %held %u_0\nOpSelectionMerge %no None\n"
      "OpBranchConditional %free %yes %no\n%yes = OpLabel\n"
      "%old = OpAtomicLoad %uint %cell %u_1 %u_0\n%new = OpIAdd %uint %old %u_1\n"
      "OpAtomicStore %cell %u_1 %u_0 %new\nOpAtomicStore %lock %u_1 %sem %u_0\nOpBranch %got\n"
      "%no = OpLabel\nOpBranch %cont\n%cont = OpLabel\nOpBranch %head\n%got = OpLabel\n";
  Snippet snippet = subgroupSnippet(body, 100);
  snippet.globals = "%sem = OpConstant %uint 68\n"; // Release | UniformMemory.
  Outcome outcome = run(snippet);
  const BufferState &state = finalState(outcome);
  EXPECT_EQ(word(state, 0), 100u);
  EXPECT_TRUE(state.indeterminate.empty());
}

TEST(Schedules, GiveTheSameOutcomeForTheSameSeed) {
  Snippet snippet = subgroupSnippet(ticketBody());
  for (uint64_t seed : {0, 7}) {
    Outcome once = runSized(snippet, 64, seed), again = runSized(snippet, 64, seed);
    EXPECT_EQ(finalState(once).bytes, finalState(again).bytes);
    EXPECT_EQ(once.instructions, again.instructions);
  }
}

TEST(Schedules, RunWorkgroupsSideBySide) {
  // What others add between two looks at a counter: nothing, unless workgroups run side by side.
  Snippet snippet = subgroupSnippet("%cell = OpAccessChain %p_uint %out %u_0 %u_0\n"
                                    "%first = OpAtomicLoad %uint %cell %u_1 %u_0\n"
                                    "%old = OpAtomicIAdd %uint %cell %u_1 %u_0 %u_1\n"
                                    "%second = OpAtomicLoad %uint %cell %u_1 %u_0\n"
                                    "%between = OpISub %uint %second %first\n"
                                    "%place = OpIAdd %uint %gid %u_1\n" +
                                        storeUint("%between", "%place"),
                                    1);
  snippet.groups = 16;
  snippet.outWords = 17;
  Outcome outcome = run(snippet);
  const BufferState &state = finalState(outcome);
  EXPECT_EQ(word(state, 0), 16u);
  EXPECT_FALSE(state.indeterminate.contains(0));
  EXPECT_FALSE(state.indeterminate.empty());
}

TEST(Schedules, TakeThousandsOfInvocations) {
  Snippet snippet = subgroupSnippet("%cell = OpAccessChain %p_uint %out %u_0 %u_0\n"
                                    "%sum = OpGroupNonUniformIAdd %uint %u_3 Reduce %u_1\n"
                                    "%chosen = OpGroupNonUniformElect %bool %u_3\n"
                                    "OpSelectionMerge %m None\n"
                                    "OpBranchConditional %chosen %t %m\n%t = OpLabel\n"
                                    "%old = OpAtomicIAdd %uint %cell %u_1 %u_0 %sum\n"
                                    "OpBranch %m\n%m = OpLabel\n",
                                    1024);
  snippet.groups = 64;
  Outcome outcome = run(snippet);
  const BufferState &state = finalState(outcome);
  EXPECT_EQ(word(state, 0), 65536u);
  EXPECT_TRUE(state.indeterminate.empty());
}
