// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/run/Rerun.h"

#include "harness/run/CaseFiles.h"
#include "support/ShellQuote.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace assay;

/// Appends options of all verbs, each only if it is not the default: environment, seed, schedule,
/// limits, cache and faults.
static void appendLimits(const Job &job, std::string &text) {
  const JobLimits standard;
  const JobLimits &limits = job.limits;
  if (!job.spirvEnv.empty())
    text += " --spirv-env " + quoteForShell(job.spirvEnv);
  if (job.seed)
    text += " --seed " + std::to_string(job.seed);
  for (const std::string &word : printSchedule(job.schedule, /*all=*/false))
    text += " " + quoteForShell(word);
  if (limits.timeoutMs != standard.timeoutMs)
    text += " --timeout " + std::to_string(limits.timeoutMs / 1000) +
            (limits.timeoutMs % 1000 ? "." + utostr(limits.timeoutMs % 1000 + 1000).substr(1) : "");
  if (limits.memoryBytes != standard.memoryBytes)
    text += " --memory-limit " + std::to_string(limits.memoryBytes >> 20);
  if (limits.maxInstructions != standard.maxInstructions)
    text += " --max-instructions " + std::to_string(limits.maxInstructions);
  if (job.checksCache)
    text += " --cache " + quoteForShell(job.cacheFolder) + " --check-cache";
  for (const std::string &fault : job.plants)
    text += " --plant " + quoteForShell(fault);
}

/// The case as an argument: "-" for standard input, "./" in front of a name that looks like an
/// option.
static std::string quotePath(const Job &job) {
  if (job.caseId == standardInputId)
    return standardInputId.str(); // Its copy goes away.
  const std::string &path = job.casePath;
  return quoteForShell(StringRef(path).starts_with("-") ? "./" + path : path);
}

/// Appends `--` and the compiler's command line, for compiler "command" only.
static void appendCommand(const Job &job, std::string &text) {
  if (compilerOf(job.compiler).isCommand)
    text += " --";
  for (const std::string &word : job.command)
    text += " " + quoteForShell(word);
}

/// Assay's compiler (the first row of its own) and the command line after -- need no option.
static bool isNamedCompiler(const Job &job) {
  const auto *standard = find_if(compilers(), [](const CompilerInfo &row) { return row.isOwn; });
  return !job.compiler.empty() && job.compiler != standard->name &&
         !compilerOf(job.compiler).isCommand;
}

/// Options at their default are left out, as in all these lines.
std::string assay::describeRun(const Job &job) {
  std::string text = "assay run " + quotePath(job) + " --machine " + quoteForShell(job.machine);
  if (isNamedCompiler(job))
    text += " --compiler " + quoteForShell(job.compiler);
  if (!job.target.empty())
    text += " --target " + quoteForShell(job.target);
  if (job.optLevel >= 0)
    text += " -O " + std::to_string(job.optLevel);
  if (job.waveSize)
    text += " --wave " + std::to_string(job.waveSize);
  if (job.useLlvmLowering)
    text += " --use-llvm-lowering";
  if (job.palVersion != PalVersion::V3_0)
    text += (" --metadata-version " + getPalVersionName(job.palVersion)).str();
  if (job.subgroupSize)
    text += " --subgroup-size " + std::to_string(job.subgroupSize);
  for (const std::string &word : printTraceOptions(job.schedule))
    text += " " + word;
  appendLimits(job, text);
  appendCommand(job, text);
  return text;
}

/// Schedules and machines do not matter to it.
std::string assay::describeCompile(const Job &job) {
  std::string text = "assay compile " + quotePath(job) + " --target " + quoteForShell(job.target);
  if (isNamedCompiler(job))
    text += " --compiler " + quoteForShell(job.compiler);
  if (job.optLevel >= 0)
    text += " -O " + std::to_string(job.optLevel);
  if (job.waveSize)
    text += " --wave " + std::to_string(job.waveSize);
  if (job.useLlvmLowering)
    text += " --use-llvm-lowering";
  if (job.palVersion != PalVersion::V3_0)
    text += (" --metadata-version " + getPalVersionName(job.palVersion)).str();
  if (job.phase != "elf")
    text += " --emit " + job.phase;
  if (!job.entryPoint.empty())
    text += " --entry " + quoteForShell(job.entryPoint);
  appendLimits(job, text);
  return text;
}

std::string assay::describeCompileAgain(const Job &job) {
  return describeCompile(job) + " --again";
}

/// A reference run becomes `assay run`, all others `assay diff`. \p reference is the machine that
/// was compared with.
std::string assay::describeRerun(const Job &job, StringRef reference) {
  if (machineOf(job.machine).isReference)
    return describeRun(job);
  std::string text = "assay diff " + quotePath(job);
  if (isNamedCompiler(job))
    text += " --compilers " + quoteForShell(job.compiler);
  if (!isStandardMachine(job.machine, job.target) || !machineOf(reference).isStandard)
    text += " --machines " + reference.str() + "," + quoteForShell(job.machine);
  if (!job.target.empty())
    text += " --targets " + quoteForShell(job.target);
  if (job.optLevel >= 0)
    text += " -O " + std::to_string(job.optLevel);
  if (job.waveSize)
    text += " --wave " + std::to_string(job.waveSize);
  if (job.useLlvmLowering)
    text += " --use-llvm-lowering";
  if (job.palVersion != PalVersion::V3_0)
    text += (" --metadata-version " + getPalVersionName(job.palVersion)).str();
  appendLimits(job, text);
  appendCommand(job, text);
  return text;
}
