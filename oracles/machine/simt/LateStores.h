// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The stores of one wave that other waves do not see yet. The wave itself sees them: "no special
// action is required for coherence between the lanes of a single wavefront" (LLVM's AMDGPUUsage,
// the memory models), so that compilers wait nowhere between a store and a load of one thread.
// Instructions that reach memory by another path (scalar loads) do not see them.
//
// Around each instruction that sees them: show(), note() for each access, hide().
#pragma once

#include "oracles/machine/simt/MemoryEvent.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <array>
#include <vector>

namespace assay::simt {

/// The memory of [address, address + bytes) of a space, for writing; null where there is none.
using FindMemory =
    llvm::function_ref<uint8_t *(MemorySpace space, uint64_t address, uint32_t bytes)>;

class LateStores {
public:
  bool empty() const { return m_held.empty(); }
  /// Puts all held stores into memory, so that an instruction of the wave finds them there.
  void show(FindMemory find);
  /// The instruction numbered \p sequence is about to make \p event. What an atomic touches stays
  /// in memory: the atomic happens there, after the wave's own stores.
  void note(FindMemory find, const MemoryEvent &event, uint32_t sequence);
  /// Takes out of memory what show() and the instruction itself put there.
  void hide(FindMemory find);
  /// Other waves see the stores of instruction \p sequence from now on.
  void release(FindMemory find, uint32_t sequence);
  void releaseAll(FindMemory find);

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

  static uint8_t *findHeld(FindMemory find, const Held &held) {
    return find(held.space, held.address, held.bytes);
  }
  void releaseIf(FindMemory find, llvm::function_ref<bool(const Held &)> chosen);

  std::vector<Held> m_held; ///< In the order of issue.
  size_t m_shown = 0;       ///< Of m_held, those in front are in memory; the rest is new.
};

} // namespace assay::simt
