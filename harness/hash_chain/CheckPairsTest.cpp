// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/hash_chain/CheckPairs.h"

#include "fuzz/pair/StagePipelines.h"
#include "oracles/input/CaseReader.h"
#include "support/Error.h"
#include "support/Fault.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include <cstdlib>

using namespace llvm;
using namespace assay;

/// \p name: of corpora/compute, or with a folder.
static PairInput readInput(StringRef name, StringRef target) {
  std::string folder = name.contains('/') ? "/corpora/" : "/corpora/compute/";
  std::string path = (ASSAY_SOURCE_DIR + folder + name).str();
  Case input = cantFail(readCase(path, name));
  PairInput result;
  result.pipeline = input.pipelines.at(0).description;
  result.options.target = cantFail(findTarget(target));
  return result;
}

static PairInput generateInput(uint64_t seed, StringRef target) {
  Random random(seed);
  PairInput result;
  result.pipeline = cantFail(assembleStages(makeStageTexts(random)));
  result.options.target = cantFail(findTarget(target));
  return result;
}

static PairReport check(const PairInput &input, const PairOptions &options) {
  Compiler compiler;
  return cantFail(checkPairs(compiler, input, options));
}

static PairReport check(StringRef name, StringRef target, const PairOptions &options) {
  return check(readInput(name, target), options);
}

static std::vector<std::string> describe(const PairReport &report) {
  std::vector<std::string> texts;
  for (const Finding &finding : report.findings)
    texts.push_back(finding.rule + ": " + finding.message + " (" + finding.evidence[0].second +
                    " " + finding.evidence[1].second + ")");
  return texts;
}

static bool isFull() {
  const char *scale = std::getenv("ASSAY_SCALE");
  return scale && StringRef(scale) == "full";
}

static const char *const targets[] = {"gfx900", "gfx1030", "gfx1100"};

static void print(const PairReport &report) {
  PairCounts total = report.total();
  outs() << total.pairs << " pairs, " << total.sameCode << " shaders with equal code, "
         << total.sameCodeSameHash << " of these with equal hashes\n";
  for (const auto &[name, count] : report.counts)
    outs() << "  " << name << ": " << count.pairs << " pairs, " << count.sameCode << ", "
           << count.sameCodeSameHash << "\n";
  for (const auto &[datum, count] : report.imprecise)
    outs() << "  equal code, but different " << datum << ": " << count << "\n";
  outs().flush();
}

TEST(CheckPairs, NoLawIsBroken) {
  const char *cases[] = {"saxpy.amber",
                         "control-switch.amber",
                         "matrix-mat4-ops.amber",
                         "resource-descriptor-arrays.amber",
                         "resource-specialization.amber",
                         "image-descriptor-arrays.amber",
                         "resource-push-constants.amber",
                         "shared-layout-small.amber",
                         "reduce-shared.amber",
                         "atomic-float.amber"};
  PairReport all;
  uint64_t seed = 0;
  for (const char *name : cases) {
    PairOptions options;
    options.seed = seed++ * 5;
    options.pairs = isFull() ? 600 : 30;
    options.checksCache = seed % 3 == 0;
    PairReport report = check(name, targets[seed % 3], options);
    EXPECT_THAT(describe(report), testing::IsEmpty()) << name;
    all.add(report);
  }
  EXPECT_GE(all.total().pairs, 300u);
  print(all);
}

// Each stage by itself, and what it has read of the other.
TEST(CheckPairs, NoLawIsBrokenBetweenStages) {
  PairReport all;
  for (uint64_t seed = 0; seed < (isFull() ? 200 : 20); ++seed) {
    PairOptions options;
    options.seed = seed * 7;
    options.pairs = isFull() ? 30 : 15;
    PairReport report = check(generateInput(seed, targets[seed % 3]), options);
    EXPECT_THAT(describe(report), testing::IsEmpty()) << "seed " << seed;
    all.add(report);
  }
  EXPECT_GE(all.total().pairs, 300u);
  for (const PairMutation &mutation : listPairMutations())
    if (mutation.name.starts_with("interface-"))
      EXPECT_GT(all.counts[mutation.name.str()].pairs, 0u) << mutation.name.str();
  print(all);
}

