// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The top of a report: the result in one sentence, verdicts by state as a bar, what ran, and with
// which versions.
#pragma once

#include "reports/Report.h"

namespace assay {

/// "All 1785 verdicts pass." "3 of 1785 verdicts are wrong: 2 fail, 1 crash."
std::string describeResult(const Counts &counts);

/// "2 min 31 s", "8.2 s".
std::string printDuration(uint64_t milliseconds);

/// The states that occur as parts of a bar. It repeats what is next to it in words.
void writeTotalsBar(llvm::raw_ostream &os, const Counts &counts);

/// The result as a sentence, a bar with its key, and how much ran.
void writeResult(llvm::raw_ostream &os, const Report &report);

/// What was chosen and with which versions, if it is known, in a panel each; with headings
/// of level 2.
void writeWhatRan(llvm::raw_ostream &os, const Report &report);

/// Verdicts by state, a row a configuration; of one configuration nothing.
void writeConfigurationTable(llvm::raw_ostream &os, const Report &report);

} // namespace assay
