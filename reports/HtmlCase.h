// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// All about one case: the statistics of its configurations side by side, what is wrong with it, its
// script and its machine code.
#pragma once

#include "reports/HtmlMatrix.h"

namespace assay {

/// "Instructions executed" of "instructions"; a name that is not known as it is.
std::string metricTitle(llvm::StringRef metric);

/// A statistic of a verdict, of all its pipelines together: the most of registers, else the sum.
std::optional<uint64_t> sumMetric(const Verdict &verdict, llvm::StringRef metric);

/// Everything about \p of, with headings of level \p level. The script and code are in sight at
/// once where \p isOpen; the row of verdict number i is called of.anchor(i).
void writeCase(llvm::raw_ostream &os, const MatrixCase &of, const Report &report, unsigned level,
               bool isOpen);

} // namespace assay
