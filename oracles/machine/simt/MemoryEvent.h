// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One access to memory as observers, race detectors and late stores see it.
#pragma once

#include <cstdint>

namespace assay::simt {

/// The memories of a machine by who shares them.
enum class MemorySpace : uint8_t {
  Workgroup, ///< Shared by one workgroup (AMD: LDS; Adreno: local memory).
  Private,   ///< Of one invocation (AMD: scratch; Adreno: private memory).
  Global,    ///< Of all invocations: buffers and images.
  Chip,      ///< On the chip and shared by all workgroups (AMD: GDS). Its atomics order waves.
};

/// One access, made by one lane. A scalar instruction accesses as lane 0.
struct MemoryEvent {
  MemorySpace space = MemorySpace::Global;
  bool reads = false;
  bool writes = false;
  bool atomic = false;
  uint8_t lane = 0;
  uint32_t bytes = 0;
  /// Global: the address. Workgroup, Chip: the byte in the allocation. Private: the byte in the
  /// lane's own memory.
  uint64_t address = 0;
};

} // namespace assay::simt
