// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/lgc/HashChain.h"
#include "compiler/lgc/TrackedState.h"

#include "support/Error.h"
#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

using namespace llvm;
using namespace assay;
using testing::HasSubstr;

static constexpr StringLiteral twoFunctions = R"(
define void @one() {
  ret void
}
define void @two() {
  ret void
}
declare void @three()
!lgc.pipeline.state = !{!0, !1, !2, !3}
!0 = !{!"target", !"gfx1100"}
!1 = !{!"push-constants", i32 3}
!2 = !{!"table", i32 1, i32 3, i32 8}
!3 = !{!"node", i32 1, i32 7, i32 2, i32 0, i32 4, i32 0}
)";

static std::unique_ptr<Module> parse(StringRef text, LLVMContext &context) {
  SMDiagnostic diagnostic;
  std::unique_ptr<Module> module = parseAssemblyString(text, diagnostic, context);
  EXPECT_TRUE(module) << diagnostic.getMessage().str();
  return module;
}

static const HashStep firstStep = {"driver", "input", "abc"};

static std::vector<std::string> namesOf(const HashChain &chain) {
  std::vector<std::string> names;
  for (const HashStep &step : chain.steps)
    names.push_back(step.reader + ": " + step.datum);
  return names;
}

/// The chain of @one after \p read, which must also be that of @two.
static HashChain chainAfter(function_ref<void(TrackedState &)> read,
                            StringRef text = twoFunctions) {
  LLVMContext context;
  std::unique_ptr<Module> module = parse(text, context);
  startHashChains(*module, firstStep);
  TrackedState state = cantFail(TrackedState::open(*module, "pass"));
  read(state);
  HashChain chain = cantFail(readHashChain(*module->getFunction("one")));
  EXPECT_EQ(chain.hash, cantFail(readHashChain(*module->getFunction("two"))).hash);
  return chain;
}

TEST(HashChain, IsTheHashOfItsSteps) {
  HashChain chain = chainAfter([](TrackedState &state) { state.getWaveSize(); });
  ASSERT_EQ(chain.steps.size(), 2u);
  EXPECT_EQ(chain.steps[0], firstStep);
  EXPECT_EQ(chain.steps[1], (HashStep{"pass", "wave-size", CanonicalBytes().add(32).take()}));
  Hash128 first = CanonicalBytes().add(Hash128{}).add("input").add("abc").hash();
  EXPECT_EQ(chain.hash,
            CanonicalBytes().add(first).add("wave-size").add(chain.steps[1].bytes).hash());
}

TEST(HashChain, EveryGetterExtendsItOnce) {
  HashChain chain = chainAfter([](TrackedState &state) {
    for (int i = 0; i < 2; ++i) {
      state.getTarget();
      state.getWaveSize();
      state.hasRobustAccess2();
      EXPECT_EQ(state.findDescriptor(1, 7)->strideInDwords, 4u);
      EXPECT_FALSE(state.findDescriptor(1, 8));
      EXPECT_EQ(state.findTableEntry(1), 3u);
      EXPECT_FALSE(state.findTableEntry(0));
      EXPECT_EQ(state.getPushConstantDwords(), 3u);
      EXPECT_EQ(state.getUserDataEntries(), 4u);
    }
  });
  EXPECT_THAT(namesOf(chain),
              testing::ElementsAre("driver: input", "pass: target", "pass: wave-size",
                                   "pass: robust-access-2", "pass: descriptor 1 7",
                                   "pass: descriptor 1 8", "pass: table 1", "pass: table 0",
                                   "pass: push-constants", "pass: user-data-entries"));
}

TEST(HashChain, DependsOnWhatWasReadAlone) {
  std::string changed = twoFunctions.str();
  changed.replace(changed.find("i32 3}"), 6, "i32 4}"); // The push constants.
  auto read = [](TrackedState &state) { state.findDescriptor(1, 7); };
  EXPECT_EQ(chainAfter(read).hash, chainAfter(read, changed).hash);
  auto readMore = [](TrackedState &state) { state.getPushConstantDwords(); };
  EXPECT_NE(chainAfter(readMore).hash, chainAfter(readMore, changed).hash);
}

TEST(HashChain, SurvivesText) {
  LLVMContext context;
  std::unique_ptr<Module> module = parse(twoFunctions, context);
  startHashChains(*module, {firstStep, {"pass", "odd bytes", std::string("\0\"\\\xff", 4)}});
  HashChain chain = cantFail(readHashChain(*module->getFunction("one")));
  std::string text;
  raw_string_ostream os(text);
  module->print(os, nullptr);
  LLVMContext other;
  HashChain again = cantFail(readHashChain(*parse(text, other)->getFunction("one")));
  EXPECT_EQ(again.hash, chain.hash);
  EXPECT_EQ(again.steps, chain.steps);
}

TEST(HashChain, MovesToTheFunctionThatReplacesAnother) {
  LLVMContext context;
  std::unique_ptr<Module> module = parse(twoFunctions, context);
  startHashChains(*module, firstStep);
  Function &one = *module->getFunction("one"), &three = *module->getFunction("three");
  three.setLinkage(GlobalValue::ExternalLinkage);
  BasicBlock::Create(context, "", &three);
  moveHashChain(one, three);
  EXPECT_EQ(cantFail(readHashChain(three)).steps.size(), 1u);
  EXPECT_FALSE(HashNode::find(one));
}

static std::string errorOf(StringRef metadata) {
  LLVMContext context;
  std::string text =
      ("define void @f() !llpc.hash !0 {\n  ret void\n}\n!0 = " + metadata + "\n").str();
  std::unique_ptr<Module> module = parse(text, context);
  Expected<HashChain> chain = readHashChain(*module->getFunction("f"));
  return chain ? "" : takeError(chain.takeError()).message;
}

TEST(HashChain, ReportsWhatCannotBeRead) {
  EXPECT_EQ(errorOf("!{!\"hash\", i64 1, i64 2, null, !\"a\", !\"b\", !\"c\"}"), "");
  for (const char *broken : {"!{}", "!{!\"hash\", i64 1, i64 2, null, !\"a\", !\"b\"}",
                             "!{!\"hash\", i64 1, i32 2, null, !\"a\", !\"b\", !\"c\"}",
                             "!{!\"hash\", i64 1, i64 2, !{}, !\"a\", !\"b\", !\"c\"}",
                             "!{!\"hash\", i64 1, i64 2, i32 1, !\"a\", !\"b\", !\"c\"}",
                             "!{!\"hush\", i64 1, i64 2, null, !\"a\", !\"b\", !\"c\"}"})
    EXPECT_THAT(errorOf(broken), HasSubstr("function 'f' can't be read")) << broken;
  LLVMContext context;
  std::unique_ptr<Module> module = parse(twoFunctions, context);
  EXPECT_THAT(takeError(readHashChain(*module->getFunction("one")).takeError()).message,
              HasSubstr("function 'one' has no !llpc.hash"));
}
