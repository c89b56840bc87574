// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/waits/WaitProof.h"

#include "compiler/spirv/Module.h"
#include "harness/waits/ImageAddresses.h"
#include "harness/waits/MemoryOrder.h"
#include "harness/waits/StageCode.h"
#include "harness/waits/WaitTruth.h"
#include "oracles/api/OutcomeBytes.h"
#include "oracles/machine/gcn/DirectedRun.h"
#include "oracles/machine/gcn/GcnMachine.h"
#include "oracles/machine/gcn/graphics/Draws.h"
#include "support/Error.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <algorithm>
#include <optional>

using namespace llvm;
using namespace assay;
using namespace assay::waits;

ArrayRef<WaitCountRow> waits::waitCountRows() {
  static constexpr WaitCountRow Rows[] = {
      {"needed", &WaitCounts::needed},
      {"reported", &WaitCounts::reported},
      {"changed", &WaitCounts::changed},
      {"led", &WaitCounts::led},
      {"ledReported", &WaitCounts::ledReported},
      {"notRun", &WaitCounts::notRun},
      {"memory", &WaitCounts::memory},
      {"memoryNeeded", &WaitCounts::memoryNeeded},
      {"memoryReported", &WaitCounts::memoryReported},
      {"memoryOther", &WaitCounts::memoryOther},
      {"memoryChanged", &WaitCounts::memoryChanged},
      {"redundant", &WaitCounts::redundant},
      {"falseReports", &WaitCounts::falseReports},
      {"failed", &WaitCounts::failed},
  };
  static_assert(std::size(Rows) * sizeof(uint64_t) == sizeof(WaitCounts), "all have a row");
  return Rows;
}

void WaitCounts::add(const WaitCounts &other) {
  for (const WaitCountRow &row : waitCountRows())
    this->*row.member += other.*row.member;
}

namespace {

/// What the sanitizer said of a wait: (access, producer) by pc, and the register ("" for memory).
struct Report {
  std::string rule;
  uint64_t access = 0;
  uint64_t producer = 0;
  std::string subject;

  auto operator<=>(const Report &) const = default;
};

/// The proof for one artifact. The unmodified code runs first; what it exposes or reports is not
/// held against any mutation.
class Prover {
public:
  Prover(const Case &input, const Artifact &artifact, const TargetInfo &target,
         const WaitProofOptions &options, StageCode code)
      : m_input(input), m_artifact(artifact), m_target(target), m_options(options),
        m_code(std::move(code)), m_graph(m_code.insts, 0), m_truth(m_graph, target.major),
        m_stage(options.stage == ShaderStage::Compute ? "" : getStageName(options.stage).str()) {}

  /// Runs the baseline, then each mutation.
  Expected<WaitResult> run();

private:
  /// Runs the unmodified code and sets all that mutations are compared with. Sets
  /// WaitResult::skipped where no proof is possible.
  Error runBaseline();
  /// Runs the code with one weaker wait and counts what becomes of it.
  Error runMutation(const Mutation &mutation);
  /// What the paths of the run expose; null: of the unmodified code.
  Exposure onPaths(const Mutation *mutation) const;
  /// Runs \p artifact. With late results the sanitizer is off.
  Expected<Outcome> execute(const Artifact &artifact, bool isLate, raw_ostream *trace) const;
  void judge(const Mutation &mutation, const Outcome &outcome, const Exposure &justified,
             const Exposure &everywhere, const Exposure &run);
  Error judgeLed(const Mutation &mutation, const Artifact &artifact, const Exposure &justified,
                 const Exposure &everywhere);
  Expected<bool> leadTo(const Mutation &mutation, const Artifact &artifact,
                        const Exposure &justified, std::pair<uint32_t, uint32_t> pair);
  /// Leads a wave of the stage along a path.
  Expected<gcn::DirectedRun> lead(const Artifact &artifact, ArrayRef<uint64_t> path) const;
  Error checkUnmodified(ArrayRef<uint64_t> path);
  void noteFalse(const Mutation *mutation, const Report &report);
  /// Adds a problem with the first of \p expected, which must not be empty.
  void noteMissed(const Mutation &mutation, const Uncovered &expected);
  void judgeMemory(const Mutation &mutation, const std::set<Report> &reports);
  /// Whether late results lead to another outcome than the unmodified code's.
  Expected<bool> changesLate(const Artifact &artifact) const;
  bool isRight(const Report &report, const Uncovered &expected) const;
  bool isJustified(const Report &report, const Exposure &exposure) const;
  /// For a problem.
  std::string describe(const Mutation &mutation) const;
  /// The pc with the instruction there.
  std::string describePlace(uint64_t pc) const;
  /// Index of the instruction that begins at \p pc.
  std::optional<uint32_t> find(uint64_t pc) const;

