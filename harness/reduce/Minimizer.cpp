// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/reduce/Minimizer.h"

#include "harness/reduce/SpirvReduce.h"
#include "harness/reduce/StepReduction.h"
#include "harness/reduce/TriedCandidates.h"
#include "support/Error.h"
#include "support/File.h"
#include "support/LineDiff.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/xxhash.h"
#include <chrono>

using namespace llvm;
using namespace assay;
using Clock = std::chrono::steady_clock;

namespace {

/// What is known of a candidate without asking anyone, and what would be asked.
struct Known {
  std::optional<Judged> judged;
  /// The candidate as AmberScript; empty if it can't be printed.
  std::string text;
  /// xxh3 of the text.
  uint64_t hash = 0;
  StringRef reduction;
};

/// One minimization. A second run on the same folder repeats the search with the answers in
/// tried.jsonl until it reaches a candidate that nobody has judged.
class Minimizer {
public:
  Minimizer(Subject subject, const Predicate &predicate, const MinimizeOptions &options,
            const WorkFolder &folder, TriedCandidates tried,
            std::vector<std::unique_ptr<Reduction>> reductions)
      : m_options(options), m_reductions(std::move(reductions)),
        m_deadCode(predicate.checkReference ? DeadCode::Goes : DeadCode::MayMatter),
        m_search(std::move(subject), m_reductions, m_deadCode),
        m_judge(predicate, options.pool, folder), m_tried(std::move(tried)) {}

  /// Judges the original case. InvalidInput if it does not satisfy the predicate.
  Error begin(StringRef original);
  /// Before run(): steps of the log are cut first, and nothing else.
  void beginWithSteps();
  /// Runs until nothing is left or time is up, and writes the result.
  Expected<MinimizeResult> run();

private:
  /// Prints the candidate and looks for an earlier answer. \p bestHash is that of the best case at
  /// that point of the search.
  Known lookUp(const Candidate &candidate, uint64_t bestHash) const;
  /// Has \p first judged, together with guesses of what is needed next, and keeps all answers.
  Error ask(const Known &first);
  std::vector<Known> foresee(const Known &first) const;
  Error take(const Known &known);
  /// Keeps the candidate, which passes, unless the one that is kept takes fewer cuts.
  void noteNeighbour(const Known &known);
  /// Writes the best case, the steps to it and, for a case with a log, what is left of the log.
  Error writeBest();
  /// Continues with the other reductions when no step of the log can be cut.
  bool enterNextPhase();
  /// Writes the best case and its difference to a case that passes.
  Error finish(bool isFinished);
  bool isOverTime() const;
  std::string path(StringRef name) const { return m_options.output + "/" + name.str(); }

  const MinimizeOptions &m_options;
  Clock::time_point m_start = Clock::now();
  std::vector<std::unique_ptr<Reduction>> m_reductions;
  std::vector<std::unique_ptr<Reduction>> m_stepReductions; ///< Empty unless steps are being cut.
  DeadCode m_deadCode;
  Search m_search;
  CandidateJudge m_judge;
  TriedCandidates m_tried;
  MinimizeResult m_result;
  uint64_t m_bestHash = 0;
  std::string m_bestText;
  std::vector<fuzz::Step> m_bestSteps;
  /// Lines of steps.jsonl.
  std::string m_steps;
  bool m_guess = false;       ///< What the next candidate will probably do: as the last.
  bool m_isReplaying = true;  ///< Nothing was asked yet: files are ahead of this.
  std::string m_neighbour;    ///< Text of the last candidate of the best that passes,
  size_t m_neighbourCuts = 0; ///< and how many chances it takes; one is best.
};

} // namespace

/// A candidate that is no case at all, or the same as the best one, shows nothing.
Known Minimizer::lookUp(const Candidate &candidate, uint64_t bestHash) const {
  Known known;
  known.reduction = candidate.reduction;
  Expected<std::string> text = printSubject(candidate.subject);
  if (!text) {
    consumeError(text.takeError());
    known.judged = Judged::Other;
    return known;
  }
  known.text = std::move(*text);
  known.hash = xxh3_64bits(known.text);
  known.judged = known.hash == bestHash ? Judged::Other : m_tried.find(known.hash);
  return known;
}

/// \p first, and what the search would ask next if the answers were as guessed.
std::vector<Known> Minimizer::foresee(const Known &first) const {
  std::vector<Known> wanted{first};
  if (m_judge.width() == 1)
    return wanted;
  // What needs no worker is not counted, but bounded: nobody waits for guesses.
  constexpr unsigned MostGuesses = 32;
  Search guess = m_search;
  guess.becomeGuess();
  guess.tell(m_guess);
  uint64_t bestHash = m_guess ? first.hash : m_bestHash;
  for (unsigned i = 0; i < MostGuesses && wanted.size() < m_judge.width(); ++i) {
    const std::optional<Candidate> &candidate = guess.next();
    if (!candidate)
      break;
    Known known = lookUp(*candidate, bestHash);
    bool shows = known.judged ? *known.judged == Judged::Shows : m_guess;
    if (!known.judged &&
        none_of(wanted, [&](const Known &other) { return other.hash == known.hash; }))
      wanted.push_back(known);
    if (shows)
      bestHash = known.hash;
    guess.tell(shows);
  }
  return wanted;
}

