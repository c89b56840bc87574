// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Mutations of what vertex and fragment shaders exchange: rows of PairMutations.def. Each returns
// false where a pipeline has not both stages, or nothing to change.
#pragma once

#include "fuzz/pair/PairMutations.h"

namespace assay {

bool applyInterfaceAdd(PairInput &input, Random &random);
bool applyInterfaceUnwritten(PairInput &input, Random &random);
bool applyInterfaceUnread(PairInput &input, Random &random);
bool applyInterfaceDrop(PairInput &input, Random &random);
bool applyInterfaceReorder(PairInput &input, Random &random);
bool applyInterfaceRetype(PairInput &input, Random &random);
bool applyInterfaceInterpolation(PairInput &input, Random &random);
bool applyInterfacePacking(PairInput &input, Random &random);
bool applyInterfaceConstant(PairInput &input, Random &random);

} // namespace assay