  const Case &m_input;
  const Artifact &m_artifact;
  const TargetInfo &m_target;
  const WaitProofOptions &m_options;
  StageCode m_code;
  gcn::ControlFlowGraph m_graph;
  WaitTruth m_truth;
  std::string m_stage; ///< Of a draw; empty: compute.
  std::set<std::vector<PathStep>> m_paths;
  std::unique_ptr<ObservedPaths> m_observed;
  std::optional<MemoryOrder> m_order;
  Uncovered m_unordered; ///< By m_order, of the unmodified code.
  Outcome m_eager;
  std::set<Report> m_known; ///< Of the unmodified code.
  Exposure m_everywhere;    ///< Likewise.
  Exposure m_run;
  WaitResult m_result;
};

} // namespace

std::optional<uint32_t> Prover::find(uint64_t pc) const {
  const auto *it =
      partition_point(ArrayRef(m_code.insts), [&](const gcn::Inst &inst) { return inst.pc < pc; });
  if (it == m_code.insts.data() + m_code.insts.size() || it->pc != pc)
    return std::nullopt;
  return uint32_t(it - m_code.insts.data());
}

/// "0x1f".
static std::string hex(uint64_t value) {
  return "0x" + utohexstr(value, /*LowerCase=*/true);
}

std::string Prover::describePlace(uint64_t pc) const {
  std::optional<uint32_t> index = find(pc);
  return hex(pc) + (index ? " '" + StringRef(m_code.insts[*index].text).trim().str() + "'" : "");
}

std::string Prover::describe(const Mutation &mutation) const {
  const gcn::Inst &inst = m_code.insts[mutation.inst];
  return describePlace(inst.pc) + ", " + counterName(mutation.counter, m_target.major).str() + " " +
         utostr(mutation.limit) + (mutation.isDrop() ? " dropped" : " weakened");
}

Expected<Outcome> Prover::execute(const Artifact &artifact, bool isLate, raw_ostream *trace) const {
  RunOptions options;
  options.sanitize = m_options.sanitize && !isLate;
  options.schedule = isLate ? ScheduleKind::Late : ScheduleKind::Eager;
  // Code that reads what is not there yet may loop for ever.
  options.maxInstructions = 8 * uint64_t(m_options.maxSteps);
  options.trace.out = trace;
  return createGcnMachine(m_target, gcn::loadDraws)->run(m_input, artifact, options);
}

/// Whether both ended alike with the same bytes.
static bool isSame(const Outcome &a, const Outcome &b) {
  return a.kind == b.kind && haveSameBytes(a, b);
}

/// Whether \p rule is about waits.
static bool isOfWaits(StringRef rule) {
  static constexpr StringLiteral Families[] = {"WAIT-", "WAR-", "RACE-", "PARAM-"};
  return any_of(Families, [&](StringRef family) { return rule.starts_with(family); });
}

/// The stage of a draw that \p finding is about; empty: of a dispatch.
static StringRef stageOf(const Finding &finding) {
  for (const auto &[name, value] : finding.evidence)
    if (name == "stage")
      return value;
  return "";
}

/// Those of \p findings that are about waits of \p stage.
static std::set<Report> readReports(ArrayRef<Finding> findings, StringRef stage) {
  std::set<Report> reports;
  for (const Finding &finding : findings) {
    StringRef rule = finding.rule;
    if (!isOfWaits(rule) || stageOf(finding) != stage)
      continue;
    Report report;
    report.rule = finding.rule;
    StringRef(finding.location).drop_front(strlen("pc 0x")).getAsInteger(16, report.access);
    for (const auto &[name, value] : finding.evidence) {
      if (name == "producer pc")
        StringRef(value).drop_front(2).getAsInteger(16, report.producer);
      if (name == "subject" && !rule.starts_with("RACE-") && !rule.starts_with("PARAM-"))
        report.subject = value;
    }
    reports.insert(report);
  }
  return reports;
}

