// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/machine/gcn/Operands.h"

#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace assay;
using namespace assay::gcn;

/// Bits that an operand has in registers.
unsigned gcn::kindBits(OperandKind kind) {
  switch (kind) {
  case OperandKind::B16:
  case OperandKind::U16:
  case OperandKind::I16:
  case OperandKind::F16:
  case OperandKind::BF16:
    return 16;
  case OperandKind::B64:
  case OperandKind::U64:
  case OperandKind::I64:
  case OperandKind::F64:
  case OperandKind::PkF32:
  case OperandKind::Mask: // Cut to the wave where it is used.
    return 64;
  default:
    return 32;
  }
}

/// Kinds that have neg and abs.
bool gcn::isFloatKind(OperandKind kind) {
  switch (kind) {
  case OperandKind::F16:
  case OperandKind::F32:
  case OperandKind::F64:
  case OperandKind::BF16:
  case OperandKind::PkF16:
  case OperandKind::PkBF16:
    return true;
  default:
    return false;
  }
}

/// The inline floats in the format an operand of \p kind reads them in. 16-bit integer operands get
/// the f32 pattern, of which they see the low half.
static uint64_t floatConstantBits(double number, OperandKind kind) {
  bool isInverseTwoPi = number > 0.159 && number < 0.16;
  bool isHalf = kind == OperandKind::F16 || kind == OperandKind::PkF16 || kind == OperandKind::B16;
  if (isHalf || kind == OperandKind::BF16 || kind == OperandKind::PkBF16) {
    APFloat value(number);
    bool lost;
    value.convert(isHalf ? APFloat::IEEEhalf() : APFloat::BFloat(), APFloat::rmNearestTiesToEven,
                  &lost);
    return value.bitcastToAPInt().getZExtValue();
  }
  if (kindBits(kind) == 64)
    return isInverseTwoPi ? 0x3fc45f306dc9c882ull : bit_cast<uint64_t>(number);
  uint32_t bits = isInverseTwoPi ? 0x3e22f983u : bit_cast<uint32_t>(static_cast<float>(number));
  return kindBits(kind) == 16 ? bits & 0xffff : bits;
}

/// The bits of a constant as an operand of \p kind. A literal of 32 bits is the high half of an
/// f64, and sign-extended for an i64.
uint64_t gcn::constantBits(const Operand &operand, OperandKind kind) {
  if (operand.type == OperandType::Float)
    return floatConstantBits(operand.number, kind);
  auto value = static_cast<uint64_t>(operand.value);
  unsigned bits = kindBits(kind);
  if (bits < 64)
    return value & ((uint64_t(1) << bits) - 1);
  if (operand.type == OperandType::Literal && isUInt<32>(value)) {
    if (kind == OperandKind::F64)
      return value << 32;
    if (kind == OperandKind::I64)
      return static_cast<uint64_t>(int64_t(int32_t(value)));
  }
  return value;
}

bool gcn::isConstant(const Operand &operand) {
  return operand.type == OperandType::Integer || operand.type == OperandType::Float ||
         operand.type == OperandType::Literal;
}

bool gcn::isExitingWave(const Operand &operand) {
  constexpr unsigned Code = 239; // The number of the source.
  return operand.type == OperandType::Text && operand.index == Code;
}

/// A source that is the same in all lanes. Not for vector registers.
uint64_t gcn::readUniform(const Wave &wave, const Source &source) {
  const Operand &operand = source.operand;
  switch (operand.type) {
  case OperandType::Sgpr: {
    if (source.kind == OperandKind::Mask)
      return wave.readMask(operand.index);
    unsigned bits = kindBits(source.kind);
    if (bits == 64)
      return wave.readScalar64(operand.index);
    return bits == 16 ? wave.s[operand.index] & 0xffff : wave.s[operand.index];
  }
  case OperandType::Scc:
    return wave.scc;
  case OperandType::Vccz:
    return wave.vcc() == 0;
  case OperandType::Execz:
    return wave.exec() == 0;
  case OperandType::Text: // isExitingWave(); ten bits.
    return wave.number & 0x3ff;
  default:
    return source.constant;
  }
}

/// Writes one register, or a pair for 64 \p bits.
void gcn::writeScalarResult(Wave &wave, const Operand &destination, uint64_t value, unsigned bits) {
  if (bits == 64)
    wave.writeScalar64(destination.index, value);
  else
    wave.writeScalar(destination.index, static_cast<uint32_t>(value));
}

/// Whether \p name is one of \p names, which '|' separates.
bool gcn::isNamed(const char *names, StringRef name) {
  SmallVector<StringRef, 4> parts;
  StringRef(names).split(parts, '|');
  return is_contained(parts, name);
}
