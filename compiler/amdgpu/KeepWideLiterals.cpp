// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/amdgpu/KeepWideLiterals.h"

#include "compiler/amdgpu/InsertPass.h"
#include "llvm/CodeGen/MachineFunctionPass.h"
#include "llvm/CodeGen/TargetInstrInfo.h"
#include "llvm/CodeGen/TargetSubtargetInfo.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;
using namespace assay;

namespace {
class KeepWideLiterals : public MachineFunctionPass {
public:
  KeepWideLiterals() : MachineFunctionPass(ID) {}

  bool runOnMachineFunction(MachineFunction &function) override;
  void getAnalysisUsage(AnalysisUsage &usage) const override {
    usage.setPreservesCFG();
    MachineFunctionPass::getAnalysisUsage(usage);
  }
  StringRef getPassName() const override { return "Keep wide literals"; }

private:
  static char ID;
};
} // namespace

char KeepWideLiterals::ID = 0;

/// Whether \p instruction is an s_mov_b64 of a constant that no literal of 32 bits represents: one
/// is extended with zeros. Inline constants may be among them: the pseudo instruction is made one
/// again.
static bool losesItsUpperHalf(const MachineInstr &instruction) {
  if (amdgpu::nameOf(instruction) != "S_MOV_B64" || !instruction.getOperand(1).isImm())
    return false;
  int64_t constant = instruction.getOperand(1).getImm();
  return !isUInt<32>(constant);
}

/// Changes the opcode only: both instructions have the same operands.
bool KeepWideLiterals::runOnMachineFunction(MachineFunction &function) {
  const TargetInstrInfo &info = *function.getSubtarget().getInstrInfo();
  const MCInstrDesc *pseudo = nullptr;
  for (MachineBasicBlock &block : function)
    for (MachineInstr &instruction : block) {
      if (!losesItsUpperHalf(instruction))
        continue;
      if (!pseudo)
        pseudo = &amdgpu::findOpcode(info, "S_MOV_B64_IMM_PSEUDO");
      instruction.setDesc(*pseudo);
    }
  return pseudo;
}

void amdgpu::keepWideLiterals() {
  insertPassAfter("peephole-opt", []() -> FunctionPass * { return new KeepWideLiterals(); });
}
