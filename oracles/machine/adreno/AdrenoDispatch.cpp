// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/machine/adreno/AdrenoDispatch.h"

#include "oracles/machine/adreno/HazardChecker.h"
#include "oracles/machine/adreno/LateRun.h"
#include "oracles/machine/adreno/RaceReporter.h"
#include "oracles/machine/simt/CaseMemory.h"
#include "llvm/ADT/STLExtras.h"
#include <deque>

using namespace llvm;
using namespace assay;
using namespace assay::adreno;
using namespace assay::simt;

namespace {

/// What all cohorts of a dispatch have in common.
struct CohortOptions {
  uint64_t seed = 0;
  bool hasAtomicMoves = false;
  AdrenoCoverage::Pipeline *coverage = nullptr; ///< Null: not recorded.
};

/// The workgroups that run at the same time.
class AdrenoCohort final : public CohortModel {
public:
  AdrenoCohort(const TurnipLaunch &launch, CohortTask &task, CohortMemory &memory,
               const CohortOptions &options);
  unsigned waveCount() const override { return unsigned(m_waves.size()); }
  unsigned laneCount() const override { return m_launch.settings().fibersPerWave; }
  WaveStatus poll(unsigned number) override;
  void setLaneOrder(unsigned wave, unsigned flip) override { m_waves[wave].wave.laneFlip = flip; }
  bool run(unsigned number, uint64_t limit, uint64_t &executed) override;
  void failStuck() override;
  void failBudget(unsigned number) override;
  void end() override;
  const Failure *failure() const override {
    return m_failure.kind == OutcomeKind::Completed ? nullptr : &m_failure;
  }
  void appendReports(std::vector<Finding> &reports) const override {
    for (const Place &place : m_waves)
      if (place.checker)
        append_range(reports, place.checker->findings());
  }

private:
  /// A workgroup.
  struct Group {
    uint64_t number = 0;
    std::vector<uint8_t> local;
    unsigned waiting = 0; ///< Waves at the barrier.
    unsigned ended = 0;
  };
  /// A wave, and what watches it.
  struct Place {
    Wave wave;
    Group *group = nullptr;
    std::unique_ptr<HazardChecker> checker; ///< Null: not checked.
    std::unique_ptr<LateRun> late;          ///< Null: results are there at once.
    std::unique_ptr<RaceReporter> races;    ///< Null: they are not looked for.
    std::vector<uint32_t> last;             ///< Where lanes were; empty: not recorded.
    uint32_t lastOfWave = ~0U;              ///< Where the wave was.
  };

  void addGroup(CohortTask &task, CohortMemory &memory, unsigned place,
                UninitializedPattern pattern);
  void step(Place &place);
  void noteStop(Place &place);
  void cover(Place &place);
  std::string describe(const Place &place) const;
  std::unique_ptr<HazardChecker> makeChecker() const;
  std::unique_ptr<RaceReporter> makeReporter(const Group &group, unsigned number) const;
  void fail(OutcomeKind kind, const Place &place, std::string reason);

  const TurnipLaunch &m_launch;
  CohortTask &m_task;
  CohortOptions m_options;
  std::deque<Group> m_groups;
  std::deque<WaveEnvironment> m_environments; ///< By wave: their addresses must not change.
  std::deque<std::vector<uint8_t>> m_private;
  std::vector<Place> m_waves;
  Failure m_failure;
};

} // namespace

AdrenoCohort::AdrenoCohort(const TurnipLaunch &launch, CohortTask &task, CohortMemory &memory,
                           const CohortOptions &options)
    : m_launch(launch), m_task(task), m_options(options) {
  UninitializedPattern pattern(options.seed);
  for (unsigned place = 0; place < task.groups.size(); ++place)
    addGroup(task, memory, place, pattern);
}

