// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Integer arithmetic, bits and comparisons (also of pointers, which compare as numbers).
#include "oracles/ir/Elementwise.h"
#include "oracles/ir/Handlers.h"
#include "llvm/IR/InstrTypes.h"

using namespace llvm;
using namespace assay;

namespace assay::ir {

/// Makes \p result poison of its width when \p condition holds.
static void poisonIf(bool condition, Scalar &result) {
  if (condition)
    setPoison(result, result.bits.getBitWidth());
}

using OverflowFunction = APInt (APInt::*)(const APInt &, bool &) const;

/// Applies the wrap flags of \p inst; \p isUnsigned and \p isSigned compute with overflow.
template <OverflowFunction unsignedFunction, OverflowFunction signedFunction>
static void checkWrap(const Inst &inst, const APInt &a, const APInt &b, Scalar &result) {
  bool overflow = false;
  if (inst.flags & NoUnsignedWrap) {
    (void)(a.*unsignedFunction)(b, overflow);
    poisonIf(overflow, result);
  }
  if (inst.flags & NoSignedWrap) {
    (void)(a.*signedFunction)(b, overflow);
    poisonIf(overflow, result);
  }
}

/// add, with nuw and nsw.
static void add(Machine &, const Inst &inst, const Scalar &a, const Scalar &b, Scalar &result) {
  result.bits = a.bits;
  result.bits += b.bits;
  if (inst.flags)
    checkWrap<&APInt::uadd_ov, &APInt::sadd_ov>(inst, a.bits, b.bits, result);
}

/// sub, with nuw and nsw.
static void sub(Machine &, const Inst &inst, const Scalar &a, const Scalar &b, Scalar &result) {
  result.bits = a.bits;
  result.bits -= b.bits;
  if (inst.flags)
    checkWrap<&APInt::usub_ov, &APInt::ssub_ov>(inst, a.bits, b.bits, result);
}

/// mul, with nuw and nsw.
static void mul(Machine &, const Inst &inst, const Scalar &a, const Scalar &b, Scalar &result) {
  result.bits = a.bits * b.bits;
  if (inst.flags)
    checkWrap<&APInt::umul_ov, &APInt::smul_ov>(inst, a.bits, b.bits, result);
}

/// udiv, with exact. The divisor is not zero: divide() has checked.
static void udiv(Machine &, const Inst &inst, const Scalar &a, const Scalar &b, Scalar &result) {
  result.bits = a.bits.udiv(b.bits);
  poisonIf(inst.flags & Exact && !a.bits.urem(b.bits).isZero(), result);
}

/// sdiv, with exact. Neither a zero divisor nor an overflow comes here.
static void sdiv(Machine &, const Inst &inst, const Scalar &a, const Scalar &b, Scalar &result) {
  result.bits = a.bits.sdiv(b.bits);
  poisonIf(inst.flags & Exact && !a.bits.srem(b.bits).isZero(), result);
}

static void urem(Machine &, const Inst &, const Scalar &a, const Scalar &b, Scalar &result) {
  result.bits = a.bits.urem(b.bits);
}

static void srem(Machine &, const Inst &, const Scalar &a, const Scalar &b, Scalar &result) {
  result.bits = a.bits.srem(b.bits);
}

/// Division: a divisor that is poison or zero, and signed overflow, are undefined behaviour in
/// every element.
template <BinaryFunction function, bool isSigned>
static void divide(Machine &machine, const Inst &inst) {
  for (Lane *lane : machine.group()) {
    const Scalar *a = lane->get(inst.operands[0]), *b = lane->get(inst.operands[1]);
    for (uint32_t i = 0; i < inst.count; ++i) {
      if (b[i].isPoison || b[i].bits.isZero())
        return machine.stop(RunState::Undefined, "a division by zero or poison");
      if (isSigned && b[i].bits.isAllOnes() && (a[i].isPoison || a[i].bits.isMinSignedValue()))
        return machine.stop(RunState::Undefined, "a signed division that overflows");
    }
  }
  mapBinary<function>(machine, inst);
}

/// Whether a shift goes too far: then the result is poison.
static bool isTooFar(const Scalar &a, const Scalar &b, Scalar &result) {
  if (b.bits.ult(a.bits.getBitWidth()))
    return false;
  setPoison(result, a.bits.getBitWidth());
  return true;
}

/// shl, with nuw and nsw.
static void shl(Machine &, const Inst &inst, const Scalar &a, const Scalar &b, Scalar &result) {
  if (isTooFar(a, b, result))
    return;
  result.bits = a.bits.shl(b.bits);
  if (inst.flags)
    checkWrap<&APInt::ushl_ov, &APInt::sshl_ov>(inst, a.bits, b.bits, result);
}

/// lshr, with exact: bits that are shifted out are zero.
static void lshr(Machine &, const Inst &inst, const Scalar &a, const Scalar &b, Scalar &result) {
  if (isTooFar(a, b, result))
    return;
  result.bits = a.bits.lshr(b.bits);
  poisonIf(inst.flags & Exact && a.bits.countr_zero() < b.bits.getZExtValue(), result);
}

/// ashr, with exact.
static void ashr(Machine &, const Inst &inst, const Scalar &a, const Scalar &b, Scalar &result) {
  if (isTooFar(a, b, result))
    return;
  result.bits = a.bits.ashr(b.bits);
  poisonIf(inst.flags & Exact && a.bits.countr_zero() < b.bits.getZExtValue(), result);
}

/// What of the poison of a bitwise operation's operands stays in the result. Poison of single bytes
/// comes from memory that was never written; code that takes words apart leaves it where it was.
using PoisonFlow = uint32_t (*)(const Scalar &, const Scalar &);

/// Bytes in which \p scalar is known to be zero.
static uint32_t zeroBytes(const Scalar &scalar) {
  uint32_t result = 0;
  for (unsigned i = 0, width = scalar.bits.getBitWidth(); i * 8 < width && i < 32; ++i)
    if (scalar.bits.extractBitsAsZExtValue(std::min(8u, width - i * 8), i * 8) == 0)
      result |= 1u << i;
  return result & ~poisonMask(scalar);
}

/// Poison of either operand stays in its bytes.
static uint32_t flowEither(const Scalar &a, const Scalar &b) {
  return poisonMask(a) | poisonMask(b);
}

/// A zero byte hides poison that is in single bytes.
static uint32_t flowAnd(const Scalar &a, const Scalar &b) {
  uint32_t ofA = poisonMask(a), ofB = poisonMask(b);
  if (ofA == ~0u || ofB == ~0u)
    return ~0u;
  return (ofA & ~zeroBytes(b)) | (ofB & ~zeroBytes(a));
}

/// Poison moves with its bytes; by an amount that is no multiple of 8, a byte's poison goes into
/// both that it touches.
template <bool isLeft> static uint32_t flowShift(const Scalar &a, const Scalar &b) {
  uint32_t ofA = poisonMask(a);
  if (b.isPoison || ofA == ~0u || b.bits.uge(a.bits.getBitWidth()))
    return ~0u;
  auto amount = static_cast<unsigned>(b.bits.getZExtValue());
  unsigned low = amount / 8, high = divideCeil(amount, 8);
  auto shift = [&](unsigned bytes) {
    return bytes >= 32 ? 0 : isLeft ? ofA << bytes : ofA >> bytes;
  };
  return shift(low) | shift(high);
}

/// mapBinary that keeps poison in its bytes.
template <BinaryFunction function, PoisonFlow flow>
static void mapBits(Machine &machine, const Inst &inst) {
  for (Lane *lane : machine.group()) {
    const Scalar *a = lane->get(inst.operands[0]), *b = lane->get(inst.operands[1]);
    Scalar *result = lane->slots + inst.slot;
    for (uint32_t i = 0; i < inst.count; ++i, ++a, ++b, ++result) {
      bool isPoison = a->isPoison || b->isPoison;
      uint32_t bytes = isPoison ? flow(*a, *b) : 0;
      if (bytes == ~0u) {
        setPoison(*result, inst.bits);
        continue;
      }
      clearPoison(*result);
      function(machine, inst, *a, *b, *result);
      if (isPoison && !result->isPoison)
        setPoisonBytes(*result, bytes);
    }
  }
}

static void bitAnd(Machine &, const Inst &, const Scalar &a, const Scalar &b, Scalar &result) {
  result.bits = a.bits;
  result.bits &= b.bits;
}

/// or, with disjoint.
static void bitOr(Machine &, const Inst &inst, const Scalar &a, const Scalar &b, Scalar &result) {
  result.bits = a.bits;
  result.bits |= b.bits;
  poisonIf(inst.flags & Disjoint && a.bits.intersects(b.bits), result);
}

static void bitXor(Machine &, const Inst &, const Scalar &a, const Scalar &b, Scalar &result) {
  result.bits = a.bits;
  result.bits ^= b.bits;
}

/// icmp, with samesign.
static void compare(Machine &, const Inst &inst, const Scalar &a, const Scalar &b, Scalar &result) {
  CmpInst::Predicate predicate = cast<ICmpInst>(inst.ir)->getPredicate();
  result.bits = APInt(1, ICmpInst::compare(a.bits, b.bits, predicate));
  poisonIf(inst.flags & SameSign && a.bits.isNegative() != b.bits.isNegative(), result);
}

ArrayRef<OpcodeRow> integerOpcodes() {
  static constexpr OpcodeRow Rows[] = {
      {Instruction::Add, mapBinary<add>},
      {Instruction::Sub, mapBinary<sub>},
      {Instruction::Mul, mapBinary<mul>},
      {Instruction::UDiv, divide<udiv, false>},
      {Instruction::SDiv, divide<sdiv, true>},
      {Instruction::URem, divide<urem, false>},
      {Instruction::SRem, divide<srem, true>},
      {Instruction::Shl, mapBits<shl, flowShift<true>>},
      {Instruction::LShr, mapBits<lshr, flowShift<false>>},
      {Instruction::AShr, mapBinary<ashr>},
      {Instruction::And, mapBits<bitAnd, flowAnd>},
      {Instruction::Or, mapBits<bitOr, flowEither>},
      {Instruction::Xor, mapBits<bitXor, flowEither>},
      {Instruction::ICmp, mapBinary<compare>},
  };
  return Rows;
}

} // namespace assay::ir
