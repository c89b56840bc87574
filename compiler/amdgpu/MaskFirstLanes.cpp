// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/amdgpu/MaskFirstLanes.h"

#include "compiler/amdgpu/InsertPass.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/CodeGen/MachineFunctionPass.h"
#include "llvm/CodeGen/MachineInstrBuilder.h"
#include "llvm/CodeGen/MachineRegisterInfo.h"
#include "llvm/CodeGen/TargetInstrInfo.h"
#include "llvm/CodeGen/TargetRegisterInfo.h"
#include "llvm/CodeGen/TargetSubtargetInfo.h"
#include "llvm/IR/CallingConv.h"
#include "llvm/IR/Function.h"
#include <optional>

using namespace llvm;
using namespace assay;

namespace {
class MaskFirstLanes : public MachineFunctionPass {
public:
  MaskFirstLanes() : MachineFunctionPass(ID) {}

  bool runOnMachineFunction(MachineFunction &function) override;
  void getAnalysisUsage(AnalysisUsage &usage) const override {
    usage.setPreservesCFG();
    MachineFunctionPass::getAnalysisUsage(usage);
  }
  StringRef getPassName() const override { return "Mask first lanes"; }

private:
  static char ID;
};

/// The number of bits that a comparison is with: the lowest one, in a register.
struct Number {
  Register word;
  unsigned low = 0;
};

/// What the pass asks about values of a function in SSA form.
class Values {
public:
  explicit Values(MachineFunction &function)
      : m_registers(function.getRegInfo()), m_names(*function.getSubtarget().getRegisterInfo()) {}

  /// The number of the lane in its wave: v_mbcnt_lo of all lanes, and v_mbcnt_hi after it in waves
  /// of 64 (\p isWide).
  bool isLane(const MachineOperand &operand, bool isWide) const {
    const MachineInstr *count = definitionOf(operand);
    StringRef wanted = isWide ? "V_MBCNT_HI_U32_B32_e64" : "V_MBCNT_LO_U32_B32_e64";
    if (!count || amdgpu::nameOf(*count) != wanted || !isImmediate(count->getOperand(1), -1))
      return false;
    const MachineOperand &before = count->getOperand(2);
    return isWide ? isLane(before, /*isWide=*/false) : isImmediate(before, 0);
  }
  /// Whether \p mask has 64 lanes.
  bool isWide(Register mask) const { return m_names.getRegSizeInBits(mask, m_registers) == 64; }
  /// 7 bits of SGPR 3, from a bit on that leaves the lower ones of a shift to bit 16 empty.
  std::optional<Number> findNumber(const MachineOperand &operand) const {
    constexpr int64_t Bits = 7, Mask = (1 << Bits) - 1, HighestLow = 10;
    const MachineInstr *field = definitionOf(operand);
    StringRef name = field ? amdgpu::nameOf(*field) : "";
    bool isField = name == "S_AND_B32" || name == "S_BFE_U32";
    if (!isField || !field->getOperand(1).isReg() || !isWaveInfo(field->getOperand(1)))
      return std::nullopt;
    const MachineOperand &which = field->getOperand(2);
    Register word = field->getOperand(1).getReg();
    if (name == "S_AND_B32" && isImmediate(which, Mask))
      return Number{word, 0};
    if (name != "S_BFE_U32" || !which.isImm() || which.getImm() >> 16 != Bits ||
        (which.getImm() & 0xffff) > HighestLow)
      return std::nullopt;
    return Number{word, static_cast<unsigned>(which.getImm() & 0xffff)};
  }
  /// Whether nothing but a branch of lanes uses \p value, which ands it with EXEC.
  bool isForBranch(Register value) const {
    return m_registers.hasOneNonDBGUse(value) &&
           amdgpu::nameOf(*m_registers.use_instr_nodbg_begin(value)) == "SI_IF";
  }

private:
  const MachineInstr *definitionOf(const MachineOperand &operand) const {
    return operand.isReg() && operand.getReg().isVirtual()
               ? m_registers.getUniqueVRegDef(operand.getReg())
               : nullptr;
  }
  /// Also through moves of constants to registers.
  bool isImmediate(const MachineOperand &operand, int64_t value) const {
    if (operand.isImm())
      return operand.getImm() == value;
    const MachineInstr *move = definitionOf(operand);
    return move && move->isMoveImmediate() && move->getOperand(1).isImm() &&
           move->getOperand(1).getImm() == value;
  }
  bool isWaveInfo(const MachineOperand &operand) const {
    const MachineInstr *copy = definitionOf(operand);
    return copy && copy->isCopy() && copy->getOperand(1).getReg().isPhysical() &&
           StringRef(m_names.getName(copy->getOperand(1).getReg())) == "SGPR3";
  }

  const MachineRegisterInfo &m_registers;
  const TargetRegisterInfo &m_names;
};
} // namespace

char MaskFirstLanes::ID = 0;

/// The number that \p instruction compares the lane's number with, being larger.
static std::optional<Number> findComparison(const MachineInstr &instruction, const Values &values) {
  StringRef name = amdgpu::nameOf(instruction);
  bool isGreater = name == "V_CMP_GT_U32_e64";
  if (!isGreater && name != "V_CMP_LT_U32_e64")
    return std::nullopt;
  const MachineOperand &number = instruction.getOperand(isGreater ? 1 : 2);
  const MachineOperand &lane = instruction.getOperand(isGreater ? 2 : 1);
  Register mask = instruction.getOperand(0).getReg();
  if (!values.isLane(lane, values.isWide(mask)) || !values.isForBranch(mask))
    return std::nullopt;
  return values.findNumber(number);
}

bool MaskFirstLanes::runOnMachineFunction(MachineFunction &function) {
  if (function.getFunction().getCallingConv() != CallingConv::AMDGPU_GS)
    return false;
  const TargetInstrInfo &info = *function.getSubtarget().getInstrInfo();
  MachineRegisterInfo &registers = function.getRegInfo();
  Values values(function);
  bool hasChanged = false;
  for (MachineBasicBlock &block : function)
    for (MachineInstr &instruction : make_early_inc_range(block)) {
      std::optional<Number> number = findComparison(instruction, values);
      if (!number)
        continue;
      Register mask = instruction.getOperand(0).getReg();
      Register shifted = registers.createVirtualRegister(registers.getRegClass(number->word));
      BuildMI(block, instruction, instruction.getDebugLoc(), amdgpu::findOpcode(info, "S_LSHL_B32"),
              shifted)
          .addReg(number->word)
          .addImm(16 - number->low);
      BuildMI(block, instruction, instruction.getDebugLoc(),
              amdgpu::findOpcode(info, values.isWide(mask) ? "S_BFE_U64" : "S_BFE_U32"), mask)
          .addImm(-1)
          .addReg(shifted);
      instruction.eraseFromParent();
      hasChanged = true;
    }
  return hasChanged;
}

void amdgpu::maskFirstLanes() {
  insertPassAfter("finalize-isel", []() -> FunctionPass * { return new MaskFirstLanes(); });
}
