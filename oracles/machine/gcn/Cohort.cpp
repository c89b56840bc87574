// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/machine/gcn/Cohort.h"

#include "oracles/machine/gcn/LateResults.h"
#include "oracles/machine/gcn/Layout.h"
#include "oracles/machine/gcn/Sanitizer.h"
#include "oracles/machine/gcn/Step.h"
#include "oracles/machine/gcn/Trace.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace assay;
using namespace assay::gcn;

/// Instructions a wave runs before another has its turn where nothing is to be chosen, so that
/// waves may wait for each other.
static constexpr uint64_t TimeSlice = 4096;
/// Turns of chosen length have up to 2^11 instructions.
static constexpr uint64_t Grains = 11;

CohortMemory::CohortMemory(Launch &launch, unsigned groups, bool overlaid)
    : m_origin(launch.memory()) {
  for (unsigned i = 0; i < groups; ++i) {
    m_spaces.push_back(m_origin.fork(ScratchBase, BufferBase));
    if (overlaid)
      m_spaces.back().setOverlay(m_overlay);
  }
}

void CohortMemory::reset() {
  for (AddressSpace &space : m_spaces)
    space.resetOwned(m_origin);
  m_overlay.clear();
}

namespace {

class Cohort {
public:
  Cohort(CohortTask &task, CohortMemory &memory);
  CohortResult run();

private:
  void addGroup(uint64_t index, AddressSpace &memory);
  void addObservers(Wave &wave);
  bool wake(Wave &wave);
  bool runFixed();
  bool runChosen();
  bool runTurn(Wave &wave, uint64_t slice);
  void failStuck();
  void failBudget(const Wave &wave);
  void endRaces();
  const Failure *findFailure() const;

  CohortTask &m_task;
  std::vector<std::unique_ptr<Workgroup>> m_groups;
  std::vector<std::unique_ptr<Wave>> m_waves;
  uint64_t m_instructions = 0;
  bool m_wasStopped = false;
};

} // namespace

Cohort::Cohort(CohortTask &task, CohortMemory &memory) : m_task(task) {
  for (auto [place, index] : enumerate(task.groups))
    addGroup(index, memory.ofGroup(unsigned(place)));
}

void Cohort::addGroup(uint64_t index, AddressSpace &memory) {
  const uint32_t *counts = m_task.groupCounts;
  m_groups.push_back(std::make_unique<Workgroup>(m_task.launch.makeGroup()));
  Workgroup &group = *m_groups.back();
  group.memory = &memory;
  group.sanitize = m_task.context.options.sanitize;
  group.survivesFaults = m_task.context.options.survivesFaults;
  group.index = index;
  group.id = {static_cast<uint32_t>(index % counts[0]),
              static_cast<uint32_t>(index / counts[0] % counts[1]),
              static_cast<uint32_t>(index / counts[0] / counts[1])};
  for (unsigned number = 0; number < m_task.launch.wavesPerGroup(); ++number) {
    m_waves.push_back(m_task.launch.makeWave(group, number, group.id.data()));
    addObservers(*m_waves.back());
  }
}

void Cohort::addObservers(Wave &wave) {
  if (m_task.context.options.schedule == ScheduleKind::Late)
    wave.observers.push_back(std::make_unique<LateResults>(m_task.choices));
  const RunContext &context = m_task.context;
  unsigned waves = m_task.launch.wavesPerGroup();
  if (m_task.races)
    wave.observers.push_back(createRaceObserver(
        *m_task.races, {wave.group->index * waves + wave.number, waves > 1, context.atomicMoves}));
  const TraceOptions &trace = context.options.trace;
  if (m_task.trace && isTraced(trace, wave, context.log.dispatch()))
    wave.observers.push_back(std::make_unique<Trace>(trace, wave, *m_task.trace));
  if (context.witness)
    wave.observers.push_back(context.witness->makeObserver(context.log.dispatch(), wave));
  if (!wave.observers.empty())
    wave.scoreboard.keepCompleted();
  if (wave.group->sanitize) // They need not hear of what completed.
    addSanitizers(wave);
}

/// True when \p wave can run now.
bool Cohort::wake(Wave &wave) {
  if (wave.status != WaveStatus::AtBarrier)
    return wave.status == WaveStatus::Running;
  bool isBlocked =
      wave.isBlocked ? wave.isBlocked(wave) : wave.group->barrierPhase < wave.waitPhase;
  if (isBlocked)
    return false;
  wave.isBlocked = nullptr;
  wave.status = WaveStatus::Running;
  return true;
}

