// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/machine/simt/Overlay.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/MathExtras.h"
#include <cstdlib>
#include <cstring>

using namespace llvm;
using namespace assay;
using namespace assay::simt;

OverlayRange::OverlayRange(MutableArrayRef<uint8_t> base)
    : m_base(base), m_index(divideCeil(base.size(), PageBytes)) {}

/// Makes the page's record at its first use.
OverlayRange::Page &OverlayRange::pageOf(uint64_t number) {
  uint32_t &index = m_index[number];
  if (!index) {
    m_pages.emplace_back();
    m_pages.back().number = number;
    index = static_cast<uint32_t>(m_pages.size());
  }
  return m_pages[index - 1];
}

/// Does nothing for a page that has a copy.
void OverlayRange::copyPage(Page &page) {
  if (page.isCopied)
    return;
  if (!m_bytes) { // Memory of the system's that is not touched costs nothing.
    m_bytes.reset(static_cast<uint8_t *>(std::calloc(m_base.size(), 1)));
    if (!m_bytes)
      report_bad_alloc_error("overlay of a workgroup");
  }
  uint64_t begin = page.number * PageBytes;
  uint64_t bytes = std::min<uint64_t>(PageBytes, m_base.size() - begin);
  std::memcpy(m_bytes.get() + begin, m_base.data() + begin, bytes);
  page.isCopied = true;
}

/// Sets the bits [begin, end) of \p bits, except for those of \p except.
template <typename Bits>
static void setBits(Bits &bits, uint64_t begin, uint64_t end, const Bits *except) {
  for (uint64_t at = begin; at < end;) {
    uint64_t word = at / 64;
    uint64_t first = at % 64;
    uint64_t count = std::min<uint64_t>(64 - first, end - at);
    uint64_t mask = maskTrailingOnes<uint64_t>(unsigned(count)) << first;
    bits[word] |= except ? mask & ~(*except)[word] : mask;
    at += count;
  }
}

/// Notes which bytes are read and written. Returns bytes of the memory below until a page is
/// written, and of its copy afterwards.
uint8_t *OverlayRange::find(uint64_t offset, uint64_t bytes, Access access) {
  uint64_t first = offset / PageBytes;
  uint64_t last = bytes ? (offset + bytes - 1) / PageBytes : first;
  bool copies = access == Access::Write;
  for (uint64_t number = first; number <= last; ++number) {
    Page &page = pageOf(number);
    uint64_t begin = std::max(offset, number * PageBytes) - number * PageBytes;
    uint64_t end = std::min(offset + bytes, (number + 1) * PageBytes) - number * PageBytes;
    setBits(page.read, begin, end, &page.written);
    if (access == Access::Write) {
      setBits(page.written, begin, end, static_cast<const Bits *>(nullptr));
      page.isWritten = true;
    }
    copies |= page.isCopied;
  }
  if (!copies)
    return m_base.data() + offset;
  for (uint64_t number = first; number <= last; ++number)
    copyPage(pageOf(number));
  return m_bytes.get() + offset;
}

/// True if this range read a byte that the earlier one wrote.
bool OverlayRange::reads(const OverlayRange &earlier) const {
  for (const Page &page : m_pages) {
    uint32_t index = earlier.m_index[page.number];
    if (!index || !earlier.m_pages[index - 1].isWritten)
      continue;
    for (auto [read, written] : zip_equal(page.read, earlier.m_pages[index - 1].written))
      if (read & written)
        return true;
  }
  return false;
}

/// Copies the written bytes to the memory below.
void OverlayRange::commit() const {
  for (const Page &page : m_pages) {
    uint64_t begin = page.number * PageBytes;
    for (auto [word, bits] : enumerate(page.written)) {
      for (uint64_t left = bits; left; left &= left - 1) {
        uint64_t at = begin + word * 64 + unsigned(countr_zero(left));
        m_base[at] = m_bytes.get()[at];
      }
    }
  }
}

/// Forgets all pages; their memory is kept for the next use.
void OverlayRange::clear() {
  for (const Page &page : m_pages)
    m_index[page.number] = 0;
  m_pages.clear();
}

/// Two overlays of one space have their ranges in the same order.
OverlayRange &Overlay::rangeFor(MutableArrayRef<uint8_t> base) {
  for (const std::unique_ptr<OverlayRange> &range : m_ranges)
    if (range->base() == base.data())
      return *range;
  m_ranges.push_back(std::make_unique<OverlayRange>(base));
  return *m_ranges.back();
}

bool Overlay::reads(const Overlay &earlier) const {
  return any_of(zip_equal(m_ranges, earlier.m_ranges),
                [](const auto &pair) { return std::get<0>(pair)->reads(*std::get<1>(pair)); });
}

void Overlay::commit() const {
  for (const std::unique_ptr<OverlayRange> &range : m_ranges)
    range->commit();
}

void Overlay::clear() {
  for (const std::unique_ptr<OverlayRange> &range : m_ranges)
    range->clear();
}
