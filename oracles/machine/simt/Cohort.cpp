// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/machine/simt/Cohort.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace assay;
using namespace assay::simt;

/// Instructions of a turn where nothing is chosen. Other waves have turns in between, so that waves
/// may wait for each other.
static constexpr uint64_t TimeSlice = 4096;
/// Turns of chosen length have up to 2^11 instructions.
static constexpr uint64_t Grains = 11;

/// Makes a space for each group: its private range is a copy. With \p overlaid, stores to shared
/// memory are kept apart.
CohortMemory::CohortMemory(AddressSpace &origin, PrivateRange range, unsigned groups, bool overlaid)
    : m_origin(origin) {
  for (unsigned i = 0; i < groups; ++i) {
    m_spaces.push_back(m_origin.fork(range.begin, range.end));
    if (overlaid)
      m_spaces.back().setOverlay(m_overlay);
  }
}

/// Makes it as new, for the next cohort.
void CohortMemory::reset() {
  for (AddressSpace &space : m_spaces)
    space.resetOwned(m_origin);
  m_overlay.clear();
}

/// Groups are numbered in x, then y, then z.
std::array<uint32_t, 3> CohortTask::idOf(uint64_t group) const {
  return {static_cast<uint32_t>(group % counts[0]),
          static_cast<uint32_t>(group / counts[0] % counts[1]),
          static_cast<uint32_t>(group / counts[0] / counts[1])};
}

CohortModel::~CohortModel() = default;

/// Polls all waves; models that know better override it.
void CohortModel::appendReady(SmallVectorImpl<unsigned> &ready) {
  for (unsigned wave = 0; wave < waveCount(); ++wave)
    if (poll(wave) == WaveStatus::Running)
      ready.push_back(wave);
}

namespace {

/// Gives the waves of one cohort their turns.
class Turns {
public:
  Turns(CohortTask &task, CohortModel &model) : m_task(task), m_model(model) {}
  void run();
  uint64_t instructions() const { return m_instructions; }
  bool wasStopped() const { return m_wasStopped; }

private:
  bool runRound();
  void runChosen();
  bool runTurn(unsigned wave, uint64_t slice);

  CohortTask &m_task;
  CohortModel &m_model;
  uint64_t m_instructions = 0;
  bool m_wasStopped = false;
};

} // namespace

/// False: the cohort has ended.
bool Turns::runTurn(unsigned wave, uint64_t slice) {
  if (m_instructions >= m_task.budget) {
    m_model.failBudget(wave);
    return false;
  }
  if (m_task.mayContinue && !m_task.mayContinue(m_instructions)) {
    m_wasStopped = true;
    return false;
  }
  return m_model.run(wave, std::min(slice, m_task.budget - m_instructions), m_instructions);
}

/// Every wave that can run has its turn, in one order for all rounds. False: the cohort has ended.
bool Turns::runRound() {
  bool progress = false;
  bool alive = false;
  for (unsigned wave = 0; wave < m_model.waveCount(); ++wave) {
    WaveStatus status = m_model.poll(wave);
    alive |= status != WaveStatus::Done;
    if (status != WaveStatus::Running)
      continue;
    progress = true;
    if (!runTurn(wave, TimeSlice))
      return false;
  }
  if (alive && !progress)
    m_model.failStuck();
  return alive && progress;
}

/// A chosen wave runs for a chosen time, until none can run.
void Turns::runChosen() {
  Choices &choices = m_task.choices;
  uint64_t grain = uint64_t(1) << choices.choose(ChoiceKind::Grain, Grains);
  SmallVector<unsigned, 64> ready;
  while (true) {
    ready.clear();
    m_model.appendReady(ready);
    if (ready.empty())
      break;
    unsigned wave = ready[choices.choose(ChoiceKind::Wave, ready.size())];
    m_model.setLaneOrder(wave, unsigned(choices.choose(ChoiceKind::Lanes, m_model.laneCount())));
    if (!runTurn(wave, 1 + choices.choose(ChoiceKind::Slice, 2 * grain)))
      return;
  }
  m_model.failStuck();
}

/// Turns are chosen, or go round by round.
void Turns::run() {
  if (m_task.choices.isFree())
    return runChosen();
  while (runRound())
    ;
}

/// Runs all waves of the cohort to their end, or to its failure. A run that was stopped is not off
/// its replay.
CohortResult simt::runCohort(CohortTask &task, CohortModel &model) {
  Turns turns(task, model);
  turns.run();
  model.end();
  CohortResult result;
  if (const Failure *failure = model.failure())
    result.failure = *failure;
  model.appendReports(result.reports);
  result.instructions = turns.instructions();
  append_range(result.choices, task.choices.kept());
  result.isOff = task.choices.isOff() && !turns.wasStopped();
  result.wasStopped = turns.wasStopped();
  return result;
}
