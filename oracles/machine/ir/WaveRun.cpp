// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/machine/ir/WaveRun.h"

#include "oracles/ir/ExecutionLog.h"
#include "oracles/machine/ir/Calls.h"
#include "llvm/ADT/bit.h"
#include "llvm/IR/IntrinsicsAMDGPU.h"

using namespace llvm;
using namespace assay;
using namespace assay::irm;

/// Begins the entry point with the active lanes of the wave; they are numbered from 0 without gaps.
/// \p stage is null for compute.
WaveRun::WaveRun(DispatchFacts &facts, std::unique_ptr<gcn::Wave> wave,
                 std::array<uint32_t, 3> group, ir::Memory &memory, const ir::RunLimits &limits,
                 StageWave *stage)
    : m_facts(facts), m_wave(std::move(wave)), m_group(group), m_stage(stage),
      m_machine(std::make_unique<ir::Machine>(*facts.image.entry, memory, limits, this)) {
  std::vector<std::vector<ir::Value>> arguments;
  unsigned lanes = static_cast<unsigned>(llvm::popcount(m_wave->exec()));
  for (unsigned lane = 0; lane < lanes; ++lane)
    arguments.push_back(makeArguments(lane));
  m_machine->begin(arguments);
}

/// Lanes are numbered in x, then y, then z.
std::array<uint32_t, 3> WaveRun::localId(unsigned lane) const {
  const auto &threads = m_facts.launch().threads;
  unsigned thread = m_wave->number * waveSize() + lane;
  return {thread % threads[0], thread / threads[0] % threads[1],
          thread / (threads[0] * threads[1])};
}

/// LLVM gives SGPRs to the parameters that are inreg, a dword each and in their order, VGPRs to the
/// others (AMDGPUUsage, "Calling conventions": amdgpu_cs).
std::vector<ir::Value> WaveRun::makeArguments(unsigned lane) const {
  std::vector<ir::Value> arguments;
  unsigned nextScalar = 0, nextVector = 0;
  for (const Argument &argument : m_facts.image.entry->args()) {
    Type *type = argument.getType();
    unsigned bits = type->getScalarSizeInBits();
    auto *vector = dyn_cast<FixedVectorType>(type);
    ir::Value value;
    for (unsigned i = 0; i < (vector ? vector->getNumElements() : 1); ++i) {
      uint32_t dword = argument.hasInRegAttr()         ? m_wave->s[nextScalar++]
                       : nextVector < m_wave->v.size() ? m_wave->v[nextVector++][lane]
                                                       : 0;
      value.push_back({APInt(bits, dword, false, /*implicitTrunc=*/true)});
    }
    arguments.push_back(std::move(value));
  }
  return arguments;
}

/// Nothing after the wave has returned.
std::optional<LastInstruction> WaveRun::stoppedAt() const {
  const ir::Inst *inst = m_machine->current();
  if (!inst || m_machine->group().empty())
    return std::nullopt;
  return LastInstruction{inst->ir, m_group, number(), m_machine->group().front()->number};
}

/// The number of lane 0 among all threads of the dispatch, for the log.
uint64_t WaveRun::firstThread() const {
  return ir::threadOf(m_group, number(), /*lane=*/0);
}

/// Notes the write if it covers the watched byte.
void WaveRun::didWrite(const ir::Inst &inst, const ir::Lane &lane, uint64_t address,
                       uint64_t bytes) const {
  if (m_facts.watch && *m_facts.watch - address < bytes)
    m_facts.lastWrite = {inst.ir, m_group, number(), lane.number};
}

/// Null for functions whose meaning is not known.
ir::Handler WaveRun::findCall(const Function &callee) const {
  // Of stages, what other passes have lowered are stores to the attribute ring.
  if (m_stage && callee.getIntrinsicID() == Intrinsic::amdgcn_struct_buffer_store)
    return runRingStore;
  return findCallHandler(callee);
}

/// Only terminate.invocation does.
bool WaveRun::endsLanes(const Function &callee) const {
  StringRef name = callee.getName();
  return name.consume_front("lgc.") && name == terminateOp;
}
