// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Computations of whole waves. LLVM marks what strict.wwm depends on and does it with all lanes of
// the wave (LLVM's AMDGPUUsage, llvm.amdgcn.strict.wwm); here it is done a second time, with
// lanes made for those that do not run.
#include "oracles/machine/ir/Calls.h"
#include "oracles/machine/ir/WaveRun.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsAMDGPU.h"

using namespace llvm;
using namespace assay;
using namespace assay::irm;
using ir::Inst;
using ir::Lane;
using ir::Scalar;

/// Whether \p instruction chooses the value of inactive lanes.
static bool isSetInactive(const Instruction &instruction) {
  const auto *call = dyn_cast<IntrinsicInst>(&instruction);
  return call && call->getIntrinsicID() == Intrinsic::amdgcn_set_inactive;
}

/// Whether a lane that does not run can do it: it has neither memory nor a way through blocks.
static bool isOfWholeWave(const Instruction &instruction) {
  return !isa<PHINode>(instruction) && !instruction.mayReadOrWriteMemory() &&
         !instruction.isTerminator();
}

/// What leads to \p instruction's operand, in the order of the program.
static std::vector<const Inst *> collectChain(const ir::Code &code,
                                              const Instruction &instruction) {
  SetVector<const Instruction *> chain;
  auto addOperands = [&](const Instruction &user) {
    for (const Value *operand : user.operands())
      if (const auto *source = dyn_cast<Instruction>(operand); source && isOfWholeWave(*source))
        chain.insert(source);
  };
  addOperands(instruction);
  for (size_t i = 0; i < chain.size(); ++i)
    if (!isSetInactive(*chain[i]))
      addOperands(*chain[i]);
  std::vector<const Inst *> insts;
  for (const Inst &inst : code.insts)
    if (chain.contains(inst.ir))
      insts.push_back(&inst);
  return insts;
}

namespace {
/// All lanes of a wave: those of the group, and others that have nothing but their number and, in
/// what is the same for all lanes, the values of the first one.
class WholeWave {
public:
  /// Makes a lane for each lane of the wave that does not run, with uniform values from the first
  /// running one and poison for all others.
  WholeWave(ir::Machine &machine, const ir::Code &code) {
    const Lane &first = *machine.group().front();
    m_others.resize(machine.laneCount());
    m_slots.resize(machine.laneCount());
    for (Lane *lane : machine.group())
      m_lanes.push_back(lane);
    for (unsigned number = 0; number < machine.laneCount(); ++number) {
      if (any_of(machine.group(), [&](const Lane *lane) { return lane->number == number; }))
        continue;
      m_slots[number].assign(code.slots, Scalar{APInt(1, 0), true});
      copyUniform(code, first, m_slots[number]);
      m_others[number].number = number;
      m_others[number].slots = m_slots[number].data();
      m_lanes.push_back(&m_others[number]);
    }
    sort(m_lanes, [](const Lane *a, const Lane *b) { return a->number < b->number; });
  }

  ArrayRef<Lane *> lanes() const { return m_lanes; }
  bool isOther(const Lane &lane) const { return !m_slots[lane.number].empty(); }

private:
  /// Copies the parameters in SGPRs from \p first to the slots of another lane.
  static void copyUniform(const ir::Code &code, const Lane &first, std::vector<Scalar> &slots) {
    for (auto [argument, operand] : zip_equal(code.function->args(), code.parameters))
      if (argument.hasInRegAttr())
        std::copy_n(first.slots + operand.slot, operand.count, slots.begin() + operand.slot);
  }

  std::vector<Lane> m_others;
  std::vector<std::vector<Scalar>> m_slots; ///< By lane; empty for those of the group.
  SmallVector<Lane *, 64> m_lanes;
};
} // namespace

/// Runs the chain for all lanes, then copies the operand to the result in the active lanes.
/// set.inactive takes operand 1 in lanes that do not run.
void irm::runWholeWave(ir::Machine &machine, const Inst &inst) {
  const ir::Code &code = *machine.group().front()->top().code;
  WholeWave wave(machine, code);
  const Lane &first = *machine.group().front();
  for (const Inst *each : collectChain(code, *inst.ir)) {
    if (!isSetInactive(*each->ir)) {
      machine.runFor(wave.lanes(), *each);
      continue;
    }
    for (Lane *lane : wave.lanes())
      std::copy_n(wave.isOther(*lane) ? first.get(each->operands[1]) : lane->get(each->operands[0]),
                  each->count, lane->slots + each->slot);
  }
  for (Lane *lane : machine.group())
    std::copy_n(lane->get(inst.operands[0]), inst.count, lane->slots + inst.slot);
}
