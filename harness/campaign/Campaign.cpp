// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/campaign/Campaign.h"

#include "fuzz/generate/Coverage.h"
#include "fuzz/generate/Generator.h"
#include "fuzz/generate/Steering.h"
#include "fuzz/transform/Transform.h"
#include "harness/campaign/CampaignFolder.h"
#include "harness/campaign/Journal.h"
#include "harness/campaign/Relocate.h"
#include "harness/campaign/TerminationNote.h"
#include "harness/run/Determinism.h"
#include "harness/run/WorkerGuard.h"
#include "support/Error.h"
#include "support/File.h"
#include "support/Random.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"
#include <chrono>

using namespace llvm;
using namespace assay;

Expected<fuzz::GeneratedCase> assay::generateCampaignCase(const CampaignOptions &options,
                                                          uint64_t number) {
  Expected<fuzz::Profile> profile = fuzz::findProfile(options.profile);
  if (!profile)
    return profile.takeError();
  if (options.steering)
    *profile = options.steering->weights->apply(std::move(*profile), options.seed, number);
  return generateWithout(Random::derive(options.seed, number).next(), std::move(*profile),
                         options.avoided);
}

/// Prints \p original as a script, with a second, transformed pipeline where the options ask for
/// steps. Errors are those of the transformations.
static Expected<CampaignCase> printCase(const CampaignOptions &options,
                                        const fuzz::GeneratedCase &original,
                                        fuzz::ModuleForm form) {
  if (options.transform == 0)
    return CampaignCase{fuzz::printAmber(original, form)};
  Expected<fuzz::TransformedCase> changed =
      fuzz::transformCase(original, original.seed, options.transform);
  if (!changed)
    return changed.takeError();
  return CampaignCase{fuzz::printAmberPair(original, changed->result, form),
                      fuzz::printLog(changed->log)};
}

Expected<CampaignCase> assay::makeCampaignCase(const CampaignOptions &options, uint64_t number) {
  Expected<fuzz::GeneratedCase> original = generateCampaignCase(options, number);
  return original ? printCase(options, *original, fuzz::ModuleForm::Assembly)
                  : original.takeError();
}

namespace {
/// The cases of one batch, on disk before they run.
struct Batch {
  std::vector<uint64_t> numbers;
  std::vector<CaseFile> files;
  std::set<std::string> features; ///< Of all, before any step changes them.
};
} // namespace

std::string assay::campaignCaseId(uint64_t seed, uint64_t number) {
  return formatv("{0}-{1}", seed, number);
}

/// Generates the cases \p numbers and writes them to inflight/. Modules are words there, which are
/// faster to read than assembly.
static Expected<Batch> writeBatch(const CampaignFolder &folder, const CampaignOptions &options,
                                  ArrayRef<uint64_t> numbers) {
  Batch batch;
  for (uint64_t number : numbers) {
    Expected<fuzz::GeneratedCase> original = generateCampaignCase(options, number);
    if (!original)
      return original.takeError();
    Expected<CampaignCase> printed = printCase(options, *original, fuzz::ModuleForm::Words);
    if (!printed)
      return printed.takeError();
    batch.features.merge(fuzz::featuresOf(*original));
    std::string id = campaignCaseId(options.seed, number);
    std::string path = folder.inflight() + "/" + id + ".amber";
    if (Error error = writeFile(path, StringRef(printed->text)))
      return std::move(error);
    batch.numbers.push_back(number);
    batch.files.push_back({path, id});
  }
  return batch;
}

/// Returns a result for each case of \p batch, in order. Commands in the verdicts name the file
/// that a finding will have.
static std::vector<CampaignResult> sortVerdicts(const Batch &batch, std::vector<Verdict> verdicts) {
  std::vector<CampaignResult> results;
  for (auto [number, file] : zip_equal(batch.numbers, batch.files)) {
    CampaignResult result{number, file.id, {}};
    for (Verdict &verdict : verdicts)
      if (verdict.caseId == file.id) {
        relocateVerdict(verdict, file.path, placeOfFinding(file.id));
        result.verdicts.push_back(std::move(verdict));
        verdict.caseId.clear();
      }
    results.push_back(std::move(result));
  }
  return results;
}

