// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/fat_pointer/CompareEvents.h"

#include "oracles/fat_pointer/VolatileCopies.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/AtomicOrdering.h"
#include <utility>

using namespace llvm;
using namespace assay;
using ir::Event;

/// LLVM's scopes, AMDGPUUsage, "Memory Scopes": how many agents each holds.
/// A scope that is not among them ranks as system.
static unsigned getScopeRank(StringRef scope) {
  scope.consume_back("-one-as");
  static constexpr StringLiteral scopes[] = {"singlethread", "wavefront", "workgroup", "cluster",
                                             "agent"};
  if (scope == "one-as")
    return std::size(scopes);
  return static_cast<unsigned>(find(scopes, scope) - std::begin(scopes)); // System: all.
}

/// Returns true for a scope that orders one address space only.
static bool isOneSpace(StringRef scope) {
  return scope.ends_with("one-as");
}

/// Whether \p strong does what \p weak does.
/// A sequentially consistent fence covers all orderings; a scope of one address space covers only
/// such scopes.
static bool covers(const Event &strong, const Event &weak) {
  auto acquires = [](const Event &fence) { return isAcquireOrStronger(fence.ordering); };
  auto releases = [](const Event &fence) { return isReleaseOrStronger(fence.ordering); };
  bool isSequential = strong.ordering == AtomicOrdering::SequentiallyConsistent;
  if ((acquires(weak) && !acquires(strong) && !isSequential) ||
      (releases(weak) && !releases(strong) && !isSequential))
    return false;
  return getScopeRank(strong.scope) >= getScopeRank(weak.scope) &&
         (!isOneSpace(strong.scope) || isOneSpace(weak.scope));
}

/// Whether \p after may be where \p before stood.
static bool isSameAccess(const Event &before, const Event &after) {
  if (before.kind != after.kind || before.lane != after.lane)
    return false;
  if (before.kind != Event::Kind::AtomicRmw && before.kind != Event::Kind::FailedExchange)
    return before.address == after.address && before.bytes == after.bytes;
  bool holds = after.address <= before.address &&
               before.address + before.bytes <= after.address + after.bytes;
  return holds && (after.bytes == before.bytes || after.bytes == 4) &&
         (after.isVolatile || !before.isVolatile);
}

namespace {
/// The accesses of a run, and the fences after the last.
struct Accesses {
  std::vector<FencedAccess> accesses; ///< Each with the fences in front of it.
  std::vector<Event> lastFences;

  explicit Accesses(ArrayRef<Event> events) {
    for (Event &event : ir::normalizeEvents(events)) {
      // A lane ends where the next begins: fences belong to their lane's accesses.
      if (event.kind == Event::Kind::Fence)
        lastFences.push_back(std::move(event));
      else
        accesses.push_back({std::exchange(lastFences, {}), std::move(event)});
    }
  }
};
} // namespace

/// Returns a message for the first fence of \p before without a counterpart of its lane that is as
/// strong; "" if all have one.
static std::string compareFences(ArrayRef<Event> before, ArrayRef<Event> after) {
  for (const Event &fence : before)
    if (none_of(after, [&](const Event &other) {
          return other.lane == fence.lane && covers(other, fence);
        }))
      return "nothing does what " + ir::toString(fence) + " did";
  return "";
}

std::string assay::compareEvents(ArrayRef<Event> before, ArrayRef<Event> after) {
  Accesses old(before), now(after);
  now.accesses = foldCopies(old.accesses, std::move(now.accesses));
  for (size_t i = 0; i < std::max(old.accesses.size(), now.accesses.size()); ++i) {
    if (i >= now.accesses.size())
      return ir::toString(old.accesses[i].access) + " is gone";
    if (i >= old.accesses.size())
      return ir::toString(now.accesses[i].access) + " has come in";
    const FencedAccess &one = old.accesses[i], &other = now.accesses[i];
    if (!isSameAccess(one.access, other.access))
      return ir::toString(other.access) + " instead of " + ir::toString(one.access);
    if (std::string text = compareFences(one.fences, other.fences); !text.empty())
      return text + ", before " + ir::toString(one.access);
  }
  std::string text = compareFences(old.lastFences, now.lastFences);
  return text.empty() ? text : text + ", after the last access";
}
