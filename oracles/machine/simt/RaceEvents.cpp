// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/machine/simt/RaceEvents.h"

#include "llvm/ADT/STLExtras.h"
#include <spirv/unified1/spirv.hpp11>

using namespace llvm;
using namespace assay;
using namespace assay::simt;

RaceSink::~RaceSink() = default;

/// Passes the events on in their order and forgets them.
void RaceBuffer::drainInto(RaceSink &sink) {
  for (const RaceEvent &event : m_events)
    sink.add(event);
  m_events.clear();
}

/// Expects a module whose words can be followed by their counts.
bool simt::hasAtomicMoves(ArrayRef<uint32_t> spirv) {
  static constexpr spv::Op Moves[] = {spv::Op::OpAtomicLoad, spv::Op::OpAtomicStore,
                                      spv::Op::OpAtomicFlagTestAndSet, spv::Op::OpAtomicFlagClear};
  constexpr size_t HeaderWords = 5;
  for (size_t at = HeaderWords; at < spirv.size(); at += std::max(1u, spirv[at] >> 16))
    if (is_contained(Moves, spv::Op(spirv[at] & 0xffff)))
      return true;
  return false;
}
