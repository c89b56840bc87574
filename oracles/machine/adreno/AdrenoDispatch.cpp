// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/machine/adreno/AdrenoDispatch.h"

#include "oracles/machine/adreno/HazardChecker.h"
#include "oracles/machine/simt/CaseMemory.h"
#include "llvm/ADT/STLExtras.h"
#include <deque>

using namespace llvm;
using namespace assay;
using namespace assay::adreno;
using namespace assay::simt;

namespace {

/// The workgroups that run at the same time.
class AdrenoCohort final : public CohortModel {
public:
  AdrenoCohort(const TurnipLaunch &launch, CohortTask &task, CohortMemory &memory, uint64_t seed);
  unsigned waveCount() const override { return unsigned(m_waves.size()); }
  unsigned laneCount() const override { return m_launch.settings().fibersPerWave; }
  WaveStatus poll(unsigned number) override;
  void setLaneOrder(unsigned, unsigned) override {}
  bool run(unsigned number, uint64_t limit, uint64_t &executed) override;
  void failStuck() override;
  void failBudget(unsigned number) override;
  void end() override {}
  const Failure *failure() const override {
    return m_failure.kind == OutcomeKind::Completed ? nullptr : &m_failure;
  }
  void appendReports(std::vector<Finding> &reports) const override {
    for (const Place &place : m_waves)
      if (place.checker)
        append_range(reports, place.checker->findings());
  }

private:
  struct Group {
    uint64_t number = 0;
    std::vector<uint8_t> local;
    unsigned waiting = 0; ///< Waves at the barrier.
    unsigned ended = 0;
  };
  struct Place {
    Wave wave;
    Group *group = nullptr;
    std::unique_ptr<HazardChecker> checker; ///< Null: nobody asks.
  };

  void addGroup(CohortTask &task, CohortMemory &memory, unsigned place,
                UninitializedPattern pattern);
  void step(Place &place);
  void noteStop(Place &place);
  std::string describe(const Place &place) const;
  std::unique_ptr<HazardChecker> makeChecker(const CohortTask &task) const;

  const TurnipLaunch &m_launch;
  std::deque<Group> m_groups;
  std::deque<WaveEnvironment> m_environments; ///< By wave: their addresses must not change.
  std::deque<std::vector<uint8_t>> m_private;
  std::vector<Place> m_waves;
  Failure m_failure;
};

} // namespace

AdrenoCohort::AdrenoCohort(const TurnipLaunch &launch, CohortTask &task, CohortMemory &memory,
                           uint64_t seed)
    : m_launch(launch) {
  UninitializedPattern pattern(seed);
  for (unsigned place = 0; place < task.groups.size(); ++place)
    addGroup(task, memory, place, pattern);
}

std::unique_ptr<HazardChecker> AdrenoCohort::makeChecker(const CohortTask &task) const {
  if (!task.context.options.sanitize)
    return nullptr;
  HazardLimits limits;
  limits.fullRegisters = m_launch.settings().fullRegisters;
  limits.constants = uint32_t(m_launch.constants().size());
  return std::make_unique<HazardChecker>(m_launch.program(), limits);
}

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
    m_waves.push_back(
        {m_launch.makeWave(environment, number, task.idOf(group.number), pattern.word), &group,
         makeChecker(task)});
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
  for (Place &other : m_waves)
    if (other.group == &group && other.wave.status == WaveStatus::AtBarrier)
      other.wave.status = WaveStatus::Running;
  return WaveStatus::Running;
}

std::string AdrenoCohort::describe(const Place &place) const {
  return "workgroup " + std::to_string(place.group->number) + ", instruction " +
         std::to_string(place.wave.pc());
}

void AdrenoCohort::noteStop(Place &place) {
  switch (place.wave.status) {
  case WaveStatus::AtBarrier:
    ++place.group->waiting;
    break;
  case WaveStatus::Done:
    ++place.group->ended;
    break;
  case WaveStatus::Failed:
    m_failure.kind = place.wave.isUnsupported() ? OutcomeKind::Unsupported : OutcomeKind::Trap;
    m_failure.reason =
        place.wave.failure() + " (workgroup " + std::to_string(place.group->number) + ")";
    break;
  case WaveStatus::Running:
    break;
  }
}

void AdrenoCohort::step(Place &place) {
  const Op *op = place.wave.fetch();
  if (!op)
    return;
  if (place.checker)
    place.checker->step(place.wave, *op);
  place.wave.execute(*op);
}

bool AdrenoCohort::run(unsigned number, uint64_t limit, uint64_t &executed) {
  Place &place = m_waves[number];
  for (uint64_t i = 0; i < limit && place.wave.status == WaveStatus::Running; ++i, ++executed)
    step(place);
  noteStop(place);
  return place.wave.status != WaveStatus::Failed;
}

void AdrenoCohort::failStuck() {
  auto waiting = find_if(
      m_waves, [](const Place &place) { return place.wave.status == WaveStatus::AtBarrier; });
  if (waiting != m_waves.end())
    m_failure = {OutcomeKind::Trap,
                 "a wave waits at a barrier that others do not reach (" + describe(*waiting) + ")",
                 {}};
}

void AdrenoCohort::failBudget(unsigned number) {
  m_failure = {OutcomeKind::Timeout,
               "the instruction budget is spent (" + describe(m_waves[number]) + ")",
               {}};
}

RaceOptions AdrenoDispatch::raceOptions() const {
  RaceOptions options;
  options.wavesPerGroup = m_launch.wavesPerGroup();
  options.workgroupMemory = "workgroup memory";
  options.describe = [](uint32_t instruction) -> InstructionText { return {instruction, "", ""}; };
  return options;
}

std::unique_ptr<CohortModel> AdrenoDispatch::createCohort(CohortTask &task, CohortMemory &memory) {
  return std::make_unique<AdrenoCohort>(m_launch, task, memory, m_seed);
}
