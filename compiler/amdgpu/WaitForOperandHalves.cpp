// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/amdgpu/WaitForOperandHalves.h"

#include "compiler/amdgpu/InsertPass.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/CodeGen/MachineFunctionPass.h"
#include "llvm/CodeGen/MachineInstrBuilder.h"
#include "llvm/CodeGen/TargetInstrInfo.h"
#include "llvm/CodeGen/TargetRegisterInfo.h"
#include "llvm/CodeGen/TargetSubtargetInfo.h"
#include "llvm/Support/MathExtras.h"
#include <optional>
#include <set>

using namespace llvm;
using namespace assay;

/// VALU instructions between the newer writer and the reader, and between the two writers, up to
/// which both results are forwarded (ACO, README-ISA; the same numbers are in LLVM).
static constexpr unsigned maxToReader = 4, maxBetweenWriters = 2;

namespace {
class WaitForOperandHalves : public MachineFunctionPass {
public:
  WaitForOperandHalves() : MachineFunctionPass(ID) {}

  bool runOnMachineFunction(MachineFunction &function) override;
  void getAnalysisUsage(AnalysisUsage &usage) const override {
    usage.setPreservesCFG();
    MachineFunctionPass::getAnalysisUsage(usage);
  }
  StringRef getPassName() const override { return "Wait for halves of operands"; }

private:
  static char ID;
};

/// What is known on the way back from a reader.
struct Walk {
  unsigned valus = 0;             ///< VALU instructions passed.
  std::optional<unsigned> newest; ///< \c valus at the newer writer; of several the farthest one.
  bool sawExec = false;           ///< A SALU write of EXEC is before the newer writer.
  uint64_t left = 0;              ///< Registers whose writers are not found yet, a bit each.

  auto operator<=>(const Walk &) const = default;
};

/// Result of one step back: the walk continues, this path can't be hazardous any more, or it is.
enum class Step { On, Safe, Hazard };
} // namespace

char WaitForOperandHalves::ID = 0;

/// Returns whether \p instruction is a vector instruction; the names of all of them start with V_.
static bool isValu(const MachineInstr &instruction) {
  return amdgpu::nameOf(instruction).starts_with("V_");
}

/// Returns whether \p instruction is a scalar one, memory instructions included.
static bool isSalu(const MachineInstr &instruction) {
  return amdgpu::nameOf(instruction).starts_with("S_");
}

/// True where all VALU instructions before \p instruction have written when it issues: memory
/// instructions and exports, and s_waitcnt_depctr with a va_vdst (bits 15:12) of 0.
static bool waitsForValu(const MachineInstr &instruction) {
  if (amdgpu::nameOf(instruction) == "S_WAITCNT_DEPCTR")
    return (instruction.getOperand(0).getImm() & 0xf000) == 0;
  return instruction.mayLoadOrStore() && !isSalu(instruction) && !isValu(instruction);
}

/// The VGPRs of 32 bits that make up \p reg; none where it is of another kind.
static void addVectorRegisters(const TargetRegisterInfo &registers, Register reg,
                               SmallVectorImpl<MCRegister> &found) {
  for (MCPhysReg part : registers.subregs_inclusive(reg)) {
    StringRef name = registers.getName(part);
    if (name.consume_front("VGPR") && all_of(name, isDigit) && !is_contained(found, part))
      found.push_back(part);
  }
}

/// The VGPRs that \p reader reads where it has an operand of several; else none: LLVM looks at
/// such instructions itself.
static SmallVector<MCRegister, 8> findSources(const TargetRegisterInfo &registers,
                                              const MachineInstr &reader) {
  SmallVector<MCRegister, 8> all;
  bool isWide = false;
  for (const MachineOperand &use : reader.explicit_uses()) {
    if (!use.isReg() || !use.getReg().isPhysical())
      continue;
    SmallVector<MCRegister, 8> own;
    addVectorRegisters(registers, use.getReg(), own);
    isWide |= own.size() > 1;
    addVectorRegisters(registers, use.getReg(), all);
  }
  if (!isWide)
    all.clear();
  return all;
}

/// Returns whether \p instruction writes EXEC or a half of it.
static bool writesExec(const TargetRegisterInfo &registers, const MachineInstr &instruction) {
  return any_of(instruction.all_defs(), [&](const MachineOperand &def) {
    return def.getReg().isPhysical() &&
           StringRef(registers.getName(def.getReg())).starts_with("EXEC");
  });
}