/// Returns the sanitizer of a wave, with the limits that the launch declares; null without
/// sanitizer.
std::unique_ptr<HazardChecker> AdrenoCohort::makeChecker() const {
  if (!m_task.context.options.sanitize)
    return nullptr;
  HazardLimits limits;
  limits.fullRegisters = m_launch.settings().fullRegisters;
  limits.constants = uint32_t(m_launch.constants().size());
  // From a5xx on the field counts pairs.
  unsigned unit = m_launch.program().chip() == Chip::A420 ? 1 : 2;
  limits.waitingPlaces = unit * m_launch.settings().branchStack;
  auto checker = std::make_unique<HazardChecker>(m_launch.program(), limits);
  for (unsigned number : m_launch.setRegisters())
    checker->define(number);
  return checker;
}

/// Null when races are not checked.
std::unique_ptr<RaceReporter> AdrenoCohort::makeReporter(const Group &group,
                                                         unsigned number) const {
  if (!m_task.races)
    return nullptr;
  unsigned waves = m_launch.wavesPerGroup();
  return std::make_unique<RaceReporter>(
      *m_task.races,
      RaceReporterOptions{group.number * waves + number, waves > 1, m_options.hasAtomicMoves});
}

/// Appends a workgroup and its waves, with memory of its own that holds \p pattern.
void AdrenoCohort::addGroup(CohortTask &task, CohortMemory &memory, unsigned place,
                            UninitializedPattern pattern) {
  const turnip::Launch &settings = m_launch.settings();
  Group &group = m_groups.emplace_back();
  group.number = task.groups[place];
  group.local.assign(settings.localBytes, pattern.byte);
  for (unsigned number = 0; number < m_launch.wavesPerGroup(); ++number) {
    WaveEnvironment &environment = m_environments.emplace_back(m_launch.environment());
    environment.memory = &memory.ofGroup(place);
    environment.local = group.local;
    std::vector<uint8_t> &bytes = m_private.emplace_back(
        size_t(settings.privateBytesPerFiber) * settings.fibersPerWave, pattern.byte);
    environment.privateMemory = bytes;
    std::unique_ptr<RaceReporter> races = makeReporter(group, number);
    environment.listener = races.get();
    bool isLate = task.context.options.schedule == ScheduleKind::Late;
    m_waves.push_back(
        {m_launch.makeWave(environment, number, task.idOf(group.number), pattern.word), &group,
         makeChecker(),
         isLate ? std::make_unique<LateRun>(m_launch.program(), task.choices) : nullptr,
         std::move(races),
         std::vector<uint32_t>(m_options.coverage ? settings.fibersPerWave : 0, ~0U)});
  }
}

/// A wave at a barrier goes on when all waves of its workgroup that have not ended are there.
WaveStatus AdrenoCohort::poll(unsigned number) {
  Place &place = m_waves[number];
  if (place.wave.status != WaveStatus::AtBarrier)
    return place.wave.status;
  Group &group = *place.group;
  if (group.waiting + group.ended < m_launch.wavesPerGroup())
    return WaveStatus::AtBarrier;
  group.waiting = 0;
  for (Place &other : m_waves) {
    if (other.group != &group || other.wave.status != WaveStatus::AtBarrier)
      continue;
    other.wave.status = WaveStatus::Running;
    if (other.races)
      other.races->pass();
  }
  return WaveStatus::Running;
}

/// "workgroup 3, instruction 12".
std::string AdrenoCohort::describe(const Place &place) const {
  return "workgroup " + std::to_string(place.group->number) + ", instruction " +
         std::to_string(place.wave.pc());
}

/// Updates the workgroup after the wave has stopped or yielded.
void AdrenoCohort::noteStop(Place &place) {
  switch (place.wave.status) {
  case WaveStatus::AtBarrier:
    ++place.group->waiting;
    break;
  case WaveStatus::Done:
    ++place.group->ended;
    break;
  case WaveStatus::Failed:
    fail(place.wave.isUnsupported() ? OutcomeKind::Unsupported : OutcomeKind::Trap, place,
         place.wave.failure() + " (workgroup " + std::to_string(place.group->number) + ")");
    break;
  case WaveStatus::Running:
    break;
  }
}

