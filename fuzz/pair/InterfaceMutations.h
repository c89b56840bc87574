// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Mutations of what vertex and fragment shaders exchange: rows of PairMutations.def. Each returns
// false where a pipeline has not both stages, or nothing to change.
#pragma once

#include "fuzz/pair/PairMutations.h"

namespace assay {

/// Adds a float output at a free location to the vertex shader and stores a constant to it; no
/// fragment input reads it.
bool applyInterfaceAdd(PairInput &input, Random &random);
/// Moves a vertex output to a free location, so that the fragment input reads what no shader
/// writes.
bool applyInterfaceUnwritten(PairInput &input, Random &random);
/// Moves a fragment input to a free location, so that the vertex output is not read.
bool applyInterfaceUnread(PairInput &input, Random &random);
/// Removes all stores to one vertex output as a whole; the variable itself remains.
bool applyInterfaceDrop(PairInput &input, Random &random);
/// Exchanges the locations and components of two variables with equal component counts,
/// consistently in both stages.
bool applyInterfaceReorder(PairInput &input, Random &random);
/// Changes a variable between float and uint in both stages; values are bitcast, so bits are kept.
/// The input becomes Flat, as integers must be.
bool applyInterfaceRetype(PairInput &input, Random &random);
/// Gives a float input of the fragment shader another interpolation decoration, or removes the one
/// it has.
bool applyInterfaceInterpolation(PairInput &input, Random &random);
/// Moves a variable to free components of its location or of another one with the same base type,
/// in both stages.
bool applyInterfacePacking(PairInput &input, Random &random);
/// Makes all stores to one vertex output store the same constant.
bool applyInterfaceConstant(PairInput &input, Random &random);

} // namespace assay
