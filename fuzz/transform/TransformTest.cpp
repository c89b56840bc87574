// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What every transformation promises, on many cases: the result is valid, has a meaning, and leaves
// the same in all buffers of the original; one that gets its essential thing wrong is seen.
#include "fuzz/transform/Transform.h"

#include "compiler/spirv/Module.h"
#include "fuzz/transform/Donor.h"
#include "fuzz/transform/Pipeline.h"
#include "fuzz/transform/Transformations.h"
#include "oracles/execution/Judge.h"
#include "oracles/input/CaseReader.h"
#include "oracles/machine/spirv/SpirvMachine.h"
#include "support/Error.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include <cstdlib>
#include <gtest/gtest.h>

using namespace llvm;
using namespace assay;
using namespace assay::fuzz;

static bool isFullScale() {
  const char *scale = std::getenv("ASSAY_SCALE");
  return scale && StringRef(scale) == "full";
}

static GeneratedCase originalOf(uint64_t seed) {
  return generate(seed, cantFail(findProfile(profileNames()[seed % profileNames().size()])));
}

namespace {
/// A case with what the reference says of it.
struct Meaning {
  Case input;
  Outcome outcome;
};
} // namespace

constexpr uint64_t originalBudget = 4'000'000;
/// Of what \p original became: calls of donors, and some more instructions everywhere.
static uint64_t budgetFor(const Outcome &original) {
  return 16 * original.instructions + originalBudget / 4;
}

/// However the run ends.
static Expected<Meaning> runReference(Case input, uint64_t budget) {
  for (const CasePipeline &pipeline : input.pipelines)
    if (Error error = spirv::validate(pipeline.description.getShader(ShaderStage::Compute).spirv))
      return std::move(error);
  RunOptions options;
  options.maxInstructions = budget;
  Expected<Outcome> outcome = createSpirvMachine()->run(input, {}, options);
  if (!outcome)
    return outcome.takeError();
  return Meaning{std::move(input), std::move(*outcome)};
}

static Expected<Meaning> runReference(const GeneratedCase &generated, uint64_t budget) {
  // What can't be printed is not valid.
  if (Error error = spirv::validate(encode(generated.program)))
    return std::move(error);
  Expected<Case> input = readCaseFromText(printAmber(generated), "generated.amber", "generated");
  if (!input)
    return input.takeError();
  return runReference(std::move(*input), budget);
}

/// InvalidInput where the case has none.
template <typename CaseT> static Expected<Meaning> findMeaning(CaseT input) {
  Expected<Meaning> meaning = runReference(std::move(input), originalBudget);
  if (meaning && meaning->outcome.kind != OutcomeKind::Completed)
    return invalidInput(meaning->outcome.reason);
  return meaning;
}

/// Of the original of \p seed, found once.
static const Meaning &meaningOf(uint64_t seed) {
  static std::map<uint64_t, Meaning> known;
  auto found = known.find(seed);
  return found != known.end()
             ? found->second
             : known.emplace(seed, cantFail(findMeaning(originalOf(seed)))).first->second;
}

namespace {
struct Disagreement {
  std::string text;          ///< Empty: there is none.
  bool isOfMeanings = false; ///< Both are valid, and mean something else, or one nothing.
};
} // namespace

/// Why \p transformed does not mean what \p original does.
template <typename CaseT>
static Disagreement compareMeanings(const Meaning &original, const CaseT &transformed) {
  Expected<Meaning> other = runReference(transformed, budgetFor(original.outcome));
  if (!other)
    return {takeError(other.takeError()).message};
  if (other->outcome.kind != OutcomeKind::Completed)
    return {other->outcome.reason, other->outcome.kind == OutcomeKind::UndefinedBehavior};
  for (auto [own, kept] : zip(other->input.buffers, original.input.buffers))
    if (own.name != kept.name)
      return {own.name + " is where " + kept.name + " stood", /*isOfMeanings=*/true};
  for (auto &states : other->outcome.checkpoints)
    states.resize(original.input.buffers.size()); // New buffers come last.
  Expected<Judgement> judgement =
      compareWithReference(original.input, original.outcome, other->outcome);
  if (!judgement)
    return {takeError(judgement.takeError()).message};
  EXPECT_GT(judgement->compared, 0u);
  if (judgement->findings.empty())
    return {};
  return {judgement->findings.front().message, /*isOfMeanings=*/true};
}

/// Empty where both mean the same.
template <typename CaseT>
static std::string findDisagreement(const Meaning &original, const CaseT &transformed) {
  return compareMeanings(original, transformed).text;
}

