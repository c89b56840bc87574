// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/amdgpu/RestoreLanesFirst.h"

#include "compiler/amdgpu/InsertPass.h"
#include "llvm/CodeGen/MachineFunctionPass.h"
#include "llvm/CodeGen/MachineRegisterInfo.h"
#include "llvm/CodeGen/TargetInstrInfo.h"
#include "llvm/CodeGen/TargetSubtargetInfo.h"

using namespace llvm;
using namespace assay;

namespace {
class RestoreLanesFirst : public MachineFunctionPass {
public:
  RestoreLanesFirst() : MachineFunctionPass(ID) {}

  bool runOnMachineFunction(MachineFunction &function) override;
  void getAnalysisUsage(AnalysisUsage &usage) const override {
    usage.setPreservesCFG();
    MachineFunctionPass::getAnalysisUsage(usage);
  }
  StringRef getPassName() const override { return "Restore lanes first"; }

private:
  static char ID;
};
} // namespace

char RestoreLanesFirst::ID = 0;

/// True where control comes from the loop around an access by resources that differ from lane to
/// lane, which SIInstrInfo makes.
static bool isAfterWaterfall(const MachineBasicBlock &block) {
  return any_of(block.predecessors(), [](const MachineBasicBlock *from) {
    return any_of(from->terminators(), [](const MachineInstr &end) {
      return amdgpu::nameOf(end) == "SI_WATERFALL_LOOP";
    });
  });
}

/// True for s_mov of a virtual register to EXEC.
static bool setsLanes(const MachineInstr &instruction) {
  const MachineFunction &function = *instruction.getMF();
  const TargetRegisterInfo &registers = *function.getSubtarget().getRegisterInfo();
  if (!amdgpu::nameOf(instruction).starts_with("S_MOV_B") || !instruction.getOperand(1).isReg())
    return false;
  Register to = instruction.getOperand(0).getReg(), from = instruction.getOperand(1).getReg();
  return to.isPhysical() && from.isVirtual() &&
         StringRef(registers.getName(to)).starts_with("EXEC");
}

namespace {
/// An instruction that turns lanes on again, and the mask that it takes them from.
struct Restore {
  MachineInstr *instruction;
  Register mask;
};
} // namespace

/// What turns on lanes again in \p block, in order.
static SmallVector<Restore, 2> findRestores(MachineBasicBlock &block) {
  bool afterWaterfall = isAfterWaterfall(block);
  SmallVector<Restore, 2> restores;
  for (MachineInstr &instruction : block) {
    if (amdgpu::nameOf(instruction) == "SI_END_CF")
      restores.push_back({&instruction, instruction.getOperand(0).getReg()});
    else if (afterWaterfall && setsLanes(instruction))
      restores.push_back({&instruction, instruction.getOperand(1).getReg()});
  }
  return restores;
}

/// Moves each restore to \p to, which starts after the PHIs. A restore whose mask is computed in
/// its block stays in place, and the following ones are moved after it.
bool RestoreLanesFirst::runOnMachineFunction(MachineFunction &function) {
  const MachineRegisterInfo &registers = function.getRegInfo();
  bool hasMoved = false;
  for (MachineBasicBlock &block : function) {
    MachineBasicBlock::iterator to = block.getFirstNonPHI();
    for (const Restore &restore : findRestores(block)) {
      const MachineInstr *mask = registers.getVRegDef(restore.mask);
      bool isMadeHere = mask && mask->getParent() == &block && !mask->isPHI();
      if (&*to == restore.instruction || isMadeHere) {
        to = std::next(restore.instruction->getIterator());
        continue;
      }
      block.splice(to, &block, restore.instruction->getIterator());
      hasMoved = true;
    }
  }
  return hasMoved;
}

void amdgpu::restoreLanesFirst() {
  insertPassAfter("finalize-isel", []() -> FunctionPass * { return new RestoreLanesFirst(); });
}
