// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// usage: assay-turnip-runs TARGETS COMPILERS SEEDS|switches FILE...
// Whether machine adreno gives the outcome of the reference for the case in each FILE: compiled by
// each of COMPILERS (turnip, turnip-fullsync, turnip-fullnop) for each of TARGETS (a630,...), run
// with results that come at once and as late as the code permits, each by the fixed schedule and by
// SEEDS seeded ones. On stdout one line of JSON a run: its state (pass, fail, refused - by turnip
// -, unsupported, skipped - by the reference) and the reason. With "switches", each is run once as
// it is and once with each switch of Arithmetic changed, and "switches" has the names of those that
// changed a byte. Where a run fails, "joined" says what becomes of the code with (jp) at each place
// that is jumped to and a larger branch stack: what turnip-fullnop leaves out
// (findings/fullnop-branch-stack). Many cases share a process of turnip, which takes a tenth of the
// time that assay diff needs. ci/measure turnip drives it.
#include "harness/peer/turnip/TurnipPeer.h"
#include "oracles/api/OutcomeBytes.h"
#include "oracles/execution/Judge.h"
#include "oracles/input/CaseReader.h"
#include "oracles/machine/adreno/AdrenoMachine.h"
#include "oracles/machine/ir3_isa/Codec.h"
#include "oracles/machine/spirv/SpirvMachine.h"
#include "oracles/turnip/TurnipShader.h"
#include "support/Error.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace assay;

namespace {

constexpr uint32_t SubgroupSize = 64;
/// Cases that one process of turnip compiles. It limits what is lost when that process fails as a
/// whole.
constexpr size_t CasesOfProcess = 40; ///< That one process of turnip compiles.

/// A case and what the reference says of it.
struct Subject {
  std::string path;
  Case input;
  Outcome reference;
};

/// What became of one case by one compiler on one target.
struct Result {
  StringLiteral state; ///< pass, fail, refused, unsupported or skipped.
  std::string reason;
  std::vector<std::string> switches = {}; ///< Of Arithmetic, which change the outcome.
  /// Of a run that the sanitizer has ended: whether it has the right outcome without.
  std::string unsanitized = {};
  /// Of a failure: "pass", or what is wrong of withJoins(), too.
  std::string joined = {};
};

/// How each case is run.
struct Plan {
  SmallVector<StringRef> targets, compilers;
  uint64_t seeds = 0;    ///< Schedules of each case after the first.
  bool switches = false; ///< Tries the switches of Arithmetic instead of schedules.
};

} // namespace

/// Prints one line of JSON and flushes it. \p target and \p compiler are empty for a case that was
/// skipped.
static void report(StringRef path, StringRef target, StringRef compiler, const Result &result) {
  json::Object line{{"case", path},
                    {"target", target},
                    {"compiler", compiler},
                    {"state", result.state},
                    {"reason", json::fixUTF8(result.reason)}};
  if (!result.switches.empty())
    line["switches"] = json::Array(result.switches);
  if (!result.unsanitized.empty())
    line["unsanitized"] = result.unsanitized;
  if (!result.joined.empty())
    line["joined"] = result.joined;
  outs() << json::Value(std::move(line)) << '\n';
  outs().flush();
}

/// Reads the case at \p path and runs it on the reference with subgroups of 64. Reports "skipped"
/// and returns nothing where it can't be read or the reference does not complete.
static std::optional<Subject> readSubject(StringRef path) {
  Expected<Case> input = readCase(path.str(), path.str());
  if (!input) {
    report(path, "", "", {"skipped", takeError(input.takeError()).message});
    return std::nullopt;
  }
  RunOptions options;
  options.subgroupSize = SubgroupSize;
  Expected<Outcome> reference = createSpirvMachine()->run(*input, {}, options);
  if (!reference || reference->kind != OutcomeKind::Completed) {
    report(path, "", "",
           {"skipped", reference ? reference->reason : takeError(reference.takeError()).message});
    return std::nullopt;
  }
  return Subject{path.str(), std::move(*input), std::move(*reference)};
}

/// Returns rule and message of the first finding that is an error, or an empty text.
static std::string firstError(ArrayRef<Finding> findings) {
  for (const Finding &finding : findings)
    if (finding.severity == Severity::Error)
      return finding.rule + ": " + finding.message;
  return "";
}

