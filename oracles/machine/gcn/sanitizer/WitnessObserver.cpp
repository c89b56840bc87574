// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/machine/gcn/sanitizer/WitnessObserver.h"

#include "oracles/machine/gcn/MicroOp.h"

using namespace llvm;
using namespace assay;
using namespace assay::gcn;
using namespace assay::simt;

namespace {

/// Adds a digest of each instruction's results to one wave's track.
class WitnessObserver final : public WaveObserver {
public:
  WitnessObserver(Witness &witness, Witness::Track &track) : m_witness(witness), m_track(track) {}
  void after(Wave &wave, const MicroOp &op) override;

private:
  Witness &m_witness;
  Witness::Track &m_track;
};

} // namespace

/// The digest covers the program counter, SCC, VCC, EXEC and every register that \p op writes, all
/// lanes included. Nothing is noted once the witness is cut, or after a failure.
void WitnessObserver::after(Wave &wave, const MicroOp &op) {
  if (m_witness.isCut() || wave.status == WaveStatus::Failed)
    return;
  WitnessDigest digest(op.inst->pc << 1 | uint64_t(wave.scc));
  digest.add(&wave.s[sreg::VccLo], sizeof(uint32_t) * 2);
  digest.add(&wave.s[sreg::ExecLo], sizeof(uint32_t) * 2);
  for (const PendingRegisters &registers : op.writes)
    for (unsigned i = registers.first; i < unsigned(registers.first) + registers.count; ++i) {
      if (registers.vector)
        digest.add(wave.v[i].data(), sizeof(uint32_t) * wave.waveSize);
      else
        digest.add(&wave.s[i], sizeof(uint32_t));
    }
  m_witness.note(m_track, op.inst->pc, digest.value());
}

std::unique_ptr<WaveObserver> gcn::createWitnessObserver(Witness &witness, unsigned dispatch,
                                                         const Wave &wave) {
  return std::make_unique<WitnessObserver>(
      witness, witness.trackOf(dispatch, wave.group->index, wave.number));
}
