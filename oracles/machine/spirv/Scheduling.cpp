// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whose turn it is in a workgroup: invocations run one at a time, up to a barrier, a subgroup
// operation or their end, and sometimes let others go first where others can see what they do.
#include "oracles/machine/spirv/Execution.h"
#include "oracles/machine/spirv/Tangle.h"

#include "llvm/ADT/STLExtras.h"
#include <algorithm>

using namespace llvm;
using namespace assay;
using namespace assay::reference;

/// Invocations among which the next is drawn: bounds how many are under way at a time.
static constexpr size_t Window = 64;
/// Visible accesses of one turn in ascending order: nobody spins for ever while others could go on.
static constexpr uint32_t MaxTurnAccesses = 1024;

/// Schedule 0 lets others go first after MaxTurnAccesses accesses. Other schedules draw it, once in
/// four accesses on average.
Status Execution::yieldSometimes() {
  if (m_options.schedule)
    return nextRandom() % 4 ? Status::Next : Status::Yield;
  return ++m_turnAccesses < MaxTurnAccesses ? Status::Next : Status::Yield;
}

/// Starts workgroup \p index. Invocations that are not in \p present never run; ~0 means all.
void Execution::openGroup(uint32_t index, uint32_t present) {
  std::unique_ptr<Workgroup> group;
  if (m_spare.empty()) {
    group = std::make_unique<Workgroup>();
  } else {
    group = std::move(m_spare.back());
    m_spare.pop_back();
  }
  group->index = index;
  group->id[0] = index % m_groups[0];
  group->id[1] = index / m_groups[0] % m_groups[1];
  group->id[2] = index / m_groups[0] / m_groups[1];
  startInvocations(*group);
  for (uint32_t i = 0; i < group->invocations.size() && present != ~0u; ++i)
    if (!(present >> i & 1))
      group->invocations[i].waitsFor = WaitsFor::Nothing;
  wakeAll(*group);
  m_open.push_back(std::move(group));
}

/// Gives one workgroup a turn, or closes it.
bool Execution::advance(size_t open) {
  Workgroup &group = *m_open[open];
  if (!group.ready.empty())
    return takeTurn(takeReady(group));
  if (any_of(group.invocations, [](const Invocation &invocation) {
        return invocation.waitsFor != WaitsFor::Nothing;
      })) {
    if (!passBarrier(group))
      return false;
    wakeAll(group);
    return true;
  }
  m_spare.push_back(std::move(m_open[open]));
  m_open.erase(m_open.begin() + static_cast<ptrdiff_t>(open));
  return true;
}

/// Everybody who has not ended may run, in a new order.
void Execution::wakeAll(Workgroup &group) {
  std::vector<uint32_t> order(group.invocations.size());
  shuffle(order);
  group.ready.clear();
  for (uint32_t index : reverse(order)) {
    Invocation &invocation = group.invocations[index];
    if (invocation.waitsFor == WaitsFor::Nothing)
      continue;
    invocation.waitsFor = WaitsFor::Turn;
    ++group.subgroups[index / m_options.subgroupSize].running;
    group.ready.push_back(index);
  }
}

/// Takes the last invocation or, in schedules other than 0, one of the last Window ones.
Invocation &Execution::takeReady(Workgroup &group) {
  std::vector<uint32_t> &ready = group.ready;
  if (m_options.schedule) {
    size_t back = nextRandom() % std::min(ready.size(), Window);
    std::swap(ready.back(), ready[ready.size() - 1 - back]);
  }
  Invocation &invocation = group.invocations[ready.back()];
  ready.pop_back();
  return invocation;
}

