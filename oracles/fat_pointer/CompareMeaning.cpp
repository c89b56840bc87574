// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The second check: trial by trial, a function before and after the lowering runs on the same
// inputs. Where the run before has no meaning of its own, or lanes race, nothing is compared.
#include "oracles/fat_pointer/CompareCaches.h"
#include "oracles/fat_pointer/CompareEvents.h"
#include "oracles/fat_pointer/FatPointerOracle.h"
#include "oracles/fat_pointer/Rules.h"
#include "oracles/fat_pointer/Signature.h"
#include "oracles/fat_pointer/TrialNeeds.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <map>

using namespace llvm;
using namespace assay;
using ir::RunResult;
using ir::RunState;

namespace {

/// Where less trials than were asked for could be compared, up to so many times as many are made.
constexpr unsigned furtherTrials = 4;

/// One function against its counterpart.
class MeaningComparison {
public:
  MeaningComparison(Function &before, Function &after, const MeaningOptions &options)
      : m_before(before), m_after(after), m_options(options), m_signature(before, after) {}
  FunctionMeaning run();

private:
  /// Makes and interprets one trial, and compares it if it has one meaning.
  void runTrial(unsigned number);
  /// Runs the function after the lowering on \p trial and compares states, results, memory and
  /// events.
  void compare(const Trial &trial, const RunResult &before, const ir::Memory &memoryBefore);
  /// Compares how both runs ended. Returns true when both returned, so that the rest can be
  /// compared.
  bool compareStates(const RunResult &before, const RunResult &after);
  /// The comparison for runs that froze poison: a value may differ, but must not be poison.
  void compareFrozen(const RunResult &before, const RunResult &after);
  /// Compares the returned scalars; each must refine the one before. Reports the first that does
  /// not.
  void compareResults(const RunResult &before, const RunResult &after);
  /// Reports padding that the lowering has changed. \p number is that of the buffer.
  void comparePadding(unsigned number, const ir::BufferMemory &before,
                      const ir::BufferMemory &after);
  /// Compares buffers and LDS byte by byte; what was poison before may be anything.
  void compareMemory(const ir::Memory &before, const ir::Memory &after);
  void report(FatRule rule, const Twine &message, std::string expected = "",
              std::string actual = "");
  /// Decides the state: findings fail, an unsupported function or no comparison is never a pass.
  void finish();

  Function &m_before, &m_after;
  const MeaningOptions &m_options;
  const SignatureMap m_signature;
  FunctionMeaning m_meaning;
  std::map<std::string, unsigned> m_discarded; ///< Trials by the reason why they did not count.
  std::string m_unsupported;                   ///< Of the function after, or before.
  unsigned m_number = 0;                       ///< Of the trial.
  std::vector<std::string> m_arguments;        ///< Of the trial, by lane.
};

} // namespace

void MeaningComparison::report(FatRule rule, const Twine &message, std::string expected,
                               std::string actual) {
  // One finding of a kind is enough for a function.
  if (any_of(m_meaning.findings, [&](const Finding &f) { return f.rule == getFatRule(rule).id; }))
    return;
  Finding finding = makeFatFinding(rule, "function " + m_before.getName(), "",
                                   "trial " + Twine(m_number) + ": " + message);
  finding.evidence = {{"trial", std::to_string(m_number)},
                      {"seed", std::to_string(m_options.seed)}};
  for (auto [lane, arguments] : enumerate(m_arguments))
    finding.evidence.emplace_back("arguments of lane " + std::to_string(lane), arguments);
  if (!expected.empty() || !actual.empty()) {
    finding.evidence.emplace_back("expected", std::move(expected));
    finding.evidence.emplace_back("actual", std::move(actual));
  }
  m_meaning.findings.push_back(std::move(finding));
}

/// "returned", or the state with its reason.
static std::string describe(const RunResult &result) {
  return (ir::toString(result.state) + (result.reason.empty() ? "" : ": " + result.reason)).str();
}

/// Hexadecimal bits, with "poison in" where the scalar is poison.
static std::string describe(const ir::Scalar &scalar) {
  return (scalar.isPoison ? "poison in 0x" : "0x") + toString(scalar.bits, 16, /*Signed=*/false);
}

/// All scalars of one lane's arguments.
static std::string describe(ArrayRef<ir::Value> arguments) {
  std::string text;
  for (const ir::Value &value : arguments)
    for (const ir::Scalar &scalar : value)
      text += (text.empty() ? "" : ", ") + describe(scalar);
  return text;
}

