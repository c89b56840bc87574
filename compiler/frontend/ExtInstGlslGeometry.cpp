// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// GLSL.std.450: vectors as geometry, determinants and inverses of matrices.

#include "compiler/frontend/ExtInst.h"
#include "compiler/frontend/LinearAlgebra.h"
#include "support/Error.h"
#include <spirv/unified1/GLSL.std.450.h>

using namespace llvm;
using namespace assay;
using Inst = spirv::Instruction;
using Args = ArrayRef<Value *>;

/// Returns \p scalar in each component of a vector as long as \p like; the scalar itself where \p
/// like is one.
static Value *splatLike(Builder &builder, Value *scalar, Value *like) {
  auto *vector = dyn_cast<FixedVectorType>(like->getType());
  return vector ? builder.CreateVectorSplat(vector->getNumElements(), scalar) : scalar;
}

/// Returns the Euclidean length of a vector, or the magnitude of a scalar. The squares may
/// overflow.
static Value *createLength(Builder &builder, Value *x) {
  if (!x->getType()->isVectorTy())
    return builder.CreateUnaryIntrinsic(Intrinsic::fabs, x);
  return createSqrt(builder, createDot(builder, x, x));
}

static Expected<Value *> length(Translator &t, const Inst &, Args args) {
  return createLength(t.builder(), args[0]);
}

/// Returns |a - b|, of scalars or vectors.
static Expected<Value *> distance(Translator &t, const Inst &, Args args) {
  return createLength(t.builder(), t.builder().CreateFSub(args[0], args[1]));
}

/// Returns x / |x|: for vectors as a product with the inverse square root, as Vulkan derives it.
static Expected<Value *> normalize(Translator &t, const Inst &, Args args) {
  Builder &builder = t.builder();
  if (!args[0]->getType()->isVectorTy())
    return builder.createFDiv(args[0], createLength(builder, args[0]));
  Value *factor = builder.createInverseSqrt(createDot(builder, args[0], args[0]));
  return builder.CreateFMul(args[0], splatLike(builder, factor, args[0]));
}

/// InvalidInput unless the operands have three components.
static Expected<Value *> cross(Translator &t, const Inst &, Args args) {
  auto *vector = dyn_cast<FixedVectorType>(args[0]->getType());
  if (!vector || vector->getNumElements() != 3)
    return invalidInput("its operands are no vectors of three components");
  Builder &builder = t.builder();
  constexpr int Next[] = {1, 2, 0};
  constexpr int Last[] = {2, 0, 1};
  auto turn = [&](Value *x, ArrayRef<int> order) { return builder.CreateShuffleVector(x, order); };
  Value *left = builder.CreateFMul(turn(args[0], Next), turn(args[1], Last));
  Value *right = builder.CreateFMul(turn(args[1], Next), turn(args[0], Last));
  return builder.CreateFSub(left, right);
}

/// N where I comes towards the surface of normal Nref.
static Expected<Value *> faceForward(Translator &t, const Inst &, Args args) {
  Builder &builder = t.builder();
  Value *product = createDot(builder, args[2], args[1]);
  Value *faces = builder.CreateFCmpOLT(product, floatLike(product, 0.0));
  return builder.CreateSelect(faces, args[0], builder.CreateFNeg(args[0]));
}

/// Operands: incident I, normal N. Returns I - 2 * dot(N, I) * N; N is taken as normalized.
static Expected<Value *> reflect(Translator &t, const Inst &, Args args) {
  Builder &builder = t.builder();
  Value *product = createDot(builder, args[1], args[0]);
  Value *twice = builder.CreateFMul(product, floatLike(product, 2.0));
  return builder.CreateFSub(args[0],
                            builder.CreateFMul(splatLike(builder, twice, args[1]), args[1]));
}

/// 0 on total reflection.
static Expected<Value *> refract(Translator &t, const Inst &, Args args) {
  Builder &builder = t.builder();
  Value *eta = args[2];
  if (args[0]->getType() != args[1]->getType() || !args[0]->getType()->isFPOrFPVectorTy() ||
      eta->getType()->isVectorTy() || !eta->getType()->isFPOrFPVectorTy())
    return invalidInput("its operands do not fit");
  // The specification has them of one type; GLSL's eta is a float even for doubles.
  eta = builder.CreateFPCast(eta, args[0]->getType()->getScalarType());
  Value *product = createDot(builder, args[1], args[0]);
  Value *one = floatLike(eta, 1.0);
  Value *sine = builder.CreateFSub(one, builder.CreateFMul(product, product));
  Value *k = builder.CreateFSub(one, builder.CreateFMul(builder.CreateFMul(eta, eta), sine));
  Value *isTotal = builder.CreateFCmpOLT(k, floatLike(k, 0.0));
  // The root of a negative k is not used. Selecting 0 for it would cost the root its !fpmath: LLVM
  // drops it where it joins the two selects.
  Value *root = createSqrt(builder, k);
  Value *factor = builder.CreateFAdd(builder.CreateFMul(eta, product), root);
  Value *bent =
      builder.CreateFSub(builder.CreateFMul(splatLike(builder, eta, args[0]), args[0]),
                         builder.CreateFMul(splatLike(builder, factor, args[1]), args[1]));
  return builder.CreateSelect(isTotal, floatLike(args[0], 0.0), bent);
}

