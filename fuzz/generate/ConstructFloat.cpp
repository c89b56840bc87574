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

void writeFloatCompare(Writer &writer) {
  static constexpr spv::Op relations[] = {
      spv::Op::OpFOrdEqual,         spv::Op::OpFOrdNotEqual,   spv::Op::OpFUnordEqual,
      spv::Op::OpFOrdLessThan,      spv::Op::OpFUnordLessThan, spv::Op::OpFOrdGreaterThan,
      spv::Op::OpFOrdLessThanEqual, spv::Op::OpFUnordNotEqual, spv::Op::OpFUnordGreaterThanEqual};
  Value left = takeExact(writer);
  Value right =
      writer.random().oneIn(4) ? writer.constant(left.type) : takeExact(writer, left.type);
  addResult(writer, writer.random().pick(ArrayRef(relations)), writer.boolLike(left.type),
            {left, right});
}

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

} // namespace assay::fuzz
