// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/machine/gcn/GcnMachine.h"

#include "oracles/machine/CaseRun.h"
#include "oracles/machine/gcn/GcnDispatch.h"
#include "oracles/machine/simt/Schedules.h"
#include "oracles/machine/simt/TraceRange.h"
#include "support/Error.h"

using namespace llvm;
using namespace assay;
using namespace assay::gcn;
using namespace assay::simt;

namespace {

/// The machine for one target. Without \p loadDraws, graphics pipelines are loaded as if they were
/// compute and fail.
class GcnMachine final : public Machine {
public:
  GcnMachine(const TargetInfo &target, LoadDraws loadDraws)
      : m_target(target), m_loadDraws(loadDraws) {}
  StringRef name() const override { return "gcn"; }
  Expected<Outcome> run(const Case &input, ArrayRef<Artifact> artifacts,
                        const RunOptions &options) override;

private:
  /// Runs one dispatch. False when the run has ended, with the reason in \p outcome.
  Expected<bool> dispatch(const Case &input, const Dispatch &dispatch, CodeImage &image,
                          std::vector<BufferState> &buffers, Outcome &outcome, RunContext &context);
  /// Runs all commands of the case once. \p images has an element for each pipeline, empty for
  /// graphics.
  Expected<Outcome> runOnce(const Case &input, std::vector<CodeImage> &images, DrawModel *draws,
                            RunContext &context);

  const TargetInfo &m_target;
  LoadDraws m_loadDraws;
};

} // namespace

Expected<bool> GcnMachine::dispatch(const Case &input, const Dispatch &dispatch, CodeImage &image,
                                    std::vector<BufferState> &buffers, Outcome &outcome,
                                    RunContext &context) {
  const CasePipeline &pipeline = input.pipelines[dispatch.pipeline];
  auto descriptors = makeDescriptors(input, pipeline, placeBuffers(input), m_target.major,
                                     image.launch.hasPlanarLines);
  if (!descriptors)
    return descriptors.takeError();
  Launch launch(image, m_target, pipeline, *descriptors, dispatch.groups, buffers,
                context.options.seed);
  bool hasAtomics = any_of(pipeline.description.stages, [](const ShaderDescription &shader) {
    return hasAtomicMoves(shader.spirv);
  });
  GcnDispatch model(launch, hasAtomics);
  return addResult(runDispatch(model, dispatch.groups, context), outcome);
}

Expected<Outcome> GcnMachine::runOnce(const Case &input, std::vector<CodeImage> &images,
                                      DrawModel *draws, RunContext &context) {
  std::vector<uint64_t> addresses = placeBuffers(input);
  auto draw = [&](const Draw &command, std::vector<BufferState> &buffers, Outcome &outcome) {
    return draws->draw(command, buffers, outcome, context);
  };
  auto clear = [&](const Clear &command, std::vector<BufferState> &buffers, Outcome &outcome) {
    return draws->clear(command, buffers, outcome);
  };
  return runCommands(
      input,
      [&](const Dispatch &command, std::vector<BufferState> &buffers, Outcome &outcome) {
        return dispatch(input, command, images[command.pipeline], buffers, outcome, context);
      },
      [&](unsigned buffer) { return addresses[buffer]; },
      draws ? std::optional(DrawFunctions{draw, clear}) : std::nullopt);
}

/// What code has written into its image is gone before the next run.
static void restoreSections(std::vector<CodeImage> &images,
                            const std::vector<std::vector<ImageSection>> &sections) {
  for (auto [image, pristine] : zip_equal(images, sections))
    for (auto [section, original] : zip_equal(image.sections, pristine))
      if (section.writable)
        section.bytes = original.bytes;
}

/// An outcome for options that make no sense with the case.
static Outcome makeInvalid(std::string reason) {
  Outcome outcome;
  outcome.kind = OutcomeKind::Invalid;
  outcome.reason = std::move(reason);
  return outcome;
}

/// Lanes of the widest wave of any pipeline.
static unsigned widestWave(ArrayRef<CodeImage> images) {
  unsigned waveSize = 0;
  for (const CodeImage &image : images)
    waveSize = std::max(waveSize, image.launch.waveSize);
  return waveSize;
}

/// There is one artifact for each pipeline. Code is loaded once, and restored before each run of a
/// schedule.
Expected<Outcome> GcnMachine::run(const Case &input, ArrayRef<Artifact> artifacts,
                                  const RunOptions &options) {
  if (!input.unsupported.empty())
    return unsupported(input.unsupported.front().reason);
  if (artifacts.size() != input.pipelines.size())
    return invalidInput("gcn: " + Twine(input.pipelines.size()) + " pipelines, but " +
                        Twine(artifacts.size()) + " artifacts");
  std::vector<CodeImage> images;
  std::unique_ptr<DrawModel> draws;
  bool hasGraphics = any_of(input.pipelines, [](const CasePipeline &pipeline) {
    return pipeline.description.isGraphics();
  });
  if (hasGraphics && m_loadDraws)
    if (Error error = m_loadDraws(input, artifacts, m_target).moveInto(draws))
      return std::move(error);
  for (auto [pipeline, artifact] : zip(input.pipelines, artifacts)) {
    if (draws && pipeline.description.isGraphics()) {
      images.emplace_back();
      continue;
    }
    Expected<CodeImage> image = loadCode(artifact, m_target);
    if (!image)
      return addContext(image.takeError(), "pipeline '" + pipeline.name + "'");
    images.push_back(std::move(*image));
  }
  if (options.trace.out && !images.empty())
    if (std::string reason = refuseTrace(options.trace, widestWave(images)); !reason.empty())
      return makeInvalid(std::move(reason));
  std::vector<std::vector<ImageSection>> sections;
  for (const CodeImage &image : images)
    sections.push_back(image.sections);
  return runCase(input, artifacts, options, [&](RunContext &context) {
    restoreSections(images, sections);
    return runOnce(input, images, draws.get(), context);
  });
}

std::unique_ptr<Machine> assay::createGcnMachine(const TargetInfo &target, LoadDraws loadDraws) {
  return std::make_unique<GcnMachine>(target, loadDraws);
}
