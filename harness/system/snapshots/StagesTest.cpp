// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Draws of graphics pipelines on machine ir, as the front-end leaves their stages, before they are
// linked, and at the end of the neutral middle-end, against the reference. Cases of
// corpora/graphics and generated pipelines; more of both with ASSAY_SCALE=full.
#include "compiler/driver/Compiler.h"
#include "compiler/driver/PassWatcher.h"
#include "fuzz/pair/StagePipelines.h"
#include "oracles/execution/Judge.h"
#include "oracles/input/CaseReader.h"
#include "oracles/machine/ir/IrMachine.h"
#include "oracles/machine/spirv/SpirvMachine.h"
#include "support/Error.h"
#include "support/Fault.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/FileSystem.h"

#include <gtest/gtest.h>
#include <map>

using namespace llvm;
using namespace assay;

namespace {
/// Where a pipeline is run.
constexpr StringLiteral points[] = {"front-end", "remove-poison-outputs", "end"};

/// Keeps the modules of all stages as they are after the passes in points.
class Keeper final : public PassWatcher {
public:
  bool mayRun(StringRef, StringRef) override { return true; }
  void willRun(StringRef) override {}
  void enterStage(ShaderStage stage) override { m_stage = stage; }
  void didRun(StringRef pass, const Module &module) override {
    for (StringRef point : points)
      if (point == pass)
        add(point, m_stage) << module;
  }
  /// As machine ir reads it.
  raw_string_ostream add(StringRef point, ShaderStage stage) {
    std::string &text = m_texts[point.str()];
    text += ("; stage " + getStageName(stage) + "\n").str();
    return raw_string_ostream(text);
  }
  Artifact take(StringRef point) {
    const std::string &text = m_texts[point.str()];
    return Artifact::makeIr(text);
  }

private:
  ShaderStage m_stage = ShaderStage::Compute;
  std::map<std::string, std::string> m_texts;
};

struct Counts {
  unsigned run = 0, all = 0;
  std::map<std::string, unsigned> reasons; ///< Why the others were not run.
};
} // namespace

static bool isFull() {
  const char *scale = std::getenv("ASSAY_SCALE");
  return scale && StringRef(scale) == "full";
}

/// One artifact a pipeline for each point; nothing, and the reason counted, where one can't be
/// compiled.
static std::map<std::string, std::vector<Artifact>>
compile(const Case &input, const CompileOptions &options, Counts &counts) {
  std::map<std::string, std::vector<Artifact>> artifacts;
  Compiler compiler;
  for (const CasePipeline &pipeline : input.pipelines) {
    Keeper keeper;
    compiler.setPassWatcher(&keeper);
    Expected<std::vector<CompiledStage>> stages =
        compiler.compileStages(pipeline.description, options);
    if (!stages) {
      ErrorParts error = takeError(stages.takeError());
      EXPECT_EQ(error.kind, ErrorKind::Unsupported) << error.message;
      ++counts.reasons[error.message];
      return {};
    }
    for (const CompiledStage &stage : *stages)
      keeper.add("end", stage.hash.stage) << stage.ir;
    for (StringRef point : points)
      artifacts[point.str()].push_back(keeper.take(point));
  }
  return artifacts;
}

static void checkPoint(const Case &input, const Outcome &reference, ArrayRef<Artifact> artifacts,
                       const TargetInfo &target, Counts &counts) {
  ++counts.all;
  Expected<Outcome> outcome = createIrMachine(target)->run(input, artifacts, {});
  ASSERT_TRUE(static_cast<bool>(outcome)) << takeError(outcome.takeError()).message;
  if (outcome->kind == OutcomeKind::Unsupported) {
    ++counts.reasons[outcome->reason];
    return;
  }
  ++counts.run;
  ASSERT_EQ(outcome->kind, OutcomeKind::Completed) << outcome->reason;
  auto difference = compareWithReference(input, reference, *outcome);
  ASSERT_TRUE(static_cast<bool>(difference)) << takeError(difference.takeError()).message;
  if (!difference->findings.empty())
    ADD_FAILURE() << difference->findings.front().message;
}

static void checkCase(const Case &input, StringRef targetName, unsigned level, Counts &counts) {
  CompileOptions options;
  options.target = cantFail(findTarget(targetName));
  options.optLevel = level;
  Expected<Outcome> reference = createSpirvMachine()->run(input, {}, {});
  ASSERT_TRUE(static_cast<bool>(reference)) << takeError(reference.takeError()).message;
  if (reference->kind != OutcomeKind::Completed) {
    ++counts.reasons["reference: " + reference->reason];
    return;
  }
  for (const auto &[point, artifacts] : compile(input, options, counts)) {
    SCOPED_TRACE(point + " -O" + std::to_string(level));
    checkPoint(input, *reference, artifacts, *options.target, counts);
  }
}

