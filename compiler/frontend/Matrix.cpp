// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Vectors and matrices of chapter "Arithmetic Instructions".

#include "compiler/frontend/LinearAlgebra.h"
#include "compiler/frontend/Translator.h"
#include "support/Error.h"
#include "support/Fault.h"

using namespace llvm;
using namespace assay;
using Inst = spirv::Instruction;
using Args = ArrayRef<Value *>;

/// An array of float vectors has the same LLVM type, and counts as a matrix.
bool assay::isMatrix(Type *type) {
  auto *array = dyn_cast<ArrayType>(type);
  auto *column = array ? dyn_cast<FixedVectorType>(array->getElementType()) : nullptr;
  return column && column->getElementType()->isFloatingPointTy();
}

/// Returns the type of the elements of \p matrix.
static Type *scalarOf(Value *matrix) {
  return cast<ArrayType>(matrix->getType())->getElementType()->getScalarType();
}

unsigned assay::matrixColumns(Value *matrix) {
  return static_cast<unsigned>(cast<ArrayType>(matrix->getType())->getNumElements());
}

unsigned assay::matrixRows(Value *matrix) {
  Type *column = cast<ArrayType>(matrix->getType())->getElementType();
  return cast<FixedVectorType>(column)->getNumElements();
}

Value *assay::matrixElement(Builder &builder, Value *matrix, unsigned column, unsigned row) {
  return builder.CreateExtractElement(builder.CreateExtractValue(matrix, column), uint64_t(row));
}

/// Adds the products in ascending order of components. Scalars give their product.
Value *assay::createDot(Builder &builder, Value *x, Value *y) {
  Value *products = builder.CreateFMul(x, y);
  auto *vector = dyn_cast<FixedVectorType>(products->getType());
  if (!vector)
    return products;
  Value *sum = builder.CreateExtractElement(products, uint64_t(0));
  for (uint64_t i = 1; i < vector->getNumElements(); ++i)
    sum = builder.CreateFAdd(sum, builder.CreateExtractElement(products, i));
  return sum;
}

/// Returns \p scalar in all components of the type \p vector.
static Value *splat(Builder &builder, Value *scalar, Type *vector) {
  return builder.CreateVectorSplat(cast<FixedVectorType>(vector)->getNumElements(), scalar);
}

/// Adds the columns in ascending order, each multiplied by its component of \p vector.
Value *assay::createMatrixTimesVector(Builder &builder, Value *matrix, Value *vector) {
  Value *sum = nullptr;
  for (unsigned column = 0; column < matrixColumns(matrix); ++column) {
    Value *part = builder.CreateExtractValue(matrix, column);
    Value *factor = builder.CreateExtractElement(vector, uint64_t(column));
    Value *product = builder.CreateFMul(part, splat(builder, factor, part->getType()));
    sum = sum ? builder.CreateFAdd(sum, product) : product;
  }
  return sum;
}

/// Element by element; row r of the result's columns is column r of \p matrix.
Value *assay::createTranspose(Builder &builder, Value *matrix) {
  unsigned columns = matrixColumns(matrix);
  unsigned rows = matrixRows(matrix);
  auto *column = FixedVectorType::get(scalarOf(matrix), columns);
  Value *result = PoisonValue::get(ArrayType::get(column, rows));
  for (unsigned row = 0; row < rows; ++row) {
    Value *vector = PoisonValue::get(column);
    for (unsigned i = 0; i < columns; ++i)
      vector =
          builder.CreateInsertElement(vector, matrixElement(builder, matrix, i, row), uint64_t(i));
    result = builder.CreateInsertValue(result, vector, row);
  }
  return result;
}

/// Applies \p make to every column of \p matrix.
static Value *forEachColumn(Builder &builder, Value *matrix, function_ref<Value *(Value *)> make) {
  Value *result = nullptr;
  for (unsigned i = 0; i < matrixColumns(matrix); ++i) {
    Value *column = make(builder.CreateExtractValue(matrix, i));
    if (!result)
      result = PoisonValue::get(ArrayType::get(column->getType(), matrixColumns(matrix)));
    result = builder.CreateInsertValue(result, column, i);
  }
  return result;
}

/// Returns whether \p value is a vector of \p count times \p scalar.
static bool isVectorOf(Value *value, Type *scalar, unsigned count) {
  auto *type = dyn_cast<FixedVectorType>(value->getType());
  return type && type->getElementType() == scalar && type->getNumElements() == count;
}

/// Returns the error for operands that do not go together.
static Error misfit() {
  return invalidInput("the shapes of its operands do not fit");
}

static Expected<Value *> dot(Translator &t, const Inst &, Args args) {
  return createDot(t.builder(), args[0], args[1]);
}

