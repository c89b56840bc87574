// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shifts and bit operations ("Bit Instructions").
#include "oracles/machine/spirv/ops/Ops.h"

#include "support/Fault.h"
#include "llvm/ADT/bit.h"

using namespace llvm;
using namespace assay;
using namespace assay::reference;

static uint64_t andBits(uint64_t a, uint64_t b, unsigned) {
  return a & b;
}
static uint64_t orBits(uint64_t a, uint64_t b, unsigned) {
  return a | b;
}
static uint64_t xorBits(uint64_t a, uint64_t b, unsigned) {
  return a ^ b;
}
/// The caller masks the result.
static uint64_t notBits(uint64_t a, unsigned) {
  return ~a;
}
/// Bits above the width are 0 in every scalar.
static uint64_t countBits(uint64_t a, unsigned) {
  return static_cast<uint64_t>(popcount(a));
}
/// Reverses the lowest \p width bits.
static uint64_t reverseBits(uint64_t a, unsigned width) {
  uint64_t result = 0;
  for (unsigned i = 0; i < width; ++i)
    result |= (a >> i & 1) << (width - 1 - i);
  return result;
}

/// \p b is below the width; the caller masks the result.
static uint64_t shiftLeft(uint64_t a, uint64_t b, unsigned) {
  return a << b;
}
static uint64_t shiftRight(uint64_t a, uint64_t b, unsigned) {
  return a >> b;
}
/// Copies the sign bit of a value of \p width bits.
static uint64_t shiftArithmetic(uint64_t a, uint64_t b, unsigned width) {
  if (faultPlanted(Fault::ReferenceShift))
    return a >> b;
  return static_cast<uint64_t>(signExtend(a, width) >> b);
}

/// Component-wise. A shift by the width or more is an undefined value.
template <uint64_t (*Function)(uint64_t, uint64_t, unsigned)>
static Status shift(Invocation &invocation, const Inst &inst) {
  Scalar *dst = invocation.at(inst.dst);
  const Scalar *a = invocation.at(inst.op[0]), *b = invocation.at(inst.op[1]);
  uint64_t mask = maskOf(inst.width);
  for (uint32_t i = 0; i < inst.n; ++i) {
    if ((a[i].flags | b[i].flags) & Poison)
      dst[i] = inheritPoison(a[i], b[i]);
    else if (b[i].bits >= inst.width)
      dst[i] = faultPlanted(Fault::ReferenceUndefinedShift) ? Scalar::exact(0)
                                                            : Scalar::undefined(Cause::Shift);
    else
      dst[i] = Scalar::exact(Function(a[i].bits, b[i].bits, inst.width) & mask);
  }
  return Status::Next;
}

/// Offset and count of a bit field, the last two operands, are scalars for all components.
struct Field {
  Scalar poison;
  uint64_t offset, count;
};
/// Reads offset and count from op[\p firstOperand] and the next. A field beyond the width is an
/// undefined value.
static Field fieldOf(Invocation &invocation, const Inst &inst, unsigned firstOperand) {
  const Scalar &offset = *invocation.at(inst.op[firstOperand]);
  const Scalar &count = *invocation.at(inst.op[firstOperand + 1]);
  Field field{inheritPoison(offset, count), offset.bits, count.bits};
  bool fits = offset.bits <= inst.width && count.bits <= inst.width &&
              offset.bits + count.bits <= inst.width;
  if (!field.poison.isPoison() && !fits)
    field.poison = Scalar::undefined(Cause::BitField);
  return field;
}

/// op[0] base, op[1] insert, op[2] offset, op[3] count. With count 0 the base is returned.
static Status insertField(Invocation &invocation, const Inst &inst) {
  Scalar *dst = invocation.at(inst.dst);
  const Scalar *base = invocation.at(inst.op[0]), *insert = invocation.at(inst.op[1]);
  Field field = fieldOf(invocation, inst, 2);
  for (uint32_t i = 0; i < inst.n; ++i) {
    if ((base[i].flags | insert[i].flags | field.poison.flags) & Poison) {
      dst[i] = inheritPoison(inheritPoison(base[i], insert[i]), field.poison);
      continue;
    }
    uint64_t mask = field.count ? maskOf(static_cast<unsigned>(field.count)) << field.offset : 0;
    dst[i] = Scalar::exact((base[i].bits & ~mask) | (insert[i].bits << field.offset & mask));
  }
  return Status::Next;
}

/// op[0] base, op[1] offset, op[2] count. With count 0 the result is 0.
template <bool IsSigned> static Status extractField(Invocation &invocation, const Inst &inst) {
  Scalar *dst = invocation.at(inst.dst);
  const Scalar *base = invocation.at(inst.op[0]);
  Field field = fieldOf(invocation, inst, 1);
  for (uint32_t i = 0; i < inst.n; ++i) {
    if ((base[i].flags | field.poison.flags) & Poison) {
      dst[i] = inheritPoison(base[i], field.poison);
    } else if (field.count == 0) {
      dst[i] = Scalar::exact(0);
    } else {
      auto count = static_cast<unsigned>(field.count);
      uint64_t bits = base[i].bits >> field.offset & maskOf(count);
      if (IsSigned)
        bits = static_cast<uint64_t>(signExtend(bits, count)) & maskOf(inst.width);
      dst[i] = Scalar::exact(bits);
    }
  }
  return Status::Next;
}

/// Shifts, logic of bits, and bit fields.
ArrayRef<OpRow> reference::bitOps() {
  using spv::Op;
  static const OpRow rows[] = {
      {uint32_t(Op::OpShiftLeftLogical), prepareIds, shift<shiftLeft>},
      {uint32_t(Op::OpShiftRightLogical), prepareIds, shift<shiftRight>},
      {uint32_t(Op::OpShiftRightArithmetic), prepareIds, shift<shiftArithmetic>},
      {uint32_t(Op::OpBitwiseAnd), prepareIds, intBinary<andBits>},
      {uint32_t(Op::OpBitwiseOr), prepareIds, intBinary<orBits>},
      {uint32_t(Op::OpBitwiseXor), prepareIds, intBinary<xorBits>},
      {uint32_t(Op::OpNot), prepareIds, intUnary<notBits>},
      {uint32_t(Op::OpBitCount), prepareIds, intUnary<countBits>},
      {uint32_t(Op::OpBitReverse), prepareIds, intUnary<reverseBits>},
      {uint32_t(Op::OpBitFieldInsert), prepareIds, insertField},
      {uint32_t(Op::OpBitFieldUExtract), prepareIds, extractField<false>},
      {uint32_t(Op::OpBitFieldSExtract), prepareIds, extractField<true>},
  };
  return rows;
}
