// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compile times of compute shaders and of pipelines of vertex and fragment shaders, and the size of
// their code: Assay, and RADV with ACO and with LLVM on its null device, in one run. No driver runs
// spirv-val, so the times that are compared are those without it. ci/bench turns the times into
// ratios; absolute figures are next to a calibration loop.
#include "compiler/driver/Compiler.h"
#include "harness/peer/RadvPeer.h"
#include "harness/tools/bench/CodeStatistics.h"
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
/// A pipeline to compile, and what it is called in the results.
struct Input {
  std::string name; ///< "compute/saxpy", "graphics/draw-grid".
  Case source;
  /// Stages of graphics pipelines have 64 lanes, as RADV's have; compute shaders the default.
  unsigned waveSize = 0;

  const CasePipeline &pipeline() const { return source.pipelines.front(); }
};
using SharedInput = std::shared_ptr<const Input>;
} // namespace

/// The chip that all compilers compile for.
static const TargetInfo &getTarget() {
  static const TargetInfo *target = cantFail(findTarget("gfx1100"));
  return *target;
}

/// The chip for which Assay's compiler for Adreno GPUs is timed.
static const TargetInfo &getAdreno() {
  static const TargetInfo *target = cantFail(findTarget("a630"));
  return *target;
}

/// Reads the first pipeline of the case or shader at \p path. Specialization constants get their
/// defaults, so that all compilers compile the same code. InvalidInput for a file without a
/// pipeline.
static Expected<SharedInput> readInput(StringRef path) {
  std::string name = sys::path::stem(path).str();
  Expected<Case> source = readCase(path, name);
  if (!source)
    return addContext(source.takeError(), path);
  if (source->pipelines.empty())
    return invalidInput(path + ": no pipeline");
  auto input = std::make_shared<Input>();
  input->source = std::move(*source);
  PipelineDescription &pipeline = input->source.pipelines.front().description;
  for (ShaderDescription &shader : pipeline.stages)
    shader.specialization.clear();
  bool isGraphics = pipeline.isGraphics();
  input->name = (isGraphics ? "graphics/" : "compute/") + name;
  input->waveSize = isGraphics ? RadvSettings().graphicsWaveSize : 0;
  return input;
}

/// Sets the counters of \p state from the statistics of the code. An error in place of them makes
/// the benchmark fail with its message.
static void setCounters(benchmark::State &state, Expected<CodeStatistics> statistics) {
  if (!statistics)
    return state.SkipWithError(takeError(statistics.takeError()).message.c_str());
  state.counters["instructions"] = double(statistics->instructions);
  state.counters["bytes"] = double(statistics->bytes);
  state.counters["vgprs"] = double(statistics->vgprs);
  state.counters["parameters"] = double(statistics->parameters);
}

/// Times Assay's compiler from SPIR-V to an ELF, or a variant file. \p validate: spirv-val is part
/// of the time. All benchmarks share one compiler. The statistics are those of the last ELF.
static void compileAssay(benchmark::State &state, const SharedInput &input,
                         const TargetInfo &target, unsigned level, bool validate) {
  static Compiler compiler; // Kept warm over all rounds, as a driver would.
  CompileOptions options;
  options.target = &target;
  options.optLevel = level;
  options.waveSize = input->waveSize;
  options.validate = validate;
  std::vector<uint8_t> elf;
  for (auto _ : state) {
    Expected<CompileResult> result =
        compiler.compile(input->pipeline().description, options, EmitPhase::Elf);
    if (!result)
      return state.SkipWithError(takeError(result.takeError()).message.c_str());
    benchmark::DoNotOptimize(result->output.data());
    elf = std::move(result->output);
  }
  if (&target == &getTarget())
    setCounters(state, measureElf(elf, target));
}

/// Returns the peer of \p compiler, which is created on first use and lives until the process ends.
/// Returns the reason where it can't be created; the next call tries again.
static Expected<RadvPeer *> getPeer(RadvCompiler compiler) {
  static std::unique_ptr<RadvPeer> peers[2];
  std::unique_ptr<RadvPeer> &peer = peers[compiler == RadvCompiler::Llvm];
  if (peer)
    return peer.get();
  Expected<std::unique_ptr<RadvPeer>> made = RadvPeer::create({compiler}, getTarget());
  if (!made)
    return made.takeError();
  peer = std::move(*made);
  return peer.get();
}

/// Translates \p input for RADV, without a required subgroup size: the driver chooses it.
static Expected<RadvPipeline> describe(const Input &input) {
  return describeForRadv(input.pipeline(), /*subgroupSize=*/0);
}

/// Compiles once more, outside the measured time, and measures the code. Graphics pipelines have
/// the sum of both stages.
static Expected<CodeStatistics> measurePeer(RadvPeer &peer, const RadvPipeline &pipeline) {
  if (pipeline.isGraphics()) {
    Expected<radv::RadvGraphics> shaders = peer.compileGraphics(pipeline);
    return shaders ? measureRadv(*shaders, getTarget())
                   : Expected<CodeStatistics>(shaders.takeError());
  }
  Expected<radv::RadvShader> shader = peer.compile(pipeline);
  return shader ? measureRadv(*shader, getTarget()) : Expected<CodeStatistics>(shader.takeError());
}

