// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/amdgpu/KeepLoadsBeforeFences.h"

#include "compiler/amdgpu/InsertPass.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/CodeGen/MachineFunctionPass.h"
#include "llvm/CodeGen/MachineInstrBuilder.h"
#include "llvm/CodeGen/TargetInstrInfo.h"
#include "llvm/CodeGen/TargetSubtargetInfo.h"
#include "llvm/IR/InlineAsm.h"

using namespace llvm;
using namespace assay;

/// The text of the inline assembly between the two passes: a comment.
static constexpr char markText[] = "; no load moves on";

namespace {
/// What the two passes have in common: they change no branch.
class FencePass : public MachineFunctionPass {
public:
  using MachineFunctionPass::MachineFunctionPass;

  void getAnalysisUsage(AnalysisUsage &usage) const override {
    usage.setPreservesAll();
    MachineFunctionPass::getAnalysisUsage(usage);
  }
};

/// Puts a mark in front of each fence.
class MarkFences : public FencePass {
public:
  MarkFences() : FencePass(ID) {}

  bool runOnMachineFunction(MachineFunction &function) override;
  StringRef getPassName() const override { return "Keep loads before fences"; }

private:
  static char ID;
};

/// Removes the marks.
class UnmarkFences : public FencePass {
public:
  UnmarkFences() : FencePass(ID) {}

  bool runOnMachineFunction(MachineFunction &function) override;
  StringRef getPassName() const override { return "Forget what kept loads before fences"; }

private:
  static char ID;
};
} // namespace

char MarkFences::ID = 0;
char UnmarkFences::ID = 0;

/// Puts an empty assembler statement with memory effects in front of each fence.
bool MarkFences::runOnMachineFunction(MachineFunction &function) {
  const TargetInstrInfo &info = *function.getSubtarget().getInstrInfo();
  bool hasFences = false;
  for (MachineBasicBlock &block : function)
    for (MachineInstr &instruction : block) {
      if (amdgpu::nameOf(instruction) != "ATOMIC_FENCE")
        continue;
      BuildMI(block, instruction, instruction.getDebugLoc(), info.get(TargetOpcode::INLINEASM))
          .addExternalSymbol(markText)
          .addImm(InlineAsm::Extra_HasSideEffects | InlineAsm::Extra_MayLoad |
                  InlineAsm::Extra_MayStore);
      hasFences = true;
    }
  return hasFences;
}

/// Removes the statements of MarkFences.
bool UnmarkFences::runOnMachineFunction(MachineFunction &function) {
  bool hasMarks = false;
  for (MachineBasicBlock &block : function)
    for (MachineInstr &instruction : make_early_inc_range(block))
      if (instruction.isInlineAsm() &&
          StringRef(instruction.getOperand(InlineAsm::MIOp_AsmString).getSymbolName()) ==
              markText) {
        instruction.eraseFromParent();
        hasMarks = true;
      }
  return hasMarks;
}

void amdgpu::keepLoadsBeforeFences() {
  // The first of LLVM's passes that stands once in the pipeline, before code sinking, and only
  // where it optimises.
  insertPassAfter("opt-phis", []() -> FunctionPass * { return new MarkFences(); });
  insertPassAfter("machine-sink", []() -> FunctionPass * { return new UnmarkFences(); });
}
