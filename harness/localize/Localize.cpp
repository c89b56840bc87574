// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The order of the searches, and what follows from them.
#include "harness/localize/Localize.h"

#include "compiler/driver/PassWatcher.h"
#include "harness/localize/Difference.h"
#include "harness/localize/PassList.h"
#include "harness/localize/StoreTrace.h"
#include "harness/localize/Trials.h"
#include "oracles/input/CaseReader.h"
#include "oracles/machine/gcn/Launch.h"
#include "support/Error.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVectorExtras.h"

using namespace llvm;
using namespace assay;

namespace {

/// Names of what stands before all passes and behind them.
constexpr StringLiteral referencePoint = "reference", machineCodePoint = "machine code";

/// What is read of a trace.
constexpr uint64_t mostTraceBytes = uint64_t(128) << 20;

class Localizer {
public:
  Localizer(const CaseFile &file, const Predicate &predicate, const PoolOptions &pool,
            const WorkFolder &folder)
      : m_file(file), m_predicate(predicate), m_trials(file, predicate, pool, folder) {}

  Expected<Localization> run();

private:
  Error runWhole();
  bool blameOpenPass();
  bool blameByOracle();
  Error searchSnapshots();
  Error searchGate();
  void concludeFromSnapshots(const BisectResult &result);
  void concludeFromGate(const BisectResult &result);
  Error showSnapshots(uint64_t pass);
  Error showAssembly(uint64_t limit);
  Error traceStore();
  Expected<std::optional<uint64_t>> findDifference() const;
  Error search(StringRef method, ArrayRef<std::string> points, RunRevision run);
  Expected<RevisionRun> runSnapshot(StringRef point);
  Expected<RevisionRun> runGated(StringRef limit);
  void blame(const NamedPass &pass);
  const NamedPass &passAt(StringRef point) const;

  const CaseFile &m_file;
  const Predicate &m_predicate;
  Trials m_trials;
  Verdict m_whole;
  PassList m_passes;
  NamedPass m_frontEnd, m_codeGeneration;
  Localization m_result;
};

} // namespace

static uint64_t toNumber(StringRef point) {
  uint64_t number = 0;
  point.getAsInteger(10, number);
  return number;
}

static std::vector<std::string> numbersUpTo(uint64_t last) {
  std::vector<std::string> numbers;
  for (uint64_t i = 0; i <= last; ++i)
    numbers.push_back(std::to_string(i));
  return numbers;
}

void Localizer::blame(const NamedPass &pass) {
  m_result.phase = pass.phase;
  m_result.pass = pass.pass;
}

Error Localizer::runWhole() {
  JobPasses passes;
  passes.lists = true;
  Expected<Verdict> verdict = m_trials.runCode(passes);
  if (!verdict)
    return verdict.takeError();
  m_whole = std::move(*verdict);
  if (!m_predicate.matches(m_whole))
    return invalidInput("the case does not show what is to be localised: it is " +
                        stateName(m_whole.state) +
                        (m_whole.reason.empty() ? "" : ", " + m_whole.reason));
  Expected<std::vector<PassEvent>> events = m_trials.readPassEvents();
  if (!events)
    return events.takeError();
  m_passes = makePassList(*events);
  return Error::success();
}

/// A worker that died left a stage, and a pass where it compiled, that did not end.
bool Localizer::blameOpenPass() {
  std::string stage = m_trials.readStage();
  if (stage == "done")
    return false;
  blame({stage, stage, ""});
  if (stage == "compile" && !m_passes.open.pass.empty())
    blame(m_passes.open);
  m_result.evidence.push_back("the worker ended while " + m_result.pass +
                              " was at work: " + m_whole.reason);
  return true;
}

/// The oracle of the fat-pointer lowering looks at one pass alone.
bool Localizer::blameByOracle() {
  if (!StringRef(m_predicate.rule).starts_with("FAT-"))
    return false;
  auto isLowering = [](const NamedPass &each) { return each.pass == "lower-buffer-fat-pointers"; };
  auto found = find_if(m_passes.middleEnd, isLowering);
  if (found == m_passes.middleEnd.end())
    return false;
  blame(*found);
  m_result.evidence.push_back("the oracle that compares the module before and after this pass "
                              "objects: " +
                              m_whole.reason);
  return true;
}

Error Localizer::search(StringRef method, ArrayRef<std::string> points, RunRevision run) {
  LocalizeSearch search;
  search.method = method.str();
  FlakePolicy policy{m_predicate.needed, m_predicate.runs};
  Expected<BisectResult> result = bisectRevisions(points, policy, run, nullptr);
  if (result) {
    search.result = std::move(*result);
  } else {
    ErrorParts parts = takeError(result.takeError());
    if (parts.kind != ErrorKind::InvalidInput)
      return make_error<AssayError>(parts.kind, parts.message);
    search.problem = parts.message; // An end is not what it should be.
  }
  m_result.searches.push_back(std::move(search));
  return Error::success();
}

