// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The search without workers: a question that is answered at once takes their place.
#include "harness/reduce/Search.h"
#include "harness/reduce/CaseReductions.h"
#include "harness/run/CaseFiles.h"
#include "oracles/input/CaseReader.h"
#include "support/Error.h"
#include "llvm/ADT/STLExtras.h"
#include <gtest/gtest.h>

using namespace llvm;
using namespace assay;

static Subject corpusSubject(StringRef name) {
  CaseFile file{(Twine(ASSAY_SOURCE_DIR "/corpora/compute/") + name + ".amber").str(), name.str()};
  return cantFail(readSubject(file));
}

/// Whether the case is valid and has an instruction called \p opcode.
static bool hasInstruction(const Subject &subject, StringRef opcode) {
  Expected<std::string> text = printSubject(subject);
  if (!text) {
    consumeError(text.takeError());
    return false;
  }
  return StringRef(*text).contains(" " + opcode.str() + " ");
}

namespace {
struct Found {
  std::string text;
  size_t asked = 0;
};
} // namespace

/// Searches to the end. With \p guesses, copies run ahead and are told what is not true.
static Found searchFor(Subject subject, StringRef opcode, bool guesses) {
  std::vector<std::unique_ptr<Reduction>> reductions = makeReductions();
  Search search(std::move(subject), reductions, DeadCode::MayMatter);
  Found found;
  while (const std::optional<Candidate> &candidate = search.next()) {
    bool shows = hasInstruction(candidate->subject, opcode);
    if (guesses) {
      Search copy = search;
      copy.tell(!shows);
      for (unsigned i = 0; i < 3 && copy.next(); ++i)
        copy.tell(i % 2);
    }
    // The same as the best is no step.
    if (shows &&
        cantFail(printSubject(candidate->subject)) == cantFail(printSubject(search.best())))
      shows = false;
    search.tell(shows);
    if (++found.asked > 5000) {
      ADD_FAILURE() << "the search does not end";
      break;
    }
  }
  found.text = cantFail(printSubject(search.best()));
  return found;
}

TEST(Search, LeavesWhatIsAskedForAndLittleElse) {
  Found found = searchFor(corpusSubject("gcd"), "OpUMod", false);
  EXPECT_TRUE(StringRef(found.text).contains("OpUMod"));
  Case rest = cantFail(readCaseFromText(found.text, "x.amber", "x"));
  EXPECT_TRUE(rest.commands.empty());
  EXPECT_TRUE(rest.buffers.empty());
  EXPECT_LE(StringRef(found.text).count('\n'), 25u) << found.text;
}

TEST(Search, GuessesChangeNothing) {
  Found plain = searchFor(corpusSubject("gcd"), "OpLoopMerge", false);
  Found guessed = searchFor(corpusSubject("gcd"), "OpLoopMerge", true);
  EXPECT_EQ(plain.text, guessed.text);
  EXPECT_EQ(plain.asked, guessed.asked);
}

