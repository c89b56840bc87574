// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/divergence/CodeTrace.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace assay;

bool TracedAccess::holds(uint64_t address) const {
  return any_of(addresses, [&](uint64_t part) { return address - part < bytes; });
}

bool assay::takeHex(StringRef &text, uint64_t &number) {
  return text.consume_front("0x") && !text.consumeInteger(16, number);
}

/// "    reads global 0x100 step 0x4, 4 bytes, lanes 2-6 step 2: ...", or "writes", "atomic", or
/// ", lane 3, 4 times: ...".
/// Appends to \p accesses, or extends an access of the same lane, kind and size. Lines of another
/// form are ignored.
static void readAccess(StringRef line, SmallVectorImpl<TracedAccess> &accesses) {
  line = line.ltrim();
  bool isAtomic = line.consume_front("atomic global ");
  bool reads = isAtomic || line.consume_front("reads global ");
  bool writes = isAtomic || (!reads && line.consume_front("writes global "));
  uint64_t address = 0, step = 0, bytes = 0;
  if ((!reads && !writes) || !takeHex(line, address))
    return;
  if (line.consume_front(" step ") && !takeHex(line, step))
    return;
  unsigned first = 0, last = 0, laneStep = 0, count = 1;
  if (!line.consume_front(", ") || line.consumeInteger(10, bytes) ||
      !line.consume_front(" bytes, lane"))
    return;
  line.consume_front("s");
  if (!line.consume_front(" ") || line.consumeInteger(10, first))
    return;
  if (line.consume_front("-")) {
    laneStep = 1;
    if (line.consumeInteger(10, last) ||
        (line.consume_front(" step ") && (line.consumeInteger(10, laneStep) || !laneStep)))
      return;
    count = 1 + (last - first) / laneStep;
  } else if (line.consume_front(", ") && line.consumeInteger(10, count)) {
    return;
  }
  for (unsigned i = 0; i < count; ++i) {
    unsigned lane = first + laneStep * i;
    auto own = find_if(accesses, [&](const TracedAccess &each) {
      return each.lane == lane && each.reads == reads && each.writes == writes &&
             each.bytes == bytes;
    });
    if (own == accesses.end())
      own = &accesses.emplace_back(TracedAccess{lane, reads, writes, bytes, {}});
    own->addresses.push_back(address + step * i);
  }
}

std::vector<TracedStep> assay::readCodeTrace(StringRef text) {
  std::vector<TracedStep> steps;
  while (!text.empty()) {
    auto [line, rest] = text.split('\n');
    text = rest;
    if (!line.starts_with("group ")) {
      if (!steps.empty())
        readAccess(line, steps.back().accesses);
      continue;
    }
    TracedStep step;
    auto [group, numbers] = line.split(" wave ");
    step.group = group;
    if (numbers.consumeInteger(10, step.wave))
      continue;
    if (numbers.consume_front(" (")) // The stage of a draw.
      numbers = numbers.split(')').second;
    if (!numbers.consume_front(" pc "))
      continue;
    step.text = line.substr(line.find("pc 0x"));
    steps.push_back(std::move(step));
  }
  return steps;
}
