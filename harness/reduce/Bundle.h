// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A finding as a folder that can be sent away: what it is, everything needed to see it again, and
// where it comes from. Equal inputs make equal bytes.
//
//   README.md       for a bug tracker: what, where, command, expected, actual, shader
//   case.amber      the case; case.spv and case.spvasm its module (case-N of several)
//   expected.json   the reference's buffers, actual.json the machine's; [] where a run ended early
//   out.elf         what the compiler made, isa.txt its code as text; not where it made nothing
//   log.txt         the verdict in full
//   predicate.json  what `assay replay` asks
//   provenance.json versions and hashes of all parts, and the options
//   cmd.sh          the same by plain commands
#pragma once

#include "harness/reduce/Predicate.h"
#include "harness/reduce/Subject.h"
#include "harness/run/WorkerProcess.h"
#include <optional>

namespace assay {

/// What writeBundle() packs.
struct BundleInput {
  CaseFile file;
  Predicate predicate;
  std::string difference; ///< To a case that passes, as text; may be empty.
  /// Versions and hashes, by name, in order.
  std::vector<std::pair<std::string, std::string>> provenance;
};

/// Writes \p folder, whose files of these names are replaced. InvalidInput when the case does not
/// satisfy the predicate; Environment.
llvm::Error writeBundle(const std::string &folder, const BundleInput &input,
                        const PoolOptions &pool);

/// What a bundle shows now.
struct Replay {
  bool shows = false;
  Verdict verdict; ///< Of one run.
};

/// A module that takes the place of a case's.
struct ReplacedModule {
  std::string file; ///< SPIR-V, or its assembly by the name's extension.
  size_t pipeline = 0;
};

/// Runs case.amber of \p folder as predicate.json there says; also of a minimization's folder, with
/// minimal.amber. A broken module in \p replaced shows nothing: the verdict is then invalid.
/// InvalidInput for a folder without these files, or a pipeline that the case lacks.
llvm::Expected<Replay> replayBundle(const std::string &folder, const PoolOptions &pool,
                                    const std::optional<ReplacedModule> &replaced = std::nullopt);

} // namespace assay
