// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/amdgpu/WaitForOwnCounters.h"

#include "compiler/amdgpu/InsertPass.h"
#include "llvm-c/Target.h"
#include "llvm/CodeGen/MachineFunctionPass.h"
#include "llvm/CodeGen/TargetSubtargetInfo.h"
#include "llvm/MC/MCAsmInfo.h"
#include "llvm/MC/MCContext.h"
#include "llvm/MC/MCInst.h"
#include "llvm/MC/MCInstrInfo.h"
#include "llvm/MC/MCObjectFileInfo.h"
#include "llvm/MC/MCParser/MCAsmParser.h"
#include "llvm/MC/MCParser/MCTargetAsmParser.h"
#include "llvm/MC/MCRegisterInfo.h"
#include "llvm/MC/MCStreamer.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/MCTargetOptions.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/SourceMgr.h"
#include <optional>

using namespace llvm;
using namespace assay;

/// Of the operand of s_waitcnt_depctr: do not wait for hold_cnt. GFX10.1 must have 0 there.
static constexpr int64_t holdCount = 1 << 7;

namespace {
class WaitForOwnCounters : public MachineFunctionPass {
public:
  WaitForOwnCounters() : MachineFunctionPass(ID) {}

  bool runOnMachineFunction(MachineFunction &function) override;
  void getAnalysisUsage(AnalysisUsage &usage) const override {
    usage.setPreservesCFG();
    MachineFunctionPass::getAnalysisUsage(usage);
  }
  StringRef getPassName() const override { return "Wait for counters of the own target"; }

private:
  static char ID;
};

/// Keeps the immediate operand of the one instruction that it gets.
class ImmediateTaker : public MCStreamer {
public:
  explicit ImmediateTaker(MCContext &context) : MCStreamer(context) {}

  std::optional<int64_t> immediate;

  void emitInstruction(const MCInst &instruction, const MCSubtargetInfo & /*target*/) override {
    immediate = instruction.getOperand(0).getImm();
  }
  bool emitSymbolAttribute(MCSymbol * /*symbol*/, MCSymbolAttr /*attribute*/) override {
    return true;
  }
  void emitCommonSymbol(MCSymbol * /*symbol*/, uint64_t /*size*/, Align /*alignment*/) override {}
};
} // namespace

char WaitForOwnCounters::ID = 0;

/// Clears the bit in every s_waitcnt_depctr of GFX10.1, those in bundles included.
bool WaitForOwnCounters::runOnMachineFunction(MachineFunction &function) {
  if (!function.getSubtarget().getCPU().starts_with("gfx101"))
    return false;
  bool hasChanged = false;
  for (MachineBasicBlock &block : function)
    for (MachineInstr &instruction : block.instrs()) {
      if (amdgpu::nameOf(instruction) != "S_WAITCNT_DEPCTR")
        continue;
      MachineOperand &waits = instruction.getOperand(0);
      waits.setImm(waits.getImm() & ~holdCount);
      hasChanged = true;
    }
  return hasChanged;
}

/// The operand of the s_waitcnt_depctr \p text as \p target's assembler parses it for GFX10.3.
static std::optional<int64_t> parseWait(const Target &target, const Triple &triple,
                                        StringRef text) {
  MCTargetOptions options;
  std::unique_ptr<MCRegisterInfo> registers(target.createMCRegInfo(triple));
  std::unique_ptr<MCAsmInfo> syntax(target.createMCAsmInfo(*registers, triple, options));
  std::unique_ptr<MCInstrInfo> instructions(target.createMCInstrInfo());
  std::unique_ptr<MCSubtargetInfo> subtarget(target.createMCSubtargetInfo(triple, "gfx1030", ""));
  SourceMgr sources;
  sources.AddNewSourceBuffer(MemoryBuffer::getMemBuffer(text), SMLoc());
  MCContext context(triple, syntax.get(), registers.get(), subtarget.get(), &sources);
  std::unique_ptr<MCObjectFileInfo> file(target.createMCObjectFileInfo(context, /*PIC=*/true));
  context.setObjectFileInfo(file.get());
  ImmediateTaker taker(context);
  std::unique_ptr<MCAsmParser> parser(createMCAsmParser(sources, context, taker, *syntax));
  std::unique_ptr<MCTargetAsmParser> targetParser(
      target.createMCAsmParser(*subtarget, *parser, *instructions, options));
  parser->setTargetParser(*targetParser);
  if (parser->Run(/*NoInitialTextSection=*/false))
    return std::nullopt;
  return taker.immediate;
}

/// Takes the encoding of the wait from LLVM's assembler, and is fatal where it is not as expected.
void amdgpu::waitForOwnCounters() {
  LLVMInitializeAMDGPUAsmParser();
  Triple triple("amdgcn--amdpal");
  std::string problem;
  const Target *target = TargetRegistry::lookupTarget(triple, problem);
  std::optional<int64_t> waits =
      target ? parseWait(*target, triple, "s_waitcnt_depctr depctr_sa_sdst(0)\n") : std::nullopt;
  if (!waits || !(*waits & holdCount))
    report_fatal_error("LLVM 22 waits for counters of another target");
  insertPassAfter("post-RA-hazard-rec",
                  []() -> FunctionPass * { return new WaitForOwnCounters(); });
}
