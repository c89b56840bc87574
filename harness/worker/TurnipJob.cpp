// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/worker/TurnipJob.h"

#include "harness/peer/turnip/TurnipPeer.h"
#include "harness/run/References.h"
#include "harness/run/WorkerGuard.h"
#include "support/Error.h"
#include "support/File.h"

using namespace llvm;
using namespace assay;

/// What the compiler's name says after "turnip-": "fullsync" (each instruction waits for all that
/// is outstanding), "fullnop" (nops before each instruction).
static std::vector<std::string> environmentOf(StringRef compiler) {
  if (!compiler.consume_front("turnip-"))
    return {};
  return {("IR3_SHADER_DEBUG=" + compiler).str()};
}

/// Sets \p shaders, one per pipeline of \p input. Stops where the driver lacks something or dies.
static std::optional<Stop> compile(const Job &job, const Case &input,
                                   std::vector<turnip::TurnipShader> &shaders) {
  noteStage("peer");
  Expected<turnip::TurnipPeer> peer = turnip::TurnipPeer::create(job.target);
  if (!peer)
    return stopFor(peer.takeError(), "compile");
  noteStage("compile");
  Expected<turnip::Compilation> result =
      peer->compile(input, subgroupSizeOf(job), environmentOf(job.compiler));
  if (!result)
    return stopFor(result.takeError(), "compile");
  if (!result->death.empty())
    return Stop{State::Crash, "turnip dies: " + result->death, {}};
  shaders = std::move(result->shaders);
  return std::nullopt;
}

/// Appends an artifact for each pipeline only if all of them compile.
std::optional<Stop> assay::compileByTurnip(const Job &job, const Case &input,
                                           std::vector<Artifact> &artifacts) {
  std::vector<turnip::TurnipShader> shaders;
  if (std::optional<Stop> stop = compile(job, input, shaders))
    return stop;
  for (const turnip::TurnipShader &shader : shaders)
    artifacts.emplace_back(turnip::writeTurnipShader(shader));
  return std::nullopt;
}

/// Returns the text, or for "elf" the bytes, of the phase that \p job names. Unsupported for phases
/// that only Assay's compiler has.
static Expected<std::string> printPhase(const Job &job, const turnip::TurnipShader &shader) {
  if (job.phase == "elf") {
    std::vector<uint8_t> file = turnip::writeTurnipShader(shader);
    return std::string(file.begin(), file.end());
  }
  if (job.phase == "metadata")
    return turnip::printTurnipShader(shader);
  if (job.phase == "asm")
    return shader.assembly;
  return unsupported("a peer compiler has no phase '" + job.phase + "'");
}

/// Compiles the one pipeline that choosePipeline() returns.
std::optional<Stop> assay::compileToFileByTurnip(const Job &job, const Case &input) {
  Expected<CasePipeline> source = choosePipeline(job, input);
  if (!source)
    return stopFor(source.takeError(), "compile");
  Case chosen = input;
  chosen.pipelines = {std::move(*source)};
  std::vector<turnip::TurnipShader> shaders;
  if (std::optional<Stop> stop = compile(job, chosen, shaders))
    return stop;
  Expected<std::string> output = printPhase(job, shaders.front());
  if (!output)
    return stopFor(output.takeError(), "compile");
  if (Error error = writeFile(job.outputFile(), StringRef(*output)))
    return stopFor(std::move(error), "compile");
  return std::nullopt;
}
