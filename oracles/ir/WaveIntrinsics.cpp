// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What lanes learn of each other, and of where they are; hints that do nothing.
#include "oracles/ir/Accesses.h"
#include "oracles/ir/Handlers.h"
#include "llvm/IR/IntrinsicsAMDGPU.h"

using namespace llvm;
using namespace assay;

namespace assay::ir {

/// readfirstlane: the first lane that runs.
static void runReadFirstLane(Machine &machine, const Inst &inst) {
  const Scalar *first = machine.group().front()->get(inst.operands[0]);
  for (Lane *lane : machine.group())
    std::copy_n(first, inst.count, lane->slots + inst.slot);
}

/// The lane of \p number, if it is among those that run.
static Lane *findLane(Machine &machine, uint64_t number) {
  for (Lane *lane : machine.group())
    if (lane->number == number)
      return lane;
  return nullptr;
}

/// readlane (one number for all), and ds.bpermute and the like have no value of a lane that does
/// not run.
static void runReadLane(Machine &machine, const Inst &inst) {
  const Scalar &number = *machine.group().front()->get(inst.operands[1]);
  for (Lane *lane : machine.group()) {
    const Scalar &other = *lane->get(inst.operands[1]);
    if (other.isPoison || number.isPoison)
      return machine.stop(RunState::Undefined, "a readlane of a poison lane");
    if (other.bits != number.bits)
      return machine.stop(RunState::Divergent, "a readlane of different lanes");
  }
  Lane *from = findLane(machine, number.bits.getZExtValue());
  for (Lane *lane : machine.group()) {
    Scalar *result = lane->slots + inst.slot;
    if (from)
      std::copy_n(from->get(inst.operands[0]), inst.count, result);
    else
      for (uint32_t i = 0; i < inst.count; ++i)
        setPoison(result[i], inst.bits);
  }
}

/// Gives all lanes the mask of those for which \p test holds; poison if a test is.
template <class Test> static void setMask(Machine &machine, const Inst &inst, Test test) {
  uint64_t mask = 0;
  bool isPoison = false;
  for (Lane *lane : machine.group()) {
    std::optional<bool> value = test(*lane);
    isPoison |= !value;
    mask |= uint64_t(value.value_or(false)) << lane->number;
  }
  for (Lane *lane : machine.group()) {
    Scalar &result = lane->slots[inst.slot];
    if (isPoison)
      setPoison(result, inst.bits);
    else
      result = {APInt(inst.bits, mask, false, /*implicitTrunc=*/true)};
  }
}

/// ballot: a mask of lanes with a true operand.
static void runBallot(Machine &machine, const Inst &inst) {
  setMask(machine, inst, [&](Lane &lane) -> std::optional<bool> {
    const Scalar &value = *lane.get(inst.operands[0]);
    if (value.isPoison)
      return std::nullopt;
    return !value.bits.isZero();
  });
}

/// amdgcn.icmp: a mask; the predicate is LLVM's number.
static void runCompareMask(Machine &machine, const Inst &inst) {
  setMask(machine, inst, [&](Lane &lane) -> std::optional<bool> {
    const Scalar &a = *lane.get(inst.operands[0]), &b = *lane.get(inst.operands[1]);
    auto predicate =
        static_cast<CmpInst::Predicate>(lane.get(inst.operands[2])->bits.getZExtValue());
    if (a.isPoison || b.isPoison || !CmpInst::isIntPredicate(predicate))
      return std::nullopt;
    return ICmpInst::compare(a.bits, b.bits, predicate);
  });
}

/// mbcnt: how many lanes of the mask stand below, of the lower or upper 32.
template <unsigned firstLane> static void runMaskCount(Machine &machine, const Inst &inst) {
  for (Lane *lane : machine.group()) {
    const Scalar &mask = *lane->get(inst.operands[0]), &base = *lane->get(inst.operands[1]);
    Scalar &result = lane->slots[inst.slot];
    if (mask.isPoison || base.isPoison) {
      setPoison(result, inst.bits);
      continue;
    }
    unsigned below = lane->number <= firstLane ? 0 : std::min(lane->number - firstLane, 32u);
    uint64_t lower = mask.bits.getZExtValue() & ((uint64_t(1) << below) - 1);
    result = {base.bits + popcount(lower)};
  }
}

/// workitem.id.x: a workgroup is one wave here.
static void runLaneNumber(Machine &machine, const Inst &inst) {
  for (Lane *lane : machine.group())
    lane->slots[inst.slot] = {APInt(inst.bits, lane->number)};
}

/// Where there is but one of a thing, its number is 0.
static void runZero(Machine &machine, const Inst &inst) {
  for (Lane *lane : machine.group())
    for (uint32_t i = 0; i < inst.count; ++i)
      lane->slots[inst.slot + i] = {APInt::getZero(inst.shape->elements[i].bits)};
}

/// 32 or 64, by the number of lanes.
static void runWaveSize(Machine &machine, const Inst &inst) {
  for (Lane *lane : machine.group())
    lane->slots[inst.slot] = {APInt(inst.bits, machine.laneCount() > 32 ? 64 : 32)};
}

ArrayRef<IntrinsicRow> waveIntrinsics() {
  static constexpr IntrinsicRow Rows[] = {
      {Intrinsic::amdgcn_readfirstlane, runReadFirstLane},
      {Intrinsic::amdgcn_readlane, runReadLane},
      {Intrinsic::amdgcn_ballot, runBallot},
      {Intrinsic::amdgcn_icmp, runCompareMask},
      {Intrinsic::amdgcn_mbcnt_lo, runMaskCount<0>},
      {Intrinsic::amdgcn_mbcnt_hi, runMaskCount<32>},
      {Intrinsic::amdgcn_workitem_id_x, runLaneNumber},
      {Intrinsic::amdgcn_workitem_id_y, runZero},
      {Intrinsic::amdgcn_workitem_id_z, runZero},
      {Intrinsic::amdgcn_workgroup_id_x, runZero},
      {Intrinsic::amdgcn_workgroup_id_y, runZero},
      {Intrinsic::amdgcn_workgroup_id_z, runZero},
      {Intrinsic::amdgcn_wave_id, runZero},
      {Intrinsic::amdgcn_wavefrontsize, runWaveSize},
  };
  return Rows;
}

} // namespace assay::ir
