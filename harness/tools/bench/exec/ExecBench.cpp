// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How many wave instructions the gcn machine executes in a second on one core, with its sanitizer
// and without: in a loop of arithmetic, where nothing else counts, and over given cases as
// assay compiles them for gfx1100, launches and memory included.
#include "compiler/driver/Compiler.h"
#include "harness/tools/bench/calibration/Calibration.h"
#include "oracles/input/CaseReader.h"
#include "oracles/machine/gcn/GcnMachine.h"
#include "oracles/machine/gcn_isa/Assembler.h"
#include "support/Error.h"
#include "support/File.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace assay;

static constexpr const char *Chip = "gfx1100";
static constexpr unsigned WaveSize = 32;

namespace {
/// A case, ready to run.
struct Input {
  std::string name;
  Case source;
  std::vector<Artifact> artifacts;
};
} // namespace

static Expected<Input> readAssembly(StringRef path) {
  Expected<std::vector<uint8_t>> text = readFileBytes(path);
  if (!text)
    return text.takeError();
  Expected<std::vector<uint8_t>> elf = gcn::assembleElf(toStringRef(*text), Chip, WaveSize);
  if (!elf)
    return addContext(elf.takeError(), path);
  Input input;
  input.name = sys::path::stem(path).str();
  input.source.id = input.name;
  input.source.pipelines.emplace_back();
  Dispatch dispatch;
  dispatch.groups[0] = 1;
  input.source.commands.push_back(dispatch);
  input.artifacts.push_back({std::move(*elf), "assembler"});
  return input;
}

static Expected<Input> compileCase(StringRef path) {
  Input input;
  input.name = sys::path::stem(path).str();
  Expected<Case> source = readCase(path, input.name);
  if (!source)
    return source.takeError();
  static Compiler compiler;
  CompileOptions options;
  options.target = *findTarget(Chip);
  options.optLevel = 2;
  options.waveSize = WaveSize;
  for (const CasePipeline &pipeline : source->pipelines) {
    Expected<CompileResult> result =
        compiler.compile(pipeline.description, options, EmitPhase::Elf);
    if (!result)
      return result.takeError();
    input.artifacts.push_back({std::move(result->output), "assay"});
  }
  input.source = std::move(*source);
  return input;
}

static Expected<uint64_t> runOnce(const Input &input, bool sanitize) {
  RunOptions options;
  options.sanitize = sanitize;
  auto machine = createGcnMachine(**findTarget(Chip));
  Expected<Outcome> outcome = machine->run(input.source, input.artifacts, options);
  if (!outcome)
    return outcome.takeError();
  if (outcome->kind != OutcomeKind::Completed)
    return unsupported(outcome->reason);
  return outcome->instructions;
}

static void execute(benchmark::State &state, ArrayRef<Input> inputs, bool sanitize) {
  uint64_t instructions = 0;
  for (auto _ : state)
    for (const Input &input : inputs) {
      Expected<uint64_t> count = runOnce(input, sanitize);
      if (!count)
        return state.SkipWithError(
            (input.name + ": " + takeError(count.takeError()).message).c_str());
      instructions += *count;
    }
  state.SetItemsProcessed(static_cast<int64_t>(instructions));
  state.SetLabel(utostr(inputs.size()));
}

static void registerInputs(StringRef name, const std::vector<Input> &inputs) {
  for (bool sanitize : {true, false}) {
    std::string full = ("exec/" + name + (sanitize ? "-sanitized" : "-plain")).str();
    benchmark::RegisterBenchmark(full.c_str(), [&inputs, sanitize](benchmark::State &state) {
      execute(state, inputs, sanitize);
    })->Unit(benchmark::kMillisecond);
  }
}

/// The cases of \p paths that compile and run; of the others it is said why they are left out.
static std::vector<Input> readCases(ArrayRef<char *> paths) {
  std::vector<Input> cases;
  for (StringRef path : paths) {
    Expected<Input> input = compileCase(path);
    Expected<uint64_t> count =
        input ? runOnce(*input, true) : Expected<uint64_t>(input.takeError());
    if (count)
      cases.push_back(std::move(*input));
    else
      errs() << "left out: " << path << ": " << takeError(count.takeError()).message << "\n";
  }
  return cases;
}

int main(int argc, char **argv) {
  benchmark::Initialize(&argc, argv);
  if (argc < 2) {
    errs() << "usage: assay-bench-exec [--benchmark_...] LOOP.s [CASE...]\n";
    return 2;
  }
  Expected<Input> loop = readAssembly(argv[1]);
  if (!loop) {
    errs() << "assay-bench-exec: " << takeError(loop.takeError()).message << "\n";
    return 3;
  }
  std::vector<Input> loops;
  loops.push_back(std::move(*loop));
  std::vector<Input> cases = readCases(ArrayRef(argv + 2, argv + argc));
  benchmark::RegisterBenchmark("calibration", calibrate);
  registerInputs("loop", loops);
  if (!cases.empty())
    registerInputs("cases", cases);
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
