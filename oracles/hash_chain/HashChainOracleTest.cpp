// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/hash_chain/HashChainOracle.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include <map>

using namespace assay;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// A chain of \p steps, its hash by the definition.
static HashChain makeChain(std::vector<HashStep> steps) {
  HashChain chain{{}, std::move(steps)};
  for (const HashStep &step : chain.steps)
    chain.hash = CanonicalBytes().add(chain.hash).add(step.datum).add(step.bytes).hash();
  return chain;
}

static ChainRecord makeRecord(std::vector<HashStep> steps, std::vector<uint8_t> elf = {1}) {
  ChainRecord record;
  record.chains.push_back({"main", makeChain(std::move(steps))});
  record.passes = {{"front-end", {1, 1}, {1, 1}}, {"lower-desc", {2, 2}, {2, 2}}};
  record.code = std::move(elf);
  return record;
}

static const std::vector<HashStep> steps = {{"driver", "input", "ab"},
                                            {"lower-desc", "table 0", "c"}};

static std::vector<std::string> rulesOf(const std::vector<Finding> &findings) {
  std::vector<std::string> ids;
  for (const Finding &finding : findings)
    ids.push_back(finding.rule);
  return ids;
}

TEST(HashChainOracle, IsSilentOnGoodChains) {
  EXPECT_THAT(checkHistory(makeRecord(steps)), IsEmpty());
  EXPECT_THAT(checkRepeat(makeRecord(steps), makeRecord(steps)), IsEmpty());
  PairJudgement same = judgePair(makeRecord(steps), makeRecord(steps), PairChange::Neutral);
  EXPECT_THAT(same.findings, IsEmpty());
  EXPECT_TRUE(same.isSameHash && same.isSameCode);
  ChainRecord other = makeRecord({steps[0], {"lower-desc", "table 0", "d"}}, {2});
  other.passes[1] = {"lower-desc", {3, 3}, {3, 3}};
  PairJudgement differs = judgePair(makeRecord(steps), other, PairChange::Any);
  EXPECT_THAT(differs.findings, IsEmpty());
  EXPECT_FALSE(differs.isSameHash || differs.isSameCode);
  EXPECT_EQ(differs.differingDatum, "table 0");
}

TEST(HashChainOracle, FindsLostChains) {
  EXPECT_THAT(rulesOf(checkHistory({})), ElementsAre("HASH-LOST"));
  EXPECT_THAT(rulesOf(checkHistory(makeRecord({}))), ElementsAre("HASH-LOST"));
}

TEST(HashChainOracle, FindsHashesOfSomethingElse) {
  ChainRecord twice = makeRecord(steps);
  twice.chains[0].chain.hash =
      CanonicalBytes().add(twice.chains[0].chain.hash).add("table 0").add("c").hash();
  std::vector<Finding> findings = checkHistory(twice);
  EXPECT_THAT(rulesOf(findings), ElementsAre("HASH-HISTORY"));
  EXPECT_THAT(findings[0].message, HasSubstr("function 'main'"));
  ChainRecord changed = makeRecord(steps);
  changed.chains[0].chain.steps[0].bytes = "ax";
  EXPECT_THAT(rulesOf(checkHistory(changed)), ElementsAre("HASH-HISTORY"));
}

TEST(HashChainOracle, FindsChainsThatDoNotRepeat) {
  std::vector<HashStep> turned = {steps[1], steps[0]};
  EXPECT_THAT(rulesOf(checkRepeat(makeRecord(steps), makeRecord(turned))),
              ElementsAre("HASH-REPEAT"));
  ChainRecord other = makeRecord(steps);
  ++other.chains[0].chain.hash.high;
  EXPECT_THAT(rulesOf(checkRepeat(makeRecord(steps), other)), ElementsAre("HASH-REPEAT"));
}

