// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The extended instruction sets SPV_AMD_shader_trinary_minmax, SPV_AMD_gcn_shader and
// SPV_AMD_shader_ballot, by the numbers and with the meaning that the extensions of the same names
// give them.
#include "oracles/machine/spirv/image/CubeMap.h"
#include "oracles/machine/spirv/ops/OpsSubgroup.h"

#include "llvm/ADT/bit.h"
#include <algorithm>

using namespace llvm;
using namespace assay;
using namespace assay::reference;

// --- SPV_AMD_shader_trinary_minmax

/// The result is undefined where an operand is NaN.
template <Interval (*Function)(Interval, Interval, Interval)>
static Interval ofNumbers(Interval a, Interval b, Interval c) {
  if (a.isEmpty() || b.isEmpty() || c.isEmpty())
    return Interval::undefined();
  return a.nan || b.nan || c.nan ? Interval::whole() : Function(a, b, c);
}
static Interval leastOf(Interval a, Interval b, Interval c) {
  return minimum(minimum(a, b), c);
}
static Interval greatestOf(Interval a, Interval b, Interval c) {
  return maximum(maximum(a, b), c);
}
/// Each bound is the median of bounds, for the median rises with each operand.
static Interval medianOf(Interval a, Interval b, Interval c) {
  return maximum(minimum(a, b), minimum(maximum(a, b), c));
}

/// The operand at place \p Place of three in rising order.
template <bool IsSigned, unsigned Place>
static Status ordered(Invocation &invocation, const Inst &inst) {
  Scalar *dst = invocation.at(inst.dst);
  for (uint32_t i = 0; i < inst.n; ++i) {
    std::array<Scalar, 3> values = {invocation.at(inst.op[0])[i], invocation.at(inst.op[1])[i],
                                    invocation.at(inst.op[2])[i]};
    Scalar poison = poisonOf(values.data(), 3);
    llvm::sort(values, [&](const Scalar &a, const Scalar &b) {
      return IsSigned ? signExtend(a.bits, inst.width) < signExtend(b.bits, inst.width)
                      : a.bits < b.bits;
    });
    dst[i] = poison.isPoison() ? poison : values[Place];
  }
  return Status::Next;
}

static ArrayRef<OpRow> trinaryOps() {
  static const OpRow rows[] = {
      {1, prepareIds, floatTernary<ofNumbers<leastOf>>},
      {2, prepareIds, ordered<false, 0>},
      {3, prepareIds, ordered<true, 0>},
      {4, prepareIds, floatTernary<ofNumbers<greatestOf>>},
      {5, prepareIds, ordered<false, 2>},
      {6, prepareIds, ordered<true, 2>},
      {7, prepareIds, floatTernary<ofNumbers<medianOf>>},
      {8, prepareIds, ordered<false, 1>},
      {9, prepareIds, ordered<true, 1>},
  };
  return rows;
}

// --- SPV_AMD_gcn_shader

/// Finds the face of the direction op[0] and writes \p count scalars about it: \p write gets the
/// face. Where several are possible, all is open; where there is none, undefined.
static Status onFace(Invocation &invocation, const Inst &inst, uint32_t count,
                     function_ref<void(const FacePoint &point, Scalar *dst)> write) {
  const Scalar *direction = invocation.at(inst.op[0]);
  Scalar *dst = invocation.at(inst.dst);
  Scalar poison = poisonOf(direction, 3);
  Interval parts[3];
  for (unsigned i = 0; i < 3; ++i)
    parts[i] = poison.isPoison() ? Interval::whole() : intervalOf(direction[i], inst.rules);
  SmallVector<FacePoint, 2> faces = selectFaces(parts);
  if (poison.isPoison())
    std::fill_n(dst, count, poison);
  else if (faces.size() == 1)
    write(faces.front(), dst);
  else
    std::fill_n(dst, count, faces.empty() ? Scalar::undefined(Cause::Math) : Scalar::ambiguous());
  return Status::Next;
}

/// The number of the layer, as a float.
static Status cubeFaceIndex(Invocation &invocation, const Inst &inst) {
  return onFace(invocation, inst, 1, [&](const FacePoint &point, Scalar *dst) {
    *dst = scalarOf(Interval::point(point.face), inst.rules);
  });
}

/// Both coordinates, from 0 to 1; the last addition is rounded. Open where the doubled component
/// that is divided by is beyond 2^126, the bound of OpFDiv's precision.
static Status cubeFaceCoord(Invocation &invocation, const Inst &inst) {
  const Scalar *direction = invocation.at(inst.op[0]);
  auto isHuge = [&](const Scalar &part) {
    return !part.isPoison() && absolute(intervalOf(part, inst.rules)).hi > 0x1p125;
  };
  if (any_of(ArrayRef(direction, 3), isHuge)) {
    std::fill_n(invocation.at(inst.dst), 2, Scalar::ambiguous());
    return Status::Next;
  }
  return onFace(invocation, inst, 2, [&](const FacePoint &point, Scalar *dst) {
    for (const Interval &place : {point.s, point.t}) {
      Interval rounded{floorToWidth(place.lo, inst.rules.width),
                       ceilToWidth(place.hi, inst.rules.width), place.nan};
      *dst++ = scalarOf(rounded, inst.rules);
    }
  });
}