namespace {
/// The numbers of the cases of a shard that a folder lacks, ascending. Of cases there may be more
/// than memory has bytes: they are chosen batch by batch.
class MissingCases {
public:
  MissingCases(const CampaignFolder &folder, const CampaignOptions &options,
               const CampaignShard &shard)
      : m_folder(folder), m_cases(options.cases), m_step(shard.count), m_next(shard.index) {}

  /// Of those that are left; call it before take().
  uint64_t count() const {
    uint64_t all = m_next < m_cases ? (m_cases - m_next - 1) / m_step + 1 : 0;
    return all - static_cast<uint64_t>(count_if(m_folder.results(), [&](const auto &result) {
             return result.first >= m_next && result.first % m_step == m_next % m_step;
           }));
  }

  /// Up to \p most of those that were not taken yet; none at the end.
  std::vector<uint64_t> take(size_t most) {
    std::vector<uint64_t> numbers;
    while (numbers.size() < most && m_next < m_cases) {
      if (!m_folder.has(m_next))
        numbers.push_back(m_next);
      m_next = m_cases - m_next > m_step ? m_next + m_step : m_cases;
    }
    return numbers;
  }

private:
  const CampaignFolder &m_folder;
  uint64_t m_cases, m_step, m_next;
};
} // namespace

/// Of all results in the folder, not of one call.
static uint64_t countFindings(const CampaignFolder &folder) {
  return static_cast<uint64_t>(
      count_if(folder.results(), [](const auto &entry) { return entry.second.isFinding(); }));
}

namespace {
/// Adds the time of processors that pass while it lives to a stage.
class StageClock {
public:
  StageClock(StageTimes &times, StringRef stage)
      : m_time(times[stage.str()]), m_began(readCpuTime()) {}
  ~StageClock() { m_time += readCpuTime() - m_began; }
  StageClock(const StageClock &) = delete;
  StageClock &operator=(const StageClock &) = delete;

private:
  std::chrono::microseconds &m_time;
  std::chrono::microseconds m_began;
};
} // namespace

/// Appends the verdicts of compileAgain() on those cases of \p batch that it is for.
static Error addCompiledAgain(const Batch &batch, const CampaignOptions &options,
                              const PoolOptions &pool, std::vector<Verdict> &verdicts) {
  if (options.again == 0)
    return Error::success();
  std::vector<CompiledAgain> cases;
  for (auto [number, file] : zip_equal(batch.numbers, batch.files))
    if (number % options.again == 0)
      cases.push_back({file, number / options.again});
  Expected<std::vector<Verdict>> found =
      compileAgain(makeAgainJobs(cases, options.diff), options.diff, pool);
  if (!found)
    return found.takeError();
  append_range(verdicts, std::move(*found));
  return Error::success();
}

/// The cases of those of \p results that are findings, for people.
static Expected<std::vector<CampaignCase>> printFindings(const CampaignOptions &options,
                                                         ArrayRef<CampaignResult> results) {
  std::vector<CampaignCase> cases(results.size());
  for (auto [result, printed] : zip_equal(results, cases))
    if (result.isFinding())
      if (Error error = makeCampaignCase(options, result.number).moveInto(printed))
        return std::move(error);
  return cases;
}

/// Runs the cases, adds their results to \p folder, and removes them from inflight/. Environment
/// for a verdict that is a tool error; the results of the batch are then not kept.
static Error runBatch(CampaignFolder &folder, const CampaignOptions &options,
                      const PoolOptions &pool, const Batch &batch) {
  Expected<Report> report = runDiff(batch.files, options.diff, pool);
  if (!report)
    return report.takeError();
  if (Error error = addCompiledAgain(batch, options, pool, report->verdicts))
    return error;
  // What the tool could not do is no result of a case: the batch is to be run again.
  for (const Verdict &verdict : report->verdicts)
    if (verdict.state == State::ToolError)
      return environmentError("case " + verdict.caseId + ": " + verdict.reason);
  StageClock clock(*pool.times, "keep");
  std::vector<CampaignResult> results = sortVerdicts(batch, std::move(report->verdicts));
  Expected<std::vector<CampaignCase>> findings = printFindings(options, results);
  if (!findings)
    return findings.takeError();
  if (Error error = folder.add(std::move(results), *findings))
    return error;
  for (const CaseFile &file : batch.files)
    sys::fs::remove(file.path);
  return Error::success();
}

