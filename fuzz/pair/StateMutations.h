// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Mutations of the fixed-function state of graphics pipelines: rows of PairMutations.def. Each
// returns false for other pipelines, and where there is nothing to change.
#pragma once

#include "fuzz/pair/PairMutations.h"

namespace assay {

bool applyStateUnread(PairInput &input, Random &random);
bool applyStateTopology(PairInput &input, Random &random);
bool applyStateAttribute(PairInput &input, Random &random);
bool applyStateBinding(PairInput &input, Random &random);
bool applyStateRasterization(PairInput &input, Random &random);
bool applyStateSamples(PairInput &input, Random &random);
bool applyStateCoverage(PairInput &input, Random &random);
bool applyStateSampleShading(PairInput &input, Random &random);
bool applyStateTarget(PairInput &input, Random &random);
bool applyStateBlend(PairInput &input, Random &random);

} // namespace assay
