// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Casts. Pointers are numbers as wide as their address space's (see Scalar).
#include "oracles/ir/Floats.h"
#include "oracles/ir/Handlers.h"
#include "llvm/ADT/APSInt.h"

using namespace llvm;
using namespace assay;

namespace assay::ir {

/// trunc, zext, ptrtoint, inttoptr, ptrtoaddr: the low bits, zeros above them. Poison stays in its
/// bytes.
static void runResize(Machine &machine, const Inst &inst) {
  for (Lane *lane : machine.group()) {
    const Scalar *a = lane->get(inst.operands[0]);
    Scalar *result = lane->slots + inst.slot;
    for (uint32_t i = 0; i < inst.count; ++i, ++a, ++result) {
      unsigned width = a->bits.getBitWidth();
      result->bits = a->bits.zextOrTrunc(inst.bits);
      clearPoison(*result);
      if (a->isPoison) {
        unsigned bytes = divideCeil(width, 8);
        setPoisonBytes(*result, poisonMask(*a) & (bytes >= 32 ? ~0u : (1u << bytes) - 1));
      } else if (inst.flags) {
        bool isLost = (inst.flags & NonNegative && a->bits.isNegative()) ||
                      (inst.flags & NoUnsignedWrap && !a->bits.isIntN(inst.bits)) ||
                      (inst.flags & NoSignedWrap && !a->bits.isSignedIntN(inst.bits));
        if (isLost)
          setPoison(*result, inst.bits);
      }
    }
  }
}

/// ptrtoaddr: the address bits of the pointer, without the rest of a fat pointer.
static void runPtrToAddr(Machine &machine, const Inst &inst) {
  const Type *type = inst.ir->getOperand(0)->getType()->getScalarType();
  unsigned width = machine.layout().getIndexSizeInBits(type->getPointerAddressSpace());
  for (Lane *lane : machine.group()) {
    const Scalar *a = lane->get(inst.operands[0]);
    Scalar *result = lane->slots + inst.slot;
    for (uint32_t i = 0; i < inst.count; ++i) {
      if (a[i].isPoison)
        setPoison(result[i], inst.bits);
      else
        result[i] = {a[i].bits.zextOrTrunc(width).zextOrTrunc(inst.bits)};
    }
  }
}

/// sext.
static void signExtend(Machine &, const Inst &inst, const Scalar &a, Scalar &result) {
  result.bits = a.bits.sext(inst.bits);
}

/// fptoui, fptosi: toward zero; poison where the result does not fit.
template <bool isSigned>
static void toInteger(Machine &, const Inst &inst, const Scalar &a, Scalar &result) {
  APSInt integer(inst.bits, !isSigned);
  bool isExact = false;
  APFloat value = toOperandFloat(inst, a);
  if (value.convertToInteger(integer, APFloat::rmTowardZero, &isExact) == APFloat::opInvalidOp)
    return setPoison(result, inst.bits);
  result.bits = integer;
}

/// uitofp, sitofp: to nearest even; with nneg, a negative number is poison.
template <bool isSigned>
static void fromInteger(Machine &, const Inst &inst, const Scalar &a, Scalar &result) {
  if (inst.flags & NonNegative && a.bits.isNegative())
    return setPoison(result, inst.bits);
  APFloat value(inst.shape->elements.front().type->getFltSemantics());
  value.convertFromAPInt(a.bits, isSigned, APFloat::rmNearestTiesToEven);
  setFloat(inst, value, result);
}

/// fptrunc, fpext.
static void changeFloat(Machine &, const Inst &inst, const Scalar &a, Scalar &result) {
  APFloat value = toOperandFloat(inst, a);
  bool isPoison = breaksFastMath(inst, value);
  bool losesInfo = false;
  value.convert(inst.shape->elements.front().type->getFltSemantics(), APFloat::rmNearestTiesToEven,
                &losesInfo);
  setFloat(inst, value, result);
  if (isPoison)
    setPoison(result, inst.bits);
}

/// What memory would make of it.
static void runBitCast(Machine &machine, const Inst &inst) {
  if (!inst.source)
    return machine.stop(RunState::Unsupported, "a bitcast of a type without a shape");
  SmallVector<uint8_t, 64> bytes(inst.source->storeBytes), poison(bytes.size());
  for (Lane *lane : machine.group()) {
    const Scalar *a = lane->get(inst.operands[0]);
    Scalar *result = lane->slots + inst.slot;
    if (inst.count == inst.operands[0].count) {
      std::copy_n(a, inst.count, result);
      continue;
    }
    encode(*inst.source, a, bytes.data(), poison.data());
    decode(*inst.shape, bytes.data(), poison.data(), result);
  }
}

namespace {
/// How a pointer changes its address space.
struct SpaceCast {
  unsigned from, to;
  /// The new bits; nothing if the cast has no meaning for this pointer.
  std::optional<APInt> (*convert)(const APInt &bits);
};
} // namespace

static std::optional<APInt> keep(const APInt &bits) {
  return bits;
}
/// A resource as the upper bits of a fat pointer with offset 0.
template <unsigned width, unsigned amount> static std::optional<APInt> raise(const APInt &bits) {
  return bits.zext(width).shl(amount);
}
/// The resource of a fat pointer; nothing unless its offset and index are 0.
template <unsigned width, unsigned amount> static std::optional<APInt> drop(const APInt &bits) {
  // LLVM may turn a cast there and back into nothing: what would be lost must be 0.
  if (!bits.trunc(amount).isZero())
    return std::nullopt;
  return bits.lshr(amount).trunc(width);
}
/// Offsets of LDS and scratch in the upper halves of flat addresses.
template <uint64_t aperture> static std::optional<APInt> intoAperture(const APInt &bits) {
  return APInt(64, aperture | bits.getZExtValue());
}
/// The reverse; nothing for an address in another aperture.
template <uint64_t aperture> static std::optional<APInt> outOfAperture(const APInt &bits) {
  if (bits.getZExtValue() >> 32 != aperture >> 32)
    return std::nullopt;
  return bits.trunc(32);
}
/// Of an address only null becomes a fat pointer.
template <unsigned width> static std::optional<APInt> onlyNull(const APInt &bits) {
  if (!bits.isZero())
    return std::nullopt;
  return APInt::getZero(width);
}

/// Casts that have a meaning; any other one is unsupported.
static constexpr SpaceCast SpaceCasts[] = {
    {8, 7, raise<160, 32>},
    {8, 9, raise<192, 64>},
    {7, 8, drop<128, 32>},
    {9, 8, drop<128, 64>},
    {0, 1, keep},
    {1, 0, keep},
    {0, 4, keep},
    {4, 0, keep},
    {1, 4, keep},
    {4, 1, keep},
    {3, 0, intoAperture<Spaces::SharedAperture>},
    {5, 0, intoAperture<Spaces::PrivateAperture>},
    {0, 3, outOfAperture<Spaces::SharedAperture>},
    {0, 5, outOfAperture<Spaces::PrivateAperture>},
    {0, 7, onlyNull<160>},
    {1, 7, onlyNull<160>},
    {0, 8, onlyNull<128>},
    {0, 9, onlyNull<192>},
    {1, 9, onlyNull<192>},
};

/// addrspacecast: a pointer for which the cast has no meaning becomes poison.
static void runSpaceCast(Machine &machine, const Inst &inst) {
  unsigned from = inst.ir->getOperand(0)->getType()->getScalarType()->getPointerAddressSpace();
  unsigned to = inst.ir->getType()->getScalarType()->getPointerAddressSpace();
  const SpaceCast *row =
      find_if(SpaceCasts, [&](const SpaceCast &r) { return r.from == from && r.to == to; });
  if (row == std::end(SpaceCasts))
    return machine.stop(RunState::Unsupported,
                        "addrspacecast from " + Twine(from) + " to " + Twine(to));
  for (Lane *lane : machine.group()) {
    const Scalar *a = lane->get(inst.operands[0]);
    Scalar *result = lane->slots + inst.slot;
    for (uint32_t i = 0; i < inst.count; ++i, ++a, ++result) {
      std::optional<APInt> bits = a->isPoison ? std::nullopt : row->convert(a->bits);
      if (!bits)
        setPoison(*result, inst.bits);
      else
        *result = {std::move(*bits)};
    }
  }
}

ArrayRef<OpcodeRow> castOpcodes() {
  static constexpr OpcodeRow Rows[] = {
      {Instruction::Trunc, runResize},
      {Instruction::ZExt, runResize},
      {Instruction::PtrToInt, runResize},
      {Instruction::IntToPtr, runResize},
      {Instruction::PtrToAddr, runPtrToAddr},
      {Instruction::SExt, mapUnary<signExtend>},
      {Instruction::FPToUI, mapUnary<toInteger<false>>},
      {Instruction::FPToSI, mapUnary<toInteger<true>>},
      {Instruction::UIToFP, mapUnary<fromInteger<false>>},
      {Instruction::SIToFP, mapUnary<fromInteger<true>>},
      {Instruction::FPTrunc, mapUnary<changeFloat>},
      {Instruction::FPExt, mapUnary<changeFloat>},
      {Instruction::BitCast, runBitCast},
      {Instruction::AddrSpaceCast, runSpaceCast},
  };
  return Rows;
}

} // namespace assay::ir
