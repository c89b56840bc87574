// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/machine/spirv/memory/Order.h"

#include "llvm/ADT/STLExtras.h"

using namespace assay::reference;

/// Each entry becomes the later one of the two. A full clock drops new entries, which makes fewer
/// accesses ordered.
void OrderClock::join(const OrderClock &other) {
  for (const auto &[group, phase] : other.m_groups)
    addGroup(group, phase);
  for (const auto &[invocation, epoch] : other.m_invocations)
    addInvocation(invocation, epoch);
}

/// Everything an invocation has done and knows, as of now. What a barrier makes available to others
/// of the workgroup is followed by AccessHistory.
static OrderClock snapshot(const InvocationOrder &self, const OrderPlace &place, unsigned kind) {
  OrderClock clock = self.known[kind];
  if (kind < MemoryKinds)
    clock.addGroup(place.group, place.phases[kind]);
  clock.addInvocation(place.invocation, self.epoch + 1);
  return clock;
}

/// A release increments the epoch after the snapshot, so that later accesses are not covered.
void PublishedOrder::fence(InvocationOrder &self, const OrderPlace &place, uint8_t acquired,
                           uint8_t released) {
  for (unsigned kind = 0; kind < OrderKinds; ++kind) {
    if (acquired >> kind & 1)
      self.known[kind].join(self.pending[kind]);
    if (released >> kind & 1)
      self.released[kind] = snapshot(self, place, kind);
  }
  self.epoch += released != 0;
}

/// What is not acquired at once stays pending until an acquiring fence.
void PublishedOrder::read(InvocationOrder &self, const Location &location, uint8_t acquired) {
  auto found = m_clocks.find(location);
  if (found == m_clocks.end())
    return;
  for (unsigned kind = 0; kind < OrderKinds; ++kind)
    (acquired >> kind & 1 ? self.known : self.pending)[kind].join(found->second[kind]);
}

/// An atomic store replaces what was published. Without a release in the instruction, the last
/// releasing fence counts.
void PublishedOrder::write(InvocationOrder &self, const OrderPlace &place, const Location &location,
                           uint8_t released, bool isUpdate) {
  bool publishes =
      released || llvm::any_of(self.released, [](const OrderClock &each) { return !each.empty(); });
  if (!publishes && (isUpdate || !m_clocks.contains(location)))
    return;
  OrderClock(&clocks)[OrderKinds] = m_clocks[location];
  for (unsigned kind = 0; kind < OrderKinds; ++kind) {
    if (!isUpdate)
      clocks[kind] = OrderClock();
    clocks[kind].join(released >> kind & 1 ? snapshot(self, place, kind) : self.released[kind]);
  }
  self.epoch += released != 0;
}
