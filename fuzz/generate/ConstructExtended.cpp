// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions of GLSL.std.450: those with exact results may decide, all others give floats that are
// only stored. Operands stay inside of the functions' domains.
#include "fuzz/generate/Constructs.h"

#include "llvm/ADT/STLExtras.h"
#include <cstring>
#include <spirv/unified1/GLSL.std.450.h>

using namespace llvm;

namespace assay::fuzz {

/// Emits an instruction of GLSL.std.450 and adds the result to the scope: uniform where all
/// operands are, exact only if \p magnitude is not 0.
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
/// Where operands are to be for a function to be defined, and its results in a range.
enum class Domain : uint8_t {
  Any,
  Positive, ///< At least one.
  Unit,     ///< -1, 0, 1.
  Half      ///< -1/2, 0, 1/2.
};

/// A function with results in a range.
struct InexactRow {
  unsigned instruction;
  unsigned operands; ///< Of one type.
  Domain domain;
  bool is64; ///< Takes doubles, too.
};
} // namespace

/// Results are not exact: they are stored only, and compared by the reference's intervals.
static constexpr InexactRow inexactRows[] = {
    {GLSLstd450Sqrt, 1, Domain::Positive, true},
    {GLSLstd450InverseSqrt, 1, Domain::Positive, true},
    {GLSLstd450Sin, 1, Domain::Any, false},
    {GLSLstd450Cos, 1, Domain::Any, false},
    {GLSLstd450Tan, 1, Domain::Any, false},
    {GLSLstd450Asin, 1, Domain::Unit, false},
    {GLSLstd450Acos, 1, Domain::Unit, false},
    {GLSLstd450Atan, 1, Domain::Any, false},
    {GLSLstd450Sinh, 1, Domain::Unit, false},
    {GLSLstd450Cosh, 1, Domain::Unit, false},
    {GLSLstd450Tanh, 1, Domain::Unit, false},
    {GLSLstd450Asinh, 1, Domain::Any, false},
    {GLSLstd450Acosh, 1, Domain::Positive, false},
    {GLSLstd450Atanh, 1, Domain::Half, false},
    {GLSLstd450Exp, 1, Domain::Unit, false},
    {GLSLstd450Exp2, 1, Domain::Any, false},
    {GLSLstd450Log2, 1, Domain::Positive, false},
    {GLSLstd450Log, 1, Domain::Positive, false},
    {GLSLstd450Radians, 1, Domain::Any, false},
    {GLSLstd450Degrees, 1, Domain::Any, false},
    {GLSLstd450Fract, 1, Domain::Any, true},
    {GLSLstd450Pow, 2, Domain::Positive, false},
    {GLSLstd450Atan2, 2, Domain::Positive, false},
    {GLSLstd450FMix, 3, Domain::Any, true},
    {GLSLstd450Length, 1, Domain::Positive, true},
    {GLSLstd450Distance, 2, Domain::Any, true},
    {GLSLstd450Normalize, 1, Domain::Positive, true},
};

/// Maps a small whole number into the domain by instructions with exact results.
static Value broughtInto(Writer &writer, Domain domain, Value value) {
  unsigned width = writer.info(writer.scalarOf(value.type)).width;
  Value one = splat(writer, value.type, floatBits(width, 1));
  switch (domain) {
  case Domain::Any:
    return value;
  case Domain::Positive:
    value = addExtended(writer, GLSLstd450FAbs, value.type, {value}, value.magnitude);
    return addResult(writer, spv::Op::OpFAdd, value.type, {value, one},
                     value.magnitude + 1 < maxMagnitude ? value.magnitude + 1 : 0);
  case Domain::Unit:
    return addExtended(writer, GLSLstd450FSign, value.type, {value}, 1);
  case Domain::Half: {
    // 1/2 in the format of the width (IEEE 754).
    uint64_t bits = width == 16 ? 0x3800 : width == 32 ? 0x3f000000 : 0x3fe0000000000000;
    value = addExtended(writer, GLSLstd450FSign, value.type, {value}, 1);
    return addResult(writer, spv::Op::OpFMul, value.type, {value, splat(writer, value.type, bits)});
  }
  }
  llvm_unreachable("no such domain");
}

/// Emits one of inexactRows on operands of its domain; doubles fall back to exact functions where
/// the row has no double form.
void writeExtendedInexact(Writer &writer) {
  Value first = takeExact(writer);
  unsigned width = writer.info(writer.scalarOf(first.type)).width;
  const InexactRow &row = writer.random().pick(ArrayRef(inexactRows));
  if (width == 64 && !row.is64)
    return writeExtendedExact(writer);
  SmallVector<Value, 3> operands{first};
  while (operands.size() < row.operands)
    operands.push_back(takeExact(writer, first.type));
  for (Value &operand : operands)
    operand = broughtInto(writer, row.domain, operand);
  bool toScalar = row.instruction == GLSLstd450Length || row.instruction == GLSLstd450Distance;
  addExtended(writer, row.instruction, toScalar ? writer.scalarOf(first.type) : first.type,
              operands);
}

