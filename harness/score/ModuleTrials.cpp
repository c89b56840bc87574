// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/score/ModuleTrials.h"

#include "support/ShellQuote.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace assay;

/// Of each function.
static constexpr unsigned trials = 16;

/// The command that shows one verdict again.
static std::string describeCheck(StringRef caseId, StringRef fault, StringRef target) {
  auto [file, function] = caseId.rsplit(':');
  return ("assay check-fat-pointers " + quoteForShell(file) + " --function " +
          quoteForShell(function) + " --target " + target + " --trials " + Twine(trials) +
          " --plant " + fault)
      .str();
}

Expected<std::vector<Verdict>> ModuleTrials::runAll(StringRef fault, const std::string &target) {
  Expected<std::unique_ptr<WorkFolder>> folder = WorkFolder::create("");
  if (!folder)
    return folder.takeError();
  FatPointerBatch batch;
  batch.options.trials = trials;
  batch.target = target;
  if (!fault.empty())
    batch.plants = {fault.str()};
  batch.limits = m_options.diff.limits;
  batch.pool = m_pool;
  batch.pool.progress = nullptr;
  return checkFatPointers(m_options.modules, batch, **folder);
}

Expected<std::vector<Verdict>> ModuleTrials::judge(StringRef fault, const std::string &target) {
  auto [noisy, isNew] = m_noisy.try_emplace(target);
  if (isNew) {
    Expected<std::vector<Verdict>> clean = runAll("", target);
    if (!clean)
      return clean;
    for (Verdict &verdict : *clean)
      if (isBad(verdict.state)) {
        noisy->second.insert(verdict.caseId);
        m_noise.push_back(std::move(verdict));
      }
  }
  Expected<std::vector<Verdict>> verdicts = runAll(fault, target);
  if (!verdicts)
    return verdicts;
  erase_if(*verdicts, [&, noisy = noisy](const Verdict &verdict) {
    return !isBad(verdict.state) || noisy->second.contains(verdict.caseId);
  });
  for (Verdict &verdict : *verdicts)
    verdict.rerun = describeCheck(verdict.caseId, fault, target);
  return verdicts;
}
