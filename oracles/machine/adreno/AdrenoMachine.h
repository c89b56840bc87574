// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The machine "adreno": runs the machine code of Mesa's turnip on a model of an Adreno GPU.
#pragma once

#include "oracles/api/Machine.h"
#include "oracles/machine/adreno/Arithmetic.h"
#include <memory>
#include <set>
#include <utility>

namespace assay {

/// Where runs have been.
struct AdrenoCoverage {
  /// Which instruction after which; ~0 is before the first one.
  using Edges = std::set<std::pair<uint32_t, uint32_t>>;
  /// Of all waves that have run the code of one pipeline.
  struct Pipeline {
    Edges fibers;              ///< Of a fiber.
    Edges waves;               ///< Of a wave, which runs groups of fibers in some order.
    std::set<uint32_t> active; ///< Instructions that predication did not take from all fibers.
  };
  std::vector<Pipeline> pipelines;
};

/// A machine for \p target ("a630"). Unsupported for a chip without merged registers or without a
/// table. \p coverage: gets what runs execute; null: not recorded. \p arithmetic: what the sources
/// leave open.
llvm::Expected<std::unique_ptr<Machine>>
createAdrenoMachine(llvm::StringRef target, AdrenoCoverage *coverage = nullptr,
                    const adreno::Arithmetic &arithmetic = {});

} // namespace assay
