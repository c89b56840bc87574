// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/worker/CheckThreads.h"

#include "harness/run/JobSchedule.h"
#include "harness/run/OutcomeFile.h"
#include "llvm/Support/SHA1.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace assay;

namespace {

/// Keeps nothing of what is written to it but a digest.
class DigestStream final : public raw_ostream {
public:
  ~DigestStream() override { flush(); }
  /// Returns the SHA-1 of all bytes that were written until now.
  std::array<uint8_t, 20> digest() {
    flush();
    return m_hash.result();
  }

private:
  void write_impl(const char *text, size_t size) override {
    m_hash.update(StringRef(text, size));
    m_size += size;
  }
  uint64_t current_pos() const override { return m_size; }

  SHA1 m_hash;
  uint64_t m_size = 0;
};

/// Two runs are equal if both members are.
struct TracedRun {
  std::vector<uint8_t> outcome; ///< As writeOutcome() has it.
  /// SHA-1 of the text of the trace. Traces can be too large to keep two of them.
  std::array<uint8_t, 20> trace = {};
};

} // namespace

/// Runs \p input with a trace of all instructions. Replaces the threads and the trace stream of \p
/// options. Errors as of the machine.
static Expected<TracedRun> runOn(unsigned threads, Machine &machine, const Case &input,
                                 ArrayRef<Artifact> artifacts, RunOptions options) {
  DigestStream trace;
  options.threads = threads;
  options.trace.out = &trace;
  Expected<Outcome> outcome = machine.run(input, artifacts, options);
  if (!outcome)
    return outcome.takeError();
  return TracedRun{writeOutcome(*outcome), trace.digest()};
}

/// Runs the case on one thread and on two, with one schedule of seed 0 and without log and replay.
/// A difference adds a finding; an outcome that had completed becomes a Hazard. An error means that
/// a run was not possible.
Error assay::checkThreads(Machine &machine, const Case &input, ArrayRef<Artifact> artifacts,
                          RunOptions options, Outcome &outcome) {
  options.schedules = 1;
  options.scheduleSeed = 0; // Others may have all workgroups in flight at one time, on one thread.
  options.replay = nullptr;
  options.log = nullptr;
  options.trace = {};
  Expected<TracedRun> one = runOn(1, machine, input, artifacts, options);
  if (!one)
    return one.takeError();
  Expected<TracedRun> two = runOn(2, machine, input, artifacts, options);
  if (!two)
    return two.takeError();
  if (one->outcome == two->outcome && one->trace == two->trace)
    return Error::success();
  Finding finding;
  finding.rule = finding.signature = threadsRule;
  finding.message = "on one thread and on two, machine " + machine.name().str() +
                    " gives another " + (one->outcome == two->outcome ? "trace" : "outcome");
  if (outcome.kind == OutcomeKind::Completed) {
    outcome.kind = OutcomeKind::Hazard;
    outcome.reason = finding.rule + ": " + finding.message;
  }
  outcome.findings.push_back(std::move(finding));
  return Error::success();
}
