// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The memory of a launch as oracles/ir sees it.
#pragma once

#include "oracles/ir/Memory.h"
#include "oracles/machine/simt/AddressSpace.h"

namespace assay::ir {
class ExecutionLog;
} // namespace assay::ir

namespace assay::irm {

/// A copy of what a launch has mapped.
class LaunchMemory {
public:
  /// \p mapped must outlive this. \p log may be null.
  LaunchMemory(simt::AddressSpace &mapped, ir::ExecutionLog *log);
  LaunchMemory(const LaunchMemory &) = delete;
  LaunchMemory &operator=(const LaunchMemory &) = delete;

  /// What shaders have written goes to where it is mapped. Poison may be anything there: it becomes
  /// what a result hardly is.
  void writeBack();

  ir::Memory &memory() { return m_memory; }
  /// The same memory, for instructions of the hardware.
  simt::AddressSpace &space() { return m_space; }
  /// Fresh LDS, uninitialized.
  void resetLds();

private:
  simt::AddressSpace &m_mapped;
  ir::Memory m_memory;
  simt::AddressSpace m_space;
};

} // namespace assay::irm
