// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/syncs/SyncProof.h"

#include "harness/syncs/SyncTruth.h"
#include "oracles/api/OutcomeBytes.h"
#include "oracles/machine/adreno/AdrenoMachine.h"
#include "oracles/machine/ir3_isa/Codec.h"
#include "oracles/turnip/TurnipShader.h"
#include "support/Error.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace assay;
using namespace assay::syncs;

using adreno::Field;

static constexpr SyncCountRow Rows[] = {
    {"needed", &SyncCounts::needed},   {"notRun", &SyncCounts::notRun},
    {"barrier", &SyncCounts::barrier}, {"redundant", &SyncCounts::redundant},
    {"failed", &SyncCounts::failed},   {"reported", &SyncCounts::reported},
    {"changed", &SyncCounts::changed}, {"falseReports", &SyncCounts::falseReports}};

ArrayRef<SyncCountRow> syncs::syncCountRows() {
  return Rows;
}

void SyncCounts::add(const SyncCounts &other) {
  for (const SyncCountRow &row : Rows)
    this->*row.member += other.*row.member;
}

namespace {

/// One change of one instruction.
struct Mutation {
  uint32_t pc = 0;
  uint64_t word = 0;
  std::string name;    ///< "no (ss)".
  bool isFlag = false; ///< A flag is gone.
};

/// The proof of one shader.
class Prover {
public:
  Prover(const Case &input, turnip::TurnipShader shader, adreno::Chip chip,
         const SyncProofOptions &options)
      : m_input(input), m_shader(std::move(shader)), m_chip(chip), m_options(options),
        m_truth(m_shader.code, chip, m_shader.launch.firstInstruction) {}
  Expected<SyncResult> run();

private:
  /// Runs \p code in the place of the shader's.
  Expected<Outcome> execute(const std::vector<uint64_t> &code, ScheduleKind schedule,
                            AdrenoCoverage *coverage = nullptr) const;
  /// All of the shader, up to its end.
  std::vector<Mutation> mutations() const;
  /// Counts what becomes of one mutation.
  Error prove(const Mutation &mutation);
  /// Whether the instruction in front of \p pc is a fence or bar: Mesa waits by both flags after
  /// it, for memory that other waves write (ir3_legalize.c, sync_update).
  bool followsBarrier(uint32_t pc) const;
  /// Counts a mutation that nothing needs, and keeps its text.
  void noteRedundant(const Mutation &mutation);
  /// What the sanitizer says of nops and flags.
  std::vector<SyncPair> reportsOf(const Outcome &outcome) const;
  /// Adds a problem, with the instructions.
  void note(StringRef what, const Mutation &mutation, const SyncPair &pair);

  const Case &m_input;
  turnip::TurnipShader m_shader;
  adreno::Chip m_chip;
  SyncProofOptions m_options;
  SyncTruth m_truth;   ///< Of the shader as it is.
  SyncPaths m_covered; ///< By the run of the code as it is.
  /// What paths that the hardware need not take make early without a mutation.
  std::set<SyncPair> m_always;
  Outcome m_right;
  SyncResult m_result;
};

} // namespace

Expected<Outcome> Prover::execute(const std::vector<uint64_t> &code, ScheduleKind schedule,
                                  AdrenoCoverage *coverage) const {
  turnip::TurnipShader changed = m_shader;
  changed.code = code;
  Expected<std::unique_ptr<Machine>> machine = createAdrenoMachine(m_shader.target, coverage);
  if (!machine)
    return machine.takeError();
  RunOptions options;
  options.schedule = schedule;
  options.sanitize = m_options.sanitize && schedule == ScheduleKind::Eager;
  options.maxInstructions = m_options.maxInstructions;
  return (*machine)->run(m_input, Artifact(turnip::writeTurnipShader(changed)), options);
}

