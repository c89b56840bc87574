// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/ir3/select/ImageShapes.h"

using namespace llvm;
using namespace assay;
using namespace assay::ir3;

/// By the number of the dimension in the ops.
static constexpr ir3::ImageShape shapes[imageDimCount] = {
    {1, 1, false, false, 1}, // 1D
    {2, 2, false, false, 2}, // 2D
    {3, 3, false, false, 3}, // 3D
    {3, 2, false, true, 3},  // Cube
    {1, 1, true, false, 2},  // 1D array
    {2, 2, true, false, 3},  // 2D array
    {3, 2, true, true, 3},   // Cube array
    {2, 2, false, false, 0}, // 2D multisampled
    {2, 2, true, false, 0},  // 2D array multisampled
    {1, 1, false, false, 1}, // Buffer
};

/// The result lives as long as the program.
const ir3::ImageShape *ir3::findShape(Selector &selector, const llvm::Instruction &inst,
                                      uint64_t dim) {
  if (dim < imageDimCount && shapes[dim].texel)
    return &shapes[dim];
  selector.fail(inst, "a multisampled image");
  return nullptr;
}

/// Only the width and the kind of the scalar count. \p isSigned is ignored for floats.
std::optional<ir3::Type> ir3::texelType(Selector &selector, const llvm::Instruction &inst,
                                        const llvm::Type *type, bool isSigned) {
  if (type->getScalarSizeInBits() == 32)
    return type->getScalarType()->isFloatTy() ? F32 : isSigned ? S32 : U32;
  if (type->isStructTy())
    selector.fail(inst, "residency of texels");
  else
    selector.fail(inst, "a texel of " + Twine(type->getScalarSizeInBits()) + " bits");
  return std::nullopt;
}

/// A collect needs consecutive registers; register allocation provides them.
Register ir3::joinRegisters(Selector &selector, ArrayRef<Register> values) {
  return values.size() == 1 ? values[0] : selector.builder().collect(values)->value();
}

/// Components that the op has and the instruction does not write are undefined.
void ir3::setResults(Selector &selector, const llvm::Instruction &op, ir3::Instruction *access) {
  Scalars results;
  if (access->dst().size == 1)
    results.push_back(access->value());
  else
    for (ir3::Instruction *part : selector.builder().splitAll(access))
      results.push_back(part->value());
  results.resize(countScalars(op.getType()), Register::undefined());
  selector.set(&op, std::move(results));
}
