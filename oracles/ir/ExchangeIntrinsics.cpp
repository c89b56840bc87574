// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Values that go from lane to lane: permutations, DPP, reductions over a wave. A lane takes only
// what lanes that run now have.
#include "oracles/ir/Elementwise.h"
#include "oracles/ir/Exchange.h"
#include "oracles/ir/Handlers.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/IntrinsicsAMDGPU.h"

using namespace llvm;
using namespace assay;

namespace assay::ir {
static constexpr unsigned RowLanes = 16;

/// Returns an immediate operand.
static uint64_t constantOperand(const Inst &inst, unsigned operand) {
  return inst.operands[operand].constant->bits.getZExtValue();
}

/// Facts of DPP_CTRL (AMD ISA manuals, "DPP"; LLVM, SIDefines.h, DppCtrl): which lane of its row a
/// lane reads; nothing if that is none.
static std::optional<unsigned> dppSource(unsigned control, unsigned lane) {
  unsigned row = lane / RowLanes * RowLanes, at = lane % RowLanes, amount = control & 15;
  if (control < 0x100)
    return (lane & ~3u) + (control >> (2 * (lane & 3)) & 3);
  switch (control >> 4) {
  case 0x10: // row_shl
    return at + amount < RowLanes ? std::optional(lane + amount) : std::nullopt;
  case 0x11: // row_shr
    return at >= amount ? std::optional(lane - amount) : std::nullopt;
  case 0x12: // row_ror
    return row + (at + RowLanes - amount) % RowLanes;
  case 0x13: // wave_shr:1 of GFX9
    return lane ? std::optional(lane - 1) : std::nullopt;
  case 0x14: // row_mirror, row_half_mirror; row_bcast:15 and row_bcast:31 of GFX9
    if (control == 0x142)
      return row ? std::optional(row - 1) : std::nullopt;
    if (control == 0x143)
      return lane > 31 ? std::optional(31u) : std::nullopt;
    return control == 0x140 ? row + (RowLanes - 1 - at) : (lane ^ 7u);
  case 0x15: // row_share
    return row + amount;
  case 0x16: // row_xmask
    return row + (at ^ amount);
  }
  return std::nullopt;
}

/// Returns true for the controls that dppSource() has.
static bool isKnownDpp(unsigned control) {
  unsigned kind = control >> 4;
  return control < 0x100 || (kind >= 0x10 && kind <= 0x12) || control == 0x138 ||
         (control >= 0x140 && control <= 0x143) || kind == 0x15 || kind == 0x16;
}

/// \p first: the operand of the control; row mask, bank mask, bound control follow.
static void runDppFrom(Machine &machine, const Inst &inst, Exchange exchange, unsigned first) {
  auto control = static_cast<unsigned>(constantOperand(inst, first));
  uint64_t rows = constantOperand(inst, first + 1), banks = constantOperand(inst, first + 2);
  bool bound = constantOperand(inst, first + 3);
  if (!isKnownDpp(control))
    return machine.stop(RunState::Unsupported, "DPP control 0x" + utohexstr(control));
  runExchange(machine, inst, exchange, [&](const Lane &lane) -> Choice {
    unsigned n = lane.number;
    if (!(rows >> (n / RowLanes) & 1) || !(banks >> (n % RowLanes / 4) & 1))
      return {Choice::Old};
    std::optional<unsigned> source = dppSource(control, n);
    Choice::Kind otherwise = bound ? Choice::Zero : Choice::Old;
    return source ? Choice{Choice::Lane, *source, otherwise} : Choice{otherwise};
  });
}

/// mov.dpp: without an old value, so what is not exchanged is poison.
static void runMoveDpp(Machine &machine, const Inst &inst) {
  runDppFrom(machine, inst, {NoOperand, 0}, 1);
}

/// update.dpp: operand 0 is the old value, operand 1 the source.
static void runUpdateDpp(Machine &machine, const Inst &inst) {
  runDppFrom(machine, inst, {0, 1}, 2);
}

/// Three bits of the selector for each lane of eight.
static void runMoveDpp8(Machine &machine, const Inst &inst) {
  uint64_t selector = constantOperand(inst, 1);
  runExchange(machine, inst, {NoOperand, 0}, [&](const Lane &lane) -> Choice {
    unsigned source = (lane.number & ~7u) + (selector >> (3 * (lane.number & 7)) & 7);
    return {Choice::Lane, source, Choice::Zero};
  });
}

/// permlane16, permlanex16: four bits of 64 for each lane of a row; the x form reads the other row
/// of the two.
template <unsigned rowFlip> static void runPermuteRows(Machine &machine, const Inst &inst) {
  const Lane &first = *machine.group().front();
  const Scalar &low = *first.get(inst.operands[2]), &high = *first.get(inst.operands[3]);
  if (low.isPoison || high.isPoison)
    return machine.stop(RunState::Undefined, "a permutation by poison");
  uint64_t selector = high.bits.getZExtValue() << 32 | low.bits.getZExtValue();
  bool bound = constantOperand(inst, 5);
  runExchange(machine, inst, {0, 1}, [&](const Lane &lane) -> Choice {
    unsigned at = lane.number % RowLanes;
    unsigned row = (lane.number - at) ^ (rowFlip * RowLanes);
    auto source = static_cast<unsigned>(row + (selector >> (4 * at) & 15));
    return {Choice::Lane, source, bound ? Choice::Zero : Choice::Old};
  });
}

/// Halves of a wave of 64 change places; with 32 lanes nothing happens.
static void runPermuteHalves(Machine &machine, const Inst &inst) {
  unsigned flip = machine.laneCount() > 32 ? 32 : 0;
  runExchange(machine, inst, {NoOperand, 0}, [&](const Lane &lane) -> Choice {
    return {Choice::Lane, lane.number ^ flip, Choice::Old};
  });
}

void permuteBackward(Machine &machine, const Inst &inst, unsigned reach) {
  for (Lane *lane : machine.group())
    if (lane->get(inst.operands[0])->isPoison)
      return machine.stop(RunState::Undefined, "a permutation by poison");
  runExchange(machine, inst, {NoOperand, 1}, [&](const Lane &lane) -> Choice {
    uint64_t chosen = lane.get(inst.operands[0])->bits.getZExtValue() / 4 % reach;
    return {Choice::Lane, lane.number / reach * reach + static_cast<unsigned>(chosen),
            Choice::Zero};
  });
}

/// In the whole wave, of 64 or of up to 32 lanes.
static void runBackwardPermute(Machine &machine, const Inst &inst) {
  permuteBackward(machine, inst, machine.laneCount() > 32 ? 64 : 32);
}

/// ds.swizzle in its form with masks, in groups of 32 lanes: bits 4:0 of the pattern are ANDed with
/// the lane's number, 9:5 ORed, 14:10 XORed; with bit 15, two bits for each lane of a quad. 0 of a
/// lane that does not run.
static void runSwizzle(Machine &machine, const Inst &inst) {
  uint64_t pattern = constantOperand(inst, 1);
  bool isQuad = pattern >> 8 == 0x80;
  if (pattern >> 15 && !isQuad)
    return machine.stop(RunState::Unsupported, "ds.swizzle by a rotation");
  runExchange(machine, inst, {NoOperand, 0}, [&](const Lane &lane) -> Choice {
    unsigned group = lane.number & ~31u, own = lane.number & 31;
    uint64_t masked = ((own & pattern) | (pattern >> 5 & 31)) ^ (pattern >> 10 & 31);
    uint64_t quad = (own & ~3u) | (pattern >> (2 * (own & 3)) & 3);
    return {Choice::Lane, static_cast<unsigned>(group + ((isQuad ? quad : masked) & 31)),
            Choice::Zero};
  });
}

/// writelane: operand 0 for the lane of operand 1, operand 2 for the others.
static void runWriteLane(Machine &machine, const Inst &inst) {
  const Scalar &number = *machine.group().front()->get(inst.operands[1]);
  if (number.isPoison)
    return machine.stop(RunState::Undefined, "a writelane to a poison lane");
  uint64_t mask = machine.laneCount() > 32 ? 63 : 31;
  uint64_t chosen = number.bits.getZExtValue() & mask;
  runExchange(machine, inst, {2, 0}, [&](const Lane &lane) -> Choice {
    return lane.number == chosen ? Choice{Choice::Lane, lane.number, Choice::Old} : Choice{};
  });
}

/// What changes helper or inactive lanes only.
static void runCopy(Machine &machine, const Inst &inst) {
  runExchange(machine, inst, {0, 0}, [](const Lane &) { return Choice{}; });
}

/// inverse.ballot: whether the lane's bit is set.
static void runInverseBallot(Machine &machine, const Inst &inst) {
  for (Lane *lane : machine.group()) {
    const Scalar &mask = *lane->get(inst.operands[0]);
    Scalar &result = lane->slots[inst.slot];
    if (mask.isPoison || lane->number >= mask.bits.getBitWidth())
      setPoison(result, 1);
    else
      result = {APInt(1, mask.bits[lane->number])};
  }
}

using Step = APInt (*)(const APInt &, const APInt &);

/// Gives all lanes that run the reduction of their values; poison if one of them is.
template <Step step> static void runReduce(Machine &machine, const Inst &inst) {
  std::optional<APInt> sum;
  bool isPoison = false;
  for (Lane *lane : machine.group()) {
    const Scalar &value = *lane->get(inst.operands[0]);
    isPoison |= value.isPoison;
    sum = sum ? step(*sum, value.bits) : value.bits;
  }
  for (Lane *lane : machine.group()) {
    Scalar &result = lane->slots[inst.slot];
    if (isPoison)
      setPoison(result, inst.bits);
    else
      result = {*sum};
  }
}

template <Step step> static constexpr Handler reduce = runReduce<step>;

ArrayRef<IntrinsicRow> exchangeIntrinsics() {
  static constexpr IntrinsicRow Rows[] = {
      {Intrinsic::amdgcn_mov_dpp, runMoveDpp},
      {Intrinsic::amdgcn_update_dpp, runUpdateDpp},
      {Intrinsic::amdgcn_mov_dpp8, runMoveDpp8},
      {Intrinsic::amdgcn_permlane16, runPermuteRows<0>},
      {Intrinsic::amdgcn_permlanex16, runPermuteRows<1>},
      {Intrinsic::amdgcn_permlane64, runPermuteHalves},
      {Intrinsic::amdgcn_ds_bpermute, runBackwardPermute},
      {Intrinsic::amdgcn_writelane, runWriteLane},
      {Intrinsic::amdgcn_ds_swizzle, runSwizzle},
      {Intrinsic::amdgcn_set_inactive, runCopy},
      {Intrinsic::amdgcn_wqm, runCopy},
      {Intrinsic::amdgcn_softwqm, runCopy},
      {Intrinsic::amdgcn_strict_wqm, runCopy},
      {Intrinsic::amdgcn_strict_wwm, runCopy},
      {Intrinsic::amdgcn_inverse_ballot, runInverseBallot},
      {Intrinsic::amdgcn_wave_reduce_umin, reduce<leastUnsigned>},
      {Intrinsic::amdgcn_wave_reduce_umax, reduce<mostUnsigned>},
      {Intrinsic::amdgcn_wave_reduce_min, reduce<leastSigned>},
      {Intrinsic::amdgcn_wave_reduce_max, reduce<mostSigned>},
      {Intrinsic::amdgcn_wave_reduce_add,
       reduce<[](const APInt &a, const APInt &b) { return a + b; }>},
      {Intrinsic::amdgcn_wave_reduce_and,
       reduce<[](const APInt &a, const APInt &b) { return a & b; }>},
      {Intrinsic::amdgcn_wave_reduce_or,
       reduce<[](const APInt &a, const APInt &b) { return a | b; }>},
      {Intrinsic::amdgcn_wave_reduce_xor,
       reduce<[](const APInt &a, const APInt &b) { return a ^ b; }>},
  };
  return Rows;
}

} // namespace assay::ir
