// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The main job: every case on every chosen compiler and machine, against the reference.
#pragma once

#include "harness/run/CaseFiles.h"
#include "harness/run/FatPointerJobs.h"
#include "harness/run/Job.h"
#include "harness/run/WorkFolder.h"
#include "harness/run/WorkerProcess.h"
#include "reports/Report.h"

namespace assay {

/// --plant FAULT[@CASE].
struct Plant {
  std::string fault;
  std::string caseName; ///< Empty: every case.
};

/// The machines for \p targets: the reference, and the standard machine of each architecture; of
/// AMD's where there are no targets.
std::vector<std::string> chooseMachines(llvm::ArrayRef<std::string> targets);
/// The default targets of all architectures whose code \p machines run; of AMD's where they run
/// none.
std::vector<std::string> chooseTargets(llvm::ArrayRef<std::string> machines);

/// What is multiplied out.
struct DiffOptions {
  std::vector<std::string> compilers = {ownCompiler.str()};
  /// The reference, and the standard machine of AMD's GPUs with its targets (chooseMachines() and
  /// chooseTargets() follow from what a user has named).
  std::vector<std::string> machines = chooseMachines({});
  std::vector<std::string> targets = chooseTargets(machines);
  std::vector<int> levels = {0, 2};
  std::vector<unsigned> waves = {0};
  bool onlyExistingWaves = false; ///< Leave out waves that a target lacks; else: unsupported.
  std::vector<FatLowering> lowerings = {FatLowering::Own}; ///< Of compiler "assay": Own, Llvm.
  PalVersion palVersion = PalVersion::V3_0;                ///< Of compiler "assay".
  std::vector<std::string> command;                        ///< Of compiler "command".
  std::vector<Plant> plants;
  bool score = false; ///< Job::score of every job.
  uint64_t seed = 0;
  JobSchedule schedule; ///< Of machine gcn.
  JobLimits limits;
  /// Of so many cases, one has the lowering of its fat pointers checked (Job::checksLowering); the
  /// id alone decides which.
  unsigned checkLowering = 1;
  unsigned checkThreads = 0; ///< The same of JobSchedule::checksThreads; 0: of none.
  /// The same: its first pipeline and mutations of it go to the oracle of hash chains, for each
  /// target of compiler "assay" (HashChainJobs.h).
  unsigned checkHashes = 0;
  unsigned retries = 1;    ///< Of jobs whose worker died.
  std::string workFolder;  ///< Kept; empty: a temporary one.
  std::string cacheFolder; ///< Job::cacheFolder of every job.
  std::string cachePolicy;
  bool checkCache = false; ///< Job::checksCache of every job.
  WorkFolder::Files workFiles = WorkFolder::Files::Any;
};

/// Runs \p cases: the reference first, once per case; then all machines, compared with it. A case
/// whose reference run is invalid is invalid everywhere, and not run; where the reference has
/// another excuse, the script's expectations alone judge, and the reason says so. Verdicts are in
/// the order of cases and options. Errors are of the environment.
llvm::Expected<Report> runDiff(llvm::ArrayRef<CaseFile> cases, const DiffOptions &options,
                               const PoolOptions &pool);

/// The job of one run of \p file, without machine and target: identity, faults and limits.
Job makeCaseJob(const CaseFile &file, const DiffOptions &options);

/// Why Assay as it is can't do \p job, by compiler, machine and target alone; nothing if it can.
std::optional<std::string> whyNotBuilt(const Job &job);

} // namespace assay
