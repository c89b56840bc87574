// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the compiler cache saves and what hash chains cost, in one run: a compilation, the same
// pipeline from a cache in memory and from one in a folder, and the work on its hash chain alone.
#include "compiler/cache/BuildId.h"
#include "compiler/cache/Cache.h"
#include "compiler/driver/Compiler.h"
#include "compiler/lgc/HashChain.h"
#include "compiler/spirv/CanonicalHash.h"
#include "harness/tools/bench/calibration/Calibration.h"
#include "oracles/input/CaseReader.h"
#include "support/Error.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

#include <benchmark/benchmark.h>

using namespace llvm;
using namespace assay;

/// Returns the options of all compilations. They are equal, because the key of a cache entry
/// depends on them.
static CompileOptions makeOptions() {
  CompileOptions options;
  options.target = *findTarget("gfx1100");
  options.optLevel = 2;
  options.validate = false; // As in a driver.
  return options;
}

/// Times a compilation without a cache.
static void compileFresh(benchmark::State &state, const PipelineDescription &pipeline) {
  static Compiler compiler; // Kept warm, as a driver would.
  for (auto _ : state) {
    Expected<CompileResult> result = compiler.compile(pipeline, makeOptions(), EmitPhase::Elf);
    if (!result)
      return state.SkipWithError(takeError(result.takeError()).message.c_str());
    benchmark::DoNotOptimize(result->output.data());
  }
}

/// Opens a cache in \p folder, or in memory for an empty name. A cache with a folder keeps nothing
/// in memory, so that each hit reads a file.
static Expected<std::unique_ptr<Cache>> openCache(StringRef folder) {
  CacheOptions options;
  options.folder = folder.str();
  options.build = getBuildId();
  if (!folder.empty())
    options.memoryBytes = 0;
  return Cache::open(std::move(options));
}

/// Times hits in the cache of openCache(\p folder). The first compilation, which fills the cache,
/// is not measured. A miss later ends the benchmark with an error.
static void compileCached(benchmark::State &state, const PipelineDescription &pipeline,
                          const std::string &folder) {
  static Compiler compiler;
  Expected<std::unique_ptr<Cache>> cache = openCache(folder);
  if (!cache)
    return state.SkipWithError(takeError(cache.takeError()).message.c_str());
  compiler.setCache(cache->get());
  scope_exit forget([] { compiler.setCache(nullptr); });
  consumeError(compiler.compile(pipeline, makeOptions(), EmitPhase::Elf).takeError());
  for (auto _ : state) {
    Expected<CompileResult> result = compiler.compile(pipeline, makeOptions(), EmitPhase::Elf);
    if (!result)
      return state.SkipWithError(takeError(result.takeError()).message.c_str());
    if (!result->isFromCache)
      return state.SkipWithError("the cache has no entry");
    benchmark::DoNotOptimize(result->output.data());
  }
}

/// Times the hash of the shader and the nodes of all steps of its chain. An iteration also creates
/// a module and a function, but shares its LLVMContext with the others. A chain with another hash
/// than that of the compilation is an error.
static void track(benchmark::State &state, const PipelineDescription &pipeline) {
  Compiler compiler;
  Expected<CompileResult> result = compiler.compile(pipeline, makeOptions(), EmitPhase::Elf);
  if (!result)
    return state.SkipWithError(takeError(result.takeError()).message.c_str());
  const HashChain &chain = result->hashChains.front().chain;
  LLVMContext context;
  for (auto _ : state) {
    consumeError(spirv::hashMeaning(pipeline.getShader(ShaderStage::Compute)).takeError());
    Module module("chain", context);
    Function *function = Function::Create(FunctionType::get(Type::getVoidTy(context), false),
                                          GlobalValue::ExternalLinkage, "main", module);
    IRBuilder<>(BasicBlock::Create(context, "", function)).CreateRetVoid();
    startHashChains(module, chain.steps.front());
    for (const HashStep &step : ArrayRef(chain.steps).drop_front())
      extendHashChains(module, step);
    Expected<HashChain> read = readHashChain(*function);
    if (!read || read->hash != chain.hash)
      return state.SkipWithError("the chain is another");
  }
}

/// Exit status 2 for a usage error, 3 for a case without a compute pipeline and where no temporary
/// folder can be made. The folder is removed at the end.
int main(int argc, char **argv) {
  benchmark::Initialize(&argc, argv);
  if (argc < 2) {
    errs() << "usage: assay-bench-cache [--benchmark_...] CASE...\n";
    return 2;
  }
  SmallString<128> folder;
  if (std::error_code code = sys::fs::createUniqueDirectory("assay-bench-cache", folder)) {
    errs() << "assay-bench-cache: " << code.message() << "\n";
    return 3;
  }
  scope_exit remove([&] { sys::fs::remove_directories(folder); });
  benchmark::RegisterBenchmark("calibration", calibrate);
  for (int i = 1; i < argc; ++i) {
    std::string name = sys::path::stem(argv[i]).str();
    Expected<Case> input = readCase(argv[i], name);
    if (!input || input->pipelines.empty() || !input->pipelines.front().description.isCompute()) {
      errs() << "assay-bench-cache: " << argv[i] << ": "
             << (input ? "no compute pipeline" : takeError(input.takeError()).message) << "\n";
      return 3;
    }
    const PipelineDescription &pipeline = input->pipelines.front().description;
    auto add = [&](StringRef what, auto function, auto... arguments) {
      benchmark::RegisterBenchmark((what + "/" + name).str().c_str(), function, pipeline,
                                   arguments...)
          ->Unit(benchmark::kMicrosecond);
    };
    add("fresh", compileFresh);
    add("memory", compileCached, std::string());
    add("folder", compileCached, folder.str().str());
    add("chain", track);
  }
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