static Error prepareTime(Decoder &decoder, Operands, Inst &inst) {
  return prepareIds(decoder, {}, inst);
}

/// As of OpReadClockKHR, nothing is known of it.
static Status readTime(Invocation &invocation, const Inst &inst) {
  *invocation.at(inst.dst) = Scalar::ambiguous();
  return Status::Next;
}

static ArrayRef<OpRow> gcnShaderOps() {
  static const OpRow rows[] = {
      {1, prepareIds, cubeFaceIndex},
      {2, prepareIds, cubeFaceCoord},
      {3, prepareTime, readTime},
  };
  return rows;
}

// --- SPV_AMD_shader_ballot

template <TangleHandler Run>
static Error prepareBallot(Decoder &decoder, Operands operands, Inst &inst) {
  return addTangleSite(decoder, operands, inst, {Run});
}

/// An inactive invocation contributes 0.
template <uint64_t (*Function)(uint64_t lane, const Scalar *numbers)>
static Status swizzle(Tangle &tangle, const Inst &inst) {
  return gather(tangle, inst, [&](Invocation &member, uint32_t lane, Scalar &missing) {
    missing = Scalar::exact(0);
    return tangle.find(Function(lane, member.at(inst.op[1])));
  });
}
/// \p offsets: for each invocation of a quad the one that it reads.
static uint64_t laneOfQuad(uint64_t lane, const Scalar *offsets) {
  return (lane & ~3ull) + (offsets[lane & 3].bits & 3);
}
/// \p masks: and, or, xor, within 32 invocations.
static uint64_t laneByMasks(uint64_t lane, const Scalar *masks) {
  uint64_t inGroup = ((lane & masks[0].bits) | masks[1].bits) ^ masks[2].bits;
  return (lane & ~31ull) | (inGroup & 31);
}

/// Returns op[1] in the invocation that op[2] names, and op[0] in all others. Undefined unless
/// op[1] and op[2] are the same in all of them.
static Status writeInvocation(Tangle &tangle, const Inst &inst) {
  Invocation &first = *tangle.members.front();
  auto isSame = [&](Invocation *member) {
    auto sameBits = [](const Scalar &a, const Scalar &b) { return a.bits == b.bits; };
    const Scalar *value = member->at(inst.op[1]);
    return member->at(inst.op[2])->bits == first.at(inst.op[2])->bits &&
           std::equal(value, value + inst.n, first.at(inst.op[1]), sameBits);
  };
  bool isUniform = all_of(tangle.members, isSame);
  for (Invocation *member : tangle.members) {
    const Scalar &index = *member->at(inst.op[2]);
    Scalar *dst = member->at(inst.dst);
    uint64_t lane = member->localIndex % tangle.size;
    if (index.isPoison())
      std::fill_n(dst, inst.n, inheritPoison(index, index));
    else if (!isUniform || index.bits >= tangle.size)
      std::fill_n(dst, inst.n, Scalar::undefined(Cause::Inactive));
    else
      copyScalars(member->at(inst.op[lane == index.bits ? 1 : 0]), inst.n, dst);
  }
  return Status::Next;
}

/// The bits of op[0] that belong to invocations before this one.
static Status countBelow(Tangle &tangle, const Inst &inst) {
  for (Invocation *member : tangle.members) {
    const Scalar &mask = *member->at(inst.op[0]);
    uint64_t lane = member->localIndex % tangle.size;
    uint64_t below = lane >= 64 ? ~uint64_t(0) : (uint64_t(1) << lane) - 1;
    *member->at(inst.dst) = mask.isPoison()
                                ? inheritPoison(mask, mask)
                                : Scalar::exact(static_cast<uint64_t>(popcount(mask.bits & below)));
  }
  return Status::Next;
}

static ArrayRef<OpRow> shaderBallotOps() {
  static const OpRow rows[] = {
      {1, prepareBallot<swizzle<laneOfQuad>>, waitForTangle},
      {2, prepareBallot<swizzle<laneByMasks>>, waitForTangle},
      {3, prepareBallot<writeInvocation>, waitForTangle},
      {4, prepareBallot<countBelow>, waitForTangle},
  };
  return rows;
}

ArrayRef<ExtendedSet> reference::amdSets() {
  static const ExtendedSet sets[] = {
      {"SPV_AMD_shader_trinary_minmax", trinaryOps(), InstKind::Value},
      {"SPV_AMD_gcn_shader", gcnShaderOps(), InstKind::Other},
      {"SPV_AMD_shader_ballot", shaderBallotOps(), InstKind::Other},
  };
  return sets;
}
