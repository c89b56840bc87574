// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The order of the searches, and what follows from them.
#include "harness/localize/Localize.h"

#include "compiler/api/Target.h"
#include "compiler/driver/PassWatcher.h"
#include "compiler/lgc/link/LinkStages.h"
#include "compiler/spirv/Module.h"
#include "harness/localize/Difference.h"
#include "harness/localize/Explain.h"
#include "harness/localize/Ir3Code.h"
#include "harness/localize/Operations.h"
#include "harness/localize/PassList.h"
#include "harness/localize/Probes.h"
#include "harness/localize/Repair.h"
#include "harness/localize/Trials.h"
#include "harness/reduce/Subject.h"
#include "harness/reduce/Witness.h"
#include "oracles/api/Registry.h"
#include "oracles/api/States.h"
#include "oracles/machine/gcn/sanitizer/SanitizerRules.h"
#include "support/Error.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/ScopeExit.h"
#include <map>
#include <set>

using namespace llvm;
using namespace assay;

/// Whether a machine runs the IR that Assay's compiler makes for \p target.
static bool runsIr(StringRef target) {
  Expected<const TargetInfo *> info = findTarget(target);
  if (!info) {
    consumeError(info.takeError());
    return false;
  }
  return goTogether(compilerOf(ownCompiler), machineOf(irMachine), (*info)->architecture);
}

namespace {

/// Names of what is before all passes and after them.
constexpr StringLiteral referencePoint = "reference", machineCodePoint = "machine code";
/// LocalizeSearch::method.
constexpr StringLiteral snapshotsMethod = "snapshots", gateMethod = "gate";
/// Gives a graphics stage the signature of the hardware, and writes its metadata.
constexpr StringLiteral stageLaunchPass = "mutate-stage-entry-point";

/// Snapshots of a pipeline up to linking, or of one stage after it, in their order. What precedes
/// the first is good.
using DrawBranch = std::vector<std::string>;

/// One localisation. The steps of run() fill m_result; a later step refines what an earlier one
/// found.
class Localizer {
public:
  Localizer(const CaseFile &file, const Predicate &predicate, const PoolOptions &pool,
            const WorkFolder &folder)
      : m_file(file), m_predicate(predicate), m_pool(pool), m_folder(folder),
        m_trials(file, predicate, pool, folder) {}

  /// Runs all steps for Assay's compiler. InvalidInput as localize().
  Expected<Localization> run();
  /// Where the passes are not ours to control: the operation alone.
  Expected<Localization> runForeign();

private:
  /// Runs the case as the predicate says, and reads the list of passes. InvalidInput if no run
  /// shows what the predicate asks for.
  Error runWhole();
  /// Whether the reference is to blame. Then no search is made.
  bool blameReference();
  /// Whether the worker died in a pass or stage, which then is to blame.
  bool blameOpenPass();
  /// Whether the finding is of an oracle that judges one pass.
  bool blameByOracle();
  Error searchSnapshots();
  Error searchDraw();
  std::vector<DrawBranch> listBranches() const;
  /// Blames what could not be run: the passes from a stage's signature on, and code generation.
  void suspectSignatures(LocalizeSearch search);
  Error chooseOrder();
  Error searchGate();
  uint64_t firstOfGate() const;
  Error blameFixedPass();
  /// Blames the last suspect and writes the evidence. Suspects are points of the snapshot search.
  void concludeFromSnapshots(const BisectResult &result);
  /// Writes the evidence. Blames the last suspect only where the snapshots left the pass open.
  void concludeFromGate(const BisectResult &result);
  /// Compares the modules around each of \p points, which are snapshots.
  Error chooseSuspect(Explainer &explainer, ArrayRef<std::string> points);
  Error explain();
  Error explainDraw(Explainer &explainer);
  Error nameOperation();
  Error repair();
  /// Names the key of the metadata that has to be changed.
  void takeRepair(const SettingRepair &repair);
  /// Names the instruction of machine code that has to be changed.
  void takeRepair(const CodeRepair &repair);
  void namePlace(StringRef place);
  Error searchProbed(const ProbeResult &probed);
  /// Bisects \p points and appends the search. An end that is not what it should be is the search's
  /// problem, not an error.
  Error search(StringRef method, ArrayRef<std::string> points, RunRevision run);
  /// Runs the IR at \p point: a number of passes, or one of the two named points.
  Expected<RevisionRun> runSnapshot(StringRef point);
  /// Runs the code that is compiled with the first \p limit optional passes.
  Expected<RevisionRun> runGated(StringRef limit);
  /// Sets phase, pass and stage.
  void blame(const NamedPass &pass);
  /// The pass that made the module at \p point.
  const NamedPass &passAt(StringRef point) const;
  bool isDraw() const;
  bool isHalfLinked(StringRef point) const;

