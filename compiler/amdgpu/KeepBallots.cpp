// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/amdgpu/KeepBallots.h"

#include "compiler/amdgpu/InsertPass.h"
#include "llvm/CodeGen/LiveIntervals.h"
#include "llvm/CodeGen/MachineFunctionPass.h"
#include "llvm/CodeGen/MachineInstrBuilder.h"
#include "llvm/CodeGen/MachineRegisterInfo.h"
#include "llvm/CodeGen/TargetInstrInfo.h"
#include "llvm/CodeGen/TargetSubtargetInfo.h"

using namespace llvm;
using namespace assay;

namespace {
/// Keeps the live intervals up to date, as it runs in the middle of register allocation.
class KeepBallots : public MachineFunctionPass {
public:
  KeepBallots() : MachineFunctionPass(ID) {}

  bool runOnMachineFunction(MachineFunction &function) override;
  void getAnalysisUsage(AnalysisUsage &usage) const override {
    usage.addRequired<LiveIntervalsWrapperPass>();
    usage.setPreservesAll();
    MachineFunctionPass::getAnalysisUsage(usage);
  }
  StringRef getPassName() const override { return "Keep ballots"; }

private:
  static char ID;
};
} // namespace

char KeepBallots::ID = 0;

/// The value for active lanes of \p instruction where that is a half of EXEC, else none.
static MachineOperand *findActiveLanes(MachineInstr &instruction) {
  if (amdgpu::nameOf(instruction) != "V_SET_INACTIVE_B32")
    return nullptr;
  const MachineFunction &function = *instruction.getMF();
  const TargetRegisterInfo &registers = *function.getSubtarget().getRegisterInfo();
  MachineOperand &active = instruction.getOperand(2); // After the result and its modifiers.
  if (!active.isReg() || !active.getReg().isPhysical() ||
      !StringRef(registers.getName(active.getReg())).starts_with("EXEC"))
    return nullptr;
  return &active;
}

/// Makes \p active a register that \p copy, a scalar move, writes in front of its instruction.
static void copyInFront(MachineOperand &active, const TargetInstrInfo &info,
                        const MCInstrDesc &copy, LiveIntervals &intervals) {
  MachineInstr &user = *active.getParent();
  MachineRegisterInfo &registers = user.getMF()->getRegInfo();
  Register lanes = registers.createVirtualRegister(info.getRegClass(copy, 0));
  MachineInstr *made =
      BuildMI(*user.getParent(), user, user.getDebugLoc(), copy, lanes).addReg(active.getReg());
  active.setReg(lanes);
  intervals.InsertMachineInstrInMaps(*made);
  intervals.createAndComputeVirtRegInterval(lanes);
}

/// Returns whether a copy was made. S_MOV_B32 is looked up at the first use only, since the search
/// is slow.
bool KeepBallots::runOnMachineFunction(MachineFunction &function) {
  const TargetInstrInfo &info = *function.getSubtarget().getInstrInfo();
  const MCInstrDesc *copy = nullptr;
  for (MachineBasicBlock &block : function)
    for (MachineInstr &instruction : block) {
      MachineOperand *active = findActiveLanes(instruction);
      if (!active)
        continue;
      if (!copy)
        copy = &amdgpu::findOpcode(info, "S_MOV_B32");
      copyInFront(*active, info, *copy, getAnalysis<LiveIntervalsWrapperPass>().getLIS());
    }
  return copy;
}

void amdgpu::keepBallots() {
  insertPassAfter("register-coalescer", []() -> FunctionPass * { return new KeepBallots(); });
}
