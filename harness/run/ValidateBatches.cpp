// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/run/ValidateBatches.h"

#include "reports/VerdictJson.h"
#include "support/Error.h"
#include "support/File.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;
using namespace assay;

namespace {

/// Runs rounds until each file has a verdict. A round makes progress because each worker that dies
/// is blamed on a file, or the file runs alone with the whole time in the next round.
class Batches {
public:
  /// All files are left to be judged at first.
  Batches(ArrayRef<std::string> files, const ValidateBatchOptions &options,
          const WorkFolder &folder)
      : m_files(files), m_options(options), m_folder(folder), m_verdicts(files.size()),
        m_left(files.size()) {
    for (size_t i = 0; i < files.size(); ++i)
      m_left[i] = i;
  }

  /// Verdicts in the order of the files.
  Expected<std::vector<Verdict>> run();

private:
  /// Splits the files without a verdict into batches of equal size, at least one for each process.
  std::vector<Job> makeJobs();
  /// Takes the verdicts that \p job left; gives the number of files that have one now.
  size_t takeLines(const Job &job, size_t first);
  /// \p afterOthers: the worker judged other files before it ended.
  size_t blame(const Verdict &end, size_t first, size_t count, bool afterOthers);
  /// Runs all batches once and removes the files that have a verdict from m_left.
  Error runRound();

  ArrayRef<std::string> m_files;
  const ValidateBatchOptions &m_options;
  const WorkFolder &m_folder;
  std::vector<Verdict> m_verdicts;
  std::vector<size_t> m_left; ///< Files without a verdict, ascending.
  unsigned m_round = 0;
};

} // namespace

/// Divides the files that are left among the processes, at most filesPerWorker each.
std::vector<Job> Batches::makeJobs() {
  size_t processes = std::max(1u, m_options.pool.processes);
  size_t size = std::clamp<size_t>(divideCeil(m_left.size(), processes), 1,
                                   std::max<size_t>(m_options.filesPerWorker, 1));
  std::vector<Job> jobs;
  for (size_t first = 0; first < m_left.size(); first += size) {
    Job job;
    job.kind = JobKind::Validate;
    job.ruleOptions = m_options.ruleOptions;
    job.plants = m_options.plants;
    job.limits = m_options.limits;
    for (size_t index : ArrayRef(m_left).slice(first, std::min(size, m_left.size() - first)))
      job.files.push_back(m_files[index]);
    job.caseId = job.files.front();
    job.folder = m_folder.jobFolder("validate" + std::to_string(m_round), jobs.size());
    jobs.push_back(std::move(job));
  }
  return jobs;
}

/// Takes the verdicts that the job has written, and returns their number. \p first is the place of
/// its first file among those left. A line that cannot be read ends the list.
size_t Batches::takeLines(const Job &job, size_t first) {
  Expected<std::string> text = readFileText(job.verdictsFile());
  if (!text) {
    consumeError(text.takeError()); // It died before it wrote any.
    return 0;
  }
  size_t count = 0;
  StringRef rest = *text;
  while (count < job.files.size() && rest.contains('\n')) {
    auto [line, more] = rest.split('\n');
    rest = more;
    Expected<json::Value> value = json::parse(line);
    Expected<Verdict> verdict = value ? readVerdict(*value) : Expected<Verdict>(value.takeError());
    if (!verdict) {
      consumeError(verdict.takeError());
      break;
    }
    m_verdicts[m_left[first + count++]] = std::move(*verdict);
  }
  return count;
}

/// Gives files without a verdict, \p count of them from \p first of m_left on, the \p end of their
/// worker. Returns how many: the next in order is the one that the worker did not survive.
size_t Batches::blame(const Verdict &end, size_t first, size_t count, bool afterOthers) {
  if (count == 0)
    return 0;
  // A file has the whole time to itself before it is said to take too long.
  if (end.state == State::Timeout && afterOthers)
    return 0;
  size_t blamed = end.state == State::ToolError ? count : 1;
  for (size_t index : ArrayRef(m_left).slice(first, blamed)) {
    Verdict &verdict = m_verdicts[index];
    verdict = end;
    verdict.caseId = m_files[index];
    if (end.state == State::Pass) {
      verdict.state = State::ToolError;
      verdict.reason = "the worker left no verdict";
    }
  }
  return blamed;
}

/// Runs all batches once. Files after one that killed its worker are left for the next round.
Error Batches::runRound() {
  std::vector<Job> jobs = makeJobs();
  PoolOptions pool = m_options.pool;
  size_t before = m_files.size() - m_left.size();
  if (m_options.pool.progress)
    pool.progress = [&](size_t done, size_t total) {
      m_options.pool.progress(before + m_left.size() * done / std::max<size_t>(total, 1),
                              m_files.size());
    };
  Expected<std::vector<Verdict>> ends = runJobs(jobs, pool);
  if (!ends)
    return ends.takeError();
  std::vector<size_t> left;
  size_t first = 0;
  for (auto [job, end] : zip_equal(jobs, *ends)) {
    size_t done = takeLines(job, first);
    size_t blamed = blame(end, first + done, job.files.size() - done, done != 0);
    size_t next = done + blamed;
    append_range(left, ArrayRef(m_left).slice(first + next, job.files.size() - next));
    first += job.files.size();
  }
  m_left = std::move(left);
  ++m_round;
  return Error::success();
}

/// Each round judges or blames at least one file of each batch, so that it ends.
Expected<std::vector<Verdict>> Batches::run() {
  while (!m_left.empty())
    if (Error error = runRound())
      return std::move(error);
  return std::move(m_verdicts);
}

/// The verdicts are in the order of the files.
Expected<std::vector<Verdict>> assay::validateInBatches(ArrayRef<std::string> files,
                                                        const ValidateBatchOptions &options,
                                                        const WorkFolder &folder) {
  return Batches(files, options, folder).run();
}
