// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The machine "adreno": runs the machine code of Mesa's turnip on a model of an Adreno GPU.
#pragma once

#include "oracles/api/Machine.h"
#include "oracles/machine/adreno/Arithmetic.h"
#include <memory>
#include <set>
#include <utility>

namespace assay {

/// Which instructions fibers execute after which, by pipeline. A fiber comes from ~0 at its start.
struct AdrenoCoverage {
  std::vector<std::set<std::pair<uint32_t, uint32_t>>> edges;
};

/// A machine for \p target ("a630"). Unsupported for a chip without merged registers or without a
/// table. \p coverage: gets what runs execute; null: nobody asks. \p arithmetic: what the sources
/// leave open.
llvm::Expected<std::unique_ptr<Machine>>
createAdrenoMachine(llvm::StringRef target, AdrenoCoverage *coverage = nullptr,
                    const adreno::Arithmetic &arithmetic = {});

} // namespace assay
