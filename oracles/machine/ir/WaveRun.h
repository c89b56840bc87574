// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One wave of a dispatch on IR: what it is called with, and what calls mean there.
#pragma once

#include "oracles/api/Outcome.h"
#include "oracles/ir/Machine.h"
#include "oracles/machine/gcn/Wave.h"
#include "oracles/machine/ir/IrImage.h"
#include "oracles/machine/ir/LastInstruction.h"
#include "oracles/machine/ir/StageWave.h"
#include "oracles/machine/simt/AddressSpace.h"

namespace assay::irm {

/// What all waves of a dispatch see.
struct DispatchFacts {
  const IrImage &image;
  const ResourceLayout &layout;
  simt::AddressSpace &memory; ///< With the tables; the buffers' contents are in ir::Memory.
  std::array<uint32_t, 3> groups;
  uint64_t clock = 0;                       ///< Goes up with each reading.
  std::optional<uint64_t> watch;            ///< RunOptions::watch.
  std::optional<LastInstruction> lastWrite; ///< Of that byte.
  std::optional<LastInstruction> stop;      ///< Of the first wave that did not return.
  ir::ExecutionLog *log = nullptr;          ///< RunOptions::execution.

  const gcn::LaunchState &launch() const { return image.code.launch; }
};

class WaveRun final : public ir::Environment {
public:
  /// \p wave has the registers that the hardware gives; \p memory, \p limits, \p facts and
  /// \p stage, which is null in dispatches, must outlive this.
  WaveRun(DispatchFacts &facts, std::unique_ptr<gcn::Wave> wave, std::array<uint32_t, 3> group,
          ir::Memory &memory, const ir::RunLimits &limits, StageWave *stage = nullptr);

  /// Until it ends or comes to a barrier; true if there is more to do.
  bool resume() { return m_machine->resume(); }
  ir::RunResult finish() { return m_machine->finish(); }
  uint64_t instructions() const { return m_machine->instructions(); }
  /// Where a run that did not return has ended; nothing before the first instruction.
  std::optional<LastInstruction> stoppedAt() const;

  void didWrite(const ir::Inst &inst, const ir::Lane &lane, uint64_t address,
                uint64_t bytes) const override;
  ir::ExecutionLog *log() const override { return m_facts.log; }
  /// threadOf() its first lane: the same in each dispatch.
  uint64_t firstThread() const override;
  ir::Handler findCall(const llvm::Function &callee) const override;
  bool endsLanes(const llvm::Function &callee) const override;

  DispatchFacts &facts() const { return m_facts; }
  const std::array<uint32_t, 3> &group() const { return m_group; }
  unsigned number() const { return m_wave->number; }
  unsigned waveSize() const override { return m_facts.launch().waveSize; }
  uint32_t sgpr(unsigned index) const { return m_wave->s[index]; }
  /// Null in a dispatch.
  StageWave *stage() const { return m_stage; }
  /// What instructions of the hardware run on; the registers after those of the launch are free.
  gcn::Wave &hardware() const { return *m_wave; }
  /// Of the invocation in \p lane, in the order x, y, z.
  std::array<uint32_t, 3> localId(unsigned lane) const;

private:
  std::vector<ir::Value> makeArguments(unsigned lane) const;

  DispatchFacts &m_facts;
  std::unique_ptr<gcn::Wave> m_wave;
  std::array<uint32_t, 3> m_group;
  StageWave *m_stage;
  std::unique_ptr<ir::Machine> m_machine;
};

/// How a run that ends with \p state ends the run of a case.
OutcomeKind kindOf(ir::RunState state);

/// The run that \p machine belongs to.
inline const WaveRun &waveOf(ir::Machine &machine) {
  return *static_cast<const WaveRun *>(machine.environment());
}

/// The stage of a draw that \p machine runs. Null, and \p machine stopped, where none runs.
inline StageWave *stageOf(ir::Machine &machine) {
  StageWave *stage = waveOf(machine).stage();
  if (!stage)
    machine.stop(ir::RunState::Unsupported, "an operation of graphics stages outside of a draw");
  return stage;
}

} // namespace assay::irm
