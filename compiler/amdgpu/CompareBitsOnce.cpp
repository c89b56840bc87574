// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/amdgpu/CompareBitsOnce.h"

#include "compiler/amdgpu/InsertPass.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/CodeGen/MachineFunctionPass.h"
#include "llvm/CodeGen/MachineInstrBuilder.h"
#include "llvm/CodeGen/MachineRegisterInfo.h"
#include "llvm/CodeGen/TargetInstrInfo.h"
#include "llvm/CodeGen/TargetSubtargetInfo.h"

using namespace llvm;
using namespace assay;

namespace {
/// Works on virtual registers in SSA form.
class CompareBitsOnce : public MachineFunctionPass {
public:
  CompareBitsOnce() : MachineFunctionPass(ID) {}

  bool runOnMachineFunction(MachineFunction &function) override;
  void getAnalysisUsage(AnalysisUsage &usage) const override {
    usage.setPreservesCFG();
    MachineFunctionPass::getAnalysisUsage(usage);
  }
  StringRef getPassName() const override { return "Compare masked bits once"; }

private:
  static char ID;
};
} // namespace

char CompareBitsOnce::ID = 0;

/// The result of an S_AND of the same block that \p instruction compares; none where it does not.
/// What is in other blocks is no affair of the optimiser.
static Register findComparedBits(const MachineRegisterInfo &registers,
                                 const MachineInstr &instruction) {
  if (!amdgpu::nameOf(instruction).starts_with("S_CMP_"))
    return {};
  for (const MachineOperand &operand : instruction.explicit_uses()) {
    const MachineInstr *definition = operand.isReg() && operand.getReg().isVirtual()
                                         ? registers.getUniqueVRegDef(operand.getReg())
                                         : nullptr;
    if (definition && definition->getParent() == instruction.getParent() &&
        amdgpu::nameOf(*definition).starts_with("S_AND_B"))
      return operand.getReg();
  }
  return {};
}

/// Makes \p compare look at a copy of \p bits.
static void compareCopy(const TargetInstrInfo &info, MachineRegisterInfo &registers,
                        MachineInstr &compare, Register bits) {
  Register copy = registers.createVirtualRegister(registers.getRegClass(bits));
  BuildMI(*compare.getParent(), compare, compare.getDebugLoc(), info.get(TargetOpcode::COPY), copy)
      .addReg(bits);
  registers.clearKillFlags(bits);
  for (MachineOperand &operand : compare.uses())
    if (operand.isReg() && operand.getReg() == bits)
      operand.setReg(copy);
}

/// Leaves the first comparison of each result alone; all later ones compare a copy.
bool CompareBitsOnce::runOnMachineFunction(MachineFunction &function) {
  const TargetInstrInfo &info = *function.getSubtarget().getInstrInfo();
  MachineRegisterInfo &registers = function.getRegInfo();
  DenseSet<Register> compared;
  bool hasChanged = false;
  for (MachineBasicBlock &block : function)
    for (MachineInstr &instruction : block) {
      Register bits = findComparedBits(registers, instruction);
      if (!bits || compared.insert(bits).second)
        continue;
      compareCopy(info, registers, instruction, bits);
      hasChanged = true;
    }
  return hasChanged;
}

void amdgpu::compareBitsOnce() {
  insertPassAfter("machine-sink", []() -> FunctionPass * { return new CompareBitsOnce(); });
}
