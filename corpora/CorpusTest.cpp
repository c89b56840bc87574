// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Is the corpus worth running? A case that passes whatever the shader does proves nothing. Every
// case of corpora/compute must pass on the reference; must fail when its dispatches are removed,
// when its shaders do nothing, and when they write zeros; and nearly every slip of the pen in its
// shaders must be seen.
#include "fuzz/mutate/SpirvMutation.h"
#include "oracles/execution/Judge.h"
#include "oracles/input/CaseReader.h"
#include "oracles/machine/spirv/SpirvMachine.h"
#include "support/Error.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/xxhash.h"

#include <algorithm>
#include <gtest/gtest.h>

using namespace assay;

namespace {
struct CorpusCase {
  std::string name;
  Case input;
};
} // namespace

static std::vector<CorpusCase> readCorpus() {
  std::vector<CorpusCase> cases;
  std::error_code code;
  llvm::sys::fs::directory_iterator it(ASSAY_SOURCE_DIR "/corpora/compute", code), end;
  for (; it != end && !code; it.increment(code)) {
    if (llvm::sys::path::extension(it->path()) != ".amber")
      continue;
    std::string name = llvm::sys::path::stem(it->path()).str();
    auto input = readCase(it->path(), name);
    EXPECT_TRUE(bool(input)) << (input ? "" : takeError(input.takeError()).message);
    if (input)
      cases.push_back({name, std::move(*input)});
  }
  std::sort(cases.begin(), cases.end(),
            [](const CorpusCase &a, const CorpusCase &b) { return a.name < b.name; });
  return cases;
}

static const std::vector<CorpusCase> &corpus() {
  static const std::vector<CorpusCase> cases = readCorpus();
  return cases;
}

// Why the case is noticed to be wrong ("" = it passes).
static std::string whyNotPass(const Case &input) {
  RunOptions options;
  options.maxInstructions = 20'000'000; // A mutant may loop for ever.
  auto outcome = createSpirvMachine()->run(input, {}, options);
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

TEST(Corpus, HasItsSizeAndEveryCasePasses) {
  EXPECT_GE(corpus().size(), 40u);
  for (const CorpusCase &entry : corpus())
    EXPECT_EQ(whyNotPass(entry.input), "") << entry.name;
}

TEST(Corpus, EveryCaseFailsWithoutItsDispatch) {
  for (const CorpusCase &entry : corpus()) {
    Case input = entry.input;
    llvm::erase_if(input.commands, [](const Command &command) {
      return std::holds_alternative<Dispatch>(command);
    });
    EXPECT_NE(whyNotPass(input), "") << entry.name;
  }
}

static bool isWritable(const Case &input, unsigned buffer) {
  for (const CasePipeline &pipeline : input.pipelines)
    for (const BufferBinding &binding : pipeline.bindings)
      if (binding.buffer == buffer && binding.kind == BindingKind::Storage)
        return true;
  return false;
}

// As if every shader wrote zeros over all of every buffer it may write.
TEST(Corpus, EveryCaseFailsWhenShadersWriteZeros) {
  for (const CorpusCase &entry : corpus()) {
    Case input = entry.input;
    for (unsigned i = 0; i < input.buffers.size(); ++i)
      if (isWritable(input, i))
        std::fill(input.buffers[i].bytes.begin(), input.buffers[i].bytes.end(), 0);
    llvm::erase_if(input.commands, [](const Command &command) {
      return std::holds_alternative<Dispatch>(command);
    });
    EXPECT_NE(whyNotPass(input), "") << entry.name;
  }
}

// The module with an entry point that returns at once.
static std::vector<uint32_t> emptied(llvm::ArrayRef<uint32_t> words, const spirv::Module &module,
                                     const std::string &entryPoint) {
  const spirv::EntryPoint *entry =
      module.findEntryPoint(entryPoint, spv::ExecutionModel::GLCompute);
  std::vector<uint32_t> result(words.begin(), words.begin() + 5);
  bool inEntry = false;
  bool skipping = false;
  for (size_t at = 5; at < words.size(); at += words[at] >> 16) {
    auto opcode = static_cast<spv::Op>(words[at] & 0xffff);
    if (opcode == spv::Op::OpFunction)
      inEntry = words[at + 2] == entry->function;
    if (opcode == spv::Op::OpFunctionEnd && skipping) {
      result.push_back(1u << 16 | static_cast<uint32_t>(spv::Op::OpReturn));
      skipping = false;
    }
    if (!skipping)
      result.insert(result.end(), words.begin() + at, words.begin() + at + (words[at] >> 16));
    skipping |= inEntry && opcode == spv::Op::OpLabel;
  }
  return result;
}

TEST(Corpus, EveryCaseFailsWithBuffersLeftAsTheyBegan) {
  for (const CorpusCase &entry : corpus()) {
    Case input = entry.input;
    for (CasePipeline &pipeline : input.pipelines) {
      ShaderDescription &shader = pipeline.description.getShader(ShaderStage::Compute);
      auto module = spirv::decode(shader.spirv);
      ASSERT_TRUE(bool(module));
      shader.spirv = emptied(shader.spirv, *module, shader.entryPoint);
    }
    EXPECT_NE(whyNotPass(input), "") << entry.name;
  }
}

namespace {
struct Score {
  unsigned tried = 0;
  unsigned seen = 0;
  std::string missed;
};
} // namespace

static void tryMutation(const CorpusCase &entry, unsigned pipeline, const Mutation &mutation,
                        const spirv::Module &module, Score &score) {
  Case input = entry.input;
  std::vector<uint32_t> &words =
      input.pipelines[pipeline].description.getShader(ShaderStage::Compute).spirv;
  words = applyMutation(words, module, mutation);
  ++score.tried;
  if (!whyNotPass(input).empty())
    ++score.seen;
  else
    score.missed += "  " + entry.name + ": " + mutation.description + "\n";
}

// One mutant of each kind, or of the next kind that the shader offers, picked by a fixed seed.
static void tryThreeMutants(const CorpusCase &entry, Score &score) {
  auto module =
      spirv::decode(entry.input.pipelines[0].description.getShader(ShaderStage::Compute).spirv);
  ASSERT_TRUE(bool(module));
  std::vector<Mutation> byKind[3];
  for (int kind = 0; kind < 3; ++kind)
    byKind[kind] = collectMutations(*module, static_cast<MutationKind>(kind));
  uint64_t seed = llvm::xxh3_64bits(entry.name);
  for (int kind = 0; kind < 3; ++kind) {
    int from = kind;
    for (int step = 0; step < 3 && byKind[from].empty(); ++step)
      from = (from + 1) % 3;
    std::vector<Mutation> &pool = byKind[from];
    if (pool.empty())
      continue;
    size_t pick = (seed >> (16 * kind)) % pool.size();
    tryMutation(entry, 0, pool[pick], *module, score);
    pool.erase(pool.begin() + pick);
  }
}

TEST(Corpus, NearlyAllMutantsAreSeen) {
  Score score;
  for (const CorpusCase &entry : corpus())
    tryThreeMutants(entry, score);
  std::cout << "mutants seen: " << score.seen << " of " << score.tried << "\n" << score.missed;
  EXPECT_GE(score.tried, 3 * corpus().size());
  EXPECT_GE(score.seen * 100, score.tried * 95);
}
