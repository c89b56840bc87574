// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operations on integers and bools of every width, scalars and vectors.
#include "fuzz/generate/Constructs.h"

using namespace llvm;

namespace assay::fuzz {

/// Adds, subtracts, multiplies or negates integers of any width; results wrap.
void writeIntegerArithmetic(Writer &writer) {
  static constexpr spv::Op operations[] = {spv::Op::OpIAdd, spv::Op::OpISub, spv::Op::OpIMul};
  Value left = takeNumeric(writer, TypeInfo::Int);
  if (writer.random().oneIn(8)) {
    addResult(writer, spv::Op::OpSNegate, left.type, {left});
    return;
  }
  spv::Op operation = writer.random().pick(ArrayRef(operations));
  addResult(writer, operation, left.type, {left, writer.take(left.type)});
}

/// Neither 0 nor, for signed division, -1 (of the least number it has no quotient): between 1 and
/// what half of the bits hold. Signed remainders have their meaning for negative operands, too,
/// but Vulkan wants a feature for them: the dividend loses its sign.
void writeIntegerDivision(Writer &writer) {
  static constexpr spv::Op unsignedOps[] = {spv::Op::OpUDiv, spv::Op::OpUMod};
  static constexpr spv::Op signedOps[] = {spv::Op::OpSDiv, spv::Op::OpSRem, spv::Op::OpSMod};
  Value dividend = takeNumeric(writer, TypeInfo::Int);
  TypeInfo scalar = writer.info(writer.scalarOf(dividend.type));
  uint64_t half = (uint64_t(1) << (scalar.width / 2)) - 1;
  Value divisor = masked(writer, writer.take(dividend.type), half);
  divisor = addResult(writer, spv::Op::OpBitwiseOr, dividend.type,
                      {divisor, splat(writer, dividend.type, 1)});
  if (!scalar.isSigned) {
    addResult(writer, writer.random().pick(ArrayRef(unsignedOps)), dividend.type,
              {dividend, divisor});
    return;
  }
  spv::Op operation = writer.random().pick(ArrayRef(signedOps));
  if (operation != spv::Op::OpSDiv)
    dividend = masked(writer, dividend, (uint64_t(1) << (scalar.width - 1)) - 1);
  addResult(writer, operation, dividend.type, {dividend, divisor});
}

/// Emits bitwise operations, shifts by less than the width, reversals and counts of bits.
void writeIntegerBits(Writer &writer) {
  static constexpr spv::Op binary[] = {spv::Op::OpBitwiseAnd, spv::Op::OpBitwiseOr,
                                       spv::Op::OpBitwiseXor};
  static constexpr spv::Op shifts[] = {spv::Op::OpShiftLeftLogical, spv::Op::OpShiftRightLogical,
                                       spv::Op::OpShiftRightArithmetic};
  Value value = takeNumeric(writer, TypeInfo::Int);
  unsigned width = writer.info(writer.scalarOf(value.type)).width;
  switch (writer.random().below(6)) {
  case 0:
    addResult(writer, spv::Op::OpNot, value.type, {value});
    return;
  case 1:
  case 2: { // By less than the width.
    Value amount = masked(writer, writer.take(value.type), width - 1);
    addResult(writer, writer.random().pick(ArrayRef(shifts)), value.type, {value, amount});
    return;
  }
  case 3:
    if (width == 32) { // Of other widths these want a feature of their own.
      addResult(writer, writer.random().oneIn(2) ? spv::Op::OpBitReverse : spv::Op::OpBitCount,
                value.type, {value});
      return;
    }
    [[fallthrough]];
  default:
    spv::Op operation = writer.random().pick(ArrayRef(binary));
    addResult(writer, operation, value.type, {value, writer.take(value.type)});
  }
}

/// Compares by signed or unsigned order, whatever the signedness of the type.
void writeIntegerCompare(Writer &writer) {
  static constexpr spv::Op relations[] = {
      spv::Op::OpIEqual,           spv::Op::OpINotEqual,      spv::Op::OpULessThan,
      spv::Op::OpSLessThan,        spv::Op::OpUGreaterThan,   spv::Op::OpSGreaterThan,
      spv::Op::OpULessThanEqual,   spv::Op::OpSLessThanEqual, spv::Op::OpUGreaterThanEqual,
      spv::Op::OpSGreaterThanEqual};
  Value left = takeNumeric(writer, TypeInfo::Int);
  spv::Op operation = writer.random().pick(ArrayRef(relations));
  addResult(writer, operation, writer.boolLike(left.type), {left, writer.take(left.type)});
}

/// Emits logical operations, and Any and All of vectors.
void writeBoolLogic(Writer &writer) {
  static constexpr spv::Op binary[] = {spv::Op::OpLogicalAnd, spv::Op::OpLogicalOr,
                                       spv::Op::OpLogicalEqual, spv::Op::OpLogicalNotEqual};
  Value left = takeNumeric(writer, TypeInfo::Bool);
  bool isVector = writer.info(left.type).kind == TypeInfo::Vector;
  if (isVector && writer.random().oneIn(2)) {
    addResult(writer, writer.random().oneIn(2) ? spv::Op::OpAny : spv::Op::OpAll,
              writer.pool().boolType(), {left});
    return;
  }
  if (writer.random().oneIn(4)) {
    addResult(writer, spv::Op::OpLogicalNot, left.type, {left});
    return;
  }
  spv::Op operation = writer.random().pick(ArrayRef(binary));
  addResult(writer, operation, left.type, {left, writer.take(left.type)});
}

/// Emits OpSelect by one bool, or by a vector of bools with one for each component. The result is
/// exact where both values are.
void writeSelectValue(Writer &writer) {
  Id type = writer.randomNumeric();
  Value yes = writer.take(type), no = writer.take(type);
  Value condition = writer.takeCondition();
  // One bool for all components is for SPIR-V 1.4 and later, which ours is.
  if (writer.random().oneIn(2) && writer.info(type).kind == TypeInfo::Vector)
    condition = writer.take(writer.boolLike(type));
  addResult(writer, spv::Op::OpSelect, type, {condition, yes, no},
            std::max(yes.magnitude, no.magnitude) * (yes.magnitude && no.magnitude ? 1u : 0u));
}

} // namespace assay::fuzz
