// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Specialization constants: scalars with or without a value from the pipeline, operations on them,
// composites and array lengths of them.
#include "fuzz/generate/Constructs.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace assay::fuzz {

/// A specialization constant of scalar type \p type with a number of its own.
static Value addScalar(Writer &writer, Id type) {
  Pool &pool = writer.pool();
  GeneratedCase &generated = writer.generated();
  TypeInfo shape = writer.info(type);
  auto bits = [&]() -> uint64_t {
    if (shape.kind == TypeInfo::Float)
      return floatBits(shape.width, static_cast<int>(writer.random().below(33)) - 16);
    uint64_t value = writer.randomBits(shape.kind == TypeInfo::Bool ? 1 : shape.width);
    return shape.width == 64 || shape.kind == TypeInfo::Bool
               ? value
               : value & ((uint64_t(1) << shape.width) - 1);
  };
  Id id = 0;
  if (shape.kind == TypeInfo::Bool) {
    id = pool.specialization(
        bits() & 1 ? spv::Op::OpSpecConstantTrue : spv::Op::OpSpecConstantFalse, type, {});
  } else {
    // Its words are those of the plain constant.
    Id plain = pool.constant(type, bits());
    SmallVector<Operand, 4> words = pool.definition(plain).operands;
    id = pool.specialization(spv::Op::OpSpecConstant, type, words);
  }
  uint32_t number = id; // Ids are distinct, and so are these.
  pool.decorate(id, spv::Decoration::SpecId, {number});
  if (writer.random().oneIn(2))
    generated.specialization.push_back({number, shape.kind == TypeInfo::Bool ? 32 : shape.width,
                                        shape.kind == TypeInfo::Bool ? bits() & 1 : bits()});
  return {id, type, true, shape.kind == TypeInfo::Float ? 16u : 0u};
}

/// Adds a scalar constant. The pipeline specializes every other one.
void writeSpecializationScalar(Writer &writer) {
  writer.add(addScalar(writer, writer.randomScalar()));
}

/// OpSpecConstantOp: a small tree. Shifts stay below the width, divisors are odd.
void writeSpecializationOperation(Writer &writer) {
  static constexpr spv::Op binary[] = {spv::Op::OpIAdd,       spv::Op::OpISub,
                                       spv::Op::OpIMul,       spv::Op::OpBitwiseOr,
                                       spv::Op::OpBitwiseXor, spv::Op::OpBitwiseAnd};
  static constexpr spv::Op relations[] = {spv::Op::OpULessThan, spv::Op::OpSLessThan,
                                          spv::Op::OpIEqual, spv::Op::OpUGreaterThanEqual,
                                          spv::Op::OpSGreaterThan};
  Pool &pool = writer.pool();
  Random &random = writer.random();
  Id type = writer.randomInt();
  TypeInfo shape = writer.info(type);
  auto operation = [&](spv::Op opcode, Id result, ArrayRef<Id> operands) {
    SmallVector<Operand, 4> words{literal(uint32_t(opcode))};
    for (Id operand : operands)
      words.push_back(fuzz::id(operand));
    return pool.specialization(spv::Op::OpSpecConstantOp, result, words);
  };
  Id left = addScalar(writer, type).id;
  Id right = random.oneIn(2) ? addScalar(writer, type).id : writer.constant(type).id;
  Id result = operation(random.pick(ArrayRef(binary)), type, {left, right});
  if (random.oneIn(2)) {
    Id amount = pool.constant(type, random.below(shape.width));
    result =
        operation(random.oneIn(2) ? spv::Op::OpShiftRightArithmetic : spv::Op::OpShiftLeftLogical,
                  type, {result, amount});
  }
  if (!shape.isSigned && random.oneIn(3)) {
    Id odd = operation(spv::Op::OpBitwiseOr, type, {right, pool.constant(type, 1)});
    result = operation(random.oneIn(2) ? spv::Op::OpUDiv : spv::Op::OpUMod, type, {result, odd});
  }
  if (random.oneIn(3)) {
    Id relation = operation(random.pick(ArrayRef(relations)), pool.boolType(), {result, left});
    writer.add({relation, pool.boolType(), true, 0});
    result = operation(spv::Op::OpSelect, type, {relation, left, result});
  }
  if (random.oneIn(3))
    result = operation(random.oneIn(2) ? spv::Op::OpNot : spv::Op::OpSNegate, type, {result});
  writer.add({result, type, true, 0});
}

/// A vector or structure of such constants; perhaps one part taken out again while still constant.
void writeSpecializationComposite(Writer &writer) {
  Pool &pool = writer.pool();
  Random &random = writer.random();
  Id scalar = writer.randomScalar();
  unsigned count = static_cast<unsigned>(random.between(2, 4));
  Id type = random.oneIn(2) ? pool.vectorType(scalar, count)
                            : pool.structType(SmallVector<Id, 4>(count, scalar));
  SmallVector<Operand, 4> parts;
  for (unsigned i = 0; i < count; ++i)
    parts.push_back(
        fuzz::id(random.oneIn(2) ? addScalar(writer, scalar).id : writer.constant(scalar).id));
  Id whole = pool.specialization(spv::Op::OpSpecConstantComposite, type, parts);
  bool isFloat = writer.info(scalar).kind == TypeInfo::Float;
  bool isVector = writer.info(type).kind == TypeInfo::Vector;
  writer.add({whole, type, true, isFloat && isVector ? 16u : 0u});
  auto index = literal(static_cast<uint32_t>(random.below(count)));
  Id part =
      pool.specialization(spv::Op::OpSpecConstantOp, scalar,
                          {literal(uint32_t(spv::Op::OpCompositeExtract)), fuzz::id(whole), index});
  writer.add({part, scalar, true, isFloat ? 16u : 0u});
}

/// A variable whose length the pipeline chooses: filled by a loop, read at any place.
void writeSpecializationArray(Writer &writer) {
  Pool &pool = writer.pool();
  Random &random = writer.random();
  constexpr auto storage = spv::StorageClass::Function;
  constexpr unsigned most = 7;
  Id u32 = pool.intType(32, false), type = writer.randomNumeric();
  auto length = [&] { return static_cast<uint32_t>(random.between(1, most)); };
  Id count = pool.specialization(spv::Op::OpSpecConstant, u32, {literal(length())});
  pool.decorate(count, spv::Decoration::SpecId, {count});
  if (random.oneIn(2))
    writer.generated().specialization.push_back({count, 32, length()});
  Id array = writer.localVariable(pool.arrayType(type, count));
  auto place = [&](Id index) {
    return writer.emit(spv::Op::OpAccessChain, pool.pointerType(storage, type),
                       {fuzz::id(array), fuzz::id(index)});
  };
  writer.loop({count, u32, true, 0}, most, [&](Value index) {
    Id to = place(index.id);
    writer.emitVoid(spv::Op::OpStore, {fuzz::id(to), fuzz::id(writer.take(type).id)});
  });
  Value value = writer.take(u32);
  Id index = writer.emit(spv::Op::OpUMod, u32, {fuzz::id(value.id), fuzz::id(count)});
  writer.add({writer.emit(spv::Op::OpLoad, type, {fuzz::id(place(index))}), type, false, 0});
}

} // namespace assay::fuzz
