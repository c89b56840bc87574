// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/campaign/Coverage.h"

#include "fuzz/generate/Generator.h"
#include "fuzz/generate/Steering.h"
#include "harness/corpus/Features.h"
#include "harness/run/WorkFolder.h"
#include "support/Error.h"
#include "support/File.h"
#include "llvm/ADT/STLExtras.h"

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

/// Adds what the cases \p numbers have to \p table; their scripts stand in \p folder meanwhile.
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
  Expected<std::vector<FeaturedCase>> cases = collectFeatures(files, compile, pool);
  if (!cases)
    return cases.takeError();
  for (auto [made, featured] : zip_equal(constructs, *cases))
    table.add(made, featured.features);
  return Error::success();
}

Expected<std::string> assay::printCampaignCoverage(const CampaignFolder &folder,
                                                   const CampaignOptions &options, uint64_t sample,
                                                   const PoolOptions &pool) {
  constexpr size_t atOnce = 64; // Scripts and ELFs on disk.
  DiffOptions compile = options.diff;
  if (!is_contained(compile.compilers, "assay") || !any_of(compile.machines, needsCompiler))
    compile.targets.clear();
  std::vector<uint64_t> numbers;
  for (uint64_t number : make_first_range(folder.results()))
    if (number % sample == 0)
      numbers.push_back(number);
  fuzz::CoverageTable table;
  for (ArrayRef<uint64_t> left = numbers; !left.empty();) {
    ArrayRef<uint64_t> some = left.take_front(atOnce);
    left = left.drop_front(some.size());
    if (Error error = addCases(table, options, compile, some, pool))
      return std::move(error);
  }
  return table.print();
}