/// The bits of \p left whose registers \p instruction writes.
static uint64_t findWritten(const TargetRegisterInfo &registers, ArrayRef<MCRegister> sources,
                            uint64_t left, const MachineInstr &instruction) {
  uint64_t written = 0;
  for (auto [at, source] : enumerate(sources))
    if (left >> at & 1 && instruction.modifiesRegister(source, &registers))
      written |= uint64_t(1) << at;
  return written;
}

/// Goes back over \p instruction, on a walk from a reader of \p sources.
static Step stepBack(const TargetRegisterInfo &registers, ArrayRef<MCRegister> sources,
                     const MachineInstr &instruction, Walk &walk) {
  if (instruction.isBundle())
    return Step::On; // What is in it comes after it.
  if (waitsForValu(instruction))
    return Step::Safe;
  if (isSalu(instruction)) {
    walk.sawExec |= walk.newest && writesExec(registers, instruction);
    return Step::On;
  }
  if (!isValu(instruction))
    return Step::On;
  if (uint64_t written = findWritten(registers, sources, walk.left, instruction)) {
    walk.left &= ~written;
    if (walk.sawExec && walk.valus - *walk.newest - 1 <= maxBetweenWriters)
      return Step::Hazard;
    if (walk.valus <= maxToReader) {
      walk.newest = walk.valus;
      walk.sawExec = false;
    }
  }
  ++walk.valus;
  unsigned reach = walk.newest ? *walk.newest + maxBetweenWriters + 1 : 0;
  return walk.left && walk.valus <= std::max(reach, maxToReader) ? Step::On : Step::Safe;
}

/// True where on some way to \p reader two of \p sources are written on two sides of a write of
/// EXEC, near enough.
static bool isHazardous(const TargetRegisterInfo &registers, const MachineInstr &reader,
                        ArrayRef<MCRegister> sources) {
  struct Place {
    const MachineBasicBlock *block;
    MachineBasicBlock::const_reverse_instr_iterator from; ///< Into bundles, too.
    Walk walk;
  };
  Walk start;
  start.left = maskTrailingOnes<uint64_t>(sources.size());
  SmallVector<Place, 8> todo = {
      {reader.getParent(), std::next(reader.getReverseIterator()), start}};
  std::set<std::pair<const MachineBasicBlock *, Walk>> seen;
  while (!todo.empty()) {
    Place place = todo.pop_back_val();
    Step step = Step::On;
    for (auto end = place.block->instr_rend(); place.from != end && step == Step::On; ++place.from)
      step = stepBack(registers, sources, *place.from, place.walk);
    if (step == Step::Hazard)
      return true;
    if (step == Step::Safe)
      continue;
    for (const MachineBasicBlock *before : place.block->predecessors())
      if (seen.insert({before, place.walk}).second)
        todo.push_back({before, before->instr_rbegin(), place.walk});
  }
  return false;
}

/// Only wave64 code of GFX11 has the hazard. The immediate 0x0fff waits for va_vdst 0 and nothing
/// else.
bool WaitForOperandHalves::runOnMachineFunction(MachineFunction &function) {
  const TargetSubtargetInfo &target = function.getSubtarget();
  if (!target.getCPU().starts_with("gfx11") || !target.checkFeatures("+wavefrontsize64"))
    return false;
  const TargetRegisterInfo &registers = *target.getRegisterInfo();
  bool hasChanged = false;
  for (MachineBasicBlock &block : function)
    for (MachineInstr &instruction : block) {
      if (!isValu(instruction))
        continue;
      SmallVector<MCRegister, 8> sources = findSources(registers, instruction);
      if (sources.empty() || !isHazardous(registers, instruction, sources))
        continue;
      BuildMI(block, instruction, instruction.getDebugLoc(),
              amdgpu::findOpcode(*target.getInstrInfo(), "S_WAITCNT_DEPCTR"))
          .addImm(0x0fff);
      hasChanged = true;
    }
  return hasChanged;
}

void amdgpu::waitForOperandHalves() {
  insertPassAfter("post-RA-hazard-rec",
                  []() -> FunctionPass * { return new WaitForOperandHalves(); });
}
