// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A workgroup of one subgroup at a point from which it can run again: where the runs of a quad take
// different ways only late, what all of them have in common runs once.
#pragma once

#include "oracles/machine/spirv/Execution.h"

namespace assay::reference {

/// What of an Invocation changes while it runs without effects on others.
struct SnapshotLane {
  const Inst *pc = nullptr;
  uint32_t frameBase = 0;
  uint32_t function = 0;
  WaitsFor waitsFor = WaitsFor::Nothing;
  bool isHelper = false, isUncertain = false, isKilled = false, wroteOutside = false;
  const FragmentPlace *fragment = nullptr;
  std::vector<CallRecord> calls;
  std::vector<LoopRecord> loops;
  std::vector<Scalar> stack; ///< Up to the end of its frame; empty where it has ended.
};

/// What keepGroup() keeps and resumeGroup() restores.
struct GroupSnapshot {
  uint32_t tangle = 0; ///< The one that is executed next, from 1 on; 0: nothing was kept.
  std::vector<SnapshotLane> lanes;
  std::vector<Subgroup> subgroups;
  std::map<std::vector<uint64_t>, uint32_t> chosenDescriptors;
};

} // namespace assay::reference
