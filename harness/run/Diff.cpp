// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/run/Diff.h"

#include "compiler/api/Target.h"
#include "harness/run/Configurations.h"
#include "harness/run/HashChainJobs.h"
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

/// One diff. The references run first, because the plan for machines depends on them.
class Diff {
public:
  Diff(ArrayRef<CaseFile> cases, const DiffOptions &options, const PoolOptions &pool,
       const WorkFolder &folder)
      : m_cases(cases), m_options(options), m_pool(pool), m_folder(folder),
        m_configurations(configurationsOf(options)), m_references(cases, options, folder) {}

  /// Returns for each case the verdicts of the references, then those of its plan.
  Expected<std::vector<Verdict>> run();

private:
  /// Plans all cases and runs their jobs in one pool.
  Error runMachines();
  /// Plans one job or verdict for each machine without a compiler, each configuration, and each
  /// target of hash chains.
  void planCase(size_t index);
  /// Adds the job, or a verdict where nothing has to be run: what is not built, and a case that the
  /// reference found invalid.
  void plan(size_t caseIndex, Job job);
  /// Adds a job for each target that Assay's compiler knows.
  void planHashChains(const CaseFile &file);
  /// Adds a job to the plan, in a folder of its own.
  void add(Job job);
  /// Runs the references of all cases. Progress counts all jobs of the diff.
  Error runReferences();
  /// The pool with a progress that counts \p before further jobs as done, of \p total.
  PoolOptions poolWith(size_t before, size_t total) const;

  ArrayRef<CaseFile> m_cases;
  const DiffOptions &m_options;
  const PoolOptions &m_pool;
  const WorkFolder &m_folder;
  std::vector<DiffConfiguration> m_configurations;
  References m_references;
  std::vector<Job> m_jobs;
  std::vector<Planned> m_plan;
  std::vector<size_t> m_planOfCase; ///< Where the plan of each case begins, and the end.
};

} // namespace

/// Whether \p file is the one of \p count cases; of 0, none is.
static bool isOneOf(unsigned count, const CaseFile &file) {
  return count && xxh3_64bits(file.id) % count == 0;
}

/// Fills what does not depend on compiler, machine and target. Faults that are planted for other
/// cases are left out.
Job assay::makeCaseJob(const CaseFile &file, const DiffOptions &options) {
  Job job;
  job.casePath = file.path;
  job.caseId = file.id;
  job.spirvEnv = file.spirvEnv;
  job.seed = options.seed;
  job.limits = options.limits;
  job.cacheFolder = options.cacheFolder;
  job.cachePolicy = options.cachePolicy;
  job.checksCache = options.checkCache;
  job.score = options.score;
  job.checksLowering = isOneOf(options.checkLowering, file);
  for (const Plant &plant : options.plants)
    if (plant.caseName.empty() || matchesCase(file.id, plant.caseName))
      job.plants.push_back(plant.fault);
  return job;
}

/// Returns the reference and the standard machine of each target's architecture, or that of AMD
/// GPUs without targets.
std::vector<std::string> assay::chooseMachines(ArrayRef<std::string> targets) {
  std::vector<std::string> machines = {referenceMachine.str()};
  for (StringRef target : targets)
    if (std::optional<Architecture> architecture = findArchitecture(target))
      if (std::string name = standardMachine(*architecture).name.str();
          !is_contained(machines, name))
        machines.push_back(name);
  if (machines.size() == 1)
    machines.push_back(standardMachine(Architecture::AmdGpu).name.str());
  return machines;
}

std::vector<std::string> assay::chooseTargets(ArrayRef<std::string> machines) {
  std::vector<std::string> targets;
  for (Architecture architecture : architectures())
    if (any_of(machines, [&](StringRef machine) { return machineOf(machine).runs(architecture); }))
      append_range(targets, defaultTargets(architecture));
  if (targets.empty())
    append_range(targets, defaultTargets(Architecture::AmdGpu));
  return targets;
}

std::optional<std::string> assay::whyNotBuilt(const Job &job) {
  const MachineInfo &machine = machineOf(job.machine);
  const CompilerInfo &compiler = compilerOf(job.compiler);
  if (!machine.needsCompiler())
    return std::nullopt;
  if (!machine.isBuilt)
    return "machine '" + job.machine + "' is not built yet";
  if (!findCompiler(job.compiler))
    return "compiler '" + job.compiler + "' is not built yet";
  Expected<const TargetInfo *> target = findTarget(job.target);
  if (!target)
    return takeError(target.takeError()).message;
  Architecture architecture = (*target)->architecture;
  if (!machine.runs(architecture))
    return "machine " + job.machine + " has no target '" + job.target + "'";
  bool lacksBackend = compiler.isOwn && !canCompileFor(**target);
  if (lacksBackend || !goTogether(compiler, machine, architecture))
    return "compiler '" + job.compiler + "' makes no code for machine " + job.machine;
  return std::nullopt;
}