/// Weakened by one, and taken away whole, unless a flag needs the instruction. A nop that is gone
/// is a jump to the next instruction, which takes no slot and keeps the places of all others.
static void addNop(const adreno::Inst &inst, uint32_t pc, std::vector<Mutation> &mutations) {
  if (unsigned repeat = inst.repeat()) {
    adreno::Inst fewer = inst;
    fewer.set(Field::Repeat, repeat - 1);
    mutations.push_back({pc, fewer.word(), "one nop less"});
  }
  if (!inst.repeat() && (inst.get(Field::Sync) || inst.get(Field::Short)))
    return;
  Expected<std::vector<uint64_t>> words = adreno::assemble("jump #1", inst.chip());
  if (!words)
    return consumeError(words.takeError());
  adreno::Inst jump = adreno::decode(words->front(), inst.chip());
  for (Field flag : {Field::Sync, Field::Short, Field::Join})
    jump.set(flag, inst.get(flag));
  mutations.push_back({pc, jump.word(), "no nop"});
}

/// Weakened by one, and taken away whole.
static void addNopCount(const adreno::Inst &inst, uint32_t pc, std::vector<Mutation> &mutations) {
  unsigned count = inst.nopCount();
  for (unsigned fewer : {count - 1, 0U}) {
    adreno::Inst changed = inst;
    changed.set(Field::Repeat1, fewer & 1);
    changed.set(Field::Repeat2, fewer >> 1);
    mutations.push_back({pc, changed.word(), "(nop" + std::to_string(fewer) + ")"});
    if (!fewer || !(count - 1))
      break;
  }
}

std::vector<Mutation> Prover::mutations() const {
  std::vector<Mutation> mutations;
  for (auto [pc, word] : enumerate(m_shader.code)) {
    adreno::Inst inst = adreno::decode(word, m_chip);
    if (!inst.isValid())
      continue;
    if (inst.name() == "nop")
      addNop(inst, uint32_t(pc), mutations);
    if (inst.nopCount())
      addNopCount(inst, uint32_t(pc), mutations);
    for (auto [flag, name] : {std::pair(Field::Short, "no (ss)"), {Field::Sync, "no (sy)"}})
      if (inst.get(flag)) {
        adreno::Inst changed = inst;
        changed.set(flag, 0);
        mutations.push_back({uint32_t(pc), changed.word(), name, /*isFlag=*/true});
      }
    if (inst.name() == "end")
      break; // Padding follows.
  }
  return mutations;
}

/// Of the rules that concern nops and flags.
std::vector<SyncPair> Prover::reportsOf(const Outcome &outcome) const {
  static constexpr StringLiteral Concerned[] = {"DELAY", "SYNC-SS",    "SYNC-SY",
                                                "WAR",   "WAR-SCALAR", "SYNC-CONST"};
  std::vector<SyncPair> pairs;
  for (const Finding &finding : outcome.findings) {
    if (!is_contained(Concerned, finding.rule))
      continue;
    SyncPair pair;
    for (const auto &[name, value] : finding.evidence)
      if (name == "pc")
        (void)StringRef(value).getAsInteger(10, pair.consumer);
      else if (name == "producer")
        (void)StringRef(value).getAsInteger(10, pair.producer);
    pairs.push_back(pair);
  }
  return pairs;
}

void Prover::note(StringRef what, const Mutation &mutation, const SyncPair &pair) {
  auto text = [&](uint32_t pc) {
    return std::to_string(pc) + " '" + adreno::printWord(m_shader.code[pc], m_chip) + "'";
  };
  m_result.problems.push_back((what + ": " + mutation.name + " at " + text(mutation.pc) + ": " +
                               text(pair.producer) + " before " + text(pair.consumer))
                                  .str());
}

bool Prover::followsBarrier(uint32_t pc) const {
  // The (ss) of some instructions is on a nop of its own in between.
  while (pc > 0 && adreno::decode(m_shader.code[pc - 1], m_chip).name() == "nop")
    --pc;
  if (!pc)
    return false;
  StringRef name = adreno::decode(m_shader.code[pc - 1], m_chip).name();
  return name == "bar" || name.starts_with("fence");
}

void Prover::noteRedundant(const Mutation &mutation) {
  ++m_result.counts.redundant;
  m_result.redundant.push_back(mutation.name + " at " + std::to_string(mutation.pc) + " '" +
                               adreno::printWord(m_shader.code[mutation.pc], m_chip) + "'");
}

