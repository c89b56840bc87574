// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions of GLSL.std.450: those with exact results may decide, all others give floats that are
// only stored. Operands stay inside of the functions' domains.
#include "fuzz/generate/Constructs.h"

#include "llvm/ADT/STLExtras.h"
#include <cstring>
#include <spirv/unified1/GLSL.std.450.h>

using namespace llvm;

namespace assay::fuzz {

static Value addExtended(Writer &writer, unsigned instruction, Id type, ArrayRef<Value> operands,
                         uint32_t magnitude = 0) {
  SmallVector<Id, 4> ids;
  for (const Value &operand : operands)
    ids.push_back(operand.id);
  bool isUniform = all_of(operands, [](const Value &each) { return each.isUniform; });
  Value result{writer.emitExtended(instruction, type, ids), type, isUniform, magnitude};
  writer.add(result);
  return result;
}

/// Clamps get their bounds in order. What finds bits has 32 of them to look at, in Vulkan.
void writeExtendedInteger(Writer &writer) {
  static constexpr unsigned unary[] = {GLSLstd450SAbs, GLSLstd450SSign};
  static constexpr unsigned binary[] = {GLSLstd450SMin, GLSLstd450SMax, GLSLstd450UMin,
                                        GLSLstd450UMax};
  static constexpr unsigned finders[] = {GLSLstd450FindILsb, GLSLstd450FindSMsb,
                                         GLSLstd450FindUMsb};
  Value value = takeNumeric(writer, TypeInfo::Int);
  Random &random = writer.random();
  bool is32 = writer.info(writer.scalarOf(value.type)).width == 32;
  switch (random.below(5)) {
  case 0:
    addExtended(writer, random.pick(ArrayRef(unary)), value.type, {value});
    return;
  case 1:
    if (is32) {
      addExtended(writer, random.pick(ArrayRef(finders)), value.type, {value});
      return;
    }
    [[fallthrough]];
  case 2: {
    bool isSigned = random.oneIn(2);
    Value a = writer.take(value.type), b = writer.take(value.type);
    Value low = addExtended(writer, isSigned ? GLSLstd450SMin : GLSLstd450UMin, value.type, {a, b});
    Value high =
        addExtended(writer, isSigned ? GLSLstd450SMax : GLSLstd450UMax, value.type, {a, b});
    addExtended(writer, isSigned ? GLSLstd450SClamp : GLSLstd450UClamp, value.type,
                {value, low, high});
    return;
  }
  default:
    addExtended(writer, random.pick(ArrayRef(binary)), value.type,
                {value, writer.take(value.type)});
  }
}

/// Of small whole numbers.
void writeExtendedExact(Writer &writer) {
  static constexpr unsigned unary[] = {GLSLstd450FAbs,     GLSLstd450FSign, GLSLstd450Floor,
                                       GLSLstd450Ceil,     GLSLstd450Trunc, GLSLstd450Round,
                                       GLSLstd450RoundEven};
  static constexpr unsigned binary[] = {GLSLstd450FMin, GLSLstd450FMax, GLSLstd450NMin,
                                        GLSLstd450NMax, GLSLstd450Step};
  Random &random = writer.random();
  Value a = takeExact(writer);
  switch (random.below(4)) {
  case 0:
    addExtended(writer, random.pick(ArrayRef(unary)), a.type, {a}, std::max(a.magnitude, 1u));
    return;
  case 1: {
    Value b = takeExact(writer, a.type);
    addExtended(writer, random.pick(ArrayRef(binary)), a.type, {a, b},
                std::max(a.magnitude, b.magnitude));
    return;
  }
  case 2: {
    Value b = takeExact(writer, a.type), c = takeExact(writer, a.type);
    uint64_t magnitude = uint64_t(a.magnitude) * b.magnitude + c.magnitude;
    addExtended(writer, GLSLstd450Fma, a.type, {a, b, c},
                magnitude < maxMagnitude ? static_cast<uint32_t>(magnitude) : 0);
    return;
  }
  default: {
    Value b = takeExact(writer, a.type), c = takeExact(writer, a.type);
    uint32_t bound = std::max(b.magnitude, c.magnitude);
    Value low = addExtended(writer, GLSLstd450FMin, a.type, {b, c}, bound);
    Value high = addExtended(writer, GLSLstd450FMax, a.type, {b, c}, bound);
    addExtended(writer, random.oneIn(2) ? GLSLstd450FClamp : GLSLstd450NClamp, a.type,
                {a, low, high}, bound);
  }
  }
}

namespace {
/// A function with results in a range, of operands between what their places ask for.
struct InexactRow {
  unsigned instruction;
  unsigned operands;
  bool isPositive; ///< Operands are to be above zero.
  bool is64;       ///< Takes doubles, too.
};
} // namespace

static constexpr InexactRow inexactRows[] = {
    {GLSLstd450Sqrt, 1, true, true},      {GLSLstd450InverseSqrt, 1, true, true},
    {GLSLstd450Sin, 1, false, false},     {GLSLstd450Cos, 1, false, false},
    {GLSLstd450Tan, 1, false, false},     {GLSLstd450Atan, 1, false, false},
    {GLSLstd450Asinh, 1, false, false},   {GLSLstd450Exp2, 1, false, false},
    {GLSLstd450Log2, 1, true, false},     {GLSLstd450Log, 1, true, false},
    {GLSLstd450Radians, 1, false, false}, {GLSLstd450Degrees, 1, false, false},
    {GLSLstd450Fract, 1, false, true},    {GLSLstd450Pow, 2, true, false},
    {GLSLstd450Atan2, 2, true, false},    {GLSLstd450FMix, 3, false, true},
    {GLSLstd450Length, 1, true, true},    {GLSLstd450Distance, 2, false, true},
    {GLSLstd450Normalize, 1, true, true},
};

void writeExtendedInexact(Writer &writer) {
  Value first = takeExact(writer);
  unsigned width = writer.info(writer.scalarOf(first.type)).width;
  const InexactRow &row = writer.random().pick(ArrayRef(inexactRows));
  if (width == 64 && !row.is64)
    return writeExtendedExact(writer);
  SmallVector<Value, 3> operands{first};
  while (operands.size() < row.operands)
    operands.push_back(takeExact(writer, first.type));
  if (row.isPositive)
    for (Value &operand : operands) {
      operand = addExtended(writer, GLSLstd450FAbs, operand.type, {operand}, operand.magnitude);
      // 1.0 in the format of the width (IEEE 754).
      uint64_t bits = width == 16 ? 0x3c00 : width == 32 ? 0x3f800000 : 0x3ff0000000000000;
      Value one = splat(writer, operand.type, bits);
      operand = addResult(writer, spv::Op::OpFAdd, operand.type, {operand, one},
                          operand.magnitude + 1 < maxMagnitude ? operand.magnitude + 1 : 0);
    }
  bool toScalar = row.instruction == GLSLstd450Length || row.instruction == GLSLstd450Distance;
  addExtended(writer, row.instruction, toScalar ? writer.scalarOf(first.type) : first.type,
              operands);
}

/// A float's parts: ModfStruct, FrexpStruct, Ldexp.
void writeExtendedParts(Writer &writer) {
  Pool &pool = writer.pool();
  Value value = takeExact(writer);
  Id exponents = writer.withShapeOf(pool.intType(32, true), value.type);
  auto part = [&](Id from, Id type, unsigned index, uint32_t magnitude) {
    Id id = writer.emit(spv::Op::OpCompositeExtract, type, {fuzz::id(from), literal(index)});
    writer.add({id, type, value.isUniform, magnitude});
  };
  switch (writer.random().below(3)) {
  case 0: {
    Id type = pool.structType({value.type, value.type});
    Id both = writer.emitExtended(GLSLstd450ModfStruct, type, {value.id});
    part(both, value.type, 0, 1);
    part(both, value.type, 1, value.magnitude);
    return;
  }
  case 1: {
    if (writer.info(writer.scalarOf(value.type)).width != 32)
      return writeExtendedExact(writer);
    Id type = pool.structType({value.type, exponents});
    Id both = writer.emitExtended(GLSLstd450FrexpStruct, type, {value.id});
    part(both, value.type, 0, 0);
    part(both, exponents, 1, 0);
    return;
  }
  default: {
    if (writer.info(writer.scalarOf(value.type)).width == 64)
      return writeExtendedExact(writer);
    Value exponent = masked(writer, writer.take(exponents), 3);
    addExtended(writer, GLSLstd450Ldexp, value.type, {value, exponent},
                value.magnitude * 8 < maxMagnitude ? value.magnitude * 8 : 0);
  }
  }
}

namespace {
struct PackRow {
  unsigned pack, unpack;
  unsigned count;
  int low, high; ///< Whole numbers that the format holds without rounding.
};
} // namespace

static constexpr PackRow packRows[] = {
    {GLSLstd450PackSnorm4x8, GLSLstd450UnpackSnorm4x8, 4, -1, 1},
    {GLSLstd450PackUnorm4x8, GLSLstd450UnpackUnorm4x8, 4, 0, 1},
    {GLSLstd450PackSnorm2x16, GLSLstd450UnpackSnorm2x16, 2, -1, 1},
    {GLSLstd450PackUnorm2x16, GLSLstd450UnpackUnorm2x16, 2, 0, 1},
    {GLSLstd450PackHalf2x16, GLSLstd450UnpackHalf2x16, 2, -1000, 1000},
};

/// Packs whole numbers that the format has; unpacks them, or what some word has as its bits, which
/// is stored only.
void writeExtendedPack(Writer &writer) {
  Pool &pool = writer.pool();
  const PackRow &row = writer.random().pick(ArrayRef(packRows));
  Id u32 = pool.intType(32, false), f32 = pool.floatType(32);
  Id type = pool.vectorType(f32, row.count);
  if (row.high == 1 && writer.random().oneIn(2)) {
    addExtended(writer, row.unpack, type, {writer.take(u32)});
    return;
  }
  Value value = takeExact(writer, type);
  auto bound = [&](int number) {
    float wide = static_cast<float>(number);
    uint32_t bits = 0;
    std::memcpy(&bits, &wide, sizeof bits);
    return splat(writer, type, bits);
  };
  uint32_t magnitude = static_cast<uint32_t>(row.high);
  value = addExtended(writer, GLSLstd450FClamp, type, {value, bound(row.low), bound(row.high)},
                      magnitude);
  if (row.pack == GLSLstd450PackHalf2x16) { // A zero may have either sign, and bits decide.
    value = addExtended(writer, GLSLstd450FAbs, type, {value}, magnitude);
    value = addResult(writer, spv::Op::OpFAdd, type, {value, bound(1)}, ++magnitude);
  }
  Value packed = addExtended(writer, row.pack, u32, {value});
  addExtended(writer, row.unpack, type, {packed}, row.high == 1 ? 0 : magnitude);
}

} // namespace assay::fuzz
