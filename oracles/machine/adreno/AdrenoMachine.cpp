// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/machine/adreno/AdrenoMachine.h"

#include "oracles/ir3_variant/Ir3Variant.h"
#include "oracles/machine/CaseRun.h"
#include "oracles/machine/adreno/AdrenoDispatch.h"
#include "oracles/machine/simt/RaceEvents.h"
#include "oracles/machine/simt/Schedules.h"
#include "support/Error.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace assay;
using namespace assay::adreno;
using namespace assay::simt;

namespace {

/// A pipeline, ready to be launched.
struct LoadedShader {
  turnip::TurnipShader shader;
  Program program;
  bool hasAtomicMoves = false;
};

/// The machine for one chip; runs do not change it, only what it covers.
class AdrenoMachine final : public Machine {
public:
  AdrenoMachine(StringRef target, Chip chip, AdrenoCoverage *coverage, const Arithmetic &arithmetic)
      : m_target(target), m_chip(chip), m_coverage(coverage), m_arithmetic(arithmetic) {}
  StringRef name() const override { return "adreno"; }
  Expected<Outcome> run(const Case &input, ArrayRef<Artifact> artifacts,
                        const RunOptions &options) override;

private:
  Expected<LoadedShader> load(const Artifact &artifact, const Case &input,
                              const CasePipeline &pipeline) const;
  Expected<Outcome> runOnce(const Case &input, ArrayRef<LoadedShader> shaders,
                            RunContext &context) const;

  std::string m_target;
  Chip m_chip;
  AdrenoCoverage *m_coverage;
  Arithmetic m_arithmetic;
};

} // namespace

/// A variant of Assay's compiler, bound to the case, or a shader of turnip.
static Expected<turnip::TurnipShader> readShader(const Artifact &artifact, const Case &input,
                                                 const CasePipeline &pipeline) {
  if (artifact.type() != ArtifactType::Ir3Variant)
    return artifact.view<turnip::TurnipShader>(turnip::readTurnipShader);
  Expected<const Ir3Variant &> variant = artifact.view<Ir3Variant>(readIr3Variant);
  if (!variant)
    return variant.takeError();
  return bindVariant(*variant, input, pipeline);
}

/// Reads and checks the code of one pipeline.
Expected<LoadedShader> AdrenoMachine::load(const Artifact &artifact, const Case &input,
                                           const CasePipeline &pipeline) const {
  Expected<turnip::TurnipShader> shader = readShader(artifact, input, pipeline);
  if (!shader)
    return shader.takeError();
  if (shader->target != m_target)
    return invalidInput("the code is for " + shader->target + ", not for " + m_target);
  if (Error error = verifyLaunch(*shader, input))
    return std::move(error);
  Program program(shader->code, m_chip);
  bool hasAtomicMoves = any_of(pipeline.description.stages, [](const ShaderDescription &each) {
    return simt::hasAtomicMoves(each.spirv);
  });
  return LoadedShader{std::move(*shader), std::move(program), hasAtomicMoves};
}

/// All commands of the case, under one schedule.
Expected<Outcome> AdrenoMachine::runOnce(const Case &input, ArrayRef<LoadedShader> shaders,
                                         RunContext &context) const {
  auto dispatch = [&](const Dispatch &command, std::vector<BufferState> &buffers,
                      Outcome &outcome) -> Expected<bool> {
    const LoadedShader &loaded = shaders[command.pipeline];
    TurnipLaunch launch(loaded.shader, loaded.program, input, command, buffers, m_arithmetic);
    AdrenoDispatch model(launch, context.options.seed, loaded.hasAtomicMoves);
    if (m_coverage) {
      m_coverage->pipelines.resize(shaders.size());
      model.cover(m_coverage->pipelines[command.pipeline]);
    }
    DispatchResult result = runDispatch(model, command.groups, context);
    launch.storeCopies();
    return addResult(std::move(result), outcome);
  };
  auto addressOf = [&](unsigned buffer) -> uint64_t {
    const std::vector<turnip::ResourcePlace> &places = shaders.front().shader.resources;
    return buffer < places.size() ? places[buffer].address : 0;
  };
  return runCommands(input, dispatch,
                     shaders.empty() ? AddressFunction(nullptr) : AddressFunction(addressOf));
}

Expected<Outcome> AdrenoMachine::run(const Case &input, ArrayRef<Artifact> artifacts,
                                     const RunOptions &options) {
  if (!input.unsupported.empty())
    return unsupported(input.unsupported.front().reason);
  if (artifacts.size() != input.pipelines.size())
    return invalidInput("adreno: " + Twine(input.pipelines.size()) + " pipelines, but " +
                        Twine(artifacts.size()) + " artifacts");
  if (options.trace.out)
    return unsupported("machine adreno writes no trace");
  std::vector<LoadedShader> shaders;
  for (auto [pipeline, artifact] : zip(input.pipelines, artifacts)) {
    Expected<LoadedShader> shader = load(artifact, input, pipeline);
    if (!shader)
      return addContext(shader.takeError(), "pipeline '" + pipeline.name + "'");
    shaders.push_back(std::move(*shader));
  }
  return runCase(input, artifacts, options,
                 [&](RunContext &context) { return runOnce(input, shaders, context); });
}

Expected<std::unique_ptr<Machine>> assay::createAdrenoMachine(StringRef target,
                                                              AdrenoCoverage *coverage,
                                                              const Arithmetic &arithmetic) {
  std::optional<Chip> chip = findChip(target);
  if (!chip || *chip == Chip::A540)
    return unsupported("machine adreno has no chip '" + target + "'");
  return std::make_unique<AdrenoMachine>(target, *chip, coverage, arithmetic);
}
