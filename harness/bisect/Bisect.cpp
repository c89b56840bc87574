// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/bisect/Bisect.h"

#include "support/Error.h"
#include "support/Json.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <iterator>
#include <optional>

using namespace llvm;
using namespace assay;

/// Index: RevisionState.
static constexpr StringRef stateNames[] = {"good", "bad", "skip", "unsure"};

StringRef assay::revisionStateName(RevisionState state) {
  return stateNames[static_cast<unsigned>(state)];
}

namespace {

/// One bisection. Keeps references to its arguments.
class Search {
public:
  Search(ArrayRef<std::string> revisions, const FlakePolicy &policy, RunRevision run, NoteStep note)
      : m_revisions(revisions), m_policy(policy), m_run(run), m_note(note),
        m_states(revisions.size()) {}

  /// Verifies both ends, the newest first, and narrows the range until no revision between the ends
  /// can be asked.
  Expected<BisectResult> search();

private:
  /// Runs the revision until its state is decided, and adds the step to the log.
  Expected<RevisionState> judge(size_t index);
  /// InvalidInput if the end is not \p wanted.
  Error verifyEnd(size_t index, RevisionState wanted);
  /// Indices of the ends are not picked; nothing where all between them were asked.
  std::optional<size_t> pick(size_t good, size_t bad) const;

  ArrayRef<std::string> m_revisions;
  const FlakePolicy &m_policy;
  RunRevision m_run;
  NoteStep m_note;
  std::vector<std::optional<RevisionState>> m_states; ///< Of those that were asked.
  BisectResult m_result;
};

} // namespace

/// Runs that ended in \p state.
static size_t countRuns(const RevisionStep &step, RevisionState state) {
  return static_cast<size_t>(
      count_if(step.runs, [&](const RevisionRun &run) { return run.state == state; }));
}

// A revision that cannot be tested once cannot be tested.
static std::optional<RevisionState> decide(const RevisionStep &step, const FlakePolicy &policy) {
  if (countRuns(step, RevisionState::Skip))
    return RevisionState::Skip;
  size_t bad = countRuns(step, RevisionState::Bad);
  size_t left = policy.runs - step.runs.size();
  if (bad >= policy.needed)
    return RevisionState::Bad;
  if (left != 0 && (bad + left >= policy.needed || bad == 0))
    return bad + left >= policy.needed ? std::nullopt : std::optional(RevisionState::Good);
  return bad == 0 ? RevisionState::Good : RevisionState::Unsure;
}

Expected<RevisionState> Search::judge(size_t index) {
  RevisionStep step;
  step.revision = m_revisions[index];
  std::optional<RevisionState> state;
  while (!state) {
    Expected<RevisionRun> run = m_run(step.revision);
    if (!run)
      return addContext(run.takeError(), step.revision);
    step.runs.push_back(std::move(*run));
    state = decide(step, m_policy);
  }
  step.state = *state;
  m_states[index] = state;
  if (m_note)
    m_note(step);
  m_result.log.push_back(std::move(step));
  return *state;
}

Error Search::verifyEnd(size_t index, RevisionState wanted) {
  Expected<RevisionState> state = judge(index);
  if (!state)
    return state.takeError();
  if (*state == wanted)
    return Error::success();
  std::string message = ("revision " + m_revisions[index] + " was said to be " +
                         revisionStateName(wanted) + " and is " + revisionStateName(*state))
                            .str();
  // It may have begun with the ability to show it.
  if (wanted == RevisionState::Good && *state == RevisionState::Skip)
    message += ": an end must be testable, or nothing can be said of what came before";
  return invalidInput(message);
}

/// The revision next to the middle that nobody asked yet.
std::optional<size_t> Search::pick(size_t good, size_t bad) const {
  size_t middle = good + (bad - good) / 2;
  for (size_t distance = 0; distance < bad - good; ++distance)
    for (size_t candidate : {middle - std::min(distance, middle), middle + distance})
      if (candidate > good && candidate < bad && !m_states[candidate])
        return candidate;
  return std::nullopt;
}

Expected<BisectResult> Search::search() {
  size_t good = 0;
  size_t bad = m_revisions.size() - 1;
  // The newest first: what is gone by now is not worth the search.
  if (Error error = verifyEnd(bad, RevisionState::Bad))
    return std::move(error);
  if (Error error = verifyEnd(good, RevisionState::Good))
    return std::move(error);
  while (std::optional<size_t> next = pick(good, bad)) {
    Expected<RevisionState> state = judge(*next);
    if (!state)
      return state.takeError();
    if (*state == RevisionState::Good)
      good = *next;
    else if (*state == RevisionState::Bad)
      bad = *next;
  }
  m_result.lastGood = m_revisions[good];
  for (size_t i = good + 1; i <= bad; ++i)
    m_result.suspects.push_back(m_revisions[i]);
  return std::move(m_result);
}

Expected<BisectResult> assay::bisectRevisions(ArrayRef<std::string> revisions,
                                              const FlakePolicy &policy, RunRevision run,
                                              NoteStep note) {
  if (revisions.size() < 2)
    return invalidInput("there is nothing between a revision and itself");
  if (policy.needed < 1 || policy.needed > policy.runs)
    return invalidInput("of " + Twine(policy.runs) + " runs, " + Twine(policy.needed) +
                        " cannot be bad");
  return Search(revisions, policy, run, note).search();
}

void assay::writeBisectStep(raw_ostream &os, const RevisionStep &step) {
  size_t same =
      countRuns(step, step.state == RevisionState::Unsure ? RevisionState::Bad : step.state);
  os << left_justify(revisionStateName(step.state), 6) << " " << step.revision << " (" << same
     << " of " << step.runs.size() << (step.runs.size() == 1 ? " run)" : " runs)");
  if (!step.runs.back().said.empty())
    os << ": " << step.runs.back().said;
  os << "\n";
}

void assay::writeBisectText(raw_ostream &os, const BisectResult &result) {
  for (const RevisionStep &step : result.log)
    writeBisectStep(os, step);
  if (result.isUnique()) {
    os << "first bad: " << result.suspects.front() << " (last good: " << result.lastGood << ")\n";
    return;
  }
  os << "first bad: one of " << result.suspects.size() << " revisions after " << result.lastGood
     << ":\n";
  for (const std::string &suspect : result.suspects)
    os << "    " << suspect << "\n";
}

void assay::writeBisectJson(raw_ostream &os, const BisectResult &result) {
  json::OStream json(os, /*IndentSize=*/1);
  json.object([&] {
    json.attribute("schema", "assay.bisect/1");
    json.attribute("unique", result.isUnique());
    writeTextAttribute(json, "last_good", result.lastGood);
    writeTextsAttribute(json, "suspects", result.suspects);
    json.attributeArray("log", [&] {
      for (const RevisionStep &step : result.log)
        json.object([&] {
          writeTextAttribute(json, "revision", step.revision);
          json.attribute("state", revisionStateName(step.state));
          json.attributeArray("runs", [&] {
            for (const RevisionRun &run : step.runs)
              json.object([&] {
                json.attribute("state", revisionStateName(run.state));
                writeTextAttribute(json, "said", run.said);
              });
          });
        });
    });
  });
  os << "\n";
}
