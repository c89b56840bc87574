// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rounds: each fault that is not settled is tried on one more case; all of a round together, on one
// configuration.
#include "harness/score/Score.h"

#include "harness/campaign/CampaignFolder.h"
#include "harness/campaign/Relocate.h"
#include "harness/score/Detections.h"
#include "harness/score/ModuleTrials.h"
#include "harness/score/Survey.h"
#include "support/Error.h"
#include "support/File.h"
#include "llvm/ADT/STLExtras.h"
#include <chrono>
#include <set>

using namespace llvm;
using namespace assay;

using Clock = std::chrono::steady_clock;

namespace {

/// Oracle faults show only where the oracle has something to report: another fault, planted with
/// it, which that oracle is known to catch.
struct Silence {
  Fault oracleFault;
  Fault known;
  StringLiteral oracle;
};

/// One fault on its way.
struct Task {
  FaultScore score;
  std::vector<size_t> cases; ///< In the order in which to try them.
  size_t next = 0;           ///< In cases.
  std::set<ScoreItem> tried;
  bool isWanted = true; ///< Else it is only the company of another one.
  bool isDone = false;
};

/// Of one round: a task and the item that it is tried on.
struct Trial {
  Task *task;
  ScoreItem item;
};

/// One score. A fault is settled when it was caught often enough, or when nothing is left to try.
class Scorer {
public:
  Scorer(ArrayRef<CaseFile> cases, const ScoreOptions &options, const PoolOptions &pool,
         function_ref<void(size_t, size_t)> progress)
      : m_options(options), m_survey(cases, options, pool), m_modules(options, pool),
        m_progress(progress) {}

  /// As runScore().
  Expected<Score> run();

private:
  /// Makes a task for each wanted fault and for the known faults of silences. InvalidInput for a
  /// fault that does not exist.
  Error makeTasks();
  /// Orders the cases of the task: those that reach the fault first.
  void addTask(const FaultInfo &fault, bool isWanted);
  /// Null if the score has no task for it.
  Task *findTask(Fault fault);
  /// Opens the folder of findings, if one is wanted. InvalidInput if it has findings already.
  Error openFolder();
  std::optional<ScoreItem> nextItem(Task &task, size_t configuration) const;
  /// Tries each open task on one more case on \p configuration.
  Error runRound(size_t configuration);
  /// Runs \p trials with their faults; for those that report something it also makes sure that the
  /// clean run is known.
  Error tryAll(ArrayRef<Trial> trials);
  /// Notes a catch where the verdicts have a detection that the clean run does not have, or a
  /// control has lost one.
  Error judgeTrial(Task &task, const ScoreItem &item, ArrayRef<Verdict> verdicts);
  /// Counts the finding; the first one is described in the score.
  Error noteCatch(Task &task, const ScoreItem &item, ArrayRef<Verdict> verdicts,
                  ArrayRef<Detection> detections);
  /// Adds the case and its bad verdicts to the folder of findings, if there is one.
  Error keepFinding(const Task &task, const ScoreItem &item, ArrayRef<Verdict> verdicts);
  Error judgeSilence(const Silence &silence);
  Error judgeModules(Task &task);
  /// False where there is no limit.
  bool isOutOfTime() const;
  void reportProgress() const;

  const ScoreOptions &m_options;
  Survey m_survey;
  ModuleTrials m_modules;
  function_ref<void(size_t, size_t)> m_progress;
  std::vector<std::unique_ptr<Task>> m_tasks;
  std::optional<CampaignFolder> m_folder;
  /// Number of the next finding.
  uint64_t m_kept = 0;
  Clock::time_point m_start = Clock::now();
};

} // namespace

static constexpr Silence silences[] = {
    {Fault::SilentRules, Fault::UserDataLimit, "validate-elf"},
    {Fault::SilentSanitizer, Fault::WaitLoads, "sanitizer"},
    {Fault::SilentComparison, Fault::WrongSubtract, "REF-DIFF"},
    {Fault::SilentFatPointers, Fault::FatPieceOffset, "fat-pointers"}};

/// Name of the oracle where a report is missing.
static constexpr StringLiteral controlOracle = "control";

