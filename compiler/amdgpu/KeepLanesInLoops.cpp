// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/amdgpu/KeepLanesInLoops.h"

#include "compiler/amdgpu/InsertPass.h"
#include "llvm/CodeGen/LiveIntervals.h"
#include "llvm/CodeGen/MachineCycleAnalysis.h"
#include "llvm/CodeGen/MachineDominators.h"
#include "llvm/CodeGen/MachineFunctionPass.h"
#include "llvm/CodeGen/MachineRegisterInfo.h"
#include "llvm/CodeGen/TargetInstrInfo.h"
#include "llvm/CodeGen/TargetSubtargetInfo.h"

using namespace llvm;
using namespace assay;

namespace {
/// Runs with or without live intervals, and keeps them up to date where there are any.
class KeepLanesInLoops : public MachineFunctionPass {
public:
  KeepLanesInLoops() : MachineFunctionPass(ID) {}

  bool runOnMachineFunction(MachineFunction &function) override;
  void getAnalysisUsage(AnalysisUsage &usage) const override {
    usage.setPreservesAll();
    MachineFunctionPass::getAnalysisUsage(usage);
  }
  StringRef getPassName() const override { return "Keep lanes of spilled scalars in loops"; }

private:
  void move(MachineInstr &begin, MachineBasicBlock &to);

  static char ID;
};
} // namespace

char KeepLanesInLoops::ID = 0;

/// The IMPLICIT_DEFs of \p function that begin registers with lanes of spilled scalars.
static SmallVector<MachineInstr *, 4> findBegins(MachineFunction &function) {
  const MachineRegisterInfo &registers = function.getRegInfo();
  SmallVector<MachineInstr *, 4> begins;
  for (MachineBasicBlock &block : function)
    for (MachineInstr &instruction : block) {
      if (!instruction.isImplicitDef() || !instruction.getOperand(0).getReg().isVirtual())
        continue;
      Register lanes = instruction.getOperand(0).getReg();
      if (any_of(registers.use_nodbg_instructions(lanes), [&](const MachineInstr &use) {
            return amdgpu::nameOf(use) == "SI_RESTORE_S32_FROM_VGPR";
          }))
        begins.push_back(&instruction);
    }
  return begins;
}

/// Moves \p begin to the end of \p to, in front of its terminators.
void KeepLanesInLoops::move(MachineInstr &begin, MachineBasicBlock &to) {
  auto *wrapper = getAnalysisIfAvailable<LiveIntervalsWrapperPass>();
  LiveIntervals *intervals = wrapper ? &wrapper->getLIS() : nullptr;
  Register lanes = begin.getOperand(0).getReg();
  if (intervals)
    intervals->RemoveMachineInstrFromMaps(begin);
  begin.removeFromParent();
  to.insert(to.getFirstTerminator(), &begin);
  if (!intervals)
    return;
  intervals->InsertMachineInstrInMaps(begin);
  intervals->removeInterval(lanes);
  intervals->createAndComputeVirtRegInterval(lanes);
}

/// Moves each IMPLICIT_DEF up the dominator tree to the first block outside of all cycles, also of
/// irreducible ones.
bool KeepLanesInLoops::runOnMachineFunction(MachineFunction &function) {
  SmallVector<MachineInstr *, 4> begins = findBegins(function);
  if (begins.empty())
    return false;
  MachineDominatorTree dominators(function);
  MachineCycleInfo cycles;
  cycles.compute(function);
  bool hasMoved = false;
  for (MachineInstr *begin : begins) {
    MachineBasicBlock *to = begin->getParent();
    while (cycles.getCycle(to)) // The entry block is in none.
      to = dominators.getNode(to)->getIDom()->getBlock();
    if (to == begin->getParent())
      continue;
    move(*begin, *to);
    hasMoved = true;
  }
  return hasMoved;
}

void amdgpu::keepLanesInLoops() {
  insertPassAfter("si-lower-sgpr-spills",
                  []() -> FunctionPass * { return new KeepLanesInLoops(); });
}
