// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Subgroup operations that look at or move values ("Non-Uniform Instructions",
// SPV_KHR_shader_ballot, SPV_KHR_subgroup_vote, SPV_KHR_subgroup_rotate). Reductions:
// OpsSubgroupArithmetic.cpp.
#include "oracles/machine/spirv/ops/OpsSubgroup.h"

#include "support/Error.h"

using namespace llvm;
using namespace assay;
using namespace assay::reference;
using spirv::TypeKind;

/// The invocation waits here; the scheduler runs the operation for the tangle once all of its
/// members have arrived.
Status reference::waitForTangle(Invocation &, const Inst &) {
  return Status::Tangle;
}

/// Loops are counted from now on: the tangle of an instruction depends on the iteration.
Error reference::addTangleSite(Decoder &decoder, Operands values, Inst &inst,
                               const TangleSite &site) {
  if (Error error = decoder.refs(values, inst))
    return error;
  inst.extra = static_cast<uint32_t>(decoder.program().tangleSites.size());
  decoder.program().tangleSites.push_back(site);
  decoder.program().tracksLoops = true;
  if (values.empty())
    return Error::success();
  Expected<uint32_t> count = decoder.scalarCount(decoder.typeOf(values[0]));
  if (!count)
    return count.takeError();
  inst.n = *count;
  const spirv::Type &type = decoder.scalarType(decoder.typeOf(values[0]));
  inst.width = type.kind == TypeKind::Bool ? 1 : static_cast<uint8_t>(type.width);
  bool isFloat = type.kind == TypeKind::Float;
  decoder.program().tangleSites.back().isFloat = isFloat;
  if (isFloat)
    inst.rules.width = inst.width;
  return Error::success();
}

/// Removes the scope from the operands. Unsupported for any other scope than Subgroup; the scope
/// must be a constant.
Error reference::takeSubgroupScope(Decoder &decoder, Operands &operands) {
  Expected<uint64_t> scope = decoder.constantValue(operands[0]);
  if (!scope)
    return scope.takeError();
  if (*scope != uint32_t(spv::Scope::Subgroup))
    return unsupported("execution scope " + Twine(*scope));
  operands = operands.drop_front();
  return Error::success();
}

/// Operands: values. Those of the core have the scope in front.
template <TangleHandler Run>
static Error prepareKhr(Decoder &decoder, Operands operands, Inst &inst) {
  return addTangleSite(decoder, operands, inst, {Run});
}
/// Unsupported for scopes other than Subgroup.
template <TangleHandler Run>
static Error prepareCore(Decoder &decoder, Operands operands, Inst &inst) {
  if (Error error = takeSubgroupScope(decoder, operands))
    return error;
  return addTangleSite(decoder, operands, inst, {Run});
}

/// What nobody contributed: the invocation is not there, or not in the tangle.
static Scalar absentValue() {
  return Scalar::undefined(Cause::Inactive);
}

/// The same scalar for everybody.
static Status giveAll(Tangle &tangle, const Inst &inst, const Scalar &value) {
  for (Invocation *member : tangle.members)
    *member->at(inst.dst) = value;
  return Status::Next;
}

/// The member with the lowest number is elected.
static Status elect(Tangle &tangle, const Inst &inst) {
  giveAll(tangle, inst, Scalar::boolean(false));
  *tangle.members.front()->at(inst.dst) = Scalar::boolean(true);
  return Status::Next;
}

/// All and any: \p Decides is the value that settles the answer alone.
template <bool Decides> static Status vote(Tangle &tangle, const Inst &inst) {
  Scalar open = Scalar::boolean(!Decides);
  for (Invocation *member : tangle.members) {
    const Scalar &value = *member->at(inst.op[0]);
    if (value.isPoison())
      open = inheritPoison(open, value);
    else if ((value.bits != 0) == Decides)
      return giveAll(tangle, inst, Scalar::boolean(Decides));
  }
  return giveAll(tangle, inst, open);
}

/// Whether two scalars are equal: true, false, or poison where that is open.
static Scalar sameScalar(const Scalar &a, const Scalar &b, const Inst &inst, bool isFloat) {
  if ((a.flags | b.flags) & Poison)
    return inheritPoison(a, b);
  if (!isFloat)
    return Scalar::boolean(a.bits == b.bits);
  Interval x = intervalOf(a, inst.rules), y = intervalOf(b, inst.rules);
  if (x.isEmpty() || y.isEmpty() || x.hi < y.lo || y.hi < x.lo)
    return Scalar::boolean(false);
  return x.isPoint() && y.isPoint() ? Scalar::boolean(true) : Scalar::ambiguous();
}