Error Prover::prove(const Mutation &mutation) {
  std::vector<uint64_t> code = m_shader.code;
  code[mutation.pc] = mutation.word;
  m_truth.replace(mutation.pc, mutation.word);
  std::set<SyncPair> possible = m_truth.findPairs(m_truth.paths(), /*certain=*/false);
  std::set<SyncPair> taken = m_truth.findPairs(m_covered);
  m_truth.replace(mutation.pc, m_shader.code[mutation.pc]);
  Expected<Outcome> outcome = execute(code, ScheduleKind::Eager);
  if (!outcome)
    return outcome.takeError();
  SyncCounts &counts = m_result.counts;
  if (outcome->kind != OutcomeKind::Completed && outcome->kind != OutcomeKind::Hazard) {
    ++counts.failed;
    return Error::success();
  }
  bool isPossible =
      any_of(possible, [&](const SyncPair &pair) { return !m_always.contains(pair); });
  if (!taken.empty())
    ++counts.needed;
  else if (isPossible)
    ++counts.notRun;
  else if (mutation.isFlag && followsBarrier(mutation.pc))
    ++counts.barrier;
  else
    noteRedundant(mutation);
  std::vector<SyncPair> reports = reportsOf(*outcome);
  bool isReported = any_of(reports, [&](const SyncPair &pair) { return possible.contains(pair); });
  auto wrong = find_if(reports, [&](const SyncPair &pair) { return !possible.contains(pair); });
  counts.falseReports += wrong != reports.end();
  if (wrong != reports.end())
    note("false", mutation, *wrong);
  if (taken.empty())
    return Error::success();
  counts.reported += isReported;
  if (!isReported)
    note("missed", mutation, *taken.begin());
  if (!m_options.late)
    return Error::success();
  Expected<Outcome> late = execute(code, ScheduleKind::Late);
  if (!late)
    return late.takeError();
  counts.changed += late->kind != OutcomeKind::Completed || !haveSameBytes(*late, m_right);
  return Error::success();
}

Expected<SyncResult> Prover::run() {
  AdrenoCoverage coverage;
  Expected<Outcome> right = execute(m_shader.code, ScheduleKind::Eager, &coverage);
  if (!right)
    return right.takeError();
  m_right = std::move(*right);
  if (m_right.kind != OutcomeKind::Completed) {
    m_result.skipped = m_right.reason;
    return m_result;
  }
  if (!coverage.pipelines.empty()) {
    AdrenoCoverage::Pipeline &covered = coverage.pipelines.front();
    m_covered = {std::move(covered.fibers), std::move(covered.waves), std::move(covered.active)};
  }
  m_result.skipped = m_truth.refusal();
  if (!m_result.skipped.empty())
    return m_result;
  SyncPaths paths = m_truth.paths();
  m_always = m_truth.findPairs(paths, /*certain=*/false);
  // In which order a wave runs its fibers, the code does not say.
  paths.waves = m_covered.waves;
  for (const SyncPair &pair : m_truth.findPairs(paths))
    note("unmodified", Mutation(), pair);
  Expected<Outcome> late = execute(m_shader.code, ScheduleKind::Late);
  if (!late)
    return late.takeError();
  if (late->kind != OutcomeKind::Completed || !haveSameBytes(*late, m_right))
    m_result.problems.push_back("late: the code depends on time " + late->reason);
  for (const Mutation &mutation : mutations())
    if (Error error = prove(mutation))
      return std::move(error);
  return m_result;
}

Expected<SyncResult> syncs::proveSyncs(const Case &input, const Artifact &artifact,
                                       StringRef target, const SyncProofOptions &options) {
  Expected<const turnip::TurnipShader &> shader =
      artifact.view<turnip::TurnipShader>(turnip::readTurnipShader);
  if (!shader)
    return shader.takeError();
  std::optional<adreno::Chip> chip = adreno::findChip(target);
  if (!chip)
    return unsupported("no table for " + target);
  return Prover(input, *shader, *chip, options).run();
}
