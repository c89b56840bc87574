// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How many SPIR-V instructions the reference machine executes in a second on one core. The
// dispatches of each case are repeated until decoding and spirv-val do not matter; ci/bench prints
// the rates next to a calibration loop.
#include "harness/tools/bench/calibration/Calibration.h"
#include "oracles/input/CaseReader.h"
#include "oracles/machine/spirv/SpirvMachine.h"
#include "support/Error.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

#include <benchmark/benchmark.h>

using namespace llvm;
using namespace assay;

/// SPIR-V instructions that one run of a case executes at least, if it executes any.
static constexpr uint64_t Enough = 8'000'000;

/// Runs \p input on the reference and returns the number of SPIR-V instructions. Unsupported for a
/// run that does not complete.
static Expected<uint64_t> runOnce(const Case &input) {
  Expected<Outcome> outcome = createSpirvMachine()->run(input, {}, {});
  if (!outcome)
    return outcome.takeError();
  if (outcome->kind != OutcomeKind::Completed)
    return unsupported(outcome->reason);
  return outcome->instructions;
}

/// Reads the case at \p path, removes its expectations and repeats its commands until a run
/// executes at least Enough instructions. A case that executes none is not repeated.
static Expected<Case> readRepeated(StringRef path) {
  Expected<Case> input = readCase(path, path);
  if (!input)
    return input;
  erase_if(input->commands,
           [](const Command &command) { return std::holds_alternative<Expectation>(command); });
  Expected<uint64_t> count = runOnce(*input);
  if (!count)
    return addContext(count.takeError(), path);
  std::vector<Command> once = input->commands;
  for (uint64_t total = *count; total && total < Enough; total += *count)
    input->commands.insert(input->commands.end(), once.begin(), once.end());
  return input;
}

/// Times runs of \p input and counts SPIR-V instructions as items. Decoding and spirv-val are part
/// of the time.
static void interpret(benchmark::State &state, const Case &input) {
  uint64_t instructions = 0;
  for (auto _ : state) {
    Expected<uint64_t> count = runOnce(input);
    if (!count)
      return state.SkipWithError(takeError(count.takeError()).message.c_str());
    instructions += *count;
  }
  state.SetItemsProcessed(static_cast<int64_t>(instructions));
}

/// Exit status 2 for a usage error and 3 for a case that can't be read or run.
int main(int argc, char **argv) {
  benchmark::Initialize(&argc, argv);
  if (argc < 2) {
    errs() << "usage: assay-bench-interpret [--benchmark_...] CASE...\n";
    return 2;
  }
  benchmark::RegisterBenchmark("calibration", calibrate);
  for (int i = 1; i < argc; ++i) {
    Expected<Case> input = readRepeated(argv[i]);
    if (!input) {
      errs() << "assay-bench-interpret: " << takeError(input.takeError()).message << "\n";
      return 3;
    }
    std::string name = "interpret/" + sys::path::stem(argv[i]).str();
    benchmark::RegisterBenchmark(name.c_str(), interpret, std::move(*input))
        ->Unit(benchmark::kMillisecond);
  }
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
