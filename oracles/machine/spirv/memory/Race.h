// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Data-race detection for one granule of shared memory. Accesses of one workgroup are ordered by
// its barriers, counted as phases, and those of one subgroup by the barriers of the whole subgroup;
// those of different workgroups are never ordered within a dispatch.
#pragma once

#include "oracles/machine/spirv/memory/Order.h"
#include <algorithm>
#include <cstdint>

namespace assay::reference {

enum class AccessKind : uint8_t { Read, Write, AtomicRead, AtomicWrite };

/// What an access lacks to be seen by others under the Vulkan memory model. Under GLSL450 nothing
/// is lacking.
enum AccessFlags : uint8_t {
  PrivateAccess = 1,  ///< No NonPrivatePointer: no barrier orders it with those of others.
  LacksAvailable = 2, ///< A write without MakePointerAvailable: a barrier has to do that.
  LacksVisible = 4,   ///< A read without MakePointerVisible: likewise.
};

/// Who accesses, after how many barriers of its workgroup and releases of its own.
struct Accessor {
  uint32_t group = 0;
  uint32_t phase = 0;
  uint32_t invocation = 0; ///< In the workgroup.
  uint32_t groupSize = 1;
  uint32_t epoch = 0;
  const OrderClock *known = nullptr; ///< What it knows through atomics; null for nothing.
  /// What of it was made available and visible.
  const OrderClock *knownAvailable = nullptr;
  uint32_t subgroup = 0;       ///< In the workgroup.
  uint32_t subgroupPhase = 0;  ///< Barriers of the whole subgroup so far.
  uint32_t availablePhase = 0; ///< Barriers of the workgroup so far that make available,
  uint32_t visiblePhase = 0;   ///< and visible.
  uint8_t flags = 0;           ///< AccessFlags.
};

/// Those accesses to one granule so far with which later ones can conflict.
class AccessHistory {
public:
  /// Notes an access. The answer is true when it conflicts with an earlier one: another invocation,
  /// not ordered by a barrier, at least one of them a write, and not both atomic.
  bool record(const Accessor &who, AccessKind kind) {
    static constexpr uint8_t conflicting[] = {
        1 << unsigned(AccessKind::Write) | 1 << unsigned(AccessKind::AtomicWrite), 0xf,
        1 << unsigned(AccessKind::Write),
        1 << unsigned(AccessKind::Write) | 1 << unsigned(AccessKind::Read)};
    bool race = false;
    for (unsigned i = 0; i < 4; ++i)
      race |= (conflicting[unsigned(kind)] >> i & 1) &&
              (m_last[i].conflictsWith(who) || m_last[i].isHiddenFrom(who, AccessKind(i), kind));
    m_last[unsigned(kind)].note(who);
    return race;
  }

private:
  static constexpr uint32_t None = ~0u;
  static constexpr uint32_t Several = ~0u - 1;

  /// All accesses of one kind: those that no later one is known to follow.
  struct Last {
    uint32_t group = None;
    uint32_t phase = 0;
    uint32_t invocation = 0;
    uint32_t epoch = 0;
    uint32_t subgroup = 0; ///< Like the two above: Several where more than one.
    uint32_t subgroupPhase = 0;
    uint32_t availablePhase = 0;
    uint32_t visiblePhase = 0;
    uint8_t flags = 0;

    /// By the Vulkan memory model: ordered, but not location-ordered ("Data Race"). Followed within
    /// a workgroup: by its barriers, fences and atomics, but not by barriers of a subgroup.
    bool isHiddenFrom(const Accessor &who, AccessKind own, AccessKind other) const {
      if (group == None || !(flags | who.flags) ||
          (group == who.group && invocation == who.invocation))
        return false;
      if ((flags | who.flags) & PrivateAccess)
        return true;
      if (own != AccessKind::Write || group != who.group)
        return false; // Only writes have to be made available.
      if (phase == who.phase && isEarlierInSubgroup(who))
        return false;
      if (who.knownAvailable && isCovered(*who.knownAvailable, who.groupSize))
        return false;
      bool isUnavailable = flags & LacksAvailable && availablePhase == who.availablePhase;
      bool isInvisible =
          other == AccessKind::Read && who.flags & LacksVisible && visiblePhase == who.visiblePhase;
      return isUnavailable || isInvisible;
    }
    /// Whether a barrier of the subgroup is between the two.
    bool isEarlierInSubgroup(const Accessor &who) const {
      return group == who.group && subgroup == who.subgroup && subgroupPhase != who.subgroupPhase;
    }
    /// Whether the access of \p who is not ordered after those noted here.
    bool conflictsWith(const Accessor &who) const {
      if (group == None)
        return false;
      if (group == who.group && (phase != who.phase || invocation == who.invocation))
        return false;
      if (isEarlierInSubgroup(who))
        return false;
      return !who.known || !isCovered(*who.known, who.groupSize);
    }
    /// Whether what an invocation knows through atomics includes the accesses noted here.
    bool isCovered(const OrderClock &known, uint32_t groupSize) const {
      if (group == Several)
        return false;
      return known.coversGroup(group, phase) ||
             (invocation != Several &&
              known.coversInvocation(uint64_t(group) * groupSize + invocation, epoch));
    }
    /// Adds an access. Where it does not follow all others, the fields that differ become Several.
    void note(const Accessor &who) {
      // What follows everything so far represents it: who follows the new one follows the rest.
      if (!conflictsWith(who)) {
        group = who.group;
        phase = who.phase;
        invocation = who.invocation;
        epoch = who.epoch;
        subgroup = who.subgroup;
        subgroupPhase = who.subgroupPhase;
        availablePhase = who.availablePhase;
        visiblePhase = who.visiblePhase;
        flags = who.flags;
        return;
      }
      flags |= who.flags;
      availablePhase = std::max(availablePhase, who.availablePhase);
      visiblePhase = std::max(visiblePhase, who.visiblePhase);
      if (group != who.group) {
        group = Several;
      } else {
        invocation = Several;
        subgroup = subgroup == who.subgroup ? subgroup : Several;
      }
    }
  };
  Last m_last[4];
};

} // namespace assay::reference
