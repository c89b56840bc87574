// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products of vectors and matrices ("Arithmetic Instructions"). A matrix lies column after column.
// Sums may be taken in any order and with any products fused.
#include "oracles/machine/spirv/ops/Ops.h"

#include "support/Error.h"

using namespace llvm;
using namespace assay;
using namespace assay::reference;

namespace {
/// Result rows x columns, each a sum of \p inner products; lies in Program::lists at Inst::extra.
struct Shape {
  uint32_t rows, columns, inner;
};
/// How a matrix or vector is walked: value [row + column * columnStride].
struct Matrix {
  uint32_t rows, columns;
};
} // namespace

/// The shape of \p type. A vector is one column unless \p vectorIsRow; a scalar is 1 x 1.
static Matrix matrixOf(Decoder &decoder, spirv::Id type, bool vectorIsRow = false) {
  const spirv::Type &t = decoder.module().type(type);
  if (t.kind == spirv::TypeKind::Matrix)
    return {decoder.module().type(t.element).count, t.count};
  if (t.kind == spirv::TypeKind::Vector)
    return vectorIsRow ? Matrix{1, t.count} : Matrix{t.count, 1};
  return {1, 1};
}

/// InvalidInput where the shapes do not match or the inner dimension exceeds 4. extra: the Shape in
/// Program::lists.
template <bool LeftVectorIsRow>
static Error prepareProduct(Decoder &decoder, Operands operands, Inst &inst) {
  if (Error error = prepareIds(decoder, operands, inst))
    return error;
  Matrix left = matrixOf(decoder, decoder.typeOf(operands[0]), LeftVectorIsRow);
  Matrix right = matrixOf(decoder, decoder.typeOf(operands[1]));
  if (left.columns != right.rows || left.rows * right.columns != inst.n || left.columns > 4)
    return invalidInput("shapes do not match");
  auto &lists = decoder.program().lists;
  inst.extra = static_cast<uint32_t>(lists.size());
  lists.insert(lists.end(), {left.rows, right.columns, left.columns});
  return Error::success();
}

/// The shape that prepareProduct() has stored.
static Shape shapeOf(const Invocation &invocation, const Inst &inst) {
  const uint32_t *list = &invocation.program().lists[inst.extra];
  return {list[0], list[1], list[2]};
}

/// One element of a product: row \p a (elements \p stride apart) times column \p b.
static Scalar dotOf(const Scalar *a, size_t stride, const Scalar *b, uint32_t count,
                    const FloatRules &rules) {
  Interval x[4], y[4];
  Scalar poison = Scalar::exact(0);
  for (uint32_t i = 0; i < count; ++i) {
    const Scalar &left = a[i * stride], &right = b[i];
    if ((left.flags | right.flags) & Poison) {
      poison = inheritPoison(poison, inheritPoison(left, right));
      continue;
    }
    x[i] = intervalOf(left, rules);
    y[i] = intervalOf(right, rules);
  }
  return poison.isPoison() ? poison : scalarOf(dotProduct(x, y, count, rules), rules);
}

/// Each element is a dot product with its own rounding.
static Status multiplyMatrices(Invocation &invocation, const Inst &inst) {
  Shape shape = shapeOf(invocation, inst);
  Scalar *dst = invocation.at(inst.dst);
  const Scalar *a = invocation.at(inst.op[0]), *b = invocation.at(inst.op[1]);
  for (size_t column = 0; column < shape.columns; ++column)
    for (size_t row = 0; row < shape.rows; ++row)
      dst[column * shape.rows + row] =
          dotOf(a + row, shape.rows, b + column * shape.inner, shape.inner, inst.rules);
  return Status::Next;
}

/// A dot product is the product of a row and a column.
static Error prepareDot(Decoder &decoder, Operands operands, Inst &inst) {
  return prepareProduct<true>(decoder, operands, inst);
}

/// op[0] vector or matrix, op[1] the factor. Products may be fused with a following addition.
static Status scale(Invocation &invocation, const Inst &inst) {
  Scalar *dst = invocation.at(inst.dst);
  const Scalar *a = invocation.at(inst.op[0]), factor = *invocation.at(inst.op[1]);
  for (uint32_t i = 0; i < inst.n; ++i)
    dst[i] = fusableProduct(a[i], factor, inst.rules);
  return Status::Next;
}

/// Outer product: the right vector is a row.
static Error prepareOuter(Decoder &decoder, Operands operands, Inst &inst) {
  if (Error error = prepareIds(decoder, operands, inst))
    return error;
  inst.extra = matrixOf(decoder, decoder.typeOf(operands[0])).rows;
  return Error::success();
}

/// extra: the rows, which are the components of op[0].
static Status outerProduct(Invocation &invocation, const Inst &inst) {
  Scalar *dst = invocation.at(inst.dst);
  const Scalar *a = invocation.at(inst.op[0]), *b = invocation.at(inst.op[1]);
  for (uint32_t i = 0; i < inst.n; ++i)
    dst[i] = fusableProduct(a[i % inst.extra], b[i / inst.extra], inst.rules);
  return Status::Next;
}

/// extra: the rows of the operand.
static Error prepareTranspose(Decoder &decoder, Operands operands, Inst &inst) {
  if (Error error = prepareIds(decoder, operands, inst))
    return error;
  inst.extra = matrixOf(decoder, decoder.typeOf(operands[0])).rows;
  return Error::success();
}

/// Rows of the operand become columns; scalars are only moved.
static Status transpose(Invocation &invocation, const Inst &inst) {
  Scalar *dst = invocation.at(inst.dst);
  const Scalar *a = invocation.at(inst.op[0]);
  uint32_t rows = inst.extra, columns = inst.n / rows;
  for (uint32_t column = 0; column < columns; ++column)
    for (uint32_t row = 0; row < rows; ++row)
      dst[row * columns + column] = a[column * rows + row];
  return Status::Next;
}

ArrayRef<OpRow> reference::matrixOps() {
  using spv::Op;
  static const OpRow rows[] = {
      {uint32_t(Op::OpVectorTimesScalar), prepareIds, scale},
      {uint32_t(Op::OpMatrixTimesScalar), prepareIds, scale},
      {uint32_t(Op::OpVectorTimesMatrix), prepareProduct<true>, multiplyMatrices},
      {uint32_t(Op::OpMatrixTimesVector), prepareProduct<false>, multiplyMatrices},
      {uint32_t(Op::OpMatrixTimesMatrix), prepareProduct<false>, multiplyMatrices},
      {uint32_t(Op::OpOuterProduct), prepareOuter, outerProduct},
      {uint32_t(Op::OpDot), prepareDot, multiplyMatrices},
      {uint32_t(Op::OpTranspose), prepareTranspose, transpose},
  };
  return rows;
}