/// Returns whether \p peer compiles \p pipeline without dying. Runs the compilation in a child,
/// because peers abort or exit. A compilation that ends with an error counts as survived.
static bool survives(RadvPeer &peer, const RadvPipeline &pipeline) {
  pid_t child = fork();
  if (child == 0) {
    int null = open("/dev/null", O_WRONLY);
    dup2(null, STDERR_FILENO);
    if (!errorToBool(peer.device().prepare(pipeline)))
      consumeError(peer.device().compilePipeline());
    consumeError(measurePeer(peer, pipeline).takeError());
    _exit(0);
  }
  int status = 0;
  // Mesa also exits where LLVM cannot compile.
  return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) &&
         WEXITSTATUS(status) == 0;
}

/// Returns why \p peer can't compile \p input, or an empty text. Each pair of input and compiler is
/// tried in a child only once. Errors are those of the format and feature checks.
static Expected<std::string> findObstacle(RadvPeer &peer, const Input &input,
                                          const RadvPipeline &pipeline) {
  if (Error error = peer.device().checkFormats(input.source))
    return std::move(error);
  Expected<std::string> missing = peer.device().findMissingFeature(input.source);
  if (!missing)
    return missing.takeError();
  if (!missing->empty())
    return "it lacks " + *missing;
  static std::map<std::pair<std::string, RadvCompiler>, bool> tried;
  auto [known, isNew] = tried.try_emplace({input.name, peer.settings().compiler}, true);
  if (isNew)
    known->second = survives(peer, pipeline);
  return known->second ? std::string() : "it dies of this shader";
}

/// Times the creation of the pipeline; shader modules and layouts are made beforehand. An error
/// means that this input has no time. The label is the description of the device. Unsupported for
/// an input that findObstacle() refuses.
static Error compileByPeer(benchmark::State &state, const Input &input, RadvCompiler compiler) {
  Expected<RadvPeer *> peer = getPeer(compiler);
  if (!peer)
    return peer.takeError();
  Expected<RadvPipeline> pipeline = describe(input);
  if (!pipeline)
    return pipeline.takeError();
  Expected<std::string> obstacle = findObstacle(**peer, input, *pipeline);
  if (!obstacle)
    return obstacle.takeError();
  if (!obstacle->empty())
    return unsupported(*obstacle);
  RadvDevice &device = (*peer)->device();
  if (Error error = device.prepare(*pipeline))
    return error;
  for (auto _ : state)
    if (Error error = device.compilePipeline())
      return error;
  setCounters(state, measurePeer(**peer, *pipeline));
  state.SetLabel(device.description());
  return Error::success();
}

/// An input that the peer can't compile is skipped with the reason.
static void compilePeer(benchmark::State &state, const SharedInput &input, RadvCompiler compiler) {
  if (Error error = compileByPeer(state, *input, compiler))
    state.SkipWithError(takeError(std::move(error)).message.c_str());
}

/// Registers one benchmark a compiler, called COMPILER/INPUT. \p input is shared by the
/// benchmarks: Assay at O2, at O2 with spirv-val and at O0, of compute shaders Assay for Adreno
/// GPUs at O2, ACO, and RADV with LLVM.
static void registerInput(const SharedInput &input) {
  auto add = [&](const char *compiler, auto function, auto... options) {
    benchmark::RegisterBenchmark((Twine(compiler) + "/" + input->name).str().c_str(), function,
                                 input, options...);
  };
  auto addAssay = [&](const char *compiler, const TargetInfo &target, unsigned level,
                      bool validate) {
    add(compiler, [&target, level, validate](benchmark::State &state, const SharedInput &shared) {
      compileAssay(state, shared, target, level, validate);
    });
  };
  addAssay("assay-O2", getTarget(), 2, /*validate=*/false);
  addAssay("assay-O2-validated", getTarget(), 2, /*validate=*/true);
  addAssay("assay-O0", getTarget(), 0, /*validate=*/false);
  if (!input->pipeline().description.isGraphics())
    addAssay("assay-a630", getAdreno(), 2, /*validate=*/false);
  add("aco", compilePeer, RadvCompiler::Aco);
  add("radv-llvm", compilePeer, RadvCompiler::Llvm);
}

/// Exit status 2 for a usage error and 3 for a file that can't be read.
int main(int argc, char **argv) {
  benchmark::Initialize(&argc, argv);
  if (argc < 2) {
    errs() << "usage: assay-bench [--benchmark_...] SHADER...\n";
    return 2;
  }
  benchmark::RegisterBenchmark("calibration", calibrate);
  for (int i = 1; i < argc; ++i) {
    Expected<SharedInput> input = readInput(argv[i]);
    if (!input) {
      errs() << "assay-bench: " << takeError(input.takeError()).message << "\n";
      return 3;
    }
    registerInput(*input);
  }
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
