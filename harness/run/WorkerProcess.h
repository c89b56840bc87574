// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The parent's side: jobs in worker processes, bounded in time and memory, killed as a group; and
// what the end of a worker means for the verdict.
#pragma once

#include "harness/run/Job.h"
#include "llvm/ADT/ArrayRef.h"
#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace assay {

class WarmWorkers;

/// How a worker ended, as the kernel and the clock saw it.
struct WorkerEnd {
  enum class Kind { Exited, Signalled, TimedOut, OverMemory, NotStarted } kind = Kind::NotStarted;
  int code = 0;        ///< Exit status, or the signal's number.
  std::string message; ///< NotStarted: why.
};

/// The verdict on \p job after its worker ended like \p end: that in its result file when it exited
/// with one; crash, timeout or oom when it died; tool-error otherwise. Reads the files of the job.
Verdict judgeWorkerEnd(const Job &job, const WorkerEnd &end);

/// Time of processors that jobs took, by stage (noteStage() in WorkerGuard.h).
using StageTimes = std::map<std::string, std::chrono::microseconds>;

/// What a process finds around it that must make no difference.
enum class Surroundings : uint8_t {
  Same,  ///< Those of this process.
  Other, ///< Another environment, other addresses, and memory that holds something else when it is
         ///< allocated, if kernel and C library let one have that.
};

struct PoolOptions {
  std::string program;    ///< Run as PROGRAM worker JOB-FILE, with warm workers worker --serve.
  unsigned processes = 1; ///< At one time.
  /// Called after each job with how many of all are done; may be empty.
  std::function<void(size_t done, size_t total)> progress;
  /// Workers that serve, for the jobs that can be served; without, each job has a process of its
  /// own. Verdicts do not depend on it.
  std::shared_ptr<WarmWorkers> warm = nullptr;
  /// Others, for jobs that must not run where those of warm have run: of Surroundings::Other.
  std::shared_ptr<WarmWorkers> warmOthers = nullptr;
  Surroundings surroundings = Surroundings::Same; ///< Of the workers that are started.
  StageTimes *times = nullptr;                    ///< Where given, gets what each job adds.
  /// Where given, gets the same by Job::caseId.
  std::map<std::string, StageTimes> *caseTimes = nullptr;
  /// Verdicts of jobs that compile get compileTimeMetric; they differ from run to run then.
  bool notesCompileTime = false;
  /// Where given, SIGTERM sets it and ends nothing: the jobs are done, and who called decides.
  bool *stopRequested = nullptr;
};

/// Writes each job's file, runs all jobs and returns their verdicts, in the order of \p jobs. To be
/// called on the main thread only: a worker dies with the thread that started it. Environment when
/// interrupted by SIGINT or SIGTERM (all workers are then dead), or when a job can't be written.
llvm::Expected<std::vector<Verdict>> runJobs(llvm::ArrayRef<Job> jobs, const PoolOptions &options);

} // namespace assay
