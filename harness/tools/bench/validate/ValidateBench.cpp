// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How many ELFs validate-elf judges in a second on one core, without and with the rules on machine
// code, next to LLVM's tools that only print: llvm-readelf the notes, llvm-objdump the code.
#include "harness/tools/bench/calibration/Calibration.h"
#include "oracles/pal_elf/ValidateElf.h"
#include "support/Error.h"
#include "support/File.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace assay;

/// The contents of the ELFs, one after the other.
using Files = std::vector<std::vector<uint8_t>>;

/// Counts files as items. \p code: with the rules on machine code. An ELF that is not sound ends
/// the benchmark, because its validation may end early.
static void validateAll(benchmark::State &state, const Files &files, bool code) {
  ValidateOptions options;
  options.code = code;
  for (auto _ : state) {
    for (const std::vector<uint8_t> &bytes : files) {
      Expected<std::vector<Finding>> findings = validateElf(bytes, options);
      if (!findings)
        return state.SkipWithError(takeError(findings.takeError()).message.c_str());
      if (!isSound(*findings, options))
        return state.SkipWithError("an ELF that is not sound: choose others");
    }
  }
  state.SetItemsProcessed(state.iterations() * static_cast<int64_t>(files.size()));
}

/// Runs \p tool on all files in one process, so that its start hardly matters, and reports the
/// process's CPU time as the time of the iteration. Its output goes to the null device. A missing
/// tool and an exit status other than 0 end the benchmark.
static void runTool(benchmark::State &state, StringRef tool, ArrayRef<StringRef> arguments) {
  ErrorOr<std::string> program = sys::findProgramByName(tool);
  if (!program)
    return state.SkipWithError((tool + " is not installed").str().c_str());
  const std::optional<StringRef> toNull[] = {StringRef(), StringRef(), std::nullopt};
  for (auto _ : state) {
    std::string message;
    std::optional<sys::ProcessStatistics> used;
    if (sys::ExecuteAndWait(*program, arguments, std::nullopt, toNull, 0, 0, &message, nullptr,
                            &used) != 0 ||
        !used)
      return state.SkipWithError(("it fails: " + message).c_str());
    state.SetIterationTime(std::chrono::duration<double>(used->TotalTime).count());
  }
}

/// Registers a benchmark of one run of \p tool on all \p paths. Its time is the tool's CPU time.
static void addTool(const char *name, StringRef tool, ArrayRef<StringRef> options,
                    ArrayRef<StringRef> paths) {
  std::vector<StringRef> arguments = {tool};
  append_range(arguments, options);
  append_range(arguments, paths);
  benchmark::RegisterBenchmark(name,
                               [=, count = paths.size()](benchmark::State &state) {
                                 runTool(state, tool, arguments);
                                 state.SetItemsProcessed(state.iterations() *
                                                         static_cast<int64_t>(count));
                               })
      ->UseManualTime()
      ->Unit(benchmark::kMillisecond);
}

/// Exit status 2 for a usage error and 3 for a file that can't be read.
int main(int argc, char **argv) {
  benchmark::Initialize(&argc, argv);
  std::vector<StringRef> paths(argv + 1, argv + argc);
  if (paths.empty()) {
    errs() << "usage: assay-bench-validate [--benchmark_...] ELF...\n";
    return 2;
  }
  Files files;
  for (StringRef path : paths) {
    Expected<std::vector<uint8_t>> bytes = readFileBytes(path);
    if (!bytes) {
      errs() << "assay-bench-validate: " << takeError(bytes.takeError()).message << "\n";
      return 3;
    }
    files.push_back(std::move(*bytes));
  }
  benchmark::RegisterBenchmark("calibration", calibrate);
  for (bool code : {false, true})
    benchmark::RegisterBenchmark(
        code ? "validate/with-code" : "validate/without-code",
        [&files, code](benchmark::State &state) { validateAll(state, files, code); })
        ->Unit(benchmark::kMillisecond);
  addTool("llvm/readelf", "llvm-readelf-22", {"--notes"}, paths);
  addTool("llvm/objdump", "llvm-objdump-22", {"-d"}, paths);
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
