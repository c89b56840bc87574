// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The oracle inside of a compilation: over the corpus it must be able to say something of most
// shaders, and report none.
#include "harness/worker/ShaderLowering.h"
#include "compiler/driver/Compiler.h"
#include "oracles/input/CaseReader.h"
#include "support/Error.h"
#include "llvm/Support/FileSystem.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <map>

using namespace assay;

namespace {
struct Tally {
  unsigned shaders = 0, compared = 0;
  std::map<std::string, unsigned> reasons;
};
} // namespace

static void checkCase(const std::string &path, const CompileOptions &options, Tally &tally) {
  auto input = readCase(path, path);
  ASSERT_TRUE(bool(input)) << takeError(input.takeError()).message;
  Compiler compiler;
  compiler.setLoweringObserver([&](llvm::Module &before, llvm::Module &after) {
    for (const Finding &finding : checkLowered(after, &before))
      ADD_FAILURE() << path << ": " << finding.rule << ": " << finding.message;
    for (const FunctionMeaning &meaning : compareShaderMeaning(before, after)) {
      EXPECT_NE(meaning.state, State::Fail) << path << ": " << meaning.reason;
      ++tally.shaders;
      tally.compared += meaning.state == State::Pass;
      if (meaning.state != State::Pass)
        ++tally.reasons[meaning.reason];
    }
  });
  for (const CasePipeline &pipeline : input->pipelines) {
    auto result = compiler.compile(pipeline.description, options, EmitPhase::Llvm);
    if (!result)
      takeError(result.takeError()); // What the compiler lacks is no business of this test.
  }
}

TEST(ShaderLowering, SaysSomethingOfMostShaders) {
  CompileOptions options;
  options.target = *findTarget("gfx1100");
  std::vector<std::string> paths;
  std::error_code code;
  for (llvm::sys::fs::directory_iterator it(ASSAY_SOURCE_DIR "/corpora/compute", code), end;
       it != end && !code; it.increment(code))
    if (llvm::StringRef(it->path()).ends_with(".amber"))
      paths.push_back(it->path());
  std::sort(paths.begin(), paths.end());
  Tally tally;
  for (size_t i = 0; i < paths.size(); i += 4) // A quarter: the whole is what diff does.
    checkCase(paths[i], options, tally);
  ASSERT_GE(tally.shaders, 40u);
  for (const auto &[reason, count] : tally.reasons)
    std::printf("%u: %s\n", count, reason.c_str());
  EXPECT_GE(tally.compared * 2, tally.shaders);
}