static void report(const Counts &counts) {
  outs() << counts.run << " of " << counts.all << " run\n";
  for (const auto &[reason, count] : counts.reasons)
    outs() << "not run: " << count << " x " << reason << "\n";
}

static std::vector<std::string> listCorpus() {
  std::vector<std::string> paths;
  std::error_code error;
  for (sys::fs::directory_iterator it(ASSAY_SOURCE_DIR "/corpora/graphics", error), end;
       it != end && !error; it.increment(error))
    if (StringRef(it->path()).ends_with(".amber"))
      paths.push_back(it->path());
  sort(paths);
  return paths;
}

/// The ELF of \p pipeline, or nothing where it is unsupported.
static std::vector<uint8_t> compileToElf(Compiler &compiler, const PipelineDescription &pipeline,
                                         CompileOptions options, bool recordBuilder) {
  options.recordBuilder = recordBuilder;
  Expected<CompileResult> result = compiler.compile(pipeline, options, EmitPhase::Elf);
  if (result)
    return result->output;
  ErrorParts error = takeError(result.takeError());
  EXPECT_EQ(error.kind, ErrorKind::Unsupported) << error.message;
  return {};
}

TEST(Stages, RecordedAndDirectBuildersGiveTheSameElf) {
  std::vector<std::string> paths = listCorpus();
  Compiler compiler;
  unsigned compared = 0;
  for (const auto &[index, path] : enumerate(paths)) {
    if (!isFull() && index % 24 != 5)
      continue;
    SCOPED_TRACE(path);
    Expected<Case> input = readCase(path, path);
    ASSERT_TRUE(static_cast<bool>(input)) << takeError(input.takeError()).message;
    CompileOptions options;
    options.target = cantFail(findTarget(index % 16 < 8 ? "gfx1030" : "gfx1100"));
    options.optLevel = index % 3 ? 2 : 0;
    GraphicsChoices choices;
    choices.linkMode = index % 5 ? LinkMode::Parts : LinkMode::Unlinked;
    compiler.setGraphicsChoices(choices);
    for (const CasePipeline &pipeline : input->pipelines) {
      auto compile = [&](bool recordBuilder) {
        return compileToElf(compiler, pipeline.description, options, recordBuilder);
      };
      std::vector<uint8_t> recorded = compile(true);
      EXPECT_EQ(recorded, compile(false));
      compared += !recorded.empty();
    }
  }
  EXPECT_GE(compared, 15u);
}

TEST(Stages, CorpusDrawsTheSameOnIr) {
  std::vector<std::string> paths = listCorpus();
  ASSERT_GT(paths.size(), 100u);
  Counts counts;
  for (const auto &[index, path] : enumerate(paths)) {
    if (!isFull() && index % 8 != 0)
      continue;
    SCOPED_TRACE(path);
    Expected<Case> input = readCase(path, path);
    ASSERT_TRUE(static_cast<bool>(input)) << takeError(input.takeError()).message;
    checkCase(*input, index % 16 ? "gfx1030" : "gfx1100", index % 3 ? 2 : 0, counts);
  }
  report(counts);
  EXPECT_GT(counts.run * 10, counts.all * 9);
}

namespace {
/// Keeps the stages as they are linked, and one stage as each of AMD's passes that are for graphics
/// leaves it, with the others as they are linked.
class LoweredKeeper final : public PassWatcher {
public:
  struct Snapshot {
    std::string pass, text;
  };
  bool mayRun(StringRef, StringRef) override { return true; }
  void willRun(StringRef) override {}
  void enterStage(ShaderStage stage) override { m_stage = stage; }
  void didLink() override { m_isLinked = true; }
  void didRun(StringRef pass, const Module &module) override {
    constexpr StringLiteral families[] = {"lower-vertex-", "lower-primitive-", "lower-fragment-",
                                          "lower-color-"};
    std::string text;
    raw_string_ostream(text) << module;
    if (!m_isLinked)
      m_linked[m_stage] = text;
    else if (any_of(families, [&](StringRef family) { return pass.starts_with(family); }))
      snapshots.push_back({pass.str(), print(text)});
  }