/// Judges the candidate together with those that are likely to be asked about next.
Error Minimizer::ask(const Known &first) {
  std::vector<Known> wanted = foresee(first);
  std::vector<std::string> texts;
  for (const Known &known : wanted)
    texts.push_back(known.text);
  Expected<std::vector<Judged>> judged = m_judge.judge(texts);
  if (!judged)
    return judged.takeError();
  std::vector<TriedCandidate> results;
  for (auto [known, result] : zip_equal(wanted, *judged))
    results.push_back({known.hash, result, known.reduction});
  m_isReplaying = false;
  return m_tried.add(results);
}

Error Minimizer::writeBest() {
  if (m_options.origin) {
    fuzz::TransformationLog log = m_options.origin->log;
    log.steps = m_bestSteps;
    if (Error error = writeFile(path("transform.jsonl"), StringRef(fuzz::printLog(log))))
      return error;
  }
  if (Error error = writeFile(path("minimal.amber"), StringRef(m_bestText)))
    return error;
  return writeFile(path("steps.jsonl"), StringRef(m_steps));
}

/// The candidate becomes the best. Nothing is written while an earlier run is repeated: its files
/// are further.
Error Minimizer::take(const Known &known) {
  const Candidate &candidate = *m_search.next();
  m_bestHash = known.hash;
  m_bestText = known.text;
  m_bestSteps = candidate.subject.steps;
  m_neighbour.clear();
  ++m_result.steps;
  m_result.instructionsAfter = countInstructions(candidate.subject);
  json::Value step =
      json::Object{{"step", m_result.steps},
                   {"reduction", candidate.reduction},
                   {"chances", candidate.chances},
                   {"instructions", m_result.instructionsAfter},
                   {"case", utohexstr(known.hash, /*LowerCase=*/true, /*Width=*/16)}};
  m_steps += formatv("{0}\n", step).str();
  if (m_options.progress)
    m_options.progress(
        {m_result.instructionsAfter, m_result.steps, m_tried.size(), candidate.reduction});
  return m_isReplaying ? Error::success() : writeBest();
}

void Minimizer::noteNeighbour(const Known &known) {
  size_t cuts = m_search.next()->chances;
  if (!m_neighbour.empty() && cuts > m_neighbourCuts)
    return;
  m_neighbour = known.text;
  m_neighbourCuts = cuts;
}

/// Never while an earlier run is repeated: its files are further than the best so far.
bool Minimizer::isOverTime() const {
  std::chrono::duration<double> spent = Clock::now() - m_start;
  return !m_isReplaying && m_options.maxSeconds > 0 && spent.count() > m_options.maxSeconds;
}

Error Minimizer::finish(bool isFinished) {
  m_result.isFinished = isFinished;
  m_result.hasNeighbour = !m_neighbour.empty();
  m_result.tried = m_tried.size();
  if (Error error = writeBest())
    return error;
  if (m_neighbour.empty())
    return writeFile(path("difference.txt"),
                     StringRef("No case that is one cut smaller passes.\n"));
  if (Error error = writeFile(path("neighbour.amber"), StringRef(m_neighbour)))
    return error;
  std::string difference = diffLines("minimal.amber", m_bestText, "neighbour.amber", m_neighbour);
  return writeFile(path("difference.txt"), StringRef(difference));
}

/// \p original is the text of the subject that the search has.
Error Minimizer::begin(StringRef original) {
  m_bestText = original.str();
  m_bestHash = xxh3_64bits(original);
  m_result.instructionsBefore = m_result.instructionsAfter = countInstructions(m_search.best());
  std::optional<Judged> judged = m_tried.find(m_bestHash);
  if (!judged) {
    Expected<std::vector<Judged>> answer = m_judge.judge(m_bestText);
    if (!answer)
      return answer.takeError();
    judged = answer->front();
    if (Error error = m_tried.add({{m_bestHash, *judged, "original"}}))
      return error;
  }
  if (*judged != Judged::Shows)
    return invalidInput("the case, written again, does not show what the predicate asks for");
  return Error::success();
}

void Minimizer::beginWithSteps() {
  m_bestSteps = m_options.origin->log.steps;
  Subject subject = m_search.best();
  subject.steps = m_bestSteps;
  m_stepReductions.push_back(makeStepReduction(*m_options.origin));
  m_search = Search(std::move(subject), m_stepReductions, DeadCode::Stays);
}

