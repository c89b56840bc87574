// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fuzz/shader/CheckShader.h"

#include "oracles/machine/spirv/SpirvMachine.h"
#include "support/Error.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/bit.h"
#include <tuple>

using namespace llvm;
using namespace assay;
using namespace assay::fuzz;

/// Size of each buffer of a case.
static constexpr uint64_t BufferBytes = 256;
static constexpr uint64_t Budget = 20'000; ///< Instructions of each schedule.
/// Orders of invocations that each run tries.
static constexpr unsigned Schedules = 2;

/// Compares bounds bit by bit, so that NaN equals itself.
static bool areEqual(const FloatInterval &a, const FloatInterval &b) {
  auto bitsOf = [](const FloatInterval &interval) {
    return std::tuple(bit_cast<uint64_t>(interval.lo), bit_cast<uint64_t>(interval.hi),
                      interval.bytes, interval.mayBeNan);
  };
  return bitsOf(a) == bitsOf(b);
}

/// Compares bytes and everything that the reference knows about undetermined ones.
static bool areEqual(const BufferState &a, const BufferState &b) {
  auto sameTexels = [](const auto &x, const auto &y) {
    return x.first == y.first && all_of_zip(x.second, y.second, [](const auto &s, const auto &t) {
             return areEqual(s, t);
           });
  };
  auto sameIntervals = [](const auto &x, const auto &y) {
    return x.first == y.first && areEqual(x.second, y.second);
  };
  return a.bytes == b.bytes && a.indeterminate == b.indeterminate && a.fields == b.fields &&
         all_of_zip(a.intervals, b.intervals, sameIntervals) &&
         all_of_zip(a.alternatives, b.alternatives, sameTexels);
}

/// What differs between two outcomes of one case; empty: nothing.
static std::string compareOutcomes(const Outcome &a, const Outcome &b) {
  if (a.kind != b.kind || a.reason != b.reason)
    return "it ends in another way: " + a.reason + " / " + b.reason;
  bool sameFindings = all_of_zip(a.findings, b.findings, [](const Finding &x, const Finding &y) {
    return x.rule == y.rule && x.message == y.message && x.location == y.location;
  });
  if (!sameFindings)
    return "other findings";
  if (a.instructions != b.instructions)
    return "another number of instructions";
  bool sameBuffers = all_of_zip(
      a.checkpoints, b.checkpoints,
      [](const std::vector<BufferState> &x, const std::vector<BufferState> &y) {
        return all_of_zip(x, y, [](const auto &s, const auto &t) { return areEqual(s, t); });
      });
  return sameBuffers ? "" : "other buffers";
}

/// What an outcome owes by its own contract.
static std::string checkOutcome(const Outcome &outcome, const Case &input) {
  if (outcome.kind != OutcomeKind::Completed)
    return outcome.reason.empty() ? "INTERPRETER-OUTCOME: it ends without a reason" : "";
  if (!outcome.reason.empty())
    return "INTERPRETER-OUTCOME: completed, except for a reason: " + outcome.reason;
  if (outcome.checkpoints.size() != countCheckpoints(input))
    return "INTERPRETER-OUTCOME: not as many checkpoints as the case has";
  for (const std::vector<BufferState> &states : outcome.checkpoints) {
    bool areThere =
        all_of_zip(states, input.buffers, [](const BufferState &state, const Buffer &of) {
          return state.bytes.size() == of.bytes.size();
        });
    if (!areThere)
      return "INTERPRETER-OUTCOME: buffers are missing, or of another size";
  }
  return "";
}

/// What is wrong with the errors of two runs of one case, of which one at least is a failure.
static std::string checkErrors(Error first, Error second) {
  if (!first || !second) {
    ErrorParts parts = takeError(first ? std::move(first) : std::move(second));
    return "INTERPRETER-DETERMINISM: one run completes, the other fails: " + parts.message;
  }
  ErrorParts one = takeError(std::move(first)), other = takeError(std::move(second));
  if (one.kind != other.kind || one.message != other.message)
    return "INTERPRETER-DETERMINISM: other errors: " + one.message + " / " + other.message;
  bool isRefusal = one.kind != ErrorKind::Environment && !one.message.empty();
  return isRefusal ? "" : "INTERPRETER-ERROR: " + one.message;
}

/// Subgroups have 1 to 128 invocations, by choice from bit 4 on.
std::string fuzz::checkInterpreter(const ShaderInput &input) {
  std::optional<Case> made = makeCase(input, BufferBytes);
  if (!made)
    return "";
  SpirvMachineOptions machineOptions;
  machineOptions.schedules = Schedules;
  std::unique_ptr<Machine> machine = createSpirvMachine(machineOptions);
  RunOptions options;
  options.maxInstructions = Budget;
  options.subgroupSize = 1u << input.choose(4, 8);
  Expected<Outcome> first = machine->run(*made, {}, options);
  Expected<Outcome> second = machine->run(*made, {}, options);
  if (!first || !second)
    return checkErrors(first.takeError(), second.takeError());
  if (std::string wrong = checkOutcome(*first, *made); !wrong.empty())
    return wrong;
  std::string difference = compareOutcomes(*first, *second);
  return difference.empty() ? "" : "INTERPRETER-DETERMINISM: " + difference;
}