namespace {
class EachTransformation : public testing::TestWithParam<Transformation> {
protected:
  /// This one, and those that it needs the ground prepared by.
  TransformOptions optionsFor(uint64_t seed) const {
    TransformOptions options{.seed = seed, .steps = 16};
    constexpr size_t Share = 4; // As often as four others.
    options.only.assign(Share, GetParam().name.str());
    for (const Transformation &each : transformations())
      if (each.kind == TransformationKind::Enabling && each.name != GetParam().name)
        options.only.push_back(each.name.str());
    return options;
  }
  uint64_t countOf(const TransformationLog &log) const {
    return static_cast<uint64_t>(
        count_if(log.steps, [&](const Step &each) { return each.name == GetParam().name; }));
  }
};
} // namespace

TEST_P(EachTransformation, KeepsTheMeaning) {
  uint64_t applied = 0, wanted = isFullScale() ? 200 : 8;
  for (uint64_t seed = 0; applied < wanted && seed < wanted * 8; ++seed) {
    GeneratedCase original = originalOf(seed);
    TransformedCase transformed = cantFail(transformCase(original, optionsFor(seed)));
    if (!countOf(transformed.log))
      continue;
    ++applied;
    ASSERT_EQ(findDisagreement(meaningOf(seed), transformed.result), "")
        << "seed " << seed << "\n"
        << printLog(transformed.log);
  }
  EXPECT_EQ(applied, wanted) << "cases to which it was applied";
}

/// By what it means: that a result is not valid, or does not end, would say nothing of comparisons.
TEST_P(EachTransformation, IsSeenWhenBroken) {
  std::map<std::string, unsigned> others;
  for (uint64_t seed = 0; seed < 100; ++seed) {
    GeneratedCase original = originalOf(seed);
    TransformOptions options = optionsFor(seed);
    options.broken = GetParam().name.str();
    TransformedCase transformed = cantFail(transformCase(original, options));
    Disagreement found = compareMeanings(meaningOf(seed), transformed.result);
    if (found.isOfMeanings)
      return;
    ++others[found.text];
  }
  std::string text;
  for (const auto &[reason, count] : others)
    text += "\n" + std::to_string(count) + " x '" + reason + "'";
  FAIL() << "no other meaning in 100 cases: " << StringRef(text).take_front(1000).str();
}

TEST(OptimizeModule, EachPassKeepsTheMeaning) {
  const unsigned wanted = isFullScale() ? 100 : 3;
  for (const char *pass : optimizerPasses()) {
    unsigned applied = 0;
    for (uint64_t seed = 0; applied < wanted && seed < 4 * wanted; ++seed) {
      TransformationLog log{0, "", {{"optimize-module", 1 << 16, {}, pass}}};
      TransformedCase optimized = cantFail(replay(originalOf(seed), log));
      if (optimized.log.steps.empty())
        continue; // The pass folds, and the case has products that it stumbles on.
      ++applied;
      EXPECT_EQ(findDisagreement(meaningOf(seed), optimized.result), "")
          << pass << ", seed " << seed;
    }
    EXPECT_EQ(applied, wanted) << pass;
  }
}

/// bugs/README.md: the pass folds such a product and dies of the null column.
constexpr const char *productWithNullColumn = R"(#!amber
SHADER compute s SPIRV-ASM TARGET_ENV spv1.6
OpCapability Matrix
OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main" %out
OpExecutionMode %main LocalSize 1 1 1
OpDecorate %Block Block
OpMemberDecorate %Block 0 Offset 0
OpDecorate %out DescriptorSet 0
OpDecorate %out Binding 0
%void = OpTypeVoid
%fn = OpTypeFunction %void
%uint = OpTypeInt 32 0
%float = OpTypeFloat 32
%vec2 = OpTypeVector %float 2
%mat2 = OpTypeMatrix %vec2 2
%u0 = OpConstant %uint 0
%f1 = OpConstant %float 1
%v = OpConstantComposite %vec2 %f1 %f1
%n = OpConstantNull %vec2
%m = OpConstantComposite %mat2 %v %n
%Block = OpTypeStruct %vec2
%pBlock = OpTypePointer StorageBuffer %Block
%pVec2 = OpTypePointer StorageBuffer %vec2
%out = OpVariable %pBlock StorageBuffer
%main = OpFunction %void None %fn
%entry = OpLabel
%x = OpVectorTimesMatrix %vec2 %v %m
%p = OpAccessChain %pVec2 %out %u0
OpStore %p %x
OpReturn
OpFunctionEnd
END
BUFFER out DATA_TYPE vec2<float> DATA 0 0 END
PIPELINE compute p
  ATTACH s
  BIND BUFFER out AS storage DESCRIPTOR_SET 0 BINDING 0
END
RUN p 1 1 1
)";

