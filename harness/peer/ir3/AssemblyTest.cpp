// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where turnip is installed: the assembly that the compiler prints for cases of corpora/compute
// becomes the words of its variants there.
#include "compiler/driver/Compiler.h"
#include "harness/peer/turnip/TurnipPeer.h"
#include "oracles/input/CaseReader.h"
#include "oracles/ir3_variant/Ir3Variant.h"
#include "oracles/machine/ir3_isa/Codec.h"
#include "support/Error.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "gtest/gtest.h"

using namespace llvm;
using namespace assay;

namespace {

/// Code of one pipeline.
struct Sample {
  std::string name, assembly;
  std::vector<uint64_t> words;
};

class Ir3Assembly : public testing::TestWithParam<const char *> {};

} // namespace

/// One of how many cases is compiled.
static unsigned stride() {
  const char *scale = getenv("ASSAY_SCALE");
  return scale && StringRef(scale) == "full" ? 1 : 12;
}

static std::vector<std::string> listCases() {
  std::vector<std::string> paths;
  std::error_code error;
  for (sys::fs::directory_iterator entry(ASSAY_SOURCE_DIR "/corpora/compute", error), end;
       entry != end && !error; entry.increment(error))
    if (StringRef(entry->path()).ends_with(".amber"))
      paths.push_back(entry->path());
  sort(paths);
  return paths;
}

/// Adds the code of all pipelines of the case at \p path that the compiler accepts.
static void addSamples(StringRef path, const CompileOptions &options,
                       std::vector<Sample> &samples) {
  Expected<Case> input = readCase(path.str(), path.str());
  if (!input)
    return consumeError(input.takeError());
  Compiler compiler;
  for (const CasePipeline &pipeline : input->pipelines) {
    Expected<CompileResult> elf = compiler.compile(pipeline.description, options, EmitPhase::Elf);
    if (!elf) {
      consumeError(elf.takeError()); // Unsupported: other tests count those.
      continue;
    }
    Expected<CompileResult> text =
        compiler.compile(pipeline.description, options, EmitPhase::Assembly);
    ASSERT_TRUE(bool(text)) << takeError(text.takeError()).message;
    Expected<Ir3Variant> variant = readIr3Variant(elf->output);
    ASSERT_TRUE(bool(variant)) << takeError(variant.takeError()).message;
    samples.push_back(
        {path.str(), std::string(text->output.begin(), text->output.end()), variant->code});
  }
}

TEST_P(Ir3Assembly, TurnipMakesTheSameWords) {
  Expected<turnip::TurnipPeer> peer = turnip::TurnipPeer::create(GetParam());
  if (!peer)
    GTEST_SKIP() << takeError(peer.takeError()).message;
  adreno::Chip chip = *adreno::findChip(GetParam());
  CompileOptions options;
  options.target = cantFail(findTarget(GetParam()));
  options.optLevel = 2;
  std::vector<Sample> samples;
  std::vector<std::string> paths = listCases();
  ASSERT_GT(paths.size(), 100u);
  for (size_t i = 0; i < paths.size(); i += stride())
    addSamples(paths[i], options, samples);
  EXPECT_GT(samples.size(), paths.size() / stride() / 2);
  std::vector<std::string> texts;
  for (const Sample &sample : samples)
    texts.push_back(sample.assembly);
  Expected<std::vector<turnip::Assembled>> assembled = peer->assemble(texts);
  ASSERT_TRUE(bool(assembled)) << takeError(assembled.takeError()).message;
  size_t lines = 0;
  for (auto [sample, result] : zip_equal(samples, *assembled)) {
    ASSERT_EQ(result.failure, "") << sample.name << "\n" << sample.assembly;
    ASSERT_GE(result.code.size(), sample.words.size()) << sample.name;
    for (auto [index, word] : enumerate(sample.words)) {
      ++lines;
      ASSERT_EQ(utohexstr(result.code[index]), utohexstr(word))
          << sample.name << ": " << adreno::printWord(word, chip);
    }
  }
  RecordProperty("lines", int(lines));
}

INSTANTIATE_TEST_SUITE_P(Chips, Ir3Assembly, testing::Values("a630", "a660", "a740"),
                         [](const auto &info) { return std::string(info.param); });
