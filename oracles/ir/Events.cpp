// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What others see of a run, made comparable.
#include "oracles/ir/Interpreter.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace assay;

namespace assay::ir {

bool operator==(const Event &a, const Event &b) {
  return a.kind == b.kind && a.lane == b.lane && a.address == b.address && a.bytes == b.bytes &&
         a.ordering == b.ordering && a.scope == b.scope && a.isVolatile == b.isVolatile &&
         a.isCopy == b.isCopy && a.isInstruction == b.isInstruction &&
         a.cachePolicy == b.cachePolicy;
}

bool isVolatileAccess(const Event &event) {
  return event.kind == Event::Kind::VolatileLoad || event.kind == Event::Kind::VolatileStore;
}

/// Returns true for atomic operations that may or may not have replaced the value.
static bool isExchange(const Event &event) {
  return event.kind == Event::Kind::AtomicRmw || event.kind == Event::Kind::FailedExchange;
}

namespace {
/// Builds the normal form of one lane.
class LaneEvents {
public:
  /// Adds an event in its normal form: orderings of accesses become fences around them, and plain
  /// atomic loads and stores are only these fences.
  void add(const Event &event);
  std::vector<Event> events; ///< In normal form.

private:
  /// Adds a fence, or joins it with one of the same scope since the last access.
  void addFence(const Event &access, AtomicOrdering ordering);
  /// Adds an access. Adjacent volatile pieces are joined, and an exchange that failed is dropped if
  /// another of the same address follows.
  void addAccess(Event event);
};
} // namespace

void LaneEvents::addFence(const Event &access, AtomicOrdering ordering) {
  // Fences that stand together are sets by scope; orders among them do not matter.
  for (auto last = events.rbegin(); last != events.rend() && last->kind == Event::Kind::Fence;
       ++last)
    if (last->scope == access.scope) {
      if (last->ordering != ordering)
        last->ordering = AtomicOrdering::AcquireRelease;
      return;
    }
  Event fence;
  fence.lane = access.lane;
  fence.scope = access.scope;
  fence.ordering = ordering;
  events.push_back(fence);
}

void LaneEvents::addAccess(Event event) {
  if (isExchange(event) && !events.empty()) {
    Event &last = events.back();
    if (last.kind == Event::Kind::FailedExchange && last.address == event.address)
      events.pop_back();
  }
  if (isVolatileAccess(event) && !events.empty()) {
    Event &last = events.back();
    if (last.kind == event.kind && !last.isCopy && !event.isCopy &&
        last.address + last.bytes == event.address) {
      last.bytes += event.bytes;
      return;
    }
  }
  events.push_back(std::move(event));
}

void LaneEvents::add(const Event &event) {
  if (event.kind == Event::Kind::CachedLoad || event.kind == Event::Kind::CachedStore)
    return;
  if (event.kind == Event::Kind::Fence) {
    bool acquires = isAcquireOrStronger(event.ordering);
    bool releases = isReleaseOrStronger(event.ordering);
    addFence(event, acquires && releases ? AtomicOrdering::AcquireRelease
                    : acquires           ? AtomicOrdering::Acquire
                                         : AtomicOrdering::Release);
    return;
  }
  if (isReleaseOrStronger(event.ordering))
    addFence(event, AtomicOrdering::Release);
  bool isGone = event.kind == Event::Kind::AtomicLoad || event.kind == Event::Kind::AtomicStore;
  if (!isGone) {
    Event plain = event;
    plain.ordering =
        isVolatileAccess(event) ? AtomicOrdering::NotAtomic : AtomicOrdering::Monotonic;
    plain.scope.clear();
    plain.isInstruction = false;
    plain.cachePolicy = 0;
    addAccess(std::move(plain));
  }
  if (isAcquireOrStronger(event.ordering))
    addFence(event, AtomicOrdering::Acquire);
}

std::vector<Event> normalizeEvents(ArrayRef<Event> events) {
  std::vector<LaneEvents> lanes;
  for (const Event &event : events) {
    if (lanes.size() <= event.lane)
      lanes.resize(event.lane + 1);
    lanes[event.lane].add(event);
  }
  std::vector<Event> result;
  for (LaneEvents &lane : lanes)
    append_range(result, lane.events);
  return result;
}

std::string toString(const Event &event) {
  static constexpr const char *Kinds[] = {"volatile load", "volatile store", "atomic load",
                                          "atomic store",  "atomic rmw",     "failed exchange",
                                          "fence",         "cached load",    "cached store"};
  std::string text;
  raw_string_ostream out(text);
  out << "lane " << event.lane << ": " << Kinds[static_cast<unsigned>(event.kind)];
  if (event.kind != Event::Kind::Fence)
    out << " of " << event.bytes << " bytes at 0x" << utohexstr(event.address);
  if (event.ordering != AtomicOrdering::NotAtomic)
    out << " " << toIRString(event.ordering) << " scope \"" << event.scope << '"';
  if (event.isVolatile && !isVolatileAccess(event))
    out << " volatile";
  return text;
}

StringRef toString(RunState state) {
  static constexpr StringRef Names[] = {"returned",  "trapped",   "undefined",  "partial-bounds",
                                        "divergent", "timed-out", "unsupported"};
  return Names[static_cast<unsigned>(state)];
}

} // namespace assay::ir
