// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// usage: assay-syncs COMPILER TARGET FILE...
// The proof of nops and flags (SyncProof.h) of the case in each FILE, compiled by "turnip" or by
// "assay" at level 2 for TARGET. On stdout one line of JSON a file: its counts, its problems, which
// mutations are redundant, or why there is no proof ("skipped", "error"). ci/measure syncs drives
// it.
#include "compiler/driver/Compiler.h"
#include "harness/peer/turnip/TurnipPeer.h"
#include "harness/syncs/SyncProof.h"
#include "oracles/input/CaseReader.h"
#include "oracles/ir3_variant/Ir3Variant.h"
#include "support/Error.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace assay;

namespace {
/// The command line, and the peer that all files share.
struct Task {
  std::string target;
  std::optional<turnip::TurnipPeer> peer; ///< Nothing: the compiler is Assay.
};
} // namespace

/// The code of the only pipeline, in the form of turnip's shaders. Unsupported for what Assay has
/// no code for, and where turnip dies.
static Expected<turnip::TurnipShader> compileCase(const Task &task, const Case &input) {
  if (task.peer) {
    Expected<turnip::Compilation> compiled = task.peer->compile(input, /*subgroupSize=*/64);
    if (!compiled)
      return compiled.takeError();
    if (!compiled->death.empty() || compiled->shaders.empty())
      return unsupported("turnip dies: " + compiled->death);
    return compiled->shaders.front();
  }
  Expected<const TargetInfo *> target = findTarget(task.target);
  if (!target)
    return target.takeError();
  CompileOptions options;
  options.target = *target;
  const CasePipeline &pipeline = input.pipelines[0];
  Expected<CompileResult> result =
      Compiler().compile(pipeline.description, options, EmitPhase::Elf);
  if (!result)
    return result.takeError();
  Expected<Ir3Variant> variant = readIr3Variant(result->output);
  if (!variant)
    return variant.takeError();
  return bindVariant(*variant, input, pipeline);
}

/// Compiles the only pipeline of the case at \p path and proves the nops and flags of its first
/// shader. Unsupported for another number of pipelines.
static Expected<syncs::SyncResult> prove(const Task &task, StringRef path) {
  Expected<Case> input = readCase(path, path);
  if (!input)
    return input.takeError();
  if (input->pipelines.size() != 1)
    return unsupported(Twine(input->pipelines.size()) + " pipelines");
  Expected<turnip::TurnipShader> shader = compileCase(task, *input);
  if (!shader)
    return shader.takeError();
  return syncs::proveSyncs(*input, Artifact(turnip::writeTurnipShader(*shader)), task.target, {});
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
  json::Array counts, problems, redundant;
  for (const syncs::SyncCountRow &row : syncs::syncCountRows())
    counts.push_back(json::Array{row.name.str(), int64_t(result->counts.*row.member)});
  for (const std::string &problem : result->problems)
    problems.push_back(problem);
  for (const std::string &mutation : result->redundant)
    redundant.push_back(mutation);
  line["redundant"] = std::move(redundant);
  line["counts"] = std::move(counts);
  line["problems"] = std::move(problems);
  return line;
}

namespace {
/// A compiler whose code can be proved.
struct Producer {
  StringLiteral name;
  bool isPeer;
};
} // namespace

static constexpr Producer producers[] = {{"assay", false}, {"turnip", true}};

/// Exit status 2 for a usage error and 77 where turnip is not available for TARGET. Files that fail
/// do not change the status.
int main(int argc, char **argv) {
  StringRef compiler = argc > 3 ? argv[1] : "";
  const Producer *producer =
      find_if(producers, [&](const Producer &row) { return row.name == compiler; });
  if (producer == std::end(producers)) {
    errs() << "usage: assay-syncs assay|turnip TARGET FILE...\n";
    return 2;
  }
  Task task{argv[2], {}};
  if (producer->isPeer) {
    Expected<turnip::TurnipPeer> peer = turnip::TurnipPeer::create(task.target);
    if (!peer) {
      errs() << takeError(peer.takeError()).message << '\n';
      return 77;
    }
    task.peer.emplace(std::move(*peer));
  }
  for (int i = 3; i < argc; ++i) {
    json::Object line = describe(prove(task, argv[i]));
    line["compiler"] = compiler;
    line["target"] = task.target;
    line["case"] = argv[i];
    outs() << json::Value(std::move(line)) << '\n';
    outs().flush();
  }
  return 0;
}