/// Waves wait at a barrier that others will never reach.
void Cohort::failStuck() {
  for (const std::unique_ptr<Wave> &wave : m_waves) {
    if (wave->status != WaveStatus::AtBarrier)
      continue;
    // The barrier is the instruction before the one that would run next.
    ArrayRef<MicroOp> ops = wave->group->program->ops();
    const MicroOp &op = ops[wave->next ? wave->next - 1 : 0];
    wave->fail(OutcomeKind::Trap, "BARRIER", op,
               "wave " + Twine(wave->number) + " waits at a barrier that not all waves reach");
    return;
  }
}

void Cohort::failBudget(const Wave &wave) {
  const Inst &inst = *wave.group->program->ops()[wave.next].inst;
  wave.group->failure = {OutcomeKind::Timeout,
                         "out of its instruction budget; wave " + utostr(wave.number) +
                             " still runs, at pc 0x" + utohexstr(inst.pc, true) + ": " + inst.text,
                         {}};
}

/// False: the cohort has ended.
bool Cohort::runTurn(Wave &wave, uint64_t slice) {
  if (m_instructions >= m_task.budget) {
    failBudget(wave);
    return false;
  }
  if (m_task.mayGoOn && !m_task.mayGoOn(m_instructions)) {
    m_wasStopped = true;
    return false;
  }
  uint64_t begin = wave.instructions;
  runSteps(wave, std::min(slice, m_task.budget - m_instructions));
  m_instructions += wave.instructions - begin;
  return wave.status != WaveStatus::Failed;
}

/// Every wave that can has its turn, in one order for all rounds. False: the cohort has ended.
bool Cohort::runFixed() {
  bool progress = false;
  bool alive = false;
  for (const std::unique_ptr<Wave> &wave : m_waves) {
    alive |= wave->status != WaveStatus::Done;
    if (!wake(*wave))
      continue;
    progress = true;
    if (!runTurn(*wave, TimeSlice))
      return false;
  }
  if (alive && !progress)
    failStuck();
  return alive && progress;
}

/// A chosen wave runs for a chosen time. False: the cohort has ended.
bool Cohort::runChosen() {
  Choices &choices = m_task.choices;
  uint64_t grain = uint64_t(1) << choices.choose(ChoiceKind::Grain, Grains);
  SmallVector<Wave *, 32> ready;
  while (true) {
    ready.clear();
    for (const std::unique_ptr<Wave> &wave : m_waves)
      if (wake(*wave))
        ready.push_back(wave.get());
    if (ready.empty())
      break;
    Wave &wave = *ready[choices.choose(ChoiceKind::Wave, ready.size())];
    wave.laneFlip = static_cast<uint8_t>(choices.choose(ChoiceKind::Lanes, wave.waveSize));
    if (!runTurn(wave, 1 + choices.choose(ChoiceKind::Slice, 2 * grain)))
      return false;
  }
  failStuck();
  return false;
}

const Failure *Cohort::findFailure() const {
  for (const std::unique_ptr<Workgroup> &group : m_groups)
    if (group->failure.kind != OutcomeKind::Completed)
      return &group->failure;
  return nullptr;
}

/// The workgroups have ended: nobody will be ordered by their barriers.
void Cohort::endRaces() {
  if (!m_task.races)
    return;
  for (const std::unique_ptr<Wave> &wave : m_waves)
    noteSync(*wave, SyncEvent::End);
  for (const std::unique_ptr<Workgroup> &group : m_groups) {
    RaceEvent event;
    event.kind = RaceEventKind::Leave;
    event.wave = group->index * m_task.launch.wavesPerGroup();
    m_task.races->add(event);
  }
}

CohortResult Cohort::run() {
  if (m_task.choices.isFree())
    runChosen();
  else
    while (runFixed())
      ;
  endRaces();
  CohortResult result;
  if (const Failure *failure = findFailure())
    result.failure = *failure;
  for (const std::unique_ptr<Workgroup> &group : m_groups)
    append_range(result.reports, group->reports);
  result.instructions = m_instructions;
  append_range(result.choices, m_task.choices.kept());
  result.isOff = m_task.choices.isOff() && !m_wasStopped;
  result.wasStopped = m_wasStopped;
  return result;
}

CohortResult gcn::runCohort(CohortTask task, CohortMemory &memory) {
  return Cohort(task, memory).run();
}
