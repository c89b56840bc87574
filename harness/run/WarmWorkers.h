// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Workers that serve one job after the other, so that what a process costs - LLVM loaded, its pass
// managers made - is paid once for many jobs. They change no verdict: whatever a warm worker does
// not survive is run again in a process of its own (WorkerProcess.cpp), and that run counts.
#pragma once

#include "harness/run/Child.h"
#include <memory>

namespace assay {

/// When a worker that serves ends by itself; the next job then gets a new one.
struct ServeLimits {
  unsigned jobs = 2000;                         ///< Served jobs.
  uint64_t residentBytes = uint64_t(768) << 20; ///< Resident memory after a job.
};

/// What a serving worker writes to its standard output after each job.
struct ServeReply {
  uint8_t exitCode; ///< As of a worker that ran this job alone.
  uint8_t stays;    ///< 0: it ends now.
};

/// Whether a worker that serves may run \p job: it plants no fault that ends processes, starts no
/// process, and loads no driver.
bool canBeServed(const Job &job);

/// A running worker that serves. It is told the job's file in a line on its standard input.
class WarmWorker {
public:
  /// Starts PROGRAM worker --serve for jobs with the limits and planted faults of \p job: what is
  /// planted in a process stays. Environment.
  static llvm::Expected<std::unique_ptr<WarmWorker>>
  start(const std::string &program, const Job &job, Surroundings surroundings);
  /// Lets one that is idle end by itself, for a second; then it is killed.
  ~WarmWorker();
  WarmWorker(const WarmWorker &) = delete;
  WarmWorker &operator=(const WarmWorker &) = delete;

  /// Environment when it does not listen any more.
  llvm::Error begin(const Job &job);
  /// Can be read from once the job has ended.
  int replies() const { return m_replies.get(); }
  /// Its answer; nothing when it died instead.
  std::optional<ServeReply> takeReply();
  bool accepts(const Job &job) const;
  unsigned served() const { return m_served; } ///< Jobs that it has ended.
  Child &child() { return m_child; }

private:
  WarmWorker(Child child, const Job &job)
      : m_child(std::move(child)), m_limits(job.limits), m_plants(job.plants) {}
  Child m_child;
  JobLimits m_limits;
  std::vector<std::string> m_plants;
  Descriptor m_jobs, m_replies;
  unsigned m_served = 0;
  bool m_isBusy = false;
};

/// Those that wait for their next job: kept from one runJobs() to the next.
class WarmWorkers {
public:
  /// One that waits and accepts \p job, or a new one, in whose place one that waits ends: there are
  /// never more than have worked at one time. All are asked for with the same \p surroundings.
  llvm::Expected<std::unique_ptr<WarmWorker>> take(const std::string &program, const Job &job,
                                                   Surroundings surroundings);
  void giveBack(std::unique_ptr<WarmWorker> worker) { m_idle.push_back(std::move(worker)); }

private:
  std::vector<std::unique_ptr<WarmWorker>> m_idle;
};

} // namespace assay
