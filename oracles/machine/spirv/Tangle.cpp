// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/machine/spirv/Tangle.h"

#include <algorithm>

using namespace assay;
using namespace assay::reference;

namespace {

/// Where an invocation is in one of its open calls: the loops around, then the instruction.
struct FramePlace {
  const LoopRecord *loops;
  size_t loopCount;
  const Inst *inst;
};

} // namespace

/// The place in call number \p frame, from the entry point on. Waiting invocations are at the
/// instruction before pc.
static FramePlace placeIn(const Invocation &invocation, size_t frame) {
  size_t first = frame ? invocation.calls[frame - 1].loopCount : 0;
  bool isLast = frame == invocation.calls.size();
  size_t end = isLast ? invocation.loops.size() : invocation.calls[frame].loopCount;
  return {invocation.loops.data() + first, end - first,
          isLast ? invocation.pc - 1 : invocation.calls[frame].call};
}

/// -1, 0 or 1.
template <typename T> static int compare(T a, T b) {
  return a < b ? -1 : b < a;
}

/// In structured order a loop is one piece that begins with its header, so that the header says how
/// a place inside compares with one outside.
static int compareFrames(const FramePlace &a, const FramePlace &b) {
  for (size_t i = 0; i < std::max(a.loopCount, b.loopCount); ++i) {
    const Inst *atA = i < a.loopCount ? a.loops[i].header : a.inst;
    const Inst *atB = i < b.loopCount ? b.loops[i].header : b.inst;
    if (int order = compare(atA, atB))
      return order;
    if (i >= a.loopCount || i >= b.loopCount)
      return compare(a.loopCount, b.loopCount);
    if (int order = compare(a.loops[i].iteration, b.loops[i].iteration))
      return order;
  }
  return compare(a.inst, b.inst);
}

/// Compares call by call, the outermost first.
int reference::comparePlaces(const Invocation &a, const Invocation &b) {
  size_t frames = std::min(a.calls.size(), b.calls.size());
  for (size_t i = 0; i <= frames; ++i)
    if (int order = compareFrames(placeIn(a, i), placeIn(b, i)))
      return order;
  return compare(a.calls.size(), b.calls.size());
}