  const CaseFile &m_file;
  const Predicate &m_predicate;
  const PoolOptions &m_pool;
  const WorkFolder &m_folder;
  Trials m_trials;
  /// Of the whole compilation: what is to be explained.
  Verdict m_whole;
  /// IR for the target can be run.
  bool m_runsIr = runsIr(m_predicate.job.target);
  PassList m_passes;
  /// What is blamed where no pass of these phases is known.
  NamedPass m_frontEnd, m_codeGeneration;
  Localization m_result;
};

} // namespace

/// Whether \p predicate is about a process that ran the reference and nothing else, and died.
static bool isReferenceEnd(const Predicate &predicate) {
  return machineOf(predicate.job.machine).isReference && isDeath(predicate.state);
}

/// 0 for a point that has a name.
static uint64_t toNumber(StringRef point) {
  uint64_t number = 0;
  point.getAsInteger(10, number);
  return number;
}

/// Both ends included.
static std::vector<std::string> numbersBetween(uint64_t first, uint64_t last) {
  std::vector<std::string> numbers;
  for (uint64_t i = first; i <= last; ++i)
    numbers.push_back(std::to_string(i));
  return numbers;
}

void Localizer::blame(const NamedPass &pass) {
  m_result.phase = pass.phase;
  m_result.pass = pass.pass;
  m_result.stage = pass.stage;
}

/// Whether the compiler had graphics stages.
bool Localizer::isDraw() const {
  return any_of(m_passes.middleEnd, [](const NamedPass &pass) { return !pass.stage.empty(); });
}

/// Whether one stage has moved its outputs at \p point, and the other not yet its inputs.
bool Localizer::isHalfLinked(StringRef point) const {
  uint64_t number = toNumber(point);
  if (number == 0 || number >= m_passes.middleEnd.size())
    return false;
  const NamedPass &next = m_passes.middleEnd[number];
  return passAt(point).pass == linkOutputsStep && next.pass == packInputsStep && next.changes;
}