/// A square matrix taken apart: element(column, row).
class SquareMatrix {
public:
  SquareMatrix(Builder &builder, Value *matrix)
      : m_builder(builder), m_size(matrixColumns(matrix)) {
    for (unsigned column = 0; column < m_size; ++column)
      for (unsigned row = 0; row < m_size; ++row)
        m_elements[column][row] = matrixElement(builder, matrix, column, row);
  }

  unsigned size() const { return m_size; }
  Type *scalar() const { return m_elements[0][0]->getType(); }

  /// Determinant of the part in \p columns and \p rows, by its first column.
  Value *determinant(ArrayRef<unsigned> columns, ArrayRef<unsigned> rows) {
    if (columns.size() == 1)
      return m_elements[columns[0]][rows[0]];
    Value *sum = nullptr;
    for (unsigned i = 0; i < rows.size(); ++i) {
      Value *minor = determinant(columns.drop_front(), without(rows, i));
      Value *product = m_builder.CreateFMul(m_elements[columns[0]][rows[i]], minor);
      if (!sum)
        sum = product;
      else
        sum = i % 2 ? m_builder.CreateFSub(sum, product) : m_builder.CreateFAdd(sum, product);
    }
    return sum;
  }

  /// Returns the signed minor at this place: the determinant without that column and row, negated
  /// where column + row is odd. It is 1 for a matrix of one element.
  Value *cofactor(unsigned column, unsigned row) {
    if (m_size == 1)
      return floatConstant(scalar(), 1.0);
    SmallVector<unsigned, 4> all = indices();
    Value *minor = determinant(without(all, column), without(all, row));
    return (column + row) % 2 ? m_builder.CreateFNeg(minor) : minor;
  }

  /// All columns, or rows: 0 to size() - 1.
  SmallVector<unsigned, 4> indices() const {
    SmallVector<unsigned, 4> all;
    for (unsigned i = 0; i < m_size; ++i)
      all.push_back(i);
    return all;
  }

private:
  /// Returns \p all without the entry at \p position.
  static SmallVector<unsigned, 4> without(ArrayRef<unsigned> all, unsigned position) {
    SmallVector<unsigned, 4> rest(all);
    rest.erase(rest.begin() + position);
    return rest;
  }

  Builder &m_builder;
  unsigned m_size;
  Value *m_elements[4][4] = {};
};

/// Returns whether \p matrix is a float matrix with as many columns as rows.
static bool isSquare(Value *matrix) {
  return isMatrix(matrix->getType()) && matrixColumns(matrix) == matrixRows(matrix);
}

/// Expands along columns; matrices have up to four of them.
static Expected<Value *> determinant(Translator &t, const Inst &, Args args) {
  if (!isSquare(args[0]))
    return invalidInput("its operand is no square matrix");
  SquareMatrix matrix(t.builder(), args[0]);
  return matrix.determinant(matrix.indices(), matrix.indices());
}

/// The transposed cofactors over the determinant.
static Expected<Value *> matrixInverse(Translator &t, const Inst &, Args args) {
  if (!isSquare(args[0]))
    return invalidInput("its operand is no square matrix");
  Builder &builder = t.builder();
  SquareMatrix matrix(builder, args[0]);
  Value *whole = matrix.determinant(matrix.indices(), matrix.indices());
  Value *result = PoisonValue::get(args[0]->getType());
  for (unsigned column = 0; column < matrix.size(); ++column) {
    Value *vector = PoisonValue::get(FixedVectorType::get(matrix.scalar(), matrix.size()));
    for (unsigned row = 0; row < matrix.size(); ++row)
      vector = builder.CreateInsertElement(vector, matrix.cofactor(row, column), uint64_t(row));
    vector = builder.createFDiv(vector, splatLike(builder, whole, vector));
    result = builder.CreateInsertValue(result, vector, column);
  }
  return result;
}

/// Free where operands differ in type: matrices, and eta of Refract.
static constexpr ExtInstRow Rows[] = {
    {GLSLstd450Determinant, 1, Shape::Free, "Determinant", determinant},
    {GLSLstd450MatrixInverse, 1, Shape::Free, "MatrixInverse", matrixInverse},
    {GLSLstd450Length, 1, Shape::FloatToAny, "Length", length},
    {GLSLstd450Distance, 2, Shape::FloatToAny, "Distance", distance},
    {GLSLstd450Cross, 2, Shape::Float, "Cross", cross},
    {GLSLstd450Normalize, 1, Shape::Float, "Normalize", normalize},
    {GLSLstd450FaceForward, 3, Shape::Float, "FaceForward", faceForward},
    {GLSLstd450Reflect, 2, Shape::Float, "Reflect", reflect},
    {GLSLstd450Refract, 3, Shape::Free, "Refract", refract},
};

ArrayRef<ExtInstRow> assay::glslGeometryRows() {
  return Rows;
}
