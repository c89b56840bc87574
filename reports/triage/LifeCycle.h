// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The life of a bucket, from the first time it was seen to the last: states, and a table of which
// may follow which and who may say so.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <optional>

namespace assay {

enum class Life {
  New,
  Reproduced, ///< Seen in more than one night, or again on purpose.
  Minimized,
  Localized,
  Reported,
  FixClaimed, ///< Somebody says that it is gone; nights have to show it.
  Fixed,      ///< Its cases ran clean often enough.
  Flaky,      ///< It comes and goes with nothing changed.
  Incubating, ///< Not seen for long, and its cases were not run either.
  Duplicate,
  WontFix,
};
constexpr unsigned lifeCount = 11;

/// "new", "fix-claimed", "wont-fix", ...
llvm::StringRef lifeName(Life life);
/// Nothing for an unknown name.
std::optional<Life> parseLife(llvm::StringRef name);

/// What may cause a transition besides a person, who may cause those that isAllowed() says.
enum class LifeEvent {
  Seen,      ///< An occurrence in a later night than the first.
  SeenFlaky, ///< Only flaky occurrences in a night.
  Minimized,
  Localized,
  CleanRuns, ///< Enough nights in which its cases ran and passed.
  Quiet,     ///< Enough nights without it and without its cases.
};

/// Where \p event leads from \p from; nothing where it changes nothing.
std::optional<Life> nextLife(Life from, LifeEvent event);
/// Whether a person may move a bucket so.
bool isAllowed(Life from, Life to);
/// InvalidInput that names what may follow \p from, unless \p to may.
llvm::Error verifyTransition(Life from, Life to);

/// A bucket that is closed: seen again, it is not the same entry any more but a new, linked one.
bool isClosed(Life life);
/// A bucket that nobody needs to hear of again when it is seen: known and decided.
bool isSilenced(Life life);

} // namespace assay