/// With all contributions equal to the first, all are equal.
static Status allEqual(Tangle &tangle, const Inst &inst) {
  bool isFloat = tangle.site(inst).isFloat;
  const Scalar *first = tangle.members.front()->at(inst.op[0]);
  Scalar open = Scalar::boolean(true);
  for (Invocation *member : tangle.members) {
    const Scalar *value = member->at(inst.op[0]);
    for (uint32_t i = 0; i < inst.n; ++i) {
      Scalar same = sameScalar(first[i], value[i], inst, isFloat);
      if (same.isPoison())
        open = inheritPoison(open, same);
      else if (!same.bits)
        return giveAll(tangle, inst, same);
    }
  }
  return giveAll(tangle, inst, open);
}

Status reference::gather(Tangle &tangle, const Inst &inst, GatherSource source) {
  bool isFloat = tangle.site(inst).isFloat;
  std::vector<Scalar> values;
  values.reserve(tangle.members.size() * inst.n);
  for (Invocation *member : tangle.members) {
    uint32_t lane = member->localIndex % tangle.size;
    Scalar missing = absentValue();
    Invocation *from = source(*member, lane, missing);
    for (uint32_t i = 0; i < inst.n; ++i)
      values.push_back(!from     ? missing
                       : isFloat ? settle(from->at(inst.op[0])[i], inst.width)
                                 : from->at(inst.op[0])[i]);
  }
  const Scalar *next = values.data();
  for (Invocation *member : tangle.members) {
    std::copy_n(next, inst.n, member->at(inst.dst));
    next += inst.n;
  }
  return Status::Next;
}

/// Lanes from op[1], each invocation's own; an undefined one gives an undefined value.
using LaneFunction = uint64_t (*)(uint64_t lane, uint64_t operand, uint32_t size);
/// Each member reads the value of the lane that \p Function computes from its own lane and its
/// operand. An operand that is poison gives poison.
template <LaneFunction Function> static Status shuffle(Tangle &tangle, const Inst &inst) {
  return gather(tangle, inst, [&](Invocation &member, uint32_t lane, Scalar &missing) {
    const Scalar &operand = *member.at(inst.op[1]);
    if (operand.isPoison())
      missing = inheritPoison(operand, operand);
    return operand.isPoison() ? nullptr : tangle.find(Function(lane, operand.bits, tangle.size));
  });
}

/// A lane that Tangle::find() does not have.
static constexpr uint64_t NoLane = ~0ull;
/// The lane that the operand names.
static uint64_t laneItself(uint64_t, uint64_t operand, uint32_t) {
  return operand;
}
/// Tangle::find() refuses lanes beyond the subgroup.
static uint64_t laneXor(uint64_t lane, uint64_t operand, uint32_t) {
  return lane ^ operand;
}
/// NoLane beyond the first lane.
static uint64_t laneUp(uint64_t lane, uint64_t operand, uint32_t) {
  return operand <= lane ? lane - operand : NoLane;
}
/// NoLane for deltas beyond the subgroup; Tangle::find() refuses lanes beyond it.
static uint64_t laneDown(uint64_t lane, uint64_t operand, uint32_t size) {
  return operand < size ? lane + operand : NoLane;
}
/// QuadSwap: 0 horizontal, 1 vertical, 2 diagonal.
static uint64_t laneSwapped(uint64_t lane, uint64_t direction, uint32_t) {
  return direction < 3 ? lane ^ (direction + 1) : NoLane;
}
/// Lane \p operand of the quad that \p lane is in; NoLane from 4 on.
static uint64_t laneInQuad(uint64_t lane, uint64_t operand, uint32_t) {
  return operand < 4 ? (lane & ~3ull) + operand : NoLane;
}