/// Returns how \p outcome differs from what it should be, or an empty text. A run that compares
/// nothing counts as different. Errors are those of the judgement itself.
static Expected<std::string> judge(const Subject &subject, const Outcome &outcome) {
  std::string error = firstError(outcome.findings);
  if (!error.empty() || outcome.kind != OutcomeKind::Completed)
    return error.empty() ? outcome.reason : error;
  Expected<Judgement> judgement = judgeExpectations(subject.input, outcome);
  if (!judgement)
    return judgement.takeError();
  Expected<Judgement> difference = compareWithReference(subject.input, subject.reference, outcome);
  if (!difference)
    return difference.takeError();
  judgement->merge(std::move(*difference));
  if (!judgement->compared)
    return std::string("nothing was compared");
  return firstError(judgement->findings);
}

/// Makes a result of \p error. An error that is Unsupported gets \p unsupportedState, which says
/// who does not support it; other errors are "fail".
static Result describeError(Error error, StringLiteral unsupportedState) {
  ErrorParts parts = takeError(std::move(error));
  return {parts.kind == ErrorKind::Unsupported ? unsupportedState : StringLiteral("fail"),
          parts.message};
}

/// Runs all schedules that \p options say on one machine and returns the result of the last one,
/// which is the first that does not pass. A hazard is run once more without the sanitizer, for
/// Result::unsanitized.
static Result runSchedules(const Subject &subject, StringRef target, ArrayRef<Artifact> artifacts,
                           RunOptions options) {
  Expected<std::unique_ptr<Machine>> machine = createAdrenoMachine(target);
  if (!machine)
    return describeError(machine.takeError(), "unsupported");
  options.subgroupSize = SubgroupSize;
  options.reference = &subject.reference;
  Expected<Outcome> outcome = (*machine)->run(subject.input, artifacts, options);
  if (!outcome)
    return describeError(outcome.takeError(), "unsupported");
  if (outcome->kind == OutcomeKind::Unsupported)
    return {"unsupported", outcome->reason};
  Expected<std::string> wrong = judge(subject, *outcome);
  if (!wrong)
    return describeError(wrong.takeError(), "fail");
  if (wrong->empty())
    return {"pass", ""};
  Result result = {"fail",
                   (options.schedule == ScheduleKind::Late ? "late: " : "eager: ") + *wrong};
  if (outcome->kind == OutcomeKind::Hazard && options.sanitize) {
    options.sanitize = false;
    result.unsanitized = runSchedules(subject, target, artifacts, options).state.str();
  }
  return result;
}

/// Runs eager schedules, then late ones. Ends at the first result that is no pass.
static Result runAll(const Subject &subject, StringRef target, ArrayRef<Artifact> artifacts,
                     uint64_t seeds) {
  for (ScheduleKind schedule : {ScheduleKind::Eager, ScheduleKind::Late}) {
    RunOptions options;
    options.schedule = schedule;
    options.schedules = 1 + seeds;
    Result result = runSchedules(subject, target, artifacts, options);
    if (result.state != "pass")
      return result;
  }
  return {"pass", ""};
}

/// Returns the switches of Arithmetic that the outcome depends on. Compares kind and bytes of the
/// outcome with those of the usual arithmetic, one switch at a time; the reference is not
/// consulted. An error of a run ends the attempts.
static Result trySwitches(const Subject &subject, StringRef target, ArrayRef<Artifact> artifacts) {
  auto execute = [&](const adreno::Arithmetic &arithmetic) -> Expected<Outcome> {
    Expected<std::unique_ptr<Machine>> machine = createAdrenoMachine(target, nullptr, arithmetic);
    if (!machine)
      return machine.takeError();
    RunOptions options;
    options.subgroupSize = SubgroupSize;
    return (*machine)->run(subject.input, artifacts, options);
  };
  Expected<Outcome> usual = execute({});
  if (!usual)
    return describeError(usual.takeError(), "unsupported");
  Result result = {"pass", ""};
  for (const adreno::ArithmeticSwitch &each : adreno::arithmeticSwitches()) {
    adreno::Arithmetic arithmetic;
    each.flip(arithmetic);
    Expected<Outcome> outcome = execute(arithmetic);
    if (!outcome)
      return describeError(outcome.takeError(), "unsupported");
    if (usual->kind != outcome->kind || !haveSameBytes(*usual, *outcome))
      result.switches.push_back(each.name.str());
  }
  return result;
}

