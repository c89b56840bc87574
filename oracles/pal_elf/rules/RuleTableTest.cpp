// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The catalogue of rules: each is explained, proven by a mutant, and is in the table of
// docs/validate-elf.md.
#include "oracles/pal_elf/mutants/MutationTesting.h"
#include "oracles/pal_elf/rules/Rules.h"
#include "support/Error.h"
#include "support/File.h"
#include "llvm/ADT/STLExtras.h"
#include <cstdlib>
#include <gtest/gtest.h>
#include <map>
#include <regex>
#include <set>

using namespace llvm;
using namespace assay;
using namespace assay::mutation;

static constexpr StringRef tableBegin = "<!-- table of rules: begin -->\n";
static constexpr StringRef tableEnd = "<!-- table of rules: end -->\n";

/// \p text in a cell of a Markdown table.
static std::string cell(StringRef text) {
  std::string result;
  for (char c : text) {
    if (c == '|')
      result += '\\';
    result += c;
  }
  return result;
}

static Severity levelSeverity(RuleLevel level) {
  return level <= RuleLevel::Error     ? Severity::Error
         : level == RuleLevel::Warning ? Severity::Warning
                                       : Severity::Note;
}

static std::string makeTable() {
  std::map<StringRef, std::string> proofs;
  for (const Mutant &mutant : listMutants()) {
    // The first that shows the rule's level.
    const RuleInfo *rule = findRule(mutant.rule);
    if (rule && levelSeverity(rule->level) == mutant.severity)
      proofs.emplace(mutant.rule, describe(mutant));
  }
  std::string table = "| rule | level | demands | enforced by | where | proven by |\n"
                      "| --- | --- | --- | --- | --- | --- |\n";
  for (const RuleInfo *rule : listRules())
    table += "| " + rule->id.str() + " | " + levelName(rule->level).str() + " | " +
             cell(rule->title) + " | " + enforcerName(rule->enforcer.kind).str() + " | " +
             cell(rule->enforcer.citation) + " | " + cell(proofs[rule->id]) + " |\n";
  return table;
}

TEST(RuleTable, EveryRuleHasAMutant) {
  std::set<StringRef> proven;
  for (const Mutant &mutant : listMutants()) {
    EXPECT_NE(findRule(mutant.rule), nullptr) << mutant.rule.str();
    proven.insert(mutant.rule);
  }
  for (const RuleInfo *rule : listRules())
    EXPECT_TRUE(proven.count(rule->id)) << rule->id.str();
}

TEST(RuleTable, EveryRuleIsExplained) {
  std::set<StringRef> ids;
  for (const RuleInfo *rule : listRules()) {
    EXPECT_TRUE(ids.insert(rule->id).second) << rule->id.str() << " is there twice";
    std::string text = cantFail(explainRule(rule->id));
    EXPECT_NE(text.find("\n\nEnforced by "), std::string::npos) << rule->id.str();
    EXPECT_NE(text.find(levelName(rule->level).str()), std::string::npos) << rule->id.str();
    EXPECT_FALSE(rule->doc.empty()) << rule->id.str();
    SmallVector<StringRef, 8> lines;
    StringRef(text).split(lines, '\n');
    for (StringRef line : drop_begin(lines))
      EXPECT_LE(line.size(), 100u) << rule->id.str();
  }
  EXPECT_GE(ids.size(), 79u);
  EXPECT_TRUE(errorToBool(explainRule("XX-01").takeError()));
}

/// True for "file.cpp, Class::function" and "file.h, function".
static bool namesFileAndFunction(StringRef citation) {
  static const std::regex form("[A-Za-z0-9_]+\\.(cpp|h), [A-Za-z_]\\w+");
  return std::regex_search(citation.begin(), citation.end(), form);
}

TEST(RuleTable, EveryRuleNamesItsEnforcer) {
  std::map<EnforcerKind, unsigned> counts;
  for (const RuleInfo *rule : listRules()) {
    const Enforcer &enforcer = rule->enforcer;
    ++counts[enforcer.kind];
    EXPECT_GE(enforcer.citation.size(), 3u) << rule->id.str();
    EXPECT_FALSE(enforcer.citation.ends_with(".")) << rule->id.str();
    if (enforcer.kind == EnforcerKind::Habit)
      EXPECT_EQ(rule->level, RuleLevel::Info) << rule->id.str() << " is a habit";
    if (enforcer.kind == EnforcerKind::Pal)
      EXPECT_TRUE(namesFileAndFunction(enforcer.citation)) << rule->id.str();
    std::string text = cantFail(explainRule(rule->id));
    for (char &c : text)
      c = c == '\n' ? ' ' : c;
    EXPECT_NE(text.find((enforcer.citation + ". ").str()), std::string::npos) << text;
  }
  EXPECT_EQ(counts.size(), 4u);
}

/// What is reported as an error is enforced by somebody, whatever the level of the rule.
TEST(RuleTable, NoMutantOfAHabitIsMoreThanANote) {
  std::set<StringRef> proven;
  for (const Mutant &mutant : listMutants()) {
    const RuleInfo *rule = findRule(mutant.rule);
    ASSERT_NE(rule, nullptr) << mutant.rule.str();
    if (rule->enforcer.kind == EnforcerKind::Habit)
      EXPECT_EQ(mutant.severity, Severity::Note) << rule->id.str() << ": " << describe(mutant);
    if (mutant.severity == Severity::Error)
      proven.insert(rule->id);
  }
  for (const RuleInfo *rule : listRules())
    EXPECT_EQ(rule->level <= RuleLevel::Error, proven.count(rule->id) != 0)
        << rule->id.str() << " of level " << levelName(rule->level).str()
        << " needs a mutant that is an error if it is fatal or error, and may have none if it is "
           "not";
}

/// The catalogue that the rules were written from: how many ids each group has.
TEST(RuleTable, HasEveryIdOfTheCatalogue) {
  std::string text = cantFail(readFileText(ASSAY_SOURCE_DIR "/docs/validate-elf.md"));
  StringRef prose = StringRef(text).take_front(text.find(tableBegin.str()));
  for (auto [group, count] : {std::pair("ELF", 26u),
                              {"MD", 14u},
                              {"TOP", 11u},
                              {"RES", 23u},
                              {"UD", 19u},
                              {"GEO", 23u},
                              {"PS", 18u},
                              {"MC", 24u}})
    for (unsigned i = 1; i <= count; ++i) {
      std::string id = std::string(group) + (i < 10 ? "-0" : "-") + std::to_string(i);
      EXPECT_TRUE(findRule(id) || prose.contains("- " + id + " (no rule)"))
          << id << " is neither a rule, nor is there a reason in the documentation";
    }
}

/// With ASSAY_REWRITE set, the table is written instead of compared.
TEST(RuleTable, StandsInTheDocumentation) {
  std::string path = ASSAY_SOURCE_DIR "/docs/validate-elf.md";
  std::string text = cantFail(readFileText(path));
  size_t begin = text.find(tableBegin.str());
  size_t end = text.find(tableEnd.str());
  ASSERT_NE(begin, std::string::npos);
  ASSERT_NE(end, std::string::npos);
  begin += tableBegin.size();
  std::string table = makeTable();
  if (std::getenv("ASSAY_REWRITE"))
    return cantFail(writeFile(path, StringRef(text.replace(begin, end - begin, table))));
  EXPECT_EQ(text.substr(begin, end - begin), table)
      << "run this program with ASSAY_REWRITE=1 to write the table";
}
