// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Integers with more to say than one word: carries, bit fields, dot products.
#include "fuzz/generate/Constructs.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace assay::fuzz {

/// An integer of 32 bits, a scalar or vector.
static Value takeWord(Writer &writer) {
  auto value = writer.find([&](const Value &each) {
    TypeInfo scalar = writer.info(writer.scalarOf(each.type));
    return scalar.kind == TypeInfo::Int && scalar.width == 32;
  });
  return value ? *value : writer.constant(writer.pool().intType(32, false));
}

/// Two results in a structure, which may stay whole, too.
void writeWideCarry(Writer &writer) {
  Pool &pool = writer.pool();
  // All but the last want operands without a sign.
  static constexpr spv::Op operations[] = {spv::Op::OpIAddCarry, spv::Op::OpISubBorrow,
                                           spv::Op::OpUMulExtended, spv::Op::OpSMulExtended};
  Value left = takeWord(writer);
  TypeInfo scalar = writer.info(writer.scalarOf(left.type));
  spv::Op operation =
      scalar.isSigned ? spv::Op::OpSMulExtended : writer.random().pick(ArrayRef(operations));
  Value right = writer.take(left.type);
  Id type = pool.structType({left.type, left.type});
  Value both = addResult(writer, operation, type, {left, right});
  for (unsigned i = 0; i < 2; ++i)
    writer.add(
        {writer.emit(spv::Op::OpCompositeExtract, left.type, {fuzz::id(both.id), literal(i)}),
         left.type, both.isUniform, 0});
}

/// Offset and count up to 16 each: never beyond the word.
void writeWideField(Writer &writer) {
  static constexpr spv::Op operations[] = {spv::Op::OpBitFieldInsert, spv::Op::OpBitFieldSExtract,
                                           spv::Op::OpBitFieldUExtract};
  Value base = takeWord(writer);
  spv::Op operation = writer.random().pick(ArrayRef(operations));
  SmallVector<Value, 4> operands{base};
  if (operation == spv::Op::OpBitFieldInsert)
    operands.push_back(writer.take(base.type));
  for (unsigned i = 0; i < 2; ++i)
    operands.push_back(writer.takeIndex(17));
  addResult(writer, operation, base.type, operands);
}

namespace {
/// A dot product with and without a saturating accumulator, and the signedness of its vectors.
struct DotRow {
  spv::Op plain, saturating;
  bool isLeftSigned, isRightSigned;
};
} // namespace

/// By the signedness of both vectors; SPIR-V has none for unsigned times signed.
static constexpr DotRow dotRows[] = {
    {spv::Op::OpSDot, spv::Op::OpSDotAccSat, true, true},
    {spv::Op::OpUDot, spv::Op::OpUDotAccSat, false, false},
    {spv::Op::OpSUDot, spv::Op::OpSUDotAccSat, true, false},
};

/// Requires the capability for vectors of \p width bits a component; 0: four bytes packed in a
/// word.
static void requireDotInput(Writer &writer, unsigned width) {
  Pool &pool = writer.pool();
  pool.require(width == 0   ? spv::Capability::DotProductInput4x8BitPacked
               : width == 8 ? spv::Capability::DotProductInput4x8Bit
                            : spv::Capability::DotProductInputAll);
  if (width)
    pool.require(width == 8 ? spv::Capability::Int8 : spv::Capability::Int16);
}

/// Of words that hold four bytes, of vectors of four bytes, or of two halves without their
/// highest bits: the products fit into the 32 bits of the result.
void writeWideDot(Writer &writer) {
  Pool &pool = writer.pool();
  Random &random = writer.random();
  const DotRow &row = random.pick(ArrayRef(dotRows));
  pool.require(spv::Capability::DotProduct);
  static constexpr unsigned forms[] = {0, 8, 16}; // Packed, or the width of a vector's numbers.
  unsigned width = random.pick(ArrayRef(forms));
  bool isPacked = width == 0;
  SmallVector<Value, 3> operands;
  for (bool isSigned : {row.isLeftSigned, row.isRightSigned}) {
    Id type = isPacked ? pool.intType(32, isSigned)
                       : pool.vectorType(pool.intType(width, isSigned), width == 8 ? 4 : 2);
    operands.push_back(writer.take(type));
    if (width == 16) // The sum fits into the result.
      operands.back() = masked(writer, operands.back(), 0x3fff);
  }
  requireDotInput(writer, width);
  Id result = pool.intType(32, row.isLeftSigned);
  bool isSaturating = random.oneIn(3);
  if (isSaturating)
    operands.push_back(writer.take(result));
  SmallVector<Operand, 4> ids;
  bool isUniform = true;
  for (const Value &operand : operands) {
    ids.push_back(fuzz::id(operand.id));
    isUniform &= operand.isUniform;
  }
  if (isPacked)
    ids.push_back(literal(uint32_t(spv::PackedVectorFormat::PackedVectorFormat4x8Bit)));
  writer.add(
      {writer.emit(isSaturating ? row.saturating : row.plain, result, ids), result, isUniform, 0});
}

} // namespace assay::fuzz