TEST(OptimizeModule, NoPassFoldsProductsOfMatrices) {
  Case input = cantFail(readCaseFromText(productWithNullColumn, "product.amber", "product"));
  for (StringRef pass : optimizerPasses()) {
    TransformationLog log{0, "", {{"optimize-module", 1 << 16, {}, pass.str()}}};
    TransformedInput optimized = cantFail(replayPipeline(input, 0, log));
    EXPECT_EQ(optimized.log.steps.empty(), pass == "ccp") << pass.str();
    EXPECT_EQ(findDisagreement(cantFail(findMeaning(input)), optimized.result), "") << pass.str();
  }
}

/// Nor does a donor bring one after a pass that folds.
TEST(OptimizeModule, DonorsBringNoProductsToWhatIsFolded) {
  Case input = cantFail(readCaseFromText(productWithNullColumn, "product.amber", "product"));
  Program program =
      cantFail(decode(input.pipelines[0].description.getShader(ShaderStage::Compute).spirv));
  fuzz::Function &product = program.functions.front();
  erase_if(product.blocks.front().body, [](const fuzz::Instruction &each) {
    return each.opcode == spv::Op::OpAccessChain || each.opcode == spv::Op::OpStore;
  });
  erase_if(program.capabilities, [](const fuzz::Instruction &each) { // Shader implies it.
    return each.word(0) == static_cast<uint32_t>(spv::Capability::Matrix);
  });
  std::optional<Program> donor = extractFunction(program, product.result());
  ASSERT_TRUE(donor);
  for (StringRef pass : {"merge-blocks", "ccp"}) {
    TransformationLog log{0,
                          "",
                          {{"optimize-module", 1 << 16, {}, pass.str()},
                           {"add-donor-function", 1 << 17, {}, printDonor(*donor)}}};
    EXPECT_EQ(cantFail(replay(originalOf(0), log)).log.steps.size(), pass == "ccp" ? 1u : 2u);
  }
}

static std::string nameOf(const testing::TestParamInfo<Transformation> &info) {
  std::string name;
  for (StringRef rest = info.param.name; !rest.empty();) {
    auto [word, tail] = rest.split('-');
    name += toUpper(word.front());
    name += word.drop_front();
    rest = tail;
  }
  return name;
}
INSTANTIATE_TEST_SUITE_P(All, EachTransformation, testing::ValuesIn(transformations()), nameOf);

TEST(Transform, MixesKeepTheMeaning) {
  for (uint64_t seed = 0, end = isFullScale() ? 1000 : 20; seed < end; ++seed) {
    GeneratedCase original = originalOf(seed);
    TransformedCase transformed = cantFail(transformCase(original, seed, 40));
    EXPECT_GT(transformed.log.steps.size(), 10u);
    ASSERT_EQ(findDisagreement(meaningOf(seed), transformed.result), "")
        << "seed " << seed << "\n"
        << printLog(transformed.log);
  }
}

TEST(Transform, AnyCutOfALogKeepsTheMeaning) {
  for (uint64_t seed = 0, end = isFullScale() ? 300 : 10; seed < end; ++seed) {
    GeneratedCase original = originalOf(seed);
    TransformationLog log = cantFail(transformCase(original, seed, 40)).log;
    Random random(seed);
    erase_if(log.steps, [&](const Step &) { return random.oneIn(3); });
    TransformedCase cut = cantFail(replay(original, log));
    EXPECT_GT(cut.log.steps.size(), 2u);
    ASSERT_EQ(findDisagreement(meaningOf(seed), cut.result), "") << "seed " << seed << "\n"
                                                                 << printLog(cut.log);
  }
}

TEST(Transform, LogsReplayExactly) {
  for (uint64_t seed = 0; seed < 8; ++seed) {
    GeneratedCase original = originalOf(seed);
    TransformedCase transformed = cantFail(transformCase(original, seed, 40));
    TransformationLog log = cantFail(parseLog(printLog(transformed.log)));
    EXPECT_EQ(log, transformed.log);
    TransformedCase again = cantFail(replay(original, log));
    EXPECT_EQ(again.log, log);
    EXPECT_EQ(printAmber(again.result), printAmber(transformed.result));
    auto readForm = [&](ModuleForm form) {
      return cantFail(readCaseFromText(printAmberPair(original, transformed.result, form),
                                       "pair.amber", "pair"));
    };
    Case text = readForm(ModuleForm::Assembly), words = readForm(ModuleForm::Words);
    ASSERT_EQ(text.pipelines.size(), words.pipelines.size());
    for (auto [one, other] : zip_equal(text.pipelines, words.pipelines))
      EXPECT_EQ(one.description.getShader(ShaderStage::Compute).spirv,
                other.description.getShader(ShaderStage::Compute).spirv)
          << seed;
  }
}

