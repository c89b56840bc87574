// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/machine/gcn/GcnDispatch.h"

#include "oracles/machine/gcn/Program.h"
#include "oracles/machine/gcn/Step.h"
#include "oracles/machine/gcn/Trace.h"
#include "oracles/machine/gcn/launch/Layout.h"
#include "oracles/machine/gcn/sanitizer/LateResults.h"
#include "oracles/machine/gcn/sanitizer/RaceObserver.h"
#include "oracles/machine/gcn/sanitizer/Sanitizer.h"
#include "oracles/machine/gcn/sanitizer/WitnessObserver.h"
#include "oracles/machine/simt/TraceRange.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace assay;
using namespace assay::gcn;
using namespace assay::simt;

namespace {

/// Some workgroups of a dispatch that run together. Waves are numbered through all of them.
class Cohort final : public CohortModel {
public:
  Cohort(Launch &launch, bool hasAtomicMoves, CohortTask &task, CohortMemory &memory);

  unsigned waveCount() const override { return unsigned(m_waves.size()); }
  unsigned laneCount() const override { return m_waves.front()->waveSize; }
  WaveStatus poll(unsigned wave) override;
  void appendReady(SmallVectorImpl<unsigned> &ready) override;
  void setLaneOrder(unsigned wave, unsigned flip) override {
    m_waves[wave]->laneFlip = static_cast<uint8_t>(flip);
  }
  bool run(unsigned wave, uint64_t limit, uint64_t &executed) override;
  void failStuck() override;
  void failBudget(unsigned wave) override;
  void end() override;
  const Failure *failure() const override;
  void appendReports(std::vector<Finding> &reports) const override;

private:
  /// Creates a workgroup and its waves; \p memory is what it sees.
  void addGroup(uint64_t index, AddressSpace &memory);
  /// The order of observers matters: late results come first.
  void addObservers(Wave &wave);

  Launch &m_launch;
  bool m_hasAtomicMoves;
  CohortTask &m_task;
  std::vector<std::unique_ptr<Workgroup>> m_groups;
  std::vector<std::unique_ptr<Wave>> m_waves;
};

} // namespace

Cohort::Cohort(Launch &launch, bool hasAtomicMoves, CohortTask &task, CohortMemory &memory)
    : m_launch(launch), m_hasAtomicMoves(hasAtomicMoves), m_task(task) {
  for (auto [place, index] : enumerate(task.groups))
    addGroup(index, memory.ofGroup(unsigned(place)));
}

/// Waves start in the state that the launch gives them.
void Cohort::addGroup(uint64_t index, AddressSpace &memory) {
  m_groups.push_back(std::make_unique<Workgroup>(m_launch.makeGroup(index)));
  Workgroup &group = *m_groups.back();
  group.memory = &memory;
  group.sanitize = m_task.context.options.sanitize;
  group.survivesFaults = m_task.context.options.survivesFaults;
  group.index = index;
  group.id = m_task.idOf(index);
  for (unsigned number = 0; number < m_launch.wavesPerGroup(); ++number) {
    m_waves.push_back(m_launch.makeWave(group, number, group.id.data()));
    addObservers(*m_waves.back());
  }
}

void Cohort::addObservers(Wave &wave) {
  const RunContext &context = m_task.context;
  if (context.options.schedule == ScheduleKind::Late)
    wave.observers.push_back(std::make_unique<LateResults>(m_task.choices));
  unsigned waves = m_launch.wavesPerGroup();
  if (m_task.races)
    wave.observers.push_back(createRaceObserver(
        *m_task.races, {wave.group->index * waves + wave.number, waves > 1, m_hasAtomicMoves}));
  const TraceOptions &trace = context.options.trace;
  if (m_task.trace && isTraced(trace, m_task.dispatch, wave.group->index, wave.number))
    wave.observers.push_back(std::make_unique<Trace>(trace, wave, *m_task.trace));
  if (context.witness)
    wave.observers.push_back(createWitnessObserver(*context.witness, m_task.dispatch, wave));
  if (!wave.observers.empty())
    wave.scoreboard.keepCompleted();
  if (wave.group->sanitize) // They need not hear of what completed.
    addSanitizers(wave);
}

