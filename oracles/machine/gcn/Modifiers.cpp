// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/machine/gcn/Modifiers.h"

#include "oracles/machine/gcn/Operands.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/bit.h"

using namespace llvm;
using namespace assay;
using namespace assay::gcn;

uint64_t gcn::applySign(uint64_t bits, OperandKind kind, bool neg, bool abs) {
  uint64_t sign = uint64_t(1) << (kindBits(kind) - 1);
  if (kind == OperandKind::PkF16 || kind == OperandKind::PkBF16)
    sign = 0x80008000;
  if (abs)
    bits &= ~sign;
  return neg ? bits ^ sign : bits;
}

uint32_t gcn::applyPacked(uint32_t bits, const Modifiers &mods, unsigned index, bool isFloat) {
  uint32_t low = mods.opSel[index] ? bits >> 16 : bits & 0xffff;
  uint32_t high = mods.opSelHi[index] ? bits >> 16 : bits & 0xffff;
  if (isFloat && mods.negLo[index])
    low ^= 0x8000;
  if (isFloat && mods.negHi[index])
    high ^= 0x8000;
  return low | high << 16;
}

static uint32_t halfToFloat(uint16_t bits) {
  APFloat value(APFloat::IEEEhalf(), APInt(16, bits));
  bool lost;
  value.convert(APFloat::IEEEsingle(), APFloat::rmNearestTiesToEven, &lost);
  return static_cast<uint32_t>(value.bitcastToAPInt().getZExtValue());
}

uint32_t gcn::applyMix(uint32_t bits, const Modifiers &mods, unsigned index,
                       const Operand &operand) {
  // op_sel_hi is not the default of packed instructions here: nothing printed means f32.
  bool isHalf = mods.hasOpSelHi && mods.opSelHi[index];
  if (isHalf)
    bits = halfToFloat(static_cast<uint16_t>(mods.opSel[index] ? bits >> 16 : bits));
  return static_cast<uint32_t>(applySign(bits, OperandKind::F32, operand.neg, operand.abs));
}

namespace {
struct SdwaField {
  uint8_t shift;
  uint8_t width;
};
} // namespace

static SdwaField sdwaField(Sdwa select) {
  static constexpr SdwaField Fields[] = {{0, 32}, {0, 8},  {8, 8},  {16, 8},
                                         {24, 8}, {0, 16}, {16, 16}};
  return Fields[unsigned(select)];
}

static uint32_t extend(uint32_t bits, unsigned width, bool sext) {
  if (width == 32)
    return bits;
  uint32_t mask = (1u << width) - 1;
  bits &= mask;
  return sext && bits >> (width - 1) ? bits | ~mask : bits;
}

uint32_t gcn::selectSdwa(uint32_t bits, Sdwa select, bool sext) {
  SdwaField field = sdwaField(select);
  return extend(bits >> field.shift, field.width, sext);
}

uint32_t gcn::insertSdwa(uint32_t old, uint32_t value, Sdwa select, SdwaUnused unused) {
  SdwaField field = sdwaField(select);
  if (field.width == 32)
    return value;
  uint32_t mask = ((1u << field.width) - 1) << field.shift;
  uint32_t placed = (value << field.shift) & mask;
  if (unused == SdwaUnused::Preserve)
    return (old & ~mask) | placed;
  if (unused == SdwaUnused::Sext)
    return extend(value, field.width, true) << field.shift;
  return placed;
}

static float clampFloat(float value, bool nanToZero) {
  if (value != value)
    return nanToZero ? 0.0f : value;
  return value <= 0.0f ? 0.0f : value > 1.0f ? 1.0f : value;
}

static double clampDouble(double value, bool nanToZero) {
  if (value != value)
    return nanToZero ? 0.0 : value;
  return value <= 0.0 ? 0.0 : value > 1.0 ? 1.0 : value;
}

static uint64_t clampHalf(uint64_t bits, bool nanToZero) {
  uint64_t magnitude = bits & 0x7fff;
  if (magnitude > 0x7c00)
    return nanToZero ? 0 : bits;
  if (bits & 0x8000)
    return 0;
  return magnitude > 0x3c00 ? 0x3c00 : bits;
}

static uint64_t scaleHalf(uint64_t bits, int exponent) {
  APFloat value(APFloat::IEEEhalf(), APInt(16, bits & 0xffff));
  value = scalbn(value, exponent, APFloat::rmNearestTiesToEven);
  return value.bitcastToAPInt().getZExtValue();
}

static uint64_t applyClamp(uint64_t bits, OperandKind kind, bool nanToZero) {
  switch (kind) {
  case OperandKind::F32:
    return bit_cast<uint32_t>(clampFloat(bit_cast<float>(uint32_t(bits)), nanToZero));
  case OperandKind::F64:
    return bit_cast<uint64_t>(clampDouble(bit_cast<double>(bits), nanToZero));
  case OperandKind::F16:
    return clampHalf(bits & 0xffff, nanToZero);
  case OperandKind::PkF16:
    return clampHalf(bits & 0xffff, nanToZero) | clampHalf((bits >> 16) & 0xffff, nanToZero) << 16;
  default:
    return bits;
  }
}

static uint64_t applyOmod(uint64_t bits, OperandKind kind, int exponent) {
  double factor = exponent == 2 ? 4.0 : exponent == 1 ? 2.0 : 0.5;
  switch (kind) {
  case OperandKind::F32:
    return bit_cast<uint32_t>(bit_cast<float>(uint32_t(bits)) * static_cast<float>(factor));
  case OperandKind::F64:
    return bit_cast<uint64_t>(bit_cast<double>(bits) * factor);
  case OperandKind::F16:
    return scaleHalf(bits, exponent);
  default:
    return bits;
  }
}

uint64_t gcn::applyResultModifiers(uint64_t bits, OperandKind kind, const Modifiers &mods,
                                   const AluMode &mode) {
  // The output modifier works only where denormal results are flushed and IEEE mode is off.
  bool denormals = kind == OperandKind::F32 ? mode.f32DenormOut : mode.f16f64DenormOut;
  bool omodIgnored = mode.gfxMajor < 12 && (denormals || mode.ieee);
  if (mods.omod && !omodIgnored)
    bits = applyOmod(bits, kind, mods.omod);
  return mods.clamp ? applyClamp(bits, kind, mode.dx10Clamp) : bits;
}
