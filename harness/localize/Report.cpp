// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A localisation for people and for programs.
#include "harness/localize/Localize.h"
#include "support/Count.h"
#include "support/Json.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace assay;

/// Writes nothing for an empty value.
static void writeLine(raw_ostream &os, StringRef name, StringRef value) {
  if (!value.empty())
    os << left_justify(name, 12) << value << "\n";
}

void assay::writeLocalizeText(raw_ostream &os, const Localization &result) {
  writeLine(os, "phase", result.phase.empty() ? "unknown" : result.phase);
  writeLine(os, "stage", result.stage);
  writeLine(os, "pass", result.pass);
  if (result.suspects.size() > 1)
    writeLine(os, "one of", join(result.suspects, ", "));
  writeLine(os, "function", result.function);
  writeLine(os, "instruction", result.instruction);
  writeLine(os, "wrong", result.wrong);
  writeLine(os, "operation", result.operation);
  for (const std::string &step : result.slice)
    writeLine(os, "depends on", step);
  for (const std::string &sentence : result.evidence)
    writeLine(os, "evidence", sentence);
  for (const LocalizeSearch &search : result.searches) {
    os << "\n" << search.method << ":\n";
    for (const RevisionStep &step : search.result.log)
      writeBisectStep(os, step);
    writeLine(os, "ends", search.problem.empty() ? "verified" : search.problem);
  }
  os << "\n" << countOf(result.runs, "run") << "\n";
  if (!result.difference.empty())
    os << "\n" << result.difference;
}

/// Writes one element of "searches".
static void writeSearch(json::OStream &json, const LocalizeSearch &search) {
  json.object([&] {
    json.attribute("method", search.method);
    json.attribute("ends_verified", search.problem.empty());
    writeTextAttribute(json, "problem", search.problem);
    writeTextAttribute(json, "last_good", search.result.lastGood);
    writeTextsAttribute(json, "suspects", search.result.suspects);
    json.attributeArray("log", [&] {
      for (const RevisionStep &step : search.result.log)
        json.object([&] {
          writeTextAttribute(json, "point", step.revision);
          json.attribute("state", revisionStateName(step.state));
          writeTextAttribute(json, "said", step.runs.back().said);
        });
    });
  });
}

void assay::writeLocalizeJson(raw_ostream &os, const Localization &result) {
  json::OStream json(os, /*IndentSize=*/1);
  json.object([&] {
    json.attribute("schema", "assay.localize/1");
    writeTextAttribute(json, "phase", result.phase);
    writeTextAttribute(json, "stage", result.stage);
    writeTextAttribute(json, "pass", result.pass);
    writeTextsAttribute(json, "suspects", result.suspects);
    writeTextAttribute(json, "function", result.function);
    writeTextAttribute(json, "instruction", result.instruction);
    writeTextAttribute(json, "wrong", result.wrong);
    writeTextAttribute(json, "operation", result.operation);
    writeTextsAttribute(json, "slice", result.slice);
    writeTextsAttribute(json, "evidence", result.evidence);
    json.attributeArray("searches", [&] {
      for (const LocalizeSearch &search : result.searches)
        writeSearch(json, search);
    });
    json.attribute("runs", result.runs);
    writeTextAttribute(json, "difference", result.difference);
  });
  json.flush();
  os << "\n";
}