/// Runs an invocation until it waits or ends. The last of a subgroup to do so resolves the tangle.
/// False: the run has stopped.
bool Execution::takeTurn(Invocation &invocation) {
  if (!invocation.stack && !startInvocation(invocation))
    return false;
  m_turnAccesses = 0;
  Workgroup &group = *invocation.group;
  Subgroup &subgroup = group.subgroups[invocation.localIndex / m_options.subgroupSize];
  switch (runInvocation(invocation)) {
  case Status::Yield:
    // After everybody in ascending order; a draw decides in the others.
    group.ready.insert(m_options.schedule ? group.ready.end() : group.ready.begin(),
                       invocation.localIndex);
    return true;
  case Status::Barrier:
    invocation.waitsFor = WaitsFor::Barrier;
    break;
  case Status::Tangle:
    invocation.waitsFor = WaitsFor::Tangle;
    break;
  case Status::Done:
    invocation.waitsFor = WaitsFor::Nothing;
    if (m_hooks)
      m_hooks->end(invocation);
    m_freeStacks.push_back(std::exchange(invocation.stack, nullptr));
    break;
  default:
    return false;
  }
  return --subgroup.running || resolveTangle(group, subgroup);
}

/// Nobody of the subgroup can go on alone: those who are furthest behind execute what they wait
/// for. Whoever is further ahead cannot be joined by them without it.
bool Execution::resolveTangle(Workgroup &group, Subgroup &subgroup) {
  const Invocation *first = nullptr;
  for (uint32_t i = 0; i < subgroup.present; ++i) {
    const Invocation &invocation = group.invocations[subgroup.first + i];
    if (invocation.waitsFor != WaitsFor::Nothing &&
        (!first || comparePlaces(invocation, *first) < 0))
      first = &invocation;
  }
  // A barrier of the workgroup is passed by all or by nobody.
  return !first || first->waitsFor == WaitsFor::Barrier || runTangle(group, subgroup, *first);
}

/// Executes the instruction for all that wait at the same place as \p first, and makes them ready
/// again.
bool Execution::runTangle(Workgroup &group, Subgroup &subgroup, const Invocation &first) {
  if (++m_tangles == m_keptTangle && m_snapshot)
    keepGroup(group);
  Tangle tangle{*this, m_options.subgroupSize, false, {}, {}};
  for (uint32_t i = 0; i < subgroup.present; ++i) {
    Invocation &invocation = group.invocations[subgroup.first + i];
    if (invocation.waitsFor != WaitsFor::Tangle || comparePlaces(invocation, first) != 0)
      continue;
    tangle.members.push_back(&invocation);
    tangle.lanes[i] = &invocation;
  }
  tangle.isWhole = tangle.members.size() == subgroup.present;
  const Inst &inst = *(first.pc - 1);
  if (m_program.tangleSites[inst.extra].run(tangle, inst) == Status::Stop)
    return false;
  for (Invocation *member : reverse(tangle.members)) {
    member->waitsFor = WaitsFor::Turn;
    group.ready.push_back(member->localIndex);
  }
  subgroup.running += static_cast<uint32_t>(tangle.members.size());
  return true;
}

/// All invocations have stopped or ended; at the same barrier, if the code is right.
bool Execution::passBarrier(Workgroup &group) {
  const Invocation *first = nullptr, *ended = nullptr;
  for (const Invocation &invocation : group.invocations) {
    if (invocation.waitsFor == WaitsFor::Nothing)
      ended = &invocation;
    else if (!first && invocation.waitsFor == WaitsFor::Barrier)
      first = &invocation;
  }
  assert(first && "only a barrier stops a subgroup");
  const Inst *barrier = first->pc - 1;
  for (const Invocation &invocation : group.invocations) {
    if (invocation.waitsFor == WaitsFor::Nothing || comparePlaces(invocation, *first) == 0)
      continue;
    const Inst &at = *(invocation.pc - 1);
    bool atTangle = invocation.waitsFor == WaitsFor::Tangle;
    const char *what = atTangle         ? "is at a subgroup operation, but at a barrier is "
                       : &at == barrier ? "waits at this barrier in another iteration or call than "
                                        : "waits at another barrier than ";
    undefinedBehavior("UB-BARRIER", invocation, at, what + describe(*first));
    return false;
  }
  if (ended) {
    undefinedBehavior("UB-BARRIER", *first, *barrier,
                      "waits for " + describe(*ended) + ", which has ended");
    return false;
  }
  // A fence by everybody before the barrier orders as much as the barrier's own semantics.
  uint32_t all = static_cast<uint32_t>(group.invocations.size());
  uint8_t memories = static_cast<uint8_t>(barrier->extra);
  for (unsigned kind = 0; kind < MemoryKinds; ++kind)
    memories |= group.fences[kind] == all ? 1 << kind : 0;
  memories &= OrdersWorkgroup | OrdersBuffers;
  for (Subgroup &subgroup : group.subgroups)
    for (unsigned kind = 0; kind < MemoryKinds; ++kind)
      subgroup.phases[kind] += barrier->op[0] >> kind & 1;
  group.availablePhase += !(barrier->access & LacksAvailable);
  group.visiblePhase += !(barrier->access & LacksVisible);
  group.memoryPhase += memories & 1;
  group.bufferPhase += memories >> 1;
  SmallVector<Invocation *, 64> members;
  for (Invocation &invocation : group.invocations) {
    members.push_back(&invocation);
    invocation.fenced = 0;
  }
  bool showsAll = !(barrier->access & (LacksAvailable | LacksVisible));
  uint8_t kinds = memories | (showsAll ? memories << MemoryKinds : 0);
  if (any_of(members, [](const Invocation *member) { return member->order != nullptr; }))
    shareOrder(members, kinds, /*withOwn=*/false);
  group.fences[0] = group.fences[1] = 0;
  return true;
}

