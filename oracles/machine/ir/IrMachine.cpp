// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/machine/ir/IrMachine.h"

#include "oracles/ir/ExecutionLog.h"
#include "oracles/machine/CaseRun.h"
#include "oracles/machine/gcn/Launch.h"
#include "oracles/machine/ir/WaveRun.h"
#include "oracles/machine/simt/CaseMemory.h"
#include "support/Error.h"
#include "llvm/ADT/SmallVectorExtras.h"

using namespace llvm;
using namespace assay;
using namespace assay::irm;

/// What memory holds where nobody has written anything that counts.
static constexpr uint8_t unwrittenByte = 0xfb;
/// Room behind what the shader asks for.
static constexpr uint64_t ldsBytes = 64 << 10;

namespace {
class IrMachine final : public Machine {
public:
  explicit IrMachine(const TargetInfo &target) : m_target(target) {}
  StringRef name() const override { return "ir"; }
  Expected<Outcome> run(const Case &input, ArrayRef<Artifact> artifacts,
                        const RunOptions &options) override;

private:
  Expected<bool> dispatch(const Case &input, const Dispatch &dispatch, IrImage &image,
                          std::vector<BufferState> &buffers, Outcome &outcome,
                          const RunOptions &options);
  const TargetInfo &m_target;
};

/// The workgroups of one dispatch, one after the other; in each, the waves in turns from barrier to
/// barrier. Backwards: the last group and the last wave first.
class DispatchRun {
public:
  DispatchRun(DispatchFacts &facts, gcn::Launch &launch, const RunOptions &options)
      : m_facts(facts), m_launch(launch), m_isBackwards(options.scheduleSeed.value_or(0) != 0) {
    m_limits.instructions = options.maxInstructions;
    readMemory();
  }

  /// Returned, or how the first wave that did not return ended.
  ir::RunResult run();
  /// What the shader has written goes to where the buffers are. Poison may be anything there: it
  /// becomes what a result hardly is.
  void writeMemory();
  uint64_t instructions() const { return m_instructions; }

private:
  void readMemory();
  ir::RunResult runGroup(std::array<uint32_t, 3> id);
  void runWaves(SmallVector<WaveRun *> running);

  DispatchFacts &m_facts;
  gcn::Launch &m_launch;
  const bool m_isBackwards;
  ir::RunLimits m_limits; ///< Its instructions: what is left for the wave that runs.
  ir::Memory m_memory;
  simt::AddressSpace m_space;  ///< The same memory, for instructions of the hardware.
  uint64_t m_instructions = 0; ///< Over all lanes of all waves.
};
} // namespace

void DispatchRun::readMemory() {
  for (const simt::AddressSpace::Range &range : m_facts.memory.ranges()) {
    ir::BufferMemory buffer;
    buffer.bytes.assign(range.bytes.begin(), range.bytes.end());
    buffer.address = range.base;
    m_memory.buffers.push_back(std::move(buffer));
  }
  if (m_facts.log) {
    m_facts.log->begin(m_memory);
    m_facts.log->addBarrier(ir::noThread);
  }
  for (auto [range, buffer] : zip_equal(m_facts.memory.ranges(), m_memory.buffers))
    m_space.map(range.base, buffer.bytes, "memory", range.writable);
}

void DispatchRun::writeMemory() {
  for (auto [range, buffer] : zip_equal(m_facts.memory.ranges(), m_memory.buffers)) {
    if (!range.writable)
      continue;
    copy(buffer.bytes, range.bytes.begin());
    for (size_t i = 0; i < buffer.poison.size(); ++i)
      if (buffer.poison[i] && (buffer.padding.empty() || !buffer.padding[i]))
        range.bytes[i] = unwrittenByte;
  }
}

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

ir::RunResult DispatchRun::runGroup(std::array<uint32_t, 3> id) {
  m_memory.lds.assign(ldsBytes, unwrittenByte);
  gcn::Workgroup group = m_launch.makeGroup(0);
  group.memory = &m_space;
  std::vector<std::unique_ptr<WaveRun>> waves;
  for (unsigned i = 0; i < m_launch.wavesPerGroup(); ++i)
    waves.push_back(std::make_unique<WaveRun>(m_facts, m_launch.makeWave(group, i, id.data()), id,
                                              m_memory, m_limits));
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

static OutcomeKind kindOf(ir::RunState state) {
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

Expected<Outcome> IrMachine::run(const Case &input, ArrayRef<Artifact> artifacts,
                                 const RunOptions &options) {
  if (!input.unsupported.empty())
    return unsupported(input.unsupported.front().reason);
  if (artifacts.size() != input.pipelines.size())
    return invalidInput("ir: " + Twine(input.pipelines.size()) + " pipelines, but " +
                        Twine(artifacts.size()) + " artifacts");
  std::vector<IrImage> images;
  for (auto [pipeline, artifact] : zip(input.pipelines, artifacts)) {
    Expected<IrImage> image =
        loadIr(toStringRef(artifact.elf), pipeline.description.layout, m_target);
    if (!image)
      return addContext(image.takeError(), "pipeline '" + pipeline.name + "'");
    images.push_back(std::move(*image));
  }
  std::vector<uint64_t> addresses = simt::placeBuffers(input);
  return runCommands(
      input,
      [&](const Dispatch &command, std::vector<BufferState> &buffers, Outcome &outcome) {
        return dispatch(input, command, images[command.pipeline], buffers, outcome, options);
      },
      [&](unsigned buffer) { return addresses[buffer]; });
}

std::unique_ptr<Machine> assay::createIrMachine(const TargetInfo &target) {
  return std::make_unique<IrMachine>(target);
}
