// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/run/Retry.h"

#include "oracles/api/States.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace assay;

/// \p job with more time than the machine can have been too busy to give: a worker's start alone
/// takes seconds on one that is.
static Job withMoreTime(Job job) {
  constexpr uint64_t startMs = 5'000;
  job.limits.timeoutMs = 2 * job.limits.timeoutMs + startMs;
  return job;
}

/// The reason has both ends.
void assay::makeFlaky(Verdict &first, const Verdict &again) {
  first.reason = "first " + stateName(first.state).str() + " (" + first.reason + "), then " +
                 stateName(again.state).str() +
                 (again.reason.empty() ? "" : " (" + again.reason + ")");
  first.state = State::Flaky;
}

/// Runs those of \p jobs again that ended like \p wants, and makes those flaky that now end in
/// another way.
static Error runAgain(ArrayRef<Job> jobs, const PoolOptions &options,
                      function_ref<bool(State)> wants, std::vector<Verdict> &verdicts) {
  std::vector<size_t> indices;
  std::vector<Job> dead;
  for (size_t i = 0; i < jobs.size(); ++i)
    if (wants(verdicts[i].state)) {
      indices.push_back(i);
      dead.push_back(verdicts[i].state == State::Timeout ? withMoreTime(jobs[i]) : jobs[i]);
    }
  Expected<std::vector<Verdict>> again = runJobs(dead, options);
  if (!again)
    return again.takeError();
  for (auto [index, verdict] : zip_equal(indices, *again))
    if (verdict.state != verdicts[index].state)
      makeFlaky(verdicts[index], verdict);
  return Error::success();
}

/// Runs deaths again, each in a new process. Timeouts run again one at a time, because a busy
/// machine may have caused them.
Expected<std::vector<Verdict>>
assay::runJobsSteadily(ArrayRef<Job> jobs, const PoolOptions &options, unsigned retries) {
  Expected<std::vector<Verdict>> verdicts = runJobs(jobs, options);
  PoolOptions quiet = options;
  quiet.progress = {};
  quiet.warm = nullptr; // In a process of its own: nothing but the job may be at fault.
  PoolOptions lonely = quiet;
  lonely.processes = 1;
  for (unsigned round = 0; verdicts && round < retries; ++round) {
    if (Error error = runAgain(
            jobs, quiet, [](State state) { return isDeath(state) && state != State::Timeout; },
            *verdicts))
      return std::move(error);
    if (Error error =
            runAgain(jobs, lonely, [](State state) { return state == State::Timeout; }, *verdicts))
      return std::move(error);
  }
  return verdicts;
}