// With the state that passes of graphics stages read.
TEST(CheckPairs, NoLawIsBrokenOnGraphicsCases) {
  const char *cases[] = {"graphics/stage-storage.amber", "graphics/stage-dual-source.amber",
                         "graphics/stage-primitive-id.amber", "graphics/interp-sample-four.amber",
                         "graphics/vertex-format-r8g8-uint.amber"};
  PairReport all;
  for (const auto &[index, name] : enumerate(cases)) {
    PairOptions options;
    options.seed = index * 3;
    options.pairs = isFull() ? 400 : 20;
    options.checksCache = true;
    PairReport report = check(name, targets[index % 3], options);
    EXPECT_THAT(describe(report), testing::IsEmpty()) << name;
    all.add(report);
  }
  EXPECT_GE(all.total().pairs, 90u);
  print(all);
}

TEST(CheckPairs, PartsWithOtherSamplesAreOtherEntries) {
  PairOptions options;
  options.pairs = 3;
  options.mutations = {"state-samples"};
  options.checksCache = true;
  PairReport report = check("graphics/interp-sample-four.amber", "gfx1100", options);
  EXPECT_THAT(describe(report), testing::IsEmpty());
  EXPECT_LT(report.total().sameCode, report.total().shaders) << "no code depends on samples";
}

#ifdef ASSAY_FAULTS
namespace {
/// A fault, where it shows, and what must be said of it.
struct ChainFault {
  const char *fault;
  const char *input;    ///< A case, or "stages": generated pipelines of two stages.
  const char *mutation; ///< One that shows it.
  const char *rule;
  const char *place; ///< Pass or reader that the finding names.
  const char *target = "gfx1100";
};
} // namespace

static const ChainFault chainFaults[] = {
    {"hash-skips-front-end", "saxpy.amber", "robustness", "HASH-STEP", "front-end"},
    {"hash-skips-desc", "saxpy.amber", "layout-offset", "HASH-SOUND", "lower-desc"},
    {"hash-skips-entry-point", "saxpy.amber", "layout-unused", "HASH-SOUND", "mutate-entry-point"},
    {"hash-skips-offset", "saxpy.amber", "layout-offset", "HASH-SOUND", "lower-desc"},
    {"hash-skips-stride", "resource-descriptor-arrays.amber", "layout-stride", "HASH-SOUND",
     "lower-desc"},
    {"hash-skips-binding", "saxpy.amber", "layout-offset", "HASH-SOUND", "lower-desc"},
    {"hash-skips-table", "resource-descriptor-arrays.amber", "layout-entry", "HASH-SOUND",
     "mutate-entry-point"},
    {"hash-skips-user-data", "saxpy.amber", "layout-unused", "HASH-SOUND", "mutate-entry-point"},
    {"hash-skips-robustness", "saxpy.amber", "robustness", "HASH-SOUND", "front-end"},
    {"hash-skips-level", "reduce-shared.amber", "level", "HASH-SOUND", "code-generation"},
    {"hash-skips-lowering", "base64.amber", "lowering", "HASH-SOUND", "code-generation"},
    {"hash-skips-wave-size", "saxpy.amber", "wave-size", "HASH-SOUND", "mutate-entry-point"},
    {"hash-skips-specialization", "resource-specialization.amber", "specialization", "HASH-SOUND",
     "front-end"},
    {"hash-skips-literals", "saxpy.amber", "constant", "HASH-SOUND", "front-end"},
    {"hash-skips-modes", "reduce-shared.amber", "local-size", "HASH-SOUND", "front-end"},
    {"hash-skips-callees", "functions-inout-arrays.amber", "body", "HASH-SOUND", "front-end"},
    {"hash-of-unused", "saxpy.amber", "unused-variable", "HASH-PRECISE", "driver"},
    {"hash-of-names", "saxpy.amber", "names", "HASH-PRECISE", "driver"},
    {"hash-twice", "saxpy.amber", "names", "HASH-HISTORY", "_amdgpu_cs_main"},
    {"hash-truncated", "saxpy.amber", "names", "HASH-HISTORY", "_amdgpu_cs_main"},
    {"hash-of-pointer", "saxpy.amber", "names", "HASH-HISTORY", "_amdgpu_cs_main"},
    {"hash-unordered", "saxpy.amber", "names", "HASH-PRECISE", "driver"},
    {"chain-of-run", "saxpy.amber", "body", "HASH-REPEAT", "driver"},
    {"hash-node-lost", "saxpy.amber", "names", "HASH-LOST", "_amdgpu_cs_main"},
    {"cache-forgets-level", "saxpy.amber", "level", "HASH-CACHE", "cache"},
};