/// \p shader with (jp) at each place that is jumped to, and the largest branch stack.
static turnip::TurnipShader withJoins(turnip::TurnipShader shader, adreno::Chip chip) {
  for (auto [pc, word] : enumerate(shader.code)) {
    adreno::Inst inst = adreno::decode(word, chip);
    if (!inst.isValid() || inst.category() != 0 || !inst.has(adreno::Field::Immediate))
      continue;
    uint64_t target = pc + uint64_t(inst.getSigned(adreno::Field::Immediate));
    if (target == pc || target >= shader.code.size())
      continue;
    adreno::Inst place = adreno::decode(shader.code[target], chip);
    if (place.isValid() && place.set(adreno::Field::Join, 1))
      shader.code[target] = place.word();
  }
  shader.launch.branchStack = 32;
  return shader;
}

/// Returns the environment variables that make turnip add all syncs or all nops, for the compilers
/// turnip-fullsync and turnip-fullnop. Empty for turnip.
static std::vector<std::string> environmentOf(StringRef compiler) {
  if (!compiler.consume_front("turnip-"))
    return {};
  return {("IR3_SHADER_DEBUG=" + compiler).str()};
}

/// Compiles all \p subjects in one process of turnip, and reports each. Errors are those of that
/// process, not of a case.
static Error compileAndRun(const turnip::TurnipPeer &peer, StringRef target, StringRef compiler,
                           ArrayRef<Subject> subjects, const Plan &plan) {
  std::vector<const Case *> inputs;
  for (const Subject &subject : subjects)
    inputs.push_back(&subject.input);
  Expected<std::vector<Expected<turnip::Compilation>>> all =
      peer.compileAll(inputs, SubgroupSize, environmentOf(compiler));
  if (!all)
    return all.takeError();
  for (auto [subject, compiled] : zip_equal(subjects, *all)) {
    Result result = {"fail", ""};
    if (!compiled) {
      result = describeError(compiled.takeError(), "refused");
    } else if (!compiled->death.empty()) {
      result.reason = "turnip dies: " + compiled->death;
    } else {
      std::vector<Artifact> artifacts;
      for (const turnip::TurnipShader &shader : compiled->shaders)
        artifacts.emplace_back(turnip::writeTurnipShader(shader));
      result = plan.switches ? trySwitches(subject, target, artifacts)
                             : runAll(subject, target, artifacts, plan.seeds);
      if (result.state == "fail" && !plan.switches) {
        std::vector<Artifact> joined;
        for (const turnip::TurnipShader &shader : compiled->shaders)
          joined.emplace_back(
              turnip::writeTurnipShader(withJoins(shader, *adreno::findChip(target))));
        Result again = runAll(subject, target, joined, plan.seeds);
        result.joined = again.state == "pass" ? "pass" : again.reason;
      }
    }
    report(subject.path, target, compiler, result);
  }
  return Error::success();
}

/// Takes CasesOfProcess files at a time. The reference runs once for each. Unsupported where turnip
/// is not available for a target.
static Error measure(const Plan &plan, ArrayRef<char *> files) {
  for (; !files.empty(); files = files.drop_front(std::min(files.size(), CasesOfProcess))) {
    std::vector<Subject> subjects;
    for (StringRef path : files.take_front(CasesOfProcess))
      if (std::optional<Subject> subject = readSubject(path))
        subjects.push_back(std::move(*subject));
    for (StringRef target : plan.targets) {
      Expected<turnip::TurnipPeer> peer = turnip::TurnipPeer::create(target);
      if (!peer)
        return peer.takeError();
      for (StringRef compiler : plan.compilers)
        if (Error error = compileAndRun(*peer, target, compiler, subjects, plan))
          return error;
    }
  }
  return Error::success();
}

/// Exit status 2 for a usage error, 77 where turnip is not available, 1 for other errors. Runs that
/// fail do not change the status.
int main(int argc, char **argv) {
  Plan plan;
  plan.switches = argc > 3 && StringRef(argv[3]) == "switches";
  if (argc < 5 || (!plan.switches && StringRef(argv[3]).getAsInteger(10, plan.seeds))) {
    errs() << "usage: assay-turnip-runs TARGETS COMPILERS SEEDS|switches FILE...\n";
    return 2;
  }
  SplitString(argv[1], plan.targets, ",");
  SplitString(argv[2], plan.compilers, ",");
  if (Error error = measure(plan, ArrayRef(argv + 4, size_t(argc) - 4))) {
    ErrorParts parts = takeError(std::move(error));
    errs() << parts.message << '\n';
    return parts.kind == ErrorKind::Unsupported ? 77 : 1;
  }
  return 0;
}