Expected<RevisionRun> Localizer::runSnapshot(StringRef point) {
  if (point == referencePoint)
    return RevisionRun{RevisionState::Good, "by definition"};
  if (point == machineCodePoint)
    return RevisionRun{RevisionState::Bad, m_whole.reason};
  JobPasses passes;
  passes.snapshot = toNumber(point);
  Expected<Verdict> verdict = m_trials.runIr(passes);
  if (!verdict)
    return verdict.takeError();
  bool isBad = verdict->state == State::Fail ||
               (verdict->state == State::Timeout && m_predicate.state == State::Timeout);
  return RevisionRun{isBad                           ? RevisionState::Bad
                     : verdict->state == State::Pass ? RevisionState::Good
                                                     : RevisionState::Skip,
                     verdict->reason};
}

Expected<RevisionRun> Localizer::runGated(StringRef limit) {
  JobPasses passes;
  passes.limit = toNumber(limit);
  Expected<Verdict> verdict = m_trials.runCode(passes);
  if (!verdict)
    return verdict.takeError();
  return RevisionRun{m_predicate.matches(*verdict)   ? RevisionState::Bad
                     : verdict->state == State::Pass ? RevisionState::Good
                                                     : RevisionState::Skip,
                     verdict->reason};
}

/// What the compiler made of the shader at each point: IR that is run as it is.
Error Localizer::searchSnapshots() {
  std::vector<std::string> points = {referencePoint.str()};
  append_range(points, numbersUpTo(m_passes.middleEnd.size()));
  points.push_back(machineCodePoint.str());
  if (Error error =
          search("snapshots", points, [&](StringRef point) { return runSnapshot(point); }))
    return error;
  const LocalizeSearch &done = m_result.searches.back();
  if (!done.problem.empty())
    return Error::success();
  concludeFromSnapshots(done.result);
  if (!done.result.isUnique() || m_result.phase != m_passes.middleEnd.front().phase)
    return Error::success();
  return showSnapshots(toNumber(done.result.suspects.front()));
}

const NamedPass &Localizer::passAt(StringRef point) const {
  if (point == machineCodePoint)
    return m_codeGeneration;
  uint64_t number = toNumber(point);
  return number == 0 ? m_frontEnd : m_passes.middleEnd[number - 1];
}

void Localizer::concludeFromSnapshots(const BisectResult &result) {
  for (StringRef point : result.suspects)
    m_result.suspects.push_back(passAt(point).pass);
  blame(passAt(result.suspects.back()));
  if (!result.isUnique()) {
    m_result.evidence.push_back("what the others of " + std::to_string(result.suspects.size()) +
                                " suspects left cannot be run");
    return;
  }
  std::string before = result.lastGood == referencePoint
                           ? "the SPIR-V itself, as the reference "
                             "runs it,"
                           : "the IR after " + passAt(result.lastGood).pass;
  m_result.evidence.push_back(before + " still does what it should; after " + m_result.pass +
                              " it does not");
}

/// With so many optional passes, the code is right; with one more it is not.
Error Localizer::searchGate() {
  if (m_passes.optional.empty())
    return Error::success();
  if (Error error = search("gate", numbersUpTo(m_passes.optional.size()),
                           [&](StringRef limit) { return runGated(limit); }))
    return error;
  const LocalizeSearch &done = m_result.searches.back();
  if (done.problem.empty())
    concludeFromGate(done.result);
  else
    m_result.evidence.push_back("no optional pass is to blame alone: an end of that search is not "
                                "what it should be");
  return Error::success();
}

void Localizer::concludeFromGate(const BisectResult &result) {
  const NamedPass &pass = m_passes.optional[toNumber(result.suspects.back()) - 1];
  m_result.evidence.push_back("without " + pass.pass + " on " + pass.unit +
                              " and the optional passes behind it, the code is right");
  // IR that was run says more: a pass may only bring a fault to light that was there before.
  bool isOpen = m_result.phase.empty() || m_result.suspects.size() > 1 ||
                (m_result.phase == codeGenerationPhase && pass.phase == codeGenerationPhase);
  if (!isOpen)
    return;
  blame(pass);
  m_result.function = StringRef(pass.unit).rsplit(' ').second.trim("()").str();
  m_result.suspects.clear();
  for (StringRef limit : result.suspects)
    m_result.suspects.push_back(m_passes.optional[toNumber(limit) - 1].pass);
}

