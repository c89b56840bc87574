// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A bug that Assay found in another project: bugs/ID/bug.json (docs/schemas/bug.schema.json).
#pragma once

#include "llvm/Support/Error.h"
#include <optional>
#include <string>
#include <vector>

namespace assay {

/// What the command of a bug does as long as the bug is there.
struct Reproduction {
  std::optional<int> exit;           ///< Exit status; 128 + N for signal N. None: not looked at.
  std::vector<std::string> contains; ///< Texts that stdout or stderr has.
  std::vector<std::string> lacks;    ///< Texts that neither has.
};

/// By what a finding of a campaign is known as this bug. What is empty is not looked at.
struct BugRecognizer {
  std::vector<std::string> compilers;  ///< Any of them.
  std::vector<std::string> targets;    ///< Any of them.
  std::string symptom;                 ///< As triage names it.
  std::string message;                 ///< Regular expression over message and stack frames.
  std::vector<std::string> operations; ///< SPIR-V opcodes or extended instructions: all of them.
  std::string trigger; ///< A feature of the generator that `fuzz --avoid` leaves out.
};

struct BugStatus {
  std::string state;    ///< open, reported, fixed or wont-fix: upstream's, if known.
  std::string upstream; ///< The project's own number, or empty.
  std::string note;
};

struct KnownBug {
  std::string id;      ///< The folder's name: lower-case words with hyphens.
  std::string folder;  ///< Path of the folder.
  std::string title;   ///< One line.
  std::string product; ///< llvm, mesa, spirv-tools, glslang.
  std::string component;
  std::string kind;     ///< wrong-code, wrong-output, invalid-output, crash, hang, rejects-valid,
                        ///< accepts-invalid.
  std::string severity; ///< high, medium or low.
  std::string evidence; ///< hardware, execution or manual.
  std::string specification; ///< Document and section.
  std::string expected, actual;
  BugStatus status;
  std::string firstVersion, lastVersion; ///< First and last version seen with the bug.
  std::vector<std::string> needs;        ///< Programs and drivers ("requires" in the file).
  std::string command;                   ///< For sh, in the folder; upstream's tools only.
  Reproduction reproduced;
  std::string input; ///< File in the folder.
  bool minimized = false;
  std::optional<BugRecognizer> recognizer;
};

/// Reads \p folder/bug.json. InvalidInput names the first thing that is wrong: a field, an id that
/// is not the folder's name, an input that is not there, a value that is none of those above.
llvm::Expected<KnownBug> readBug(const std::string &folder);

/// All bugs of \p folder, by id. A folder without bug.json is InvalidInput.
llvm::Expected<std::vector<KnownBug>> readBugs(const std::string &folder);

} // namespace assay
