// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// usage: assay-syncs TARGET FILE...
// The proof of nops and flags (SyncProof.h) of the case in each FILE, compiled by turnip for
// TARGET. On stdout one line of JSON a file: its counts, its problems, or why there is no proof
// ("skipped", "error"). ci/measure syncs drives it.
#include "harness/peer/turnip/TurnipPeer.h"
#include "harness/syncs/SyncProof.h"
#include "oracles/input/CaseReader.h"
#include "support/Error.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace assay;

/// Compiles the only pipeline of the case at \p path by turnip and proves the nops and flags of its
/// first shader. Unsupported for another number of pipelines and where turnip dies.
static Expected<syncs::SyncResult> prove(const turnip::TurnipPeer &peer, StringRef target,
                                         StringRef path) {
  Expected<Case> input = readCase(path, path);
  if (!input)
    return input.takeError();
  if (input->pipelines.size() != 1)
    return unsupported(Twine(input->pipelines.size()) + " pipelines");
  Expected<turnip::Compilation> compiled = peer.compile(*input, /*subgroupSize=*/64);
  if (!compiled)
    return compiled.takeError();
  if (!compiled->death.empty() || compiled->shaders.empty())
    return unsupported("turnip dies: " + compiled->death);
  Artifact artifact(turnip::writeTurnipShader(compiled->shaders.front()));
  return syncs::proveSyncs(*input, artifact, target, {});
}

/// Returns the members of a line: "counts" as pairs of name and number and "problems", or else
/// "skipped" or "error" with the reason. An error that is Unsupported counts as skipped.
static json::Object describe(Expected<syncs::SyncResult> result) {
  json::Object line;
  if (!result) {
    ErrorParts error = takeError(result.takeError());
    line[error.kind == ErrorKind::Unsupported ? "skipped" : "error"] = error.message;
    return line;
  }
  if (!result->skipped.empty()) {
    line["skipped"] = result->skipped;
    return line;
  }
  json::Array counts, problems;
  for (const syncs::SyncCountRow &row : syncs::syncCountRows())
    counts.push_back(json::Array{row.name.str(), int64_t(result->counts.*row.member)});
  for (const std::string &problem : result->problems)
    problems.push_back(problem);
  line["counts"] = std::move(counts);
  line["problems"] = std::move(problems);
  return line;
}

/// Exit status 2 for a usage error and 77 where turnip is not available for TARGET. Files that fail
/// do not change the status.
int main(int argc, char **argv) {
  if (argc < 3) {
    errs() << "usage: assay-syncs TARGET FILE...\n";
    return 2;
  }
  Expected<turnip::TurnipPeer> peer = turnip::TurnipPeer::create(argv[1]);
  if (!peer) {
    errs() << takeError(peer.takeError()).message << '\n';
    return 77;
  }
  for (int i = 2; i < argc; ++i) {
    json::Object line = describe(prove(*peer, argv[1], argv[i]));
    line["compiler"] = "turnip";
    line["target"] = argv[1];
    line["case"] = argv[i];
    outs() << json::Value(std::move(line)) << '\n';
    outs().flush();
  }
  return 0;
}
