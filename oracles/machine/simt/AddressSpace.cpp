// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/machine/simt/AddressSpace.h"

#include "oracles/machine/simt/Overlay.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace assay;
using namespace assay::simt;

/// The bytes must outlive the space, and no other allocation may overlap. \p name is for messages.
void AddressSpace::map(uint64_t base, MutableArrayRef<uint8_t> bytes, StringRef name,
                       bool writable) {
  auto at =
      partition_point(m_allocations, [&](const Allocation &each) { return each.base < base; });
  assert((at == m_allocations.end() || base + bytes.size() <= at->base) && "allocations overlap");
  m_allocations.insert(at, {base, bytes, name.str(), writable, false, nullptr});
  m_last = 0;
}

/// Maps \p size bytes that the space owns, each with the value \p fill.
MutableArrayRef<uint8_t> AddressSpace::allocate(uint64_t base, uint64_t size, StringRef name,
                                                bool writable, uint8_t fill) {
  m_owned.emplace_back(size, fill);
  map(base, m_owned.back(), name, writable);
  return m_owned.back();
}

/// Copies allocations that begin in [begin, end); all others are shared with the original.
AddressSpace AddressSpace::fork(uint64_t begin, uint64_t end) const {
  AddressSpace result;
  result.m_allocations = m_allocations;
  for (Allocation &each : result.m_allocations) {
    each.isOwned = each.base >= begin && each.base < end;
    if (!each.isOwned)
      continue;
    result.m_owned.emplace_back(each.bytes.begin(), each.bytes.end());
    each.bytes = result.m_owned.back();
  }
  return result;
}

/// Copies the bytes again that fork() had copied.
void AddressSpace::resetOwned(const AddressSpace &origin) {
  for (auto [mine, other] : zip_equal(m_allocations, origin.m_allocations))
    if (mine.isOwned)
      copy(other.bytes, mine.bytes.begin());
}

/// From now on, writes to shared allocations go to the overlay.
void AddressSpace::setOverlay(Overlay &overlay) {
  for (Allocation &each : m_allocations)
    if (each.writable && !each.isOwned)
      each.overlay = &overlay.rangeFor(each.bytes);
}

std::vector<AddressSpace::Range> AddressSpace::ranges() const {
  std::vector<Range> ranges;
  for (const Allocation &each : m_allocations)
    ranges.push_back({each.base, each.bytes, each.writable});
  return ranges;
}

/// Returns the bytes, or null where they are not all in one allocation or may not be written. The
/// last allocation that was found is tried first.
uint8_t *AddressSpace::find(uint64_t address, uint64_t bytes, Access access) {
  if (m_allocations.empty())
    return nullptr;
  const Allocation *allocation = &m_allocations[m_last];
  if (address - allocation->base >= allocation->bytes.size()) {
    auto after = partition_point(m_allocations,
                                 [&](const Allocation &each) { return each.base <= address; });
    if (after == m_allocations.begin())
      return nullptr;
    m_last = static_cast<size_t>(after - m_allocations.begin() - 1);
    allocation = &m_allocations[m_last];
  }
  uint64_t offset = address - allocation->base;
  if (offset >= allocation->bytes.size() || bytes > allocation->bytes.size() - offset)
    return nullptr;
  if (access == Access::Write && !allocation->writable)
    return nullptr;
  if (allocation->overlay)
    return allocation->overlay->find(offset, bytes, access);
  return allocation->bytes.data() + offset;
}

/// For messages: where the address is, relative to the nearest allocation below it.
std::string AddressSpace::describe(uint64_t address) const {
  const Allocation *below = nullptr;
  for (const Allocation &allocation : m_allocations)
    if (allocation.base <= address)
      below = &allocation;
  if (!below || address - below->base > (uint64_t(1) << 32))
    return "far from every allocation";
  uint64_t offset = address - below->base;
  if (offset < below->bytes.size())
    return "at byte " + utostr(offset) + " of '" + below->name + "' (" +
           utostr(below->bytes.size()) + " bytes" + (below->writable ? ")" : ", read-only)");
  return utostr(offset - below->bytes.size()) + " bytes beyond the end of '" + below->name + "'";
}
