// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How operands and modifiers go from fields to an Inst, back, and to text: one SlotKind each, found
// by the name that signatures use.
#pragma once

#include "oracles/machine/gcn_isa/Inst.h"
#include "oracles/machine/gcn_isa/Isa.h"
#include "llvm/Support/Error.h"

namespace llvm {
class raw_ostream;
}

namespace assay::gcn {

/// An instruction being decoded.
struct DecodeState {
  const IsaTable &table;
  const InstForm &form;
  const Words &words;
  unsigned waveSize;
  /// Dwords that the instruction has up to now: a literal adds one.
  unsigned size;
  Inst &inst;

  Chip chip() const { return table.chip(); }
  bool hasField(Field field) const { return form.layout->find(field); }
  /// 0 when the format has no such field.
  uint64_t field(Field field) const;
  int64_t signedField(Field field) const;
  /// The dword after the instruction; all literals of an instruction are the same one.
  uint32_t literal();
};

/// An instruction being encoded. Operands are taken in order, one a slot that is one.
struct EncodeState {
  const IsaTable &table;
  const InstForm &form;
  const Inst &inst;
  unsigned waveSize;
  Words words;
  Words known; ///< The bits that some slot has set; the others are reserved and 0.
  unsigned size = 0;
  unsigned nextOperand = 0;

  Chip chip() const { return table.chip(); }
  bool hasField(Field field) const { return form.layout->find(field); }
  /// False when the field is missing and \p value not 0, or too narrow for it.
  bool setField(Field field, uint64_t value);
  bool setSignedField(Field field, int64_t value);
  uint64_t getField(Field field) const;
  /// Sets \p value, of which only the bits of \p used count as known.
  bool setBits(Field field, uint64_t value, uint64_t used);
  bool setLiteral(uint32_t value);
  /// The next operand; null beyond the last.
  const Operand *takeOperand();
};

/// An instruction being printed.
struct PrintState {
  const IsaTable &table;
  const InstForm &form;
  const Inst &inst;
  unsigned waveSize;
  llvm::raw_ostream &os;
  unsigned nextOperand = 0;
  bool anyOperand = false;

  Chip chip() const { return table.chip(); }
  /// The next operand, after its separator (" " for the first, ", " for others) is written.
  const Operand &takeOperand();
};

/// A kind of slot. Each function does its part for one slot; decode and encode say false for what
/// is no instruction. A null function does nothing.
struct SlotKind {
  llvm::StringLiteral name;
  bool (*decode)(DecodeState &state, const Slot &slot);
  bool (*encode)(EncodeState &state, const Slot &slot);
  void (*print)(PrintState &state, const Slot &slot);
};

/// The parts of the instruction set: rows, layouts and slots of each family.
llvm::ArrayRef<IsaRow> scalarRows();
llvm::ArrayRef<IsaRow> vectorRows();
llvm::ArrayRef<IsaRow> memoryRows();
llvm::ArrayRef<FormatLayout> aluLayouts();
llvm::ArrayRef<FormatLayout> memoryLayouts();
llvm::ArrayRef<SlotKind> aluSlotKinds();
llvm::ArrayRef<SlotKind> scalarSlotKinds();
llvm::ArrayRef<SlotKind> modifierSlotKinds();
llvm::ArrayRef<SlotKind> memorySlotKinds();

/// The opcode that \p row, of number \p opcode in its own format, has in \p layout; nothing when it
/// has no such variant (AluVariants.cpp).
std::optional<unsigned> opcodeIn(const IsaRow &row, unsigned opcode, const FormatLayout &layout,
                                 Chip chip);
/// The same for rows of memory formats (MemoryRows.cpp).
std::optional<unsigned> opcodeInMemory(const IsaRow &row, unsigned opcode,
                                       const FormatLayout &layout, Chip chip);
/// Fills slots, suffix and isVop3 of \p form, whose other members are set.
void finishForm(InstForm &form, Chip chip);
void finishAluForm(InstForm &form, Chip chip);
void finishMemoryForm(InstForm &form, Chip chip);

/// The kind of that name; null when there is none.
const SlotKind *findSlotKind(llvm::StringRef name);
/// Slots of a signature written out ("vdst:2 addr:1 offset gds").
std::vector<Slot> parseSlots(llvm::StringRef signature);
bool isAluFormat(Format format);

/// The words of \p inst, which must have a form: decode() of them gives it again. InvalidInput for
/// operands that the form cannot hold. \p known, when given, is the bits that mean something.
llvm::Expected<std::vector<uint32_t>> encodeInst(const Inst &inst, Chip chip, unsigned waveSize,
                                                 Words *known = nullptr);
/// \p inst, which must have a form, as LLVM's assembler writes it.
std::string printInst(const Inst &inst, Chip chip, unsigned waveSize);

/// \name Helpers for slots.
/// @{
/// Number (sreg) of a scalar register from its 7-bit code on \p chip, and back (-1: has none).
int scalarFromCode(Chip chip, unsigned code);
int codeFromScalar(Chip chip, unsigned index);
/// A scalar register operand of \p dwords from a 7-bit code: false for what there is not.
bool decodeScalarRegister(Chip chip, unsigned code, unsigned dwords, Operand &operand);
/// What the number of the first register of \p operand is a multiple of: the bits below do not
/// count.
unsigned tupleAlignment(const Operand &operand);
Operand vectorRegister(unsigned index, unsigned dwords);
/// "v[4:5]", "s3", "vcc_lo", "off", 0.5, 0x1234: without source modifiers.
void printOperand(llvm::raw_ostream &os, const Operand &operand, Chip chip);
/// @}

} // namespace assay::gcn