  std::vector<Snapshot> snapshots;

private:
  std::string print(StringRef own) const {
    std::string whole;
    for (const auto &[stage, text] : m_linked)
      whole += ("; stage " + getStageName(stage) + "\n" + (stage == m_stage ? own : text)).str();
    return whole;
  }

  ShaderStage m_stage = ShaderStage::Compute;
  bool m_isLinked = false;
  std::map<ShaderStage, std::string> m_linked;
};
} // namespace

/// Of cases with one pipeline: after each pass.
static void checkLowered(const Case &input, StringRef target, const GraphicsChoices &choices,
                         Counts &counts) {
  CompileOptions options;
  options.target = cantFail(findTarget(target));
  options.optLevel = 2;
  Expected<Outcome> reference = createSpirvMachine()->run(input, {}, {});
  ASSERT_TRUE(static_cast<bool>(reference)) << takeError(reference.takeError()).message;
  LoweredKeeper keeper;
  Compiler compiler;
  compiler.setGraphicsChoices(choices);
  compiler.setPassWatcher(&keeper);
  auto elf = compiler.compile(input.pipelines.front().description, options, EmitPhase::Elf);
  if (!elf || reference->kind != OutcomeKind::Completed) {
    consumeError(elf.takeError());
    return;
  }
  for (const LoweredKeeper::Snapshot &snapshot : keeper.snapshots) {
    SCOPED_TRACE((target + " after " + snapshot.pass).str());
    Artifact artifact = Artifact::makeIr(snapshot.text);
    checkPoint(input, *reference, artifact, *options.target, counts);
  }
}

TEST(Stages, LoweredStagesDrawTheSameOnIr) {
  constexpr StringLiteral targets[] = {"gfx900", "gfx1030", "gfx1100", "gfx1201"};
  Counts counts;
  for (const auto &[index, path] : enumerate(listCorpus())) {
    if (!isFull() && index % 12 != 3)
      continue;
    SCOPED_TRACE(path);
    Expected<Case> input = readCase(path, path);
    ASSERT_TRUE(static_cast<bool>(input)) << takeError(input.takeError()).message;
    StringRef target = targets[index / 12 % std::size(targets)];
    GraphicsChoices choices;
    choices.useNgg = target == "gfx1030" && index % 24 < 12;
    if (input->pipelines.size() == 1)
      checkLowered(*input, target, choices, counts);
  }
  report(counts);
  EXPECT_GT(counts.run, 100u);
  EXPECT_GT(counts.run * 10, counts.all * 9);
}

/// A case that draws with \p texts into 8 x 8 pixels.
static Expected<Case> makeCase(const StageTexts &texts) {
  std::string script = "#!amber\nSHADER vertex v SPIRV-ASM\n" + texts.vertex +
                       "END\nSHADER fragment f SPIRV-ASM\n" + texts.fragment +
                       "END\nBUFFER target FORMAT R32G32B32A32_SFLOAT\n"
                       "PIPELINE graphics p\n  ATTACH v\n  ATTACH f\n  FRAMEBUFFER_SIZE 8 8\n"
                       "  BIND BUFFER target AS color LOCATION 0\n"
                       "END\n"
                       "RUN p DRAW_ARRAY AS TRIANGLE_LIST START_IDX 0 COUNT 3\n"
                       "EXPECT target IDX 0 GE -1000000\n";
  return readCaseFromText(script, "generated.amber", "generated.amber");
}

static void checkGenerated(unsigned count, Counts &counts) {
  for (unsigned seed = 0; seed < count; ++seed) {
    Random random(seed);
    StageTexts texts = makeStageTexts(random);
    SCOPED_TRACE("seed " + std::to_string(seed));
    Expected<Case> input = makeCase(texts);
    ASSERT_TRUE(static_cast<bool>(input)) << takeError(input.takeError()).message;
    checkCase(*input, seed % 2 ? "gfx1030" : "gfx1100", seed % 4 ? 2 : 0, counts);
  }
}

TEST(Stages, GeneratedPipelinesDrawTheSameOnIr) {
  Counts counts;
  checkGenerated(isFull() ? 500 : 40, counts);
  report(counts);
  EXPECT_EQ(counts.run, counts.all);
  EXPECT_GT(counts.run, 60u);
  // Inputs that no stage writes are undefined: the reference leaves their texels open.
  for (const auto &[reason, count] : counts.reasons)
    EXPECT_TRUE(StringRef(reason).starts_with("reference: imprecise")) << reason;
}
