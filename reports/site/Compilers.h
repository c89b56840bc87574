// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How the code of several compilers differs within one result: that of the first of them against
// each other one's, over what passes with both.
#pragma once

#include "reports/site/Quality.h"

namespace assay {

/// One pair of compilers over the cases that both ran.
struct CompilerComparison {
  std::string base, peer; ///< "assay -O2", "aco".
  /// `before` are the peer's numbers, `now` the base's: what is helped is less with the base.
  /// Configurations are targets: "gfx1100".
  QualityDelta delta;
  std::vector<MetricTotal> overall; ///< The same of all targets, by metric.
  uint64_t cases = 0, pairs = 0;    ///< Compared; a pair is a case on a target.
  uint64_t leftOut = 0;             ///< Pairs that do not pass with both.
};

/// The metrics that all compilers count alike, in the order to show them.
llvm::ArrayRef<llvm::StringRef> comparableMetrics();

/// Of each compiler the verdicts with its highest level of optimization are taken. Empty where
/// there is one compiler.
std::vector<CompilerComparison> compareCompilers(llvm::ArrayRef<Verdict> verdicts);

} // namespace assay
