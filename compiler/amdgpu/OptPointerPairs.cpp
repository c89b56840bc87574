// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/amdgpu/OptPointerPairs.h"

#include "compiler/amdgpu/InsertPass.h"
#include "llvm/CodeGen/MachineFunctionPass.h"
#include "llvm/CodeGen/MachineInstrBuilder.h"
#include "llvm/CodeGen/MachineRegisterInfo.h"
#include "llvm/CodeGen/TargetInstrInfo.h"
#include "llvm/CodeGen/TargetOpcodes.h"
#include "llvm/CodeGen/TargetSubtargetInfo.h"

using namespace llvm;
using namespace assay;

namespace {
class OptPointerPairs : public MachineFunctionPass {
public:
  OptPointerPairs() : MachineFunctionPass(ID) {}

  bool runOnMachineFunction(MachineFunction &function) override;
  void getAnalysisUsage(AnalysisUsage &usage) const override {
    usage.setPreservesCFG();
    MachineFunctionPass::getAnalysisUsage(usage);
  }
  StringRef getPassName() const override { return "Optimize pointer pairs"; }

private:
  static char ID;
};
} // namespace

char OptPointerPairs::ID = 0;

/// Whether \p instruction is REG_SEQUENCE LOW, sub0, COUNTER.sub1, sub1, where COUNTER is the
/// result of s_getpc_b64 and the whole result of both has 64 bits.
static bool isPairWithCounter(const MachineInstr &instruction,
                              const MachineRegisterInfo &registers) {
  if (!instruction.isRegSequence() || instruction.getNumOperands() != 5)
    return false;
  const MachineOperand &high = instruction.getOperand(3);
  if (!high.getReg().isVirtual() || high.getSubReg() != instruction.getOperand(4).getImm())
    return false;
  const MachineInstr *counter = registers.getUniqueVRegDef(high.getReg());
  return counter && amdgpu::nameOf(*counter) == "S_GETPC_B64_pseudo";
}

/// Replaces each such pair by an INSERT_SUBREG of the low half into the counter.
bool OptPointerPairs::runOnMachineFunction(MachineFunction &function) {
  const TargetInstrInfo &info = *function.getSubtarget().getInstrInfo();
  MachineRegisterInfo &registers = function.getRegInfo();
  bool changed = false;
  for (MachineBasicBlock &block : function)
    for (MachineInstr &pair : make_early_inc_range(block)) {
      if (!isPairWithCounter(pair, registers))
        continue;
      Register counter = pair.getOperand(3).getReg();
      BuildMI(block, pair, pair.getDebugLoc(), info.get(TargetOpcode::INSERT_SUBREG),
              pair.getOperand(0).getReg())
          .addReg(counter)
          .add(pair.getOperand(1))
          .addImm(pair.getOperand(2).getImm());
      registers.clearKillFlags(counter);
      pair.eraseFromParent();
      changed = true;
    }
  return changed;
}

void amdgpu::optPointerPairs() {
  insertPassAfter("peephole-opt", []() -> FunctionPass * { return new OptPointerPairs(); });
}
