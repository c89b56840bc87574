// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One decoded AMD GPU instruction, the same struct for every generation.
#pragma once

#include "llvm/ADT/SmallVector.h"
#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace assay::gcn {

struct InstForm;

/// Numbers of scalar registers in this project's own numbering: s0..s105 are 0..105, and the rest
/// is where GFX10 has it. M0 and NULL keep these numbers on every generation.
namespace sreg {
constexpr unsigned FlatScratchLo = 102; ///< GFX9 only; s102 elsewhere.
constexpr unsigned XnackLo = 104;       ///< GFX9 only; s104 elsewhere.
constexpr unsigned VccLo = 106;
constexpr unsigned Ttmp0 = 108;
constexpr unsigned M0 = 124;
constexpr unsigned Null = 125;
constexpr unsigned ExecLo = 126;
constexpr unsigned SharedBase = 128; ///< Two each: the apertures of flat addresses.
constexpr unsigned SharedLimit = 130;
constexpr unsigned PrivateBase = 132;
constexpr unsigned PrivateLimit = 134;
constexpr unsigned Count = 136;
} // namespace sreg

enum class OperandType : uint8_t {
  Vgpr,
  Sgpr,    ///< Any scalar register; index by sreg.
  Integer, ///< Inline integer constant: value.
  Float,   ///< Inline float constant: number; its bits depend on the operand's kind.
  Literal, ///< 32-bit literal (or a wider one where the encoding has it): value.
  Scc,     ///< SCC as a source.
  Vccz,
  Execz,
  Off,  ///< "off": no register.
  Text, ///< hwreg(...), sendmsg(...), labels: read the encoding instead.
};

/// Which half of a register a 16-bit operand names (true16): the whole of it, .l or .h.
enum class RegisterHalf : uint8_t { Whole, Low, High };

struct Operand {
  OperandType type = OperandType::Off;
  RegisterHalf half = RegisterHalf::Whole;
  uint8_t dwords = 1; ///< Registers.
  bool neg = false;
  bool abs = false;
  bool sext = false; ///< SDWA.
  uint16_t index = 0;
  int64_t value = 0;
  double number = 0;

  bool isRegister() const { return type == OperandType::Vgpr || type == OperandType::Sgpr; }
};

/// What a DPP16 control does to the lane number.
enum class DppControl : uint8_t {
  None,
  QuadPerm,
  RowShl,
  RowShr,
  RowRor,
  WaveShl,
  WaveRol,
  WaveShr,
  WaveRor,
  RowMirror,
  RowHalfMirror,
  RowBcast,
  RowShare,
  RowXmask,
  Lanes8, ///< DPP8.
};

/// Data selection of SDWA.
enum class Sdwa : uint8_t { Dword, Byte0, Byte1, Byte2, Byte3, Word0, Word1 };
enum class SdwaUnused : uint8_t { Pad, Sext, Preserve };

/// Everything that is after the operands. Absent modifiers have the value shown.
struct Modifiers {
  bool clamp = false;
  int8_t omod = 0; ///< 0, or the exponent: *2 is 1, *4 is 2, /2 is -1.
  std::array<uint8_t, 4> opSel{};
  uint8_t opSelCount =
      0; ///< Bits printed; one more than the sources when the last is the result's.
  std::array<uint8_t, 4> opSelHi{1, 1, 1, 1};
  bool hasOpSelHi = false; ///< op_sel_hi was printed.
  std::array<uint8_t, 4> negLo{};
  std::array<uint8_t, 4> negHi{};

  DppControl dpp = DppControl::None;
  uint8_t dppValue = 0;
  std::array<uint8_t, 8> dppLanes{};
  uint8_t rowMask = 0xf;
  uint8_t bankMask = 0xf;
  bool boundCtrl = false;
  bool fetchInactive = false;

  bool sdwa = false;
  Sdwa dstSel = Sdwa::Dword;
  std::array<Sdwa, 2> srcSel{};
  SdwaUnused dstUnused = SdwaUnused::Pad;

  bool offen = false;
  bool idxen = false;
  bool tfe = false;
  bool lds = false;
  bool gds = false;
  uint8_t dmask = 0;     ///< Images: the components that registers hold.
  std::string dimension; ///< Images, GFX10+: "SQ_RSRC_IMG_2D".
  bool d16 = false;      ///< Images: two components a register.
  bool a16 = false;      ///< Images: two addresses a register.
  bool lwe = false;
  bool r128 = false;
  bool returnsOld = false; ///< glc of an atomic, or th:TH_ATOMIC_..RETURN.
  int64_t offset = 0;
  uint32_t offset0 = 0;
  uint32_t offset1 = 0;
  uint8_t byteSel = 0;  ///< Of 8-bit floats.
  uint8_t indexKey = 0; ///< Of sparse matrix operations.
  bool high = false;    ///< Interpolation: the high half of the attribute.
  uint8_t waitExp = 0;  ///< Interpolation and LDS-direct: waits before they start.
  uint8_t waitVdst = 0;
  uint8_t waitVsrc = 0;
  std::vector<std::string> other; ///< Further words, as printed; see onlyHints().

  /// \name As encoded; 0 where the format has no such field. Only the project's decoder sets them.
  /// @{
  bool glc = false;
  bool slc = false;
  bool dlc = false;
  bool nv = false;
  bool scaleOffset = false;
  bool unorm = false;
  bool da = false;
  uint8_t th = 0;
  uint8_t scope = 0;
  uint8_t nsa = 0;        ///< Images: dwords of addresses after the instruction.
  uint8_t format = 0;     ///< Typed buffers: the number; on GFX9 data format | number format << 4.
  uint8_t addressing = 0; ///< Scalar memory, GFX9: which of the encodings of one text.
  bool done = false;      ///< Exports.
  bool compressed = false;
  bool validMask = false;
  bool rowEnable = false;
  /// @}

  /// True when \p other holds nothing but cache hints, which change no result.
  bool onlyHints() const;
};

/// One instruction. A VOPD pair is one Inst whose second half is \p dual[0].
struct Inst {
  uint64_t pc = 0;      ///< From the start of the decoded bytes.
  uint32_t size = 0;    ///< Bytes.
  uint32_t words[5]{};  ///< The encoding (0 beyond the end of the code).
  bool valid = false;   ///< False: the bytes are no instruction of this chip.
  std::string mnemonic; ///< Without encoding suffix: "v_add_f32", never "v_add_f32_e64".
  bool isVop3 = false;  ///< Printed with _e64 (tells a VOP3 from a short form of the same name).
  llvm::SmallVector<Operand, 5> operands;
  Modifiers mods;
  std::string text; ///< As the assembler prints it.
  /// The table's row and format (Isa.h); null when the bytes are no instruction.
  const InstForm *form = nullptr;
  std::vector<Inst> dual;

  uint16_t simm16() const { return static_cast<uint16_t>(words[0]); }
};

} // namespace assay::gcn
