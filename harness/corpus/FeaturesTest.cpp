// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/corpus/Features.h"

#include "harness/corpus/Manifest.h"
#include "support/Error.h"
#include "support/File.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include <gtest/gtest.h>

using namespace llvm;
using namespace assay;

namespace {

FeaturedCase makeCase(uint64_t bytes, Features features) {
  FeaturedCase result;
  result.bytes = bytes;
  result.features = std::move(features);
  return result;
}

class Corpus : public testing::Test {
protected:
  void SetUp() override { ASSERT_FALSE(sys::fs::createUniqueDirectory("assay-corpus", m_folder)); }
  void TearDown() override { sys::fs::remove_directories(m_folder); }
  std::string write(StringRef name, StringRef text) {
    std::string path = (m_folder + "/" + name).str();
    cantFail(writeFile(path, text));
    return path;
  }
  SmallString<128> m_folder;
};

using Indices = std::vector<size_t>;

} // namespace

TEST(CorpusCover, TakesTheSmallestOfEquals) {
  EXPECT_EQ(
      chooseCover({makeCase(10, {"a", "b"}), makeCase(9, {"a", "b"}), makeCase(9, {"b", "a"})}),
      Indices{1});
}

TEST(CorpusCover, DropsWhatLaterOnesMadeNeedless) {
  // The first adds most, but the two others together have all that it has.
  EXPECT_EQ(chooseCover({makeCase(50, {"a", "b", "c", "d"}), makeCase(20, {"a", "b", "x"}),
                         makeCase(20, {"c", "d", "y"})}),
            (Indices{1, 2}));
}

TEST(CorpusCover, LosesNoFeature) {
  std::vector<FeaturedCase> cases;
  Features all;
  for (unsigned i = 0; i < 40; ++i) {
    Features features;
    for (unsigned k = 0; k < 5; ++k)
      features.insert(std::to_string((i * 7 + k * k * 3) % 31));
    all.insert(features.begin(), features.end());
    cases.push_back(makeCase(i % 5, features));
  }
  Features kept;
  Indices chosen = chooseCover(cases);
  for (size_t index : chosen)
    kept.insert(cases[index].features.begin(), cases[index].features.end());
  EXPECT_EQ(kept, all);
  EXPECT_LT(chosen.size(), 20u);
  EXPECT_EQ(chooseCover({}), Indices{});
}

TEST_F(Corpus, HasTheFeaturesOfItsModules) {
  CaseFile good{write("good.comp", "#version 450\nlayout(set=0,binding=0) buffer B { float x; };\n"
                                   "void main() { x = sqrt(x); }\n"),
                "good.comp"};
  CaseFile bad{write("bad.comp", "void main() {"), "bad.comp"};
  DiffOptions options;
  options.targets.clear();
  auto cases = collectFeatures({good, bad}, options, PoolOptions());
  ASSERT_TRUE(static_cast<bool>(cases)) << toString(cases.takeError());
  const Features &features = cases->at(0).features;
  EXPECT_TRUE(features.contains("glsl 31")); // Sqrt.
  EXPECT_TRUE(features.contains("op OpStore"));
  EXPECT_TRUE(features.contains("row Shader"));
  EXPECT_TRUE(cases->at(1).features.empty());
  EXPECT_FALSE(cases->at(1).problem.empty());
}

TEST_F(Corpus, KeepsItsManifest) {
  std::string path = write("MANIFEST", "# Ours.\nb.comp | here | free | B | and more.\n"
                                       "# Theirs.\na.comp | there | free | A.\n# The end.\n");
  Expected<Manifest> manifest = readManifest(path);
  ASSERT_TRUE(static_cast<bool>(manifest)) << toString(manifest.takeError());
  EXPECT_EQ(manifest->entries.at("b.comp").purpose, "B | and more.");
  EXPECT_EQ(manifest->entries.at("a.comp").origin, "there");
  EXPECT_EQ(takeError(writeManifest(path, *manifest)).kind, ErrorKind::InvalidInput);
  manifest->entries["b.comp"].purpose = "B.";
  ASSERT_FALSE(static_cast<bool>(writeManifest(path, *manifest)));
  EXPECT_EQ(cantFail(readFileText(path)),
            "# Ours.\n# Theirs.\na.comp | there | free | A.\nb.comp | here | free | B.\n"
            "# The end.\n");
  for (const char *broken : {"a | b | c\n", "a | b | c | d\na | b | c | d\n"}) {
    Expected<Manifest> refused = readManifest(write("broken", broken));
    ASSERT_FALSE(static_cast<bool>(refused));
    EXPECT_EQ(takeError(refused.takeError()).kind, ErrorKind::InvalidInput);
  }
}
