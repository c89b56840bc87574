// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The instruction set as data: chips, formats with their fields, and one row an opcode. Decoder,
// encoder and printer walk the same tables (Codec.h); nothing here knows what an instruction does.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

namespace assay::gcn {

/// The columns of all tables.
enum class Chip : uint8_t { Gfx900, Gfx1010, Gfx1030, Gfx1100, Gfx1150, Gfx1201 };
constexpr unsigned ChipCount = 6;

/// LLVM's name of a chip ("gfx1100"); nothing for one without a column.
std::optional<Chip> findChip(llvm::StringRef cpu);
llvm::StringRef chipName(Chip chip);

/// Sets of chips, a bit each.
namespace chips {
constexpr uint8_t Gfx9 = 1;
constexpr uint8_t Gfx10 = 2 | 4;
constexpr uint8_t Gfx10_1 = 2;
constexpr uint8_t Gfx10_3 = 4;
constexpr uint8_t Gfx11 = 8 | 16;
constexpr uint8_t Gfx11_0 = 8;
constexpr uint8_t Gfx11_5 = 16;
constexpr uint8_t Gfx12 = 32;
constexpr uint8_t Gfx10Plus = Gfx10 | Gfx11 | Gfx12;
constexpr uint8_t Gfx11Plus = Gfx11 | Gfx12;
constexpr uint8_t All = 63;
} // namespace chips
constexpr bool contains(uint8_t set, Chip chip) {
  return set >> unsigned(chip) & 1;
}

/// Encodings, as the manuals name them. A suffix tells variants that the same opcode table serves.
enum class Format : uint8_t {
  Sop1,
  Sop2,
  Sopk,
  Sopc,
  Sopp,
  Vop1,
  Vop1Sdwa,
  Vop1Dpp16,
  Vop1Dpp8,
  Vop2,
  Vop2Sdwa,
  Vop2Dpp16,
  Vop2Dpp8,
  Vopc,
  VopcSdwa,
  VopcDpp16,
  VopcDpp8,
  Vop3, ///< VOP3SD, too: which of the two an opcode is, its operands say.
  Vop3Dpp16,
  Vop3Dpp8,
  Vop3p,
  Vop3pDpp16,
  Vop3pDpp8,
  VopdX, ///< The first half of a pair; the second is VopdY, with opcodes of its own.
  VopdY,
  Vintrp,
  Vinterp,
  Ldsdir,
  Illegal, ///< The dword 0, where GFX10 and later have an instruction that traps.
  Smem,
  Ds,
  Flat,
  Global,
  Scratch,
  Mubuf,
  Mtbuf,
  Vbuffer,
  Vtbuffer,
  Mimg,
  Vimage,
  Vsample,
  Exp,
  Count
};
constexpr unsigned FormatCount = unsigned(Format::Count);

/// Names of fields; where one stands, the layout of a format says.
enum class Field : uint8_t {
  Op,
  Op2, ///< The opcode of the second half of VOPD.
  // Scalar ALU.
  Ssrc0,
  Ssrc1,
  Sdst,
  Simm16,
  // Vector ALU.
  Src0,
  Src1,
  Src2,
  Vsrc1,
  Vdst,
  Abs,
  Neg,
  NegHi,
  Omod,
  Clamp,
  OpSel,
  OpSelHi,
  DstSel,
  DstUnused,
  Src0Sel,
  Src1Sel,
  Src0Sext,
  Src1Sext,
  Src0Neg,
  Src1Neg,
  Src0Abs,
  Src1Abs,
  Src0Scalar,
  Src1Scalar,
  SdwaSdst,
  SdwaSdstUsed,
  DppControl,
  FetchInactive,
  BoundCtrl,
  BankMask,
  RowMask,
  Lanes,
  // Interpolation and LDS-direct.
  Attribute,
  Channel,
  High,
  WaitExp,
  WaitVdst,
  WaitVsrc,
  // Memory, images, exports.
  Sbase,
  Sdata,
  Soffset,
  SoffsetEnable,
  Offset,
  OffsetEnable,
  Offset0,
  Offset1,
  Addr,
  Data0,
  Data1,
  Vdata,
  Vaddr,
  Vaddr1,
  Vaddr2,
  Vaddr3,
  Vaddr4,
  Srsrc,
  Ssamp,
  Saddr,
  Sve,
  Offen,
  Idxen,
  Glc,
  Slc,
  Dlc,
  Scc,
  Nv,
  ScaleOffset,
  Th,
  Scope,
  Lds,
  Gds,
  Tfe,
  Lwe,
  Dmask,
  Dim,
  Unorm,
  Da,
  R128,
  A16,
  D16,
  Nsa,
  Dfmt,
  Nfmt,
  Target,
  Enable,
  Done,
  Compressed,
  ValidMask,
  RowEnable,
  Count
};
constexpr unsigned FieldCount = unsigned(Field::Count);

constexpr unsigned MaxWords = 5;

/// Bits of one instruction, numbered from bit 0 of its first dword.
class Words {
public:
  std::array<uint32_t, MaxWords> dwords{};

