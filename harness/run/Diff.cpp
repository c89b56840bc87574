// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/run/Diff.h"

#include "compiler/api/Target.h"
#include "harness/run/Rerun.h"
#include "harness/run/Retry.h"
#include "harness/run/WorkFolder.h"
#include "support/Error.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"

using namespace llvm;
using namespace assay;

namespace {

/// A verdict to come: from a job, or known already.
struct Planned {
  Verdict verdict;
  std::optional<size_t> job;
};

/// What the reference run of a case leaves for the machines.
struct Reference {
  std::optional<Verdict> verdict; ///< Nothing when the reference was not chosen.
  std::string outcomeFile;
  std::string note;
};

class Diff {
public:
  Diff(ArrayRef<CaseFile> cases, const DiffOptions &options, const PoolOptions &pool,
       const WorkFolder &folder)
      : m_cases(cases), m_options(options), m_pool(pool), m_folder(folder) {}

  Expected<std::vector<Verdict>> run();

private:
  Error runReferences();
  Error runMachines();
  void planCase(size_t index);
  void plan(const Reference &reference, Job job);
  PoolOptions poolWith(size_t before, size_t total) const;

  ArrayRef<CaseFile> m_cases;
  const DiffOptions &m_options;
  const PoolOptions &m_pool;
  const WorkFolder &m_folder;
  std::vector<Reference> m_references;
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
  for (const Plant &plant : options.plants)
    if (plant.caseName.empty() || matchesCase(file.id, plant.caseName))
      job.plants.push_back(plant.fault);
  return job;
}

std::optional<std::string> assay::whyNotBuilt(const Job &job) {
  if (!needsCompiler(job.machine))
    return std::nullopt;
  if (job.machine != "gcn")
    return "machine '" + job.machine + "' is not built yet";
  if (job.compiler != "assay" && job.compiler != "command")
    return "peer compiler '" + job.compiler + "' is not connected to diff yet";
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
  m_references.resize(m_cases.size());
  if (!is_contained(m_options.machines, "spirv")) {
    for (Reference &reference : m_references)
      reference.note = "the reference machine was not chosen";
    return Error::success();
  }
  std::vector<Job> jobs;
  for (size_t i = 0; i < m_cases.size(); ++i) {
    Job job = makeCaseJob(m_cases[i], m_options);
    job.machine = "spirv";
    job.keepOutcome = true;
    job.folder = m_folder.jobFolder("reference", i);
    job.rerun = describeRerun(job);
    jobs.push_back(std::move(job));
  }
  size_t configurations = m_options.compilers.size() * m_options.targets.size() *
                          m_options.levels.size() * m_options.waves.size();
  size_t perCase = 0;
  for (const std::string &machine : m_options.machines)
    perCase += needsCompiler(machine) ? configurations : 1;
  Expected<std::vector<Verdict>> verdicts =
      runJobsSteadily(jobs, poolWith(0, m_cases.size() * perCase), m_options.retries);
  if (!verdicts)
    return verdicts.takeError();
  for (size_t i = 0; i < jobs.size(); ++i) {
    Reference &reference = m_references[i];
    Verdict &verdict = (*verdicts)[i];
    bool completed = verdict.state == State::Pass || verdict.state == State::Fail;
    if (completed && sys::fs::exists(jobs[i].outcomeFile()))
      reference.outcomeFile = jobs[i].outcomeFile();
    else
      reference.note = "the reference is " + stateName(verdict.state).str() + ": " + verdict.reason;
    reference.verdict = std::move(verdict);
  }
  return Error::success();
}

void Diff::plan(const Reference &reference, Job job) {
  job.rerun = describeRerun(job);
  Planned planned;
  if (std::optional<std::string> reason = whyNotBuilt(job)) {
    planned.verdict = makeVerdict(job, State::Unsupported, *reason);
  } else if (reference.verdict && reference.verdict->state == State::Invalid) {
    planned.verdict = makeVerdict(job, State::Invalid, reference.verdict->reason);
  } else {
    job.compare = true;
    job.referenceFile = reference.outcomeFile;
    job.referenceNote = reference.note;
    job.folder = m_folder.jobFolder("job", m_jobs.size());
    planned.job = m_jobs.size();
    m_jobs.push_back(std::move(job));
  }
  m_plan.push_back(std::move(planned));
}

void Diff::planCase(size_t index) {
  m_planOfCase.push_back(m_plan.size());
  Job job = makeCaseJob(m_cases[index], m_options);
  for (const std::string &machine : m_options.machines) {
    job.machine = machine;
    if (machine != "spirv" && !needsCompiler(job.machine))
      plan(m_references[index], job);
  }
  for (const std::string &compiler : m_options.compilers)
    for (const std::string &machine : m_options.machines)
      for (const std::string &target : m_options.targets)
        for (int level : m_options.levels)
          for (unsigned wave : m_options.waves) {
            job.machine = machine;
            if (!needsCompiler(job.machine))
              continue; // The reference, or planned above.
            job.compiler = compiler;
            job.command = compiler == "command" ? m_options.command : std::vector<std::string>();
            job.machine = machine;
            job.target = target;
            job.optLevel = level;
            job.waveSize = wave;
            plan(m_references[index], job);
          }
}

Error Diff::runMachines() {
  for (size_t i = 0; i < m_cases.size(); ++i)
    planCase(i);
  m_planOfCase.push_back(m_plan.size());
  size_t before = m_cases.size() + m_plan.size() - m_jobs.size();
  Expected<std::vector<Verdict>> verdicts =
      runJobsSteadily(m_jobs, poolWith(before, m_cases.size() + m_plan.size()), m_options.retries);
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
    if (std::optional<Verdict> &reference = m_references[i].verdict)
      verdicts.push_back(std::move(*reference));
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
  Expected<std::unique_ptr<WorkFolder>> folder = WorkFolder::create(options.workFolder);
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