/// Between two edges that are not one.
static void addSmoothStep(Writer &writer) {
  Value value = takeExact(writer);
  unsigned width = writer.info(writer.scalarOf(value.type)).width;
  if (width == 64)
    return;
  int low = static_cast<int>(writer.random().below(8)) - 4;
  Value from = splat(writer, value.type, floatBits(width, low));
  Value to = splat(writer, value.type, floatBits(width, low + 4));
  addExtended(writer, GLSLstd450SmoothStep, value.type, {from, to, value});
}

/// By a pointer to where the second result goes: the older forms.
static void addPartsByPointer(Writer &writer, const Value &value) {
  bool isModf = writer.random().oneIn(2);
  Id exponents = writer.withShapeOf(writer.pool().intType(32, true), value.type);
  Id type = isModf ? value.type : exponents;
  Id place = writer.localVariable(type);
  writer.add({writer.emitExtended(isModf ? GLSLstd450Modf : GLSLstd450Frexp, value.type,
                                  {value.id, place}),
              value.type, value.isUniform, isModf ? 1u : 0u});
  writer.add({writer.emit(spv::Op::OpLoad, type, {fuzz::id(place)}), type, value.isUniform,
              isModf ? value.magnitude : 0});
}

/// A float's parts: Modf, Frexp, Ldexp; and SmoothStep.
void writeExtendedParts(Writer &writer) {
  Pool &pool = writer.pool();
  Value value = takeExact(writer);
  Id exponents = writer.withShapeOf(pool.intType(32, true), value.type);
  auto part = [&](Id from, Id type, unsigned index, uint32_t magnitude) {
    Id id = writer.emit(spv::Op::OpCompositeExtract, type, {fuzz::id(from), literal(index)});
    writer.add({id, type, value.isUniform, magnitude});
  };
  switch (writer.random().below(5)) {
  case 3:
    return addSmoothStep(writer);
  case 4:
    if (writer.info(writer.scalarOf(value.type)).width == 32)
      return addPartsByPointer(writer, value);
    [[fallthrough]];
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
/// A pair of instructions between a vector of \p count floats and a 32-bit word.
struct PackRow {
  unsigned pack, unpack; ///< Instructions of GLSL.std.450.
  unsigned count;
  int low, high; ///< Whole numbers that the format holds without rounding.
};
} // namespace

/// The bounds keep every number exact through packing and unpacking.
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

/// Doubles of two words, and the words of a double.
void writeExtendedDouble(Writer &writer) {
  Pool &pool = writer.pool();
  pool.require(spv::Capability::Float64);
  Id f64 = pool.floatType(64), pair = pool.vectorType(pool.intType(32, false), 2);
  if (writer.random().oneIn(2)) { // Whatever it is, it is stored only.
    addExtended(writer, GLSLstd450PackDouble2x32, f64, {writer.take(pair)});
    return;
  }
  Value value = takeExact(writer, f64); // Bits decide: no zero, which may have either sign.
  value = addExtended(writer, GLSLstd450FAbs, f64, {value}, value.magnitude);
  Value one = splat(writer, f64, floatBits(64, 1));
  value = addResult(writer, spv::Op::OpFAdd, f64, {value, one}, value.magnitude + 1);
  addExtended(writer, GLSLstd450UnpackDouble2x32, pair, {value});
}

/// Of vectors: what turns and mirrors them.
void writeExtendedGeometry(Writer &writer) {
  Pool &pool = writer.pool();
  Random &random = writer.random();
  Id f32 = pool.floatType(32);
  Id type = pool.vectorType(f32, static_cast<unsigned>(random.between(2, 4)));
  switch (random.below(4)) {
  case 0: {
    Id three = pool.vectorType(f32, 3);
    Value a = takeExact(writer, three), b = takeExact(writer, three);
    addExtended(writer, GLSLstd450Cross, three, {a, b});
    return;
  }
  case 1: {
    Value n = takeExact(writer, type), i = takeExact(writer, type), r = takeExact(writer, type);
    addExtended(writer, GLSLstd450FaceForward, type, {n, i, r}); // A dot product decides.
    return;
  }
  case 2: {
    Value i = takeExact(writer, type), n = takeExact(writer, type);
    addExtended(writer, GLSLstd450Reflect, type, {i, n});
    return;
  }
  default: { // Along an axis, so that both are of length one.
    auto axis = static_cast<unsigned>(random.below(writer.info(type).count));
    SmallVector<Id, 4> parts(writer.info(type).count, pool.constant(f32, 0));
    parts[axis] = pool.constant(f32, floatBits(32, 1));
    Value unit{pool.constantComposite(type, parts), type, true, 1};
    Value eta{pool.constant(f32, floatBits(32, 1)), f32, true, 1};
    addExtended(writer, GLSLstd450Refract, type, {unit, unit, eta});
  }
  }
}

} // namespace assay::fuzz
