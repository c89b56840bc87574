// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/cli/SanitizerList.h"

#include "oracles/machine/gcn/HazardTable.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace assay;

/// GFX IP version of a chip number: 103 is GFX10.3.
static std::string chipName(gcn::ChipNumber chip) {
  return "GFX" + std::to_string(chip / 10) + "." + std::to_string(chip % 10);
}

std::string assay::printSanitizersAsText() {
  std::string text;
  raw_string_ostream os(text);
  for (auto [index, rule] : enumerate(gcn::sanitizerRules())) {
    os << rule.id << ": " << rule.title << ": " << rule.explanation
       << (rule.endsRun ? "; ends the run" : "") << "\n";
    for (const gcn::HazardRow &row : gcn::hazardRows()) {
      if (unsigned(row.rule) != index)
        continue;
      const gcn::HazardFact &fact = row.fact();
      os << "    " << chipName(fact.firstChip);
      if (fact.lastChip != fact.firstChip)
        os << " to " << chipName(fact.lastChip);
      os << "; " << fact.source << "\n";
    }
  }
  return text;
}

std::string assay::printSanitizersAsJson() {
  std::string text;
  raw_string_ostream os(text);
  json::OStream json(os, /*IndentSize=*/1);
  json.object([&] {
    json.attribute("schema", "assay.sanitizers/1");
    json.attributeArray("rules", [&] {
      for (auto [index, rule] : enumerate(gcn::sanitizerRules())) {
        json.object([&, number = index, text = rule] {
          json.attribute("id", text.id);
          json.attribute("title", text.title);
          json.attribute("explanation", text.explanation);
          json.attribute("ends_run", text.endsRun);
          json.attributeArray("rows", [&] {
            for (const gcn::HazardRow &row : gcn::hazardRows())
              if (unsigned(row.rule) == number)
                json.object([&] {
                  json.attribute("first", chipName(row.fact().firstChip));
                  json.attribute("last", chipName(row.fact().lastChip));
                  json.attribute("source", row.fact().source);
                });
          });
        });
      }
    });
  });
  json.flush();
  os << "\n";
  return text;
}
