// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One buffer of a case while a dispatch runs: its bytes, and what is open about each of them.
#pragma once

#include "oracles/api/Outcome.h"
#include "oracles/machine/spirv/Value.h"
#include "oracles/machine/spirv/memory/MemoryType.h"
#include "oracles/machine/spirv/memory/Race.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseMap.h"
#include <map>
#include <memory>
#include <vector>

namespace assay::reference {

/// Some bits of a texel and what is open about them: any number from lo to hi is right, or, with
/// flags of Poison, nothing is known.
struct TexelField {
  uint32_t firstBit = 0; ///< From the lowest bit of the texel's first byte.
  uint32_t bits = 8;     ///< 1 to 32.
  bool isSigned = false;
  int64_t lo = 0;
  int64_t hi = 0;
  int64_t nominal = 0; ///< One of them; what is stored.
  uint8_t flags = 0;
  Cause cause = Cause::Memory;
};

class BufferMemory {
public:
  /// Takes over \p state. \p granule: bytes per granule of race detection; 0 for none.
  BufferMemory(const BufferState &state, uint32_t granule);
  /// Writes back what the dispatch left, if it wrote at all.
  void exportTo(BufferState &state) const;

  uint64_t size() const { return m_bytes.size(); }
  Scalar load(uint64_t offset, unsigned bytes, bool isFloat) const;
  /// Stores; a float takes the values of its interval that a float of its size can have.
  void store(uint64_t offset, unsigned bytes, const Scalar &value);
  /// Fills in what is in the bits of \p field, of the texel at \p offset.
  void loadField(uint64_t offset, TexelField &field) const;
  /// Stores a texel of \p bytes bytes, whose fields do not overlap; other bits become 0.
  void storeFields(uint64_t offset, unsigned bytes, llvm::ArrayRef<TexelField> fields);
  /// From now on nothing is known of any byte, or of some; stores to the latter count again.
  void lose() { m_lost = m_written = true; }
  void loseBytes(uint64_t offset, unsigned bytes);
  /// Marks all bytes as never written.
  void markUninitialized();
  /// True when the access races with an earlier one of this dispatch.
  bool recordAccess(uint64_t offset, unsigned bytes, const Accessor &who, AccessKind kind);
  /// True when another variable than \p variable (not 0) has led to one of these bytes in this
  /// dispatch, and one of the two accesses writes.
  bool recordVariable(uint64_t offset, unsigned bytes, uint32_t variable, bool isWrite);

private:
  struct Range {
    double lo = 0;
    double hi = 0;
    uint8_t bytes = 4;
    bool nan = false;
  };
  Scalar loadOpen(uint64_t offset, unsigned bytes, bool isFloat) const;
  void storeOpen(uint64_t offset, unsigned bytes, const Scalar &value);
  void storeFloatBits(uint64_t offset, unsigned bytes, const Scalar &value);
  void breakRanges(uint64_t offset, unsigned bytes);
  void setRange(uint64_t offset, const Range &range);
  void breakFields(uint64_t offset, unsigned bytes);
  void importFields(const BufferState &state);
  void exportFields(BufferState &state) const;

  std::vector<uint8_t> m_bytes;
  std::vector<uint8_t> m_open; ///< Per byte, see BufferOpen.h; 0 = exact.
  /// By offset; those whose first byte is not marked as such are stale.
  llvm::DenseMap<uint64_t, Range> m_ranges;
  std::map<uint64_t, FieldInterval> m_fields; ///< As BufferState::fields.
  /// Per granule, in pages that exist once one of their granules was accessed.
  std::vector<std::unique_ptr<AccessHistory[]>> m_accesses;
  /// Which variables led to a byte; 0 for none yet.
  struct Variables {
    uint32_t reader = 0; ///< One of them.
    uint32_t writer = 0;
    bool hasReaders = false; ///< More than the one.
  };
  std::vector<Variables> m_variables; ///< By byte; empty before the first.
  uint32_t m_granule;
  bool m_written = false;
  bool m_lost = false;
};

} // namespace assay::reference
