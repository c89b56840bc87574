// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/machine/gcn/DirectedRun.h"

#include "oracles/machine/CaseRun.h"
#include "oracles/machine/gcn/GcnDispatch.h"
#include "oracles/machine/gcn/Program.h"
#include "oracles/machine/gcn/Step.h"
#include "oracles/machine/gcn_isa/Cfg.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace assay;
using namespace assay::gcn;
using namespace assay::simt;

namespace {

enum class Condition : uint8_t { Scc, Vcc, Exec };

/// A branch that is taken when a condition is nonzero, or zero.
struct BranchRow {
  StringLiteral mnemonic;
  Condition condition;
  bool whenSet;
};
constexpr BranchRow BranchRows[] = {
    {"s_cbranch_scc0", Condition::Scc, false},   {"s_cbranch_scc1", Condition::Scc, true},
    {"s_cbranch_vccz", Condition::Vcc, false},   {"s_cbranch_vccnz", Condition::Vcc, true},
    {"s_cbranch_execz", Condition::Exec, false}, {"s_cbranch_execnz", Condition::Exec, true},
};

/// Runs one wave along a given path: branches go where the path goes, and faults are passed over.
class Leader {
public:
  Leader(Wave &wave, DirectedRun &run)
      : m_wave(wave), m_ops(wave.group->program->ops()), m_lanes(wave.exec()), m_run(run) {}
  /// \p path has the addresses of instructions in order. Stops where the wave leaves it.
  void lead(ArrayRef<uint64_t> path);

private:
  void decide(const MicroOp &op, uint64_t nextPc);
  void keepLanes(uint64_t before);
  bool recover(const MicroOp &op);

  Wave &m_wave;
  ArrayRef<MicroOp> m_ops;
  uint64_t m_lanes; ///< Active at the beginning.
  DirectedRun &m_run;
};

} // namespace

/// Makes the condition of \p op, if it is a branch, such that \p nextPc comes next.
void Leader::decide(const MicroOp &op, uint64_t nextPc) {
  const auto *row = find_if(
      BranchRows, [&](const BranchRow &each) { return each.mnemonic == op.inst->mnemonic; });
  if (row == std::end(BranchRows))
    return;
  bool isTaken = branchTarget(*op.inst) == nextPc;
  bool isSet = isTaken == row->whenSet;
  if (row->condition == Condition::Scc)
    m_wave.scc = isSet;
  else if (row->condition == Condition::Vcc && isSet != (m_wave.vcc() != 0))
    m_wave.setVcc(isSet ? m_lanes : 0);
  else if (row->condition == Condition::Exec && isSet != (m_wave.exec() != 0))
    m_wave.setExec(isSet ? m_lanes : 0);
}

/// An instruction that changed EXEC has left some lane active.
void Leader::keepLanes(uint64_t before) {
  uint64_t now = m_wave.exec();
  if (now == 0 && before != 0)
    m_wave.setExec(before);
}

/// False: the wave has ended, or what it does can't be passed over.
bool Leader::recover(const MicroOp &op) {
  Failure &failure = m_wave.group->failure;
  if (m_wave.status == WaveStatus::Done || failure.kind == OutcomeKind::Unsupported)
    return false;
  if (m_wave.status != WaveStatus::Running)
    m_wave.next = op.next;
  m_wave.status = WaveStatus::Running;
  m_wave.isBlocked = nullptr;
  failure = {};
  return true;
}

void Leader::lead(ArrayRef<uint64_t> path) {
  for (size_t i = 0; i < path.size(); ++i) {
    const MicroOp &op = m_ops[m_wave.next];
    if (op.inst->pc != path[i])
      return;
    if (i + 1 < path.size())
      decide(op, path[i + 1]);
    uint64_t exec = m_wave.exec();
    m_run.steps.push_back({path[i], exec});
    runSteps(m_wave, 1);
    if (!recover(op))
      return;
    keepLanes(exec);
  }
}

/// Other waves do not exist for it.
DirectedRun gcn::leadFirstWave(Launch &launch, ArrayRef<uint64_t> path, bool sanitize) {
  DirectedRun run;
  CohortMemory memory(launch.memory(), scratchRange(), 1, /*overlaid=*/false);
  const uint32_t first[3] = {0, 0, 0};
  Workgroup group = launch.makeGroup(0);
  group.memory = &memory.ofGroup(0);
  group.waveCount = 1;
  group.sanitize = sanitize;
  std::unique_ptr<Wave> wave = launch.makeWave(group, 0, first);
  Leader(*wave, run).lead(path);
  run.reports = std::move(group.reports);
  return run;
}

/// Runs the first dispatch of the case only.
Expected<DirectedRun> gcn::runDirected(const Case &input, const Artifact &artifact,
                                       const TargetInfo &target, ArrayRef<uint64_t> path,
                                       bool sanitize) {
  Expected<CodeImage> image = loadCode(artifact, target);
  if (!image)
    return image.takeError();
  std::vector<uint64_t> addresses = placeBuffers(input);
  DirectedRun run;
  Expected<Outcome> outcome = runCommands(
      input,
      [&](const Dispatch &command, std::vector<BufferState> &buffers, Outcome &) -> Expected<bool> {
        const CasePipeline &pipeline = input.pipelines[command.pipeline];
        auto descriptors =
            makeDescriptors(input, pipeline, addresses, target.major, image->launch.hasPlanarLines);
        if (!descriptors)
          return descriptors.takeError();
        Launch launch(*image, target, pipeline, *descriptors, command.groups, buffers, /*seed=*/0);
        run = leadFirstWave(launch, path, sanitize);
        return false;
      },
      [&](unsigned buffer) { return addresses[buffer]; });
  if (!outcome)
    return outcome.takeError();
  return run;
}
