// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/cli/SanitizerList.h"

#include "oracles/machine/gcn/sanitizer/HazardTable.h"
#include "oracles/pal_elf/rules/Rules.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace assay;

/// GFX IP version of a chip number: 103 is GFX10.3.
static std::string chipName(gcn::ChipNumber chip) {
  return "GFX" + std::to_string(chip / 10) + "." + std::to_string(chip % 10);
}

/// The ids in \p known that are spelled like \p id or begin with the same word, best first.
static std::string suggestRules(StringRef id, ArrayRef<StringRef> known) {
  constexpr unsigned MostSuggestions = 3, MostEdits = 3;
  SmallVector<std::pair<unsigned, StringRef>> near;
  StringRef family = id.take_front(id.find('-') + 1);
  for (StringRef candidate : known) {
    unsigned distance = candidate.edit_distance(id, /*AllowReplacements=*/true);
    if (distance <= MostEdits || (!family.empty() && candidate.starts_with(family)))
      near.push_back({distance, candidate});
  }
  llvm::sort(near);
  std::string text;
  for (const auto &[distance, candidate] : ArrayRef(near).take_front(MostSuggestions))
    text += (text.empty() ? "; did you mean " : ", ") + candidate.str();
  return text + (text.empty() ? "" : "?");
}

std::string assay::whyNotSkippable(const std::string &id) {
  std::vector<StringRef> known;
  for (const gcn::SanitizerRuleText &rule : gcn::sanitizerRules()) {
    if (id == rule.id && rule.endsRun)
      return "rule " + id + " ends the run: there is no result without it";
    if (!rule.endsRun)
      known.push_back(rule.id);
  }
  for (const RuleInfo *rule : listRules())
    known.push_back(rule->id);
  if (is_contained(known, id))
    return "";
  return "no rule is called '" + id + "'" + suggestRules(id, known) +
         " (assay doctor --sanitizers and assay validate-elf --list-rules list them)";
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