/// As often as the predicate says that a failure may hide.
Error Localizer::runWhole() {
  JobPasses passes;
  passes.lists = passes.explains = true;
  for (unsigned run = 0; run < m_predicate.runs; ++run) {
    Expected<Verdict> verdict = m_trials.runCode(passes);
    if (!verdict)
      return verdict.takeError();
    m_whole = std::move(*verdict);
    if (m_predicate.matches(m_whole))
      break;
  }
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

/// What the reference gets wrong that reports \p opcode: that control comes to an OpUnreachable
/// is a branch's fault.
static std::string nameReported(const CaseFile &file, StringRef opcode) {
  if (opcode != spirv::opcodeName(spv::Op::OpUnreachable))
    return opcode.str();
  Expected<Subject> subject = readSubject(file);
  if (!subject) {
    consumeError(subject.takeError());
    return opcode.str();
  }
  std::string branch;
  for (const fuzz::Program &program : subject->programs)
    branch = describeUnreachable(program);
  return subject->programs.size() == 1 && !branch.empty() ? branch : opcode.str();
}

/// Where the predicate says so, or the reference's own process is what ended badly: no pass of a
/// compiler is asked about. Of what it reports (UB-*), the instruction is the operation.
bool Localizer::blameReference() {
  bool isOwnEnd = isReferenceEnd(m_predicate);
  if (!m_predicate.suspectsReference && !isOwnEnd)
    return false;
  blame({referencePoint.str(), referencePoint.str(), ""});
  m_result.evidence.push_back(
      isOwnEnd ? "the process of the reference ended badly: " + m_whole.reason
               : "the reference stands alone, against the script or another compiler, and " +
                     m_predicate.job.machine + ": " + m_whole.reason);
  if (m_predicate.state == State::Invalid)
    m_result.operation = nameReported(m_file, StringRef(m_predicate.signature).split(' ').second);
  return true;
}

/// A worker that died left a stage, and a pass where it compiled, that did not end. Code without an
/// end is wrong code.
bool Localizer::blameOpenPass() {
  std::string stage = m_trials.readStage();
  if (stage == "done" || (stage == "machine" && m_whole.state == State::Timeout))
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
  auto isLowering = [](const NamedPass &each) { return each.pass == loweringPass; };
  auto found = find_if(m_passes.middleEnd, isLowering);
  if (found == m_passes.middleEnd.end())
    return false;
  blame(*found);
  takeFinding(m_whole, m_result);
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
  if (isHalfLinked(point))
    return RevisionRun{RevisionState::Skip, "the stages are half linked"};
  if (!m_runsIr)
    return RevisionRun{RevisionState::Skip, "no machine runs IR for " + m_predicate.job.target};
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

/// What machine code does before anybody has written IR may do right by its order of waves: it is
/// run in that in which it does not.
Error Localizer::chooseOrder() {
  bool mayDepend = StringRef(m_predicate.rule).starts_with("UNDEF-");
  for (unsigned i = 0; mayDepend && i < 2; ++i) {
    Expected<Verdict> verdict = m_trials.runIr(JobPasses());
    if (!verdict)
      return verdict.takeError();
    if (verdict->state != State::Pass)
      break;
    m_trials.turnRound(); // Twice: back again.
  }
  return Error::success();
}

/// Whether the pass changes the stages of a graphics pipeline together.
static bool isLinkStep(StringRef pass) {
  constexpr StringLiteral steps[] = {removePoisonOutputsStep, linkInputsStep, linkOutputsStep,
                                     packInputsStep};
  return is_contained(steps, pass);
}

/// Each stage is run with the others as they are linked, so that what is wrong with one stage shows
/// in its own branch alone. No stage is run from its signature on.
std::vector<DrawBranch> Localizer::listBranches() const {
  std::map<unsigned, size_t> lastLink; ///< By pipeline.
  for (auto [number, pass] : enumerate(m_passes.middleEnd))
    if (isLinkStep(pass.pass))
      lastLink[pass.pipeline] = number;
  std::map<unsigned, DrawBranch> common;
  std::map<std::pair<unsigned, std::string>, DrawBranch> own;
  std::set<std::pair<unsigned, std::string>> ended;
  for (auto [number, pass] : enumerate(m_passes.middleEnd)) {
    std::pair<unsigned, std::string> stage(pass.pipeline, pass.stage);
    bool isCommon = pass.stage.empty() || number <= lastLink[pass.pipeline];
    if (!isCommon && pass.pass == stageLaunchPass)
      ended.insert(stage);
    if (pass.changes && !ended.count(stage))
      (isCommon ? common[pass.pipeline] : own[stage]).push_back(std::to_string(number + 1));
  }
  std::vector<DrawBranch> branches;
  for (auto &[pipeline, points] : common) {
    points.insert(points.begin(), {referencePoint.str(), "0"});
    branches.push_back(points);
    for (auto &[stage, after] : own)
      if (stage.first == pipeline) {
        after.insert(after.begin(), points.back());
        branches.push_back(after);
      }
  }
  return branches;
}

/// All that could be run is right: \p search has what was.
void Localizer::suspectSignatures(LocalizeSearch search) {
  std::set<std::pair<unsigned, std::string>> ended;
  for (auto [number, pass] : enumerate(m_passes.middleEnd)) {
    std::pair<unsigned, std::string> stage(pass.pipeline, pass.stage);
    if (pass.pass == stageLaunchPass)
      ended.insert(stage);
    if (pass.changes && ended.count(stage))
      search.result.suspects.push_back(std::to_string(number + 1));
  }
  search.result.suspects.push_back(machineCodePoint.str());
  m_result.searches.push_back(std::move(search));
  concludeFromSnapshots(m_result.searches.back().result);
}

/// The last snapshot of each branch is run; the first branch whose last is bad is searched.
Error Localizer::searchDraw() {
  std::map<std::string, RevisionRun> known;
  auto run = [&](StringRef point) -> Expected<RevisionRun> {
    if (auto found = known.find(point.str()); found != known.end())
      return found->second;
    Expected<RevisionRun> made = runSnapshot(point);
    if (made)
      known[point.str()] = *made;
    return made;
  };
  LocalizeSearch ends;
  ends.method = snapshotsMethod.str();
  for (const DrawBranch &branch : listBranches()) {
    Expected<RevisionRun> last = run(branch.back());
    if (!last)
      return last.takeError();
    ends.result.log.push_back({branch.back(), last->state, {*last}});
    if (last->state == RevisionState::Good)
      ends.result.lastGood = branch.back();
    if (last->state != RevisionState::Bad)
      continue;
    if (Error error = search(snapshotsMethod, branch, run))
      return error;
    if (m_result.searches.back().problem.empty())
      concludeFromSnapshots(m_result.searches.back().result);
    return Error::success();
  }
  suspectSignatures(std::move(ends));
  return Error::success();
}

/// What the compiler made of the shader at each point: IR that is run as it is.
Error Localizer::searchSnapshots() {
  if (isDraw())
    return searchDraw();
  std::vector<std::string> points = {referencePoint.str()};
  points.push_back("0"); // As the front-end made it.
  for (auto [number, pass] : enumerate(m_passes.middleEnd))
    if (pass.changes)
      points.push_back(std::to_string(number + 1));
  points.push_back(machineCodePoint.str());
  if (Error error = chooseOrder())
    return error;
  if (Error error =
          search(snapshotsMethod, points, [&](StringRef point) { return runSnapshot(point); }))
    return error;
  const LocalizeSearch &done = m_result.searches.back();
  if (!done.problem.empty())
    return Error::success();
  concludeFromSnapshots(done.result);
  return Error::success();
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
  if (result.lastGood == referencePoint) {
    m_result.evidence.push_back(
        "the IR that the front-end makes does not do what it should, by the "
        "script or by the reference, which alone runs the SPIR-V");
    return;
  }
  m_result.evidence.push_back("the IR after " + passAt(result.lastGood).pass +
                              " still does what it should; after " + m_result.pass +
                              " it does not");
}

/// How many optional passes run whatever the limit is: where IR that was run has shown that they
/// are right, those that precede the ir3 passes.
uint64_t Localizer::firstOfGate() const {
  auto found =
      find_if(m_passes.optional, [](const NamedPass &pass) { return isIr3Pass(pass.pass); });
  bool isCode = m_result.phase == codeGenerationPhase && found != m_passes.optional.end();
  return isCode ? static_cast<uint64_t>(found - m_passes.optional.begin()) : 0;
}

/// Of the ir3 passes that no gate leaves out, the last has an oracle: what is printed and what is
/// encoded must be the same code.
Error Localizer::blameFixedPass() {
  NamedPass pass = m_codeGeneration;
  pass.pass = ir3SelectPass.str();
  std::optional<std::string> wrong;
  Expected<std::string> variant = m_trials.compile("elf", {});
  Expected<std::string> assembly = m_trials.compile("asm", {});
  if (variant && assembly) {
    Expected<std::optional<std::string>> found = findEncodingError(*variant, *assembly);
    if (!found)
      return found.takeError();
    wrong = *found;
  } else {
    for (Expected<std::string> *each : {&variant, &assembly})
      consumeError(each->takeError());
  }
  m_result.evidence.push_back(
      "the code is wrong without any of the ir3 passes that can be left out");
  if (wrong) {
    pass.pass = ir3EmitPass.str();
    m_result.wrong = *wrong;
    m_result.evidence.push_back(*wrong);
  }
  blame(pass);
  return Error::success();
}

/// With so many optional passes, the code is right; with one more it is not.
Error Localizer::searchGate() {
  if (m_passes.optional.empty())
    return Error::success();
  if (Error error = search(gateMethod, numbersBetween(firstOfGate(), m_passes.optional.size()),
                           [&](StringRef limit) { return runGated(limit); }))
    return error;
  const LocalizeSearch &done = m_result.searches.back();
  if (done.problem.empty())
    concludeFromGate(done.result);
  else if (firstOfGate() && m_result.phase == codeGenerationPhase)
    return blameFixedPass();
  else
    m_result.evidence.push_back("no optional pass is to blame alone: an end of that search is not "
                                "what it should be");
  return Error::success();
}

void Localizer::concludeFromGate(const BisectResult &result) {
  const NamedPass &pass = m_passes.optional[toNumber(result.suspects.back()) - 1];
  m_result.evidence.push_back("without " + pass.pass + " on " + pass.unit +
                              " and the optional passes after it, the code is right");
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

/// Of several suspects, the first that is seen to do something else than what stood before it.
Error Localizer::chooseSuspect(Explainer &explainer, ArrayRef<std::string> points) {
  for (StringRef point : points) {
    if (point == machineCodePoint || toNumber(point) == 0)
      continue;
    Expected<bool> isGuilty = explainer.compareAround(toNumber(point), passAt(point));
    if (!isGuilty)
      return isGuilty.takeError();
    if (!*isGuilty)
      continue;
    blame(passAt(point));
    m_result.suspects = {m_result.pass};
    break;
  }
  return Error::success();
}

/// What the guilty pass has changed in its stage: the machine that runs stages as IR keeps no log.
Error Localizer::explainDraw(Explainer &explainer) {
  const LocalizeSearch &search = m_result.searches.front();
  if (!search.problem.empty() || !search.result.isUnique())
    return Error::success();
  StringRef point = search.result.suspects.front();
  if (point == machineCodePoint || toNumber(point) == 0)
    return Error::success();
  return explainer.showStage(toNumber(point), passAt(point));
}

/// What is known at the end is shown by the search that found it.
Error Localizer::explain() {
  Explainer explainer(m_file, m_trials, m_result);
  if (isDraw())
    return explainDraw(explainer);
  for (const LocalizeSearch &search : reverse(m_result.searches)) {
    if (!search.problem.empty())
      continue;
    if (search.method == snapshotsMethod && !search.result.isUnique())
      if (Error error = chooseSuspect(explainer, search.result.suspects))
        return error;
    if (!m_result.wrong.empty())
      return Error::success();
    if (!search.result.isUnique())
      continue;
    StringRef point = search.result.suspects.front();
    if (search.method == gateMethod)
      if (Error error = explainer.explainGate(toNumber(point)))
        return error;
    if (search.method == snapshotsMethod && point != machineCodePoint)
      return explainer.explainSnapshot(toNumber(point), passAt(point));
  }
  return explainer.explainCode(m_whole);
}

/// Whether the shader's values may tell why: code ran and did what it should not.
static bool mayBeProbed(const Verdict &verdict) {
  return verdict.state == State::Fail &&
         (verdict.firstDifference || any_of(verdict.findings, [](const Finding &finding) {
            return finding.severity == Severity::Error && gcn::isSanitizerRule(finding.rule);
          }));
}

/// Whether what the pass gets wrong says all: of a pass that has an oracle, which knows no shader,
/// one bug must have one name; a built-in has its own in IR; without a barrier values may be any.
static bool isNamed(const Localization &result) {
  return result.wrong == lostBarrier ||
         (!result.wrong.empty() &&
          (result.pass == loweringPass || readsBuiltIn(result.instruction)));
}

/// Where no IR shows what the case does wrong, it may show that a value is wrong: what machine code
/// does with it - an address that is uninitialized, say - may have no counterpart there.
Error Localizer::searchProbed(const ProbeResult &probed) {
  if (probed.shown.empty() || m_result.phase != codeGenerationPhase)
    return Error::success();
  Localizer value(probed.file, probed.predicate, m_pool, m_folder);
  value.m_frontEnd = m_frontEnd;
  value.m_codeGeneration = m_codeGeneration;
  if (Error error = value.runWhole())
    return error;
  if (Error error = value.searchSnapshots())
    return error;
  const Localization &found = value.m_result;
  scope_exit count([&] { m_result.runs += value.m_trials.runs(); });
  if (found.phase.empty() || found.phase == codeGenerationPhase || found.suspects.size() != 1)
    return Error::success();
  if (Error error = value.explain())
    return error;
  blame({found.phase, found.pass, ""});
  m_result.suspects = found.suspects;
  m_result.wrong = found.wrong;
  m_result.instruction = found.instruction;
  m_result.function = found.function;
  m_result.difference = found.difference;
  m_result.slice = found.slice;
  if (isNamed(found))
    m_result.operation = found.operation;
  m_result.evidence.push_back("what does so is the value of " + probed.operation +
                              " alone: " + found.evidence.back());
  return Error::success();
}

/// \p place: of an access that is wrong by it alone. How blocks are laid out is known to the
/// front-end alone; machine code has addresses, whatever they are of.
void Localizer::namePlace(StringRef place) {
  if (m_result.phase == frontEndPhase)
    m_result.operation = (spirv::opcodeName(spv::Op::OpAccessChain) + " " + place).str();
  if (m_result.phase == codeGenerationPhase)
    m_result.operation = "address";
}

/// Whether the operation is a branch of SPIR-V.
static bool isBranch(StringRef operation) {
  static constexpr spv::Op branches[] = {spv::Op::OpBranch, spv::Op::OpBranchConditional,
                                         spv::Op::OpSwitch};
  return any_of(branches, [&](spv::Op opcode) { return operation == spirv::opcodeName(opcode); });
}

/// Where what the pass gets wrong does not say all, what the shader's own values say goes before
/// what the pass has changed.
Error Localizer::nameOperation() {
  if (isNamed(m_result) || !mayBeProbed(m_whole) || isDraw()) // Probes are of dispatches.
    return Error::success();
  StringRef wrongBuffer;
  if (m_whole.firstDifference)
    wrongBuffer = m_whole.firstDifference->buffer;
  Expected<ProbeResult> probed = probeValues(m_file, m_predicate, m_pool, m_folder, wrongBuffer);
  if (!probed)
    return probed.takeError();
  m_result.runs += probed->runs;
  if (probed->operation.empty())
    return Error::success();
  m_result.operation = probed->operation;
  m_result.evidence.push_back(
      std::string("the values of the shader, stored one at a time: ") +
      (probed->shown.empty() ? "all are right, wrong is " : "the first that is wrong is that of ") +
      probed->operation);
  if (Error error = searchProbed(*probed))
    return error;
  if (!probed->place.empty())
    namePlace(probed->place);
  if (m_result.phase == codeGenerationPhase && isBranch(m_result.operation))
    m_result.operation = "branch"; // That is all machine code has.
  return Error::success();
}

/// The pass that says what a launch is to be; what the metadata say of code, code generation does.
static constexpr StringLiteral launchPass = "mutate-entry-point";

/// What is tried; nothing: nothing. Of draws, metadata alone.
static std::optional<RepairScope> chooseScope(const Localization &result, bool isDraw) {
  if (result.pass == launchPass || result.pass == stageLaunchPass)
    return RepairScope::Settings;
  if (isDraw)
    return result.phase == codeGenerationPhase ? std::optional(RepairScope::Settings)
                                               : std::nullopt;
  return result.phase == codeGenerationPhase ? std::optional(RepairScope::All) : std::nullopt;
}

/// No pass over machine code writes metadata.
void Localizer::takeRepair(const SettingRepair &repair) {
  if (!repair.stage.empty()) {
    blame({"middle-end", stageLaunchPass.str(), "", true, 0, repair.stage});
    m_result.suspects = {m_result.pass};
  } else if (m_result.phase == codeGenerationPhase) {
    blame(m_codeGeneration);
  }
  m_result.operation = m_result.wrong = repair.key;
  m_result.instruction.clear();
  m_result.evidence.push_back("with " + repair.changed + " for " + repair.key +
                              " in the metadata, the case passes");
}

void Localizer::takeRepair(const CodeRepair &repair) {
  m_result.operation = repair.kind;
  // What it accesses says more than that it is wrong.
  if (m_result.wrong.empty() || m_result.instruction != repair.instruction)
    m_result.wrong = repair.kind;
  m_result.instruction = repair.instruction;
  m_result.evidence.push_back("with '" + repair.changed + "' at " +
                              StringRef(repair.instruction).split(':').first.str() +
                              " the case passes (" + repair.kind + ")");
}

/// The one key of the metadata, or the one instruction of machine code, that must be another for
/// the case to pass says more than which of the shader's values that made wrong.
Error Localizer::repair() {
  std::optional<RepairScope> scope = chooseScope(m_result, isDraw());
  if (!scope || !machineOf(m_whole.machine).takes(ArtifactType::PalElf) ||
      m_whole.state != State::Fail)
    return Error::success();
  Expected<RepairSearch> search =
      repairCode(m_file, m_predicate, *scope, m_pool, m_folder, m_result.runs);
  if (!search)
    return search.takeError();
  if (search->setting)
    takeRepair(*search->setting);
  if (search->repair)
    takeRepair(*search->repair);
  return Error::success();
}

Expected<Localization> Localizer::run() {
  m_frontEnd = {frontEndPhase.str(), frontEndPhase.str(), ""};
  m_codeGeneration = {codeGenerationPhase.str(), codeGenerationPhase.str(), ""};
  if (Error error = runWhole())
    return std::move(error);
  if (!blameReference() && !blameOpenPass() && !blameByOracle()) {
    if (Error error = searchSnapshots())
      return std::move(error);
    bool isDone = m_result.suspects.size() == 1 && m_result.phase != codeGenerationPhase;
    if (!isDone)
      if (Error error = searchGate())
        return std::move(error);
    if (Error error = explain())
      return std::move(error);
  }
  if (Error error = nameOperation())
    return std::move(error);
  if (Error error = repair())
    return std::move(error);
  m_result.runs += m_trials.runs();
  return std::move(m_result);
}

/// What makes the results of the only shader of \p file; empty where there are several.
static Expected<std::string> nameStored(const CaseFile &file) {
  Expected<Subject> subject = readSubject(file);
  if (!subject)
    return subject.takeError();
  return subject->programs.size() == 1 ? describeStored(subject->programs.front()) : std::string();
}

Expected<Localization> Localizer::runForeign() {
  if (Error error = runWhole())
    return std::move(error);
  const Job &job = m_predicate.job;
  m_result.evidence.push_back(
      "the passes of " +
      (job.compiler.empty() ? "machine " + job.machine : "compiler " + job.compiler) +
      " are not ours to control");
  if (Error error = nameOperation())
    return std::move(error);
  m_result.runs += m_trials.runs();
  if (!m_result.operation.empty())
    return std::move(m_result);
  if (Error error = nameStored(m_file).moveInto(m_result.operation))
    return std::move(error);
  if (!m_result.operation.empty())
    m_result.evidence.push_back("what the shader stores is made by " + m_result.operation);
  return std::move(m_result);
}

Expected<Localization> assay::localize(const CaseFile &file, const Predicate &predicate,
                                       const PoolOptions &pool, StringRef folder) {
  Expected<std::unique_ptr<WorkFolder>> work = WorkFolder::create(folder);
  if (!work)
    return work.takeError();
  Localizer localizer(file, predicate, pool, **work);
  bool isForeign = !compilerOf(predicate.job.compiler).isOwn && !predicate.suspectsReference &&
                   !isReferenceEnd(predicate);
  return isForeign ? localizer.runForeign() : localizer.run();
}
