// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/machine/gcn/alu/Modifiers.h"

#include "oracles/machine/gcn/Operands.h"
#include "oracles/machine/gcn_alu/Numerics.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/bit.h"

using namespace llvm;
using namespace assay;
using namespace assay::gcn;

/// Applies abs, then neg, to a float of \p kind; packed kinds get it in both halves.
uint64_t gcn::applySign(uint64_t bits, OperandKind kind, bool neg, bool abs) {
  uint64_t sign = uint64_t(1) << (kindBits(kind) - 1);
  if (kind == OperandKind::PkF16 || kind == OperandKind::PkBF16)
    sign = 0x80008000;
  if (abs)
    bits &= ~sign;
  return neg ? bits ^ sign : bits;
}

/// Chooses both halves by op_sel and op_sel_hi; floats are then negated by neg_lo and neg_hi.
uint32_t gcn::applyPacked(uint32_t bits, const Modifiers &mods, unsigned index, bool isFloat) {
  uint32_t low = mods.opSel[index] ? bits >> 16 : bits & 0xffff;
  uint32_t high = mods.opSelHi[index] ? bits >> 16 : bits & 0xffff;
  if (isFloat && mods.negLo[index])
    low ^= 0x8000;
  if (isFloat && mods.negHi[index])
    high ^= 0x8000;
  return low | high << 16;
}

/// The bits of an f16 as f32, which is exact.
static uint32_t halfToFloat(uint16_t bits) {
  APFloat value(APFloat::IEEEhalf(), APInt(16, bits));
  bool lost;
  value.convert(APFloat::IEEEsingle(), APFloat::rmNearestTiesToEven, &lost);
  return static_cast<uint32_t>(value.bitcastToAPInt().getZExtValue());
}

/// A source of v_fma_mix and its kind, as f32: a whole register or a half of one, with abs and neg.
uint32_t gcn::applyMix(uint32_t bits, const Modifiers &mods, unsigned index, const Operand &operand,
                       const AluMode &mode) {
  // op_sel_hi is not the default of packed instructions here: nothing printed means f32.
  bool isHalf = mods.hasOpSelHi && mods.opSelHi[index];
  if (isHalf) {
    // Denormals go by the mode of f16, though the operation is one of f32 (ACO,
    // aco_insert_fp_mode).
    Half half{static_cast<uint16_t>(mods.opSel[index] ? bits >> 16 : bits)};
    bits = halfToFloat(flushIn(half, mode).bits);
  }
  return static_cast<uint32_t>(applySign(bits, OperandKind::F32, operand.neg, operand.abs));
}

namespace {
/// The bits that a selection names in a register.
struct SdwaField {
  uint8_t shift;
  uint8_t width;
};
} // namespace

/// In the order of Sdwa: dword, four bytes, two words.
static SdwaField sdwaField(Sdwa select) {
  static constexpr SdwaField Fields[] = {{0, 32}, {0, 8},  {8, 8},  {16, 8},
                                         {24, 8}, {0, 16}, {16, 16}};
  return Fields[unsigned(select)];
}

/// The low \p width bits, extended by their sign or by zeros.
static uint32_t extend(uint32_t bits, unsigned width, bool sext) {
  if (width == 32)
    return bits;
  uint32_t mask = (1u << width) - 1;
  bits &= mask;
  return sext && bits >> (width - 1) ? bits | ~mask : bits;
}

/// The selected bits of a source, extended to 32.
uint32_t gcn::selectSdwa(uint32_t bits, Sdwa select, bool sext) {
  SdwaField field = sdwaField(select);
  return extend(bits >> field.shift, field.width, sext);
}

/// The destination with \p value in the selected bits. The others are kept, zeroed, or (above it)
/// filled with the sign.
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

/// [0, 1]; -0 becomes +0.
template <typename T> static uint64_t clampFloat(uint64_t bits, bool nanToZero) {
  T value = floatOf<T>(static_cast<BitsOf<T>>(bits));
  constexpr auto One =
      BitsOf<T>(BitsOf<T>(FloatFormat<T>::maxExponent) << FloatFormat<T>::fraction);
  if (isNan(value))
    return nanToZero ? 0 : bitsOf(value);
  return signOf(value) ? 0 : std::min(bitsOf(value), One);
}

/// Clamps floats of \p kind; integers are clamped by their operations.
static uint64_t applyClamp(uint64_t bits, OperandKind kind, bool nanToZero) {
  switch (kind) {
  case OperandKind::F32:
    return clampFloat<float>(bits, nanToZero);
  case OperandKind::F64:
    return clampFloat<double>(bits, nanToZero);
  case OperandKind::F16:
    return clampFloat<Half>(bits, nanToZero);
  case OperandKind::BF16:
    return clampFloat<Brain>(bits, nanToZero);
  case OperandKind::PkF16:
    return clampFloat<Half>(bits, nanToZero) | clampFloat<Half>(bits >> 16, nanToZero) << 16;
  default:
    return bits;
  }
}

/// Scales a rounded result: what is zero or denormal before becomes +0, what becomes so is zero of
/// its sign, overflow follows the mode (docs/errata-amdgpu.md, "Output modifiers").
template <typename T> static uint64_t scaleFloat(uint64_t bits, int exponent, AluMode mode) {
  T value = floatOf<T>(static_cast<BitsOf<T>>(bits));
  if (isNan(value) || isInfinite(value))
    return bitsOf(value);
  if (isZero(flushed(value)))
    return 0;
  mode.f32DenormOut = mode.f16f64DenormOut = false;
  return bitsOf(floatLdexp(value, exponent, mode));
}

/// Multiplies a float by 2 to the power of \p exponent. Packed kinds have no output modifier.
static uint64_t applyOmod(uint64_t bits, OperandKind kind, int exponent, const AluMode &mode) {
  switch (kind) {
  case OperandKind::F32:
    return scaleFloat<float>(bits, exponent, mode);
  case OperandKind::F64:
    return scaleFloat<double>(bits, exponent, mode);
  case OperandKind::F16:
    return scaleFloat<Half>(bits, exponent, mode);
  default:
    return bits;
  }
}

/// omod, then clamp.
uint64_t gcn::applyResultModifiers(uint64_t bits, OperandKind kind, const Modifiers &mods,
                                   const AluMode &mode) {
  // Before GFX12, the output modifier works only where denormal results are flushed and IEEE mode
  // is off.
  bool denormals = kind == OperandKind::F32 ? mode.f32DenormOut : mode.f16f64DenormOut;
  bool omodIgnored = mode.gfxMajor < 12 && (denormals || mode.ieee);
  if (mods.omod && !omodIgnored)
    bits = applyOmod(bits, kind, mods.omod, mode);
  return mods.clamp ? applyClamp(bits, kind, mode.dx10Clamp) : bits;
}
