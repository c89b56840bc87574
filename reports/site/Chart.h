// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Charts as SVG within a page, for eyes and for screen readers: each has a name, and its numbers
// are next to it as a table.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/raw_ostream.h"
#include <string>
#include <utility>
#include <vector>

namespace assay {

struct ChartSeries {
  std::string name;
  std::vector<std::pair<double, double>> points; ///< By ascending x.
};

struct LineChart {
  std::string title; ///< No two charts of a page have the same.
  std::string xName, yName;
  std::vector<ChartSeries> series; ///< Six can be told apart; more are left out and counted.
  /// Names of the xs 0, 1, ... (nights); empty where x is a number.
  std::vector<std::string> xLabels;
  bool fromZero = true; ///< The y axis begins at 0; else a little below what is lowest.
};

/// The chart as a figure. Nothing to see is said in words.
void writeLineChart(llvm::raw_ostream &os, const LineChart &chart);

/// Bars as high as a line of text; \p name says to screen readers what they are.
void writeSparkline(llvm::raw_ostream &os, llvm::StringRef name, llvm::ArrayRef<uint64_t> values);

/// A bar of \p share (0 to 1) for a cell of a table whose number is next to it.
void writeShareBar(llvm::raw_ostream &os, double share);

/// A number for people: at most four digits that count, "12.3 k" for thousands.
std::string printAmount(double value);

} // namespace assay
