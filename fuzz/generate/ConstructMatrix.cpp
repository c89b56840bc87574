// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Matrices. Products of small whole numbers are exact in whatever order they are summed; a matrix
// has a magnitude, that of its greatest component.
#include "fuzz/generate/Constructs.h"

#include "llvm/ADT/STLExtras.h"
#include <spirv/unified1/GLSL.std.450.h>

using namespace llvm;

namespace assay::fuzz {

/// Returns the magnitude, or 0 where it is too large for exact arithmetic.
static uint32_t kept(uint64_t magnitude) {
  return magnitude < maxMagnitude ? static_cast<uint32_t>(magnitude) : 0;
}

/// Returns the component type of a float in scope, or f32, so that operands fit together.
static Id floatOf(Writer &writer) {
  auto value = writer.find([&](const Value &each) {
    return writer.info(writer.scalarOf(each.type)).kind == TypeInfo::Float;
  });
  return value ? writer.scalarOf(value->type) : writer.pool().floatType(32);
}

/// Builds a matrix of exact columns; its magnitude is that of the greatest one.
static Value buildMatrix(Writer &writer, Id scalar, unsigned columns, unsigned rows) {
  Pool &pool = writer.pool();
  pool.require(spv::Capability::Matrix);
  Id column = pool.vectorType(scalar, rows);
  SmallVector<Value, 4> parts;
  uint32_t magnitude = 0;
  for (unsigned i = 0; i < columns; ++i) {
    parts.push_back(takeExact(writer, column));
    magnitude = std::max(magnitude, parts.back().magnitude);
  }
  return addResult(writer, spv::Op::OpCompositeConstruct, pool.matrixType(column, columns), parts,
                   magnitude);
}

/// Number of rows or columns: 2 to 4.
static unsigned side(Writer &writer) {
  return static_cast<unsigned>(writer.random().between(2, 4));
}

/// One in scope, or a new one.
static Value takeMatrix(Writer &writer) {
  auto value = writer.find([&](const Value &each) {
    return writer.info(each.type).kind == TypeInfo::Matrix && each.magnitude;
  });
  return value && writer.random().chance(70)
             ? *value
             : buildMatrix(writer, floatOf(writer), side(writer), side(writer));
}

/// From columns, or as the product of two vectors.
void writeMatrixBuild(Writer &writer) {
  Pool &pool = writer.pool();
  if (writer.random().oneIn(2)) {
    buildMatrix(writer, floatOf(writer), side(writer), side(writer));
    return;
  }
  Id scalar = floatOf(writer);
  Value left = takeExact(writer, pool.vectorType(scalar, side(writer)));
  Value right = takeExact(writer, pool.vectorType(scalar, side(writer)));
  addResult(writer, spv::Op::OpOuterProduct,
            pool.matrixType(left.type, writer.info(right.type).count), {left, right},
            kept(uint64_t(left.magnitude) * right.magnitude));
}

/// A matrix with whatever fits to it.
void writeMatrixProduct(Writer &writer) {
  Pool &pool = writer.pool();
  Value matrix = takeMatrix(writer);
  TypeInfo shape = writer.info(matrix.type);
  Id column = shape.element, scalar = writer.info(column).element;
  unsigned columns = shape.count, rows = writer.info(column).count;
  auto product = [&](const Value &other, unsigned terms) {
    return kept(uint64_t(matrix.magnitude) * other.magnitude * terms);
  };
  switch (writer.random().below(6)) {
  case 0:
    addResult(writer, spv::Op::OpTranspose, pool.matrixType(pool.vectorType(scalar, columns), rows),
              {matrix}, matrix.magnitude);
    return;
  case 1: {
    Value by = takeExact(writer, scalar);
    addResult(writer, spv::Op::OpMatrixTimesScalar, matrix.type, {matrix, by}, product(by, 1));
    return;
  }
  case 2: {
    Value by = takeExact(writer, pool.vectorType(scalar, columns));
    addResult(writer, spv::Op::OpMatrixTimesVector, column, {matrix, by}, product(by, columns));
    return;
  }
  case 3: {
    Value by = takeExact(writer, column);
    addResult(writer, spv::Op::OpVectorTimesMatrix, pool.vectorType(scalar, columns), {by, matrix},
              product(by, rows));
    return;
  }
  case 4: {
    Value vector = takeExact(writer, column), by = takeExact(writer, scalar);
    addResult(writer, spv::Op::OpVectorTimesScalar, column, {vector, by},
              kept(uint64_t(vector.magnitude) * by.magnitude));
    Value other = takeExact(writer, column);
    addResult(writer, spv::Op::OpDot, scalar, {vector, other},
              kept(uint64_t(vector.magnitude) * other.magnitude * rows));
    return;
  }
  default: {
    Value by = buildMatrix(writer, scalar, side(writer), columns);
    addResult(writer, spv::Op::OpMatrixTimesMatrix,
              pool.matrixType(column, writer.info(by.type).count), {matrix, by},
              product(by, columns));
  }
  }
}

/// One whose determinant is 1: ones, and whole numbers above them.
static Id triangular(Writer &writer, Id scalar, unsigned size) {
  Pool &pool = writer.pool();
  unsigned width = writer.info(scalar).width;
  Id column = pool.vectorType(scalar, size);
  SmallVector<Id, 4> columns;
  for (unsigned i = 0; i < size; ++i) {
    SmallVector<Id, 4> parts;
    for (unsigned j = 0; j < size; ++j)
      parts.push_back(j < i ? takeExact(writer, scalar).id
                            : pool.constant(scalar, floatBits(width, i == j)));
    SmallVector<Operand, 4> operands;
    for (Id part : parts)
      operands.push_back(fuzz::id(part));
    columns.push_back(writer.emit(spv::Op::OpCompositeConstruct, column, operands));
  }
  SmallVector<Operand, 4> operands;
  for (Id each : columns)
    operands.push_back(fuzz::id(each));
  return writer.emit(spv::Op::OpCompositeConstruct, pool.matrixType(column, size), operands);
}

/// A determinant, an inverse; the formula by which they are found is the implementation's.
void writeMatrixInexact(Writer &writer) {
  Id scalar = floatOf(writer);
  unsigned size = side(writer);
  if (writer.random().oneIn(2)) {
    writer.pool().require(spv::Capability::Matrix);
    Id type = writer.pool().matrixType(writer.pool().vectorType(scalar, size), size);
    Id matrix = triangular(writer, scalar, size);
    writer.add({writer.emitExtended(GLSLstd450MatrixInverse, type, {matrix}), type, false, 0});
    return;
  }
  Value matrix = buildMatrix(writer, scalar, size, size);
  writer.add({writer.emitExtended(GLSLstd450Determinant, scalar, {matrix.id}), scalar,
              matrix.isUniform, 0});
}

} // namespace assay::fuzz
