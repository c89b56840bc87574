// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/run/Retry.h"

using namespace llvm;
using namespace assay;

static bool isDeath(State state) {
  return state == State::Crash || state == State::Timeout || state == State::Oom;
}

void assay::makeFlaky(Verdict &first, const Verdict &again) {
  first.reason = "first " + stateName(first.state).str() + " (" + first.reason + "), then " +
                 stateName(again.state).str() +
                 (again.reason.empty() ? "" : " (" + again.reason + ")");
  first.state = State::Flaky;
}

Expected<std::vector<Verdict>>
assay::runJobsSteadily(ArrayRef<Job> jobs, const PoolOptions &options, unsigned retries) {
  Expected<std::vector<Verdict>> verdicts = runJobs(jobs, options);
  PoolOptions quiet = options;
  quiet.progress = {};
  quiet.warm = nullptr; // In a process of its own: nothing but the job may be at fault.
  for (unsigned round = 0; verdicts && round < retries; ++round) {
    std::vector<size_t> indices;
    std::vector<Job> dead;
    for (size_t i = 0; i < jobs.size(); ++i)
      if (isDeath((*verdicts)[i].state)) {
        indices.push_back(i);
        dead.push_back(jobs[i]);
      }
    Expected<std::vector<Verdict>> again = runJobs(dead, quiet);
    if (!again)
      return again.takeError();
    for (size_t i = 0; i < indices.size(); ++i)
      if ((*again)[i].state != (*verdicts)[indices[i]].state)
        makeFlaky((*verdicts)[indices[i]], (*again)[i]);
  }
  return verdicts;
}