/// Wakes a wave that waits when what it waits for has happened.
WaveStatus Cohort::poll(unsigned number) {
  Wave &wave = *m_waves[number];
  if (wave.status != WaveStatus::AtBarrier)
    return wave.status;
  bool isBlocked =
      wave.isBlocked ? wave.isBlocked(wave) : wave.group->barrierPhase < wave.waitPhase;
  if (isBlocked)
    return wave.status;
  wave.isBlocked = nullptr;
  return wave.status = WaveStatus::Running;
}

/// Wakes waves whose barrier is complete, and adds all that can run.
void Cohort::appendReady(SmallVectorImpl<unsigned> &ready) {
  for (unsigned wave = 0; wave < m_waves.size(); ++wave) // Not virtual: poll() is final here.
    if (poll(wave) == WaveStatus::Running)
      ready.push_back(wave);
}

/// Executes at most \p limit instructions of a wave, and adds their number to \p executed. False
/// when it failed.
bool Cohort::run(unsigned number, uint64_t limit, uint64_t &executed) {
  Wave &wave = *m_waves[number];
  uint64_t begin = wave.instructions;
  runSteps(wave, limit);
  executed += wave.instructions - begin;
  return wave.status != WaveStatus::Failed;
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

/// The failure names where \p number still runs.
void Cohort::failBudget(unsigned number) {
  const Wave &wave = *m_waves[number];
  const Inst &inst = *wave.group->program->ops()[wave.next].inst;
  wave.group->failure = {OutcomeKind::Timeout,
                         "out of its instruction budget; wave " + utostr(wave.number) +
                             " still runs, at pc 0x" + utohexstr(inst.pc, true) + ": " + inst.text,
                         {}};
}

/// Takes the results of all waves, and tells the race detector that the workgroups have ended.
void Cohort::end() {
  for (const std::unique_ptr<Wave> &wave : m_waves)
    m_launch.takeResult(*wave);
  if (!m_task.races)
    return;
  for (const std::unique_ptr<Wave> &wave : m_waves)
    noteSync(*wave, SyncEvent::End);
  for (const std::unique_ptr<Workgroup> &group : m_groups) {
    RaceEvent event;
    event.kind = RaceEventKind::Leave;
    event.wave = group->index * m_launch.wavesPerGroup();
    m_task.races->add(event);
  }
}

/// The first workgroup's that failed, or null.
const Failure *Cohort::failure() const {
  for (const std::unique_ptr<Workgroup> &group : m_groups)
    if (group->failure.kind != OutcomeKind::Completed)
      return &group->failure;
  return nullptr;
}

/// In the order of workgroups.
void Cohort::appendReports(std::vector<Finding> &reports) const {
  for (const std::unique_ptr<Workgroup> &group : m_groups)
    append_range(reports, group->reports);
}

PrivateRange gcn::scratchRange() {
  return {ScratchBase, BufferBase};
}

/// Instructions are described by their index in the program.
RaceOptions GcnDispatch::raceOptions() const {
  RaceOptions options;
  options.wavesPerGroup = m_launch.wavesPerGroup();
  options.isOnTwoUnits = m_launch.isOnTwoUnits();
  options.describe = [ops = m_launch.program().ops()](uint32_t index) -> InstructionText {
    const Inst &inst = *ops[index].inst;
    return {inst.pc, inst.text, inst.mnemonic};
  };
  return options;
}

std::unique_ptr<CohortModel> GcnDispatch::createCohort(CohortTask &task, CohortMemory &memory) {
  return std::make_unique<Cohort>(m_launch, m_hasAtomicMoves, task, memory);
}