TEST(Search, EndsAtOnceWhereNothingMayGo) {
  Subject subject = corpusSubject("saxpy");
  std::vector<std::unique_ptr<Reduction>> reductions = makeReductions();
  Search search(subject, reductions, DeadCode::MayMatter);
  size_t asked = 0;
  for (; search.next() && asked < 100'000; ++asked)
    search.tell(false);
  EXPECT_LT(asked, 100'000u);
  EXPECT_EQ(cantFail(printSubject(search.best())), cantFail(printSubject(subject)));
}

namespace {
/// Drops names, and notes what the other reductions had left by then.
class NotedLastResort : public Reduction {
public:
  explicit NotedLastResort(std::vector<std::string> &seen) : m_seen(seen) {}
  StringRef name() const override { return "noted"; }
  bool isLastResort() const override { return true; }
  std::vector<CaseChance> find(const Subject &) const override { return {CaseChance()}; }
  void apply(Subject &subject, ArrayRef<CaseChance>) const override {
    m_seen.push_back(cantFail(printSubject(subject)));
    for (fuzz::Program &program : subject.programs)
      program.names.clear();
  }

private:
  std::vector<std::string> &m_seen;
};
} // namespace

TEST(Search, LastResortsComeWhenTheOthersHaveEnded) {
  Found plain = searchFor(corpusSubject("gcd"), "OpUMod", false);
  std::vector<std::string> seen;
  std::vector<std::unique_ptr<Reduction>> reductions = makeReductions();
  reductions.push_back(std::make_unique<NotedLastResort>(seen));
  Search search(corpusSubject("gcd"), reductions, DeadCode::MayMatter);
  while (const std::optional<Candidate> &candidate = search.next()) {
    Search guess = search;
    guess.becomeGuess();
    for (size_t before = seen.size(), i = 0; i < 3 && guess.next(); ++i) {
      guess.tell(false);
      EXPECT_EQ(seen.size(), before) << "a guess tried a last resort";
    }
    search.tell(hasInstruction(candidate->subject, "OpUMod") &&
                cantFail(printSubject(candidate->subject)) !=
                    cantFail(printSubject(search.best())));
  }
  // It changed nothing, so once is enough.
  EXPECT_EQ(seen, std::vector{plain.text});
  EXPECT_EQ(cantFail(printSubject(search.best())), plain.text);
}

/// Of all reductions of cases: a chance gives another case, which can be written.
TEST(CaseReductions, ChancesGiveOtherCases) {
  std::vector<std::unique_ptr<Reduction>> reductions = makeReductions();
  for (StringRef name : {"runs-ping-pong", "resource-specialization", "image-filter-linear",
                         "address-linked-list", "subgroup-size-64", "resource-push-constants"}) {
    Subject subject = corpusSubject(name);
    std::string before = cantFail(printSubject(subject));
    for (const std::unique_ptr<Reduction> &reduction :
         ArrayRef(reductions).take_front(caseReductions().size())) {
      std::vector<CaseChance> chances = reduction->find(subject);
      for (const CaseChance &chance : ArrayRef(chances).take_front(20)) {
        Subject smaller = subject;
        reduction->apply(smaller, chance);
        std::string text = cantFail(printSubject(smaller));
        EXPECT_NE(text, before) << name.str() << " " << reduction->name().str();
      }
      Subject least = subject;
      reduction->apply(least, chances);
      Expected<std::string> text = printSubject(least);
      ASSERT_TRUE(bool(text)) << takeError(text.takeError()).message;
      EXPECT_EQ(*text == before, chances.empty()) << name.str() << " " << reduction->name().str();
    }
  }
}

TEST(CaseReductions, NumbersFollowWhatIsDropped) {
  Subject subject = corpusSubject("runs-ping-pong");
  ASSERT_GE(subject.input.pipelines.size(), 2u);
  std::vector<std::unique_ptr<Reduction>> reductions = makeReductions();
  auto named = [&](StringRef name) -> const Reduction & {
    return **find_if(reductions, [&](const auto &each) { return each->name() == name; });
  };
  // Without the dispatches of the first pipeline, that may go; what is left dispatches another.
  erase_if(subject.input.commands, [](const Command &command) {
    const auto *dispatch = std::get_if<Dispatch>(&command);
    return !dispatch || dispatch->pipeline == 0;
  });
  const Reduction &drop = named("drop-pipelines");
  size_t pipelines = subject.input.pipelines.size();
  std::vector<CaseChance> chances = drop.find(subject);
  ASSERT_EQ(chances.size(), 1u);
  drop.apply(subject, chances);
  EXPECT_EQ(subject.input.pipelines.size(), pipelines - 1);
  EXPECT_EQ(subject.programs.size(), pipelines - 1);
  for (const Command &command : subject.input.commands)
    EXPECT_LT(std::get<Dispatch>(command).pipeline, pipelines - 1);
  // A buffer that no binding names.
  for (CasePipeline &pipeline : subject.input.pipelines)
    erase_if(pipeline.bindings, [](const BufferBinding &binding) { return binding.buffer == 0; });
  std::string second = subject.input.buffers[1].name;
  const Reduction &buffers = named("drop-buffers");
  buffers.apply(subject, buffers.find(subject));
  EXPECT_EQ(subject.input.buffers.front().name, second);
  for (const CasePipeline &pipeline : subject.input.pipelines)
    for (const BufferBinding &binding : pipeline.bindings)
      EXPECT_LT(binding.buffer, subject.input.buffers.size());
}

TEST(CaseReductions, BindingsOfVariablesGoTogether) {
  Subject subject = corpusSubject("saxpy");
  std::vector<std::unique_ptr<Reduction>> reductions = makeReductions();
  const Reduction &row =
      **find_if(reductions, [](const auto &each) { return each->name() == "drop-bindings"; });
  std::vector<BufferBinding> &bindings = subject.input.pipelines[0].bindings;
  size_t count = bindings.size();
  ASSERT_GE(count, 2u);
  EXPECT_EQ(row.find(subject).size(), 1u) << "the shader has variables for all";
  bindings.push_back(bindings.back());
  bindings.back().binding = 99;
  std::vector<CaseChance> chances = row.find(subject);
  ASSERT_EQ(chances.size(), 2u);
  Subject without = subject;
  row.apply(without, chances[0]);
  EXPECT_EQ(without.input.pipelines[0].bindings.size(), count);
  row.apply(subject, chances[1]);
  ASSERT_EQ(bindings.size(), 1u);
  EXPECT_EQ(bindings[0].binding, 99u);
}

TEST(MixedReductions, LoadsBecomeWhatBuffersHold) {
  Subject subject = cantFail(readSubjectFromText(R"(#!amber
SHADER compute s SPIRV-ASM TARGET_ENV spv1.3
OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main"
OpExecutionMode %main LocalSize 1 1 1
OpDecorate %block Block
OpMemberDecorate %block 0 Offset 0
OpDecorate %v DescriptorSet 0
OpDecorate %v Binding 0
%void = OpTypeVoid
%fvoid = OpTypeFunction %void
%uint = OpTypeInt 32 0
%zero = OpConstant %uint 0
%block = OpTypeStruct %uint
%pblock = OpTypePointer StorageBuffer %block
%puint = OpTypePointer StorageBuffer %uint
%v = OpVariable %pblock StorageBuffer
%main = OpFunction %void None %fvoid
%l = OpLabel
%p = OpAccessChain %puint %v %zero
%x = OpLoad %uint %p
%y = OpIAdd %uint %x %x
OpStore %p %y
OpReturn
OpFunctionEnd
END
BUFFER b DATA_TYPE uint32 DATA 0 4660 7 END
BUFFER c DATA_TYPE uint32 DATA 99 END
PIPELINE compute p
  ATTACH s
  BIND BUFFER b AS storage DESCRIPTOR_SET 0 BINDING 0
END
RUN p 1 1 1
)"));
  std::vector<std::unique_ptr<Reduction>> reductions = makeReductions();
  const Reduction &row = *reductions.back();
  ASSERT_EQ(row.name(), "contents-for-loads");
  std::vector<CaseChance> chances = row.find(subject);
  ASSERT_EQ(chances.size(), 2u) << "the first number of each buffer";
  for (auto [chance, number] : zip_equal(chances, std::vector<std::string>{"4660", "99"})) {
    Subject smaller = subject;
    row.apply(smaller, chance);
    EXPECT_TRUE(row.find(smaller).empty()) << "nothing uses the load any more";
    std::string text = cantFail(printSubject(smaller));
    EXPECT_TRUE(StringRef(text).contains("OpIAdd %uint %uint_" + number + " %uint_" + number))
        << text;
  }
  row.apply(subject, chances);
  cantFail(printSubject(subject));
}
