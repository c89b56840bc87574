// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Floats. Sums and products of small whole numbers are exact and may decide; everything else has
// the interval that the reference gives it, and may only be stored.
#include "fuzz/generate/Constructs.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace assay::fuzz {

/// The greatest magnitude of the result of \p operation; 0 where it is not exact any more.
static uint32_t resultMagnitude(spv::Op operation, const Value &left, const Value &right) {
  if (!left.magnitude || !right.magnitude)
    return 0;
  uint32_t magnitude = operation == spv::Op::OpFMul ? left.magnitude * right.magnitude
                                                    : left.magnitude + right.magnitude;
  return magnitude < maxMagnitude ? magnitude : 0;
}

/// Adds, subtracts, multiplies or negates. The result stays exact while its magnitude is below the
/// limit.
void writeFloatArithmetic(Writer &writer) {
  static constexpr spv::Op operations[] = {spv::Op::OpFAdd, spv::Op::OpFSub, spv::Op::OpFMul};
  Value left = takeNumeric(writer, TypeInfo::Float);
  if (writer.random().oneIn(8)) {
    addResult(writer, spv::Op::OpFNegate, left.type, {left}, left.magnitude);
    return;
  }
  Value right = writer.take(left.type);
  spv::Op operation = writer.random().pick(ArrayRef(operations));
  addResult(writer, operation, left.type, {left, right}, resultMagnitude(operation, left, right));
}

/// Compares exact floats, so that the outcome may decide control flow.
void writeFloatCompare(Writer &writer) {
  static constexpr spv::Op relations[] = {spv::Op::OpFOrdEqual,
                                          spv::Op::OpFOrdNotEqual,
                                          spv::Op::OpFUnordEqual,
                                          spv::Op::OpFOrdLessThan,
                                          spv::Op::OpFUnordLessThan,
                                          spv::Op::OpFOrdGreaterThan,
                                          spv::Op::OpFOrdLessThanEqual,
                                          spv::Op::OpFUnordNotEqual,
                                          spv::Op::OpFUnordGreaterThanEqual,
                                          spv::Op::OpFOrdGreaterThanEqual,
                                          spv::Op::OpFUnordGreaterThan,
                                          spv::Op::OpFUnordLessThanEqual};
  Value left = takeExact(writer);
  Value right =
      writer.random().oneIn(4) ? writer.constant(left.type) : takeExact(writer, left.type);
  addResult(writer, writer.random().pick(ArrayRef(relations)), writer.boolLike(left.type),
            {left, right});
}

/// Converts an integer to f32 (of its low 6 bits), to another width, or to the other signedness.
static void convertInteger(Writer &writer, const Value &value, const TypeInfo &from) {
  Pool &pool = writer.pool();
  Random &random = writer.random();
  if (random.oneIn(3)) { // To a float: small ones only, so that the result is exact.
    Id type = writer.withShapeOf(pool.floatType(32), value.type);
    spv::Op opcode = from.isSigned ? spv::Op::OpConvertSToF : spv::Op::OpConvertUToF;
    addResult(writer, opcode, type, {masked(writer, value, 0x3f)}, 0x3f);
    return;
  }
  Id to = writer.randomInt();
  TypeInfo target = writer.info(to);
  Id type = writer.withShapeOf(to, value.type);
  if (target.width == from.width) {
    if (target.isSigned != from.isSigned)
      addResult(writer, spv::Op::OpBitcast, type, {value});
    return;
  }
  // UConvert wants an unsigned result.
  addResult(writer, target.isSigned ? spv::Op::OpSConvert : spv::Op::OpUConvert, type, {value});
}

/// Converts an integer, an exact float to i32, or another float of 16 or 64 bits to f32.
void writeConvertNumber(Writer &writer) {
  Pool &pool = writer.pool();
  Value value = takeNumeric(writer, writer.random().oneIn(3) ? TypeInfo::Float : TypeInfo::Int);
  TypeInfo from = writer.info(writer.scalarOf(value.type));
  if (from.kind == TypeInfo::Int)
    return convertInteger(writer, value, from);
  if (value.magnitude) { // Whole and small: has a number.
    Id type = writer.withShapeOf(pool.intType(32, true), value.type);
    addResult(writer, spv::Op::OpConvertFToS, type, {value});
    return;
  }
  if (from.width == 32)
    return;
  addResult(writer, spv::Op::OpFConvert, writer.withShapeOf(pool.floatType(32), value.type),
            {value}, value.magnitude);
}

/// Quotients and remainders, which are stored only, of divisors that are not zero; and rounding to
/// f16, which keeps what is whole and small.
void writeFloatDivide(Writer &writer) {
  static constexpr spv::Op operations[] = {spv::Op::OpFDiv, spv::Op::OpFRem, spv::Op::OpFMod};
  Random &random = writer.random();
  Value left = takeExact(writer);
  Id scalar = writer.scalarOf(left.type);
  unsigned width = writer.info(scalar).width;
  if (width == 32 && random.oneIn(3)) {
    addResult(writer, spv::Op::OpQuantizeToF16, left.type, {left}, left.magnitude);
    return;
  }
  int divisor = static_cast<int>(random.between(1, 9)) * (random.oneIn(2) ? 1 : -1);
  Value right = splat(writer, left.type, floatBits(width, divisor));
  addResult(writer, random.pick(ArrayRef(operations)), left.type, {left, right});
}

/// Of whole numbers: whether one is infinite or NaN; and as an unsigned number.
void writeFloatClass(Writer &writer) {
  Pool &pool = writer.pool();
  Random &random = writer.random();
  Value value = takeExact(writer);
  if (random.oneIn(2)) {
    addResult(writer, random.oneIn(2) ? spv::Op::OpIsNan : spv::Op::OpIsInf,
              writer.boolLike(value.type), {value});
    return;
  }
  Value square = addResult(writer, spv::Op::OpFMul, value.type, {value, value},
                           resultMagnitude(spv::Op::OpFMul, value, value));
  if (!square.magnitude)
    return;
  addResult(writer, spv::Op::OpConvertFToU, writer.withShapeOf(pool.intType(32, false), value.type),
            {square});
}

} // namespace assay::fuzz
