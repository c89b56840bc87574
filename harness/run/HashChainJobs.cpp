// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/run/HashChainJobs.h"

#include "harness/run/CommandWords.h"
#include "support/Error.h"
#include "support/ShellQuote.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace assay;

/// As "name=value" words, which parseHashChainOptions() reads.
std::vector<std::string> assay::printHashChainOptions(const HashChainOptions &options) {
  std::vector<std::string> texts = {"pairs=" + std::to_string(options.pairs)};
  for (const std::string &mutation : options.mutations)
    texts.push_back("mutation=" + mutation);
  return texts;
}

Expected<HashChainOptions> assay::parseHashChainOptions(ArrayRef<std::string> texts) {
  HashChainOptions options;
  for (StringRef text : texts) {
    auto [name, value] = text.split('=');
    if (name == "mutation")
      options.mutations.push_back(value.str());
    else if (name != "pairs" || !to_integer(value, options.pairs, 10))
      return invalidInput("unknown option '" + text + "' of check-hashes");
  }
  return options;
}

/// Compares with the pipeline in \p other, or, if that is empty, with mutations of the case.
Job assay::makeHashChainJob(const CaseFile &file, StringRef target, StringRef other,
                            const HashChainOptions &chains, const DiffOptions &options) {
  Job job = makeCaseJob(file, options);
  job.kind = JobKind::HashChains;
  job.compiler = "assay";
  job.target = target.str();
  job.optLevel = 2;
  if (!other.empty())
    job.files = {other.str()};
  job.ruleOptions = printHashChainOptions(chains);
  job.rerun = describeHashChains(job);
  return job;
}

/// Seed, pairs and mutations matter only where nothing else is compared with.
std::string assay::describeHashChains(const Job &job) {
  std::string text = "assay check-hashes " + quoteForShell(job.casePath);
  for (const std::string &file : job.files)
    text += " " + quoteForShell(file);
  text += " --targets " + job.target;
  for (StringRef option : job.ruleOptions) {
    auto [name, value] = option.split('=');
    if (job.files.empty())
      text += (" --" + name + " " + quoteForShell(value)).str();
  }
  if (job.files.empty())
    text += " --seed " + std::to_string(job.seed);
  for (const std::string &plant : job.plants)
    text += " --plant " + quoteForShell(plant);
  return text;
}