Error Prover::runBaseline() {
  m_observed =
      std::make_unique<ObservedPaths>(m_options.maxSteps, m_code.threads, m_code.waveSize, m_stage);
  ObservedPaths &trace = *m_observed;
  Expected<Outcome> eager = execute(m_artifact, false, &trace);
  if (!eager)
    return eager.takeError();
  if (!trace.unread().empty())
    return invalidInput("a line of the trace is not understood: " + trace.unread());
  if (eager->kind != OutcomeKind::Completed && eager->kind != OutcomeKind::Hazard) {
    m_result.skipped = "the run does not complete: " + eager->reason;
    return Error::success();
  }
  m_eager = std::move(*eager);
  m_known = readReports(m_eager.findings, m_stage);
  for (const Report &report : m_known)
    m_result.problems.push_back("unmodified: " + report.rule + " at " +
                                describePlace(report.access));
  for (const ObservedPaths::Path &path : trace.finish()) {
    std::vector<PathStep> steps;
    for (const ObservedPaths::Step &step : path)
      if (std::optional<uint32_t> index = find(step.pc))
        steps.push_back({*index, step.exec});
    m_paths.insert(std::move(steps));
  }
  if (trace.isCut()) {
    m_result.skipped = "longer than " + utostr(m_options.maxSteps) + " instructions";
    return Error::success();
  }
  m_everywhere = m_truth.onAllPaths(nullptr);
  m_run = onPaths(nullptr);
  m_order.emplace(m_truth, m_code.insts, m_target.major, trace,
                  [&](uint64_t pc) { return find(pc); });
  m_unordered = m_order->unordered(nullptr);
  Expected<bool> late = changesLate(m_artifact);
  if (!late)
    return late.takeError();
  if (*late)
    m_result.problems.push_back("late: unmodified code comes to another result");
  return Error::success();
}

Exposure Prover::onPaths(const Mutation *mutation) const {
  Exposure exposure;
  for (const std::vector<PathStep> &path : m_paths)
    m_truth.onPath(path, mutation, exposure);
  return exposure;
}

/// What is in \p all and not in \p known.
static Uncovered minus(const Uncovered &all, const Uncovered &known) {
  Uncovered rest;
  std::set_difference(all.begin(), all.end(), known.begin(), known.end(),
                      std::inserter(rest, rest.end()));
  return rest;
}

/// The same of registers and of memory.
static Exposure minus(const Exposure &all, const Exposure &known) {
  return {minus(all.registers, known.registers), minus(all.memory, known.memory)};
}

/// "v5 vmcnt" names a register that both instructions of \p report have, and they are expected.
bool Prover::isRight(const Report &report, const Uncovered &expected) const {
  std::optional<uint32_t> access = find(report.access);
  std::optional<uint32_t> producer = find(report.producer);
  if (!access || !producer || !expected.count({*access, *producer}))
    return false;
  StringRef name = StringRef(report.subject).split(' ').first;
  unsigned number = 0;
  if (name.drop_front().getAsInteger(10, number))
    return false;
  Span one{name.front() == 'v', uint16_t(number), 1};
  const Facts &source = m_truth.facts()[*producer];
  auto overlapsOne = [&](const Span &span) { return span.overlaps(one); };
  return (one.overlaps(source.result) || (source.isExport && any_of(source.spans, overlapsOne))) &&
         any_of(m_truth.facts()[*access].spans, overlapsOne);
}

Expected<bool> Prover::changesLate(const Artifact &artifact) const {
  Expected<Outcome> late = execute(artifact, true, nullptr);
  if (!late)
    return late.takeError();
  Outcome eager = m_eager;
  eager.kind = OutcomeKind::Completed; // Reports change nothing.
  return !isSame(eager, *late);
}

/// Whether \p exposure explains \p report: of a register by what is named, else by anything of
/// memory.
bool Prover::isJustified(const Report &report, const Exposure &exposure) const {
  static constexpr StringLiteral OfRegisters[] = {"WAIT-RAW", "WAIT-WAW", "WAR-EXPORT"};
  bool isOfRegister = is_contained(OfRegisters, report.rule);
  return isOfRegister ? isRight(report, exposure.registers) : !exposure.memory.empty();
}