/// Of the workers; one that died said nothing, and had its time.
static double secondsOf(ArrayRef<Verdict> verdicts, const JobLimits &limits) {
  uint64_t milliseconds = 0;
  for (const Verdict &verdict : verdicts) {
    milliseconds += verdict.state == State::Timeout ? limits.timeoutMs : 0;
    milliseconds += verdict.facts.workerMilliseconds.value_or(0);
  }
  return static_cast<double>(milliseconds) / 1000;
}

/// Whether the fault silences an oracle.
static bool isSilence(const FaultInfo &fault) {
  return any_of(silences,
                [&](const Silence &row) { return &faultInfo(row.oracleFault) == &fault; });
}

void Scorer::addTask(const FaultInfo &fault, bool isWanted) {
  auto task = std::make_unique<Task>();
  task->score.fault = &fault;
  task->isWanted = isWanted;
  task->cases = m_survey.casesReaching(fault.name);
  task->score.reaching = task->cases.size();
  // Another configuration may reach what this one does not.
  for (size_t index : m_survey.allCases())
    if (!is_contained(task->cases, index))
      task->cases.push_back(index);
  task->isDone = isSilence(fault); // Not by itself.
  m_tasks.push_back(std::move(task));
}

Task *Scorer::findTask(Fault fault) {
  for (const std::unique_ptr<Task> &task : m_tasks)
    if (task->score.fault == &faultInfo(fault))
      return task.get();
  return nullptr;
}

Error Scorer::makeTasks() {
  for (const std::string &name : m_options.faults)
    if (Error error = verifyFault(name))
      return error;
  for (const FaultInfo &fault : listFaults())
    if (m_options.faults.empty() ? fault.layer != FaultLayer::Laboratory
                                 : is_contained(m_options.faults, fault.name))
      addTask(fault, /*isWanted=*/true);
  for (const Silence &silence : silences)
    if (findTask(silence.oracleFault) && !findTask(silence.known))
      addTask(faultInfo(silence.known), /*isWanted=*/false);
  return Error::success();
}

Error Scorer::openFolder() {
  if (m_options.findingsFolder.empty())
    return Error::success();
  CampaignOptions campaign;
  campaign.profile = "score";
  campaign.diff = m_options.diff;
  Expected<CampaignFolder> folder = CampaignFolder::open(m_options.findingsFolder, campaign);
  if (!folder)
    return folder.takeError();
  if (!folder->results().empty())
    return invalidInput(m_options.findingsFolder + " has findings already");
  m_folder = std::move(*folder);
  return Error::success();
}

/// Cases in their order, again and again on further configurations; nothing when all was tried.
std::optional<ScoreItem> Scorer::nextItem(Task &task, size_t configuration) const {
  // Cases that seem not to reach the fault only when the others are done with.
  size_t reaching = task.score.reaching ? task.score.reaching : task.cases.size();
  for (size_t limit : {reaching, task.cases.size()})
    for (size_t step = 0; step < limit; ++step) {
      ScoreItem item{task.cases[(task.next + step) % limit], configuration};
      if (!task.tried.insert(item).second)
        continue;
      task.next = (task.next + step + 1) % limit;
      return item;
    }
  return std::nullopt;
}

Error Scorer::keepFinding(const Task &task, const ScoreItem &item, ArrayRef<Verdict> verdicts) {
  if (!m_folder)
    return Error::success();
  const CaseFile &file = m_survey.file(item.caseIndex);
  Expected<std::string> text = readFileText(file.path);
  if (!text)
    return text.takeError();
  CampaignResult result;
  result.number = m_kept++;
  result.id = (task.score.fault->name + "-" + Twine(task.score.findings)).str();
  for (Verdict verdict : verdicts) {
    if (!isBad(verdict.state))
      continue;
    relocateVerdict(verdict, file.path, placeOfFinding(result.id));
    verdict.facts.reachedFaults.clear();
    verdict.facts.workerMilliseconds.reset();
    result.verdicts.push_back(std::move(verdict));
  }
  return m_folder->add({std::move(result)}, {CampaignCase{std::move(*text)}});
}

/// The first findings to a fault, except for where that was.
static void noteFirst(FaultScore &score, ArrayRef<Verdict> verdicts,
                      ArrayRef<Detection> detections) {
  for (const Detection &detection : detections)
    score.oracles.push_back(detection.oracle);
  score.rule = detections.front().rule;
  const auto *bad = find_if(verdicts, [](const Verdict &each) { return isBad(each.state); });
  score.rerun = bad == verdicts.end() ? verdicts.front().rerun : bad->rerun;
}