Error Localizer::showSnapshots(uint64_t pass) {
  JobPasses passes;
  passes.lists = true;
  std::string texts[2];
  for (unsigned i = 0; i < 2; ++i) {
    passes.snapshot = pass - 1 + i;
    Expected<Verdict> verdict = m_trials.runIr(passes);
    if (!verdict)
      return verdict.takeError();
    Expected<std::string> text = m_trials.readOutput();
    if (!text) {
      m_result.evidence.push_back("no difference: " + takeError(text.takeError()).message);
      return Error::success();
    }
    texts[i] = std::move(*text);
  }
  showDifference(texts[0], texts[1], m_result);
  return Error::success();
}

Error Localizer::showAssembly(uint64_t limit) {
  std::string texts[2];
  for (unsigned i = 0; i < 2; ++i) {
    JobPasses passes;
    passes.limit = limit - 1 + i;
    Expected<std::string> text = m_trials.compile("asm", passes);
    if (!text) {
      ErrorParts parts = takeError(text.takeError());
      if (parts.kind != ErrorKind::Unsupported)
        return make_error<AssayError>(parts.kind, parts.message);
      m_result.evidence.push_back("the assembly is not shown: " + parts.message);
      return Error::success();
    }
    texts[i] = std::move(*text);
  }
  showDifference(texts[0], texts[1], m_result);
  return Error::success();
}

/// The device address of the first wrong byte; nothing where no value is wrong.
Expected<std::optional<uint64_t>> Localizer::findDifference() const {
  if (!m_whole.firstDifference || m_predicate.job.machine != "gcn")
    return std::nullopt;
  Expected<Case> input = readCase(m_file.path, m_file.id);
  if (!input)
    return input.takeError();
  std::vector<uint64_t> addresses = gcn::placeBuffers(
      map_to_vector(input->buffers, [](const Buffer &buffer) { return buffer.bytes.size(); }));
  for (auto [buffer, address] : zip_equal(input->buffers, addresses))
    if (buffer.name == m_whole.firstDifference->buffer)
      return address + m_whole.firstDifference->byteOffset;
  return std::nullopt;
}

/// Which instruction wrote the first wrong value, as the machine ran it.
Error Localizer::traceStore() {
  Expected<std::optional<uint64_t>> address = findDifference();
  if (!address)
    return address.takeError();
  if (!*address)
    return Error::success();
  Expected<std::string> trace = m_trials.traceCode(mostTraceBytes);
  if (!trace) {
    m_result.evidence.push_back("no trace: " + takeError(trace.takeError()).message);
    return Error::success();
  }
  std::string where =
      (m_whole.firstDifference->buffer + " at byte " + Twine(m_whole.firstDifference->byteOffset))
          .str();
  std::optional<StoreOrigin> origin = findStore(*trace, **address);
  if (!origin) {
    m_result.evidence.push_back("no instruction writes " + where);
    return Error::success();
  }
  m_result.evidence.push_back("the first wrong value, " + where + ", was written by " +
                              origin->place);
  m_result.instruction = origin->store;
  m_result.slice = std::move(origin->slice);
  return Error::success();
}

Expected<Localization> Localizer::run() {
  m_frontEnd = {frontEndPhase.str(), frontEndPhase.str(), ""};
  m_codeGeneration = {codeGenerationPhase.str(), codeGenerationPhase.str(), ""};
  if (Error error = runWhole())
    return std::move(error);
  if (!blameOpenPass() && !blameByOracle()) {
    if (Error error = searchSnapshots())
      return std::move(error);
    bool isDone = !m_result.phase.empty() && m_result.suspects.size() == 1 &&
                  m_result.phase != codeGenerationPhase;
    if (!isDone)
      if (Error error = searchGate())
        return std::move(error);
    const LocalizeSearch &last = m_result.searches.back();
    if (last.method == "gate" && last.problem.empty() && m_result.difference.empty())
      if (Error error = showAssembly(toNumber(last.result.suspects.back())))
        return std::move(error);
    if (m_result.phase == codeGenerationPhase)
      if (Error error = traceStore())
        return std::move(error);
  }
  m_result.runs = m_trials.runs();
  return std::move(m_result);
}

Expected<Localization> assay::localize(const CaseFile &file, const Predicate &predicate,
                                       const PoolOptions &pool, StringRef folder) {
  if (predicate.job.compiler != "assay")
    return unsupported("the passes of compiler '" + predicate.job.compiler +
                       "' are not ours to control");
  Expected<std::unique_ptr<WorkFolder>> work = WorkFolder::create(folder);
  if (!work)
    return work.takeError();
  return Localizer(file, predicate, pool, **work).run();
}
