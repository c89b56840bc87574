// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scalar register codes of each generation, and how registers and constants are written.
#include "oracles/machine/gcn_isa/Codec.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace assay;
using namespace assay::gcn;

namespace {

/// \p count codes from \p code on are registers from \p index on.
struct CodeRow {
  uint8_t chips;
  uint8_t code;
  uint8_t index;
  uint8_t count;
};

/// Scalar operands (LLVM's AMDGPUDisassembler, decodeSpecialReg32; manuals, "Scalar Data
/// Operands"): null and m0 changed places with GFX11.
constexpr CodeRow CodeRows[] = {
    {chips::Gfx9, 0, 0, 102},
    {chips::Gfx9, 102, sreg::FlatScratchLo, 2},
    {chips::Gfx9, 104, sreg::XnackLo, 2},
    {chips::Gfx10Plus, 0, 0, 106},
    {chips::All, 106, sreg::VccLo, 2},
    {chips::All, 108, sreg::Ttmp0, 16},
    {chips::Gfx9 | chips::Gfx10, 124, sreg::M0, 1},
    {chips::Gfx10, 125, sreg::Null, 1},
    {chips::Gfx11Plus, 124, sreg::Null, 1},
    {chips::Gfx11Plus, 125, sreg::M0, 1},
    {chips::All, 126, sreg::ExecLo, 2},
};

/// Names of pairs; those of 32 bits add _lo and _hi.
struct PairName {
  uint16_t index;
  StringLiteral name;
};

/// Names of 64-bit registers, by their low half.
constexpr PairName Pairs[] = {
    {sreg::VccLo, "vcc"},
    {sreg::ExecLo, "exec"},
    {sreg::SharedBase, "src_shared_base"},
    {sreg::SharedLimit, "src_shared_limit"},
    {sreg::PrivateBase, "src_private_base"},
    {sreg::PrivateLimit, "src_private_limit"},
};

} // namespace

/// The register that a code means on \p chip, or -1.
int gcn::scalarFromCode(Chip chip, unsigned code) {
  for (const CodeRow &row : CodeRows)
    if (contains(row.chips, chip) && code >= row.code && code < row.code + unsigned(row.count))
      return static_cast<int>(row.index + code - row.code);
  return -1;
}

/// The reverse of scalarFromCode(); -1 for a register that the chip does not have.
int gcn::codeFromScalar(Chip chip, unsigned index) {
  for (const CodeRow &row : CodeRows)
    if (contains(row.chips, chip) && index >= row.index && index < row.index + unsigned(row.count))
      return static_cast<int>(row.code + index - row.index);
  return -1;
}

/// The end of the group that register \p index belongs to: a tuple does not cross it. From GFX10 on
/// VCC is s[106:107] to tuples (Mesa: "VCC, which can be treated as s[106-107] on GFX10+").
static unsigned groupEnd(Chip chip, unsigned index) {
  if (contains(chips::Gfx10Plus, chip) && index < sreg::VccLo)
    return sreg::Ttmp0;
  for (const CodeRow &row : CodeRows)
    if (contains(row.chips, chip) && index >= row.index && index < row.index + unsigned(row.count))
      return row.index + row.count;
  return 0;
}

/// VCC, EXEC and their like have one place for a pair.
static bool isNumbered(Chip chip, unsigned index) {
  unsigned end = chip == Chip::Gfx900 ? sreg::FlatScratchLo : sreg::VccLo;
  return index < end || (index >= sreg::Ttmp0 && index < sreg::M0);
}

/// In registers; 1 for all but scalar tuples.
unsigned gcn::tupleAlignment(const Operand &operand) {
  if (operand.type != OperandType::Sgpr || operand.index >= sreg::M0 || operand.dwords < 2)
    return 1;
  return operand.dwords == 2 ? 2 : 4;
}

/// Sets \p operand. False when the code is no register, or the tuple leaves its group. The null
/// register has every width.
bool gcn::decodeScalarRegister(Chip chip, unsigned code, unsigned dwords, Operand &operand) {
  int index = scalarFromCode(chip, code);
  if (index < 0)
    return false;
  operand.type = OperandType::Sgpr;
  operand.index = static_cast<uint16_t>(index);
  operand.dwords = static_cast<uint8_t>(dwords);
  if (index == sreg::Null) {
    operand.dwords = 1;
    return true;
  }
  // Tuples start at even registers, those of four and more at multiples of four; the low bits of
  // the code are not looked at.
  if (unsigned low = tupleAlignment(operand) - 1; low & unsigned(index)) {
    if (isNumbered(chip, unsigned(index)))
      operand.index = static_cast<uint16_t>(unsigned(index) & ~low);
    else
      return false;
  }
  return operand.index + dwords <= groupEnd(chip, operand.index);
}

/// Makes an operand of \p dwords consecutive registers.
Operand gcn::vectorRegister(unsigned index, unsigned dwords) {
  Operand operand;
  operand.type = OperandType::Vgpr;
  operand.index = static_cast<uint16_t>(index);
  operand.dwords = static_cast<uint8_t>(dwords);
  return operand;
}

/// False for registers that are printed with a number.
static bool printNamedScalar(raw_ostream &os, const Operand &operand, Chip chip) {
  for (const PairName &pair : Pairs) {
    if (operand.index != pair.index && operand.index != pair.index + 1)
      continue;
    os << pair.name;
    if (operand.dwords == 1 && operand.index < sreg::SharedBase)
      os << (operand.index == pair.index ? "_lo" : "_hi");
    return true;
  }
  if (operand.index == sreg::M0 || operand.index == sreg::Null) {
    os << (operand.index == sreg::M0 ? "m0" : "null");
    return true;
  }
  if (chip != Chip::Gfx900 || operand.index < sreg::FlatScratchLo || operand.index >= sreg::VccLo)
    return false;
  os << (operand.index < sreg::XnackLo ? "flat_scratch" : "xnack_mask");
  if (operand.dwords == 1)
    os << (operand.index % 2 ? "_hi" : "_lo");
  return true;
}

/// "v5" or "v[5:6]".
static void printRange(raw_ostream &os, StringRef prefix, unsigned index, unsigned dwords) {
  if (dwords == 1)
    os << prefix << index;
  else
    os << prefix << '[' << index << ':' << index + dwords - 1 << ']';
}

/// LLVM's text without modifiers. Floats and texts need printSource().
void gcn::printOperand(raw_ostream &os, const Operand &operand, Chip chip) {
  switch (operand.type) {
  case OperandType::Vgpr:
    printRange(os, "v", operand.index, operand.dwords);
    if (operand.half != RegisterHalf::Whole)
      os << (operand.half == RegisterHalf::Low ? ".l" : ".h");
    return;
  case OperandType::Sgpr:
    if (printNamedScalar(os, operand, chip))
      return;
    if (operand.index >= sreg::Ttmp0)
      printRange(os, "ttmp", operand.index - sreg::Ttmp0, operand.dwords);
    else
      printRange(os, "s", operand.index, operand.dwords);
    return;
  case OperandType::Integer:
    os << operand.value;
    return;
  case OperandType::Literal:
    os << format_hex(static_cast<uint64_t>(operand.value), 0);
    return;
  case OperandType::Scc:
    os << "src_scc";
    return;
  case OperandType::Vccz:
    os << "src_vccz";
    return;
  case OperandType::Execz:
    os << "src_execz";
    return;
  case OperandType::Off:
    os << "off";
    return;
  case OperandType::Float:
  case OperandType::Text:
    return; // Both need their slot's type.
  }
}