/// Cases written by people, read from scripts, with all that generated ones lack.
TEST(Transform, CasesOfTheCorpusKeepTheirMeaning) {
  std::vector<std::string> paths;
  std::error_code code;
  for (sys::fs::directory_iterator entry(ASSAY_SOURCE_DIR "/corpora/compute", code), end;
       entry != end && !code; entry.increment(code))
    if (StringRef(entry->path()).ends_with(".amber"))
      paths.push_back(entry->path());
  sort(paths);
  size_t every = isFullScale() ? 1 : 12, transformed = 0;
  for (size_t i = 0; i < paths.size(); i += every) {
    Expected<Case> input = readCase(paths[i], paths[i]);
    ASSERT_TRUE(static_cast<bool>(input)) << takeError(input.takeError()).message;
    Expected<Meaning> meaning = findMeaning(*input);
    if (!meaning) { // Too long for here, or beyond the installed SPIRV-Tools.
      consumeError(meaning.takeError());
      continue;
    }
    for (uint64_t seed = 0; seed < (isFullScale() ? 5u : 1u); ++seed) {
      Expected<TransformedInput> result = transformPipeline(*input, 0, {.seed = seed, .steps = 40});
      ASSERT_TRUE(static_cast<bool>(result)) << takeError(result.takeError()).message;
      transformed += !result->log.steps.empty();
      ASSERT_EQ(findDisagreement(*meaning, result->result), "")
          << paths[i] << ", seed " << seed << "\n"
          << printLog(result->log);
      TransformedInput again = cantFail(replayPipeline(*input, 0, result->log));
      EXPECT_EQ(again.log, result->log);
      EXPECT_EQ(again.result.pipelines[0].description.getShader(ShaderStage::Compute).spirv,
                result->result.pipelines[0].description.getShader(ShaderStage::Compute).spirv);
    }
  }
  EXPECT_GT(transformed, paths.size() / every / 2);
}

TEST(Transform, TheSameSeedGivesTheSame) {
  GeneratedCase original = originalOf(3);
  std::string once = printAmber(cantFail(transformCase(original, 5, 40)).result);
  EXPECT_EQ(printAmber(cantFail(transformCase(original, 5, 40)).result), once);
  EXPECT_NE(printAmber(cantFail(transformCase(original, 6, 40)).result), once);
}

TEST(Transform, UnknownNamesAreErrors) {
  GeneratedCase original = originalOf(0);
  Expected<TransformedCase> chosen = transformCase(original, {.only = {"nonsense"}});
  ASSERT_FALSE(static_cast<bool>(chosen));
  EXPECT_EQ(takeError(chosen.takeError()).kind, ErrorKind::InvalidInput);
  Expected<TransformedCase> replayed = replay(original, {0, "", {{"nonsense", 1 << 20, {}, ""}}});
  ASSERT_FALSE(static_cast<bool>(replayed));
  EXPECT_EQ(takeError(replayed.takeError()).kind, ErrorKind::InvalidInput);
}

TEST(Transform, BrokenLogsAreErrorsWithTheirLine) {
  std::string header = printLog({7, "seed 7", {}});
  EXPECT_EQ(cantFail(parseLog(header)).seed, 7u);
  for (StringRef text : {"", "nonsense", "{}", "{\"schema\": \"other\"}"})
    EXPECT_FALSE(static_cast<bool>(errorToBool(parseLog(text).takeError()) == false)) << text.str();
  Expected<TransformationLog> log = parseLog(header + "{\"apply\": 3}\n");
  ASSERT_FALSE(static_cast<bool>(log));
  EXPECT_NE(takeError(log.takeError()).message.find("line 2"), std::string::npos);
  Expected<TransformationLog> withEmpty = parseLog("\n" + header + "\n{\"apply\": 3}\n");
  ASSERT_FALSE(static_cast<bool>(withEmpty));
  EXPECT_NE(takeError(withEmpty.takeError()).message.find("line 4"), std::string::npos);
}

/// Steps of any numbers are refused or applied, never more: logs are foreign data.
TEST(Transform, WildStepsDoNoHarm) {
  uint64_t applied = 0;
  for (uint64_t seed = 0; seed < (isFullScale() ? 100u : 10u); ++seed) {
    GeneratedCase original = originalOf(seed);
    TransformationLog log = cantFail(transformCase(original, seed, 40)).log;
    Random random(seed);
    for (Step &step : log.steps)
      if (!step.numbers.empty())
        step.numbers[random.below(step.numbers.size())] = random.below(original.program.bound);
    TransformedCase wild = cantFail(replay(original, log));
    applied += wild.log.steps.size();
    Error invalid = spirv::validate(encode(wild.result.program));
    ASSERT_FALSE(static_cast<bool>(invalid)) << takeError(std::move(invalid)).message << "\n"
                                             << printLog(wild.log);
  }
  EXPECT_GT(applied, 0u);
}
