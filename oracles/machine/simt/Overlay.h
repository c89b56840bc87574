// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Copy on write for workgroups that run at the same time as others before whose turn it is: what
// one reads and writes is remembered by the byte, so that it can be told whether it would have read
// the same in its turn. Then its writes are made; else it runs again.
#pragma once

#include "oracles/machine/simt/AddressSpace.h"
#include <array>
#include <memory>
#include <vector>

namespace assay::simt {

/// Of one allocation. The memory below does not change while the overlay is in use.
class OverlayRange {
public:
  explicit OverlayRange(llvm::MutableArrayRef<uint8_t> base);

  uint8_t *base() const { return m_base.data(); }
  /// Where to read or write [offset, offset + bytes), which is in range. A write may also read.
  uint8_t *find(uint64_t offset, uint64_t bytes, Access access);
  /// Whether a byte was read that \p earlier, of the same allocation, writes.
  bool reads(const OverlayRange &earlier) const;
  /// Makes the writes in the memory below.
  void commit() const;
  /// Forgets all accesses.
  void clear();

private:
  static constexpr uint64_t PageBytes = 1024;
  using Bits = std::array<uint64_t, PageBytes / 64>;
  struct Page {
    uint64_t number = 0;
    bool isCopied = false;
    bool isWritten = false;
    Bits read{};
    Bits written{};
  };

  Page &pageOf(uint64_t number);
  void copyPage(Page &page);

  struct Free {
    void operator()(uint8_t *bytes) const { std::free(bytes); }
  };

  llvm::MutableArrayRef<uint8_t> m_base;
  std::unique_ptr<uint8_t, Free> m_bytes; ///< As large as m_base; there once a page is copied.
  std::vector<uint32_t> m_index;          ///< By page: its place in m_pages plus 1, or 0.
  std::vector<Page> m_pages;
};

/// Of all memory that a workgroup may write.
class Overlay {
public:
  /// The range over \p base, made when it is asked for first.
  OverlayRange &rangeFor(llvm::MutableArrayRef<uint8_t> base);
  bool reads(const Overlay &earlier) const;
  void commit() const;
  void clear();

private:
  std::vector<std::unique_ptr<OverlayRange>> m_ranges;
};

} // namespace assay::simt