/// Notes where the fibers of the wave, and the wave, have come from.
void AdrenoCohort::cover(Place &place) {
  uint32_t pc = place.wave.pc();
  for (LaneMask left = place.wave.here(); left; left &= left - 1) {
    uint32_t &last = place.last[firstLane(left)];
    m_options.coverage->fibers.insert({last, pc});
    last = pc;
  }
  m_options.coverage->waves.insert({place.lastOfWave, pc});
  place.lastOfWave = pc;
  if (place.wave.active())
    m_options.coverage->active.insert(pc);
}

/// One instruction. The sanitizer looks at registers as they are before it, and after late results
/// that it may see have arrived.
void AdrenoCohort::step(Place &place) {
  const Op *op = place.wave.fetch();
  if (!op)
    return;
  if (!place.last.empty())
    cover(place);
  if (place.late)
    place.late->prepare(place.wave, *op);
  if (place.checker)
    place.checker->step(place.wave, *op);
  if (place.races && op->inst.isValid())
    place.races->before(*op);
  if (place.late)
    place.late->execute(place.wave, *op);
  else
    place.wave.execute(*op);
}

bool AdrenoCohort::run(unsigned number, uint64_t limit, uint64_t &executed) {
  Place &place = m_waves[number];
  bool isWatched = !place.last.empty() || place.late || place.checker || place.races;
  for (uint64_t i = 0; i < limit && place.wave.status == WaveStatus::Running; ++i, ++executed)
    isWatched ? step(place) : place.wave.step();
  noteStop(place);
  return place.wave.status != WaveStatus::Failed;
}

/// What ended the run; with a finding where that is a barrier.
void AdrenoCohort::fail(OutcomeKind kind, const Place &place, std::string reason) {
  m_failure.kind = kind;
  m_failure.reason = std::move(reason);
  ArrayRef<Op> ops = m_launch.program().ops();
  uint32_t pc = place.wave.status == WaveStatus::AtBarrier ? place.wave.pc() - 1 : place.wave.pc();
  if (kind == OutcomeKind::Trap && pc < ops.size() && ops[pc].inst.isValid() &&
      ops[pc].inst.name() == "bar")
    m_failure.findings.push_back(makeHazard(m_launch.program(), HazardRule::Barrier, pc, ""));
}

/// Reports a barrier that not all waves reach.
void AdrenoCohort::failStuck() {
  auto waiting = find_if(
      m_waves, [](const Place &place) { return place.wave.status == WaveStatus::AtBarrier; });
  if (waiting != m_waves.end())
    fail(OutcomeKind::Trap, *waiting,
         "a wave waits at a barrier that others do not reach (" + describe(*waiting) + ")");
}

/// Tells the race detector that the workgroups have ended.
void AdrenoCohort::end() {
  if (!m_task.races)
    return;
  for (const Place &place : m_waves)
    place.races->end();
  for (const Group &group : m_groups) {
    RaceEvent event;
    event.kind = RaceEventKind::Leave;
    event.wave = group.number * m_launch.wavesPerGroup();
    m_task.races->add(event);
  }
}

void AdrenoCohort::failBudget(unsigned number) {
  m_failure = {OutcomeKind::Timeout,
               "the instruction budget is spent (" + describe(m_waves[number]) + ")",
               {}};
}

/// How the race detector names instructions.
RaceOptions AdrenoDispatch::raceOptions() const {
  if (m_texts.empty())
    for (uint32_t i = 0; i < m_launch.program().ops().size(); ++i)
      m_texts.push_back(m_launch.program().textOf(i));
  RaceOptions options;
  options.wavesPerGroup = m_launch.wavesPerGroup();
  options.workgroupMemory = "workgroup memory";
  options.describe = [this](uint32_t instruction) -> InstructionText {
    const Inst &inst = m_launch.program().ops()[instruction].inst;
    return {instruction, m_texts[instruction], inst.isValid() ? inst.name() : StringRef("raw")};
  };
  return options;
}

std::unique_ptr<CohortModel> AdrenoDispatch::createCohort(CohortTask &task, CohortMemory &memory) {
  return std::make_unique<AdrenoCohort>(m_launch, task, memory,
                                        CohortOptions{m_seed, m_hasAtomicMoves, m_coverage});
}