Error Scorer::noteCatch(Task &task, const ScoreItem &item, ArrayRef<Verdict> verdicts,
                        ArrayRef<Detection> detections) {
  ++task.score.findings;
  task.isDone = task.score.findings >= m_options.findings;
  if (!task.score.isCaught()) {
    const Configuration &configuration = m_survey.configurations()[item.configuration];
    noteFirst(task.score, verdicts, detections);
    task.score.caseId = m_survey.file(item.caseIndex).id;
    task.score.target = configuration.target;
    task.score.optLevel = configuration.optLevel;
  }
  return keepFinding(task, item, verdicts);
}

Error Scorer::judgeTrial(Task &task, const ScoreItem &item, ArrayRef<Verdict> verdicts) {
  std::vector<Detection> detections = listDetections(verdicts);
  const StringSet<> &clean = m_survey.cleanRules(item);
  if (m_survey.isControl(item.caseIndex)) {
    bool isSeen =
        any_of(detections, [&](const Detection &each) { return clean.contains(each.key()); });
    detections.clear();
    // A control that nothing reports without the fault either cannot fall silent.
    if (!isSeen && !clean.empty())
      detections.push_back({controlOracle.str(), clean.begin()->getKey().str()});
  } else if (!clean.empty()) {
    detections.clear(); // It is not silent without the fault.
  }
  return detections.empty() ? Error::success() : noteCatch(task, item, verdicts, detections);
}

Error Scorer::tryAll(ArrayRef<Trial> trials) {
  std::vector<PlantedItem> items;
  for (const Trial &trial : trials) {
    StringRef fault = trial.task->score.fault->name;
    items.push_back(
        {trial.item, (fault + "/" + m_survey.file(trial.item.caseIndex).id).str(), {fault.str()}});
  }
  Expected<std::vector<std::vector<Verdict>>> verdicts = m_survey.judge(items);
  if (!verdicts)
    return verdicts.takeError();
  std::vector<ScoreItem> suspects;
  for (auto [trial, found] : zip_equal(trials, *verdicts))
    if (m_survey.isControl(trial.item.caseIndex) || !listDetections(found).empty())
      suspects.push_back(trial.item);
  if (Error error = m_survey.confirm(suspects))
    return error;
  for (auto [trial, found] : zip_equal(trials, *verdicts)) {
    ++trial.task->score.runs;
    trial.task->score.seconds += secondsOf(found, m_options.diff.limits);
    if (is_contained(suspects, trial.item))
      if (Error error = judgeTrial(*trial.task, trial.item, found))
        return error;
  }
  return Error::success();
}

bool Scorer::isOutOfTime() const {
  std::chrono::duration<double> spent = Clock::now() - m_start;
  return m_options.maxSeconds > 0 && spent.count() >= m_options.maxSeconds;
}

void Scorer::reportProgress() const {
  auto done = count_if(m_tasks, [](const std::unique_ptr<Task> &task) { return task->isDone; });
  m_progress(static_cast<size_t>(done), m_tasks.size());
}

Error Scorer::runRound(size_t configuration) {
  constexpr size_t AtOnce = 16; // Between two looks at the clock.
  std::vector<Trial> trials;
  for (const std::unique_ptr<Task> &task : m_tasks) {
    if (task->isDone)
      continue;
    std::optional<ScoreItem> item;
    if (task->score.runs < m_options.maxRuns)
      item = nextItem(*task, configuration);
    if (item)
      trials.push_back({task.get(), *item});
    // Another round may have other items, but not when all were tried.
    task->isDone =
        !item && (task->score.runs >= m_options.maxRuns ||
                  task->tried.size() == task->cases.size() * m_survey.configurations().size());
  }
  for (ArrayRef<Trial> left = trials; !left.empty() && !isOutOfTime();) {
    ArrayRef<Trial> batch = left.take_front(AtOnce);
    left = left.drop_front(batch.size());
    if (Error error = tryAll(batch))
      return error;
    reportProgress();
  }
  return Error::success();
}