/// Whether the members of each \p span lanes agree about an operand; false: the run was stopped.
static bool isUniform(Tangle &tangle, const Inst &inst, uint32_t operand, uint32_t count,
                      uint32_t span) {
  Invocation *first = nullptr;
  for (Invocation *member : tangle.members) {
    if (!first || member->localIndex / span != first->localIndex / span)
      first = member;
    for (uint32_t i = 0; i < count; ++i) {
      const Scalar &value = member->at(operand)[i], &expected = first->at(operand)[i];
      if ((value.flags | expected.flags) & Poison || value.bits == expected.bits)
        continue;
      tangle.execution.undefinedBehavior(
          "UB-NONUNIFORM", *member, inst,
          "has another operand (" + std::to_string(value.bits) + ") than the first of its " +
              (span == tangle.size ? "subgroup" : "quad") + " (" + std::to_string(expected.bits) +
              "), but it must be dynamically uniform");
      return false;
    }
  }
  return true;
}

/// The index must be the same for the subgroup.
static Status broadcast(Tangle &tangle, const Inst &inst) {
  return isUniform(tangle, inst, inst.op[1], 1, tangle.size) ? shuffle<laneItself>(tangle, inst)
                                                             : Status::Stop;
}

/// The index need only be the same for a quad (Vulkan, VUID-RuntimeSpirv-
/// subgroupBroadcastDynamicId-06276).
static Status quadBroadcast(Tangle &tangle, const Inst &inst) {
  return isUniform(tangle, inst, inst.op[1], 1, std::min(4u, tangle.size))
             ? shuffle<laneInQuad>(tangle, inst)
             : Status::Stop;
}

/// SubgroupReadInvocationKHR: where the index is not the same for all, only the result is
/// undefined.
static Status readInvocation(Tangle &tangle, const Inst &inst) {
  uint64_t index = tangle.members.front()->at(inst.op[1])->bits;
  bool isSame = all_of(tangle.members,
                       [&](Invocation *member) { return member->at(inst.op[1])->bits == index; });
  if (isSame)
    return shuffle<laneItself>(tangle, inst);
  return gather(tangle, inst,
                [](Invocation &, uint32_t, Scalar &) -> Invocation * { return nullptr; });
}

/// The value of the member with the lowest number.
static Status broadcastFirst(Tangle &tangle, const Inst &inst) {
  return gather(tangle, inst,
                [&](Invocation &, uint32_t, Scalar &) { return tangle.members.front(); });
}

/// op[1] the delta, the same for all; clusters in the site.
static Status rotate(Tangle &tangle, const Inst &inst) {
  if (!isUniform(tangle, inst, inst.op[1], 1, tangle.size))
    return Status::Stop;
  uint32_t cluster = tangle.site(inst).clusterSize;
  if (cluster > tangle.size)
    return badCluster(tangle, inst);
  uint64_t mask = (cluster ? cluster : tangle.size) - 1;
  return gather(tangle, inst, [&](Invocation &member, uint32_t lane, Scalar &missing) {
    const Scalar &by = *member.at(inst.op[1]);
    if (by.isPoison())
      missing = inheritPoison(by, by);
    return by.isPoison() ? nullptr : tangle.find((lane & ~mask) + ((lane + by.bits) & mask));
  });
}

/// Ends the run: the clusters do not fit into the subgroup.
Status reference::badCluster(Tangle &tangle, const Inst &inst) {
  return tangle.execution.undefinedBehavior("UB-CLUSTER", *tangle.members.front(), inst,
                                            "clusters of " +
                                                std::to_string(tangle.site(inst).clusterSize) +
                                                " in a subgroup of " + std::to_string(tangle.size));
}

/// The cluster size is an optional third operand.
static Error prepareRotate(Decoder &decoder, Operands operands, Inst &inst) {
  if (Error error = takeSubgroupScope(decoder, operands))
    return error;
  TangleSite site{rotate};
  if (operands.size() > 2)
    if (Error error = takeClusterSize(decoder, operands[2], site))
      return error;
  return addTangleSite(decoder, operands.take_front(2), inst, site);
}

/// Notes a constant cluster size. InvalidInput unless it is a power of two.
Error reference::takeClusterSize(Decoder &decoder, spirv::Id id, TangleSite &site) {
  Expected<uint64_t> size = decoder.constantValue(id);
  if (!size)
    return size.takeError();
  if (*size == 0 || (*size & (*size - 1)) || *size > UINT32_MAX)
    return invalidInput("cluster size " + Twine(*size) + " is no power of two");
  site.clusterSize = static_cast<uint32_t>(*size);
  return Error::success();
}

