// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The stores of one wave that other waves do not see yet. The wave itself sees them: "no special
// action is required for coherence between the lanes of a single wavefront" (LLVM's AMDGPUUsage,
// the memory models), which is why compilers wait nowhere between a store and a load of one thread.
// Scalar loads have another way to memory and do not see them.
#pragma once

#include "oracles/machine/gcn/Observer.h"
#include <array>
#include <vector>

namespace assay::gcn {

class LateStores {
public:
  bool empty() const { return m_held.empty(); }
  /// Puts all held stores into memory, so that an instruction of the wave finds them there.
  void show(Wave &wave);
  /// The instruction numbered \p sequence is about to make \p event. What an atomic touches is
  /// there for good: it happens in memory, behind the wave's own stores.
  void note(Wave &wave, const MemoryEvent &event, uint32_t sequence);
  /// Takes out of memory what show() and the instruction itself put there.
  void hide(Wave &wave);
  /// Makes the stores of event \p sequence for good.
  void release(Wave &wave, uint32_t sequence);
  void releaseAll(Wave &wave);

private:
  static constexpr unsigned PieceBytes = 16;
  struct Held {
    uint32_t sequence = 0;
    MemorySpace space = MemorySpace::Global;
    uint8_t bytes = 0;
    uint64_t address = 0;
    std::array<uint8_t, PieceBytes> stored{};
    std::array<uint8_t, PieceBytes> below{}; ///< What memory holds without it, while shown.

    bool overlaps(MemorySpace otherSpace, uint64_t begin, uint64_t end) const {
      return space == otherSpace && address < end && begin < address + bytes;
    }
  };

  static uint8_t *find(Wave &wave, const Held &held);
  void releaseIf(Wave &wave, llvm::function_ref<bool(const Held &)> chosen);

  std::vector<Held> m_held; ///< In the order of issue.
  size_t m_shown = 0;       ///< Of m_held, those in front are in memory; the rest is new.
};

} // namespace assay::gcn
