// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A machine whose waves have one lane, one register and a list of steps: what a machine must do to
// run under this module's schedules, and nothing else. For tests.
#pragma once

#include "oracles/machine/simt/CaseMemory.h"
#include "oracles/machine/simt/DispatchRun.h"
#include "llvm/ADT/STLExtras.h"
#include <cstring>

namespace assay::simt {

enum class StepKind : uint8_t {
  Load,           ///< register = word
  Store,          ///< word = register
  Add,            ///< register = word, word += 1, atomically
  Barrier,        ///< of the workgroup
  BarrierOfFirst, ///< likewise, and only the first wave arrives there
  Count,          ///< word of private memory += 1; register = that word
};

/// Words are of the one buffer. perWave: plus the number of the wave in the dispatch.
struct Step {
  StepKind kind;
  uint64_t word = 0;
  bool perWave = false;
};

class ScriptDispatch final : public DispatchModel {
public:
  static constexpr PrivateRange Private = {0x1000, 0x2000};

  ScriptDispatch(llvm::ArrayRef<Step> steps, std::vector<BufferState> &buffers,
                 unsigned wavesPerGroup)
      : m_steps(steps), m_waves(wavesPerGroup) {
    (void)mapBuffers(m_memory, buffers);
    (void)m_memory.allocate(Private.begin, 4, "private memory", true);
  }
  unsigned wavesPerGroup() const override { return m_waves; }
  AddressSpace &memory() override { return m_memory; }
  PrivateRange privateRange() const override { return Private; }
  RaceOptions raceOptions() const override {
    RaceOptions options;
    options.wavesPerGroup = m_waves;
    options.describe = [](uint32_t step) -> InstructionText { return {step, "a step", "step"}; };
    return options;
  }
  std::unique_ptr<CohortModel> createCohort(CohortTask &task, CohortMemory &memory) override;
  llvm::ArrayRef<Step> steps() const { return m_steps; }

private:
  llvm::ArrayRef<Step> m_steps;
  unsigned m_waves;
  AddressSpace m_memory;
};

class ScriptCohort final : public CohortModel {
public:
  ScriptCohort(ScriptDispatch &dispatch, CohortTask &task, CohortMemory &memory)
      : m_dispatch(dispatch), m_task(task), m_arrived(task.groups.size()),
        m_phase(task.groups.size()) {
    for (auto [place, group] : llvm::enumerate(task.groups))
      for (unsigned number = 0; number < dispatch.wavesPerGroup(); ++number)
        m_waves.push_back({unsigned(place), group, number, &memory.ofGroup(unsigned(place))});
    if (task.context.witness)
      for (Wave &wave : m_waves)
        wave.track = &task.context.witness->trackOf(task.dispatch, wave.group, wave.number);
  }
  unsigned waveCount() const override { return unsigned(m_waves.size()); }
  unsigned laneCount() const override { return 1; }
  WaveStatus poll(unsigned number) override {
    Wave &wave = m_waves[number];
    if (wave.status == WaveStatus::AtBarrier && m_phase[wave.place] == wave.phase) {
      wave.status = WaveStatus::Running;
      send(wave, RaceEventKind::Pass, wave.phase);
    }
    return wave.status;
  }
  void setLaneOrder(unsigned, unsigned) override {}
  bool run(unsigned number, uint64_t limit, uint64_t &executed) override {
    Wave &wave = m_waves[number];
    for (uint64_t i = 0; i < limit && wave.status == WaveStatus::Running; ++i, ++executed)
      step(wave);
    return wave.status != WaveStatus::Failed;
  }
  void failStuck() override {
    if (llvm::any_of(m_waves, [](const Wave &wave) { return wave.status != WaveStatus::Done; }))
      m_failure = {OutcomeKind::Trap, "stuck", {}};
  }
  void failBudget(unsigned) override { m_failure = {OutcomeKind::Timeout, "budget", {}}; }
  void end() override {
    for (const Wave &wave : m_waves)
      if (m_task.races && wave.number == 0)
        send(wave, RaceEventKind::Leave, 0);
  }
  const Failure *failure() const override {
    return m_failure.kind == OutcomeKind::Completed ? nullptr : &m_failure;
  }
  void appendReports(std::vector<Finding> &) const override {}

private:
  struct Wave {
    unsigned place;
    uint64_t group;
    unsigned number;
    AddressSpace *memory;
    Witness::Track *track = nullptr;
    uint32_t next = 0;
    uint32_t value = 0;
    unsigned phase = 0;
    WaveStatus status = WaveStatus::Running;
  };

