// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/fat_pointer/CompareCaches.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/AtomicOrdering.h"
#include "llvm/TargetParser/TargetParser.h"

using namespace llvm;
using namespace assay;
using ir::Event;

namespace {
/// Bits of the cache policy (IntrinsicsAMDGPU.td), and the values of GFX12's scope field.
enum : uint32_t { Glc = 1, Dlc = 4 };
constexpr uint32_t scopeShift = 3, scopeMask = 3;

/// What accesses of one generation need, by how far others see them (LLVM, AMDGPUUsage, "Memory
/// Model", the code sequences of monotonic accesses).
struct CacheRow {
  unsigned major;
  uint32_t workgroup; ///< Unless the waves of a workgroup share one compute unit.
  uint32_t agent, system;
  /// The values are those of the scope field; stores and atomic operations need them as loads do.
  bool hasScope;
};
} // namespace

static constexpr CacheRow rows[] = {
    {9, 0, Glc, Glc, false},
    {10, Glc, Glc | Dlc, Glc | Dlc, false},
    {11, Glc, Glc, Glc, false},
    {12, 1, 2, 3, true},
};

/// Null for a chip without a row.
static const CacheRow *findRow(StringRef chip) {
  AMDGPU::IsaVersion version = AMDGPU::getIsaVersion(chip);
  // GFX9.4 has three bits of its own in place of glc.
  if (version.Major == 9 && version.Minor >= 4)
    return nullptr;
  const CacheRow *row = find_if(rows, [&](const CacheRow &r) { return r.major == version.Major; });
  return row == std::end(rows) ? nullptr : row;
}

/// CU mode: the waves of a workgroup are on one compute unit.
static bool isInCuMode(const Function &function) {
  bool isOn = false;
  for (StringRef entry : split(function.getFnAttribute("target-features").getValueAsString(), ','))
    if (entry.ends_with("cumode"))
      isOn = entry == "+cumode";
  return isOn;
}

/// The policy that \p access needs; a cluster is taken for the workgroup that it is at least.
static uint32_t getNeeded(const Event &access, const CacheRow &row, bool isCuMode) {
  StringRef scope = access.scope;
  scope.consume_back("-one-as");
  if (scope == "singlethread" || scope == "wavefront")
    return 0;
  if (scope == "workgroup" || scope == "cluster")
    return isCuMode ? 0 : row.workgroup;
  return scope == "agent" ? row.agent : row.system;
}

/// Whether \p after may be what became of \p before: what loads for a load, and so on; an atomic
/// operation does both.
static bool mayReplace(const Event &after, const Event &before) {
  using Kind = Event::Kind;
  if (after.lane != before.lane || after.address > before.address ||
      after.address + after.bytes <= before.address)
    return false;
  if (after.kind == Kind::AtomicRmw || after.kind == Kind::FailedExchange)
    return true;
  if (before.kind == Kind::AtomicLoad)
    return after.kind == Kind::AtomicLoad || after.kind == Kind::CachedLoad;
  return before.kind == Kind::AtomicStore &&
         (after.kind == Kind::AtomicStore || after.kind == Kind::CachedStore);
}

/// What is volatile passes all caches.
static bool reaches(const Event &after, uint32_t needed, const CacheRow &row) {
  if (!after.isInstruction || after.isVolatile)
    return true;
  // Before GFX12 atomic operations are done where all see them; their bit glc asks for the old
  // value.
  if (!row.hasScope && after.kind != Event::Kind::AtomicLoad &&
      after.kind != Event::Kind::CachedLoad)
    return true;
  return row.hasScope ? (after.cachePolicy >> scopeShift & scopeMask) >= needed
                      : (after.cachePolicy & needed) == needed;
}

std::string assay::compareCaches(ArrayRef<Event> before, ArrayRef<Event> after,
                                 const Function &lowered) {
  const CacheRow *row = findRow(lowered.getFnAttribute("target-cpu").getValueAsString());
  if (!row)
    return "";
  bool isCuMode = row->major < 10 || isInCuMode(lowered);
  for (const Event &access : before) {
    // Fences have no address; volatile accesses are compared as such.
    if (access.kind == Event::Kind::Fence || access.isVolatile ||
        !isStrongerThanUnordered(access.ordering))
      continue;
    bool isLoad = access.kind == Event::Kind::AtomicLoad;
    uint32_t needed = getNeeded(access, *row, isCuMode);
    if (!needed || (!row->hasScope && !isLoad))
      continue;
    if (none_of(after, [&](const Event &other) {
          return mayReplace(other, access) && reaches(other, needed, *row);
        }))
      return "no buffer instruction passes the caches that " + ir::toString(access) + " passes";
  }
  return "";
}
