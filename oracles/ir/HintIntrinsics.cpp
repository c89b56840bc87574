// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Hints and markers: most do nothing; assume and lifetimes have meaning.
#include "oracles/ir/Accesses.h"
#include "oracles/ir/Handlers.h"
#include "llvm/IR/IntrinsicsAMDGPU.h"

using namespace llvm;
using namespace assay;

namespace assay::ir {

/// For what has neither a result nor an effect here.
static void runNothing(Machine &, const Inst &) {}

/// The first operand is the result.
static void runSame(Machine &machine, const Inst &inst) {
  for (Lane *lane : machine.group())
    std::copy_n(lane->get(inst.operands[0]), inst.count, lane->slots + inst.slot);
}

/// Of the operand bundles only the alignment of a pointer can be judged.
/// \p number counts the bundles of the call. Looks at the low 32 bits of the address.
static bool breaksBundle(Lane &lane, const CallBase &call, unsigned number, const Inst &inst) {
  OperandBundleUse bundle = call.getOperandBundleAt(number);
  if (bundle.getTagName() != "align" || bundle.Inputs.size() < 2)
    return false;
  unsigned first = call.getBundleOperandsStartIndex();
  for (unsigned i = 0; i < number; ++i)
    first += call.getOperandBundleAt(i).Inputs.size();
  const Scalar &pointer = *lane.get(inst.operands[first]);
  const Scalar &align = *lane.get(inst.operands[first + 1]);
  if (pointer.isPoison || align.isPoison)
    return true;
  uint64_t alignment = align.bits.getLimitedValue();
  uint64_t low = pointer.bits.trunc(std::min(pointer.bits.getBitWidth(), 32u)).getZExtValue();
  return isPowerOf2_64(alignment) && alignment <= (1u << 31) && low % alignment != 0;
}

/// assume: a false condition, poison, or a misaligned pointer in a bundle is undefined behaviour.
static void runAssume(Machine &machine, const Inst &inst) {
  const auto &call = *cast<CallBase>(inst.ir);
  for (Lane *lane : machine.group()) {
    const Scalar &condition = *lane->get(inst.operands[0]);
    bool isBroken = condition.isPoison || condition.bits.isZero();
    for (unsigned i = 0; i < call.getNumOperandBundles() && !isBroken; ++i)
      isBroken = breaksBundle(*lane, call, i, inst);
    if (isBroken)
      return machine.stop(RunState::Undefined, "an assumption that does not hold");
  }
}

/// The contents of an alloca whose lifetime begins or ends are nothing.
/// They become poison. A pointer that is no alloca's start has no effect.
static void runLifetime(Machine &machine, const Inst &inst) {
  for (Lane *lane : machine.group()) {
    const Scalar &pointer = *lane->get(inst.operands.end()[-2]);
    if (pointer.isPoison)
      continue;
    uint64_t offset = pointer.bits.trunc(std::min(32u, pointer.bits.getBitWidth())).getZExtValue();
    for (const Scratch::Alloca &alloca : lane->scratch.allocas)
      if (alloca.offset == offset && alloca.size)
        std::fill_n(lane->scratch.flags.begin() + offset, alloca.size, PoisonByte);
  }
}

/// trap and ubsantrap end the run of all lanes.
static void runTrap(Machine &machine, const Inst &) {
  machine.stop(RunState::Trapped, "llvm.trap");
}

/// ptrmask: the low bits of the pointer, as many as an index has, and the mask.
/// For vectors of pointers element by element.
static void runPointerMask(Machine &machine, const Inst &inst) {
  for (Lane *lane : machine.group()) {
    const Scalar *pointer = lane->get(inst.operands[0]), *mask = lane->get(inst.operands[1]);
    Scalar *result = lane->slots + inst.slot;
    for (uint32_t i = 0; i < inst.count; ++i) {
      if (pointer[i].isPoison || mask[i].isPoison) {
        setPoison(result[i], inst.bits);
        continue;
      }
      unsigned width = mask[i].bits.getBitWidth();
      result[i] = pointer[i];
      result[i].bits.insertBits(pointer[i].bits.trunc(width) & mask[i].bits, 0);
    }
  }
}

/// is.constant: what is not known at compile time.
static void runFalse(Machine &machine, const Inst &inst) {
  for (Lane *lane : machine.group())
    lane->slots[inst.slot] = {APInt::getZero(inst.bits)};
}

/// objectsize of what is not known: 0 if the least is asked for, else the most.
static void runObjectSize(Machine &machine, const Inst &inst) {
  bool isLeast = !inst.operands[1].constant->bits.isZero();
  for (Lane *lane : machine.group())
    lane->slots[inst.slot] = {isLeast ? APInt::getZero(inst.bits) : APInt::getAllOnes(inst.bits)};
}

ArrayRef<IntrinsicRow> hintIntrinsics() {
  static constexpr IntrinsicRow Rows[] = {
      {Intrinsic::prefetch, runNothing},
      {Intrinsic::donothing, runNothing},
      {Intrinsic::sideeffect, runNothing},
      {Intrinsic::pseudoprobe, runNothing},
      {Intrinsic::experimental_noalias_scope_decl, runNothing},
      {Intrinsic::invariant_end, runNothing},
      {Intrinsic::invariant_start, runFalse},
      {Intrinsic::debugtrap, runNothing},
      {Intrinsic::fake_use, runNothing},
      {Intrinsic::var_annotation, runNothing},
      {Intrinsic::amdgcn_s_barrier, runNothing},
      {Intrinsic::amdgcn_wave_barrier, runNothing},
      {Intrinsic::amdgcn_sched_barrier, runNothing},
      {Intrinsic::amdgcn_sched_group_barrier, runNothing},
      {Intrinsic::amdgcn_iglp_opt, runNothing},
      {Intrinsic::amdgcn_s_sleep, runNothing},
      {Intrinsic::amdgcn_s_waitcnt, runNothing},
      {Intrinsic::amdgcn_s_prefetch_data, runNothing},
      {Intrinsic::amdgcn_s_buffer_prefetch_data, runNothing},
      {Intrinsic::experimental_convergence_entry, runNothing},
      {Intrinsic::experimental_convergence_anchor, runNothing},
      {Intrinsic::experimental_convergence_loop, runNothing},
      {Intrinsic::assume, runAssume},
      {Intrinsic::lifetime_start, runLifetime},
      {Intrinsic::lifetime_end, runLifetime},
      {Intrinsic::trap, runTrap},
      {Intrinsic::ubsantrap, runTrap},
      {Intrinsic::ptrmask, runPointerMask},
      {Intrinsic::launder_invariant_group, runSame},
      {Intrinsic::strip_invariant_group, runSame},
      {Intrinsic::threadlocal_address, runSame},
      {Intrinsic::expect, runSame},
      {Intrinsic::expect_with_probability, runSame},
      {Intrinsic::ssa_copy, runSame},
      {Intrinsic::annotation, runSame},
      {Intrinsic::ptr_annotation, runSame},
      {Intrinsic::is_constant, runFalse},
      {Intrinsic::objectsize, runObjectSize},
  };
  return Rows;
}

} // namespace assay::ir
