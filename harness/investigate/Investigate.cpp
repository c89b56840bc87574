// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/investigate/Investigate.h"

#include "harness/campaign/CampaignFolder.h"
#include "harness/reduce/Witness.h"
#include "harness/run/Child.h"
#include "harness/triage/Findings.h"
#include "reports/triage/Families.h"
#include "support/Error.h"
#include "support/File.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include <chrono>
#include <map>
#include <poll.h>
#include <set>

using namespace llvm;
using namespace assay;
using Clock = std::chrono::steady_clock;

/// Of one signature that is no wrong value so many symptoms are investigated: the others go into
/// their bucket without.
static constexpr unsigned enoughOfSignature = 3;
/// Of a step that has no time of its own.
static constexpr double mostSecondsOfStep = 600;
/// That a step may take to end after the end of its time.
static constexpr double graceSeconds = 60;

/// Of real time.
static double secondsSince(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

namespace {

/// One symptom, and how far its investigation is.
struct Task {
  InvestigatedSymptom place;
  Symptom symptom;
  std::string producer;
  Investigation state;
  std::optional<size_t> sibling; ///< Another of the case that may be the same: done before.
  bool isRunning = false;
  bool isLeft = false; ///< Not to be investigated, or not any more by this call.

  bool isOpen() const { return !isLeft && !isRunning && !state.isDone(); }
};

/// A step that runs as a child process.
struct Running {
  Child child;
  size_t task;
  Step step;
  Clock::time_point begin = Clock::now();
  double limit; ///< What the step was told; 0: nothing.
  double most;  ///< Then it is killed; 0: never.
};

/// Investigates all symptoms of a campaign. Steps of one symptom run one after the other, those of
/// different symptoms at the same time.
class Investigator {
public:
  Investigator(const DiffOptions &options, const InvestigateOptions &how)
      : m_options(options), m_how(how) {}

  /// Adds a task for each symptom of \p result, with what an earlier call has done. \p result must
  /// outlive this.
  Error addFinding(const CampaignResult &result, const std::string &folder);
  /// Runs all steps until none is left or time is up. Environment when interrupted.
  Error run();
  const InvestigateSummary &summary() const { return m_summary; }

private:
  /// Sets Task::sibling.
  void linkSiblings(size_t first);
  /// Leaves symptoms that need no investigation.
  void leaveKnown();
  /// Sets m_order.
  void order();
  /// Starts steps until as many run as may.
  Error startSteps();
  /// Starts the next step of the task, unless its sibling's result is taken instead.
  Error start(size_t task);
  /// Takes the minimal case and the facts of \p sibling over where they are the same.
  Error takeSibling(Task &task, const Task &sibling);
  Expected<bool> waitForAny();
  /// Takes the result of a step that has ended. A step that ran out of the whole call's time stays
  /// open.
  Error finish(Running &done);
  /// Notes that the step came to nothing.
  Error fail(Task &task, Step step, const std::string &why);
  /// Writes investigation.json.
  Error keep(const Task &task) const;
  std::optional<size_t> findNext() const;
  /// Of the whole call; only where it has a limit.
  double secondsLeft() const;
  bool isOver() const { return m_how.maxSeconds > 0 && secondsLeft() <= 0; }
  /// Symptoms that need no further step, those that are left included.
  size_t countDone() const;

  const DiffOptions &m_options;
  const InvestigateOptions &m_how;
  Interruption m_interruption;
  Clock::time_point m_begin = Clock::now();
  std::vector<Task> m_tasks;
  std::vector<size_t> m_order;
  std::vector<Running> m_running;
  InvestigateSummary m_summary;
};

} // namespace

Error Investigator::addFinding(const CampaignResult &result, const std::string &folder) {
  size_t first = m_tasks.size();
  for (PlacedSymptom &each : listSymptoms(result.verdicts, folder)) {
    Task task;
    task.place = {result.id, folder, each.folder, each.symptom.verdicts.front(), result.verdicts};
    task.producer = producerOf(each.symptom);
    task.symptom = std::move(each.symptom);
    if (Error error = readInvestigation(task.place.folder).moveInto(task.state))
      return error;
    bool isAlone = m_options.compilers.size() + m_options.machines.size() <= 3; // spirv, gcn.
    if (isAlone || task.producer.empty())
      task.state[Step::CompareOthers] = StepState::Done;
    m_tasks.push_back(std::move(task));
  }
  linkSiblings(first);
  return Error::success();
}

/// Those of one case, from \p first on, that have the same first wrong value and share a component.
void Investigator::linkSiblings(size_t first) {
  for (size_t i = first; i < m_tasks.size(); ++i)
    for (size_t other = first; other < i && !m_tasks[i].sibling; ++other) {
      const Task &a = m_tasks[other];
      const Task &b = m_tasks[i];
      if (!a.sibling && a.symptom.isValue() && b.symptom.isValue() &&
          !sharedComponent(a.producer, b.producer).empty() &&
          sameDifference(a.place.verdict->firstDifference, b.place.verdict->firstDifference))
        m_tasks[i].sibling = other;
    }
}

/// What symptoms of one group have in common.
static auto groupOf(const Task &task) {
  const Symptom &symptom = task.symptom;
  return std::tuple(task.producer, symptom.rule, symptom.signature, symptom.message, symptom.frames,
                    symptom.difference);
}

/// What a known bug recognizes, and what enough others are like.
void Investigator::leaveKnown() {
  std::map<decltype(groupOf(m_tasks.front())), unsigned> uses;
  for (Task &task : m_tasks) {
    if (task.state.isDone()) {
      ++m_summary.earlier;
      ++uses[groupOf(task)];
    }
  }
  for (Task &task : m_tasks) {
    if (task.state.isDone())
      continue;
    bool isKnown = m_how.isKnown && m_how.isKnown(task.symptom);
    bool isAlike = !isKnown && !task.symptom.isValue() && !task.symptom.signature.empty() &&
                   uses[groupOf(task)]++ >= enoughOfSignature;
    task.isLeft = isKnown || isAlike;
    m_summary.known += isKnown;
    m_summary.alike += isAlike;
  }
}

/// The first of each group before the second of any: what is different is worth more.
void Investigator::order() {
  std::map<decltype(groupOf(m_tasks.front())), unsigned> uses;
  std::vector<std::pair<unsigned, size_t>> ranked;
  for (auto [index, task] : enumerate(m_tasks))
    ranked.emplace_back(uses[groupOf(task)]++, index);
  llvm::sort(ranked);
  for (const auto &[rank, index] : ranked)
    m_order.push_back(index);
}

double Investigator::secondsLeft() const {
  return m_how.maxSeconds - secondsSince(m_begin);
}

size_t Investigator::countDone() const {
  return static_cast<size_t>(
      count_if(m_tasks, [](const Task &task) { return task.state.isDone() || task.isLeft; }));
}

/// What was begun goes before what was not.
std::optional<size_t> Investigator::findNext() const {
  std::optional<size_t> first;
  for (size_t index : m_order) {
    const Task &task = m_tasks[index];
    bool isWaiting = task.sibling && m_tasks[*task.sibling].isRunning;
    bool isEarly = task.sibling && m_tasks[*task.sibling].isOpen();
    if (!task.isOpen() || isWaiting || isEarly)
      continue;
    if (task.state[Step::Minimize] != StepState::Open)
      return index;
    first = first ? first : index;
  }
  return first;
}

Error Investigator::keep(const Task &task) const {
  return writeFile(task.place.folder + "/investigation.json",
                   StringRef(printInvestigation(task.state)));
}

/// Steps after one that failed have nothing to work on; but what was not localized may be
/// compared.
Error Investigator::fail(Task &task, Step step, const std::string &why) {
  task.state[step] = StepState::Failed;
  if (step == Step::Minimize)
    task.state.states.fill(StepState::Failed);
  task.state.note = why;
  m_summary.problems.push_back(task.place.caseId +
                               (task.producer.empty() ? "" : " by " + task.producer) + ": " + why);
  m_summary.now += task.state.isDone();
  return keep(task);
}

/// Where the minimal case of the sibling goes wrong in the same way with this producer, it is the
/// minimal case of this one, too.
Error Investigator::takeSibling(Task &task, const Task &sibling) {
  std::string minimal = sibling.place.folder + "/minimal/minimal.amber";
  std::string path = sibling.place.folder + "/facts.json";
  if (!sys::fs::exists(path) || !sys::fs::exists(minimal))
    return Error::success();
  Expected<std::string> text = readFileText(path), minimalText = readFileText(minimal);
  if (Error error = joinErrors(text.takeError(), minimalText.takeError()))
    return error;
  Expected<Facts> facts = parseFacts(*text);
  if (!facts)
    return facts.takeError();
  if (!is_contained(facts->shownBy, task.producer))
    return Error::success();
  std::replace(facts->shownBy.begin(), facts->shownBy.end(), task.producer, sibling.producer);
  facts->pass.clear(); // Of the other compiler.
  if (Error error =
          writeFile(task.place.folder + "/minimal/minimal.amber", StringRef(*minimalText)))
    return error;
  if (Error error = writeFile(task.place.folder + "/facts.json", StringRef(printFacts(*facts))))
    return error;
  task.state.states.fill(StepState::Done);
  task.state.note = "the minimal case is that of " + sibling.producer;
  ++m_summary.now;
  return keep(task);
}

/// The lesser of two limits, of which 0 is none.
static double lesser(double a, double b) {
  return a <= 0 ? b : b <= 0 ? a : std::min(a, b);
}

Error Investigator::start(size_t index) {
  Task &task = m_tasks[index];
  if (task.sibling && task.state[Step::Minimize] == StepState::Open)
    if (Error error = takeSibling(task, m_tasks[*task.sibling]))
      return error;
  std::optional<Step> step = task.state.next();
  if (!step)
    return Error::success();
  if (*step == Step::Minimize)
    if (Error error = preparePredicate(task.place, m_options)) {
      ErrorParts parts = takeError(std::move(error));
      return parts.kind == ErrorKind::InvalidInput
                 ? fail(task, *step, parts.message)
                 : make_error<AssayError>(parts.kind, parts.message);
    }
  double limit = 0;
  if (*step == Step::Minimize)
    limit =
        lesser(m_how.maxSecondsOfFinding, m_how.maxSeconds > 0 ? std::max(secondsLeft(), 1.0) : 0);
  ChildStart start;
  start.program = m_how.program;
  start.arguments = makeArguments(*step, task.place, m_options, limit);
  start.errorFile = task.place.folder + "/investigation.log";
  start.limits.memoryBytes = m_how.memoryBytes;
  Expected<Child> child = Child::start(start);
  if (!child)
    return child.takeError();
  task.isRunning = true;
  double most =
      *step == Step::Minimize
          ? (limit > 0 ? limit + graceSeconds : 0)
          : lesser(mostSecondsOfStep,
                   m_how.maxSeconds > 0 ? std::max(secondsLeft(), 0.0) + graceSeconds : 0);
  m_running.push_back({std::move(*child), index, *step, Clock::now(), limit, most});
  return Error::success();
}

Error Investigator::startSteps() {
  while (m_running.size() < std::max(m_how.jobs, 1u) && !isOver()) {
    std::optional<size_t> next = findNext();
    if (!next)
      break;
    if (Error error = start(*next))
      return error;
  }
  return Error::success();
}

/// The last line of what a step said.
static std::string lastLineOf(const std::string &path) {
  Expected<std::string> text = readFileText(path);
  if (!text) {
    consumeError(text.takeError());
    return "";
  }
  StringRef line = StringRef(*text).rtrim().rsplit('\n').second;
  line = line.empty() ? StringRef(*text).rtrim() : line;
  line.consume_front("assay: ");
  return line.str();
}

/// Why a step that ended like \p end left nothing; empty: it left something.
static std::string whyNothing(Step step, const WorkerEnd &end, const std::string &log) {
  if (end.kind == WorkerEnd::Kind::Exited) {
    bool isGood = end.code == 0 || (step == Step::CompareOthers && end.code != 2 && end.code != 3);
    std::string said = isGood ? "" : lastLineOf(log);
    return !isGood && said.empty() ? "ended with " + std::to_string(end.code) : said;
  }
  if (end.kind == WorkerEnd::Kind::Signalled)
    return "ended by signal " + std::to_string(end.code);
  return end.kind == WorkerEnd::Kind::OverMemory ? "out of memory" : "not started: " + end.message;
}

Error Investigator::finish(Running &done) {
  static constexpr StringLiteral names[] = {"minimize", "localize", "comparing with others"};
  Task &task = m_tasks[done.task];
  double seconds = secondsSince(done.begin);
  bool wasKilled = done.most > 0 && seconds >= done.most;
  WorkerEnd end = done.child.reap();
  task.isRunning = false;
  task.state.seconds += seconds;
  bool isForTime = isOver() && (wasKilled || (done.limit > 0 && seconds >= done.limit));
  if (isForTime) {
    task.isLeft = true;
    return keep(task);
  }
  std::string name = names[static_cast<size_t>(done.step)].str();
  std::string log = task.place.folder + "/investigation.log";
  std::string why = wasKilled ? "out of time" : whyNothing(done.step, end, log);
  if (!why.empty())
    return fail(task, done.step, name + ": " + why);
  if (Error error = takeResult(done.step, task.place)) {
    ErrorParts parts = takeError(std::move(error));
    if (parts.kind != ErrorKind::InvalidInput)
      return make_error<AssayError>(parts.kind, parts.message);
    return fail(task, done.step, name + ": " + parts.message);
  }
  (void)sys::fs::remove(log); // It may not have been made.
  task.state[done.step] = StepState::Done;
  m_summary.now += task.state.isDone();
  return keep(task);
}

/// Waits until a step has ended, or a second; finishes those that have. False: interrupted.
Expected<bool> Investigator::waitForAny() {
  constexpr int MostMilliseconds = 1000;
  std::vector<pollfd> ends;
  ends.reserve(m_running.size());
  for (const Running &each : m_running)
    ends.push_back({each.child.descriptor(), POLLIN, 0});
  ::poll(ends.data(), ends.size(), MostMilliseconds);
  if (m_interruption.get())
    return false;
  for (size_t i = m_running.size(); i-- > 0;) {
    Running &each = m_running[i];
    bool isLate = each.most > 0 && secondsSince(each.begin) >= each.most;
    if (isLate)
      each.child.kill();
    if (!isLate && !(ends[i].revents & POLLIN))
      continue;
    if (Error error = finish(each))
      return std::move(error);
    m_running.erase(m_running.begin() + static_cast<ptrdiff_t>(i));
  }
  return true;
}

Error Investigator::run() {
  m_summary.symptoms = m_tasks.size();
  if (m_tasks.empty())
    return Error::success();
  leaveKnown();
  order();
  while (true) {
    if (Error error = startSteps())
      return error;
    if (m_how.progress)
      m_how.progress(countDone(), m_tasks.size());
    if (m_running.empty())
      break;
    Expected<bool> goesOn = waitForAny();
    if (!goesOn)
      return goesOn.takeError();
    if (!*goesOn)
      return environmentError(m_interruption.describe() + "; the same command goes on");
  }
  m_summary.pending = static_cast<size_t>(count_if(
                          m_tasks, [](const Task &task) { return !task.state.isDone(); })) -
                      m_summary.known - m_summary.alike;
  llvm::sort(m_summary.problems);
  return Error::success();
}

Expected<InvestigateSummary> assay::investigate(const std::string &folder,
                                                const InvestigateOptions &options) {
  Expected<CampaignFolder> campaign = CampaignFolder::read(folder);
  if (!campaign)
    return campaign.takeError();
  Expected<DiffOptions> run = readRunOptions(campaign->options());
  if (!run)
    return run.takeError();
  Investigator investigator(*run, options);
  for (const auto &[number, result] : campaign->results())
    if (result.isFinding())
      if (Error error = investigator.addFinding(result, folder + "/findings/" + result.id))
        return std::move(error);
  if (Error error = investigator.run())
    return std::move(error);
  return investigator.summary();
}
