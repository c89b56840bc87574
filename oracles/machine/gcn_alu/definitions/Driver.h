// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Asks a kernel and its definition the same questions: awkward values against awkward values, then
// random ones, in every setting that may matter.
#pragma once

#include "oracles/machine/gcn_alu/definitions/Definition.h"

namespace assay::gcn::definitions {

/// Values of \p kind at which operations change their ways: ends of ranges, shift amounts, patterns
/// of bits; of floats also denormals, infinities, NaNs, halves and neighbours of 1.
llvm::ArrayRef<uint64_t> edgeValues(OperandKind kind);

/// One question on which kernel and definition disagree, as text.
using Disagreement = std::optional<std::string>;

/// Compares \p kernel with \p ready on generation \p gfxMajor. Always the same questions.
/// \p thoroughness: random questions next to the edges.
Disagreement compareKernel(AluFunction kernel, const ReadyDefinition &ready, unsigned gfxMajor,
                           unsigned thoroughness = 2000);

/// "" or in what the operands and flags of \p row are not those of its definition.
std::string compareShape(const AluOp &row, const Shape &shape);

} // namespace assay::gcn::definitions
