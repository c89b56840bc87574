// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/hash_chain/CheckPairs.h"

#include "compiler/cache/Cache.h"
#include "support/Error.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace assay;

void PairCounts::add(const PairCounts &other) {
  pairs += other.pairs;
  shaders += other.shaders;
  sameCode += other.sameCode;
  sameCodeSameHash += other.sameCodeSameHash;
}

void PairReport::add(const PairReport &other) {
  append_range(findings, other.findings);
  for (const auto &[name, more] : other.counts)
    counts[name].add(more);
  for (const auto &[datum, more] : other.imprecise)
    imprecise[datum] += more;
  for (const auto &[datum, more] : other.differing)
    differing[datum] += more;
}

PairCounts PairReport::total() const {
  PairCounts sum;
  for (const auto &[name, count] : counts)
    sum.add(count);
  return sum;
}

/// Adds \p findings with mutation, number and, of graphics pipelines, stage as evidence.
static void addFindings(PairReport &report, std::vector<Finding> findings, StringRef mutation,
                        unsigned number, StringRef stage) {
  for (Finding &finding : findings) {
    finding.evidence.emplace_back("mutation", mutation.str());
    finding.evidence.emplace_back("number", std::to_string(number));
    if (!stage.empty())
      finding.evidence.emplace_back("stage", stage.str());
    report.findings.push_back(std::move(finding));
  }
}

/// Checks the chain of each shader by itself.
static void addHistory(PairReport &report, const PipelineRecord &records, StringRef mutation,
                       unsigned number) {
  for (const ChainRecord &record : records)
    addFindings(report, checkHistory(record), mutation, number, record.stage);
}

/// Checks that two compilations of one pipeline have equal records.
static void addRepeat(PairReport &report, const PipelineRecord &first,
                      const PipelineRecord &again) {
  for (const auto &[one, two] : zip_equal(first, again))
    addFindings(report, checkRepeat(one, two), "none", 0, one.stage);
}

/// \p first and \p second have the same stages.
static void addPair(PairReport &report, const PipelineRecord &first, const PipelineRecord &second,
                    const PairMutation &mutation, unsigned number) {
  PairCounts &count = report.counts[mutation.name.str()];
  ++count.pairs;
  for (const auto &[one, two] : zip_equal(first, second)) {
    PairJudgement judgement =
        judgePair(one, two, mutation.isNeutral ? PairChange::Neutral : PairChange::Any);
    ++count.shaders;
    count.sameCode += judgement.isSameCode;
    count.sameCodeSameHash += judgement.isSameCode && judgement.isSameHash;
    if (!judgement.isSameHash)
      ++report.differing[judgement.differingDatum];
    if (judgement.isSameCode && !judgement.isSameHash)
      ++report.imprecise[judgement.differingDatum];
    addFindings(report, std::move(judgement.findings), mutation.name, number, one.stage);
  }
}

namespace {
/// Compiles with a cache that keeps its entries from pipeline to pipeline.
class CachedCompiler {
public:
  CachedCompiler() : m_cache(cantFail(Cache::open({}))) { m_compiler.setCache(m_cache.get()); }

  /// Adds to \p report what differs from \p records, which were compiled without a cache.
  void check(const PairInput &input, const PipelineRecord &records, StringRef mutation,
             unsigned number, PairReport &report) {
    m_input = input; // At the same address as the pipeline before.
    std::map<std::string, std::vector<uint8_t>> codes;
    if (Error error = compile().moveInto(codes))
      consumeError(std::move(error)); // An error is no entry either.
    for (const ChainRecord &record : records)
      addFindings(report, checkCached(record, codes[record.stage]), mutation, number, record.stage);
  }

private:
  /// By stage, as in ChainRecord.
  Expected<std::map<std::string, std::vector<uint8_t>>> compile() {
    std::map<std::string, std::vector<uint8_t>> codes;
    if (!m_input.pipeline.isGraphics()) {
      Expected<CompileResult> result =
          m_compiler.compile(m_input.pipeline, m_input.options, EmitPhase::Elf);
      if (!result)
        return result.takeError();
      codes[""] = std::move(result->output);
      return codes;
    }
    Expected<std::vector<CompiledPart>> parts =
        m_compiler.compileParts(m_input.pipeline, m_input.options);
    if (!parts)
      return parts.takeError();
    for (CompiledPart &part : *parts)
      codes[getStageName(part.hash.stage).str()] = std::move(part.result.output);
    return codes;
  }

  /// In memory.
  std::unique_ptr<Cache> m_cache;
  Compiler m_compiler;
  PairInput m_input;
};
} // namespace

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
  Expected<PipelineRecord> first = recordChains(compiler, input);
  if (!first)
    return first.takeError();
  PairReport report;
  addHistory(report, *first, "none", 0);
  CachedCompiler cached;
  if (options.checksCache)
    cached.check(input, *first, "none", 0, report);
  std::vector<const PairMutation *> mutations = chooseMutations(options);
  // In turn, from another start for each shader and seed.
  CanonicalBytes words;
  for (const ShaderDescription &shader : input.pipeline.stages)
    for (uint32_t word : shader.spirv)
      words.add(uint64_t(word));
  uint64_t start = options.seed + words.hash().low;
  unsigned done = 0;
  // Each mutation is tried at least once: most of them do not apply to a small shader.
  unsigned tries = std::max(options.pairs * 4, static_cast<unsigned>(mutations.size()));
  for (unsigned number = 0; done < options.pairs && number < tries; ++number) {
    Random random = Random::derive(options.seed, number);
    const PairMutation &mutation = *mutations[(start + number) % mutations.size()];
    PairInput other = input;
    if (!mutation.apply(other, random))
      continue;
    Expected<PipelineRecord> second = recordChains(compiler, other);
    if (!second) {
      consumeError(second.takeError()); // The mutation broke the shader.
      continue;
    }
    ++done;
    addHistory(report, *second, mutation.name, number);
    addPair(report, *first, *second, mutation, number);
    if (options.checksCache)
      cached.check(other, *second, mutation.name, number, report);
  }
  // Last: after compilations of other shaders.
  Expected<PipelineRecord> again = recordChains(compiler, input);
  if (!again)
    return again.takeError();
  addRepeat(report, *first, *again);
  return report;
}

Expected<PairReport> assay::checkPair(Compiler &compiler, const PairInput &first,
                                      const PairInput &second) {
  Expected<PipelineRecord> one = recordChains(compiler, first);
  if (!one)
    return one.takeError();
  Expected<PipelineRecord> two = recordChains(compiler, second);
  if (!two)
    return two.takeError();
  PairReport report;
  auto haveSameStage = [](const ChainRecord &a, const ChainRecord &b) {
    return a.stage == b.stage;
  };
  if (!std::equal(one->begin(), one->end(), two->begin(), two->end(), haveSameStage))
    return invalidInput("the pipelines have different stages");
  addHistory(report, *one, "none", 0);
  addHistory(report, *two, "none", 0);
  addPair(report, *one, *two, {"given", "", /*isNeutral=*/false, nullptr}, 0);
  return report;
}
