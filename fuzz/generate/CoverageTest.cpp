// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the first cases of the generator cover: docs/generator.md has the tables, and this the
// promise that nothing is lost.
#include "fuzz/generate/Coverage.h"

#include "compiler/frontend/Frontend.h"
#include "compiler/spirv/Capabilities.h"
#include "fuzz/generate/Writer.h"
#include "support/File.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/xxhash.h"
#include <cstdlib>
#include <gtest/gtest.h>

using namespace llvm;
using namespace assay;
using namespace assay::fuzz;

namespace {
/// How many of the cases have each feature, and each construct.
struct Count {
  uint64_t cases = 0;
  uint64_t digest = 0;
  std::map<std::string, uint64_t> features, constructs;
};

/// Something to be covered: its name in the table, and among the features.
struct Goal {
  std::string name, feature;
};
} // namespace

static Count countCases(uint64_t cases) {
  Count count;
  count.cases = cases;
  for (uint64_t seed = 0; seed < cases; ++seed) {
    GeneratedCase generated = generate(seed, profileInTurn(seed));
    for (const std::string &feature : featuresOf(generated))
      ++count.features[feature];
    for (const std::string &construct : generated.constructs)
      ++count.constructs[construct];
    count.digest = count.digest * 31 + xxh3_64bits(printAmber(generated));
  }
  return count;
}

static std::vector<Goal> goalsOfRows() {
  std::vector<Goal> goals;
  for (const spirv::CapabilityRow &row : spirv::capabilityTable())
    if (row.kind != spirv::CapabilityKind::OtherStage &&
        row.kind != spirv::CapabilityKind::Device && row.inReference)
      goals.push_back({row.name.str(), "row " + row.name.str()});
  return goals;
}

static std::vector<Goal> goalsOfHandlers() {
  std::vector<Goal> goals;
  for (const TranslatedInstruction &each : translatedInstructions())
    goals.push_back({each.name, each.glslNumber ? "glsl " + std::to_string(each.glslNumber)
                                                : "op " + each.name});
  sort(goals, [](const Goal &a, const Goal &b) { return a.name < b.name; });
  return goals;
}

static std::vector<std::string> missing(const Count &count, ArrayRef<Goal> goals) {
  std::vector<std::string> names;
  for (const Goal &goal : goals)
    if (!count.features.contains(goal.feature))
      names.push_back(goal.name);
  return names;
}

/// What is not covered, and why not.
static constexpr std::pair<StringRef, StringRef> uncovered[] = {
    {"OpLessOrGreater", "wants the capability Kernel"},
    {"OpOrdered", "wants the capability Kernel"},
    {"OpUnordered", "wants the capability Kernel"},
    {"SparseResidency", "lavapipe dies of it (bugs/lavapipe-sparse-fetch)"},
    {"Groups", "AMD's drivers alone have it"},
    {"SPV_AMD_shader_trinary_minmax", "AMD's drivers alone have it"},
    {"SPV_AMD_gcn_shader", "AMD's drivers alone have it"},
    {"SPV_AMD_shader_ballot", "AMD's drivers alone have it"},
};

static void expectAllBut(std::vector<std::string> names) {
  for (const std::string &name : names)
    EXPECT_TRUE(any_of(uncovered, [&](const auto &row) { return row.first == name; }))
        << name << " is not covered";
}

static std::string printShare(const Count &count, ArrayRef<Goal> goals, StringRef what) {
  size_t covered = goals.size() - missing(count, goals).size();
  std::string text;
  raw_string_ostream(text) << what << ": " << covered << " of " << goals.size() << "\n";
  return text;
}

static std::string printCounts(const Count &count, ArrayRef<Goal> goals) {
  std::string text;
  for (const Goal &goal : goals) {
    auto found = count.features.find(goal.feature);
    text += "| " + goal.name + " | " +
            std::to_string(found == count.features.end() ? 0 : found->second) + " |\n";
  }
  return text;
}

static std::string printTables(const Count &count) {
  std::vector<Goal> rows = goalsOfRows(), handlers = goalsOfHandlers();
  std::string text = "Digest of " + std::to_string(count.cases) + " cases: `" +
                     utohexstr(count.digest, true) + "`\n\n";
  text += printShare(count, rows, "- capability rows");
  text += printShare(count, handlers, "- handlers of the front-end");
  text += "\n| construct | cases |\n| --- | --- |\n";
  for (const Construct &construct : constructs()) {
    auto found = count.constructs.find(construct.name.str());
    text += "| " + construct.name.str() + " | " +
            std::to_string(found == count.constructs.end() ? 0 : found->second) + " |\n";
  }
  text += "\n| capability row | cases |\n| --- | --- |\n" + printCounts(count, rows);
  text += "\n| handler | cases |\n| --- | --- |\n" + printCounts(count, handlers);
  return text;
}

/// With ASSAY_REWRITE set, the tables are written instead of compared: a change of the generator is
/// seen here, and nothing else changes a byte.
TEST(Coverage, StandsInTheDocumentation) {
  constexpr uint64_t cases = 1000;
  Count count = countCases(cases);
  expectAllBut(missing(count, goalsOfRows()));
  expectAllBut(missing(count, goalsOfHandlers()));
  for (const auto &[name, reason] : uncovered)
    EXPECT_FALSE(count.features.contains(("op " + name).str()) ||
                 count.features.contains(("row " + name).str()))
        << name.str() << " is covered: its row in this table is wrong";
  std::string path = ASSAY_SOURCE_DIR "/docs/generator.md";
  std::string text = cantFail(readFileText(path));
  constexpr StringRef begin = "<!-- tables -->\n";
  size_t at = text.find(begin.str());
  ASSERT_NE(at, std::string::npos);
  at += begin.size();
  std::string tables = printTables(count);
  if (std::getenv("ASSAY_REWRITE"))
    return cantFail(writeFile(path, StringRef(text.substr(0, at) + tables)));
  EXPECT_EQ(text.substr(at), tables) << "run this program with ASSAY_REWRITE=1 to write the tables";
}
