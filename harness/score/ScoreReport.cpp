// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A score as text, as a page of documentation, as JSON.
#include "harness/score/Score.h"
#include "support/Count.h"
#include "support/Json.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include <array>

using namespace llvm;
using namespace assay;

static constexpr size_t columnCount = 7;
using Cells = std::array<std::string, columnCount>;

/// Of the table in text and Markdown.
static const Cells titles = {"fault", "layer", "place", "caught by", "rule", "case", "runs"};

/// The oracles that caught the fault, or that it was missed.
static std::string nameOutcome(const FaultScore &score) {
  if (score.isCaught())
    return join(score.oracles, ", ");
  return score.reaching ? "missed" : "missed: no case reaches it";
}

/// The row of one fault, in the order of the titles.
static Cells makeCells(const FaultScore &score) {
  std::string where = score.caseId + " " + score.target;
  if (score.optLevel >= 0)
    where += " -O" + std::to_string(score.optLevel);
  return {score.fault->name.str(),
          faultLayerName(score.fault->layer).str(),
          score.fault->place.str(),
          nameOutcome(score),
          score.rule,
          score.isCaught() ? std::move(where) : "",
          std::to_string(score.runs)};
}

/// "12.5 %"; 0 of 0 is 0 %.
static std::string percent(size_t part, size_t whole) {
  return formatv("{0:F1} %",
                 whole ? 100.0 * static_cast<double>(part) / static_cast<double>(whole) : 0.0);
}

/// One sentence without its full stop.
static std::string sumUp(const Score &score) {
  return formatv("{0} of {1} planted faults are caught ({2})", score.countCaught(),
                 score.faults.size(), percent(score.countCaught(), score.faults.size()));
}

/// What was run, and how long that took.
static std::string describeTrials(const Score &score) {
  return formatv("{0} cases; {1}; {2:F0} s{3}", score.cases, join(score.configurations, ", "),
                 score.seconds, score.wasCut ? ", cut off by the time limit" : "");
}

/// A line for each verdict that is bad without a fault.
static void printNoise(raw_ostream &os, const Score &score) {
  for (const Verdict &verdict : score.noisy)
    os << "not silent without a fault: " << verdict.caseId << "  " << configurationName(verdict)
       << ": " << verdict.reason << "\n";
}

std::string assay::printScoreText(const Score &score) {
  std::vector<Cells> rows = {titles};
  for (const FaultScore &fault : score.faults)
    rows.push_back(makeCells(fault));
  std::array<size_t, columnCount> widths = {};
  for (const Cells &row : rows)
    for (size_t i = 0; i < columnCount; ++i)
      widths[i] = std::max(widths[i], row[i].size());
  std::string text;
  raw_string_ostream os(text);
  printNoise(os, score);
  for (const Cells &row : rows) {
    std::string line;
    for (size_t i = 0; i < columnCount; ++i)
      line += row[i] + std::string(widths[i] - row[i].size() + 2, ' ');
    os << StringRef(line).rtrim() << "\n";
  }
  os << "\nalone:\n";
  for (const auto &[oracle, count] : score.countByOracle())
    os << "  " << oracle << std::string(oracle.size() < 16 ? 16 - oracle.size() : 1, ' ') << count
       << " (" << percent(count, score.faults.size()) << ")\n";
  for (const FaultScore &fault : score.faults)
    if (!fault.isCaught())
      os << "missed: " << fault.fault->name << " (" << fault.fault->help << "), "
         << countOf(fault.runs, "run") << "\n";
  os << sumUp(score) << "; " << describeTrials(score) << "\n";
  return text;
}

/// Cells are not escaped.
static void printMarkdownRow(raw_ostream &os, const Cells &row) {
  for (const std::string &cell : row)
    os << "| " << cell << " ";
  os << "|\n";
}

