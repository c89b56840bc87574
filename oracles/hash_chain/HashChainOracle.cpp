// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/hash_chain/HashChainOracle.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/xxhash.h"

using namespace llvm;
using namespace assay;

static constexpr ChainRuleInfo rules[] = {
#define CHAIN_RULE(ENUMERATOR, ID, TITLE, TEXT) {ID, TITLE, TEXT},
#include "oracles/hash_chain/Rules.def"
};

ArrayRef<ChainRuleInfo> assay::listChainRules() {
  return rules;
}

static Finding makeFinding(ChainRule rule, const Twine &message, StringRef place) {
  const ChainRuleInfo &info = rules[static_cast<size_t>(rule)];
  Finding finding;
  finding.rule = info.id.str();
  finding.message = (info.title + ": " + message).str();
  finding.location = place.str();
  finding.signature = (info.id + " " + place).str();
  return finding;
}

// --- History

static void appendNumber(std::string &bytes, uint64_t number) {
  char encoded[8];
  support::endian::write64le(encoded, number);
  bytes.append(encoded, sizeof(encoded));
}

static void appendText(std::string &bytes, StringRef text) {
  appendNumber(bytes, text.size());
  bytes += text;
}

/// The hash of \p steps by the definition in docs/hash-chains.md.
static Hash128 recompute(ArrayRef<HashStep> steps) {
  Hash128 hash;
  for (const HashStep &step : steps) {
    std::string bytes;
    appendNumber(bytes, hash.low);
    appendNumber(bytes, hash.high);
    appendText(bytes, step.datum);
    appendText(bytes, step.bytes);
    XXH128_hash_t next = xxh3_128bits(arrayRefFromStringRef(bytes));
    hash = {next.low64, next.high64};
  }
  return hash;
}

std::vector<Finding> assay::checkHistory(const ChainRecord &record) {
  std::vector<Finding> findings;
  if (record.chains.empty())
    findings.push_back(makeFinding(ChainRule::Lost, "the code has no function", ""));
  for (const FunctionChain &each : record.chains) {
    if (each.chain.steps.empty())
      findings.push_back(
          makeFinding(ChainRule::Lost, "function '" + each.function + "'", each.function));
    else if (Hash128 hash = recompute(each.chain.steps); hash != each.chain.hash)
      findings.push_back(makeFinding(
          ChainRule::History,
          "function '" + each.function + "' has " + printHash(each.chain.hash) + ", its " +
              Twine(each.chain.steps.size()) + " steps give " + printHash(hash),
          each.function));
  }
  return findings;
}

// --- Comparison of two chains

/// The value of a step for messages: text as it is, else hexadecimal.
static std::string describeBytes(StringRef bytes) {
  return bytes.empty() ? "nothing" : "0x" + toHex(bytes, /*LowerCase=*/true);
}

namespace {
/// Where two chains part.
struct ChainDifference {
  std::string reader;
  std::string datum; ///< Empty: they do not.
  std::string text;  ///< For messages.
};
} // namespace

static ChainDifference compareSteps(ArrayRef<HashStep> first, ArrayRef<HashStep> second) {
  for (size_t i = 0; i < std::max(first.size(), second.size()); ++i) {
    if (i >= first.size() || i >= second.size()) {
      const HashStep &more = i < first.size() ? first[i] : second[i];
      return {more.reader, more.datum,
              more.reader + " reads '" + more.datum + "' in one of them only"};
    }
    const HashStep &a = first[i], &b = second[i];
    if (a.datum != b.datum)
      return {a.reader, a.datum,
              a.reader + " reads '" + a.datum + "', " + b.reader + " reads '" + b.datum + "'"};
    if (a.bytes != b.bytes)
      return {a.reader, a.datum,
              a.reader + " reads '" + a.datum + "': " + describeBytes(a.bytes) + " and " +
                  describeBytes(b.bytes)};
  }
  return {};
}

