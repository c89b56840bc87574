// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Machines run cases; oracles (each a function of its own module) judge what came of it.
#pragma once

#include "oracles/api/Artifact.h"
#include "oracles/api/Case.h"
#include "oracles/api/Outcome.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"
#include <optional>
#include <string>

namespace llvm {
class raw_ostream;
} // namespace llvm

namespace assay {

namespace ir {
class ExecutionLog;
} // namespace ir

/// When results of memory instructions become visible (machine gcn).
enum class ScheduleKind : uint8_t {
  Eager, ///< At once.
  Late,  ///< At the last legal moment: when the code has waited for them.
};

/// What machine gcn writes of what it does, where out is not null.
struct TraceOptions {
  llvm::raw_ostream *out = nullptr;
  std::optional<uint64_t> breakPc;  ///< Of a wave: begin there, with its state.
  std::optional<uint64_t> group;    ///< Only this workgroup, by its number with x first.
  std::optional<unsigned> wave;     ///< Only this wave of each workgroup.
  std::optional<unsigned> lane;     ///< Only this lane of vector registers and of memory.
  std::optional<unsigned> dispatch; ///< Only this dispatch, from 1 on.
  uint64_t first = 0;               ///< Of a wave: not the instructions before this one,
  uint64_t count = ~uint64_t(0);    ///< and only so many.
};

/// What every machine can be told.
struct RunOptions {
  uint64_t maxInstructions = 400'000'000; ///< Per dispatch, over all waves or invocations.
  uint64_t seed = 0;                      ///< Of the schedule, and of what nobody has written.
  bool sanitize = true; ///< Machine gcn: checks for what hardware may forgive (missing waits).
  /// Invocations in a subgroup, for machines that can choose (the reference): 0 = 64. A pipeline's
  /// requiredSubgroupSize goes before it.
  uint32_t subgroupSize = 0;
  /// spirv-val has passed all modules; else the reference asks it.
  bool isValidated = false;
  /// What follows is machine gcn's alone.
  /// An access of nothing, or by what is no descriptor, does nothing and is reported; the run goes
  /// on after it.
  bool survivesFaults = false;
  ScheduleKind schedule = ScheduleKind::Eager;
  /// Of the schedule, where not seed. 0: the fixed one. Machine ir knows that, which no seed is
  /// too, and its reverse.
  std::optional<uint64_t> scheduleSeed;
  /// This many, with seeds from scheduleSeed on; differences are findings SCHEDULE-DIFF.
  uint64_t schedules = 1;
  const Outcome *reference = nullptr;  ///< Where it leaves bytes open, schedules may differ.
  unsigned threads = 1;                ///< Workgroups run on; changes no result.
  llvm::raw_ostream *log = nullptr;    ///< Gets the choices of the schedule, as JSON lines.
  const std::string *replay = nullptr; ///< Such lines: the choices to make again.
  TraceOptions trace;
  /// Machine ir: for each dispatch, a note of which instruction wrote the byte at this device
  /// address last (lastWriteRule).
  std::optional<uint64_t> watch;
  ir::ExecutionLog *execution = nullptr; ///< Machine ir: gets all that waves do; null: nobody asks.
};

/// Rules of machine ir's notes: of RunOptions::watch, and of where a run stopped.
constexpr llvm::StringLiteral lastWriteRule = "LAST-WRITE", stopRule = "STOPPED-AT";

/// Runs a case. Stateless between runs: same case, artifacts and options, same outcome.
class Machine {
public:
  virtual ~Machine();
  virtual llvm::StringRef name() const = 0;
  /// \p artifacts: one per pipeline of the case; empty for a machine that runs SPIR-V itself.
  /// An Error means that the machine could not work (InvalidInput: the artifact is broken;
  /// Unsupported: with its reason), never that the code is wrong: that is an Outcome.
  virtual llvm::Expected<Outcome> run(const Case &input, llvm::ArrayRef<Artifact> artifacts,
                                      const RunOptions &options) = 0;
};

} // namespace assay
