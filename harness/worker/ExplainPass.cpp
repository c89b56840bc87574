// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/worker/ExplainPass.h"

#include "harness/run/WorkerGuard.h"
#include "harness/worker/RunPass.h"
#include "oracles/api/Machine.h"
#include "oracles/divergence/FindDivergence.h"
#include "oracles/machine/ir/IrMachine.h"
#include "support/Error.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/AsmParser/Parser.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Target/TargetMachine.h"

using namespace llvm;
using namespace assay;

namespace {

/// One pass on the module of one pipeline; those of the others stay.
class PassExplainer {
public:
  PassExplainer(const Job &job, const Case &input, ArrayRef<Artifact> artifacts, Backend &backend,
                const TargetInfo &target)
      : m_job(job), m_input(input), m_artifacts(artifacts), m_source(artifacts[pipeline()].text()),
        m_backend(backend), m_target(target) {}

  /// A note, where the runs part with probes of \p kind.
  Expected<std::optional<Finding>> explain(ProbeKind kind);

private:
  /// Index of the explained pipeline in the case and in m_artifacts.
  uint64_t pipeline() const { return m_job.passes.pipeline.value_or(0); }
  Error runOnIr(const Module &module, ir::ExecutionLog &log);

  const Job &m_job;
  const Case &m_input;
  const ArrayRef<Artifact> m_artifacts;
  const std::string m_source; ///< LLVM reads to a zero after it.
  Backend &m_backend;
  const TargetInfo &m_target;
};

} // namespace

/// InvalidInput with LLVM's message if \p text is no module.
static Expected<std::unique_ptr<Module>> parse(StringRef text, LLVMContext &context) {
  SMDiagnostic problem;
  std::unique_ptr<Module> module = parseAssemblyString(text, problem, context);
  if (!module)
    return invalidInput("the snapshot: " + problem.getMessage());
  return std::move(module);
}

/// However the run ends: the log says how far it came. Unsupported where the machine does not know
/// an instruction.
Error PassExplainer::runOnIr(const Module &module, ir::ExecutionLog &log) {
  std::string text;
  raw_string_ostream(text) << module;
  std::vector<Artifact> artifacts = m_artifacts.vec();
  artifacts[pipeline()] = Artifact::makeIr(text);
  RunOptions options;
  options.maxInstructions = m_job.limits.maxInstructions;
  options.seed = m_job.seed;
  options.scheduleSeed = m_job.schedule.seed;
  options.execution = &log;
  Expected<Outcome> outcome = createIrMachine(m_target)->run(m_input, artifacts, options);
  if (!outcome)
    return outcome.takeError();
  return log.end() == ir::RunState::Unsupported ? unsupported(outcome->reason) : Error::success();
}

/// Runs the module with probes before and after the pass and returns a note for the first
/// instruction that differs; nothing where all values agree. An error says which run failed.
Expected<std::optional<Finding>> PassExplainer::explain(ProbeKind kind) {
  LLVMContext context;
  Expected<std::unique_ptr<Module>> module = parse(m_source, context);
  if (!module)
    return module.takeError();
  std::vector<ProbedInstruction> probed = addProbes(**module, kind);
  ir::ExecutionLog before, after;
  if (Error error = runOnIr(**module, before))
    return addContext(std::move(error), "before the pass");
  if (Error error = runPass(m_job.passes.repeats, *m_backend.getTargetMachine(), **module))
    return std::move(error);
  if (Error error = runOnIr(**module, after))
    return addContext(std::move(error), "after the pass");
  std::optional<Divergence> divergence = findDivergence(before, after, probed);
  if (!divergence)
    return std::nullopt;
  const ProbedInstruction &instruction = probed[divergence->number];
  Finding note;
  note.rule = note.signature = divergenceRule.str();
  note.severity = Severity::Note;
  note.location = "function " + instruction.function;
  note.message = m_job.passes.repeats + " gets this instruction wrong";
  note.evidence = {{instructionEvidence.str(), instruction.text},
                   {wrongEvidence.str(), describeDivergence(*divergence)}};
  return note;
}

/// Tries probes of values first, then marks. Adds at most one note to the verdict.
std::optional<Stop> assay::explainPass(const Job &job, const Case &input,
                                       ArrayRef<Artifact> artifacts, Verdict &verdict) {
  noteStage("explain");
  if (job.passes.pipeline.value_or(0) >= artifacts.size())
    return Stop{State::Invalid, "no such pipeline", {}};
  Expected<const TargetInfo *> target = findAmdTarget(job.target);
  if (!target)
    return stopFor(target.takeError(), "explain");
  Expected<std::unique_ptr<Backend>> backend = makeBackend(job.target);
  if (!backend)
    return stopFor(backend.takeError(), "explain");
  PassExplainer explainer(job, input, artifacts, **backend, **target);
  // Probes of values are uses, which may hide what goes wrong; marks are none.
  for (ProbeKind kind : {ProbeKind::Values, ProbeKind::Marks}) {
    Expected<std::optional<Finding>> note = explainer.explain(kind);
    if (!note)
      return stopFor(note.takeError(), "explain");
    if (!*note)
      continue;
    verdict.findings.push_back(std::move(**note));
    return std::nullopt;
  }
  return std::nullopt;
}
