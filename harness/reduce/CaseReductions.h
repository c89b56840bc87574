// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reductions of what stands around the modules of a case.
#pragma once

#include "harness/reduce/Reduction.h"

namespace assay {

/// A row of the table; find and apply as in fuzz::ProgramReduction.
struct CaseReduction {
  llvm::StringLiteral name;
  std::vector<fuzz::Chance> (*find)(const Subject &subject);
  void (*apply)(Subject &subject, llvm::ArrayRef<fuzz::Chance> chances);
};

/// All of them, in the order in which they are tried: first those that remove the most.
llvm::ArrayRef<CaseReduction> caseReductions();

/// Reductions of modules that need to know the case around them: for when what modules alone may
/// lose is gone.
llvm::ArrayRef<CaseReduction> mixedReductions();

} // namespace assay
