// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/machine/ir/IrMachine.h"

#include "oracles/machine/Attachments.h"
#include "oracles/machine/CaseRun.h"
#include "oracles/machine/gcn/launch/Launch.h"
#include "oracles/machine/ir/Draws.h"
#include "oracles/machine/ir/LaunchMemory.h"
#include "oracles/machine/ir/WaveRun.h"
#include "oracles/machine/simt/CaseMemory.h"
#include "support/Error.h"
#include "llvm/ADT/SmallVectorExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace assay;
using namespace assay::irm;

namespace {
/// Runs each pipeline from the artifact with its number. Keeps nothing between runs.
class IrMachine final : public Machine {
public:
  explicit IrMachine(const TargetInfo &target) : m_target(target) {}
  StringRef name() const override { return "ir"; }
  Expected<Outcome> run(const Case &input, ArrayRef<Artifact> artifacts,
                        const RunOptions &options) override;

private:
  /// Runs one dispatch and writes its memory back. False: it did not return; \p outcome has kind
  /// and reason.
  Expected<bool> dispatch(const Case &input, const Dispatch &dispatch, IrImage &image,
                          std::vector<BufferState> &buffers, Outcome &outcome,
                          const RunOptions &options);
  const TargetInfo &m_target;
};

/// The workgroups of one dispatch, one after the other; in each, the waves in turns from barrier to
/// barrier. Backwards: the last group and the last wave first.
class DispatchRun {
public:
  /// A schedule seed other than 0 runs the groups in reverse order.
  DispatchRun(DispatchFacts &facts, gcn::Launch &launch, const RunOptions &options)
      : m_facts(facts), m_launch(launch), m_isBackwards(options.scheduleSeed.value_or(0) != 0),
        m_memory(facts.memory, facts.log) {
    m_limits.instructions = options.maxInstructions;
  }

  /// Returned, or how the first wave that did not return ended.
  ir::RunResult run();
  /// Copies what the dispatch has stored into the buffers.
  void writeMemory() { m_memory.writeBack(); }
  uint64_t instructions() const { return m_instructions; }

private:
  ir::RunResult runGroup(std::array<uint32_t, 3> id);
  void runWaves(SmallVector<WaveRun *> running);

  DispatchFacts &m_facts;
  gcn::Launch &m_launch;
  const bool m_isBackwards;
  ir::RunLimits m_limits; ///< Its instructions: what is left for the wave that runs.
  LaunchMemory m_memory;
  uint64_t m_instructions = 0; ///< Over all lanes of all waves.
};
} // namespace

/// In turns until none has more to do. A wave's limit is what the others leave of the budget.
void DispatchRun::runWaves(SmallVector<WaveRun *> running) {
  const uint64_t budget = m_limits.instructions;
  uint64_t used = 0;
  auto resume = [&](WaveRun *wave) {
    uint64_t own = wave->instructions(), others = used - own;
    m_limits.instructions = budget - std::min(budget, others);
    bool isRunning = wave->resume();
    used += wave->instructions() - own;
    return isRunning;
  };
  while (!running.empty())
    erase_if(running, [&](WaveRun *wave) { return !resume(wave); });
  m_instructions += used;
  m_limits.instructions = budget - std::min(budget, used);
}

/// Runs the workgroup \p id. All waves are finished, also after one has failed; the first failure
/// by number of the wave is returned.
ir::RunResult DispatchRun::runGroup(std::array<uint32_t, 3> id) {
  m_memory.resetLds();
  gcn::Workgroup group = m_launch.makeGroup(0);
  group.memory = &m_memory.space();
  std::vector<std::unique_ptr<WaveRun>> waves;
  for (unsigned i = 0; i < m_launch.wavesPerGroup(); ++i)
    waves.push_back(std::make_unique<WaveRun>(m_facts, m_launch.makeWave(group, i, id.data()), id,
                                              m_memory.memory(), m_limits));
  auto order = map_to_vector(waves, [](auto &wave) { return wave.get(); });
  if (m_isBackwards)
    std::reverse(order.begin(), order.end());
  runWaves(std::move(order));
  ir::RunResult end; ///< Of the first wave that did not return, if there is one.
  for (std::unique_ptr<WaveRun> &wave : waves) {
    ir::RunResult result = wave->finish();
    if (end.state != ir::RunState::Returned)
      continue;
    if (result.state != ir::RunState::Returned)
      m_facts.stop = wave->stoppedAt();
    end = std::move(result);
  }
  return end;
}

/// Stops after the first workgroup with a wave that did not return.
ir::RunResult DispatchRun::run() {
  const auto &groups = m_facts.groups;
  const uint64_t count = uint64_t(groups[0]) * groups[1] * groups[2];
  for (uint64_t i = 0; i < count; ++i) {
    uint64_t number = m_isBackwards ? count - 1 - i : i;
    uint64_t row = number / groups[0];
    ir::RunResult result =
        runGroup({static_cast<uint32_t>(number % groups[0]), static_cast<uint32_t>(row % groups[1]),
                  static_cast<uint32_t>(row / groups[1])});
    if (result.state != ir::RunState::Returned)
      return result;
  }
  return {};
}

