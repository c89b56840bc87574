// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A small sample of the wait proof, code of Assay for all generations; ci/measure waits is the
// whole.
#include "harness/waits/WaitProof.h"
#include "compiler/driver/Compiler.h"
#include "oracles/input/CaseReader.h"
#include "support/Error.h"
#include "gtest/gtest.h"

using namespace assay;
using namespace assay::waits;

static const std::string Corpora = ASSAY_SOURCE_DIR "/corpora/";

/// The proof of one shader, added to \p counts; its problems, a line each, after \p problems.
static void proveOne(const char *name, const TargetInfo &target, const WaitProofOptions &options,
                     WaitCounts &counts, std::string *problems = nullptr) {
  std::string folder = options.stage == ShaderStage::Compute ? "compute/" : "graphics/";
  auto input = readCase(Corpora + folder + name + ".amber", name);
  ASSERT_TRUE(bool(input)) << takeError(input.takeError()).message;
  CompileOptions compile;
  compile.target = &target;
  auto code = Compiler().compile(input->pipelines[0].description, compile, EmitPhase::Elf);
  ASSERT_TRUE(bool(code)) << takeError(code.takeError()).message;
  auto result = proveWaits(*input, Artifact(std::move(code->output)), target, options);
  ASSERT_TRUE(bool(result)) << takeError(result.takeError()).message;
  ASSERT_EQ(result->skipped, "") << name;
  counts.add(result->counts);
  for (const std::string &problem : result->problems)
    if (problems)
      *problems += std::string(name) + ": " + problem + "\n";
}

namespace {
class WaitProof : public testing::TestWithParam<const char *> {
protected:
  /// The proofs of some shaders, added up.
  void prove(const WaitProofOptions &options);

  WaitCounts m_counts;
  std::string m_problems;
};
} // namespace

void WaitProof::prove(const WaitProofOptions &options) {
  for (const char *name : {"stencil-blur", "reduce-shared", "sort-odd-even"})
    ASSERT_NO_FATAL_FAILURE(
        proveOne(name, **findTarget(GetParam()), options, m_counts, &m_problems));
}

TEST_P(WaitProof, EveryNeededWaitIsReportedAndNoOther) {
  prove({});
  EXPECT_GT(m_counts.needed, 10u);
  EXPECT_EQ(m_counts.reported, m_counts.needed);
  EXPECT_GT(m_counts.led, 4u) << "sort-odd-even has paths that its input does not take";
  EXPECT_EQ(m_counts.ledReported, m_counts.led);
  bool hasOneWave = std::string(GetParam()) == "gfx900"; // Of 64: all that these workgroups have.
  EXPECT_EQ(m_counts.memoryNeeded == 0, hasOneWave) << "waits before barriers";
  EXPECT_EQ(m_counts.memoryReported, m_counts.memoryNeeded);
  EXPECT_EQ(m_counts.memoryOther, 0u);
  EXPECT_EQ(m_counts.falseReports, 0u);
  EXPECT_GE(m_counts.changed * 10, m_counts.needed * 6);
  EXPECT_EQ(m_problems, "");
}

TEST_P(WaitProof, SeesThatNothingIsReportedWithoutSanitizer) {
  WaitProofOptions options;
  options.sanitize = false;
  options.late = false;
  prove(options);
  EXPECT_GT(m_counts.needed, 10u);
  EXPECT_EQ(m_counts.reported, 0u);
  EXPECT_GT(m_counts.led, 4u);
  EXPECT_EQ(m_counts.ledReported, 0u);
  EXPECT_EQ(m_counts.memoryReported, 0u);
}

/// Both stages of draws. Vertex shaders fetch, fragment shaders sample and, from GFX11 on,
/// interpolate what they load from LDS.
TEST_P(WaitProof, EveryNeededWaitOfADrawIsReported) {
  for (ShaderStage stage : {ShaderStage::Vertex, ShaderStage::Fragment}) {
    SCOPED_TRACE(getStageName(stage).str());
    WaitProofOptions options;
    options.stage = stage;
    WaitCounts counts;
    std::string problems;
    for (const char *name : {"interface-many", "img-gather-2d", "deriv-in-loop"})
      ASSERT_NO_FATAL_FAILURE(proveOne(name, **findTarget(GetParam()), options, counts, &problems));
    EXPECT_GE(counts.needed, 4u);
    EXPECT_EQ(counts.reported, counts.needed);
    EXPECT_EQ(counts.ledReported, counts.led);
    EXPECT_EQ(counts.memoryReported, counts.memoryNeeded);
    EXPECT_EQ(counts.falseReports, 0u);
    EXPECT_EQ(problems, "");
    options.sanitize = false;
    counts = {};
    for (const char *name : {"interface-many", "img-gather-2d", "deriv-in-loop"})
      ASSERT_NO_FATAL_FAILURE(proveOne(name, **findTarget(GetParam()), options, counts));
    EXPECT_GE(counts.needed, 4u);
    EXPECT_EQ(counts.reported, 0u);
  }
}

/// GFX9's code names the first register of an image's address only.
TEST(WaitProofOfImages, KnowsWholeAddresses) {
  const TargetInfo *target = *findTarget("gfx900");
  for (const char *name : {"image-cube-sampling", "image-gather"}) {
    WaitCounts counts;
    ASSERT_NO_FATAL_FAILURE(proveOne(name, *target, {}, counts));
    EXPECT_GT(counts.needed, 10u) << name;
    EXPECT_EQ(counts.reported, counts.needed) << name;
    EXPECT_EQ(counts.falseReports, 0u) << name;
  }
}

INSTANTIATE_TEST_SUITE_P(Targets, WaitProof,
                         testing::Values("gfx900", "gfx1030", "gfx1100", "gfx1201"),
                         [](const auto &info) { return std::string(info.param); });
