// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// When the waves of a workgroup may see each other's writes: a write is there for others once its
// wave waited for it and then came to a barrier. The model writes at once, so what was not waited
// for has to be remembered to be noticed - whatever the order in which waves have their turns.
#pragma once

#include "llvm/ADT/DenseMap.h"
#include <cstdint>
#include <vector>

namespace assay::gcn {

class Wave;
struct MicroOp;

/// Where the write went: the two kinds of memory are waited for by different counters.
enum class MemoryKind : uint8_t { Lds, Global };
constexpr unsigned MemoryKindCount = 2;

/// What a wave had outstanding when it came to its last barrier.
struct BarrierView {
  uint32_t visibleBelow[MemoryKindCount] = {}; ///< Writes numbered below were complete.
  uint32_t arrival = 0;                        ///< Writes numbered below were issued before.
  unsigned phase = 0;                          ///< Barriers passed by who is after it.
};

/// The last views of one wave, by phase: a wave is two barriers ahead of another at most.
class BarrierHistory {
public:
  void add(const BarrierView &view) {
    m_views[view.phase % Count] = view;
    m_last = view.phase;
  }
  /// The view at the last barrier that was over when \p passed barriers were: what a wave that has
  /// passed so many may rely on.
  const BarrierView &find(unsigned passed) const {
    return m_views[(passed < m_last ? passed : m_last) % Count];
  }

private:
  static constexpr unsigned Count = 4;
  BarrierView m_views[Count];
  unsigned m_last = 0;
};

/// Takes the view of \p wave, which arrives at a barrier.
BarrierView takeBarrierView(const Wave &wave);

/// The last writer of each byte of LDS and each dword of memory, in one workgroup. Only what a
/// barrier should have ordered is reported: without one, waves race or use atomics, and no wait
/// is missing.
class Visibility {
public:
  /// Nothing is recorded unless \p enabled: a single wave sees its own writes in order.
  void reset(bool enabled, uint64_t ldsBytes);

  /// \p op of \p wave is about to access \p bytes. Reports when another wave's write there may not
  /// have happened yet.
  void accessLds(Wave &wave, const MicroOp &op, uint64_t offset, unsigned bytes, bool writes);
  void accessGlobal(Wave &wave, const MicroOp &op, uint64_t address, unsigned bytes, bool writes);

private:
  struct Writer {
    const Wave *wave = nullptr; ///< Null: none yet.
    uint32_t sequence = 0;
    bool atomic = false;
  };

  static void check(Wave &wave, const MicroOp &op, const Writer &writer, MemoryKind kind,
                    uint64_t where);

  bool m_enabled = false;
  std::vector<Writer> m_lds;                 ///< By byte.
  llvm::DenseMap<uint64_t, Writer> m_global; ///< By address / 4.
};

} // namespace assay::gcn
