// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Cases that the compiler gets right: what it has made of them after each of its passes does what
// the reference does, wherever machine "ir" can run it. A quarter of corpora/compute; all of it, on
// every target, where ASSAY_SCALE=full asks for it.
#include "compiler/driver/Compiler.h"
#include "compiler/driver/PassWatcher.h"
#include "oracles/execution/Judge.h"
#include "oracles/input/CaseReader.h"
#include "oracles/machine/ir/IrMachine.h"
#include "oracles/machine/spirv/SpirvMachine.h"
#include "support/Error.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <gtest/gtest.h>
#include <map>

using namespace llvm;
using namespace assay;

namespace {

/// Keeps the module after each pass that changed it.
class Keeper final : public PassWatcher {
public:
  struct Snapshot {
    std::string pass, text;
  };
  bool mayRun(StringRef, StringRef) override { return true; }
  void willRun(StringRef) override {}
  void didRun(StringRef pass, const Module &module) override {
    std::string text;
    raw_string_ostream(text) << module;
    if (m_snapshots.empty() || m_snapshots.back().text != text)
      m_snapshots.push_back({pass.str(), std::move(text)});
  }
  ArrayRef<Snapshot> snapshots() const { return m_snapshots; }

private:
  std::vector<Snapshot> m_snapshots;
};

struct Counts {
  unsigned run = 0, all = 0;
  std::map<std::string, unsigned> reasons; ///< Why the others could not be run.
};

bool isFull() {
  const char *scale = std::getenv("ASSAY_SCALE");
  return scale && StringRef(scale) == "full";
}

std::vector<std::string> listCases() {
  std::vector<std::string> paths;
  std::error_code error;
  for (sys::fs::directory_iterator it(ASSAY_SOURCE_DIR "/corpora/compute", error), end;
       it != end && !error; it.increment(error))
    if (StringRef(it->path()).ends_with(".amber"))
      paths.push_back(it->path());
  sort(paths);
  return paths;
}

constexpr uint64_t mostInstructions = 20'000'000;

void checkSnapshot(const Case &input, const Outcome &reference, const Keeper::Snapshot &snapshot,
                   const TargetInfo &target, Counts &counts) {
  Artifact artifact = Artifact::makeIr(snapshot.text);
  RunOptions options;
  options.maxInstructions = mostInstructions;
  auto outcome = createIrMachine(target)->run(input, artifact, options);
  ASSERT_TRUE(bool(outcome)) << takeError(outcome.takeError()).message;
  ++counts.all;
  if (outcome->kind == OutcomeKind::Unsupported || outcome->kind == OutcomeKind::Timeout) {
    ++counts.reasons[outcome->reason];
    return;
  }
  ++counts.run;
  ASSERT_EQ(outcome->kind, OutcomeKind::Completed) << outcome->reason;
  auto difference = compareWithReference(input, reference, *outcome);
  ASSERT_TRUE(bool(difference)) << takeError(difference.takeError()).message;
  if (!difference->findings.empty())
    ADD_FAILURE() << difference->findings.front().message;
}

void checkCase(const std::string &path, const TargetInfo &target, unsigned level, Counts &counts) {
  auto input = readCase(path, path);
  ASSERT_TRUE(bool(input)) << takeError(input.takeError()).message;
  CompileOptions options;
  options.target = &target;
  options.optLevel = level;
  if (!input->unsupported.empty() || input->pipelines.size() != 1)
    return;
  Keeper keeper;
  Compiler compiler;
  compiler.setPassWatcher(&keeper);
  auto result = compiler.compile(input->pipelines[0].description, options, EmitPhase::Llvm);
  if (!result) {
    ASSERT_EQ(takeError(result.takeError()).kind, ErrorKind::Unsupported);
    return;
  }
  RunOptions run;
  run.maxInstructions = mostInstructions;
  uint32_t required =
      input->pipelines[0].description.getShader(ShaderStage::Compute).requiredSubgroupSize;
  run.subgroupSize = required ? required : options.getWaveSize();
  auto reference = createSpirvMachine()->run(*input, {}, run);
  ASSERT_TRUE(bool(reference)) << takeError(reference.takeError()).message;
  if (reference->kind != OutcomeKind::Completed)
    return;
  for (const Keeper::Snapshot &snapshot : keeper.snapshots()) {
    SCOPED_TRACE(path + " " + target.name.str() + " after " + snapshot.pass);
    checkSnapshot(*input, *reference, snapshot, target, counts);
  }
}

} // namespace

TEST(Snapshots, DoWhatTheReferenceDoes) {
  std::vector<std::string> paths = listCases();
  ASSERT_FALSE(paths.empty());
  Counts counts;
  for (const TargetInfo &target : getTargets())
    for (auto [index, path] : enumerate(paths))
      if (isFull() || (target.name == "gfx1100" && index % 4 == 0))
        checkCase(path, target, 2, counts);
  std::vector<std::pair<unsigned, std::string>> reasons;
  for (const auto &[reason, count] : counts.reasons)
    reasons.emplace_back(count, reason);
  sort(reasons, std::greater<>());
  for (const auto &[count, reason] : ArrayRef(reasons).take_front(25))
    outs() << count << " " << reason << "\n";
  outs() << counts.run << " of " << counts.all << " snapshots were run\n";
  // What cannot be run is rounding toward zero, and derivatives in cubes.
  EXPECT_GE(counts.run * 10, counts.all * 9);
}