/// \p justified is what may be reported, \p everywhere what the mutated code exposes on any path
/// and the unmodified code does not, \p run what of that the paths of the run do.
void Prover::judge(const Mutation &mutation, const Outcome &outcome, const Exposure &justified,
                   const Exposure &everywhere, const Exposure &run) {
  std::set<Report> now = readReports(outcome.findings, m_stage);
  std::set<Report> reports;
  std::set_difference(now.begin(), now.end(), m_known.begin(), m_known.end(),
                      std::inserter(reports, reports.end()));
  bool isRegister = !everywhere.registers.empty();
  bool isMemory = !everywhere.memory.empty();
  WaitCounts &counts = m_result.counts;
  const Report *wrong = nullptr;
  bool isReported = false;
  for (const Report &report : reports) {
    isReported |= isRight(report, run.registers);
    if (!isJustified(report, justified))
      wrong = &report;
  }
  if (wrong)
    noteFalse(&mutation, *wrong);
  if (!run.registers.empty()) {
    ++counts.needed;
    counts.reported += isReported;
    if (!isReported)
      noteMissed(mutation, run.registers);
  } else if (!isRegister && isMemory) {
    judgeMemory(mutation, reports);
  } else if (!isRegister) {
    ++counts.redundant;
  }
}

/// The wait may matter to the order of memory alone: does it, in this run?
void Prover::judgeMemory(const Mutation &mutation, const std::set<Report> &reports) {
  WaitCounts &counts = m_result.counts;
  ++counts.memory;
  Uncovered unordered = minus(m_order->unordered(&mutation), m_unordered);
  if (unordered.empty()) {
    counts.memoryOther += !reports.empty();
    if (!reports.empty())
      m_result.problems.push_back("memory, not needed: " + describe(mutation) + ": " +
                                  reports.begin()->rule + " at " +
                                  describePlace(reports.begin()->access));
    return;
  }
  bool isReported = any_of(reports, [&](const Report &report) {
    return any_of(unordered, [&](const std::pair<uint32_t, uint32_t> &pair) {
      return m_code.insts[pair.first].pc == report.access;
    });
  });
  ++counts.memoryNeeded;
  counts.memoryReported += isReported;
  if (!isReported)
    noteMissed(mutation, unordered);
}

/// \p mutation null: of the unmodified code.
void Prover::noteFalse(const Mutation *mutation, const Report &report) {
  ++m_result.counts.falseReports;
  m_result.problems.push_back("false: " + (mutation ? describe(*mutation) : "nothing changed") +
                              ": " + report.rule + " " + report.subject + " at " +
                              describePlace(report.access) + " of " +
                              describePlace(report.producer));
}

void Prover::noteMissed(const Mutation &mutation, const Uncovered &expected) {
  auto [access, producer] = *expected.begin();
  m_result.problems.push_back("missed: " + describe(mutation) + ": " +
                              describePlace(m_code.insts[access].pc) + " of " +
                              describePlace(m_code.insts[producer].pc));
}

Expected<gcn::DirectedRun> Prover::lead(const Artifact &artifact, ArrayRef<uint64_t> path) const {
  if (m_stage.empty())
    return gcn::runDirected(m_input, artifact, m_target, path, m_options.sanitize);
  return gcn::runDirectedDraw(m_input, artifact, m_target, m_options.stage, path,
                              m_options.sanitize);
}

/// A wave that is led along \p path in the unmodified code gets no report.
Error Prover::checkUnmodified(ArrayRef<uint64_t> path) {
  Expected<gcn::DirectedRun> run = lead(m_artifact, path);
  if (!run)
    return run.takeError();
  for (const Report &report : readReports(run->reports, m_stage))
    if (!isJustified(report, {m_everywhere.registers, {}}))
      noteFalse(nullptr, report);
  return Error::success();
}

/// Leads a wave to \p pair (access, producer). False: that path does not show that the wait is
/// needed (the wave could not be led so far, or the lanes are others).
Expected<bool> Prover::leadTo(const Mutation &mutation, const Artifact &artifact,
                              const Exposure &justified, std::pair<uint32_t, uint32_t> pair) {
  std::vector<uint64_t> path;
  for (uint32_t index : m_truth.findPath(pair.first, pair.second, &mutation))
    path.push_back(m_code.insts[index].pc);
  Expected<gcn::DirectedRun> run = lead(artifact, path);
  if (!run)
    return run.takeError();
  std::vector<PathStep> steps;
  for (const gcn::DirectedRun::Step &step : run->steps)
    if (std::optional<uint32_t> index = find(step.pc))
      steps.push_back({*index, step.exec});
  Exposure mutated, unmodified;
  m_truth.onPath(steps, &mutation, mutated);
  m_truth.onPath(steps, nullptr, unmodified);
  Uncovered exposed = minus(mutated.registers, unmodified.registers);
  if (exposed.empty())
    return false;
  bool isReported = false;
  for (const Report &report : readReports(run->reports, m_stage)) {
    isReported |= isRight(report, exposed);
    if (!isJustified(report, justified))
      noteFalse(&mutation, report);
  }
  ++m_result.counts.led;
  m_result.counts.ledReported += isReported;
  if (!isReported)
    noteMissed(mutation, exposed);
  if (Error error = checkUnmodified(path))
    return std::move(error);
  return true;
}

