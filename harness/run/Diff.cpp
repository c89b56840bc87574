// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/run/Diff.h"

#include "compiler/api/Target.h"
#include "harness/run/References.h"
#include "harness/run/Rerun.h"
#include "harness/run/Retry.h"
#include "harness/run/WorkFolder.h"
#include "support/Error.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/xxhash.h"

using namespace llvm;
using namespace assay;

namespace {

/// A verdict to come: from a job, or known already.
struct Planned {
  Verdict verdict;
  std::optional<size_t> job;
};

class Diff {
public:
  Diff(ArrayRef<CaseFile> cases, const DiffOptions &options, const PoolOptions &pool,
       const WorkFolder &folder)
      : m_cases(cases), m_options(options), m_pool(pool), m_folder(folder),
        m_references(cases, options, folder) {}

  Expected<std::vector<Verdict>> run();

private:
  Error runMachines();
  void planCase(size_t index);
  void plan(size_t caseIndex, Job job);
  Error runReferences();
  PoolOptions poolWith(size_t before, size_t total) const;

  ArrayRef<CaseFile> m_cases;
  const DiffOptions &m_options;
  const PoolOptions &m_pool;
  const WorkFolder &m_folder;
  References m_references;
  std::vector<Job> m_jobs;
  std::vector<Planned> m_plan;
  std::vector<size_t> m_planOfCase; ///< Where the plan of each case begins, and the end.
};

} // namespace

Job assay::makeCaseJob(const CaseFile &file, const DiffOptions &options) {
  Job job;
  job.casePath = file.path;
  job.caseId = file.id;
  job.seed = options.seed;
  job.limits = options.limits;
  job.score = options.score;
  job.checksLowering = options.checkLowering && xxh3_64bits(file.id) % options.checkLowering == 0;
  for (const Plant &plant : options.plants)
    if (plant.caseName.empty() || matchesCase(file.id, plant.caseName))
      job.plants.push_back(plant.fault);
  return job;
}

static constexpr StringRef peerCompilers[] = {"aco", "radv-llvm"};

std::optional<std::string> assay::whyNotBuilt(const Job &job) {
  if (!needsCompiler(job.machine))
    return std::nullopt;
  if (job.machine != "gcn")
    return "machine '" + job.machine + "' is not built yet";
  if (job.compiler != "assay" && job.compiler != "command" &&
      !is_contained(peerCompilers, job.compiler))
    return "compiler '" + job.compiler + "' is not built yet";
  Expected<const TargetInfo *> target = findTarget(job.target);
  if (target)
    return std::nullopt;
  return takeError(target.takeError()).message;
}

PoolOptions Diff::poolWith(size_t before, size_t total) const {
  PoolOptions pool = m_pool;
  if (m_pool.progress)
    pool.progress = [this, before, total](size_t done, size_t) {
      m_pool.progress(before + done, total);
    };
  return pool;
}

Error Diff::runReferences() {
  size_t configurations = m_options.compilers.size() * m_options.targets.size() *
                          m_options.levels.size() * m_options.waves.size();
  size_t machines = 0;
  for (const std::string &machine : m_options.machines)
    machines += needsCompiler(machine) ? configurations : machine != "spirv";
  return m_references.run([&](size_t before, size_t count) {
    return poolWith(before, before + count + m_cases.size() * machines);
  });
}

void Diff::plan(size_t caseIndex, Job job) {
  job.rerun = describeRerun(job);
  // A machine that has a subgroup size of its own is compared with a reference run of that size,
  // which its worker makes.
  const Reference &reference = m_references.find(caseIndex, subgroupSizeOf(job));
  job.ownReference =
      reference.verdict && !needsCompiler(job.machine) && m_references.dependsOnSize(caseIndex);
  bool isInvalid =
      reference.verdict && reference.verdict->state == State::Invalid && !job.ownReference;
  Planned planned;
  if (std::optional<std::string> reason = whyNotBuilt(job)) {
    planned.verdict = makeVerdict(job, State::Unsupported, *reason);
  } else if (isInvalid) {
    planned.verdict = makeVerdict(job, State::Invalid, reference.verdict->reason);
  } else {
    job.compare = true;
    if (!job.ownReference) {
      job.referenceFile = reference.outcomeFile;
      job.referenceNote = reference.note;
    }
    job.folder = m_folder.jobFolder("job", m_jobs.size());
    planned.job = m_jobs.size();
    m_jobs.push_back(std::move(job));
  }
  m_plan.push_back(std::move(planned));
}

