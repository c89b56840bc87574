// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where a campaign's folder keeps the case of a finding.
#pragma once

#include "oracles/api/Verdict.h"
#include "llvm/ADT/StringRef.h"

namespace assay {

/// Makes \p verdict's rerun line name the place, below the campaign's folder, where finding \p id
/// keeps its case, instead of \p path, where it ran.
void relocateVerdict(Verdict &verdict, llvm::StringRef path, llvm::StringRef id);

} // namespace assay
