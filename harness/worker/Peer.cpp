// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/worker/Peer.h"

#include "harness/peer/RadvPeer.h"
#include "harness/run/References.h"
#include "harness/run/WorkerGuard.h"
#include "support/Error.h"

using namespace llvm;
using namespace assay;

static Error compileAll(const Job &job, const Case &input, std::vector<Artifact> &artifacts) {
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
  noteStage("compile");
  for (const CasePipeline &source : input.pipelines) {
    Expected<RadvPipeline> pipeline = describeForRadv(source, subgroupSizeOf(job));
    if (!pipeline)
      return pipeline.takeError();
    Expected<radv::RadvShader> shader = (*peer)->compile(*pipeline);
    if (!shader)
      return addContext(shader.takeError(), "pipeline '" + source.name + "'");
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