/// Each member knows afterwards what any of them knew or had pending, for the order kinds in the
/// mask \p kinds. \p withOwn adds what the members themselves did.
void Execution::shareOrder(ArrayRef<Invocation *> members, uint8_t kinds, bool withOwn) {
  if (!kinds)
    return;
  OrderClock together[OrderKinds];
  for (Invocation *member : members)
    for (unsigned kind = 0; kind < OrderKinds; ++kind) {
      if (withOwn)
        together[kind].addInvocation(member->getPlace().invocation, member->getOrder().epoch + 1);
      if (member->order && kinds >> kind & 1) {
        together[kind].join(member->order->known[kind]);
        together[kind].join(member->order->pending[kind]);
      }
    }
  for (Invocation *member : members) {
    InvocationOrder &order = member->getOrder();
    for (unsigned kind = 0; kind < OrderKinds; ++kind)
      if (kinds >> kind & 1)
        order.known[kind].join(together[kind]);
    PublishedOrder::fence(order, member->getPlace(), kinds, kinds);
  }
}

/// Counts a barrier of the whole subgroup. \p memories is a mask of the kinds of memory that the
/// barrier orders. Clocks are shared only where a member has one.
void Execution::passSubgroupBarrier(const Invocation &member, uint8_t memories) {
  Workgroup &group = *member.group;
  Subgroup &subgroup = group.subgroups[member.localIndex / m_options.subgroupSize];
  for (unsigned kind = 0; kind < MemoryKinds; ++kind)
    subgroup.phases[kind] += memories >> kind & 1;
  SmallVector<Invocation *, 64> members;
  for (uint32_t i = 0; i < subgroup.present; ++i)
    members.push_back(&group.invocations[subgroup.first + i]);
  if (any_of(members, [](const Invocation *other) { return other->order != nullptr; }))
    shareOrder(members, memories, /*withOwn=*/false);
}

/// Executes instructions until one does not continue. The budget is checked at jumps, so that
/// straight code costs no check; a Timeout names the invocation.
Status Execution::runInvocation(Invocation &invocation) {
  const Inst *pc = invocation.pc;
  uint64_t count = 0, budget = m_options.maxInstructions - m_instructions;
  for (;;) {
    ++count;
    Status status = pc->run(invocation, *pc);
    if (status == Status::Next) {
      ++pc;
      continue;
    }
    if (status == Status::Jump && count <= budget) {
      pc = invocation.pc;
      continue;
    }
    m_instructions += std::min(count, budget);
    invocation.pc = pc + 1;
    bool goesOn = status == Status::Jump || status == Status::Yield || status == Status::Tangle;
    if (status == Status::Jump || (goesOn && m_instructions >= m_options.maxInstructions)) {
      m_ending.kind = OutcomeKind::Timeout;
      m_ending.reason = "more than " + std::to_string(m_options.maxInstructions) +
                        " instructions in a dispatch, " + describe(invocation) + " still runs";
      return Status::Stop;
    }
    return status;
  }
}
