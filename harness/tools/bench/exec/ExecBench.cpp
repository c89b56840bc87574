// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How many wave instructions machines gcn and adreno execute in a second on one core, with their
// sanitizers and without: in a loop of arithmetic, where nothing else counts, and over given cases
// as assay compiles them for gfx1100 and a630, launches and memory included; cases that draw apart
// from the others, with the work of oracles/raster included.
#include "compiler/driver/Compiler.h"
#include "harness/tools/bench/calibration/Calibration.h"
#include "oracles/input/CaseReader.h"
#include "oracles/machine/adreno/AdrenoMachine.h"
#include "oracles/machine/gcn/GcnMachine.h"
#include "oracles/machine/gcn/graphics/Draws.h"
#include "oracles/machine/gcn_isa/Assembler.h"
#include "oracles/machine/ir3_isa/Codec.h"
#include "oracles/turnip/TurnipShader.h"
#include "support/Error.h"
#include "support/File.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include <list>

using namespace llvm;
using namespace assay;

static constexpr unsigned WaveSize = 32; ///< Of machine gcn.

namespace {
/// A machine, and the chip it runs code for. The name is empty for machine gcn and otherwise a
/// prefix of the benchmarks' names.
struct Bench {
  StringLiteral name, target;
  Expected<std::unique_ptr<Machine>> (*createMachine)();
  /// One wave of the loop in a file.
  Expected<std::vector<uint8_t>> (*assembleLoop)(StringRef text);
};

/// A case, ready to run.
struct Input {
  std::string name; ///< Stem of the file's name.
  Case source;
  std::vector<Artifact> artifacts; ///< One for each pipeline.
};
} // namespace

/// Assembles \p text for a630 into a shader file for one wave of 64 fibers, without buffers. The
/// fiber's number is in r0.x. Errors are those of the assembler.
static Expected<std::vector<uint8_t>> assembleFibers(StringRef text) {
  turnip::TurnipShader shader;
  shader.driver = "assembler";
  shader.target = "a630";
  Expected<std::vector<uint64_t>> words = adreno::assemble(text, adreno::Chip::A630);
  if (!words)
    return words.takeError();
  shader.code = std::move(*words);
  shader.launch.fullRegisters = 8;
  shader.launch.mergedRegisters = true;
  shader.launch.branchStack = 1;
  shader.launch.constantVec4s = 4;
  shader.launch.localSize = {64, 1, 1};
  shader.launch.localIdRegister = 0;
  return turnip::writeTurnipShader(shader);
}

/// In the order of the loops on the command line. The name is a prefix of the benchmarks' names.
static constexpr Bench Benches[] = {
    {"", "gfx1100",
     []() -> Expected<std::unique_ptr<Machine>> {
       return createGcnMachine(**findTarget("gfx1100"), gcn::loadDraws);
     },
     [](StringRef text) { return gcn::assembleElf(text, "gfx1100", WaveSize); }},
    {"adreno-", "a630", [] { return createAdrenoMachine("a630"); }, assembleFibers},
};

/// Reads and assembles the loop at \p path and wraps it in a dispatch of one workgroup, without
/// buffers. Errors are those of the file and of the assembler.
static Expected<Input> readAssembly(const Bench &bench, StringRef path) {
  Expected<std::vector<uint8_t>> text = readFileBytes(path);
  if (!text)
    return text.takeError();
  Expected<std::vector<uint8_t>> code = bench.assembleLoop(toStringRef(*text));
  if (!code)
    return addContext(code.takeError(), path);
  Input input;
  input.name = sys::path::stem(path).str();
  input.source.id = input.name;
  input.source.pipelines.emplace_back();
  Dispatch dispatch;
  dispatch.groups[0] = 1;
  input.source.commands.push_back(dispatch);
  input.artifacts.emplace_back(std::move(*code));
  return input;
}

/// Reads the case at \p path and compiles all of its pipelines at O2 for the chip of \p bench.
/// Errors are those of the case and of the compiler.
static Expected<Input> compileCase(const Bench &bench, StringRef path) {
  Input input;
  input.name = sys::path::stem(path).str();
  Expected<Case> source = readCase(path, input.name);
  if (!source)
    return source.takeError();
  static Compiler compiler;
  CompileOptions options;
  options.target = *findTarget(bench.target);
  options.optLevel = 2;
  if (bench.name.empty())
    options.waveSize = WaveSize;
  for (const CasePipeline &pipeline : source->pipelines) {
    Expected<CompileResult> result =
        compiler.compile(pipeline.description, options, EmitPhase::Elf);
    if (!result)
      return result.takeError();
    input.artifacts.emplace_back(std::move(result->output));
  }
  input.source = std::move(*source);
  return input;
}

