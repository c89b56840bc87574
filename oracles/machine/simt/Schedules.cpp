// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/machine/simt/Schedules.h"

#include "oracles/machine/simt/Rules.h"
#include "oracles/machine/simt/TraceRange.h"
#include "support/Error.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Support/xxhash.h"

using namespace llvm;
using namespace assay;
using namespace assay::simt;

/// Instructions that the traces of a finding show before and after the one that differs.
static constexpr uint64_t TraceBefore = 4;
static constexpr uint64_t TraceAfter = 2;

namespace {
/// One run; a witness, if not null, sees all instructions.
using RunWith = function_ref<Expected<Outcome>(const RunOptions &options, Witness *witness)>;

/// Where two outcomes differ.
struct Disagreement {
  std::string text;     ///< "buffer 1 ... byte 12: ...".
  std::string location; ///< "checkpoint 0, buffer 1, byte 12".
};
} // namespace

/// True when the reference allows more than one value of a bit of byte \p at.
static bool isOpen(const BufferState *reference, uint64_t at) {
  if (!reference)
    return false;
  if (findAlternatives(*reference, at))
    return true;
  auto range = reference->indeterminate.upper_bound(at);
  if (range != reference->indeterminate.begin() &&
      at - std::prev(range)->first < std::prev(range)->second)
    return true;
  auto interval = reference->intervals.upper_bound(at);
  if (interval != reference->intervals.begin() &&
      at - std::prev(interval)->first < std::prev(interval)->second.bytes)
    return true;
  auto field = reference->fields.lower_bound(at * 8 + 8);
  return field != reference->fields.begin() &&
         std::prev(field)->first + std::prev(field)->second.bits > at * 8;
}

static const BufferState *findState(const Outcome *outcome, size_t checkpoint, size_t buffer) {
  if (!outcome || checkpoint >= outcome->checkpoints.size() ||
      buffer >= outcome->checkpoints[checkpoint].size())
    return nullptr;
  return &outcome->checkpoints[checkpoint][buffer];
}

static std::optional<Disagreement> compareBuffers(const Case &input, const Outcome &first,
                                                  const Outcome &second, const Outcome *reference) {
  for (auto [checkpoint, buffers] : enumerate(first.checkpoints)) {
    for (auto [index, state] : enumerate(buffers)) {
      const BufferState *other = findState(&second, checkpoint, index);
      const BufferState *open = findState(reference, checkpoint, index);
      for (size_t at = 0; other && at < state.bytes.size(); ++at) {
        if (state.bytes[at] == other->bytes[at] || isOpen(open, at))
          continue;
        std::string where = "buffer '" + input.buffers[index].name + "', byte " + utostr(at);
        return Disagreement{
            where + ": " + utostr(state.bytes[at]) + " and " + utostr(other->bytes[at]), where};
      }
    }
  }
  return std::nullopt;
}

static std::optional<Disagreement> compareOutcomes(const Case &input, const Outcome &first,
                                                   const Outcome &second,
                                                   const Outcome *reference) {
  auto survives = [](const Outcome &outcome) {
    return outcome.kind == OutcomeKind::Completed || outcome.kind == OutcomeKind::Hazard;
  };
  if (survives(first) && survives(second))
    return compareBuffers(input, first, second, reference);
  if (first.kind == second.kind)
    return std::nullopt;
  auto describe = [&](const Outcome &outcome) {
    return survives(outcome) ? "it ends" : outcome.reason;
  };
  return Disagreement{describe(first) + "; and " + describe(second), ""};
}

/// The instructions around \p place, as a run with \p options does them.
static std::string traceAt(const WitnessPlace &place, RunOptions options, RunWith runWith) {
  std::string text;
  raw_string_ostream os(text);
  options.log = nullptr;
  options.threads = 1;
  options.trace = {};
  options.trace.out = &os;
  options.trace.dispatch = place.dispatch;
  options.trace.group = place.group;
  options.trace.wave = place.wave;
  options.trace.first = place.instruction - std::min(place.instruction, TraceBefore);
  options.trace.count = place.instruction - options.trace.first + 1 + TraceAfter;
  if (Expected<Outcome> outcome = runWith(options, nullptr); !outcome)
    consumeError(outcome.takeError()); // The run that is traced ended well before.
  return text;
}

static std::string describeSeed(const RunOptions &options) {
  return "--schedule-seed " + utostr(scheduleHeaderOf(options).scheduleSeed);
}

/// Looks for the place where two schedules part.
static Expected<Finding> makeFinding(const Disagreement &difference, RunOptions first,
                                     RunOptions second, RunWith runWith) {
  first.log = second.log = nullptr;
  first.trace = second.trace = {};
  first.threads = second.threads = 1;
  Finding finding;
  finding.rule = ruleId(Rule::ScheduleDiff);
  finding.message = "schedules " + describeSeed(first) + " and " + describeSeed(second) +
                    " differ: " + difference.text;
  finding.location = difference.location;
  finding.signature = finding.rule;
  Witness witnesses[2];
  for (auto [options, witness] :
       {std::pair(&first, &witnesses[0]), std::pair(&second, &witnesses[1])}) {
    Expected<Outcome> outcome = runWith(*options, witness);
    if (!outcome)
      return outcome.takeError();
  }
  std::optional<WitnessPlace> place = witnesses[0].findDifference(witnesses[1]);
  if (!place)
    return std::move(finding);
  finding.message += "; the first instruction that differs is at pc 0x" +
                     utohexstr(place->pc, /*LowerCase=*/true) + " of wave " + utostr(place->wave) +
                     " of workgroup " + utostr(place->group);
  finding.evidence = {{"trace of " + describeSeed(first), traceAt(*place, first, runWith)},
                      {"trace of " + describeSeed(second), traceAt(*place, second, runWith)}};
  return std::move(finding);
}

