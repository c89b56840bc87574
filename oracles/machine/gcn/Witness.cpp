// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/machine/gcn/Witness.h"

#include "oracles/machine/gcn/MicroOp.h"
#include "llvm/Support/xxhash.h"

using namespace llvm;
using namespace assay;
using namespace assay::gcn;

namespace assay::gcn {

class WitnessObserver final : public WaveObserver {
public:
  WitnessObserver(Witness &witness, std::vector<Witness::Step> &steps)
      : m_witness(witness), m_steps(steps) {}
  void after(Wave &wave, const MicroOp &op) override;

private:
  Witness &m_witness;
  std::vector<Witness::Step> &m_steps;
};

} // namespace assay::gcn

static void addBytes(uint64_t &digest, const void *data, size_t size) {
  uint64_t both[2] = {digest, xxh3_64bits(ArrayRef(static_cast<const uint8_t *>(data), size))};
  digest = xxh3_64bits(ArrayRef(reinterpret_cast<const uint8_t *>(both), sizeof(both)));
}

void WitnessObserver::after(Wave &wave, const MicroOp &op) {
  if (m_witness.m_count >= Witness::MaxSteps || wave.status == WaveStatus::Failed)
    return;
  uint64_t digest = op.inst->pc << 1 | uint64_t(wave.scc);
  addBytes(digest, &wave.s[sreg::VccLo], sizeof(uint32_t) * 2);
  addBytes(digest, &wave.s[sreg::ExecLo], sizeof(uint32_t) * 2);
  for (const PendingRegisters &registers : op.writes)
    for (unsigned i = registers.first; i < unsigned(registers.first) + registers.count; ++i) {
      if (registers.vector)
        addBytes(digest, wave.v[i].data(), sizeof(uint32_t) * wave.waveSize);
      else
        addBytes(digest, &wave.s[i], sizeof(uint32_t));
    }
  m_steps.push_back({digest, op.inst->pc, m_witness.m_count++});
}

std::unique_ptr<WaveObserver> Witness::makeObserver(unsigned dispatch, const Wave &wave) {
  return std::make_unique<WitnessObserver>(*this,
                                           m_waves[{dispatch, wave.group->index, wave.number}]);
}

std::optional<WitnessPlace> Witness::findDifference(const Witness &other) const {
  std::optional<WitnessPlace> first;
  uint64_t firstTurn = ~uint64_t(0);
  for (const auto &[key, steps] : m_waves) {
    auto found = other.m_waves.find(key);
    for (size_t i = 0; i < steps.size() && steps[i].turn < firstTurn; ++i) {
      bool isThere = found != other.m_waves.end() && i < found->second.size();
      if (isThere ? found->second[i].digest == steps[i].digest : other.isCut())
        continue;
      first = {std::get<0>(key), std::get<1>(key), std::get<2>(key), i, steps[i].pc};
      firstTurn = steps[i].turn;
      break;
    }
  }
  return first;
}
