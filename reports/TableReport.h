// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The report as one table a case, for a terminal.
#pragma once

#include "reports/Report.h"

namespace assay {

/// For each case of \p report a table of states: a row for each compiler, target, level and wave
/// size, a column for each machine. After all of them what is bad is explained, as text with
/// \p style does.
void writeTableReport(llvm::raw_ostream &os, const Report &report, TextStyle style);

} // namespace assay
