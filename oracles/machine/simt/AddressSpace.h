// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The GPU's memory as the code sees it: a few allocations, far apart, and nothing between them.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <deque>
#include <string>
#include <vector>

namespace assay::simt {

enum class Access : uint8_t { Read, Write };

class Overlay;
class OverlayRange;

/// Allocations by address. Looking up is fast for addresses near the previous one.
class AddressSpace {
public:
  AddressSpace() = default;
  /// A copy would point into the memory that the original owns; fork() is what makes another one.
  AddressSpace(const AddressSpace &) = delete;
  AddressSpace &operator=(const AddressSpace &) = delete;
  AddressSpace(AddressSpace &&) = default;
  AddressSpace &operator=(AddressSpace &&) = default;

  /// Maps \p bytes, which the caller keeps, at \p base. Allocations must not overlap.
  void map(uint64_t base, llvm::MutableArrayRef<uint8_t> bytes, llvm::StringRef name,
           bool writable);
  /// The same with memory of its own, which is returned.
  llvm::MutableArrayRef<uint8_t> allocate(uint64_t base, uint64_t size, llvm::StringRef name,
                                          bool writable, uint8_t fill = 0);

  /// A space with the same memory, except for a copy of its own of what begins in [begin, end).
  AddressSpace fork(uint64_t begin, uint64_t end) const;
  /// Gives a fork's own memory the contents that \p origin, which it was forked from, has.
  void resetOwned(const AddressSpace &origin);
  /// From now on, accesses of writable memory that is not this fork's own go through \p overlay.
  void setOverlay(Overlay &overlay);

  /// All that is mapped, by rising address.
  struct Range {
    uint64_t base;
    llvm::MutableArrayRef<uint8_t> bytes;
    bool writable;
  };
  std::vector<Range> ranges() const;

  /// The host memory of [address, address + bytes), or null when it is not all inside one
  /// allocation that permits \p access.
  uint8_t *find(uint64_t address, uint64_t bytes, Access access);

  /// "at byte 12 of 'name' (64 bytes)", "40 bytes beyond the end of 'name'": where \p address lies,
  /// for messages.
  std::string describe(uint64_t address) const;

private:
  struct Allocation {
    uint64_t base;
    llvm::MutableArrayRef<uint8_t> bytes;
    std::string name;
    bool writable;
    bool isOwned = false;            ///< Its bytes are in m_owned.
    OverlayRange *overlay = nullptr; ///< Where its accesses go.
  };

  std::vector<Allocation> m_allocations; ///< By base.
  std::deque<std::vector<uint8_t>> m_owned;
  size_t m_last = 0;
};

} // namespace assay::simt