/// Bits of lanes that are not in the tangle are 0. A poison predicate makes its word poison.
static Status ballot(Tangle &tangle, const Inst &inst) {
  Scalar words[4] = {Scalar::exact(0), Scalar::exact(0), Scalar::exact(0), Scalar::exact(0)};
  for (Invocation *member : tangle.members) {
    uint32_t lane = member->localIndex % tangle.size;
    const Scalar &value = *member->at(inst.op[0]);
    Scalar &word = words[lane / 32];
    if (value.isPoison())
      word = inheritPoison(word, value);
    else
      word.bits |= uint64_t(value.bits != 0) << lane % 32;
  }
  for (Invocation *member : tangle.members)
    std::copy_n(words, 4, member->at(inst.dst));
  return Status::Next;
}

/// Bit \p index of the ballot at \p words.
static Scalar ballotBit(const Scalar *words, uint64_t index) {
  const Scalar &word = words[index / 32];
  return word.isPoison() ? inheritPoison(word, word) : Scalar::boolean(word.bits >> index % 32 & 1);
}

/// op[0]: a ballot, which must be the same for the subgroup.
static Status inverseBallot(Tangle &tangle, const Inst &inst) {
  if (!isUniform(tangle, inst, inst.op[0], 4, tangle.size))
    return Status::Stop;
  for (Invocation *member : tangle.members)
    *member->at(inst.dst) = ballotBit(member->at(inst.op[0]), member->localIndex % tangle.size);
  return Status::Next;
}

/// op[0] a ballot, op[1] the bit. Bits beyond the subgroup are undefined values.
static Status ballotBitExtract(Tangle &tangle, const Inst &inst) {
  for (Invocation *member : tangle.members) {
    const Scalar &index = *member->at(inst.op[1]);
    Scalar result = absentValue();
    if (index.isPoison())
      result = inheritPoison(index, index);
    else if (index.bits < tangle.size)
      result = ballotBit(member->at(inst.op[0]), index.bits);
    *member->at(inst.dst) = result;
  }
  return Status::Next;
}

/// Counts set bits of lanes [0, end).
static Scalar countBits(const Scalar *words, uint32_t end) {
  Scalar count = Scalar::exact(0);
  for (uint32_t lane = 0; lane < end; ++lane) {
    Scalar bit = ballotBit(words, lane);
    if (bit.isPoison())
      return bit;
    count.bits += bit.bits;
  }
  return count;
}

/// Counts all lanes of the subgroup, or those up to the member's lane, with it (inclusive) or
/// without it (exclusive).
static Status ballotBitCount(Tangle &tangle, const Inst &inst) {
  auto operation = static_cast<spv::GroupOperation>(tangle.site(inst).operation);
  for (Invocation *member : tangle.members) {
    uint32_t lane = member->localIndex % tangle.size;
    uint32_t end = operation == spv::GroupOperation::Reduce          ? tangle.size
                   : operation == spv::GroupOperation::InclusiveScan ? lane + 1
                                                                     : lane;
    *member->at(inst.dst) = countBits(member->at(inst.op[0]), end);
  }
  return Status::Next;
}

/// InvalidInput for group operations other than Reduce and the two scans.
static Error prepareBitCount(Decoder &decoder, Operands operands, Inst &inst) {
  if (Error error = takeSubgroupScope(decoder, operands))
    return error;
  using spv::GroupOperation;
  auto operation = static_cast<GroupOperation>(operands[0]);
  if (operation != GroupOperation::Reduce && operation != GroupOperation::InclusiveScan &&
      operation != GroupOperation::ExclusiveScan)
    return invalidInput("group operation " + Twine(operands[0]));
  return addTangleSite(decoder, operands.drop_front(), inst, {ballotBitCount, operands[0]});
}

/// The first set bit from one end; an undefined value when there is none.
template <bool FromTop> static Status findBit(Tangle &tangle, const Inst &inst) {
  for (Invocation *member : tangle.members) {
    Scalar result = absentValue();
    for (uint32_t i = 0; i < tangle.size; ++i) {
      uint32_t lane = FromTop ? tangle.size - 1 - i : i;
      Scalar bit = ballotBit(member->at(inst.op[0]), lane);
      if (!bit.isPoison() && !bit.bits)
        continue;
      result = bit.isPoison() ? bit : Scalar::exact(lane);
      break;
    }
    *member->at(inst.dst) = result;
  }
  return Status::Next;
}