/// Shifts the progress of a part of the jobs: \p before are done, \p total are all.
PoolOptions Diff::poolWith(size_t before, size_t total) const {
  PoolOptions pool = m_pool;
  if (m_pool.progress)
    pool.progress = [this, before, total](size_t done, size_t) {
      m_pool.progress(before + done, total);
    };
  return pool;
}

/// The number of machine jobs in the progress is an estimate at this point.
Error Diff::runReferences() {
  size_t machines = m_configurations.size();
  for (const std::string &machine : m_options.machines)
    machines += !needsCompiler(machine) && !machineOf(machine).isReference;
  return m_references.run([&](size_t before, size_t count) {
    return poolWith(before, before + count + m_cases.size() * machines);
  });
}

/// Adds a job for one case on one configuration, or its verdict if that is known without running
/// it.
void Diff::plan(size_t caseIndex, Job job) {
  StringRef reference = getReferenceOf(m_options);
  job.rerun = describeRerun(job, reference.empty() ? StringRef(referenceMachine) : reference);
  // A machine that has a subgroup size of its own is compared with a reference run of that size,
  // which its worker makes.
  const Reference &made = m_references.find(caseIndex, subgroupSizeOf(job));
  job.ownReference =
      made.verdict && !needsCompiler(job.machine) && m_references.dependsOnSize(caseIndex);
  bool isInvalid = made.verdict && made.verdict->state == State::Invalid && !job.ownReference;
  Planned planned;
  if (std::optional<std::string> reason = whyNotBuilt(job)) {
    planned.verdict = makeVerdict(job, State::Unsupported, *reason);
  } else if (job.ownReference && !machineOf(reference).isStandard) {
    planned.verdict = makeVerdict(job, State::Unsupported,
                                  "a driver's own subgroup size needs the reference spirv");
  } else if (isInvalid) {
    planned.verdict = makeVerdict(job, State::Invalid, made.verdict->reason);
  } else {
    job.compare = true;
    if (!job.ownReference) {
      job.referenceFile = made.outcomeFile;
      job.referenceNote = made.note;
    }
    add(std::move(job));
    return;
  }
  m_plan.push_back(std::move(planned));
}

/// The folder of the job has its number.
void Diff::add(Job job) {
  job.folder = m_folder.jobFolder("job", m_jobs.size());
  m_plan.push_back({Verdict(), m_jobs.size()});
  m_jobs.push_back(std::move(job));
}

/// Other cases get other mutations.
void Diff::planHashChains(const CaseFile &file) {
  constexpr HashChainOptions chains = {.pairs = 8, .mutations = {}};
  DiffOptions options = m_options;
  options.seed += xxh3_64bits(file.id) % 100000;
  for (StringRef target : m_options.targets)
    if (Expected<const TargetInfo *> info = findTarget(target))
      add(makeHashChainJob(file, target, /*other=*/"", chains, options));
    else
      consumeError(info.takeError()); // Of another compiler's architecture.
}

/// Plans machines that need no compiler first, then all configurations, then the check of hashes.
void Diff::planCase(size_t index) {
  m_planOfCase.push_back(m_plan.size());
  Job job = makeCaseJob(m_cases[index], m_options);
  for (const std::string &machine : m_options.machines) {
    job.machine = machine;
    if (!machineOf(machine).isReference && !needsCompiler(machine))
      plan(index, job);
  }
  for (const DiffConfiguration &configuration : m_configurations) {
    configuration.applyTo(job);
    job.command =
        compilerOf(job.compiler).isCommand ? m_options.command : std::vector<std::string>();
    job.schedule = m_options.schedule;
    job.schedule.checksThreads = isOneOf(m_options.checkThreads, m_cases[index]);
    plan(index, job);
  }
  if (isOneOf(m_options.checkHashes, m_cases[index]) &&
      any_of(m_options.compilers, [](StringRef name) { return compilerOf(name).isOwn; }))
    planHashChains(m_cases[index]);
}

/// Plans all cases before the first job runs. Deaths are tried again.
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

/// Returns the verdicts case by case, those of the reference first.
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

/// "0,2".
template <typename T> static std::string joinNumbers(ArrayRef<T> numbers) {
  return join(map_range(numbers, [](T number) { return std::to_string(number); }), ",");
}

/// The report has the options as text. Errors mean that the diff could not run; bad cases are
/// verdicts.
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
                    {"lowerings", join(map_range(options.lowerings, loweringName), ",")},
                    {"seed", std::to_string(options.seed)}};
  report.verdicts = std::move(*verdicts);
  return std::move(report);
}
