// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/worker/Compilers.h"

#include "harness/worker/Command.h"
#include "harness/worker/Peer.h"
#include "harness/worker/TurnipJob.h"
#include "oracles/api/Registry.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace assay;

/// The following functions leave out the warm compiler, which only Assay's rows use.
static std::optional<Stop> compileCommand(const Job &job, const Case &input, Compiler &,
                                          std::vector<Artifact> &artifacts) {
  return compileByCommand(job, input, artifacts);
}

/// Ignores the warm compiler, because the peer is another library.
static std::optional<Stop> compileRadv(const Job &job, const Case &input, Compiler &,
                                       std::vector<Artifact> &artifacts) {
  return compileByPeer(job, input, artifacts);
}

/// Returns a Stop of step "compile" for an error, nullopt for success.
static std::optional<Stop> stopAt(Error error) {
  return error ? std::optional(stopFor(std::move(error), "compile")) : std::nullopt;
}

/// Reports an error as a Stop, as CompilerSteps::compileToFile requires.
static std::optional<Stop> compileOwnToFile(const Job &job, const Case &input, Compiler &warm,
                                            Verdict &verdict) {
  return stopAt(compileToFileByOwn(job, input, warm, verdict));
}

static std::optional<Stop> compileRadvToFile(const Job &job, const Case &input, Compiler &,
                                             Verdict &) {
  return stopAt(compileToFileByPeer(job, input));
}

/// Ignores the warm compiler, because the peer runs in its own process.
static std::optional<Stop> compileTurnip(const Job &job, const Case &input, Compiler &,
                                         std::vector<Artifact> &artifacts) {
  return compileByTurnip(job, input, artifacts);
}

static std::optional<Stop> compileTurnipToFile(const Job &job, const Case &input, Compiler &,
                                               Verdict &) {
  return compileToFileByTurnip(job, input);
}

/// A row for each compiler of the registry that this build has. What the suffix of a name selects
/// is read from the job again: getGraphicsChoices(), findDebugModes(), findRadvCompiler(),
/// environmentOf().
static constexpr CompilerSteps rows[] = {{ownCompiler, compileByOwn, compileOwnToFile},
                                         {"assay-ngg", compileByOwn, compileOwnToFile},
                                         {"assay-whole", compileByOwn, compileOwnToFile},
                                         {"assay-unlinked", compileByOwn, compileOwnToFile},
                                         {"assay-spillall", compileByOwn, compileOwnToFile},
                                         {"assay-fullsync", compileByOwn, compileOwnToFile},
                                         {"assay-fullnop", compileByOwn, compileOwnToFile},
                                         {"assay-no-sched", compileByOwn, compileOwnToFile},
                                         {commandCompiler, compileCommand, nullptr},
                                         {"aco", compileRadv, compileRadvToFile},
                                         {"aco-nongg", compileRadv, compileRadvToFile},
                                         {"radv-llvm", compileRadv, compileRadvToFile},
                                         {"radv-llvm-nongg", compileRadv, compileRadvToFile},
                                         {"turnip", compileTurnip, compileTurnipToFile},
                                         {"turnip-fullsync", compileTurnip, compileTurnipToFile},
                                         {"turnip-fullnop", compileTurnip, compileTurnipToFile}};

/// Returns null for a compiler that is not built in.
const CompilerSteps *assay::findCompilerSteps(StringRef name) {
  const auto *row = find_if(rows, [&](const CompilerSteps &each) { return each.name == name; });
  return row == std::end(rows) ? nullptr : row;
}
