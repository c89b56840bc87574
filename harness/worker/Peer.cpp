// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/worker/Peer.h"

#include "harness/peer/RadvPeer.h"
#include "harness/run/References.h"
#include "harness/run/WorkerGuard.h"
#include "oracles/machine/gcn/Coverage.h"
#include "oracles/radv/RadvGraphics.h"
#include "support/Error.h"
#include "support/File.h"

using namespace llvm;
using namespace assay;

/// A peer that can compile \p input for the job's target.
static Expected<std::unique_ptr<RadvPeer>> makePeer(const Job &job, const Case &input) {
  Expected<const TargetInfo *> target = findTarget(job.target);
  if (!target)
    return target.takeError();
  noteStage("peer");
  RadvSettings settings = *findRadvCompiler(job.compiler);
  settings.graphicsWaveSize = subgroupSizeOf(job);
  auto peer = RadvPeer::create(settings, **target);
  if (!peer)
    return peer.takeError();
  Expected<std::string> missing = (*peer)->device().findMissingFeature(input);
  if (!missing)
    return missing.takeError();
  if (!missing->empty())
    return unsupported((*peer)->device().description() + " for " + job.target + " lacks " +
                       *missing);
  if (Error error = (*peer)->device().checkFormats(input))
    return std::move(error);
  return peer;
}

/// Returns a file of oracles/radv: a shader for a compute pipeline, the shaders of all stages for a
/// graphics pipeline.
static Expected<std::vector<uint8_t>> compilePipeline(RadvPeer &peer,
                                                      const RadvPipeline &pipeline) {
  if (!pipeline.isGraphics()) {
    Expected<radv::RadvShader> shader = peer.compile(pipeline);
    if (!shader)
      return shader.takeError();
    return radv::writeRadvShader(*shader);
  }
  Expected<radv::RadvGraphics> shaders = peer.compileGraphics(pipeline);
  if (!shaders)
    return shaders.takeError();
  return radv::writeRadvGraphics(*shaders);
}

/// The file of \p source's shaders.
static Expected<std::vector<uint8_t>> compileOne(RadvPeer &peer, const Job &job,
                                                 const CasePipeline &source) {
  noteStage("compile");
  Expected<RadvPipeline> pipeline = describeForRadv(source, subgroupSizeOf(job));
  if (!pipeline)
    return pipeline.takeError();
  Expected<std::vector<uint8_t>> file = compilePipeline(peer, *pipeline);
  if (!file)
    return addContext(file.takeError(), "pipeline '" + source.name + "'");
  return file;
}

/// Appends an artifact for each pipeline, all from one device. Errors name the pipeline.
static Error compileAll(const Job &job, const Case &input, std::vector<Artifact> &artifacts) {
  auto peer = makePeer(job, input);
  if (!peer)
    return peer.takeError();
  for (const CasePipeline &source : input.pipelines) {
    Expected<std::vector<uint8_t>> file = compileOne(**peer, job, source);
    if (!file)
      return file.takeError();
    artifacts.emplace_back(std::move(*file));
  }
  return Error::success();
}

/// Appends an artifact for each pipeline, unless one of them fails.
std::optional<Stop> assay::compileByPeer(const Job &job, const Case &input,
                                         std::vector<Artifact> &artifacts) {
  if (Error error = compileAll(job, input, artifacts))
    return stopFor(std::move(error), "compile");
  return std::nullopt;
}

/// Prints the launch state in \p file, which has one of the two types of oracles/radv.
static Expected<std::string> printMetadata(ArrayRef<uint8_t> file) {
  if (detectArtifactType(file) == ArtifactType::RadvGraphics) {
    Expected<radv::RadvGraphics> shaders = radv::readRadvGraphics(file);
    if (!shaders)
      return shaders.takeError();
    return radv::printRadvGraphics(*shaders);
  }
  Expected<radv::RadvShader> shader = radv::readRadvShader(file);
  if (!shader)
    return shader.takeError();
  return radv::printRadvShader(*shader);
}

/// Returns the text, or for "elf" the bytes, of the phase that \p job names. Unsupported for phases
/// that only Assay's compiler has.
static Expected<std::string> printPhase(const Job &job, ArrayRef<uint8_t> file) {
  if (job.phase == "elf")
    return std::string(file.begin(), file.end());
  if (job.phase == "metadata")
    return printMetadata(file);
  if (job.phase != "asm")
    return unsupported("a peer compiler has no phase '" + job.phase + "'");
  Expected<gcn::StaticCode> code = gcn::decodeStatically(file);
  if (!code)
    return code.takeError();
  return gcn::printCode(*code);
}

/// Compiles the one pipeline that choosePipeline() returns.
Error assay::compileToFileByPeer(const Job &job, const Case &input) {
  auto peer = makePeer(job, input);
  if (!peer)
    return peer.takeError();
  Expected<CasePipeline> source = choosePipeline(job, input);
  if (!source)
    return source.takeError();
  Expected<std::vector<uint8_t>> file = compileOne(**peer, job, *source);
  if (!file)
    return file.takeError();
  Expected<std::string> output = printPhase(job, *file);
  if (!output)
    return output.takeError();
  return writeFile(job.outputFile(), StringRef(*output));
}
