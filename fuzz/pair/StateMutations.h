// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Mutations of the fixed-function state of graphics pipelines: rows of PairMutations.def. Each
// returns false for other pipelines, and where there is nothing to change.
#pragma once

#include "fuzz/pair/PairMutations.h"

namespace assay {

/// Changes one piece of dynamic or fixed-function state that no generated code reads: viewport,
/// culling, depth test, blend constants, sample mask or depth bias.
bool applyStateUnread(PairInput &input, Random &random);
/// Chooses another primitive topology among points, lines and triangles.
bool applyStateTopology(PairInput &input, Random &random);
/// Changes the offset or the format of a vertex attribute.
bool applyStateAttribute(PairInput &input, Random &random);
/// Changes the stride, the input rate or the divisor of a vertex binding.
bool applyStateBinding(PairInput &input, Random &random);
/// Changes rasterizer discard, the polygon mode or the provoking vertex.
bool applyStateRasterization(PairInput &input, Random &random);
/// Chooses another number of samples among 1, 2, 4 and 8.
bool applyStateSamples(PairInput &input, Random &random);
/// Inverts alpha to coverage.
bool applyStateCoverage(PairInput &input, Random &random);
/// Inverts sample shading; a single-sampled pipeline gets 4 samples first.
bool applyStateSampleShading(PairInput &input, Random &random);
/// Chooses another format for a colour target.
bool applyStateTarget(PairInput &input, Random &random);
/// Inverts blending of a colour target and chooses its source factor.
bool applyStateBlend(PairInput &input, Random &random);

} // namespace assay