  /// \p width up to 64; bits beyond the end are 0.
  uint64_t get(unsigned lsb, unsigned width) const;
  void set(unsigned lsb, unsigned width, uint64_t value);
};

/// Where a field stands: \p width bits from \p lsb, and above them \p highWidth bits from \p
/// highLsb.
struct FieldPlace {
  Field field = Field::Count;
  uint8_t lsb = 0;
  uint8_t width = 0;
  uint8_t highLsb = 0;
  uint8_t highWidth = 0;
};

/// One format on some chips: which words it is, and its fields.
struct FormatLayout {
  Format format;
  uint8_t chips;
  uint8_t size; ///< Dwords without a literal.
  uint32_t mask;
  uint32_t value; ///< The first dword is of this format when (dword & mask) == value,
  uint32_t mask1 = 0;
  uint32_t value1 = 0; ///< and the second likewise. Of two that match, the earlier one is it.
  llvm::ArrayRef<FieldPlace> fields;
  /// The format whose opcodes it uses (DPP and SDWA variants share those of the plain one).
  Format opcodes;

  const FieldPlace *find(Field field) const;
};

/// One opcode of the instruction set.
struct IsaRow {
  llvm::StringLiteral name;
  Format format;
  std::array<int16_t, ChipCount> opcode; ///< -1: not on this chip.
  /// Operands and modifiers in the assembler's order: "name:type" separated by blanks, for memory
  /// formats; for scalar and vector ALU formats the types alone, see AluSignature.h.
  llvm::StringLiteral signature;
  uint32_t flags = 0; ///< Meaning by family.
};

struct SlotKind;

/// One thing that is in the assembler's text after the mnemonic: an operand or a modifier. Its
/// type is what is after the colon of the signature: letter and number ("f32", "4": no
/// letter).
struct Slot {
  const SlotKind *kind = nullptr;
  char letter = 0;
  uint16_t number = 0;
};

/// A row in one format of one chip, ready for use.
struct InstForm {
  const IsaRow *row = nullptr;
  const FormatLayout *layout = nullptr;
  uint16_t opcode = 0;
  llvm::StringRef name;            ///< Without suffix.
  llvm::StringLiteral suffix = ""; ///< "_e32", "_dpp": what the assembler appends.
  bool isVop3 = false;
  std::vector<Slot> slots;
};

/// All forms of one chip. Made at the first use, kept for ever; safe to use from all threads.
class IsaTable {
public:
  static const IsaTable &get(Chip chip);

  Chip chip() const { return m_chip; }
  /// The layouts of the chip, in the order in which to try them.
  llvm::ArrayRef<const FormatLayout *> layouts() const { return m_layouts; }
  /// Those of them that the top bits of an instruction's first dword leave.
  llvm::ArrayRef<const FormatLayout *> candidates(uint32_t dword) const {
    return m_candidates[dword >> TopShift];
  }
  const FormatLayout *layout(Format format) const { return m_layoutOf[unsigned(format)]; }
  /// Null: no such opcode. \p format is the variant (Vop2Dpp16), not the format of its opcodes.
  const InstForm *find(Format format, unsigned opcode) const;
  /// All forms, for tests and for tables of what there is.
  llvm::ArrayRef<const InstForm *> forms() const { return m_forms; }

private:
  static constexpr unsigned TopShift = 25;

  explicit IsaTable(Chip chip);
  void addLayouts(llvm::ArrayRef<FormatLayout> layouts);
  void addRow(const IsaRow &row);
  void addForm(const IsaRow &row, const FormatLayout &layout, unsigned opcode);

  Chip m_chip;
  std::vector<const FormatLayout *> m_layouts;
  std::array<std::vector<const FormatLayout *>, 1u << (32 - TopShift)> m_candidates;
  std::array<const FormatLayout *, FormatCount> m_layoutOf{};
  std::array<std::vector<const InstForm *>, FormatCount> m_formOf;
  std::vector<const InstForm *> m_forms;
  std::deque<InstForm> m_storage; ///< Forms keep their addresses.
};

} // namespace assay::gcn