  uint64_t indexOf(const Wave &wave) const {
    return wave.group * m_dispatch.wavesPerGroup() + wave.number;
  }
  void send(const Wave &wave, RaceEventKind kind, uint32_t number, uint64_t address = 0) {
    if (!m_task.races)
      return;
    RaceEvent event;
    event.kind = kind;
    event.wave = indexOf(wave);
    event.number = number;
    event.address = address;
    event.bytes = 4;
    event.released = number;
    event.instruction = wave.next;
    m_task.races->add(event);
  }
  void arrive(Wave &wave) {
    wave.status = WaveStatus::AtBarrier;
    send(wave, RaceEventKind::Signal, ++wave.phase);
    if (++m_arrived[wave.place] % m_dispatch.wavesPerGroup() == 0)
      ++m_phase[wave.place];
  }
  void access(Wave &wave, const Step &step) {
    bool isPrivate = step.kind == StepKind::Count;
    uint64_t word = step.word + (step.perWave ? indexOf(wave) : 0);
    uint64_t address = isPrivate ? ScriptDispatch::Private.begin : BufferBase + 4 * word;
    bool isLoad = step.kind == StepKind::Load;
    uint8_t *memory = wave.memory->find(address, 4, isLoad ? Access::Read : Access::Write);
    if (!memory) {
      wave.status = WaveStatus::Failed;
      m_failure = {OutcomeKind::Trap, wave.memory->describe(address), {}};
      return;
    }
    if (!isPrivate)
      send(wave,
           isLoad                         ? RaceEventKind::Read
           : step.kind == StepKind::Store ? RaceEventKind::Write
                                          : RaceEventKind::Atomic,
           wave.next + 1, address);
    uint32_t old;
    std::memcpy(&old, memory, 4);
    uint32_t stored = step.kind == StepKind::Store ? wave.value : old + 1;
    if (!isLoad)
      std::memcpy(memory, &stored, 4);
    if (step.kind != StepKind::Store)
      wave.value = isPrivate ? stored : old;
  }
  void step(Wave &wave) {
    llvm::ArrayRef<Step> steps = m_dispatch.steps();
    if (wave.next == steps.size()) {
      wave.status = WaveStatus::Done;
      return;
    }
    const Step &step = steps[wave.next];
    bool isBarrier = step.kind == StepKind::Barrier || step.kind == StepKind::BarrierOfFirst;
    if (!isBarrier)
      access(wave, step);
    else if (step.kind == StepKind::Barrier || wave.number == 0)
      arrive(wave);
    if (wave.track)
      m_task.context.witness->note(*wave.track, wave.next, wave.value);
    ++wave.next;
  }

  ScriptDispatch &m_dispatch;
  CohortTask &m_task;
  std::vector<Wave> m_waves;
  std::vector<unsigned> m_arrived; ///< Waves at any barrier so far, by workgroup.
  std::vector<unsigned> m_phase;   ///< Barriers that all waves have reached.
  Failure m_failure;
};

inline std::unique_ptr<CohortModel> ScriptDispatch::createCohort(CohortTask &task,
                                                                 CohortMemory &memory) {
  return std::make_unique<ScriptCohort>(*this, task, memory);
}

} // namespace assay::simt
