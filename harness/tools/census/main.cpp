// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// usage: assay-census [--emit llvm] COMPILER TARGET WAVE FOLDER FILE...
// Compiles the pipelines of each FILE (a case or a shader) and writes their code to FOLDER; with
// --emit llvm, of compiler assay alone, the IR at the end of the middle-end. Each file has a
// process of its own, because peers may die of it. One line a file on stdout: "ok", "unsupported",
// "error" or "died", the file, and why.
#include "compiler/driver/Compiler.h"
#include "harness/tools/census/Census.h"
#include "oracles/api/Registry.h"
#include "oracles/input/CaseReader.h"
#include "support/Error.h"
#include "support/File.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

#include <csignal>
#include <cstring>
#include <sys/wait.h>
#include <unistd.h>

using namespace llvm;
using namespace assay;

namespace {
/// The command line, and what all files have in common.
struct Census {
  std::string compiler; ///< Of the registry.
  const TargetInfo *target = nullptr;
  unsigned waveSize = 0;                  ///< Lanes.
  EmitPhase phase = EmitPhase::Elf;       ///< Of Assay.
  std::string folder;                     ///< That gets the code.
  std::unique_ptr<RadvPeer> peer;         ///< Of a peer compiler.
  std::vector<uint32_t> vertex, fragment; ///< What shaders of a single stage get for the other.
};
} // namespace

/// Writes \p bytes to FOLDER/PATH-SUFFIX.COMPILER.TARGET.WAVE, with _ for / in the path.
static Error writeCode(const Census &census, StringRef path, const Twine &suffix,
                       ArrayRef<uint8_t> bytes) {
  std::string name = path.str();
  std::replace(name.begin(), name.end(), '/', '_');
  return writeFile((census.folder + "/" + name + "-" + suffix + "." + census.compiler + "." +
                    census.target->name + "." + Twine(census.waveSize))
                       .str(),
                   bytes);
}

/// Writes a file for each pipeline, numbered from 0. Ends at the first pipeline that fails.
/// Unsupported for a case without pipelines, and where the peer's device lacks a feature of it.
/// Files of earlier pipelines stay.
static Error compileCase(Census &census, StringRef path) {
  Expected<Case> input = readCase(path, path);
  if (!input)
    return input.takeError();
  if (input->pipelines.empty())
    return unsupported("no pipeline");
  if (census.peer) {
    Expected<std::string> missing = census.peer->device().findMissingFeature(*input);
    if (!missing)
      return missing.takeError();
    if (!missing->empty())
      return unsupported("the driver lacks " + *missing);
  }
  Compiler compiler;
  CompileOptions options;
  options.target = census.target;
  options.waveSize = census.waveSize;
  for (size_t i = 0; i < input->pipelines.size(); ++i) {
    const CasePipeline &source = input->pipelines[i];
    if (!census.peer) {
      Expected<CompileResult> result = compiler.compile(source.description, options, census.phase);
      if (!result)
        return result.takeError();
      if (Error error = writeCode(census, path, Twine(i), result->output))
        return error;
      continue;
    }
    Expected<RadvPipeline> pipeline = describeForRadv(source, census.waveSize);
    if (!pipeline)
      return pipeline.takeError();
    if (pipeline->isGraphics()) {
      Expected<radv::RadvGraphics> shaders = census.peer->compileGraphics(*pipeline);
      if (!shaders)
        return shaders.takeError();
      if (Error error = writeCode(census, path, Twine(i), radv::writeRadvGraphics(*shaders)))
        return error;
      continue;
    }
    Expected<radv::RadvShader> shader = census.peer->compile(*pipeline);
    if (!shader)
      return shader.takeError();
    if (Error error = writeCode(census, path, Twine(i), radv::writeRadvShader(*shader)))
      return error;
  }
  return Error::success();
}

/// Compiles a module of a single stage in a pipeline with one of the census's shaders for the other
/// stage. Needs a peer. The file's suffix is "graphics".
static Error compileStage(Census &census, StringRef path, std::vector<uint32_t> words,
                          ShaderStage stage) {
  bool isVertex = stage == ShaderStage::Vertex;
  Expected<RadvPipeline> input =
      describeDraw(isVertex ? words : census.vertex, isVertex ? census.fragment : words, stage);
  if (!input)
    return input.takeError();
  Expected<radv::RadvGraphics> shaders = census.peer->compileGraphics(*input);
  if (!shaders)
    return shaders.takeError();
  return writeCode(census, path, "graphics", radv::writeRadvGraphics(*shaders));
}

