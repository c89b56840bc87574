// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The loop: a search, its candidates judged by workers, and a folder from which it goes on after
// whatever ended it.
//
//   original.amber    what it began with, as this writes it
//   predicate.json    what stays
//   minimal.amber     the best so far, after each step
//   steps.jsonl       the steps that led there
//   tried.jsonl       what became of every candidate: a second run asks nobody again
//   neighbour.amber   in the end: minimal.amber with one more cut, which passes
//   difference.txt    between these two
//   transform.jsonl   the steps of its log that are left, where it had one
//   spirv-reduce/     what the program spirv-reduce left of modules, where it was asked
#pragma once

#include "harness/reduce/Judge.h"
#include "harness/reduce/Search.h"
#include "harness/run/CaseFiles.h"
#include <functional>

namespace assay {

/// The state of a search, for a progress line.
struct MinimizeProgress {
  size_t instructions = 0; ///< In function bodies of the best so far.
  size_t steps = 0;
  size_t tried = 0; ///< Candidates that workers judged, now or in an earlier run.
  llvm::StringRef reduction;
};

struct MinimizeOptions {
  std::string output; ///< The folder.
  /// 0: no bound. After it, and after what an earlier run did is repeated, the best is the result.
  double maxSeconds = 0;
  PoolOptions pool;
  std::string workFolder; ///< Kept; empty: a temporary one.
  /// How the second pipeline of the case was made: the steps go first. It makes the very case.
  const fuzz::LoggedCase *origin = nullptr;
  std::string spirvReduce;                                ///< That program; empty: without it.
  std::function<void(const MinimizeProgress &)> progress; ///< May be empty.
};

struct MinimizeResult {
  size_t instructionsBefore = 0, instructionsAfter = 0;
  size_t steps = 0, tried = 0;
  bool isFinished = false;   ///< No reduction has a chance left.
  bool hasNeighbour = false; ///< One more cut passes.
};

/// Minimizes the case of \p file, which must satisfy \p predicate. The files but tried.jsonl depend
/// on these two alone, where time does not run out. InvalidInput when the case does not satisfy \p
/// predicate or the folder belongs to another minimization; Environment when interrupted: the same
/// call goes on.
llvm::Expected<MinimizeResult> minimize(const CaseFile &file, const Predicate &predicate,
                                        const MinimizeOptions &options);

/// xxh3 of the file \p program, in hexadecimal: answers hold for the program that gave them.
/// Environment.
llvm::Expected<std::string> hashProgram(const std::string &program);

} // namespace assay
