// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/campaign/Coverage.h"

#include "fuzz/generate/Generator.h"
#include "fuzz/generate/Steering.h"
#include "harness/campaign/CampaignFolder.h"
#include "harness/campaign/TerminationNote.h"
#include "harness/corpus/Features.h"
#include "harness/run/WorkFolder.h"
#include "support/CodeCounts.h"
#include "support/Error.h"
#include "support/File.h"
#include "llvm/ADT/STLExtras.h"
#include <chrono>

using namespace llvm;
using namespace assay;

Expected<CampaignSteering> assay::readSteering(ArrayRef<std::string> files) {
  fuzz::CoverageTable sum;
  for (const std::string &file : files) {
    Expected<std::string> text = readFileText(file);
    if (!text)
      return text.takeError();
    Expected<fuzz::CoverageTable> table = fuzz::CoverageTable::parse(*text);
    if (!table)
      return addContext(table.takeError(), file);
    sum.merge(*table);
  }
  return CampaignSteering{sum.print(), std::make_shared<fuzz::Steering>(sum)};
}

Expected<std::optional<CampaignSteering>> assay::readSteering(const CampaignFolder &folder) {
  Expected<std::string> text = folder.readSteeringTable();
  if (!text)
    return text.takeError();
  if (text->empty())
    return std::nullopt;
  Expected<fuzz::CoverageTable> table = fuzz::CoverageTable::parse(*text);
  if (!table)
    return addContext(table.takeError(), folder.path() + "/steering.json");
  return CampaignSteering{std::move(*text), std::make_shared<fuzz::Steering>(*table)};
}

/// Adds what the cases \p numbers have to \p table; their scripts are in \p folder meanwhile.
static Error addCases(fuzz::CoverageTable &table, const CampaignOptions &options,
                      const DiffOptions &compile, ArrayRef<uint64_t> numbers,
                      const PoolOptions &pool) {
  Expected<std::unique_ptr<WorkFolder>> folder = WorkFolder::create("");
  if (!folder)
    return folder.takeError();
  std::vector<CaseFile> files;
  std::vector<std::set<std::string>> constructs;
  for (uint64_t number : numbers) {
    Expected<fuzz::GeneratedCase> original = generateCampaignCase(options, number);
    if (!original)
      return original.takeError();
    Expected<CampaignCase> made = makeCampaignCase(options, number);
    if (!made)
      return made.takeError();
    std::string path = (*folder)->jobFolder("case", number) + ".amber";
    if (Error error = writeFile(path, StringRef(made->text)))
      return error;
    files.push_back({path, std::to_string(number)});
    constructs.push_back(std::move(original->constructs));
  }
  Expected<std::vector<FeaturedCase>> cases =
      collectFeatures(files, compile, pool, isCodeCounted());
  if (!cases)
    return cases.takeError();
  for (auto [made, featured] : zip_equal(constructs, *cases))
    table.add(made, featured.features);
  return Error::success();
}

/// In ascending order, so that a prefix of it is the same in every run.
static std::vector<uint64_t> chooseSample(const CampaignFolder &folder, uint64_t sample) {
  std::vector<uint64_t> numbers;
  for (uint64_t number : make_first_range(folder.results()))
    if (number % sample == 0)
      numbers.push_back(number);
  return numbers;
}

Expected<CampaignCoverage> assay::collectCampaignCoverage(const CampaignFolder &folder,
                                                          const CampaignOptions &options,
                                                          uint64_t sample, double maxSeconds,
                                                          PoolOptions pool) {
  using Clock = std::chrono::steady_clock;
  constexpr size_t atOnce = 16; // Between two looks at the clock.
  Clock::time_point start = Clock::now();
  DiffOptions compile = options.diff;
  if (none_of(compile.compilers, [](StringRef name) { return compilerOf(name).isOwn; }) ||
      !any_of(compile.machines, needsCompiler))
    compile.targets.clear();
  std::vector<uint64_t> numbers = chooseSample(folder, sample);
  CampaignCoverage coverage;
  coverage.wanted = numbers.size();
  TerminationNote termination;
  pool.stopRequested = &coverage.wasStopped;
  fuzz::CoverageTable table;
  while (coverage.cases < numbers.size() && !coverage.wasStopped) {
    std::chrono::duration<double> spent = Clock::now() - start;
    if (coverage.cases && maxSeconds > 0 && spent.count() >= maxSeconds)
      break;
    ArrayRef<uint64_t> some = ArrayRef(numbers).drop_front(coverage.cases).take_front(atOnce);
    if (Error error = addCases(table, options, compile, some, pool))
      return std::move(error);
    coverage.cases += some.size();
    coverage.wasStopped |= termination.get();
  }
  coverage.table = table.print();
  return std::move(coverage);
}
