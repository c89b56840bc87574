// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/machine/adreno/Alu.h"

#include "oracles/machine/adreno/Numbers.h"
#include "oracles/machine/gcn_alu/Transcendental.h"
#include "oracles/machine/ir3_isa/Defect.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>

using namespace llvm;
using namespace assay;
using namespace assay::adreno;

const AluRow *adreno::findAluRow(StringRef name) {
  for (ArrayRef<AluRow> rows : {twoSourceRows(), threeSourceRows(), specialRows()})
    for (const AluRow &row : rows)
      if (row.name == name)
        return &row;
  return nullptr;
}

/// Of types of category 1.
static bool isFloat(DataType type) {
  return type == DataType::F16 || type == DataType::F32;
}
static bool isSigned(DataType type) {
  return type == DataType::S16 || type == DataType::S32;
}

/// Of a type of category 1; registers may have more.
static unsigned bitsIn(DataType type) {
  if (type == DataType::U8 || type == DataType::U8In32)
    return 8;
  return isHalf(type) ? 16 : 32;
}

/// The rounding that a field of category 1 means, for results that are floats.
static unsigned roundingOf(unsigned field, bool fromFloat, const Arithmetic &arithmetic) {
  static constexpr unsigned Roundings[] = {gcn::RoundZero, gcn::RoundEven, gcn::RoundUp,
                                           gcn::RoundDown};
  bool isNearest = !arithmetic.zeroRoundsTowardZero || hasDefect(Defect::NarrowNearest);
  if (field == 0 && (!fromFloat || isNearest))
    return gcn::RoundEven;
  return Roundings[field];
}

/// To a whole number, by field \p field of category 1; 0 truncates.
static double roundWhole(double value, unsigned field) {
  switch (field) {
  case 1:
    return gcn::nearestEven(value);
  case 2:
    return -gcn::floorExact(-value);
  case 3:
    return gcn::floorExact(value);
  default:
    return gcn::truncateExact(value);
  }
}

/// A float as an integer of \p to, in its range; 0 for NaN.
static uint32_t toInteger(double value, DataType to, unsigned round) {
  if (gcn::isNan(value))
    return 0;
  unsigned bits = bitsIn(to);
  double low = isSigned(to) ? -gcn::powerOfTwo(int(bits) - 1) : 0;
  double high = gcn::powerOfTwo(int(bits) - (isSigned(to) ? 1 : 0)) - 1;
  if (!gcn::isInfinite(value))
    value = roundWhole(value, round);
  return uint32_t(int64_t(std::clamp(value, low, high)));
}

/// Exactly.
static double integerOf(uint32_t bits, DataType from) {
  return isSigned(from) ? double(SignExtend64(bits, bitsIn(from)))
                        : double(bits & maskTrailingOnes<uint32_t>(bitsIn(from)));
}

uint32_t adreno::convert(uint32_t bits, DataType from, DataType to, unsigned round,
                         const Arithmetic &arithmetic) {
  if (from == to)
    return bits;
  if (!isFloat(from) && !isFloat(to)) {
    // "Zero-extension of 8-bit values doesn't work with cov" (Mesa, ir3_compiler_nir.c): bytes are
    // signed.
    uint32_t wide = isSigned(from) || bitsIn(from) == 8
                        ? uint32_t(SignExtend64(bits, bitsIn(from)))
                        : bits & maskTrailingOnes<uint32_t>(bitsIn(from));
    return wide & maskTrailingOnes<uint32_t>(std::max(bitsIn(to), 16U));
  }
  double value = from == DataType::F32   ? numberOf<32>(bits, arithmetic)
                 : from == DataType::F16 ? numberOf<16>(bits, arithmetic)
                                         : integerOf(bits, from);
  unsigned rounding = roundingOf(round, isFloat(from), arithmetic);
  if (to == DataType::F32)
    return bitsOfNumber<32>(value, arithmetic, rounding);
  if (to == DataType::F16)
    return bitsOfNumber<16>(value, arithmetic, rounding);
  return toInteger(value, to, round) & (isHalf(to) ? 0xffffU : ~0U);
}

uint32_t adreno::changeWidth(uint32_t bits, bool toHalf, ValueKind kind,
                             const Arithmetic &arithmetic) {
  if (kind == ValueKind::Float)
    return convert(bits, toHalf ? DataType::F32 : DataType::F16,
                   toHalf ? DataType::F16 : DataType::F32, 1, arithmetic);
  if (toHalf)
    return bits & 0xffff;
  return kind == ValueKind::Signed ? uint32_t(SignExtend64<16>(bits & 0xffff)) : bits & 0xffff;
}

uint32_t adreno::clampFloat(uint32_t bits, bool half) {
  double value = half ? gcn::widen(asFloat<16>(bits)) : double(asFloat<32>(bits));
  uint32_t one = half ? 0x3c00 : 0x3f800000;
  return value >= 1 ? one : value > 0 ? bits : 0;
}

uint32_t adreno::modify(uint32_t bits, bool half, const Operand &operand, ValueKind kind) {
  uint32_t mask = half ? 0xffff : ~0U;
  uint32_t sign = half ? 0x8000 : 0x80000000;
  if (operand.abs)
    bits = kind == ValueKind::Float ? bits & ~sign : bits & sign ? (0 - bits) & mask : bits;
  if (operand.neg && !hasDefect(Defect::NegateIgnored))
    bits = kind == ValueKind::Float  ? bits ^ sign
           : kind == ValueKind::Bits ? ~bits & mask
                                     : (0 - bits) & mask;
  return bits;
}

uint32_t adreno::tableFloatBits(unsigned index, bool half) {
  float value = tableFloats()[index].value;
  return half ? gcn::bitsOf(gcn::roundTo<gcn::Half>(double(value), gcn::RoundEven))
              : gcn::bitsOf(value);
}
