// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Pairs of pipelines that differ by one change, for the oracle of hash chains.
#pragma once

#include "compiler/api/Pipeline.h"
#include "compiler/api/Target.h"
#include "support/Random.h"
#include "llvm/ADT/ArrayRef.h"

namespace assay {

/// What one compilation takes in.
struct PairInput {
  PipelineDescription pipeline;
  CompileOptions options;
};

struct PairMutation {
  llvm::StringRef name;
  llvm::StringRef help;
  bool isNeutral; ///< No code can depend on the change.
  /// Changes the input. False, and the input is unchanged, when there is nothing to change. The
  /// result may be invalid where the mutation is not neutral.
  bool (*apply)(PairInput &input, Random &random);
};

/// The rows of PairMutations.def, in order.
llvm::ArrayRef<PairMutation> listPairMutations();

} // namespace assay
