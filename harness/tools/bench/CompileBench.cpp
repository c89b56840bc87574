// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compile times of compute shaders: Assay, and RADV with ACO and with LLVM on its null device, in
// one run. No driver runs spirv-val, so the times that are compared are those without it. ci/bench
// turns the times into ratios; absolute figures are next to a calibration loop.
#include "compiler/driver/Compiler.h"
#include "harness/peer/RadvDevice.h"
#include "harness/tools/bench/calibration/Calibration.h"
#include "oracles/input/CaseReader.h"
#include "support/Error.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

#include <benchmark/benchmark.h>
#include <fcntl.h>
#include <map>
#include <sys/wait.h>
#include <unistd.h>

using namespace llvm;
using namespace assay;

namespace {
/// A shader to compile, and what it is called in the results.
struct Input {
  std::string name;
  PipelineDescription pipeline;
  Case source;
};
} // namespace

// The first pipeline of \p path; specialization constants keep their defaults, for all compilers.
static Expected<Input> readInput(StringRef path) {
  std::string name = sys::path::stem(path).str();
  Expected<Case> input = readCase(path, name);
  if (!input)
    return addContext(input.takeError(), path);
  if (input->pipelines.empty())
    return invalidInput(path + ": no compute pipeline");
  Input result{name, input->pipelines.front().description, {}};
  result.pipeline.getShader(ShaderStage::Compute).specialization.clear();
  result.source = std::move(*input);
  result.source.pipelines.front()
      .description.getShader(ShaderStage::Compute)
      .specialization.clear();
  return result;
}

static void compileAssay(benchmark::State &state, const Input &input, unsigned level,
                         bool validate) {
  static Compiler compiler; // Kept warm over all rounds, as a driver would.
  CompileOptions options;
  options.target = *findTarget("gfx1100");
  options.optLevel = level;
  options.validate = validate;
  for (auto _ : state) {
    Expected<CompileResult> result = compiler.compile(input.pipeline, options, EmitPhase::Elf);
    if (!result)
      return state.SkipWithError(takeError(result.takeError()).message.c_str());
    benchmark::DoNotOptimize(result->output.data());
  }
}

// The device of \p compiler, made on first use; why there is none.
static Expected<RadvDevice *> getPeer(RadvCompiler compiler) {
  static std::unique_ptr<RadvDevice> devices[2];
  std::unique_ptr<RadvDevice> &device = devices[compiler == RadvCompiler::Llvm];
  if (device)
    return device.get();
  Expected<std::unique_ptr<RadvDevice>> made = RadvDevice::create("navi31", {compiler});
  if (!made)
    return made.takeError();
  device = std::move(*made);
  return device.get();
}

static Error prepare(RadvDevice &device, const Input &input) {
  Expected<RadvPipeline> pipeline =
      describeForRadv(input.source.pipelines.front(), /*subgroupSize=*/0);
  if (!pipeline)
    return pipeline.takeError();
  return device.prepare(*pipeline);
}

// Whether \p compiler comes through \p input alive; tried in a child, because peers abort.
static bool survives(const Input &input, RadvCompiler compiler) {
  pid_t child = fork();
  if (child == 0) {
    int null = open("/dev/null", O_WRONLY);
    dup2(null, STDERR_FILENO);
    Expected<RadvDevice *> device = getPeer(compiler);
    if (device && !errorToBool(prepare(**device, input)))
      consumeError((*device)->compilePipeline());
    _exit(0);
  }
  int status = 0;
  return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status);
}

static void compilePeer(benchmark::State &state, const Input &input, RadvCompiler compiler) {
  Expected<RadvDevice *> device = getPeer(compiler);
  if (!device)
    return state.SkipWithError(takeError(device.takeError()).message.c_str());
  Expected<std::string> missing = (*device)->findMissingFeature(input.source);
  if (!missing)
    return state.SkipWithError(takeError(missing.takeError()).message.c_str());
  if (!missing->empty())
    return state.SkipWithError(("it lacks " + *missing).c_str());
  static std::map<std::pair<std::string, RadvCompiler>, bool> tried;
  auto [known, isNew] = tried.try_emplace({input.name, compiler}, true);
  if (isNew)
    known->second = survives(input, compiler);
  if (!known->second)
    return state.SkipWithError("it dies of this shader");
  Error error = prepare(**device, input);
  for (auto _ : state) {
    if (!error)
      error = (*device)->compilePipeline();
    if (error)
      break;
  }
  if (error)
    return state.SkipWithError(takeError(std::move(error)).message.c_str());
  state.SetLabel((*device)->description());
}

static void registerInput(const Input &input) {
  auto add = [&](const char *compiler, auto function, auto... options) {
    benchmark::RegisterBenchmark((Twine(compiler) + "/" + input.name).str().c_str(), function,
                                 input, options...);
  };
  add("assay-O2", compileAssay, 2u, /*validate=*/false);
  add("assay-O2-validated", compileAssay, 2u, /*validate=*/true);
  add("assay-O0", compileAssay, 0u, /*validate=*/false);
  add("aco", compilePeer, RadvCompiler::Aco);
  add("radv-llvm", compilePeer, RadvCompiler::Llvm);
}

int main(int argc, char **argv) {
  benchmark::Initialize(&argc, argv);
  if (argc < 2) {
    errs() << "usage: assay-bench [--benchmark_...] SHADER...\n";
    return 2;
  }
  benchmark::RegisterBenchmark("calibration", calibrate);
  for (int i = 1; i < argc; ++i) {
    Expected<Input> input = readInput(argv[i]);
    if (!input) {
      errs() << "assay-bench: " << takeError(input.takeError()).message << "\n";
      return 3;
    }
    registerInput(*input);
  }
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
