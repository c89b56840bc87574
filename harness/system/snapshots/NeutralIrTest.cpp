// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The front-end and the neutral middle-end make IR of no architecture: no intrinsic, no metadata
// and no inline assembly of AMD GPUs, recorded or built at once. A fifth of corpora/compute; all of
// it with ASSAY_SCALE=full.
#include "compiler/driver/Compiler.h"
#include "compiler/driver/PassWatcher.h"
#include "oracles/input/CaseReader.h"
#include "support/Error.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/SourceMgr.h"

#include <gtest/gtest.h>

using namespace llvm;
using namespace assay;

/// What is of one architecture in \p module; empty if nothing is.
static std::string findForeign(const Module &module) {
  for (const Function &function : module)
    for (const Instruction &instruction : instructions(function))
      if (auto *call = dyn_cast<CallBase>(&instruction); call && call->isInlineAsm())
        return "inline assembly in " + function.getName().str();
  std::string text;
  raw_string_ostream(text) << module;
  for (StringRef line : split(text, '\n'))
    for (StringRef word : {"llvm.amdgcn.", "amdgpu"})
      if (line.contains(word))
        return line.str();
  return "";
}

namespace {
/// Looks at the module after the front-end and after each neutral pass.
class Looker final : public PassWatcher {
public:
  bool mayRun(StringRef, StringRef) override { return true; }
  void willRun(StringRef pass) override { m_isLowering |= pass == "lower-arithmetic"; }
  void didRun(StringRef pass, const Module &module) override {
    if (m_isLowering)
      return;
    ++m_modules;
    EXPECT_EQ(findForeign(module), "") << "after " << pass.str();
  }
  unsigned modules() const { return m_modules; }
  bool sawLowering() const { return m_isLowering; }

private:
  bool m_isLowering = false;
  unsigned m_modules = 0;
};
} // namespace

static std::vector<std::string> listCases() {
  std::vector<std::string> paths;
  std::error_code error;
  for (sys::fs::directory_iterator it(ASSAY_SOURCE_DIR "/corpora/compute", error), end;
       it != end && !error; it.increment(error))
    if (StringRef(it->path()).ends_with(".amber"))
      paths.push_back(it->path());
  sort(paths);
  return paths;
}

/// Whether the front-end took the case.
static bool checkCase(const std::string &path, bool record) {
  SCOPED_TRACE(path);
  auto input = readCase(path, path);
  if (!input) {
    ADD_FAILURE() << takeError(input.takeError()).message;
    return false;
  }
  unsigned taken = 0;
  for (const CasePipeline &pipeline : input->pipelines) {
    CompileOptions options;
    options.target = cantFail(findTarget("gfx1100"));
    options.recordBuilder = record;
    options.validate = false;
    Looker looker;
    Compiler compiler;
    compiler.setPassWatcher(&looker);
    auto result = compiler.compile(pipeline.description, options, EmitPhase::Llvm);
    if (!result) {
      EXPECT_EQ(takeError(result.takeError()).kind, ErrorKind::Unsupported);
      continue;
    }
    EXPECT_TRUE(looker.sawLowering());
    EXPECT_GT(looker.modules(), 3u);
    ++taken;
  }
  return taken != 0;
}

static bool isFull() {
  const char *scale = std::getenv("ASSAY_SCALE");
  return scale && StringRef(scale) == "full";
}

TEST(NeutralIr, HasNothingOfOneArchitecture) {
  unsigned taken = 0, all = 0;
  for (auto [index, path] : enumerate(listCases()))
    if (isFull() || index % 5 == 0) {
      ++all;
      taken += checkCase(path, /*record=*/index % 2 == 0);
    }
  EXPECT_GE(taken * 10, all * 9) << taken << " of " << all << " cases";
}

/// The ELF, or why there is none.
static std::string compile(Compiler &compiler, const PipelineDescription &pipeline,
                           CompileOptions options, bool record) {
  options.recordBuilder = record;
  auto result = compiler.compile(pipeline, options, EmitPhase::Elf);
  if (!result)
    return takeError(result.takeError()).message;
  return std::string(result->output.begin(), result->output.end());
}

/// \p compiled counts pipelines that have code.
static void compareBuilders(Compiler &compiler, const std::string &path, unsigned level,
                            unsigned &compiled) {
  SCOPED_TRACE(path + " -O" + std::to_string(level));
  auto input = readCase(path, path);
  ASSERT_TRUE(bool(input)) << takeError(input.takeError()).message;
  CompileOptions options;
  options.target = cantFail(findTarget("gfx1100"));
  options.optLevel = level;
  options.validate = false;
  for (const CasePipeline &pipeline : input->pipelines) {
    std::string replayed = compile(compiler, pipeline.description, options, /*record=*/true);
    EXPECT_TRUE(replayed == compile(compiler, pipeline.description, options, /*record=*/false));
    compiled += StringRef(replayed).starts_with("\x7f"
                                                "ELF");
  }
}

TEST(NeutralIr, BuildingAtOnceGivesTheCodeOfReplaying) {
  Compiler compiler;
  unsigned compiled = 0;
  for (auto [index, path] : enumerate(listCases()))
    for (unsigned level : {0, 2})
      if (isFull() || index % 5 == 2)
        compareBuilders(compiler, path, level, compiled);
  EXPECT_GT(compiled, 50u);
}

static std::string findForeign(StringRef text) {
  LLVMContext context;
  SMDiagnostic problem;
  std::unique_ptr<Module> module = parseAssemblyString(text, problem, context);
  EXPECT_TRUE(module) << problem.getMessage().str();
  return module ? findForeign(*module) : "";
}

TEST(NeutralIr, TheCheckFindsWhatIsOfOneArchitecture) {
  EXPECT_EQ(findForeign("target triple = \"amdgcn--amdpal\" define void @f() { ret void }"), "");
  EXPECT_NE(findForeign("define void @f() { call void asm \"\", \"\"() ret void }"), "");
  EXPECT_NE(findForeign("declare void @llvm.amdgcn.s.barrier()"), "");
  EXPECT_NE(findForeign("define void @f(ptr %p) { %a = atomicrmw add ptr %p, i32 1 monotonic, "
                        "!amdgpu.no.remote.memory !0 ret void } !0 = !{}"),
            "");
}