/// False for a buffer that records no poison.
static bool isPoisonAt(const ir::BufferMemory &buffer, size_t byte) {
  return byte < buffer.poison.size() && buffer.poison[byte];
}

bool MeaningComparison::compareStates(const RunResult &before, const RunResult &after) {
  if (after.state == RunState::Unsupported) {
    m_unsupported = "after the lowering: " + after.reason;
    return false;
  }
  // More than one thing is wrong at the end of the run, in one lane or in several: which of them is
  // met first is open.
  if (before.state == RunState::Trapped &&
      (after.state == RunState::PartialBounds || after.state == RunState::Undefined)) {
    ++m_discarded["an access outside of memory, and something worse after the lowering"];
    return false;
  }
  ++m_meaning.compared;
  if (before.state == after.state)
    return before.state == RunState::Returned;
  report(FatRule::DiffState, "it ends as " + describe(after) + ", before as " + describe(before),
         describe(before), describe(after));
  return false;
}

/// Frozen poison may be anything, but not poison any more, and what hangs on it is open.
void MeaningComparison::compareFrozen(const RunResult &before, const RunResult &after) {
  if (after.state != RunState::Returned)
    return;
  for (auto [lane, value] : enumerate(before.returned))
    for (auto [index, scalar] : enumerate(lowerValue(m_before.getReturnType(), value)))
      if (!scalar.isPoison && after.returned[lane][index].isPoison)
        return report(FatRule::DiffResult, "lane " + Twine(lane) +
                                               " returns poison instead of what a freeze has made "
                                               "a value of");
}

void MeaningComparison::compareResults(const RunResult &before, const RunResult &after) {
  for (auto [lane, value] : enumerate(before.returned)) {
    ir::Value expected = lowerValue(m_before.getReturnType(), value);
    for (auto [index, scalar] : enumerate(expected))
      if (const ir::Scalar &actual = after.returned[lane][index]; !ir::isRefined(scalar, actual))
        return report(FatRule::DiffResult,
                      "lane " + Twine(lane) + " returns " + describe(actual) + " instead of " +
                          describe(scalar) +
                          (expected.size() > 1 ? " as element " + Twine(index) : Twine("")),
                      describe(scalar), describe(actual));
  }
}

/// Two hexadecimal digits after "0x".
static std::string hexByte(uint8_t byte) {
  return "0x" + utohexstr(byte, /*LowerCase=*/true, /*Width=*/2);
}

void MeaningComparison::comparePadding(unsigned number, const ir::BufferMemory &before,
                                       const ir::BufferMemory &after) {
  for (size_t byte = 0; byte < before.padding.size(); ++byte)
    if (before.padding[byte] && !isPoisonAt(after, byte) && before.bytes[byte] != after.bytes[byte])
      return report(FatRule::Padding,
                    "buffer " + Twine(number) + " holds " + hexByte(after.bytes[byte]) +
                        " instead of " + hexByte(before.bytes[byte]) + " at byte " + Twine(byte) +
                        ", which is padding",
                    hexByte(before.bytes[byte]), hexByte(after.bytes[byte]));
}

void MeaningComparison::compareMemory(const ir::Memory &before, const ir::Memory &after) {
  for (size_t i = 0; i < before.buffers.size(); ++i) {
    const ir::BufferMemory &old = before.buffers[i], &now = after.buffers[i];
    comparePadding(i, old, now);
    for (size_t byte = 0; byte < old.bytes.size(); ++byte) {
      if (isPoisonAt(old, byte) || (old.bytes[byte] == now.bytes[byte] && !isPoisonAt(now, byte)))
        continue;
      std::string actual = isPoisonAt(now, byte) ? "poison" : hexByte(now.bytes[byte]);
      return report(FatRule::DiffMemory,
                    "buffer " + Twine(i) + " holds " + actual + " instead of " +
                        hexByte(old.bytes[byte]) + " at byte " + Twine(byte),
                    hexByte(old.bytes[byte]), actual);
    }
  }
  for (size_t byte = 0; byte < before.lds.size(); ++byte)
    if (before.lds[byte] != after.lds[byte])
      return report(FatRule::DiffMemory,
                    "LDS holds " + hexByte(after.lds[byte]) + " instead of " +
                        hexByte(before.lds[byte]) + " at byte " + Twine(byte),
                    hexByte(before.lds[byte]), hexByte(after.lds[byte]));
}