/// Runs \p input on a new machine and returns the number of wave instructions. Unsupported for a
/// run that does not complete.
static Expected<uint64_t> runOnce(const Bench &bench, const Input &input, bool sanitize) {
  RunOptions options;
  options.sanitize = sanitize;
  Expected<std::unique_ptr<Machine>> machine = bench.createMachine();
  if (!machine)
    return machine.takeError();
  Expected<Outcome> outcome = (*machine)->run(input.source, input.artifacts, options);
  if (!outcome)
    return outcome.takeError();
  if (outcome->kind != OutcomeKind::Completed)
    return unsupported(outcome->reason);
  return outcome->instructions;
}

/// Runs all \p inputs once in each iteration and counts wave instructions as items. The label is
/// the number of inputs. An input that fails ends the benchmark.
static void execute(benchmark::State &state, const Bench &bench, ArrayRef<Input> inputs,
                    bool sanitize) {
  uint64_t instructions = 0;
  for (auto _ : state)
    for (const Input &input : inputs) {
      Expected<uint64_t> count = runOnce(bench, input, sanitize);
      if (!count)
        return state.SkipWithError(
            (input.name + ": " + takeError(count.takeError()).message).c_str());
      instructions += *count;
    }
  state.SetItemsProcessed(static_cast<int64_t>(instructions));
  state.SetLabel(utostr(inputs.size()));
}

/// Registers one benchmark with sanitizers and one without. \p inputs must outlive them.
static void registerInputs(const Bench &bench, StringRef name, const std::vector<Input> &inputs) {
  for (bool sanitize : {true, false}) {
    std::string full = ("exec/" + bench.name + name + (sanitize ? "-sanitized" : "-plain")).str();
    benchmark::RegisterBenchmark(full.c_str(), [&bench, &inputs,
                                                sanitize](benchmark::State &state) {
      execute(state, bench, inputs, sanitize);
    })->Unit(benchmark::kMillisecond);
  }
}

/// Returns the cases of \p paths that compile and complete a run with sanitizers. Reports each of
/// the others on stderr with the reason.
static std::vector<Input> readCases(const Bench &bench, ArrayRef<char *> paths) {
  std::vector<Input> cases;
  for (StringRef path : paths) {
    Expected<Input> input = compileCase(bench, path);
    Expected<uint64_t> count =
        input ? runOnce(bench, *input, true) : Expected<uint64_t>(input.takeError());
    if (count)
      cases.push_back(std::move(*input));
    else
      errs() << "left out: " << path << " on " << bench.target << ": "
             << takeError(count.takeError()).message << "\n";
  }
  return cases;
}

/// Returns whether \p input has a draw, so that the work of the rasterizer is part of its time.
static bool hasDraws(const Input &input) {
  return any_of(input.source.commands,
                [](const Command &command) { return std::holds_alternative<Draw>(command); });
}

/// Loops come first on the command line, one for each row of Benches. Exit status 2 for a usage
/// error, 3 for a loop that can't be assembled; cases that fail are only left out.
int main(int argc, char **argv) {
  benchmark::Initialize(&argc, argv);
  if (argc < 3) {
    errs() << "usage: assay-bench-exec [--benchmark_...] LOOP.s LOOP.asm [CASE...]\n";
    return 2;
  }
  benchmark::RegisterBenchmark("calibration", calibrate);
  std::list<std::vector<Input>> inputs; // Benchmarks refer to them.
  for (auto [index, bench] : enumerate(Benches)) {
    Expected<Input> loop = readAssembly(bench, argv[1 + index]);
    if (!loop) {
      errs() << "assay-bench-exec: " << takeError(loop.takeError()).message << "\n";
      return 3;
    }
    inputs.emplace_back().push_back(std::move(*loop));
    registerInputs(bench, "loop", inputs.back());
    std::vector<Input> &cases = inputs.emplace_back(), &draws = inputs.emplace_back();
    std::vector<Input> all = readCases(bench, ArrayRef(argv + 3, argv + argc));
    for (Input &input : all)
      (hasDraws(input) ? draws : cases).push_back(std::move(input));
    if (!cases.empty())
      registerInputs(bench, "cases", cases);
    if (!draws.empty())
      registerInputs(bench, "draws", draws);
  }
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
