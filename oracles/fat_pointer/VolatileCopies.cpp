// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/fat_pointer/VolatileCopies.h"

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/STLExtras.h"
#include <optional>

using namespace llvm;
using namespace assay;
using ir::Event;

namespace {
/// Which bytes of a copy its pieces have moved.
class CopyProgress {
public:
  /// \p accesses: a load and a store of as many bytes, or one of them alone.
  explicit CopyProgress(ArrayRef<FencedAccess> accesses) {
    for (const FencedAccess &each : accesses)
      m_parts.push_back({each.access, BitVector(each.access.bytes)});
  }
  /// True when all bytes are loaded and stored.
  bool isDone() const {
    return all_of(m_parts, [](const Part &part) { return part.done.all(); });
  }
  /// How many of the first bytes of \p piece are the copy's; nothing if it may not come now.
  std::optional<unsigned> take(const Event &piece);

private:
  /// The load or the store, and which of its bytes are moved.
  struct Part {
    Event access;
    BitVector done;
  };
  SmallVector<Part, 2> m_parts;
};
} // namespace

std::optional<unsigned> CopyProgress::take(const Event &piece) {
  auto part = find_if(m_parts, [&](const Part &each) {
    return each.access.kind == piece.kind && each.access.lane == piece.lane &&
           each.access.address <= piece.address &&
           piece.address < each.access.address + each.access.bytes;
  });
  if (part == m_parts.end())
    return std::nullopt;
  auto first = static_cast<unsigned>(piece.address - part->access.address);
  unsigned end = std::min(first + piece.bytes, part->access.bytes);
  bool isStore = part != m_parts.begin();
  for (unsigned byte = first; byte < end; ++byte)
    if (part->done[byte] || (isStore && !m_parts.front().done[byte]))
      return std::nullopt;
  part->done.set(first, end);
  return end - first;
}

/// Takes \p bytes off the front of \p access; false if nothing is left of it.
static bool cutFront(FencedAccess &access, unsigned bytes) {
  access.fences.clear();
  access.access.address += bytes;
  access.access.bytes -= bytes;
  return access.access.bytes != 0;
}

namespace {
/// Goes over what the run after did.
class Folding {
public:
  explicit Folding(std::vector<FencedAccess> after) : m_after(std::move(after)) {}
  /// Replaces the next accesses by \p copy if they are its pieces. False if not: then nothing
  /// changes.
  bool foldCopy(ArrayRef<FencedAccess> copy);
  /// Moves the next access, or the part of it that \p before has, to the result. Nothing happens
  /// after the last access.
  void takeLike(const Event &before);
  /// Returns the result with all accesses that are left. Call it last.
  std::vector<FencedAccess> takeResult();

private:
  std::vector<FencedAccess> m_after, m_result; ///< To be read; already folded.
  size_t m_next = 0;                           ///< Index into m_after.
};
} // namespace

/// The pieces that come next as the accesses of \p copy, if that is what they are.
bool Folding::foldCopy(ArrayRef<FencedAccess> copy) {
  CopyProgress progress(copy);
  size_t next = m_next;
  std::optional<FencedAccess> rest;
  while (!progress.isDone()) {
    if (next >= m_after.size())
      return false;
    std::optional<unsigned> taken = progress.take(m_after[next].access);
    if (!taken)
      return false;
    rest = m_after[next++];
    if (!cutFront(*rest, *taken))
      rest.reset();
    else if (!progress.isDone())
      return false; // It goes beyond the copy, which goes on after it.
  }
  for (auto [i, each] : enumerate(copy))
    m_result.push_back({i ? std::vector<Event>() : m_after[m_next].fences, each.access});
  m_next = next;
  if (rest)
    m_after[--m_next] = std::move(*rest);
  return true;
}

/// The next access, but no more of it than \p before has.
void Folding::takeLike(const Event &before) {
  if (m_next >= m_after.size())
    return;
  FencedAccess &next = m_after[m_next];
  m_result.push_back(next);
  bool isLonger = ir::isVolatileAccess(before) && next.access.kind == before.kind &&
                  next.access.address == before.address && next.access.bytes > before.bytes;
  if (!isLonger || !cutFront(next, before.bytes)) {
    ++m_next;
    return;
  }
  m_result.back().access.bytes = before.bytes;
}

std::vector<FencedAccess> Folding::takeResult() {
  m_result.insert(m_result.end(), m_after.begin() + static_cast<ptrdiff_t>(m_next), m_after.end());
  return std::move(m_result);
}

/// Where the copy ends that begins at \p first.
static size_t endOfCopy(ArrayRef<FencedAccess> accesses, size_t first) {
  auto isPart = [&](size_t at, Event::Kind kind) {
    return at < accesses.size() && accesses[at].access.isCopy && accesses[at].access.kind == kind;
  };
  bool isPair = isPart(first, Event::Kind::VolatileLoad) &&
                isPart(first + 1, Event::Kind::VolatileStore) &&
                accesses[first].access.lane == accesses[first + 1].access.lane &&
                accesses[first].access.bytes == accesses[first + 1].access.bytes;
  return first + (isPair ? 2 : 1);
}

std::vector<FencedAccess> assay::foldCopies(ArrayRef<FencedAccess> before,
                                            std::vector<FencedAccess> after) {
  Folding folding(std::move(after));
  for (size_t i = 0; i < before.size();) {
    size_t end = before[i].access.isCopy ? endOfCopy(before, i) : i;
    if (end > i && folding.foldCopy(before.slice(i, end - i))) {
      i = end;
      continue;
    }
    folding.takeLike(before[i++].access);
  }
  return folding.takeResult();
}
