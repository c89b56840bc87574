// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/machine/spirv/Snapshot.h"

#include "llvm/ADT/STLExtras.h"
#include <algorithm>

using namespace llvm;
using namespace assay;
using namespace assay::reference;

/// Copies what a run may change. The stack is copied up to the end of the current frame.
static void keepLane(const Invocation &invocation, SnapshotLane &lane) {
  lane.pc = invocation.pc;
  lane.frameBase = invocation.frameBase;
  lane.function = invocation.function;
  lane.waitsFor = invocation.waitsFor;
  lane.isHelper = invocation.isHelper;
  lane.isUncertain = invocation.isUncertain;
  lane.isKilled = invocation.isKilled;
  lane.wroteOutside = invocation.wroteOutside;
  lane.fragment = invocation.fragment;
  lane.calls = invocation.calls;
  lane.loops = invocation.loops;
  lane.stack.clear();
  if (!invocation.stack)
    return;
  uint32_t frame = invocation.program().functions[invocation.function].frameSlots;
  lane.stack.assign(invocation.stack, invocation.stack + invocation.frameBase + frame);
}

/// Leaves the snapshot as it is where an invocation has an InvocationOrder: that is not copied.
void Execution::keepGroup(const Workgroup &group) {
  // Fences have an effect on all invocations.
  if (any_of(group.invocations, [](const Invocation &each) { return each.order != nullptr; }))
    return;
  m_snapshot->tangle = m_tangles;
  m_snapshot->lanes.resize(group.invocations.size());
  for (const auto &[invocation, lane] : zip_equal(group.invocations, m_snapshot->lanes))
    keepLane(invocation, lane);
  m_snapshot->subgroups = group.subgroups;
  m_snapshot->chosenDescriptors = group.chosenDescriptors;
}

/// False where there is no memory for the stack.
bool Execution::restoreLane(const SnapshotLane &lane, Invocation &invocation) {
  invocation.pc = lane.pc;
  invocation.frameBase = lane.frameBase;
  invocation.function = lane.function;
  invocation.waitsFor = lane.waitsFor;
  invocation.isHelper = lane.isHelper;
  invocation.isUncertain = lane.isUncertain;
  invocation.isKilled = lane.isKilled;
  invocation.wroteOutside = lane.wroteOutside;
  invocation.fragment = lane.fragment;
  invocation.calls = lane.calls;
  invocation.loops = lane.loops;
  if (lane.stack.empty())
    return true;
  invocation.stack = takeStack();
  if (!invocation.stack)
    return false;
  std::copy(lane.stack.begin(), lane.stack.end(), invocation.stack);
  invocation.base[0] = invocation.stack + invocation.frameBase;
  invocation.base[1] = const_cast<Scalar *>(m_program.constants.data());
  return true;
}

/// All lanes wait at the tangle, or have ended, so that the first step is to resolve it.
bool Execution::resumeGroup(uint32_t index, const GroupSnapshot &snapshot,
                            const InvocationHooks &hooks) {
  startRun(index, hooks);
  openGroup(index);
  Workgroup &group = *m_open.back();
  group.ready.clear();
  group.subgroups = snapshot.subgroups;
  group.chosenDescriptors = snapshot.chosenDescriptors;
  m_tangles = snapshot.tangle - 1;
  bool isGood = true;
  for (const auto &[lane, invocation] : zip_equal(snapshot.lanes, group.invocations))
    isGood = isGood && restoreLane(lane, invocation);
  return endRun(isGood && resolveTangle(group, group.subgroups.front()));
}
