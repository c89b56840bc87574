// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// States, findings and verdicts: what the laboratory says in the end.
#pragma once

#include "support/Diagnostic.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace assay {

/// DESIGN.md section 1. Never mixed.
enum class State { Pass, Fail, Crash, Timeout, Oom, Unsupported, Invalid, Flaky, ToolError };
constexpr unsigned stateCount = 9;

/// "pass", "fail", ..., "tool-error".
llvm::StringRef stateName(State state);
/// The reverse; nothing for an unknown name.
std::optional<State> parseState(llvm::StringRef name);

/// One oracle's finding. \p signature is equal for the same bug: no ids, addresses or counts.
struct Finding {
  std::string rule; ///< "EXPECT", "REF-DIFF", "ELF-07", "WAIT-RAW", "UB-OOB".
  Severity severity = Severity::Error;
  std::string message;  ///< What is wrong, where, what was expected.
  std::string location; ///< Line of the script, offset in the ELF, pc of the instruction.
  std::string signature;
  std::vector<std::pair<std::string, std::string>> evidence; ///< Name, value; in order.
};

/// The first element in which an outcome differs from what it should be.
struct Difference {
  std::string buffer;
  uint64_t byteOffset = 0;
  uint64_t element = 0;   ///< Index of the element in the buffer's own type.
  unsigned component = 0; ///< Component in the element, columns first.
  std::string expected;
  std::string actual;
};

/// What a run or a check counted and other code decides by; the numbers are rows of
/// VerdictFacts.def.
struct VerdictFacts {
#define ASSAY_VERDICT_FACT(member, name) std::optional<uint64_t> member;
#include "oracles/api/VerdictFacts.def"
  std::vector<std::string>
      reachedFaults; ///< Of a job of a score: planted faults whose places it came to.
};

/// Name and value.
using VerdictStatistic = std::pair<std::string, uint64_t>;

/// The state of one (case, compiler, machine, target, level, wave size, lowering) with its
/// findings.
struct Verdict {
  std::string caseId;
  std::string compiler;  ///< "assay"; empty for the reference.
  std::string machine;   ///< "spirv", "gcn".
  std::string target;    ///< "gfx1100"; empty for the reference.
  int optLevel = -1;     ///< -1: does not apply.
  unsigned waveSize = 0; ///< 0: does not apply.
  std::string lowering;  ///< Of buffer fat pointers: "llvm"; empty: the compiler's own.
  State state = State::ToolError;
  std::string reason; ///< One line; never empty unless state is Pass.
  std::vector<Finding> findings;
  std::optional<Difference> firstDifference;
  std::string rerun; ///< The command line that reruns just this.
  VerdictFacts facts;
  std::vector<VerdictStatistic> statistics; ///< For reports alone: "vgprs", "elf-bytes", ...
};

/// The facts of \p verdict as statistics, then its statistics.
std::vector<VerdictStatistic> listStatistics(const Verdict &verdict);
/// Sets the fact with that name, or appends to the statistics where no fact has it.
void addStatistic(Verdict &verdict, llvm::StringRef name, uint64_t value);

} // namespace assay
