// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/machine/gcn/Schedules.h"

#include "oracles/machine/gcn/SanitizerRules.h"
#include "oracles/machine/gcn/ScheduleLog.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace assay;
using namespace assay::gcn;

/// Instructions that the traces of a finding show before and behind the one that differs.
static constexpr uint64_t TraceBefore = 4;
static constexpr uint64_t TraceBehind = 2;

namespace {
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
static std::string traceAt(const WitnessPlace &place, RunOptions options, RunOnce runOnce) {
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
  options.trace.count = place.instruction - options.trace.first + 1 + TraceBehind;
  if (Expected<Outcome> outcome = runOnce(options, nullptr); !outcome)
    consumeError(outcome.takeError()); // The run that is traced ended well before.
  return text;
}

static std::string describeSeed(const RunOptions &options) {
  return "--schedule-seed " + utostr(scheduleHeaderOf(options).scheduleSeed);
}

/// Looks for the place where two schedules part.
static Expected<Finding> makeFinding(const Disagreement &difference, RunOptions first,
                                     RunOptions second, RunOnce runOnce) {
  first.log = second.log = nullptr;
  first.trace = second.trace = {};
  first.threads = second.threads = 1;
  Finding finding;
  finding.rule = sanitizerRuleId(SanitizerRule::ScheduleDiff);
  finding.message = "schedules " + describeSeed(first) + " and " + describeSeed(second) +
                    " differ: " + difference.text;
  finding.location = difference.location;
  finding.signature = finding.rule;
  Witness witnesses[2];
  for (auto [options, witness] :
       {std::pair(&first, &witnesses[0]), std::pair(&second, &witnesses[1])}) {
    Expected<Outcome> outcome = runOnce(*options, witness);
    if (!outcome)
      return outcome.takeError();
  }
  std::optional<WitnessPlace> place = witnesses[0].findDifference(witnesses[1]);
  if (!place)
    return std::move(finding);
  finding.message += "; the first instruction that differs is at pc 0x" +
                     utohexstr(place->pc, /*LowerCase=*/true) + " of wave " + utostr(place->wave) +
                     " of workgroup " + utostr(place->group);
  finding.evidence = {{"trace of " + describeSeed(first), traceAt(*place, first, runOnce)},
                      {"trace of " + describeSeed(second), traceAt(*place, second, runOnce)}};
  return std::move(finding);
}

/// Adds what \p more has to object to; equal objections once.
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

Expected<Outcome> gcn::runSchedules(const Case &input, const RunOptions &options, RunOnce runOnce) {
  Expected<Outcome> first = runOnce(options, nullptr);
  if (!first || first->kind == OutcomeKind::Unsupported || first->kind == OutcomeKind::Invalid)
    return first;
  uint64_t seed = scheduleHeaderOf(options).scheduleSeed;
  for (uint64_t i = 1; i < options.schedules; ++i) {
    RunOptions other = options;
    other.log = nullptr;
    other.replay = nullptr;
    other.trace = {};
    other.scheduleSeed = seed + i;
    Expected<Outcome> outcome = runOnce(other, nullptr);
    if (!outcome)
      return outcome.takeError();
    first->instructions += outcome->instructions;
    auto difference = compareOutcomes(input, *first, *outcome, options.reference);
    mergeFindings(*first, *outcome);
    if (!difference)
      continue;
    Expected<Finding> finding = makeFinding(*difference, options, other, runOnce);
    if (!finding)
      return finding.takeError();
    Outcome found;
    found.findings.push_back(std::move(*finding));
    mergeFindings(*first, found);
    break;
  }
  return first;
}