/// The known fault again, where it was caught, with its oracle silenced.
Error Scorer::judgeSilence(const Silence &silence) {
  Task *task = findTask(silence.oracleFault), *known = findTask(silence.known);
  if (!task || !is_contained(known->score.oracles, silence.oracle))
    return Error::success();
  const ScoreItem *caught = nullptr;
  for (const ScoreItem &item : known->tried) {
    const Configuration &configuration = m_survey.configurations()[item.configuration];
    if (m_survey.file(item.caseIndex).id == known->score.caseId &&
        configuration.target == known->score.target &&
        configuration.optLevel == known->score.optLevel)
      caught = &item;
  }
  StringRef name = task->score.fault->name;
  Expected<std::vector<std::vector<Verdict>>> verdicts =
      m_survey.judge({{*caught,
                       (name + "/" + known->score.caseId).str(),
                       {known->score.fault->name.str(), name.str()}}});
  if (!verdicts)
    return verdicts.takeError();
  task->score.runs = 1;
  task->score.seconds = secondsOf(verdicts->front(), m_options.diff.limits);
  std::vector<Detection> detections = listDetections(verdicts->front());
  if (any_of(detections, [&](const Detection &each) { return each.oracle == silence.oracle; }))
    return Error::success();
  return noteCatch(*task, *caught, verdicts->front(),
                   {{controlOracle.str(), known->score.fault->name.str()}});
}

/// The first function that shows the fault of \p task, for the first target where one does.
Error Scorer::judgeModules(Task &task) {
  FaultScore &score = task.score;
  for (const std::string &target : m_options.diff.targets) {
    if (score.isCaught() || isOutOfTime())
      break;
    Expected<std::vector<Verdict>> bad = m_modules.judge(score.fault->name, target);
    if (!bad)
      return bad.takeError();
    ++score.runs;
    if (bad->empty())
      continue;
    score.findings = static_cast<unsigned>(bad->size());
    noteFirst(score, bad->front(), listDetections(bad->front()));
    score.caseId = bad->front().caseId;
    score.target = target;
  }
  return Error::success();
}

Expected<Score> Scorer::run() {
  if (Error error = openFolder())
    return std::move(error);
  if (Error error = m_survey.run())
    return std::move(error);
  if (Error error = makeTasks())
    return std::move(error);
  reportProgress();
  auto isOpen = [](const std::unique_ptr<Task> &task) { return !task->isDone; };
  for (size_t round = 0; any_of(m_tasks, isOpen) && !isOutOfTime(); ++round)
    if (Error error = runRound(round % m_survey.configurations().size()))
      return std::move(error);
  Score score;
  score.wasCut = any_of(m_tasks, isOpen);
  for (const Silence &silence : silences)
    if (Error error = judgeSilence(silence))
      return std::move(error);
  for (const std::unique_ptr<Task> &task : m_tasks)
    if (!m_options.modules.empty() && task->score.fault->layer == FaultLayer::FatPointer)
      if (Error error = judgeModules(*task))
        return std::move(error);
  if (m_folder)
    if (Error error = m_folder->finish())
      return std::move(error);
  for (const std::unique_ptr<Task> &task : m_tasks)
    if (task->isWanted)
      score.faults.push_back(std::move(task->score));
  score.cases = m_survey.size();
  for (const Configuration &configuration : m_survey.configurations())
    score.configurations.push_back(configuration.name());
  score.noisy = m_survey.takeNoise();
  append_range(score.noisy, m_modules.takeNoise());
  score.seconds = std::chrono::duration<double>(Clock::now() - m_start).count();
  return std::move(score);
}

Expected<Score> assay::runScore(ArrayRef<CaseFile> cases, const ScoreOptions &options,
                                const PoolOptions &pool,
                                function_ref<void(size_t, size_t)> progress) {
  return Scorer(cases, options, pool, progress).run();
}

size_t Score::countCaught() const {
  return static_cast<size_t>(
      count_if(faults, [](const FaultScore &score) { return score.isCaught(); }));
}

std::vector<std::pair<std::string, size_t>> Score::countByOracle() const {
  std::map<std::string, size_t> counts;
  for (const FaultScore &score : faults)
    for (const std::string &oracle : score.oracles)
      ++counts[oracle];
  std::vector<std::pair<std::string, size_t>> rows(counts.begin(), counts.end());
  sort(rows, [](const auto &a, const auto &b) {
    return a.second != b.second ? a.second > b.second : a.first < b.first;
  });
  return rows;
}
