// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/amdgpu/WaitForInterpolation.h"

#include "compiler/amdgpu/InsertPass.h"
#include "support/Fault.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/CodeGen/MachineFunctionPass.h"
#include "llvm/CodeGen/MachineInstrBuilder.h"
#include "llvm/CodeGen/TargetInstrInfo.h"
#include "llvm/CodeGen/TargetRegisterInfo.h"
#include "llvm/CodeGen/TargetSubtargetInfo.h"

using namespace llvm;
using namespace assay;

namespace {
class WaitForInterpolation : public MachineFunctionPass {
public:
  WaitForInterpolation() : MachineFunctionPass(ID) {}

  bool runOnMachineFunction(MachineFunction &function) override;
  void getAnalysisUsage(AnalysisUsage &usage) const override {
    usage.setPreservesCFG();
    MachineFunctionPass::getAnalysisUsage(usage);
  }
  StringRef getPassName() const override { return "Wait before interpolation of halves"; }

private:
  static char ID;
};
} // namespace

char WaitForInterpolation::ID = 0;

/// Returns whether \p instruction interpolates halves.
static bool interpolatesHalves(const MachineInstr &instruction) {
  StringRef name = amdgpu::nameOf(instruction);
  return name.starts_with("V_INTERP_") && name.contains("F16");
}

/// Returns whether \p instruction is a scalar one that writes M0.
static bool writesAddress(const TargetRegisterInfo &registers, const MachineInstr &instruction) {
  return amdgpu::nameOf(instruction).starts_with("S_") &&
         any_of(instruction.all_defs(), [&](const MachineOperand &def) {
           return def.getReg().isPhysical() && StringRef(registers.getName(def.getReg())) == "M0";
         });
}

/// Returns whether M0 may be written right before the instructions from \p end of \p block on; of
/// an empty block, at the end of one that precedes it. True where too many are empty.
static bool followsWrite(const TargetRegisterInfo &registers, const MachineBasicBlock &block,
                         MachineBasicBlock::const_iterator end, unsigned depth = 0) {
  constexpr unsigned MostEmptyBlocks = 8;
  for (auto at = end; at != block.begin();)
    if (--at; !at->isMetaInstruction())
      return writesAddress(registers, *at);
  if (depth == MostEmptyBlocks)
    return true;
  return any_of(block.predecessors(), [&](const MachineBasicBlock *before) {
    return followsWrite(registers, *before, before->end(), depth + 1);
  });
}

bool WaitForInterpolation::runOnMachineFunction(MachineFunction &function) {
  const TargetSubtargetInfo &target = function.getSubtarget();
  if (!target.getCPU().starts_with("gfx9") || faultPlanted(Fault::InterpolationWait))
    return false;
  bool hasChanged = false;
  for (MachineBasicBlock &block : function)
    for (MachineInstr &instruction : block) {
      if (!interpolatesHalves(instruction) ||
          !followsWrite(*target.getRegisterInfo(), block,
                        MachineBasicBlock::const_iterator(instruction)))
        continue;
      BuildMI(block, instruction, instruction.getDebugLoc(),
              amdgpu::findOpcode(*target.getInstrInfo(), "S_NOP"))
          .addImm(0);
      hasChanged = true;
    }
  return hasChanged;
}

void amdgpu::waitForInterpolation() {
  insertPassAfter("post-RA-hazard-rec",
                  []() -> FunctionPass * { return new WaitForInterpolation(); });
}