static ChainDifference compareChains(const ChainRecord &first, const ChainRecord &second) {
  if (first.chains.size() != second.chains.size())
    return {"", "functions", "the number of functions differs"};
  for (const auto &[a, b] : zip_equal(first.chains, second.chains)) {
    ChainDifference difference = compareSteps(a.chain.steps, b.chain.steps);
    if (!difference.datum.empty())
      return difference;
  }
  return {};
}

static bool haveEqualHashes(const ChainRecord &first, const ChainRecord &second) {
  return first.chains.size() == second.chains.size() &&
         all_of_zip(first.chains, second.chains,
                    [](const FunctionChain &a, const FunctionChain &b) {
                      return a.chain.hash == b.chain.hash;
                    });
}

std::vector<Finding> assay::checkRepeat(const ChainRecord &first, const ChainRecord &again) {
  std::vector<Finding> findings;
  ChainDifference difference = compareChains(first, again);
  if (!difference.datum.empty())
    findings.push_back(makeFinding(ChainRule::Repeat, difference.text, difference.reader));
  else if (!haveEqualHashes(first, again))
    findings.push_back(makeFinding(ChainRule::Repeat, "equal steps have different hashes", ""));
  return findings;
}

std::vector<Finding> assay::checkCached(const ChainRecord &record, ArrayRef<uint8_t> cached) {
  std::vector<Finding> findings;
  if (cached != ArrayRef(record.code))
    findings.push_back(makeFinding(ChainRule::Cache,
                                   Twine(cached.size()) + " bytes with a cache, " +
                                       Twine(record.code.size()) + " without",
                                   "cache"));
  return findings;
}

// --- Pairs

/// The first pass after which the IR differs while the chains agree; null when there is none. The
/// passes after one that ran in one of the compilations only are not compared.
static const PassRecord *findCulprit(const ChainRecord &first, const ChainRecord &second) {
  for (size_t i = 0; i < std::min(first.passes.size(), second.passes.size()); ++i) {
    const PassRecord &a = first.passes[i], &b = second.passes[i];
    if (a.pass != b.pass)
      return nullptr;
    if (a.code != b.code && a.chains == b.chains)
      return &a;
  }
  return nullptr;
}

/// What linking reads of other stages, by the reader of the step.
static bool isOfNeighbour(const ChainDifference &difference) {
  return StringRef(difference.reader).starts_with("link-");
}

PairJudgement assay::judgePair(const ChainRecord &first, const ChainRecord &second,
                               PairChange change) {
  PairJudgement judgement;
  judgement.isSameHash = haveEqualHashes(first, second);
  judgement.isSameCode = maskHashes(first.code) == maskHashes(second.code);
  ChainDifference difference = compareChains(first, second);
  judgement.differingDatum = judgement.isSameHash ? "" : difference.datum;
  std::vector<Finding> &findings = judgement.findings;
  const PassRecord *culprit = findCulprit(first, second);
  if (judgement.isSameHash && !judgement.isSameCode)
    findings.push_back(makeFinding(ChainRule::Sound,
                                   culprit ? "the IR differs after pass " + culprit->pass
                                           : "the IR is the same after each pass",
                                   culprit ? culprit->pass : "code-generation"));
  else if (culprit)
    findings.push_back(makeFinding(ChainRule::Step, "after pass " + culprit->pass, culprit->pass));
  if (!judgement.isSameHash && difference.datum.empty())
    findings.push_back(makeFinding(ChainRule::Silent, "all steps are equal", ""));
  if (first.key && first.key == second.key && !judgement.isSameCode)
    findings.push_back(makeFinding(ChainRule::Cache, "equal keys, different code", "cache"));
  if (!judgement.isSameHash && change == PairChange::Neutral)
    findings.push_back(makeFinding(ChainRule::Precise, difference.text, difference.reader));
  else if (isOfNeighbour(difference) && first.interface == second.interface &&
           first.neighbours == second.neighbours)
    findings.push_back(makeFinding(ChainRule::Precise,
                                   difference.text + ", but the other stages show the same",
                                   difference.reader));
  return judgement;
}
