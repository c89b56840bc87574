// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// usage: assay-waits COMPILER TARGET FILE...
// The wait proof (WaitProof.h) of the case in each FILE, compiled by "assay" or a peer. Each file
// has a process of its own, because peers may die of it. On stdout one line of JSON a shader: its
// counts, its problems, or why there is no proof ("skipped", "error"); cases with draws have two,
// of the vertex and the fragment stage. ci/measure waits drives it.
#include "compiler/driver/Compiler.h"
#include "harness/peer/RadvPeer.h"
#include "harness/waits/WaitProof.h"
#include "oracles/api/Registry.h"
#include "oracles/input/CaseReader.h"
#include "support/Error.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

#include <csignal>
#include <cstring>
#include <sys/wait.h>
#include <unistd.h>

using namespace llvm;
using namespace assay;

namespace {
/// The command line, and the peer that all files share.
struct Task {
  std::string compiler;
  const TargetInfo *target = nullptr;
  std::unique_ptr<RadvPeer> peer; ///< Null: compiler is "assay".
};
} // namespace

/// Returns the code of the only pipeline. Unsupported for a case with another number of pipelines,
/// and for features that the driver lacks.
static Expected<Artifact> compileCase(Task &task, const Case &input) {
  if (input.pipelines.size() != 1)
    return unsupported(Twine(input.pipelines.size()) + " pipelines");
  const CasePipeline &source = input.pipelines[0];
  if (!task.peer) {
    CompileOptions options;
    options.target = task.target;
    Expected<CompileResult> result =
        Compiler().compile(source.description, options, EmitPhase::Elf);
    if (!result)
      return result.takeError();
    return Artifact(std::move(result->output));
  }
  Expected<std::string> missing = task.peer->device().findMissingFeature(input);
  if (!missing)
    return missing.takeError();
  if (!missing->empty())
    return unsupported("the driver lacks " + *missing);
  Expected<RadvPipeline> pipeline = describeForRadv(source, 0);
  if (!pipeline)
    return pipeline.takeError();
  if (pipeline->isGraphics()) {
    Expected<radv::RadvGraphics> shaders = task.peer->compileGraphics(*pipeline);
    if (!shaders)
      return shaders.takeError();
    return Artifact(radv::writeRadvGraphics(*shaders));
  }
  Expected<radv::RadvShader> shader = task.peer->compile(*pipeline);
  if (!shader)
    return shader.takeError();
  return Artifact(radv::writeRadvShader(*shader));
}

/// Returns pairs of name and number in the order of the table. An object would sort its members.
static json::Array printCounts(const waits::WaitCounts &counts) {
  json::Array pairs;
  for (const waits::WaitCountRow &row : waits::waitCountRows())
    pairs.push_back(json::Array{row.name, counts.*row.member});
  return pairs;
}

/// Adds to \p line the members "counts" and "problems" of a proof, or "skipped" or "error" with the
/// reason why there is none. Unsupported features are skipped.
static void addResult(Expected<waits::WaitResult> result, json::Object &line) {
  if (!result) {
    ErrorParts parts = takeError(result.takeError());
    line[parts.kind == ErrorKind::Unsupported ? "skipped" : "error"] = parts.message;
  } else if (!result->skipped.empty()) {
    line["skipped"] = result->skipped;
  } else {
    line["counts"] = printCounts(result->counts);
    line["problems"] = json::Array(result->problems);
  }
}

/// Compiles the case at \p path and prints a line for each shader of its pipeline. Prints one line
/// without a stage where the case can't be read or compiled.
static void proveFile(Task &task, StringRef path) {
  json::Object head{{"case", path}, {"compiler", task.compiler}, {"target", task.target->name}};
  auto print = [&](Expected<waits::WaitResult> result, StringRef stage) {
    json::Object line = head;
    if (!stage.empty())
      line["stage"] = stage;
    addResult(std::move(result), line);
    outs() << json::Value(std::move(line)) << "\n";
  };
  Expected<Case> input = readCase(path, path);
  if (!input)
    return print(input.takeError(), "");
  Expected<Artifact> artifact = compileCase(task, *input);
  if (!artifact)
    return print(artifact.takeError(), "");
  waits::WaitProofOptions options;
  for (const ShaderDescription &shader : input->pipelines[0].description.stages) {
    options.stage = shader.stage;
    print(waits::proveWaits(*input, *artifact, *task.target, options), getStageName(shader.stage));
  }
}

/// Fills in the target and, for a peer compiler, the peer. InvalidInput for an unknown compiler;
/// Unsupported where the peer is not available.
static Error prepare(Task &task, StringRef targetName) {
  Expected<const TargetInfo *> target = findAmdTarget(targetName);
  if (!target)
    return target.takeError();
  task.target = *target;
  if (compilerOf(task.compiler).isOwn)
    return Error::success();
  std::optional<RadvSettings> radv = findRadvCompiler(task.compiler);
  if (!radv)
    return invalidInput("compiler '" + task.compiler + "'");
  auto peer = RadvPeer::create(*radv, **target);
  if (!peer)
    return peer.takeError();
  task.peer = std::move(*peer);
  return Error::success();
}

/// Prints \p message to stderr and returns \p code.
static int fail(StringRef message, int code) {
  errs() << "assay-waits: " << message << "\n";
  return code;
}

/// A child has 300 seconds. Exit status 2 for a usage error, 77 where the peer is not available, 3
/// for other errors of the options and where no process can be started.
int main(int argc, char **argv) {
  if (argc < 4)
    return fail("usage: assay-waits COMPILER TARGET FILE...", 2);
  Task task;
  task.compiler = argv[1];
  if (Error error = prepare(task, argv[2])) {
    ErrorParts parts = takeError(std::move(error));
    return fail(parts.message, parts.kind == ErrorKind::Unsupported ? 77 : 3);
  }
  for (int i = 3; i < argc; ++i) {
    pid_t child = fork();
    if (child == 0) {
      alarm(300);
      proveFile(task, argv[i]);
      outs().flush();
      _exit(0);
    }
    int status = 0;
    if (child < 0 || waitpid(child, &status, 0) != child)
      return fail(strerror(errno), 3);
    if (status != 0) {
      std::string how = WIFSIGNALED(status) ? strsignal(WTERMSIG(status))
                                            : "ended with " + std::to_string(WEXITSTATUS(status));
      outs() << json::Value(json::Object{{"case", argv[i]},
                                         {"compiler", task.compiler},
                                         {"target", task.target->name},
                                         {"error", how}})
             << "\n";
    }
    outs().flush();
  }
  return 0;
}