/// Adds what \p more has to report; equal findings once.
static void mergeFindings(Outcome &outcome, const Outcome &more) {
  for (const Finding &finding : more.findings) {
    bool known = any_of(outcome.findings, [&](const Finding &other) {
      return other.signature == finding.signature && other.location == finding.location;
    });
    if (known)
      continue;
    outcome.findings.push_back(finding);
    if (outcome.kind == OutcomeKind::Completed && finding.severity == Severity::Error) {
      outcome.kind = OutcomeKind::Hazard;
      outcome.reason = finding.rule + ": " + finding.message;
    }
  }
}

static Expected<Outcome> runSchedules(const Case &input, const RunOptions &options,
                                      RunWith runWith) {
  Expected<Outcome> first = runWith(options, nullptr);
  if (!first || first->kind == OutcomeKind::Unsupported || first->kind == OutcomeKind::Invalid)
    return first;
  uint64_t seed = scheduleHeaderOf(options).scheduleSeed;
  for (uint64_t i = 1; i < options.schedules; ++i) {
    RunOptions other = options;
    other.log = nullptr;
    other.replay = nullptr;
    other.trace = {};
    other.scheduleSeed = seed + i;
    Expected<Outcome> outcome = runWith(other, nullptr);
    if (!outcome)
      return outcome.takeError();
    first->instructions += outcome->instructions;
    auto difference = compareOutcomes(input, *first, *outcome, options.reference);
    mergeFindings(*first, *outcome);
    if (!difference)
      continue;
    Expected<Finding> finding = makeFinding(*difference, options, other, runWith);
    if (!finding)
      return finding.takeError();
    Outcome found;
    found.findings.push_back(std::move(*finding));
    mergeFindings(*first, found);
    break;
  }
  return first;
}

static Outcome makeInvalid(std::string reason) {
  Outcome outcome;
  outcome.kind = OutcomeKind::Invalid;
  outcome.reason = std::move(reason);
  return outcome;
}

/// A digest of everything that a run depends on, except its options.
static std::string digestOf(const Case &input, ArrayRef<Artifact> artifacts) {
  std::vector<uint64_t> parts;
  for (const Artifact &artifact : artifacts)
    parts.push_back(xxh3_64bits(artifact.bytes()));
  for (const Buffer &buffer : input.buffers)
    parts.push_back(xxh3_64bits(buffer.bytes));
  return utohexstr(xxh3_64bits(ArrayRef(reinterpret_cast<const uint8_t *>(parts.data()),
                                        parts.size() * sizeof(uint64_t))),
                   /*LowerCase=*/true, 16);
}

/// Of a run that ended well, says so when a requested trace is empty.
static void checkTrace(const TraceOptions &options, uint64_t bytes, Outcome &outcome) {
  if (outcome.kind != OutcomeKind::Completed && outcome.kind != OutcomeKind::Hazard)
    return;
  if (std::string reason = explainTrace(options, bytes); !reason.empty())
    outcome = makeInvalid(std::move(reason));
}

Expected<Outcome> simt::runCase(const Case &input, ArrayRef<Artifact> artifacts,
                                const RunOptions &options, RunOnce runOnce) {
  std::string digest = digestOf(input, artifacts);
  auto runWith = [&](const RunOptions &each, Witness *witness) -> Expected<Outcome> {
    Expected<ScheduleLog> log = ScheduleLog::create(each, digest);
    if (!log)
      return makeInvalid(assay::takeError(log.takeError()).message);
    RunContext context{each, std::move(*log), witness};
    return runOnce(context);
  };
  uint64_t begin = options.trace.out ? options.trace.out->tell() : 0;
  Expected<Outcome> outcome =
      options.schedules > 1 ? runSchedules(input, options, runWith) : runWith(options, nullptr);
  if (outcome && options.trace.out && !artifacts.empty())
    checkTrace(options.trace, options.trace.out->tell() - begin, *outcome);
  return outcome;
}

bool simt::addResult(DispatchResult result, Outcome &outcome) {
  outcome.instructions += result.instructions;
  append_range(outcome.findings, result.reports);
  auto worst =
      find_if(result.reports, [](const Finding &each) { return each.severity == Severity::Error; });
  if (worst != result.reports.end() && outcome.kind == OutcomeKind::Completed) {
    outcome.kind = OutcomeKind::Hazard;
    outcome.reason = worst->rule + ": " + worst->message;
  }
  append_range(outcome.findings, result.failure.findings);
  if (result.failure.kind == OutcomeKind::Completed)
    return true;
  outcome.kind = result.failure.kind;
  outcome.reason = result.failure.reason;
  return false;
}
