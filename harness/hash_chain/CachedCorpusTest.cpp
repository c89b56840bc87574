// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The corpus without a cache, with an empty one, with a full one and with a damaged one: the same
// bytes each time. A sample of it; all of it with ASSAY_SCALE=full.
#include "compiler/cache/BuildId.h"
#include "compiler/cache/Cache.h"
#include "compiler/driver/Compiler.h"
#include "oracles/input/CaseReader.h"
#include "support/Error.h"
#include "support/Random.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "gtest/gtest.h"
#include <cstdlib>

using namespace llvm;
using namespace assay;

namespace {
struct Input {
  PipelineDescription pipeline;
  CompileOptions options;
};

struct Counts {
  unsigned pipelines = 0, hits = 0, damaged = 0;
};
} // namespace

static std::vector<std::string> listCases(StringRef folder, unsigned step) {
  std::vector<std::string> paths, chosen;
  std::error_code error;
  std::string path = (ASSAY_SOURCE_DIR "/corpora/" + folder).str();
  for (sys::fs::directory_iterator it(path, error), end; it != end && !error; it.increment(error))
    if (StringRef(it->path()).ends_with(".amber"))
      paths.push_back(it->path());
  sort(paths);
  for (size_t i = 0; i < paths.size(); i += step)
    chosen.push_back(paths[i]);
  return chosen;
}

/// A cache that keeps nothing in memory.
static std::unique_ptr<Cache> openCache(StringRef folder) {
  CacheOptions options;
  options.folder = folder.str();
  options.build = getBuildId();
  options.memoryBytes = 0;
  return cantFail(Cache::open(std::move(options)));
}

static CompileResult compile(const Input &input, Cache *cache) {
  Compiler compiler;
  compiler.setCache(cache);
  return cantFail(compiler.compile(input.pipeline, input.options, EmitPhase::Elf));
}

static std::vector<std::string> listEntries(StringRef folder) {
  std::vector<std::string> entries;
  std::error_code error;
  for (sys::fs::recursive_directory_iterator it(folder, error), end; it != end && !error;
       it.increment(error))
    if (it->type() == sys::fs::file_type::regular_file)
      entries.push_back(it->path());
  return entries;
}

/// Flips one bit of each entry.
static unsigned damageEntries(StringRef folder, Random &random) {
  unsigned count = 0;
  for (const std::string &path : listEntries(folder)) {
    auto buffer = errorOrToExpected(MemoryBuffer::getFile(path));
    std::string bytes = cantFail(std::move(buffer))->getBuffer().str();
    bytes[random.below(bytes.size())] ^= char(1 << random.below(8));
    std::error_code error;
    raw_fd_ostream file(path, error);
    EXPECT_FALSE(error) << path;
    file << bytes;
    ++count;
  }
  return count;
}

static void checkInput(const Input &input, Random &random, Counts &counts) {
  SmallString<128> folder;
  ASSERT_FALSE(sys::fs::createUniqueDirectory("assay-cached-corpus", folder));
  scope_exit remove([&] { sys::fs::remove_directories(folder); });
  std::vector<uint8_t> fresh = compile(input, nullptr).output;
  std::unique_ptr<Cache> cold = openCache(folder), warm = openCache(folder);
  CompileResult first = compile(input, cold.get()), second = compile(input, warm.get());
  EXPECT_FALSE(first.isFromCache);
  EXPECT_TRUE(second.isFromCache);
  EXPECT_EQ(first.output, fresh) << "cold";
  EXPECT_EQ(second.output, fresh) << "warm";
  unsigned damaged = damageEntries(folder, random);
  EXPECT_EQ(damaged, cold->getStatistics().stored);
  std::unique_ptr<Cache> broken = openCache(folder);
  CompileResult third = compile(input, broken.get());
  EXPECT_FALSE(third.isFromCache);
  EXPECT_EQ(third.output, fresh) << "damaged";
  EXPECT_EQ(broken->getStatistics().damaged, damaged);
  ++counts.pipelines;
  counts.hits += static_cast<unsigned>(warm->getStatistics().hits);
  counts.damaged += damaged;
}

/// Cases that can't be compiled are left out.
static void checkCase(const std::string &path, size_t index, Counts &counts) {
  SCOPED_TRACE(path);
  const char *targets[] = {"gfx900", "gfx1030", "gfx1100"};
  Case read = cantFail(readCase(path, path));
  for (const CasePipeline &pipeline : read.pipelines) {
    Input input{pipeline.description, {}};
    input.options.target = cantFail(findTarget(targets[index % std::size(targets)]));
    input.options.optLevel = index % 4 ? 2 : 0;
    Compiler compiler;
    Expected<CompileResult> result =
        compiler.compile(input.pipeline, input.options, EmitPhase::Elf);
    if (!result) {
      EXPECT_NE(takeError(result.takeError()).message, "");
      continue;
    }
    Random random(index);
    checkInput(input, random, counts);
  }
}

TEST(CachedCorpus, ColdWarmAndDamagedGiveTheSameBytes) {
  const char *scale = std::getenv("ASSAY_SCALE");
  bool isFull = scale && StringRef(scale) == "full";
  std::vector<std::string> paths = listCases("compute", isFull ? 1 : 12);
  append_range(paths, listCases("graphics", isFull ? 1 : 80));
  Counts counts;
  for (const auto &[index, path] : enumerate(paths))
    checkCase(path, index, counts);
  outs() << counts.pipelines << " pipelines of " << paths.size() << " cases, " << counts.hits
         << " hits, " << counts.damaged << " damaged entries\n";
  outs().flush();
  EXPECT_GT(counts.pipelines * 4, paths.size() * 3);
  EXPECT_GT(counts.hits, 0u);
}
