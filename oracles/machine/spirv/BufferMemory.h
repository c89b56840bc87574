// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One buffer of a case while a dispatch runs: its bytes, and what is open about each of them.
#pragma once

#include "oracles/api/Outcome.h"
#include "oracles/machine/spirv/MemoryType.h"
#include "oracles/machine/spirv/Race.h"
#include "oracles/machine/spirv/Value.h"
#include <memory>
#include <vector>

namespace assay::reference {

class BufferMemory {
public:
  /// Takes over \p state. \p granule: bytes per granule of race detection; 0 for none.
  BufferMemory(const BufferState &state, uint32_t granule);
  /// Writes back what the dispatch left, if it wrote at all.
  void exportTo(BufferState &state) const;

  uint64_t size() const { return m_bytes.size(); }
  Scalar load(uint64_t offset, unsigned bytes, bool isFloat) const;
  /// Stores; a float takes the values of its interval that a float32 can have.
  void store(uint64_t offset, unsigned bytes, const Scalar &value);
  /// True when the access races with an earlier one of this dispatch.
  bool recordAccess(uint64_t offset, unsigned bytes, const Accessor &who, AccessKind kind);

private:
  struct Range {
    double lo = 0;
    double hi = 0;
    bool nan = false;
  };
  Scalar loadOpen(uint64_t offset, unsigned bytes, bool isFloat) const;
  void storeOpen(uint64_t offset, unsigned bytes, const Scalar &value);
  void breakRanges(uint64_t offset, unsigned bytes);
  void setRange(uint64_t offset, const Range &range);

  std::vector<uint8_t> m_bytes;
  std::vector<uint8_t> m_open; ///< Per byte, see BufferMemory.cpp; 0 = exact.
  std::vector<Range> m_ranges; ///< Per dword; empty until the first interval is stored.
  /// Per granule, in pages that exist once one of their granules was accessed.
  std::vector<std::unique_ptr<AccessHistory[]>> m_accesses;
  uint32_t m_granule;
  bool m_written = false;
};

} // namespace assay::reference
