// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How many fragments the reference machine draws in a second, on one thread and on two. Every input
// draws its whole framebuffer once or several times; what a fragment costs is in the shader, so
// that inputs are reported one by one.
#include "harness/tools/bench/calibration/Calibration.h"
#include "oracles/input/CaseReader.h"
#include "oracles/machine/spirv/SpirvMachine.h"
#include "support/Error.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

#include <benchmark/benchmark.h>

using namespace llvm;
using namespace assay;

/// Returns the sum of the framebuffer sizes of all draws, in fragments. This is the number of
/// fragments that run only where each draw covers its framebuffer once.
static uint64_t countFragments(const Case &input) {
  uint64_t fragments = 0;
  for (const Command &command : input.commands)
    if (const auto *draw = std::get_if<Draw>(&command)) {
      const CasePipeline &pipeline = input.pipelines[draw->pipeline];
      fragments += uint64_t(pipeline.draw.width) * pipeline.draw.height;
    }
  return fragments;
}

/// Times whole runs of the case on the reference with \p threads threads and without a limit of
/// instructions. A run that does not complete ends the benchmark with its reason.
static void draw(benchmark::State &state, const Case &input, unsigned threads) {
  RunOptions options;
  options.maxInstructions = ~uint64_t(0);
  options.threads = threads;
  for (auto _ : state) {
    Expected<Outcome> outcome = createSpirvMachine()->run(input, {}, options);
    if (!outcome)
      return state.SkipWithError(takeError(outcome.takeError()).message.c_str());
    if (outcome->kind != OutcomeKind::Completed)
      return state.SkipWithError(outcome->reason.c_str());
  }
  state.SetItemsProcessed(
      static_cast<int64_t>(countFragments(input) * static_cast<uint64_t>(state.iterations())));
}

/// Each case has two benchmarks, draw/ and draw2/, for one and two threads. Expectations are
/// removed, because only draws are measured. Exit status 2 for a usage error, 3 for a file that
/// can't be read.
int main(int argc, char **argv) {
  benchmark::Initialize(&argc, argv);
  if (argc < 2) {
    errs() << "usage: assay-bench-draw [--benchmark_...] CASE...\n";
    return 2;
  }
  benchmark::RegisterBenchmark("calibration", calibrate);
  for (int i = 1; i < argc; ++i) {
    Expected<Case> input = readCase(argv[i], argv[i]);
    if (!input) {
      errs() << "assay-bench-draw: " << takeError(input.takeError()).message << "\n";
      return 3;
    }
    erase_if(input->commands,
             [](const Command &command) { return std::holds_alternative<Expectation>(command); });
    for (unsigned threads : {1u, 2u}) {
      std::string name = (threads == 1 ? "draw/" : "draw2/") + sys::path::stem(argv[i]).str();
      benchmark::RegisterBenchmark(name.c_str(), draw, *input, threads)
          ->Unit(benchmark::kMillisecond)
          ->MeasureProcessCPUTime()
          ->UseRealTime();
    }
  }
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