/// Of real time.
static uint64_t microsecondsSince(std::chrono::steady_clock::time_point begin) {
  auto spent = std::chrono::steady_clock::now() - begin;
  return static_cast<uint64_t>(
      std::chrono::duration_cast<std::chrono::microseconds>(spent).count());
}

/// Runs a batch and notes it in \p journal; what it took is added to the times of \p pool.
static Error runNotedBatch(CampaignFolder &folder, Journal &journal, const CampaignOptions &options,
                           const PoolOptions &pool, ArrayRef<uint64_t> numbers) {
  auto begin = std::chrono::steady_clock::now();
  BatchTimes times;
  PoolOptions timed = pool;
  timed.times = &times.stages;
  timed.caseTimes = &times.cases;
  Expected<Batch> batch = [&] {
    StageClock clock(times.stages, "generate");
    return writeBatch(folder, options, numbers);
  }();
  if (!batch)
    return batch.takeError();
  if (Error error = runBatch(folder, options, timed, *batch))
    return error;
  for (const auto &[stage, time] : times.stages)
    (*pool.times)[stage] += time;
  CampaignBatch note;
  std::vector<std::pair<uint64_t, std::string>> ids;
  for (uint64_t number : numbers)
    ids.emplace_back(number, campaignCaseId(options.seed, number));
  noteTimes(note, times, ids);
  note.features.assign(batch->features.begin(), batch->features.end());
  note.wallMicroseconds = microsecondsSince(begin);
  note.timeMs = static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::milliseconds>(
                                          std::chrono::system_clock::now().time_since_epoch())
                                          .count());
  return journal.append(std::move(note));
}

/// Takes away what a process that was killed left in inflight/: the cases of a batch that was kept,
/// and files half written.
static Error removeLeftovers(const CampaignFolder &folder) {
  std::error_code code;
  if (!sys::fs::is_directory(folder.inflight()))
    return Error::success();
  for (sys::fs::directory_iterator each(folder.inflight(), code), end; each != end && !code;
       each.increment(code)) {
    uint64_t number = 0;
    StringRef id = sys::path::stem(each->path());
    if (id.rsplit('-').second.getAsInteger(10, number) || folder.has(number))
      sys::fs::remove(each->path());
  }
  return code ? environmentError(folder.inflight() + ": " + code.message()) : Error::success();
}

Expected<CampaignSummary> assay::runCampaign(CampaignFolder &folder, const CampaignOptions &options,
                                             const CampaignShard &shard, PoolOptions pool,
                                             function_ref<void(uint64_t, uint64_t)> progress) {
  using Clock = std::chrono::steady_clock;
  Clock::time_point start = Clock::now();
  Expected<Journal> journal = Journal::open(folder.path(), shard.index, shard.count);
  if (!journal)
    return journal.takeError();
  if (Error error = removeLeftovers(folder))
    return std::move(error);
  TerminationNote termination;
  MissingCases missing(folder, options, shard);
  const uint64_t total = missing.count();
  CampaignSummary summary;
  pool.stopRequested = &summary.wasStopped;
  pool.times = &summary.times;
  while (!summary.wasStopped) {
    std::chrono::duration<double> spent = Clock::now() - start;
    if (summary.ran && shard.maxSeconds > 0 && spent.count() >= shard.maxSeconds)
      break;
    std::vector<uint64_t> batch = missing.take(std::max(shard.batch, 1u));
    if (batch.empty())
      break;
    if (Error error = runNotedBatch(folder, *journal, options, pool, batch))
      return std::move(error);
    summary.ran += batch.size();
    summary.wasStopped |= termination.get();
    progress(summary.ran, total);
  }
  summary.findings = countFindings(folder);
  if (Error error = folder.finish())
    return std::move(error);
  return summary;
}
