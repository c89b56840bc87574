// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/hash_chain/CheckPairs.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace assay;

void PairReport::add(const PairReport &other) {
  append_range(findings, other.findings);
  for (const auto &[name, more] : other.counts) {
    PairCounts &count = counts[name];
    count.pairs += more.pairs;
    count.sameCode += more.sameCode;
    count.sameCodeSameHash += more.sameCodeSameHash;
  }
  for (const auto &[datum, more] : other.imprecise)
    imprecise[datum] += more;
  for (const auto &[datum, more] : other.differing)
    differing[datum] += more;
}

PairCounts PairReport::total() const {
  PairCounts sum;
  for (const auto &[name, count] : counts) {
    sum.pairs += count.pairs;
    sum.sameCode += count.sameCode;
    sum.sameCodeSameHash += count.sameCodeSameHash;
  }
  return sum;
}

static void addFindings(PairReport &report, std::vector<Finding> findings, StringRef mutation,
                        unsigned number) {
  for (Finding &finding : findings) {
    finding.evidence.emplace_back("mutation", mutation.str());
    finding.evidence.emplace_back("number", std::to_string(number));
    report.findings.push_back(std::move(finding));
  }
}

static void addPair(PairReport &report, PairJudgement judgement, StringRef mutation,
                    unsigned number) {
  PairCounts &count = report.counts[mutation.str()];
  ++count.pairs;
  count.sameCode += judgement.isSameCode;
  count.sameCodeSameHash += judgement.isSameCode && judgement.isSameHash;
  if (!judgement.isSameHash)
    ++report.differing[judgement.differingDatum];
  if (judgement.isSameCode && !judgement.isSameHash)
    ++report.imprecise[judgement.differingDatum];
  addFindings(report, std::move(judgement.findings), mutation, number);
}

/// The rows that \p options choose.
static std::vector<const PairMutation *> chooseMutations(const PairOptions &options) {
  std::vector<const PairMutation *> chosen;
  for (const PairMutation &mutation : listPairMutations())
    if (options.mutations.empty() || is_contained(options.mutations, mutation.name))
      chosen.push_back(&mutation);
  return chosen;
}

Expected<PairReport> assay::checkPairs(Compiler &compiler, const PairInput &input,
                                       const PairOptions &options) {
  Expected<ChainRecord> first = recordChains(compiler, input);
  if (!first)
    return first.takeError();
  PairReport report;
  addFindings(report, checkHistory(*first), "none", 0);
  std::vector<const PairMutation *> mutations = chooseMutations(options);
  // In turn, from another start for each shader and seed.
  CanonicalBytes words;
  for (const ShaderDescription &shader : input.pipeline.stages)
    for (uint32_t word : shader.spirv)
      words.add(uint64_t(word));
  uint64_t start = options.seed + words.hash().low;
  unsigned done = 0;
  for (unsigned number = 0; done < options.pairs && number < options.pairs * 4; ++number) {
    Random random = Random::derive(options.seed, number);
    const PairMutation &mutation = *mutations[(start + number) % mutations.size()];
    PairInput other = input;
    if (!mutation.apply(other, random))
      continue;
    Expected<ChainRecord> second = recordChains(compiler, other);
    if (!second) {
      consumeError(second.takeError()); // The mutation broke the shader.
      continue;
    }
    ++done;
    addFindings(report, checkHistory(*second), mutation.name, number);
    addPair(report,
            judgePair(*first, *second, mutation.isNeutral ? PairChange::Neutral : PairChange::Any),
            mutation.name, number);
  }
  // Last: after compilations of other shaders.
  Expected<ChainRecord> again = recordChains(compiler, input);
  if (!again)
    return again.takeError();
  addFindings(report, checkRepeat(*first, *again), "none", 0);
  return report;
}

Expected<PairReport> assay::checkPair(Compiler &compiler, const PairInput &first,
                                      const PairInput &second) {
  Expected<ChainRecord> one = recordChains(compiler, first);
  if (!one)
    return one.takeError();
  Expected<ChainRecord> two = recordChains(compiler, second);
  if (!two)
    return two.takeError();
  PairReport report;
  addFindings(report, checkHistory(*one), "none", 0);
  addFindings(report, checkHistory(*two), "none", 0);
  addPair(report, judgePair(*one, *two, PairChange::Any), "given", 0);
  return report;
}