void MeaningComparison::compare(const Trial &trial, const RunResult &before,
                                const ir::Memory &memoryBefore) {
  ir::Memory memory = trial.memory;
  std::vector<std::vector<ir::Value>> arguments;
  for (const std::vector<ir::Value> &lane : trial.arguments)
    arguments.push_back(m_signature.lowerArguments(lane));
  ir::RunLimits limits = m_options.limits;
  limits.instructions = std::max(limits.instructions, before.instructions * loweredFactor);
  RunResult after = ir::run(m_after, arguments, memory, limits);
  if (before.frozePoison)
    return compareFrozen(before, after);
  if (!compareStates(before, after))
    return;
  compareResults(before, after);
  compareMemory(memoryBefore, memory);
  std::string difference = compareEvents(before.events, after.events);
  if (!difference.empty())
    report(FatRule::DiffEvent, difference);
  std::string cached = compareCaches(before.events, after.events, m_after);
  if (!cached.empty())
    report(FatRule::Cache, cached);
}

void MeaningComparison::runTrial(unsigned number) {
  m_number = number;
  Trial trial = makeTrial(m_before, m_options, number);
  m_arguments.clear();
  for (const std::vector<ir::Value> &arguments : trial.arguments)
    m_arguments.push_back(describe(arguments));
  TrialMeaning meaning = interpretTrial(m_before, trial, m_options);
  if (meaning.result.state == RunState::Unsupported) {
    m_unsupported = meaning.result.reason;
    return;
  }
  if (!meaning.open.empty())
    ++m_discarded[meaning.open];
  if (meaning.open.empty() || meaning.open == freezesPoison)
    compare(trial, meaning.result, meaning.memory);
}

/// Nothing compared is never a pass.
void MeaningComparison::finish() {
  if (!m_meaning.findings.empty()) {
    m_meaning.state = State::Fail;
    m_meaning.reason = m_meaning.findings.front().message;
  } else if (!m_unsupported.empty()) {
    m_meaning.state = State::Unsupported;
    m_meaning.reason = m_unsupported;
  } else if (m_meaning.compared == 0) {
    m_meaning.state = State::Invalid;
    m_meaning.reason = "no trial had a meaning to compare";
    auto most = max_element(m_discarded, [](auto &a, auto &b) { return a.second < b.second; });
    if (most != m_discarded.end())
      m_meaning.reason += "; most often: " + most->first;
  } else {
    m_meaning.state = State::Pass;
  }
}

FunctionMeaning MeaningComparison::run() {
  m_meaning.function = m_before.getName().str();
  m_meaning.state = State::Pass;
  if (!m_signature.problem().empty())
    report(FatRule::Signature, m_signature.problem());
  else
    m_unsupported = findTrialNeeds(m_before).impossible;
  unsigned wanted = m_options.trials;
  for (unsigned number = 0; number < wanted * furtherTrials; ++number) {
    bool isDone = number >= wanted && m_meaning.compared * 2 >= wanted;
    if (isDone || !m_meaning.findings.empty() || !m_unsupported.empty())
      break;
    runTrial(number);
  }
  finish();
  return std::move(m_meaning);
}

FunctionMeaning assay::reportMissing(const Function &before) {
  FunctionMeaning meaning;
  meaning.function = before.getName().str();
  if (before.hasLocalLinkage()) {
    meaning.state = State::Unsupported;
    meaning.reason = "it is gone: nobody else could call it";
    return meaning;
  }
  meaning.state = State::Fail;
  meaning.findings.push_back(makeFatFinding(FatRule::Missing, "function " + before.getName(), "",
                                            "it has no body after the lowering"));
  meaning.reason = meaning.findings.front().message;
  return meaning;
}

FunctionMeaning assay::compareMeaning(Function &before, Function &after,
                                      const MeaningOptions &options) {
  return MeaningComparison(before, after, options).run();
}

std::vector<FunctionMeaning> assay::compareMeaning(Module &before, Module &after,
                                                   const MeaningOptions &options) {
  std::vector<FunctionMeaning> meanings;
  for (Function &function : before) {
    if (function.isDeclaration())
      continue;
    Function *counterpart = after.getFunction(function.getName());
    if (counterpart && !counterpart->isDeclaration())
      meanings.push_back(compareMeaning(function, *counterpart, options));
    else
      meanings.push_back(reportMissing(function));
  }
  return meanings;
}