/// The run took no path on which a register needs the wait: a wave is led along one.
Error Prover::judgeLed(const Mutation &mutation, const Artifact &artifact,
                       const Exposure &justified, const Exposure &everywhere) {
  constexpr unsigned MaxPaths = 16;
  unsigned tried = 0;
  for (std::pair<uint32_t, uint32_t> pair : everywhere.registers) {
    if (++tried > MaxPaths)
      break;
    Expected<bool> isJudged = leadTo(mutation, artifact, justified, pair);
    if (!isJudged)
      return isJudged.takeError();
    if (*isJudged)
      return Error::success();
  }
  ++m_result.counts.notRun;
  auto [access, producer] = *everywhere.registers.begin();
  m_result.problems.push_back("not run: " + describe(mutation) + ": " +
                              describePlace(m_code.insts[access].pc) + " of " +
                              describePlace(m_code.insts[producer].pc));
  return Error::success();
}

Error Prover::runMutation(const Mutation &mutation) {
  const gcn::Inst &inst = m_code.insts[mutation.inst];
  if (m_graph.blockOf(mutation.inst) == gcn::NoBlock)
    return Error::success(); // Padding.
  Exposure all = m_truth.onAllPaths(&mutation);
  Exposure everywhere = minus(all, m_everywhere);
  Exposure run;
  if (!all.registers.empty())
    run = minus(onPaths(&mutation), m_run);
  Artifact artifact(
      m_code.edit(m_artifact.bytes(), inst.pc, mutatedWord(inst, mutation, m_target.major)));
  Expected<Outcome> outcome = execute(artifact, false, nullptr);
  if (!outcome)
    return outcome.takeError();
  if (outcome->kind != OutcomeKind::Completed && outcome->kind != OutcomeKind::Hazard) {
    ++m_result.counts.failed;
    m_result.problems.push_back("failed: " + describe(mutation) + ": " + outcome->reason);
    return Error::success();
  }
  // In loops that lanes leave one by one the unmodified code seems to expose registers that it does
  // not, since paths do not know of lanes.
  Exposure justified{all.registers, everywhere.memory};
  judge(mutation, *outcome, justified, everywhere, run);
  if (run.registers.empty() && !everywhere.registers.empty())
    return judgeLed(mutation, artifact, justified, everywhere);
  bool isOfMemory = everywhere.registers.empty() && !everywhere.memory.empty();
  if (!m_options.late || (run.registers.empty() && !isOfMemory))
    return Error::success();
  Expected<bool> late = changesLate(artifact);
  if (!late)
    return late.takeError();
  (isOfMemory ? m_result.counts.memoryChanged : m_result.counts.changed) += *late;
  return Error::success();
}

Expected<WaitResult> Prover::run() {
  if (Error error = runBaseline())
    return std::move(error);
  if (!m_result.skipped.empty())
    return std::move(m_result);
  for (const Mutation &mutation : listMutations(m_code.insts, m_target.major))
    if (Error error = runMutation(mutation))
      return std::move(error);
  return std::move(m_result);
}

Expected<WaitResult> waits::proveWaits(const Case &input, const Artifact &artifact,
                                       const TargetInfo &target, const WaitProofOptions &options) {
  Expected<StageCode> code = readStageCode(artifact, target, options.stage);
  if (!code)
    return code.takeError();
  if (code->insts.empty())
    return invalidInput("there is no code");
  if (target.major == 9) {
    auto module = spirv::decode(input.pipelines[0].description.getShader(options.stage).spirv);
    if (!module)
      return module.takeError();
    if (!completeAddresses(code->insts, *module, code->isOfRadv())) {
      WaitResult result;
      result.skipped = "images of several dimensions: the code does not tell their addresses apart";
      return result;
    }
  }
  return Prover(input, artifact, target, options, std::move(*code)).run();
}
