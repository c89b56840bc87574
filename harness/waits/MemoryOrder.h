// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which accesses to shared memory of one run are ordered: a second model of barriers, atomics and
// waits, written without the machine's race detector, whose truth it is to be. An access is ordered
// after one of another wave when it was complete (waited for) before something that the other wave
// did, and this one has seen: a barrier of both, an atomic or coherent access to one place.
#pragma once

#include "harness/waits/ObservedPaths.h"
#include "harness/waits/WaitTruth.h"

namespace assay::waits {

/// The accesses of one run, which can be walked again for each mutation.
class MemoryOrder {
public:
  /// \p truth and \p insts must outlive this. \p indexOf: of the instruction at a pc.
  MemoryOrder(const WaitTruth &truth, llvm::ArrayRef<gcn::Inst> insts, unsigned major,
              const ObservedPaths &run,
              llvm::function_ref<std::optional<uint32_t>(uint64_t pc)> indexOf);

  /// Pairs (later, earlier) of instructions of two waves that used one place of memory, not both to
  /// read it nor both by atomics, in no order - with \p mutation made (null: none).
  Uncovered unordered(const Mutation *mutation) const;

private:
  friend class OrderWalk;
  /// One instruction of one wave, in the order of the run; \p index is into m_insts.
  struct Step {
    uint32_t wave = 0;
    uint32_t index = 0;
    llvm::ArrayRef<ObservedAccess> accesses;
  };

  const WaitTruth &m_truth;
  llvm::ArrayRef<gcn::Inst> m_insts;
  unsigned m_major;
  unsigned m_granule = 4; ///< Bytes that are looked at as one.
  std::vector<Step> m_steps;
  std::vector<uint32_t> m_groups;     ///< By wave.
  std::vector<uint32_t> m_dispatches; ///< By wave; dispatches are in order.
};

} // namespace assay::waits
