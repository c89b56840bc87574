// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One piece of work for one worker process: what it is told, in a file, before it runs anything.
#pragma once

#include "harness/run/JobPasses.h"
#include "harness/run/JobSchedule.h"
#include "oracles/api/Registry.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <string>
#include <vector>

namespace assay {

enum class JobKind {
  Compile,     ///< One phase's result of a pipeline of a case, to output().
  Run,         ///< A case on a machine, judged; a verdict.
  Validate,    ///< ELFs against the rules; a line of verdictsFile() for each.
  FatPointers, ///< A module of IR to the fat-pointer oracle; a line of verdictsFile() a function.
  HashChains ///< A pipeline and mutations of it, or two pipelines, to the oracle of hash chains; a
             ///< verdict.
};

/// Bounds that the parent (time) and the kernel (the rest) keep.
struct JobLimits {
  uint64_t timeoutMs = 60'000;
  uint64_t memoryBytes = uint64_t(4) << 30;
  uint64_t fileBytes = uint64_t(4) << 30; ///< Of any file the worker writes.
  uint64_t maxInstructions = 400'000'000; ///< RunOptions::maxInstructions.
};

/// Serialised as JSON, schema assay.job/1. Empty texts mean "does not apply".
struct Job {
  JobKind kind = JobKind::Run;
  std::string casePath;
  std::string caseId;
  std::string spirvEnv;             ///< `--spirv-env`: makeReadOptions(). Empty: not given.
  std::string compiler;             ///< A name of the registry.
  std::vector<std::string> command; ///< The compiler "command": its argv with {in} and {out}.
  std::string machine;              ///< Likewise: "gcn", "vulkan:lavapipe".
  std::string target;
  int optLevel = -1;
  unsigned waveSize = 0;                    ///< 0: the target's default.
  unsigned subgroupSize = 0;                ///< Of machine spirv; 0: the case's, or 64.
  bool useLlvmLowering = false;             ///< CompileOptions has it.
  PalVersion palVersion = PalVersion::V3_0; ///< The same.
  uint64_t seed = 0;
  std::vector<std::string> plants; ///< Faults, by name; Validate: NAME, or NAME@FILE for one file.
  bool compare = false;            ///< Part of a diff: nothing compared is then no pass.
  std::string referenceFile;       ///< The reference's outcome (OutcomeFile.h).
  std::string referenceNote;       ///< Why there is none, where there is none.
  bool ownReference = false;       ///< Make the reference of the machine's own subgroup size.
  bool keepOutcome = false;        ///< Write outcomeFile().
  bool listBuffers = false;        ///< Write buffersFile().
  std::string pictureFolder;       ///< Write the attachments there, as PNG files. Empty: nowhere.
  /// Go on after a finding, so that every oracle has its say; the verdict's facts say which
  /// faults were reached and how long it took.
  bool score = false;
  /// Of a probed case: what this buffer holds in the end is all that is judged, against the
  /// reference's, however the run ended. ELFs are not validated; machine gcn has no sanitizer and
  /// survives faults (RunOptions). Empty: a job like others.
  std::string judgedBuffer;
  bool checksLowering = true; ///< Compiler "assay": the oracle of fat pointers judges, too.
  bool twice = false;         ///< Compile: once more, by the same compiler; other bytes are a fail.
  /// Compile: before that for every other target, in the first such job of a process; what becomes
  /// of those does not matter.
  bool detour = false;
  /// Run: what runs instead of what would be compiled, of a case with one pipeline. Empty: none.
  std::string elfFile;
  std::string phase;              ///< Compile: "elf", "spirv", "lgc", "llvm", "asm", "metadata".
  std::string entryPoint;         ///< Compile: instead of the one the case names.
  std::vector<std::string> files; ///< Validate: ELFs and archives. FatPointers: before, after.
  std::vector<std::string> ruleOptions; ///< As printValidateOptions() or
                                        ///< printFatPointerOptions() has them.
  JobSchedule schedule;                 ///< Of machine gcn.
  JobPasses passes;                     ///< Of compiler "assay".
  JobLimits limits;
  std::string cacheFolder;  ///< Compiler "assay": of a compiler cache. Empty: none.
  std::string cachePolicy;  ///< Its policy (parseCachePolicy()); empty: the default.
  bool checksCache = false; ///< Compile what the cache has, too, and compare.
  std::string rerun;        ///< Command line that does just this.

  std::string folder; ///< Of all files of this job; not serialised.
  std::string jobFile() const { return folder + "/job.json"; }
  std::string resultFile() const { return folder + "/result.json"; }
  std::string journalFile() const { return folder + "/journal"; }
  std::string stderrFile() const { return folder + "/stderr"; }
  std::string outcomeFile() const { return folder + "/outcome"; }
  std::string ownReferenceFile() const { return folder + "/reference"; }
  std::string outputFile() const { return folder + "/output"; }
  std::string buffersFile() const { return folder + "/buffers.json"; }
  std::string traceFile() const { return folder + "/trace"; }
  std::string scheduleFile() const { return folder + "/schedule.jsonl"; }
  std::string passesFile() const { return folder + "/passes"; }
  /// Compile: where in the program's file what was entered of the compiler stands, a hexadecimal
  /// number a line; of builds that count it (support/CodeCounts.h).
  std::string codeFile() const { return folder + "/code"; }
  std::string verdictsFile() const { return folder + "/verdicts.jsonl"; }
};

/// \p job as one that compiles its case instead of running it. \p phase: Job::phase.
Job makeCompileJob(Job job, llvm::StringRef phase);

std::string printJob(const Job &job);
/// InvalidInput for anything printJob would not have written. \p folder becomes Job::folder.
llvm::Expected<Job> parseJob(llvm::StringRef text, llvm::StringRef folder);

/// A verdict with the identity of \p job, and \p state and \p reason.
Verdict makeVerdict(const Job &job, State state, std::string reason);

/// The result file of a worker: schema assay.result/1.
std::string printResult(const Verdict &verdict);
/// InvalidInput for anything printResult would not have written.
llvm::Expected<Verdict> parseResult(llvm::StringRef text);

} // namespace assay
