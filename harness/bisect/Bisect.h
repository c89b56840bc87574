// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The revision that began it: bisection that verifies both ends first, goes around revisions that
// cannot be tested, asks several times where one answer is not enough, and says a range where the
// answer is one.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"
#include <string>
#include <vector>

namespace assay {

/// What a revision is.
enum class RevisionState {
  Good,
  Bad,
  Skip,   ///< It cannot be tested: exit code 125, or over the time limit.
  Unsure, ///< Bad sometimes, but not often enough.
};
/// "good", "bad", "skip", "unsure".
llvm::StringRef revisionStateName(RevisionState state);

/// One run of the command.
struct RevisionRun {
  RevisionState state = RevisionState::Skip; ///< Never Unsure.
  std::string said;                          ///< Its last line.
};

/// A revision as it was judged by its runs.
struct RevisionStep {
  std::string revision;
  RevisionState state = RevisionState::Skip;
  std::vector<RevisionRun> runs;
};

struct FlakePolicy {
  unsigned needed = 1; ///< Bad runs that make a revision bad.
  unsigned runs = 1;   ///< At most; no run more than decides it.
};

struct BisectResult {
  std::string lastGood;
  /// Oldest first; one of them began it. The last is bad, the others could not be judged.
  std::vector<std::string> suspects;
  std::vector<RevisionStep> log; ///< In the order of asking.

  bool isUnique() const { return suspects.size() == 1; }
};

using RunRevision = llvm::function_ref<llvm::Expected<RevisionRun>(llvm::StringRef)>;
/// Called after each step; may be empty.
using NoteStep = llvm::function_ref<void(const RevisionStep &)>;

/// \p revisions are oldest first, the first is said to be good, the last to be bad. InvalidInput
/// where one of the ends is not so; whatever \p run gives.
llvm::Expected<BisectResult> bisectRevisions(llvm::ArrayRef<std::string> revisions,
                                             const FlakePolicy &policy, RunRevision run,
                                             NoteStep note);

/// \p command for \p revision by /bin/sh: "{rev}" is the revision, quoted. Exit code 0 is good, 125
/// skip, others up to 127 bad; a command that dies of a signal or is not found (126, 127, 128 and
/// more) ends the search as Environment. \p timeoutSeconds 0: no limit. What the command started
/// ends with it. To be called on the main thread only, as Child::start.
llvm::Expected<RevisionRun> runRevision(llvm::StringRef command, llvm::StringRef revision,
                                        unsigned timeoutSeconds);

/// The first parents from \p good to \p bad, both included, oldest first, as git knows them in
/// \p repository. InvalidInput where git finds none.
llvm::Expected<std::vector<std::string>> listRevisions(llvm::StringRef repository,
                                                       llvm::StringRef good, llvm::StringRef bad);

/// The lines of \p text from \p good to \p bad, both included. InvalidInput where one is missing or
/// they stand the wrong way round.
llvm::Expected<std::vector<std::string>> cutRevisions(llvm::StringRef text, llvm::StringRef good,
                                                      llvm::StringRef bad);

/// "bad  1234abcd (2 of 3 runs): last line".
void writeBisectStep(llvm::raw_ostream &os, const RevisionStep &step);
void writeBisectText(llvm::raw_ostream &os, const BisectResult &result);
/// {"schema":"assay.bisect/1","unique":...,"last_good":...,"suspects":[...],"log":[...]}.
void writeBisectJson(llvm::raw_ostream &os, const BisectResult &result);

} // namespace assay