/// False where there is none. What one step less makes of the case is no neighbour of the result.
bool Minimizer::enterNextPhase() {
  if (m_stepReductions.empty())
    return false;
  m_search = Search(m_search.best(), m_reductions, m_deadCode);
  m_stepReductions.clear();
  m_neighbour.clear();
  return true;
}

Expected<MinimizeResult> Minimizer::run() {
  while (true) {
    const std::optional<Candidate> &candidate = m_search.next();
    bool isOver = isOverTime();
    if (!candidate && !isOver && enterNextPhase())
      continue;
    if (!candidate || isOver) {
      if (Error error = finish(!candidate))
        return std::move(error);
      return m_result;
    }
    Known known = lookUp(*candidate, m_bestHash);
    if (!known.judged) {
      if (Error error = ask(known))
        return std::move(error);
      known.judged = m_tried.find(known.hash);
    }
    bool shows = *known.judged == Judged::Shows;
    if (shows) {
      if (Error error = take(known))
        return std::move(error);
    } else if (*known.judged == Judged::Passes) {
      noteNeighbour(known);
    }
    m_guess = shows;
    m_search.tell(shows);
  }
}

/// Writes \p text where nothing stands; what stands there must be equal.
static Error claimFile(const std::string &path, StringRef text) {
  if (!sys::fs::exists(path))
    return writeFile(path, text);
  Expected<std::string> old = readFileText(path);
  if (!old)
    return old.takeError();
  return *old == text ? Error::success()
                      : invalidInput(path + " is of another minimization: name a new folder");
}

/// The test is `assay replay` on a folder like a bundle's.
static MakeModuleTest makeReplayTest(const Predicate &predicate, const PoolOptions &pool) {
  return [&](const Subject &subject, size_t pipeline,
             const std::string &folder) -> Expected<std::vector<std::string>> {
    Expected<std::string> text = printSubject(subject);
    if (!text)
      return text.takeError();
    for (const auto &[name, content] : {std::pair<StringRef, std::string>{"case.amber", *text},
                                        {"predicate.json", printPredicate(predicate)}})
      if (Error error = writeFile(folder + "/" + name.str(), StringRef(content)))
        return std::move(error);
    return std::vector<std::string>{pool.program,
                                    "replay",
                                    "--interesting",
                                    "--jobs",
                                    std::to_string(pool.processes),
                                    "--pipeline",
                                    std::to_string(pipeline),
                                    folder};
  };
}

/// \p predicate, \p options and \p work must outlive them.
static std::vector<std::unique_ptr<Reduction>> chooseReductions(const Predicate &predicate,
                                                                const MinimizeOptions &options,
                                                                const WorkFolder &work,
                                                                const std::string &key) {
  std::vector<std::unique_ptr<Reduction>> reductions = makeReductions();
  if (!options.spirvReduce.empty())
    reductions.push_back(
        makeSpirvReduce({options.spirvReduce, options.output + "/spirv-reduce", key,
                         options.maxSeconds, makeReplayTest(predicate, options.pool)},
                        work));
  return reductions;
}

Expected<std::string> assay::hashProgram(const std::string &program) {
  Expected<std::vector<uint8_t>> bytes = readFileBytes(program);
  if (!bytes)
    return bytes.takeError();
  return utohexstr(xxh3_64bits(*bytes), /*LowerCase=*/true, /*Width=*/16);
}

Expected<MinimizeResult> assay::minimize(const CaseFile &file, const Predicate &predicate,
                                         const MinimizeOptions &options) {
  if (predicate.state == State::Invalid)
    return unsupported("the reference alone objects, and no value tells it from machines: of a "
                       "smaller case nobody knows whether it is right");
  Expected<Subject> subject = readSubject(file);
  if (!subject)
    return subject.takeError();
  Expected<std::string> original = printSubject(*subject);
  if (!original)
    return original.takeError();
  Expected<std::unique_ptr<WorkFolder>> folder = WorkFolder::create(options.workFolder);
  if (!folder)
    return folder.takeError();
  Expected<Predicate> bounded = boundPredicate(predicate, *original, options.pool, **folder);
  if (!bounded)
    return bounded.takeError();
  for (const auto &[name, text] : {std::pair<StringRef, std::string>{"original.amber", *original},
                                   {"predicate.json", printPredicate(*bounded)}})
    if (Error error = claimFile(options.output + "/" + name.str(), text))
      return std::move(error);
  Expected<std::string> key = hashProgram(options.pool.program);
  if (!key)
    return key.takeError();
  Expected<TriedCandidates> tried = TriedCandidates::open(options.output + "/tried.jsonl", *key);
  if (!tried)
    return tried.takeError();
  Minimizer minimizer(std::move(*subject), *bounded, options, **folder, std::move(*tried),
                      chooseReductions(*bounded, options, **folder, *key));
  if (Error error = minimizer.begin(*original))
    return std::move(error);
  if (options.origin)
    minimizer.beginWithSteps();
  return minimizer.run();
}
