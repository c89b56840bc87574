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

/// The SI_END_CFs of \p block, in order. Targets keep the numbers of their opcodes to themselves;
/// the names are public.
static SmallVector<MachineInstr *, 2> findEnds(MachineBasicBlock &block) {
  const TargetInstrInfo &info = *block.getParent()->getSubtarget().getInstrInfo();
  SmallVector<MachineInstr *, 2> ends;
  for (MachineInstr &instruction : block)
    if (info.getName(instruction.getOpcode()) == "SI_END_CF")
      ends.push_back(&instruction);
  return ends;
}

bool RestoreLanesFirst::runOnMachineFunction(MachineFunction &function) {
  const MachineRegisterInfo &registers = function.getRegInfo();
  bool hasMoved = false;
  for (MachineBasicBlock &block : function) {
    MachineBasicBlock::iterator to = block.getFirstNonPHI();
    for (MachineInstr *end : findEnds(block)) {
      const MachineInstr *mask = registers.getVRegDef(end->getOperand(0).getReg());
      bool isMadeHere = mask && mask->getParent() == &block && !mask->isPHI();
      if (&*to == end || isMadeHere) {
        to = std::next(end->getIterator());
        continue;
      }
      block.splice(to, &block, end->getIterator());
      hasMoved = true;
    }
  }
  return hasMoved;
}

void amdgpu::restoreLanesFirst() {
  insertPassBehind("finalize-isel", []() -> FunctionPass * { return new RestoreLanesFirst(); });
}