/// Peers have no levels: they compile once, as in a driver.
static std::vector<int> levelsOf(StringRef compiler, const std::vector<int> &levels) {
  return is_contained(peerCompilers, compiler) ? std::vector<int>{-1} : levels;
}

void Diff::planCase(size_t index) {
  m_planOfCase.push_back(m_plan.size());
  Job job = makeCaseJob(m_cases[index], m_options);
  for (const std::string &machine : m_options.machines) {
    job.machine = machine;
    if (machine != "spirv" && !needsCompiler(job.machine))
      plan(index, job);
  }
  for (const std::string &compiler : m_options.compilers)
    for (const std::string &machine : m_options.machines)
      for (const std::string &target : m_options.targets)
        for (int level : levelsOf(compiler, m_options.levels))
          for (unsigned wave : m_options.waves) {
            job.machine = machine;
            if (!needsCompiler(job.machine))
              continue; // The reference, or planned above.
            job.compiler = compiler;
            job.useLlvmLowering = m_options.useLlvmLowering && compiler == "assay";
            job.command = compiler == "command" ? m_options.command : std::vector<std::string>();
            job.target = target;
            job.optLevel = level;
            job.waveSize = wave;
            job.schedule = m_options.schedule;
            plan(index, job);
          }
}

Error Diff::runMachines() {
  for (size_t i = 0; i < m_cases.size(); ++i)
    planCase(i);
  m_planOfCase.push_back(m_plan.size());
  size_t before = m_references.count() + m_plan.size() - m_jobs.size();
  Expected<std::vector<Verdict>> verdicts = runJobsSteadily(
      m_jobs, poolWith(before, m_references.count() + m_plan.size()), m_options.retries);
  if (!verdicts)
    return verdicts.takeError();
  for (Planned &planned : m_plan)
    if (planned.job)
      planned.verdict = std::move((*verdicts)[*planned.job]);
  return Error::success();
}

Expected<std::vector<Verdict>> Diff::run() {
  if (Error error = runReferences())
    return std::move(error);
  if (Error error = runMachines())
    return std::move(error);
  std::vector<Verdict> verdicts;
  for (size_t i = 0; i < m_cases.size(); ++i) {
    for (const Reference &reference : m_references.of(i))
      if (reference.verdict)
        verdicts.push_back(*reference.verdict);
    for (size_t j = m_planOfCase[i]; j < m_planOfCase[i + 1]; ++j)
      verdicts.push_back(std::move(m_plan[j].verdict));
  }
  return std::move(verdicts);
}

template <typename T> static std::string joinNumbers(ArrayRef<T> numbers) {
  return join(map_range(numbers, [](T number) { return std::to_string(number); }), ",");
}

Expected<Report> assay::runDiff(ArrayRef<CaseFile> cases, const DiffOptions &options,
                                const PoolOptions &pool) {
  Expected<std::unique_ptr<WorkFolder>> folder =
      WorkFolder::create(options.workFolder, options.workFiles);
  if (!folder)
    return folder.takeError();
  Expected<std::vector<Verdict>> verdicts = Diff(cases, options, pool, **folder).run();
  if (!verdicts)
    return verdicts.takeError();
  Report report;
  report.verb = "diff";
  report.options = {{"compilers", join(options.compilers, ",")},
                    {"machines", join(options.machines, ",")},
                    {"targets", join(options.targets, ",")},
                    {"levels", joinNumbers(ArrayRef(options.levels))},
                    {"waves", options.waves == std::vector<unsigned>{0}
                                  ? std::string("default")
                                  : joinNumbers(ArrayRef(options.waves))},
                    {"seed", std::to_string(options.seed)}};
  report.verdicts = std::move(*verdicts);
  return std::move(report);
}