/// Compiles the file at \p path. For a peer, a .spv module of a graphics stage is completed to a
/// pipeline; all other files are read as cases.
static Error compileFile(Census &census, StringRef path) {
  if (census.peer && sys::path::extension(path) == ".spv") {
    Expected<std::vector<uint8_t>> bytes = readFileBytes(path);
    if (!bytes)
      return bytes.takeError();
    std::vector<uint32_t> words(bytes->size() / 4);
    std::memcpy(words.data(), bytes->data(), words.size() * 4);
    if (std::optional<ShaderStage> stage = findGraphicsStage(words))
      return compileStage(census, path, std::move(words), *stage);
  }
  return compileCase(census, path);
}

/// Compiles one file and prints its line: ok, unsupported or error. Returns 0 in all cases. An
/// alarm ends the process after 60 seconds, which the parent reports as died.
static int runChild(Census &census, StringRef path) {
  alarm(60);
  Error error = compileFile(census, path);
  if (!error) {
    outs() << "ok " << path << "\n";
    return 0;
  }
  ErrorParts parts = takeError(std::move(error));
  outs() << (parts.kind == ErrorKind::Unsupported ? "unsupported " : "error ") << path << ": "
         << parts.message << "\n";
  return 0;
}

/// Fills in the target, the wave size and, for a peer compiler, the peer and the shaders.
/// InvalidInput for an unknown compiler; Unsupported where the peer is not available.
static Error prepare(Census &census, StringRef targetName, StringRef wave) {
  Expected<const TargetInfo *> target = findAmdTarget(targetName);
  if (!target)
    return target.takeError();
  census.target = *target;
  if (wave.getAsInteger(10, census.waveSize))
    return invalidInput("wave size '" + wave + "'");
  std::optional<RadvSettings> radv = findRadvCompiler(census.compiler);
  if (!radv)
    return compilerOf(census.compiler).isOwn ? Error::success()
                                             : invalidInput("compiler '" + census.compiler + "'");
  radv->graphicsWaveSize = census.waveSize ? census.waveSize : 64;
  auto peer = RadvPeer::create(*radv, **target);
  if (!peer)
    return peer.takeError();
  census.peer = std::move(*peer);
  Expected<std::vector<uint32_t>> vertex = makeVertexShader(), fragment = makeFragmentShader();
  if (!vertex || !fragment)
    return joinErrors(vertex.takeError(), fragment.takeError());
  census.vertex = std::move(*vertex);
  census.fragment = std::move(*fragment);
  return Error::success();
}

/// Exit status 2 for a usage error, 77 where the peer is not available, 3 where the options are
/// wrong or no process can be started. Files that fail do not change the status.
int main(int argc, char **argv) {
  Census census;
  if (argc > 2 && StringRef(argv[1]) == "--emit") {
    census.phase = EmitPhase::Llvm;
    argc -= 2;
    argv += 2;
  }
  if (argc < 6 || (census.phase == EmitPhase::Llvm && StringRef(argv[0]) != "llvm")) {
    errs() << "usage: assay-census [--emit llvm] COMPILER TARGET WAVE FOLDER FILE...\n";
    return 2;
  }
  census.compiler = argv[1];
  census.folder = argv[4];
  if (Error error = prepare(census, argv[2], argv[3])) {
    ErrorParts parts = takeError(std::move(error));
    errs() << "assay-census: " << parts.message << "\n";
    return parts.kind == ErrorKind::Unsupported ? 77 : 3;
  }
  for (int i = 5; i < argc; ++i) {
    pid_t child = fork();
    if (child == 0) {
      int code = runChild(census, argv[i]);
      outs().flush();
      _exit(code);
    }
    int status = 0;
    if (child < 0 || waitpid(child, &status, 0) != child) {
      errs() << "assay-census: fork: " << strerror(errno) << "\n";
      return 3;
    }
    if (WIFSIGNALED(status))
      outs() << "died " << argv[i] << ": " << strsignal(WTERMSIG(status)) << "\n";
    outs().flush();
  }
  return 0;
}