TEST(HashChainOracle, NamesThePassThatReadInSecret) {
  ChainRecord other = makeRecord(steps, {2});
  other.passes[1].code = {3, 3};
  PairJudgement unsound = judgePair(makeRecord(steps), other, PairChange::Any);
  ASSERT_THAT(rulesOf(unsound.findings), ElementsAre("HASH-SOUND"));
  EXPECT_EQ(unsound.findings[0].location, "lower-desc");
  other.passes[1].code = {2, 2};
  PairJudgement late = judgePair(makeRecord(steps), other, PairChange::Any);
  ASSERT_THAT(rulesOf(late.findings), ElementsAre("HASH-SOUND"));
  EXPECT_EQ(late.findings[0].location, "code-generation");
}

TEST(HashChainOracle, FindsReadsThatALaterPassRepeats) {
  ChainRecord other = makeRecord({steps[0], {"lower-desc", "table 0", "d"}}, {2});
  other.passes[0].code = {9, 9};
  PairJudgement judgement = judgePair(makeRecord(steps), other, PairChange::Any);
  ASSERT_THAT(rulesOf(judgement.findings), ElementsAre("HASH-STEP"));
  EXPECT_EQ(judgement.findings[0].location, "front-end");
}

TEST(HashChainOracle, FindsNeutralChangesInChains) {
  ChainRecord other = makeRecord({{"driver", "input", "xy"}, steps[1]});
  PairJudgement judgement = judgePair(makeRecord(steps), other, PairChange::Neutral);
  ASSERT_THAT(rulesOf(judgement.findings), ElementsAre("HASH-PRECISE"));
  EXPECT_THAT(judgement.findings[0].message, HasSubstr("'input': 0x6162 and 0x7879"));
  EXPECT_THAT(judgePair(makeRecord(steps), other, PairChange::Any).findings, IsEmpty());
}

TEST(HashChainOracle, FindsReadsOfOtherStagesThatDifferForNoReason) {
  ChainRecord first = makeRecord({steps[0], {"link-inputs", "written 0 1", "a"}});
  ChainRecord second = makeRecord({steps[0], {"link-inputs", "written 0 1", "b"}}, {2});
  first.neighbours = "x", second.neighbours = "y";
  EXPECT_THAT(judgePair(first, second, PairChange::Any).findings, IsEmpty());
  second.neighbours = "x";
  std::vector<Finding> findings = judgePair(first, second, PairChange::Any).findings;
  ASSERT_THAT(rulesOf(findings), ElementsAre("HASH-PRECISE"));
  EXPECT_EQ(findings[0].location, "link-inputs");
}

TEST(HashChainOracle, FindsHashesThatDifferForNoStep) {
  ChainRecord other = makeRecord(steps);
  ++other.chains[0].chain.hash.low;
  EXPECT_THAT(rulesOf(judgePair(makeRecord(steps), other, PairChange::Any).findings),
              ElementsAre("HASH-SILENT"));
}

TEST(HashChainOracle, MasksTheHashesOfPalMetadata) {
  auto bytesOf = [](std::string text) { return std::vector<uint8_t>(text.begin(), text.end()); };
  std::string start = "x.internal_pipeline_hash\x92", end = "y";
  std::string first = start +
                      "\xcf"
                      "12345678"
                      "\x05" +
                      end;
  std::string second = start +
                       "\xcf"
                       "87654321"
                       "\x05" +
                       end;
  EXPECT_NE(maskHashes(bytesOf(first)), bytesOf(first));
  EXPECT_EQ(maskHashes(bytesOf(first)), maskHashes(bytesOf(second)));
  EXPECT_NE(maskHashes(bytesOf(first)), maskHashes(bytesOf(second + "z")));
  for (std::string broken : {start,
                             start + "\xcf"
                                     "123",
                             std::string(".api_shader_hash"), std::string(".api_shader_hash\x91")})
    EXPECT_EQ(maskHashes(bytesOf(broken)), bytesOf(broken));
}
