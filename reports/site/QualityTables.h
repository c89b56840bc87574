// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Changes of statistics as tables, and as the text that Mesa's shader-db prints: two results, or
// two compilers of one.
#pragma once

#include "reports/site/Pages.h"
#include "reports/site/Quality.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace assay {

/// What is compared, as heads of columns: "Before" and "Now", "aco" and "assay -O2".
struct QualityNames {
  std::string before, now;
};

/// A row for each of \p totals, which are sorted by metric.
void writeTotalsTable(llvm::raw_ostream &os, llvm::StringRef name,
                      llvm::ArrayRef<MetricTotal> totals, const QualityNames &names);

/// Where the page of a case is, from the page that is written; empty: it has none.
using CaseLink = llvm::function_ref<std::string(llvm::StringRef caseId)>;

/// Of \p metric the changes that hurt most and those that help most, and a text like shader-db's.
/// Nothing where nothing changed.
void writeMetricChanges(llvm::raw_ostream &os, llvm::StringRef metric, const QualityDelta &delta,
                        const QualityNames &names, CaseLink link);

/// "HURT:   case gfx1100: 10 -> 12 (+20.00%)" a change, then the totals, and how much was helped
/// and hurt at the least, the most, the mean and the median.
std::string printShaderDb(llvm::StringRef metric, const QualityDelta &delta);

/// "+1.5 %" in the colour of what it means, as a cell.
void writeChangeCell(llvm::raw_ostream &os, uint64_t before, uint64_t now);

} // namespace assay
