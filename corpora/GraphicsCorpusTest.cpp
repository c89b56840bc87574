// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Is corpora/graphics worth running? Every case must pass on the reference, and must fail without
// its draws, that is with clears alone, and without the last of its draws.
#include "oracles/execution/Judge.h"
#include "oracles/input/CaseReader.h"
#include "oracles/machine/spirv/SpirvMachine.h"
#include "support/Error.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <algorithm>
#include <gtest/gtest.h>

using namespace assay;

namespace {
struct GraphicsCase {
  std::string name;
  Case input;
};
} // namespace

static const std::vector<GraphicsCase> &corpus() {
  static const std::vector<GraphicsCase> Cases = [] {
    std::vector<GraphicsCase> cases;
    std::error_code code;
    llvm::sys::fs::directory_iterator it(ASSAY_SOURCE_DIR "/corpora/graphics", code), end;
    for (; it != end && !code; it.increment(code)) {
      if (llvm::sys::path::extension(it->path()) != ".amber")
        continue;
      std::string name = llvm::sys::path::stem(it->path()).str();
      auto input = readCase(it->path(), name);
      EXPECT_TRUE(bool(input)) << (input ? "" : takeError(input.takeError()).message);
      if (input)
        cases.push_back({name, std::move(*input)});
    }
    llvm::sort(cases, [](const auto &a, const auto &b) { return a.name < b.name; });
    return cases;
  }();
  return Cases;
}

/// Why the case is noticed to be wrong ("" = it passes).
static std::string whyNotPass(const Case &input) {
  auto outcome = createSpirvMachine()->run(input, {}, {});
  if (!outcome)
    return "error: " + takeError(outcome.takeError()).message;
  if (outcome->kind != OutcomeKind::Completed)
    return "outcome: " + outcome->reason;
  auto judgement = judgeExpectations(input, *outcome);
  if (!judgement)
    return "error: " + takeError(judgement.takeError()).message;
  if (judgement->compared == 0)
    return "nothing is compared";
  return judgement->findings.empty() ? "" : judgement->findings.front().message;
}

TEST(GraphicsCorpus, HasItsSizeAndEveryCasePasses) {
  EXPECT_GE(corpus().size(), 120u);
  for (const GraphicsCase &entry : corpus())
    EXPECT_EQ(whyNotPass(entry.input), "") << entry.name;
}

TEST(GraphicsCorpus, EveryCaseFailsWithoutItsDraws) {
  for (const GraphicsCase &entry : corpus()) {
    Case input = entry.input;
    llvm::erase_if(input.commands,
                   [](const Command &command) { return std::holds_alternative<Draw>(command); });
    EXPECT_NE(whyNotPass(input), "") << entry.name;
  }
}

TEST(GraphicsCorpus, EveryCaseFailsWithoutItsLastDraw) {
  for (const GraphicsCase &entry : corpus()) {
    Case input = entry.input;
    auto last = std::find_if(input.commands.rbegin(), input.commands.rend(),
                             [](const Command &c) { return std::holds_alternative<Draw>(c); });
    ASSERT_NE(last, input.commands.rend()) << entry.name;
    input.commands.erase(std::next(last).base());
    EXPECT_NE(whyNotPass(input), "") << entry.name;
  }
}
