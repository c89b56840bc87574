// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where a campaign's folder keeps the case of a finding.
#pragma once

#include "oracles/api/Verdict.h"
#include "llvm/ADT/StringRef.h"

namespace assay {

/// The place, below the campaign's folder, where finding \p id keeps its case.
std::string placeOfFinding(llvm::StringRef id);

/// Makes \p verdict's rerun line name the file \p to, where it names \p from.
void relocateVerdict(Verdict &verdict, llvm::StringRef from, llvm::StringRef to);

} // namespace assay
