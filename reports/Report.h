// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a run of the laboratory found, as one value, and the writers of it: text for people, JSON
// and JUnit for machines, HTML for a browser.
#pragma once

#include "oracles/api/Verdict.h"
#include "reports/triage/Symptom.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"
#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace assay {

/// How many verdicts are in each state.
struct Counts {
  std::array<uint64_t, stateCount> byState = {};

  uint64_t operator[](State state) const { return byState[static_cast<size_t>(state)]; }
  void add(State state) { ++byState[static_cast<size_t>(state)]; }
  uint64_t total() const;
  uint64_t bad() const; ///< Of states that isBad().
};

/// The input of a case, for reports that show it.
struct CaseSource {
  std::string path;
  std::string text; ///< Empty for a binary input, or when it could not be read.
};

/// A buffer after a run, as text: every component of every element.
struct BufferListing {
  std::string name;
  std::string type;                ///< "float32", "vec3<int32>", "mat2x4<float32>".
  unsigned components = 1;         ///< Values per element.
  std::vector<std::string> values; ///< "undefined" where the case leaves it open.
};

/// How a result came about: what no two runs, or no two computers, have alike.
struct RunFacts {
  std::string command;                                       ///< The command line.
  std::vector<std::pair<std::string, std::string>> versions; ///< Of Assay and what it uses.
  uint64_t milliseconds = 0;                                 ///< From start to result.
  bool isKept = false; ///< It is part of the result, so that JSON has it; else for pages only.
};

/// The machine code of a case on one configuration, as text.
struct CodeListing {
  std::string configuration; ///< configurationName().
  std::string text;
};

/// Everything one command has to say. Except for `run`, nothing depends on time, addresses or the
/// machine.
struct Report {
  std::string verb;                                          ///< "diff"; names the JSON schema.
  std::vector<std::pair<std::string, std::string>> options;  ///< What was chosen; in order.
  std::vector<Verdict> verdicts;                             ///< In the order they are printed.
  std::map<std::string, CaseSource> sources;                 ///< By case id.
  std::map<std::string, std::vector<BufferListing>> buffers; ///< By case id; `run` only.
  std::map<std::string, std::vector<CodeListing>> code;      ///< By case id; for pages.
  std::optional<std::vector<Verdict>>
      baseline; ///< What an earlier result said; SARIF and Markdown.
  std::optional<RunFacts> run;
  /// Of verdicts that the owner of the cases knows, by their index: "line 3 #12" of his list. They
  /// are reported as known.
  std::map<size_t, std::string> known = {};

  Counts count() const;
  /// Without what is known.
  Counts countUnknown() const;
  /// What is known of \p verdict, one of verdicts; empty: nothing.
  llvm::StringRef knownAs(const Verdict &verdict) const;
};

/// "assay gcn gfx1100 -O2 wave32"; "reference spirv" for a verdict without a compiler.
std::string configurationName(const Verdict &verdict);

/// "buffer 'b' element 2 component 1 (byte 8): expected 2, got 3".
std::string describeDifference(const Difference &difference);

/// The statistic that --timings adds: time of processors, which no two runs take alike.
constexpr llvm::StringLiteral compileTimeMetric = "compile-microseconds";

/// "vgprs" of a statistic "vgprs", or "PIPELINE vgprs" of a case with several pipelines.
llvm::StringRef metricOf(llvm::StringRef statistic);

enum class ReportFormat { Text, Json, JsonLines, Junit, Html, Sarif, Markdown };
/// Nothing for an unknown name.
std::optional<ReportFormat> parseReportFormat(llvm::StringRef name);

struct TextStyle {
  bool color = false;
  bool verbose = false;    ///< One line per verdict even where all is well.
  bool quiet = false;      ///< Only what is bad, and the sum.
  uint64_t maxValues = 64; ///< Of a listed buffer.
};

void writeTextReport(llvm::raw_ostream &os, const Report &report, const TextStyle &style);
/// One JSON object: {"schema":"assay.VERB/1","counts":{...},"options":{...},"verdicts":[...]}.
void writeJsonReport(llvm::raw_ostream &os, const Report &report);
/// A line of the same header, then a line per verdict.
void writeJsonLinesReport(llvm::raw_ostream &os, const Report &report);
/// One test suite per configuration, one test case per case.
void writeJunitReport(llvm::raw_ostream &os, const Report &report);
/// SARIF 2.1.0: a result for each error of what is bad and each warning, one per bad verdict
/// without; the name of its bucket is its fingerprint. With a baseline, each has its baselineState,
/// and what only the baseline has is absent.
void writeSarifReport(llvm::raw_ostream &os, const Report &report);
/// For a merge request, at most 60 lines: the sum, and a table of what is bad; with a baseline of
/// what changed.
void writeMarkdownReport(llvm::raw_ostream &os, const Report &report);
/// One page that holds everything, without scripts or links to elsewhere.
void writeHtmlReport(llvm::raw_ostream &os, const Report &report);

/// Dispatches to the writer of \p format.
void writeReport(llvm::raw_ostream &os, const Report &report, ReportFormat format,
                 const TextStyle &style);

} // namespace assay
