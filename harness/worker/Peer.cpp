// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/worker/Peer.h"

#include "harness/peer/RadvPeer.h"
#include "harness/run/References.h"
#include "harness/run/WorkerGuard.h"
#include "oracles/machine/gcn/Coverage.h"
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
  auto peer = RadvPeer::create(*findRadvCompiler(job.compiler), **target);
  if (!peer)
    return peer.takeError();
  Expected<std::string> missing = (*peer)->device().findMissingFeature(input);
  if (!missing)
    return missing.takeError();
  if (!missing->empty())
    return unsupported((*peer)->device().description() + " for " + job.target + " lacks " +
                       *missing);
  return peer;
}

static Expected<radv::RadvShader> compileOne(RadvPeer &peer, const Job &job,
                                             const CasePipeline &source) {
  noteStage("compile");
  Expected<RadvPipeline> pipeline = describeForRadv(source, subgroupSizeOf(job));
  if (!pipeline)
    return pipeline.takeError();
  Expected<radv::RadvShader> shader = peer.compile(*pipeline);
  if (!shader)
    return addContext(shader.takeError(), "pipeline '" + source.name + "'");
  return shader;
}

static Error compileAll(const Job &job, const Case &input, std::vector<Artifact> &artifacts) {
  auto peer = makePeer(job, input);
  if (!peer)
    return peer.takeError();
  for (const CasePipeline &source : input.pipelines) {
    Expected<radv::RadvShader> shader = compileOne(**peer, job, source);
    if (!shader)
      return shader.takeError();
    artifacts.push_back({radv::writeRadvShader(*shader), job.compiler});
  }
  return Error::success();
}

std::optional<Stop> assay::compileByPeer(const Job &job, const Case &input,
                                         std::vector<Artifact> &artifacts) {
  if (Error error = compileAll(job, input, artifacts))
    return stopFor(std::move(error), "compile");
  return std::nullopt;
}

static Expected<std::string> printPhase(const Job &job, const radv::RadvShader &shader) {
  std::vector<uint8_t> file = radv::writeRadvShader(shader);
  if (job.phase == "elf")
    return std::string(file.begin(), file.end());
  if (job.phase == "metadata")
    return radv::printRadvShader(shader);
  if (job.phase != "asm")
    return unsupported("a peer compiler has no phase '" + job.phase + "'");
  Expected<gcn::StaticCode> code = gcn::decodeStatically(file);
  if (!code)
    return code.takeError();
  return gcn::printCode(*code);
}

Error assay::compileToFileByPeer(const Job &job, const Case &input) {
  auto peer = makePeer(job, input);
  if (!peer)
    return peer.takeError();
  Expected<CasePipeline> source = choosePipeline(job, input);
  if (!source)
    return source.takeError();
  Expected<radv::RadvShader> shader = compileOne(**peer, job, *source);
  if (!shader)
    return shader.takeError();
  Expected<std::string> output = printPhase(job, *shader);
  if (!output)
    return output.takeError();
  return writeFile(job.outputFile(), StringRef(*output));
}
