// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compile times of one small compute shader: Assay, and RADV with ACO and with LLVM on its null
// device, in one run. ci/bench turns the times into ratios; absolute figures stand beside a
// calibration loop.
#include "compiler/driver/Compiler.h"
#include "compiler/spirv/Module.h"
#include "compiler/spirv/ResourceInterface.h"
#include "harness/peer/RadvDevice.h"
#include "support/Error.h"
#include "support/File.h"
#include "llvm/Support/raw_ostream.h"

#include <benchmark/benchmark.h>

using namespace llvm;
using namespace assay;

static Expected<PipelineDescription> readPipeline(StringRef path) {
  Expected<std::string> text = readFileText(path);
  if (!text)
    return text.takeError();
  Expected<std::vector<uint32_t>> words = spirv::assemble(*text);
  if (!words)
    return words.takeError();
  Expected<spirv::Module> module = spirv::decode(*words);
  if (!module)
    return module.takeError();
  Expected<ResourceLayout> layout = spirv::layoutFor(*module);
  if (!layout)
    return layout.takeError();
  PipelineDescription pipeline;
  pipeline.compute.spirv = *words;
  pipeline.layout = *layout;
  return pipeline;
}

// The same integer work everywhere: what the machine's speed was during this run.
static void calibrate(benchmark::State &state) {
  for (auto _ : state) {
    uint64_t value = 1;
    for (int i = 0; i < 1000000; ++i)
      value = value * 6364136223846793005u + 1442695040888963407u;
    benchmark::DoNotOptimize(value);
  }
}

static void compileAssay(benchmark::State &state, const PipelineDescription &pipeline,
                         unsigned level) {
  static Compiler compiler; // Kept warm over all rounds, as a driver would.
  CompileOptions options;
  options.target = *findTarget("gfx1100");
  options.optLevel = level;
  for (auto _ : state) {
    Expected<CompileResult> result = compiler.compile(pipeline, options, EmitPhase::Elf);
    if (!result)
      return state.SkipWithError(takeError(result.takeError()).message.c_str());
    benchmark::DoNotOptimize(result->output.data());
  }
}

static void compilePeer(benchmark::State &state, const PipelineDescription &pipeline,
                        RadvCompiler compiler) {
  Expected<std::unique_ptr<RadvDevice>> device = RadvDevice::create("navi31", compiler);
  if (!device)
    return state.SkipWithError(takeError(device.takeError()).message.c_str());
  Error error = (*device)->prepare(pipeline.compute.spirv, "main", pipeline.layout);
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

int main(int argc, char **argv) {
  benchmark::Initialize(&argc, argv);
  if (argc != 2) {
    errs() << "usage: assay-bench [--benchmark_...] SHADER.spvasm\n";
    return 2;
  }
  Expected<PipelineDescription> pipeline = readPipeline(argv[1]);
  if (!pipeline) {
    errs() << "assay-bench: " << takeError(pipeline.takeError()).message << "\n";
    return 3;
  }
  benchmark::RegisterBenchmark("calibration", calibrate);
  benchmark::RegisterBenchmark("assay-O2", compileAssay, *pipeline, 2u);
  benchmark::RegisterBenchmark("assay-O0", compileAssay, *pipeline, 0u);
  benchmark::RegisterBenchmark("aco", compilePeer, *pipeline, RadvCompiler::Aco);
  benchmark::RegisterBenchmark("radv-llvm", compilePeer, *pipeline, RadvCompiler::Llvm);
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
