// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Happens-before beyond barriers: through atomics that release and acquire, or that have fences
// around them. Race.h asks it; what it does not follow is never taken for ordered.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>

namespace assay::reference {

/// The two memories that barriers and fences name; bits of a mask.
enum BarrierMemory : uint8_t { OrdersWorkgroup = 1, OrdersBuffers = 2 };
constexpr unsigned MemoryKinds = 2;
/// Order is followed for each memory, and once more for each where releases make available and
/// acquires make visible (MakeAvailable, MakeVisible): kind + MemoryKinds.
constexpr unsigned OrderKinds = 2 * MemoryKinds;

/// A set of accesses that happened before: of whole workgroups up to a phase, and of invocations up
/// to one of their releases.
class OrderClock {
public:
  void addGroup(uint32_t group, uint32_t phase) { raise(m_groups, group, phase); }
  void addInvocation(uint64_t invocation, uint32_t epoch) {
    raise(m_invocations, invocation, epoch);
  }
  /// Adds all accesses that are in \p other.
  void join(const OrderClock &other);
  /// Whether accesses of workgroup \p group in \p phase are in the set.
  bool coversGroup(uint32_t group, uint32_t phase) const { return below(m_groups, group, phase); }
  /// Whether accesses of an invocation in \p epoch are in the set.
  bool coversInvocation(uint64_t invocation, uint32_t epoch) const {
    return below(m_invocations, invocation, epoch);
  }
  bool empty() const { return m_groups.empty() && m_invocations.empty(); }

private:
  /// A larger set is not worth its time; what is left out counts as unordered.
  static constexpr size_t MaxEntries = 1024;

  template <typename Map> static void raise(Map &map, typename Map::key_type key, uint32_t bound) {
    auto found = map.find(key);
    if (found != map.end())
      found->second = found->second < bound ? bound : found->second;
    else if (map.size() < MaxEntries)
      map.emplace(key, bound);
  }
  template <typename Map>
  static bool below(const Map &map, typename Map::key_type key, uint32_t value) {
    auto found = map.find(key);
    return found != map.end() && value < found->second;
  }

  std::map<uint32_t, uint32_t> m_groups;      ///< Phases below this one.
  std::map<uint64_t, uint32_t> m_invocations; ///< Epochs below this one.
};

/// What one invocation knows and has to tell, per order kind.
struct InvocationOrder {
  OrderClock known[OrderKinds];
  OrderClock released[OrderKinds]; ///< At its last releasing fence; later atomics publish it.
  OrderClock pending[OrderKinds];  ///< Read by atomics since; an acquiring fence makes it known.
  uint32_t epoch = 0;              ///< Releases so far.
};

/// Where an invocation stands when it releases.
struct OrderPlace {
  uint32_t group = 0;
  uint32_t phases[MemoryKinds] = {}; ///< Barriers of the workgroup so far, per memory.
  uint64_t invocation = 0;           ///< Of all invocations of the dispatch.
};

/// What atomics have published, by location.
class PublishedOrder {
public:
  using Location = std::pair<const void *, uint64_t>;

  /// A fence that releases and acquires the order kinds of two masks.
  static void fence(InvocationOrder &self, const OrderPlace &place, uint8_t acquired,
                    uint8_t released);
  /// An atomic reads \p location; \p acquired are the order kinds of its own semantics.
  void read(InvocationOrder &self, const Location &location, uint8_t acquired);
  /// An atomic writes \p location. \p isUpdate: it read the value too, and carries on what was
  /// published there.
  void write(InvocationOrder &self, const OrderPlace &place, const Location &location,
             uint8_t released, bool isUpdate);
  void clear() { m_clocks.clear(); }

private:
  std::map<Location, OrderClock[OrderKinds]> m_clocks;
};

} // namespace assay::reference