/// InvalidInput unless the vector's components have the scalar's type.
static Expected<Value *> vectorTimesScalar(Translator &t, const Inst &, Args args) {
  auto *vector = dyn_cast<FixedVectorType>(args[0]->getType());
  if (!vector || !args[1]->getType()->isFloatingPointTy() ||
      vector->getElementType() != args[1]->getType())
    return misfit();
  return t.builder().CreateFMul(args[0], splat(t.builder(), args[1], vector));
}

/// InvalidInput unless the scalar has the type of the elements.
static Expected<Value *> matrixTimesScalar(Translator &t, const Inst &, Args args) {
  if (!isMatrix(args[0]->getType()) || args[1]->getType() != scalarOf(args[0]))
    return misfit();
  Builder &builder = t.builder();
  return forEachColumn(builder, args[0], [&](Value *column) {
    return builder.CreateFMul(column, splat(builder, args[1], column->getType()));
  });
}

/// InvalidInput unless the vector has a component of the same type for each column.
static Expected<Value *> matrixTimesVector(Translator &t, const Inst &, Args args) {
  if (!isMatrix(args[0]->getType()) ||
      !isVectorOf(args[1], scalarOf(args[0]), matrixColumns(args[0])))
    return misfit();
  return createMatrixTimesVector(t.builder(), args[0], args[1]);
}

/// Returns the row vector: component i is the dot product of the vector and column i.
static Expected<Value *> vectorTimesMatrix(Translator &t, const Inst &, Args args) {
  if (!isMatrix(args[1]->getType()) || !isVectorOf(args[0], scalarOf(args[1]), matrixRows(args[1])))
    return misfit();
  Builder &builder = t.builder();
  unsigned columns = matrixColumns(args[1]);
  Value *result = PoisonValue::get(FixedVectorType::get(scalarOf(args[1]), columns));
  for (unsigned i = 0; i < columns; ++i) {
    Value *component = createDot(builder, args[0], builder.CreateExtractValue(args[1], i));
    result = builder.CreateInsertElement(result, component, uint64_t(i));
  }
  return result;
}

/// Column i of the result is the left matrix times column i of the right one.
static Expected<Value *> matrixTimesMatrix(Translator &t, const Inst &, Args args) {
  if (!isMatrix(args[0]->getType()) || !isMatrix(args[1]->getType()) ||
      scalarOf(args[0]) != scalarOf(args[1]) || matrixColumns(args[0]) != matrixRows(args[1]))
    return misfit();
  Builder &builder = t.builder();
  auto [left, right] = std::pair(args[0], args[1]);
  if (left->getType() == right->getType() && faultPlanted(Fault::MatrixOrder))
    std::swap(left, right);
  return forEachColumn(builder, right, [&, left = left](Value *column) {
    return createMatrixTimesVector(builder, left, column);
  });
}

/// Column i of the result is the left vector times component i of the right one.
static Expected<Value *> outerProduct(Translator &t, const Inst &, Args args) {
  auto *left = dyn_cast<FixedVectorType>(args[0]->getType());
  auto *right = dyn_cast<FixedVectorType>(args[1]->getType());
  if (!left || !right || left->getElementType() != right->getElementType() ||
      !left->getElementType()->isFloatingPointTy())
    return misfit();
  Builder &builder = t.builder();
  Value *result = PoisonValue::get(ArrayType::get(left, right->getNumElements()));
  for (unsigned i = 0; i < right->getNumElements(); ++i) {
    Value *factor = builder.CreateExtractElement(args[1], uint64_t(i));
    Value *column = builder.CreateFMul(args[0], splat(builder, factor, left));
    result = builder.CreateInsertValue(result, column, i);
  }
  return result;
}

/// InvalidInput unless the operand is a matrix.
static Expected<Value *> transpose(Translator &t, const Inst &, Args args) {
  if (!isMatrix(args[0]->getType()))
    return misfit();
  return createTranspose(t.builder(), args[0]);
}

/// Free where operands differ in shape; the handlers check them.
static constexpr OpcodeRow MatrixRows[] = {
    {spv::Op::OpDot, 2, Shape::FloatVectors, dot},
    {spv::Op::OpVectorTimesScalar, 2, Shape::Free, vectorTimesScalar},
    {spv::Op::OpMatrixTimesScalar, 2, Shape::Free, matrixTimesScalar},
    {spv::Op::OpVectorTimesMatrix, 2, Shape::Free, vectorTimesMatrix},
    {spv::Op::OpMatrixTimesVector, 2, Shape::Free, matrixTimesVector},
    {spv::Op::OpMatrixTimesMatrix, 2, Shape::Free, matrixTimesMatrix},
    {spv::Op::OpOuterProduct, 2, Shape::Free, outerProduct},
    {spv::Op::OpTranspose, 1, Shape::Free, transpose},
};

ArrayRef<OpcodeRow> assay::matrixOpcodes() {
  return MatrixRows;
}