/// Those of graphics stages, of linking and of the keys of parts.
static const ChainFault stageFaults[] = {
    {"hash-skips-vertex-fetch", "graphics/vertex-format-r8g8-uint.amber", "state-attribute",
     "HASH-SOUND", "lower-vertex-fetch"},
    {"hash-skips-vertex-exports", "graphics/stage-point-size.amber", "state-topology", "HASH-STEP",
     "lower-vertex-exports"},
    {"hash-skips-primitive", "graphics/stage-primitive-id.amber", "state-rasterization",
     "HASH-SOUND", "lower-primitive-shader"},
    {"hash-skips-fragment-inputs", "graphics/interp-sample-four.amber", "state-samples",
     "HASH-SOUND", "lower-fragment-inputs"},
    {"hash-skips-color-export", "stages", "state-target", "HASH-SOUND", "lower-color-export"},
    {"hash-skips-stage-entry-point", "stages", "layout-unused", "HASH-SOUND",
     "mutate-stage-entry-point"},
    {"hash-skips-interpolation", "stages", "interface-interpolation", "HASH-SOUND", "front-end"},
    {"hash-skips-interface", "graphics/interp-sample-four.amber", "interface-retype", "HASH-STEP",
     "front-end"},
    {"link-skips-written", "stages", "interface-constant", "HASH-SOUND", "link-inputs"},
    {"link-skips-constant", "stages", "interface-constant", "HASH-SOUND", "link-inputs"},
    {"link-forgets-number", "stages", "interface-constant", "HASH-SOUND", "link-inputs"},
    {"link-skips-reader", "stages", "interface-unread", "HASH-SOUND", "link-outputs"},
    {"link-skips-place", "stages", "interface-interpolation", "HASH-SOUND", "link-outputs"},
    {"link-counts-runs", "stages", "names", "HASH-REPEAT", "link-outputs"},
    {"key-skips-samples", "graphics/interp-sample-four.amber", "state-samples", "HASH-CACHE",
     "cache"},
    {"key-skips-layout", "stages", "layout-unused", "HASH-CACHE", "cache"},
};

/// The inputs of \p row.
static std::vector<PairInput> makeInputs(const ChainFault &row) {
  if (StringRef(row.input) != "stages")
    return {readInput(row.input, row.target)};
  std::vector<PairInput> inputs;
  for (uint64_t seed = 0; seed < 6; ++seed)
    inputs.push_back(generateInput(seed, row.target));
  return inputs;
}

static PairReport checkRow(const ChainFault &row, unsigned pairs) {
  PairOptions options;
  options.pairs = pairs;
  options.mutations = {row.mutation};
  options.checksCache = StringRef(row.rule) == "HASH-CACHE";
  PairReport report;
  for (const PairInput &input : makeInputs(row))
    report.add(check(input, options));
  return report;
}

/// Ends the process: with 0 when \p row's fault is found and attributed.
[[noreturn]] static void checkFault(const ChainFault &row) {
  if (plantFault(row.fault))
    std::_Exit(2);
  PairReport report = checkRow(row, 8);
  bool isFound = any_of(report.findings, [&](const Finding &finding) {
    return finding.rule == row.rule && finding.location == row.place;
  });
  if (!isFound)
    errs() << row.fault << ": " << testing::PrintToString(describe(report)) << "\n";
  std::_Exit(isFound ? 0 : 1);
}

static void checkFaults(ArrayRef<ChainFault> rows) {
  for (const ChainFault &row : rows) {
    EXPECT_THAT(describe(checkRow(row, 2)), testing::IsEmpty()) << row.fault;
    EXPECT_EXIT(checkFault(row), testing::ExitedWithCode(0), "") << row.fault;
  }
}

TEST(CheckPairs, FaultsAreFoundAndAttributed) {
  checkFaults(chainFaults);
}

TEST(CheckPairs, FaultsOfStagesAreFoundAndAttributed) {
  checkFaults(stageFaults);
}
#endif
