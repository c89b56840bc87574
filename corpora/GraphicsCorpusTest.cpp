// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Is corpora/graphics worth running? Every case must pass on the reference, and must fail without
// its draws, that is with clears alone, without the last of its draws, and where the last draw has
// one colour. Each planted fault of the model and of the reference's draws must fail one of them.
#include "corpora/ConstantShaderTesting.h"
#include "oracles/execution/Judge.h"
#include "oracles/input/CaseReader.h"
#include "oracles/machine/spirv/SpirvMachine.h"
#include "support/Error.h"
#include "support/Fault.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <algorithm>
#include <cstdlib>
#include <gtest/gtest.h>

using namespace assay;

namespace {
struct GraphicsCase {
  std::string name;
  Case input;
};
} // namespace

static std::vector<GraphicsCase> readCorpus() {
  std::vector<GraphicsCase> cases;
  std::error_code code;
  llvm::sys::fs::directory_iterator it(ASSAY_SOURCE_DIR "/corpora/graphics", code), end;
  for (; it != end && !code; it.increment(code)) {
    llvm::StringRef extension = llvm::sys::path::extension(it->path());
    if (extension != ".amber" && extension != ".vkscript")
      continue;
    std::string name = llvm::sys::path::stem(it->path()).str();
    auto input = readCase(it->path(), name);
    EXPECT_TRUE(bool(input)) << (input ? "" : takeError(input.takeError()).message);
    if (input)
      cases.push_back({name, std::move(*input)});
  }
  llvm::sort(cases, [](const auto &a, const auto &b) { return a.name < b.name; });
  return cases;
}

static const std::vector<GraphicsCase> &corpus() {
  static const std::vector<GraphicsCase> Cases = readCorpus();
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

/// In a child, since a fault is planted for the rest of a process: whether a case of the corpus
/// fails then.
static void exitByFault(llvm::StringRef fault, bool isOfReader) {
  std::vector<GraphicsCase> cases;
  if (!isOfReader)
    cases = corpus();
  cantFail(plantFault(fault));
  if (isOfReader)
    cases = readCorpus();
  bool isFound = llvm::any_of(
      cases, [](const GraphicsCase &entry) { return !whyNotPass(entry.input).empty(); });
  std::exit(isFound ? 0 : 1);
}

TEST(GraphicsCorpus, EveryPlantedFaultIsFound) {
  if (!faultsCompiledIn())
    GTEST_SKIP() << "this build has no planted faults";
  unsigned count = 0, inReaders = 0;
  for (const FaultInfo &fault : listFaults()) {
    bool isOfReader = fault.place == "reader-draws";
    if (!isOfReader && !llvm::is_contained({"raster", "reference-draws"}, fault.place))
      continue;
    EXPECT_EXIT(exitByFault(fault.name, isOfReader), testing::ExitedWithCode(0), "")
        << fault.name.str();
    ++count;
    inReaders += isOfReader;
  }
  EXPECT_GE(count, 40u);
  EXPECT_GE(inReaders, 8u);
}

/// Colours that a shader of one colour might pass with: 0, 1, and what the last expectation says of
/// its first texel, as it is and as a fraction of 255.
static std::vector<ConstantColor> likelyColors(const Case &input) {
  std::vector<ConstantColor> colors = {{0, 0, 0, 0}, {1, 1, 1, 1}};
  for (const Command &command : llvm::reverse(input.commands)) {
    const auto *expectation = std::get_if<Expectation>(&command);
    if (!expectation || expectation->values.empty())
      continue;
    ConstantColor color = {}, fraction = {};
    for (size_t i = 0; i < std::min<size_t>(4, expectation->values.size()); ++i) {
      bool isFloat = expectation->format.scalar == ScalarKind::Float32;
      auto bits = static_cast<uint32_t>(expectation->values[i]);
      color[i] = isFloat ? llvm::bit_cast<float>(bits) : static_cast<int32_t>(bits);
      fraction[i] = color[i] / 255;
    }
    colors.push_back(color);
    colors.push_back(fraction);
    break;
  }
  return colors;
}

TEST(GraphicsCorpus, EveryCaseFailsWithAConstantShader) {
  for (const GraphicsCase &entry : corpus())
    for (const ConstantColor &color : likelyColors(entry.input)) {
      Case input = entry.input;
      auto last = std::find_if(input.commands.rbegin(), input.commands.rend(),
                               [](const Command &c) { return std::holds_alternative<Draw>(c); });
      PipelineDescription &pipeline = input.pipelines[std::get<Draw>(*last).pipeline].description;
      for (ShaderDescription &shader : pipeline.stages)
        if (shader.stage == ShaderStage::Fragment)
          shader.spirv = ConstantShader(shader.spirv, color).rewrite();
      EXPECT_NE(whyNotPass(input), "") << entry.name << " passes with one colour";
    }
}
