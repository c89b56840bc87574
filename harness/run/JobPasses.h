// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a job does to the passes of its compiler, and what it tells of them: for localising.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace assay {

/// Rule of the note of JobPasses::repeats.
constexpr llvm::StringLiteral divergenceRule = "DIVERGENCE";
/// Names of a finding's evidence: the instruction that a pass gets wrong, as LLVM prints it, and
/// what of it (describeDivergence()).
constexpr llvm::StringLiteral instructionEvidence = "instruction", wrongEvidence = "wrong";

/// Passes are counted over all pipelines of a case, one after the other. The default changes
/// nothing and tells nothing.
struct JobPasses {
  /// So many optional passes run, the first ones; those after them are left out.
  std::optional<uint64_t> limit;
  /// Of machine "ir": the modules as they are when so many passes of the middle-end have run; 0: as
  /// the front-end made them. Else as the middle-end leaves them. With lists, Job::outputFile()
  /// gets them as text. Of a graphics pipeline the other stage is as it is at that time, but at
  /// most linked; and both are linked without a number.
  std::optional<uint64_t> snapshot;
  /// Of machine "ir": RunOptions::watch.
  std::optional<uint64_t> watch;
  /// Of machine "ir": this pass is run on the module of one pipeline as it is at snapshot, with
  /// probes, and both are compared: a note of divergenceRule, if they part. Nothing is judged.
  std::string repeats;
  std::optional<uint64_t> pipeline; ///< Of which, by its number; nothing: of the first.
  /// Of machine "ir": a race of waves is an error (irRaceRule).
  bool findsRaces = false;
  /// Write Job::passesFile(), an event a line.
  bool lists = false;
  /// Findings of the fat-pointer oracle name the instruction (instructionEvidence).
  bool explains = false;

  bool operator==(const JobPasses &) const = default;
};

/// "limit", "12", ...: what is not as by default.
std::vector<std::string> printPasses(const JobPasses &passes);
/// The reverse; InvalidInput for anything else.
llvm::Expected<JobPasses> parsePasses(llvm::ArrayRef<std::string> words);

/// In PassEvent::unit of a pass after which the module is another one.
constexpr llvm::StringLiteral changedWord = "changed";

/// A line of Job::passesFile().
struct PassEvent {
  enum class Kind : uint8_t {
    Optional, ///< It was asked whether the pass shall run; unit says on what.
    Begin,    ///< A pass or phase begins.
    End,      ///< The front-end or a pass of the middle-end has ended.
    Stage     ///< What follows is done to the graphics stage that pass names.
  };
  Kind kind = Kind::Begin;
  std::string pass;
  std::string unit; ///< Optional: what it would run on. End: changedWord, or nothing.

  bool operator==(const PassEvent &) const = default;
};
/// One line, with its end.
std::string printPassEvent(const PassEvent &event);
/// Of a whole file; the last line may be cut short, and is then left out. InvalidInput.
llvm::Expected<std::vector<PassEvent>> parsePassEvents(llvm::StringRef text);

} // namespace assay
