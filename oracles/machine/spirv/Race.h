// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Data-race detection for one granule of shared memory. Accesses of one workgroup are ordered by
// its barriers, counted as phases; those of different workgroups are never ordered within a
// dispatch.
#pragma once

#include <cstdint>

namespace assay::reference {

enum class AccessKind : uint8_t { Read, Write, AtomicRead, AtomicWrite };

/// Who accesses, and after how many barriers of its workgroup.
struct Accessor {
  uint32_t group = 0;
  uint32_t phase = 0;
  uint32_t invocation = 0;
};

/// The accesses to one granule so far, as far as later ones can conflict with them.
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
      race |= (conflicting[unsigned(kind)] >> i & 1) && m_last[i].conflictsWith(who);
    m_last[unsigned(kind)].note(who);
    return race;
  }

private:
  static constexpr uint32_t None = ~0u;
  static constexpr uint32_t Several = ~0u - 1;

  /// All accesses of one kind: the last phase's, and whether several workgroups took part.
  struct Last {
    uint32_t group = None;
    uint32_t phase = 0;
    uint32_t invocation = 0;

    bool conflictsWith(const Accessor &who) const {
      if (group == None)
        return false;
      return group != who.group || (phase == who.phase && invocation != who.invocation);
    }
    void note(const Accessor &who) {
      if (group == None || (group == who.group && phase != who.phase)) {
        group = who.group;
        phase = who.phase;
        invocation = who.invocation;
      } else if (group != who.group) {
        group = Several;
      } else if (invocation != who.invocation) {
        invocation = Several;
      }
    }
  };
  Last m_last[4];
};

} // namespace assay::reference
