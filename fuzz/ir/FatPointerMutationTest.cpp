// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Mutations keep modules valid and bring fat pointers in; and some thousand mutants of the corpus
// are lowered and judged. ASSAY_FUZZ_SECONDS asks for more, ASSAY_FUZZ_SEED for others.
#include "fuzz/ir/FatPointerMutation.h"
#include "fuzz/ir/CheckLowering.h"
#include "support/Error.h"
#include "support/File.h"
#include "llvm/IR/PassManager.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Transforms/IPO/GlobalDCE.h"

#include <algorithm>
#include <chrono>
#include <gtest/gtest.h>

using namespace assay;
using namespace assay::fuzz;

static std::string print(const llvm::Module &module) {
  std::string text;
  llvm::raw_string_ostream os(text);
  module.print(os, nullptr);
  return text;
}

static llvm::ArrayRef<uint8_t> asBytes(llvm::StringRef text) {
  return {reinterpret_cast<const uint8_t *>(text.data()), text.size()};
}

static std::vector<std::string> readCorpus() {
  std::vector<std::string> paths, texts;
  std::error_code code;
  for (llvm::sys::fs::directory_iterator it(ASSAY_SOURCE_DIR "/corpora/ir/fat-pointers", code), end;
       it != end && !code; it.increment(code))
    if (llvm::StringRef(it->path()).ends_with(".ll"))
      paths.push_back(it->path());
  std::sort(paths.begin(), paths.end());
  for (const std::string &path : paths)
    if (auto text = readFileText(path))
      texts.push_back(std::move(*text));
    else
      ADD_FAILURE() << takeError(text.takeError()).message;
  return texts;
}

/// Leaves function number \p chosen, and what it needs.
static void keepOne(llvm::Module &module, unsigned chosen) {
  std::vector<llvm::Function *> functions;
  for (llvm::Function &function : module)
    if (!function.isDeclaration() && !function.hasLocalLinkage())
      functions.push_back(&function);
  for (size_t i = 0; i < functions.size(); ++i)
    if (i != chosen % functions.size())
      functions[i]->setLinkage(llvm::GlobalValue::InternalLinkage);
  llvm::ModuleAnalysisManager analyses;
  llvm::GlobalDCEPass().run(module, analyses);
}

/// One function of the corpus, a few times mutated; "" or what is wrong.
static std::string checkMutant(llvm::ArrayRef<std::string> corpus, unsigned seed) {
  llvm::LLVMContext context;
  auto module = readModule(asBytes(corpus[seed % corpus.size()]), context);
  if (!module)
    return "the corpus does not read";
  keepOne(*module, seed / static_cast<unsigned>(corpus.size()));
  for (unsigned step = 0; step < 1 + seed % 12; ++step) {
    mutateFatPointers(*module, seed * 16 + step, 400);
    if (llvm::verifyModule(*module))
      return ""; // FuzzMutate's, not ours: rare, and counted by MutantsAreValid.
  }
  std::string wrong = checkLowering(*module, 4);
  return wrong.empty() ? "" : "seed " + std::to_string(seed) + ": " + wrong + "\n" + print(*module);
}

static unsigned readNumber(const char *name, unsigned otherwise) {
  const char *text = std::getenv(name);
  return text ? static_cast<unsigned>(std::strtoul(text, nullptr, 10)) : otherwise;
}

TEST(FatPointerMutation, MutantsAreValidAndDiffer) {
  std::vector<std::string> corpus = readCorpus();
  ASSERT_GE(corpus.size(), 10u);
  unsigned valid = 0, changed = 0, total = 0;
  for (unsigned seed = 0; seed < 100; ++seed) {
    llvm::LLVMContext context;
    auto module = readModule(asBytes(corpus[seed % corpus.size()]), context);
    ASSERT_TRUE(module);
    keepOne(*module, seed);
    std::string before = print(*module);
    mutateFatPointers(*module, seed, 400);
    ++total;
    valid += !llvm::verifyModule(*module);
    changed += print(*module) != before;
  }
  EXPECT_GE(valid * 100, total * 95);
  EXPECT_GE(changed * 100, total * 70);
}

static size_t countDefinitions(const llvm::Module &module) {
  return static_cast<size_t>(
      std::count_if(module.begin(), module.end(), [](const llvm::Function &function) {
        return !function.isDeclaration() && !function.hasLocalLinkage();
      }));
}

TEST(FatPointerMutation, MixesHaveAFunctionMore) {
  std::vector<std::string> corpus = readCorpus();
  for (unsigned seed = 0; seed < 60; ++seed) {
    llvm::LLVMContext context;
    auto into = readModule(asBytes(corpus[seed % corpus.size()]), context);
    auto from = readModule(asBytes(corpus[seed * 7 % corpus.size()]), context); // Itself, too.
    ASSERT_TRUE(into && from);
    keepOne(*into, seed);
    ASSERT_EQ(countDefinitions(*into), 1u);
    mixFatPointers(*into, std::move(from), seed);
    EXPECT_FALSE(llvm::verifyModule(*into, &llvm::errs())) << seed;
    EXPECT_EQ(countDefinitions(*into), 2u) << seed;
    EXPECT_EQ(checkLowering(*into, 1), "") << seed;
  }
  llvm::LLVMContext context;
  llvm::Module empty("empty", context);
  mixFatPointers(empty, std::make_unique<llvm::Module>("empty, too", context), 1);
  EXPECT_TRUE(empty.empty());
}

TEST(FatPointerMutation, LoweringKeepsMutants) {
  std::vector<std::string> corpus = readCorpus();
  ASSERT_FALSE(corpus.empty());
  unsigned first = readNumber("ASSAY_FUZZ_SEED", 0);
  unsigned seconds = readNumber("ASSAY_FUZZ_SECONDS", 0), count = 0;
  auto begin = std::chrono::steady_clock::now();
  auto isOver = [&] {
    return seconds ? std::chrono::steady_clock::now() - begin > std::chrono::seconds(seconds)
                   : count >= 500;
  };
  unsigned wrong = 0;
  for (; !isOver() && wrong < 10; ++count) {
    std::string text = checkMutant(corpus, first + count);
    wrong += !text.empty();
    EXPECT_EQ(text, "");
  }
  std::printf("%u mutants\n", count);
}