/// Poison that is used, divergence and partial bounds count as traps: valid cases do not have them.
OutcomeKind irm::kindOf(ir::RunState state) {
  switch (state) {
  case ir::RunState::Returned:
    return OutcomeKind::Completed;
  case ir::RunState::Trapped:
  // What a case that has a meaning never comes to.
  case ir::RunState::Undefined:
  case ir::RunState::Divergent:
  case ir::RunState::PartialBounds:
    return OutcomeKind::Trap;
  case ir::RunState::TimedOut:
    return OutcomeKind::Timeout;
  case ir::RunState::Unsupported:
    return OutcomeKind::Unsupported;
  }
  llvm_unreachable("an end of a run that does not exist");
}

/// Runs all groups and writes the memory back to \p buffers. Notes about a watched write and about
/// the end of the run go to the outcome.
Expected<bool> IrMachine::dispatch(const Case &input, const Dispatch &dispatch, IrImage &image,
                                   std::vector<BufferState> &buffers, Outcome &outcome,
                                   const RunOptions &options) {
  const CasePipeline &pipeline = input.pipelines[dispatch.pipeline];
  auto descriptors =
      gcn::makeDescriptors(input, pipeline, simt::placeBuffers(input), m_target.major);
  if (!descriptors)
    return descriptors.takeError();
  gcn::Launch launch(image.code, m_target, pipeline, *descriptors, dispatch.groups, buffers,
                     options.seed);
  DispatchFacts facts{image,
                      pipeline.description.layout,
                      launch.memory(),
                      {dispatch.groups[0], dispatch.groups[1], dispatch.groups[2]},
                      0,
                      options.watch,
                      std::nullopt,
                      std::nullopt,
                      options.execution};
  DispatchRun run(facts, launch, options);
  ir::RunResult result = run.run();
  outcome.instructions += run.instructions();
  outcome.subgroupSize = image.code.launch.waveSize;
  outcome.kind = kindOf(result.state);
  if (facts.lastWrite)
    outcome.findings.push_back(describeInstruction(lastWriteRule, *facts.lastWrite));
  if (facts.stop)
    outcome.findings.push_back(describeInstruction(stopRule, *facts.stop));
  run.writeMemory();
  if (outcome.kind == OutcomeKind::Completed)
    return true;
  outcome.reason = ("IR: " + ir::toString(result.state) + ": " + result.reason).str();
  return false;
}

/// The outcome of a case that \p error says is not supported; other errors are returned.
static Expected<Outcome> refuse(Error error) {
  Outcome outcome;
  Expected<bool> goesOn = endUnsupported(std::move(error), outcome);
  if (!goesOn)
    return goesOn.takeError();
  return outcome;
}

/// All pipelines are loaded before the first command, so that a case is refused as a whole.
Expected<Outcome> IrMachine::run(const Case &input, ArrayRef<Artifact> artifacts,
                                 const RunOptions &options) {
  if (!input.unsupported.empty())
    return unsupported(input.unsupported.front().reason);
  if (artifacts.size() != input.pipelines.size())
    return invalidInput("ir: " + Twine(input.pipelines.size()) + " pipelines, but " +
                        Twine(artifacts.size()) + " artifacts");
  std::vector<IrImage> images; // Of compute pipelines.
  IrDraws draws(input, m_target, options);
  for (auto [pipeline, artifact] : zip(input.pipelines, artifacts)) {
    IrImage &image = images.emplace_back();
    StringRef text = artifact.text();
    Error error = pipeline.description.isGraphics()
                      ? draws.load(images.size() - 1, text)
                      : loadIr(text, pipeline.description.layout, m_target).moveInto(image);
    if (error)
      return refuse(addContext(std::move(error), "pipeline '" + pipeline.name + "'"));
  }
  std::vector<uint64_t> addresses = simt::placeBuffers(input);
  auto draw = [&](const Draw &command, std::vector<BufferState> &buffers, Outcome &outcome) {
    return draws.draw(command, buffers, outcome);
  };
  auto clear = [&](const Clear &command, std::vector<BufferState> &buffers, Outcome &outcome) {
    return draws.clear(command, buffers, outcome);
  };
  return runCommands(
      input,
      [&](const Dispatch &command, std::vector<BufferState> &buffers, Outcome &outcome) {
        return dispatch(input, command, images[command.pipeline], buffers, outcome, options);
      },
      [&](unsigned buffer) { return addresses[buffer]; }, DrawFunctions{draw, clear});
}

std::unique_ptr<Machine> assay::createIrMachine(const TargetInfo &target) {
  return std::make_unique<IrMachine>(target);
}