/// Orders what the members did before it and what they do after it. The site's operation holds the
/// memories.
static Status subgroupBarrier(Tangle &tangle, const Inst &inst) {
  uint8_t memories = static_cast<uint8_t>(tangle.site(inst).operation);
  Invocation &first = *tangle.members.front();
  if (tangle.isWhole)
    first.execution->passSubgroupBarrier(first, memories);
  else if (tangle.execution.tracksRaces())
    tangle.execution.shareOrder(tangle.members, memories, /*withOwn=*/true);
  return Status::Next;
}

/// Replaces the handler: OpControlBarrier waits for the workgroup otherwise.
Error reference::addSubgroupBarrier(Decoder &decoder, Inst &inst, uint32_t memories) {
  inst.run = waitForTangle;
  return addTangleSite(decoder, {}, inst, {subgroupBarrier, memories});
}

/// Every instruction waits for the tangle; its work is in the TangleHandler of its site.
ArrayRef<OpRow> reference::subgroupOps() {
  using spv::Op;
  static const OpRow rows[] = {
      {uint32_t(Op::OpGroupNonUniformElect), prepareCore<elect>, waitForTangle},
      {uint32_t(Op::OpGroupNonUniformAll), prepareCore<vote<false>>, waitForTangle},
      {uint32_t(Op::OpGroupNonUniformAny), prepareCore<vote<true>>, waitForTangle},
      {uint32_t(Op::OpGroupNonUniformAllEqual), prepareCore<allEqual>, waitForTangle},
      {uint32_t(Op::OpGroupNonUniformBroadcast), prepareCore<broadcast>, waitForTangle},
      {uint32_t(Op::OpGroupNonUniformBroadcastFirst), prepareCore<broadcastFirst>, waitForTangle},
      {uint32_t(Op::OpGroupNonUniformBallot), prepareCore<ballot>, waitForTangle},
      {uint32_t(Op::OpGroupNonUniformInverseBallot), prepareCore<inverseBallot>, waitForTangle},
      {uint32_t(Op::OpGroupNonUniformBallotBitExtract), prepareCore<ballotBitExtract>,
       waitForTangle},
      {uint32_t(Op::OpGroupNonUniformBallotBitCount), prepareBitCount, waitForTangle},
      {uint32_t(Op::OpGroupNonUniformBallotFindLSB), prepareCore<findBit<false>>, waitForTangle},
      {uint32_t(Op::OpGroupNonUniformBallotFindMSB), prepareCore<findBit<true>>, waitForTangle},
      {uint32_t(Op::OpGroupNonUniformShuffle), prepareCore<shuffle<laneItself>>, waitForTangle},
      {uint32_t(Op::OpGroupNonUniformShuffleXor), prepareCore<shuffle<laneXor>>, waitForTangle},
      {uint32_t(Op::OpGroupNonUniformShuffleUp), prepareCore<shuffle<laneUp>>, waitForTangle},
      {uint32_t(Op::OpGroupNonUniformShuffleDown), prepareCore<shuffle<laneDown>>, waitForTangle},
      {uint32_t(Op::OpGroupNonUniformRotateKHR), prepareRotate, waitForTangle},
      {uint32_t(Op::OpGroupNonUniformQuadBroadcast), prepareCore<quadBroadcast>, waitForTangle},
      {uint32_t(Op::OpGroupNonUniformQuadSwap), prepareCore<shuffle<laneSwapped>>, waitForTangle},
      {uint32_t(Op::OpSubgroupBallotKHR), prepareKhr<ballot>, waitForTangle},
      {uint32_t(Op::OpSubgroupFirstInvocationKHR), prepareKhr<broadcastFirst>, waitForTangle},
      {uint32_t(Op::OpSubgroupAllKHR), prepareKhr<vote<false>>, waitForTangle},
      {uint32_t(Op::OpSubgroupAnyKHR), prepareKhr<vote<true>>, waitForTangle},
      {uint32_t(Op::OpSubgroupAllEqualKHR), prepareKhr<allEqual>, waitForTangle},
      {uint32_t(Op::OpSubgroupReadInvocationKHR), prepareKhr<readInvocation>, waitForTangle},
  };
  return rows;
}