/// Faults of one layer that \p oracle catches alone.
static size_t countIn(const Score &score, FaultLayer layer, StringRef oracle) {
  return static_cast<size_t>(count_if(score.faults, [&](const FaultScore &fault) {
    return fault.fault->layer == layer && (oracle.empty() || is_contained(fault.oracles, oracle));
  }));
}

/// Layers by oracles; layers without faults are left out.
static void printMatrix(raw_ostream &os, const Score &score) {
  auto oracles = score.countByOracle();
  os << "| layer | faults | caught ";
  for (const auto &[oracle, count] : oracles)
    os << "| " << oracle << " ";
  os << "|\n| --- | --- | --- ";
  for (size_t i = 0; i < oracles.size(); ++i)
    os << "| --- ";
  os << "|\n";
  for (size_t i = 0; i < faultLayerNames().size(); ++i) {
    auto layer = static_cast<FaultLayer>(i);
    if (countIn(score, layer, "") == 0)
      continue;
    size_t caught = static_cast<size_t>(count_if(score.faults, [&](const FaultScore &fault) {
      return fault.fault->layer == layer && fault.isCaught();
    }));
    os << "| " << faultLayerName(layer) << " | " << countIn(score, layer, "") << " | " << caught
       << " ";
    for (const auto &[oracle, count] : oracles)
      os << "| " << countIn(score, layer, oracle) << " ";
    os << "|\n";
  }
  os << "| all | " << score.faults.size() << " | " << score.countCaught() << " ";
  for (const auto &[oracle, count] : oracles)
    os << "| " << count << " ";
  os << "|\n";
}

std::string assay::printScoreMarkdown(const Score &score) {
  std::string text;
  raw_string_ostream os(text);
  os << sumUp(score) << ". " << describeTrials(score) << ".\n\n";
  printNoise(os, score);
  os << "## Alone\n\n";
  printMatrix(os, score);
  os << "\n## Each fault\n\n";
  printMarkdownRow(os, titles);
  for (size_t i = 0; i < columnCount; ++i)
    os << "| --- ";
  os << "|\n";
  for (const FaultScore &fault : score.faults)
    printMarkdownRow(os, makeCells(fault));
  return text;
}

/// Writes one element of "faults".
static void writeFault(json::OStream &json, const FaultScore &score) {
  json.object([&] {
    json.attribute("name", score.fault->name);
    json.attribute("layer", faultLayerName(score.fault->layer));
    json.attribute("place", score.fault->place);
    json.attribute("help", score.fault->help);
    json.attribute("caught", score.isCaught());
    writeTextsAttribute(json, "oracles", score.oracles);
    json.attribute("rule", score.rule);
    json.attribute("case", score.caseId);
    json.attribute("target", score.target);
    json.attribute("opt_level", score.optLevel);
    json.attribute("rerun", score.rerun);
    json.attribute("reaching", score.reaching);
    json.attribute("runs", score.runs);
    json.attribute("findings", score.findings);
    json.attribute("seconds", score.seconds);
  });
}

std::string assay::printScoreJson(const Score &score) {
  std::string text;
  raw_string_ostream os(text);
  json::OStream json(os, /*IndentSize=*/1);
  json.object([&] {
    json.attribute("schema", "assay.score/1");
    json.attribute("planted", score.faults.size());
    json.attribute("caught", score.countCaught());
    json.attribute("cases", score.cases);
    json.attribute("seconds", score.seconds);
    json.attribute("cut", score.wasCut);
    writeTextsAttribute(json, "configurations", score.configurations);
    json.attributeObject("alone", [&] {
      for (const auto &[oracle, count] : score.countByOracle())
        json.attribute(oracle, count);
    });
    json.attributeArray("noisy", [&] {
      for (const Verdict &verdict : score.noisy)
        json.value(json::fixUTF8(verdict.caseId + ": " + verdict.reason));
    });
    json.attributeArray("faults", [&] {
      for (const FaultScore &fault : score.faults)
        writeFault(json, fault);
    });
  });
  json.flush();
  os << "\n";
  return text;
}
