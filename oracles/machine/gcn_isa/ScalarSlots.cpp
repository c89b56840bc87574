// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The 16-bit immediates of scalar instructions, which the assembler writes as numbers, labels,
// counters, registers or messages. Operand::value holds the immediate.
#include "oracles/machine/gcn_isa/AluOperands.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace assay;
using namespace assay::gcn;

namespace {

/// The name of a number on some chips.
struct NameRow {
  uint8_t chips;
  uint8_t number;
  StringLiteral name;
};

constexpr uint8_t UpToGfx11 = chips::Gfx9 | chips::Gfx10 | chips::Gfx11;
constexpr uint8_t UpToGfx10 = chips::Gfx9 | chips::Gfx10;

/// Manuals, "Hardware registers"; LLVM's AMDGPUAsmUtils.cpp has their names.
constexpr NameRow HwRegisters[] = {
    {UpToGfx11, 1, "HW_REG_MODE"},
    {chips::Gfx12, 1, "HW_REG_WAVE_MODE"},
    {UpToGfx11, 2, "HW_REG_STATUS"},
    {chips::Gfx12, 2, "HW_REG_WAVE_STATUS"},
    {UpToGfx11, 3, "HW_REG_TRAPSTS"},
    {chips::Gfx9, 4, "HW_REG_HW_ID"},
    {chips::Gfx12, 4, "HW_REG_WAVE_STATE_PRIV"},
    {UpToGfx11, 5, "HW_REG_GPR_ALLOC"},
    {chips::Gfx12, 5, "HW_REG_WAVE_GPR_ALLOC"},
    {UpToGfx11, 6, "HW_REG_LDS_ALLOC"},
    {chips::Gfx12, 6, "HW_REG_WAVE_LDS_ALLOC"},
    {chips::All, 7, "HW_REG_IB_STS"},
    {chips::Gfx12, 10, "HW_REG_PERF_SNAPSHOT_DATA"},
    {chips::Gfx12, 11, "HW_REG_PERF_SNAPSHOT_PC_LO"},
    {chips::Gfx12, 12, "HW_REG_PERF_SNAPSHOT_PC_HI"},
    {UpToGfx11, 15, "HW_REG_SH_MEM_BASES"},
    {chips::Gfx12, 15, "HW_REG_PERF_SNAPSHOT_DATA1"},
    {UpToGfx10, 16, "HW_REG_TBA_LO"},
    {chips::Gfx12, 16, "HW_REG_PERF_SNAPSHOT_DATA2"},
    {UpToGfx10, 17, "HW_REG_TBA_HI"},
    {chips::Gfx12, 17, "HW_REG_WAVE_EXCP_FLAG_PRIV"},
    {UpToGfx10, 18, "HW_REG_TMA_LO"},
    {chips::Gfx11, 18, "HW_REG_PERF_SNAPSHOT_PC_LO"},
    {chips::Gfx12, 18, "HW_REG_WAVE_EXCP_FLAG_USER"},
    {UpToGfx10, 19, "HW_REG_TMA_HI"},
    {chips::Gfx11, 19, "HW_REG_PERF_SNAPSHOT_PC_HI"},
    {chips::Gfx12, 19, "HW_REG_WAVE_TRAP_CTRL"},
    {chips::Gfx10 | chips::Gfx11, 20, "HW_REG_FLAT_SCR_LO"},
    {chips::Gfx12, 20, "HW_REG_WAVE_SCRATCH_BASE_LO"},
    {chips::Gfx10 | chips::Gfx11, 21, "HW_REG_FLAT_SCR_HI"},
    {chips::Gfx12, 21, "HW_REG_WAVE_SCRATCH_BASE_HI"},
    {chips::Gfx10_1, 22, "HW_REG_XNACK_MASK"},
    {chips::Gfx10 | chips::Gfx11, 23, "HW_REG_HW_ID1"},
    {chips::Gfx12, 23, "HW_REG_WAVE_HW_ID1"},
    {chips::Gfx10 | chips::Gfx11, 24, "HW_REG_HW_ID2"},
    {chips::Gfx12, 24, "HW_REG_WAVE_HW_ID2"},
    {chips::Gfx10, 25, "HW_REG_POPS_PACKER"},
    {chips::Gfx12, 26, "HW_REG_WAVE_SCHED_MODE"},
    {chips::Gfx11, 27, "HW_REG_PERF_SNAPSHOT_DATA"},
    {chips::Gfx10_3 | chips::Gfx11, 29, "HW_REG_SHADER_CYCLES"},
    {chips::Gfx12, 29, "HW_REG_SHADER_CYCLES_LO"},
    {chips::Gfx12, 30, "HW_REG_SHADER_CYCLES_HI"},
    {chips::Gfx12, 31, "HW_REG_WAVE_DVGPR_ALLOC_LO"},
    {chips::Gfx12, 32, "HW_REG_WAVE_DVGPR_ALLOC_HI"},
};

/// Manuals, "s_sendmsg".
constexpr NameRow Messages[] = {
    {chips::All, 1, "MSG_INTERRUPT"},
    {UpToGfx10, 2, "MSG_GS"},
    {chips::Gfx11Plus, 2, "MSG_HS_TESSFACTOR"},
    {UpToGfx10, 3, "MSG_GS_DONE"},
    {chips::Gfx11Plus, 3, "MSG_DEALLOC_VGPRS"},
    {UpToGfx10, 4, "MSG_SAVEWAVE"},
    {UpToGfx11, 5, "MSG_STALL_WAVE_GEN"},
    {UpToGfx11, 6, "MSG_HALT_WAVES"},
    {UpToGfx10, 7, "MSG_ORDERED_PS_DONE"},
    {UpToGfx10, 8, "MSG_EARLY_PRIM_DEALLOC"},
    {chips::All, 9, "MSG_GS_ALLOC_REQ"},
    {UpToGfx10, 10, "MSG_GET_DOORBELL"},
    {chips::Gfx10, 11, "MSG_GET_DDID"},
    {UpToGfx10, 15, "MSG_SYSMSG"},
    {chips::Gfx11Plus, 128, "MSG_RTN_GET_DOORBELL"},
    {chips::Gfx11Plus, 129, "MSG_RTN_GET_DDID"},
    {chips::Gfx11Plus, 130, "MSG_RTN_GET_TMA"},
    {chips::Gfx11Plus, 131, "MSG_RTN_GET_REALTIME"},
    {chips::Gfx11Plus, 132, "MSG_RTN_SAVE_WAVE"},
    {chips::Gfx11Plus, 133, "MSG_RTN_GET_TBA"},
    {chips::Gfx11Plus, 134, "MSG_RTN_GET_TBA_TO_PC"},
    {chips::Gfx12, 135, "MSG_RTN_GET_SE_AID_ID"},
};

/// Operations of MSG_GS and MSG_GS_DONE, by number.
constexpr StringLiteral GsOperations[] = {"GS_OP_NOP", "GS_OP_CUT", "GS_OP_EMIT", "GS_OP_EMIT_CUT"};
/// Operations of MSG_SYSMSG. Columns: chips, number, name.
constexpr NameRow SystemOperations[] = {
    {UpToGfx10, 1, "SYSMSG_OP_ECC_ERR_INTERRUPT"},
    {UpToGfx10, 2, "SYSMSG_OP_REG_RD"},
    {UpToGfx10, 4, "SYSMSG_OP_TTRACE_PC"},
};
constexpr unsigned MessageGs = 2;
constexpr unsigned MessageGsDone = 3;
constexpr unsigned MessageSystem = 15;

/// A field of s_waitcnt or s_waitcnt_depctr.
struct CounterRow {
  uint8_t chips;
  StringLiteral name;
  uint8_t lsb;
  uint8_t width;
  uint8_t highLsb; ///< The upper part, if highWidth is not 0.
  uint8_t highWidth;
};

/// Manuals, "s_waitcnt"; GFX12 has it for compatibility, as GFX11.
constexpr CounterRow WaitRows[] = {
    {UpToGfx10, "vmcnt", 0, 4, 14, 2},         {chips::Gfx11Plus, "vmcnt", 10, 6, 0, 0},
    {UpToGfx10, "expcnt", 4, 3, 0, 0},         {chips::Gfx11Plus, "expcnt", 0, 3, 0, 0},
    {chips::Gfx9, "lgkmcnt", 8, 4, 0, 0},      {chips::Gfx10, "lgkmcnt", 8, 6, 0, 0},
    {chips::Gfx11Plus, "lgkmcnt", 4, 6, 0, 0},
};

/// Chips with depctr_hold_cnt.
constexpr uint8_t HasHoldCounter = chips::Gfx10_3 | chips::Gfx11Plus;
/// LLVM, AMDGPUAsmUtils.cpp, DepCtrInfo.
constexpr CounterRow DepctrRows[] = {
    {HasHoldCounter, "depctr_hold_cnt", 7, 1, 0, 0},
    {chips::Gfx10Plus, "depctr_sa_sdst", 0, 1, 0, 0},
    {chips::Gfx10Plus, "depctr_va_vdst", 12, 4, 0, 0},
    {chips::Gfx10Plus, "depctr_va_sdst", 9, 3, 0, 0},
    {chips::Gfx10Plus, "depctr_va_ssrc", 8, 1, 0, 0},
    {chips::Gfx10Plus, "depctr_va_vcc", 1, 1, 0, 0},
    {chips::Gfx10Plus, "depctr_vm_vsrc", 2, 3, 0, 0},
};

} // namespace

/// Empty when the chip has no name for the number.
static StringRef findName(ArrayRef<NameRow> rows, Chip chip, unsigned number) {
  for (const NameRow &row : rows)
    if (row.number == number && contains(row.chips, chip))
      return row.name;
  return "";
}

//===- Decoding: the same for all, except for the field
//------------------------------------------===//

/// Adds the field as an operand of this type.
template <OperandType Type, Field Name>
static bool decodeImmediate(DecodeState &state, const Slot &) {
  Operand operand;
  operand.type = Type;
  operand.value = static_cast<int64_t>(state.field(Name));
  state.inst.operands.push_back(operand);
  return true;
}

/// False when there is no operand or the field is too narrow for its value. Any type of operand is
/// accepted.
template <Field Name> static bool encodeImmediate(EncodeState &state, const Slot &) {
  const Operand *operand = state.takeOperand();
  return operand && state.setField(Name, static_cast<uint64_t>(operand->value));
}

/// Numbers that no inline constant has are literals.
static bool decodeNumber(DecodeState &state, const Slot &slot) {
  decodeImmediate<OperandType::Integer, Field::Simm16>(state, slot);
  Operand &operand = state.inst.operands.back();
  if (operand.value > 64)
    operand.type = OperandType::Literal;
  return true;
}

//===- Numbers --------------------------------------------------------------------------------===//

/// The next operand as a 16-bit immediate.
static uint16_t takeImmediate(PrintState &state) {
  return static_cast<uint16_t>(state.takeOperand().value);
}

static void printDecimal(PrintState &state, const Slot &) {
  state.os << takeImmediate(state);
}

static void printHex(PrintState &state, const Slot &) {
  state.os << format_hex(takeImmediate(state), 0);
}

/// What an inline constant could say in decimal, the rest in hexadecimal.
static void printNumber(PrintState &state, const Slot &) {
  uint16_t value = takeImmediate(state);
  if (value <= 64)
    state.os << value;
  else
    state.os << format_hex(value, 0);
}

/// s_version: the compiler's target and the wave sizes it compiled for.
static void printVersion(PrintState &state, const Slot &) {
  static constexpr NameRow Names[] = {{chips::Gfx10Plus, 0, "UC_VERSION_GFX7"},
                                      {chips::Gfx10Plus, 4, "UC_VERSION_GFX10"},
                                      {chips::Gfx10Plus, 6, "UC_VERSION_GFX11"},
                                      {chips::Gfx10Plus, 9, "UC_VERSION_GFX12"}};
  static constexpr StringLiteral Bits[] = {"|UC_VERSION_W64_BIT", "|UC_VERSION_W32_BIT",
                                           "|UC_VERSION_MDP_BIT"};
  uint16_t value = takeImmediate(state);
  if (value & 0x1f00) {
    state.os << format_hex(value, 0);
    return;
  }
  std::string text = findName(Names, state.chip(), value & 0xff).str();
  if (text.empty())
    text = std::to_string(value & 0xff);
  for (unsigned i = 0; i < std::size(Bits); ++i) {
    if (!(value >> (13 + i) & 1))
      continue;
    if (StringRef(text).contains('|'))
      text = "(" + text + ")";
    text += Bits[i];
  }
  state.os << text;
}

/// s_endpgm's number is seldom anything but 0, and then absent.
static bool decodeOptional(DecodeState &state, const Slot &slot) {
  return !state.field(Field::Simm16) ||
         decodeImmediate<OperandType::Integer, Field::Simm16>(state, slot);
}

/// A missing operand is encoded as 0.
static bool encodeOptional(EncodeState &state, const Slot &) {
  const Operand *operand = state.takeOperand();
  return state.setField(Field::Simm16, operand ? static_cast<uint64_t>(operand->value) : 0);
}

/// The immediate is printed only if decoding kept it.
static void printOptional(PrintState &state, const Slot &slot) {
  if (!state.inst.operands.empty())
    printDecimal(state, slot);
}

//===- Counters -------------------------------------------------------------------------------===//

/// The value of one counter.
static unsigned readCounter(const CounterRow &row, unsigned bits) {
  unsigned value = bits >> row.lsb & maskTrailingOnes<unsigned>(row.width);
  return value | (bits >> row.highLsb & maskTrailingOnes<unsigned>(row.highWidth)) << row.width;
}

/// Writes the counters that are not at their maximum; all when all are.
static void printCounters(raw_ostream &os, ArrayRef<CounterRow> rows, Chip chip, unsigned bits) {
  auto isMax = [&](const CounterRow &row) {
    return readCounter(row, bits) == maskTrailingOnes<unsigned>(row.width + row.highWidth);
  };
  bool printAll =
      all_of(rows, [&](const CounterRow &row) { return !contains(row.chips, chip) || isMax(row); });
  bool first = true;
  for (const CounterRow &row : rows) {
    if (!contains(row.chips, chip) || (isMax(row) && !printAll))
      continue;
    os << (first ? "" : " ") << row.name << '(' << readCounter(row, bits) << ')';
    first = false;
  }
}

static void printWaitcnt(PrintState &state, const Slot &) {
  uint16_t bits = takeImmediate(state);
  printCounters(state.os, WaitRows, state.chip(), bits);
}

/// A number when bits outside of the chip's fields are set.
static void printDepctr(PrintState &state, const Slot &) {
  uint16_t bits = takeImmediate(state);
  unsigned used = 0;
  for (const CounterRow &row : DepctrRows)
    if (contains(row.chips, state.chip()))
      used |= maskTrailingOnes<unsigned>(row.width) << row.lsb;
  if (bits & ~used)
    state.os << format_hex(bits, 0);
  else
    printCounters(state.os, DepctrRows, state.chip(), bits);
}

/// s_delay_alu: two dependencies, and how many instructions are between them.
static void printDelay(PrintState &state, const Slot &) {
  static constexpr StringLiteral Ids[] = {"VALU_DEP_1",    "VALU_DEP_2",        "VALU_DEP_3",
                                          "VALU_DEP_4",    "TRANS32_DEP_1",     "TRANS32_DEP_2",
                                          "TRANS32_DEP_3", "FMA_ACCUM_CYCLE_1", "SALU_CYCLE_1",
                                          "SALU_CYCLE_2",  "SALU_CYCLE_3"};
  static constexpr StringLiteral Skips[] = {"NEXT", "SKIP_1", "SKIP_2", "SKIP_3", "SKIP_4"};
  struct Part {
    StringLiteral name;
    unsigned value;
    ArrayRef<StringLiteral> values;
    StringLiteral invalid;
  };
  uint16_t bits = takeImmediate(state);
  const Part parts[] = {{"instid0", bits & 15u, Ids, "/* invalid instid value */"},
                        {"instskip", bits >> 4 & 7u, Skips, "/* invalid instskip value */"},
                        {"instid1", bits >> 7 & 15u, Ids, "/* invalid instid value */"}};
  StringRef separator = "";
  for (const Part &part : parts) {
    if (!part.value)
      continue;
    StringRef text = part.value <= part.values.size() ? part.values[part.value - 1] : part.invalid;
    state.os << separator << part.name << '(' << text << ')';
    separator = " | ";
  }
  if (separator.empty())
    state.os << '0';
}

//===- Registers and messages -----------------------------------------------------------------===//

/// Without offset and size if it is the whole register.
static void printHwreg(PrintState &state, const Slot &) {
  uint16_t bits = takeImmediate(state);
  unsigned id = bits & 63;
  unsigned offset = bits >> 6 & 31;
  unsigned size = (bits >> 11 & 31) + 1;
  StringRef name = findName(HwRegisters, state.chip(), id);
  state.os << "hwreg(";
  if (name.empty())
    state.os << id;
  else
    state.os << name;
  if (offset != 0 || size != 32)
    state.os << ", " << offset << ", " << size;
  state.os << ')';
}

/// The operation's name; empty when the message has none, or none of that number.
static StringRef operationName(Chip chip, unsigned id, unsigned operation, unsigned stream) {
  if (id == MessageSystem)
    return stream ? "" : findName(SystemOperations, chip, operation);
  bool isKnown =
      operation < std::size(GsOperations) && (operation ? true : id == MessageGsDone && !stream);
  return isKnown ? StringRef(GsOperations[operation]) : "";
}

/// Messages that have an operation, up to GFX10.
static bool takesOperation(Chip chip, unsigned id) {
  return contains(UpToGfx10, chip) &&
         (id == MessageGs || id == MessageGsDone || id == MessageSystem);
}

/// By names if all parts have one; else by numbers, or as one number.
static void printMessage(PrintState &state, const Slot &) {
  uint16_t bits = takeImmediate(state);
  Chip chip = state.chip();
  bool isLong = contains(chips::Gfx11Plus, chip); // No operations and streams any more.
  unsigned id = bits & (isLong ? 255 : 15);
  unsigned operation = isLong ? 0 : bits >> 4 & 7;
  unsigned stream = isLong ? 0 : bits >> 8 & 3;
  StringRef name = findName(Messages, chip, id);
  StringRef operationText;
  bool hasOperation = takesOperation(chip, id);
  if (hasOperation)
    operationText = operationName(chip, id, operation, stream);
  bool isNamed = !name.empty() && (hasOperation ? !operationText.empty() : !operation && !stream);
  if (isNamed) {
    state.os << "sendmsg(" << name;
    if (hasOperation)
      state.os << ", " << operationText;
    if (hasOperation && id != MessageSystem && operation)
      state.os << ", " << stream;
    state.os << ')';
  } else if ((id | operation << 4 | stream << 8) == bits) {
    state.os << "sendmsg(" << id << ", " << operation << ", " << stream << ')';
  } else {
    state.os << bits;
  }
}

/// The operands that s_set_gpr_idx applies to.
static void printIndexMode(PrintState &state, const Slot &) {
  static constexpr StringLiteral Names[] = {"SRC0", "SRC1", "SRC2", "DST"};
  uint16_t bits = takeImmediate(state);
  if (bits > 15) {
    state.os << format_hex(bits, 0);
    return;
  }
  state.os << "gpr_idx(";
  StringRef separator = "";
  for (unsigned i = 0; i < 4; ++i) {
    if (!(bits >> i & 1))
      continue;
    state.os << separator << Names[i];
    separator = ",";
  }
  state.os << ')';
}

//===- Interpolation --------------------------------------------------------------------------===//

/// Operand::value is four times the attribute plus the channel.
static bool decodeAttribute(DecodeState &state, const Slot &) {
  Operand operand;
  operand.type = OperandType::Text;
  operand.value =
      static_cast<int64_t>(state.field(Field::Attribute) * 4 + state.field(Field::Channel));
  state.inst.operands.push_back(operand);
  return true;
}

/// The reverse of decodeAttribute().
static bool encodeAttribute(EncodeState &state, const Slot &) {
  const Operand *operand = state.takeOperand();
  return operand && state.setField(Field::Attribute, static_cast<uint64_t>(operand->value) / 4) &&
         state.setField(Field::Channel, static_cast<uint64_t>(operand->value) % 4);
}

/// An attribute's channel is in the lowest two bits.
static void printAttribute(PrintState &state, const Slot &) {
  auto value = static_cast<unsigned>(state.takeOperand().value);
  state.os << "attr" << value / 4 << '.' << "xyzw"[value % 4];
}

/// The parameter that v_interp_mov reads: 0 to 2.
static void printParameter(PrintState &state, const Slot &) {
  static constexpr StringLiteral Names[] = {"p10", "p20", "p0"};
  auto value = static_cast<unsigned>(state.takeOperand().value);
  if (value < std::size(Names))
    state.os << Names[value];
  else
    state.os << "invalid_param_" << value;
}

/// The modifier "high" (the upper 16 bits of the register) is in Modifiers::other, too.
static bool decodeHigh(DecodeState &state, const Slot &) {
  state.inst.mods.high = state.field(Field::High);
  if (state.inst.mods.high)
    state.inst.mods.other.push_back("high");
  return true;
}

static bool encodeHigh(EncodeState &state, const Slot &) {
  return state.setField(Field::High, state.inst.mods.high);
}

static void printHigh(PrintState &state, const Slot &) {
  if (state.inst.mods.high)
    state.os << " high";
}

namespace {
/// A wait that an instruction has built in.
struct WaitWord {
  Field field;
  StringLiteral name;
  uint8_t Modifiers::*value;
};
} // namespace

/// The waits of VINTERP and of LDS loads. WaitVdst and WaitVaVdst share a field: GFX12 has the
/// second name.
static constexpr WaitWord WaitExp = {Field::WaitExp, "wait_exp", &Modifiers::waitExp};
static constexpr WaitWord WaitVdst = {Field::WaitVdst, "wait_vdst", &Modifiers::waitVdst};
static constexpr WaitWord WaitVaVdst = {Field::WaitVdst, "wait_va_vdst", &Modifiers::waitVdst};
static constexpr WaitWord WaitVmVsrc = {Field::WaitVsrc, "wait_vm_vsrc", &Modifiers::waitVsrc};

/// The wait is in Modifiers::other as well, as in the text.
template <const WaitWord &Word> static bool decodeWaitWord(DecodeState &state, const Slot &) {
  auto value = static_cast<uint8_t>(state.field(Word.field));
  state.inst.mods.*Word.value = value;
  state.inst.mods.other.push_back((Word.name + ":" + Twine(unsigned(value))).str());
  return true;
}

/// Encodes the number in its member of Modifiers, and not the text in Modifiers::other.
template <const WaitWord &Word> static bool encodeWaitWord(EncodeState &state, const Slot &) {
  return state.setField(Word.field, state.inst.mods.*Word.value);
}

/// Prints one counter of an instruction that waits for itself.
template <const WaitWord &Word> static void printWaitWord(PrintState &state, const Slot &) {
  state.os << ' ' << Word.name << ':' << unsigned(state.inst.mods.*Word.value);
}

/// Columns: name, decoder, encoder, printer.
ArrayRef<SlotKind> gcn::scalarSlotKinds() {
  constexpr auto DecodeText = decodeImmediate<OperandType::Text, Field::Simm16>;
  constexpr auto DecodeInteger = decodeImmediate<OperandType::Integer, Field::Simm16>;
  constexpr auto DecodeHex = decodeImmediate<OperandType::Literal, Field::Simm16>;
  constexpr auto Encode = encodeImmediate<Field::Simm16>;
  static constexpr SlotKind Kinds[] = {
      {"label", DecodeInteger, Encode, printDecimal},
      {"hex", DecodeHex, Encode, printHex},
      {"version", DecodeText, Encode, printVersion},
      {"number", decodeNumber, Encode, printNumber},
      {"optional", decodeOptional, encodeOptional, printOptional},
      {"waitcnt", DecodeText, Encode, printWaitcnt},
      {"depctr", DecodeText, Encode, printDepctr},
      {"delay", DecodeText, Encode, printDelay},
      {"hwreg", DecodeText, Encode, printHwreg},
      {"message", DecodeText, Encode, printMessage},
      {"indexmode", DecodeText, Encode, printIndexMode},
      {"message8", decodeImmediate<OperandType::Text, Field::Ssrc0>, encodeImmediate<Field::Ssrc0>,
       printMessage},
      {"indexmode8", decodeImmediate<OperandType::Text, Field::Ssrc1>,
       encodeImmediate<Field::Ssrc1>, printIndexMode},
      {"attribute", decodeAttribute, encodeAttribute, printAttribute},
      {"parameter", decodeImmediate<OperandType::Text, Field::Src0>, encodeImmediate<Field::Src0>,
       printParameter},
      {"parameter9", decodeImmediate<OperandType::Text, Field::Src1>, encodeImmediate<Field::Src1>,
       printParameter},
      {"high", decodeHigh, encodeHigh, printHigh},
      {"wait_exp", decodeWaitWord<WaitExp>, encodeWaitWord<WaitExp>, printWaitWord<WaitExp>},
      {"wait_vdst", decodeWaitWord<WaitVdst>, encodeWaitWord<WaitVdst>, printWaitWord<WaitVdst>},
      {"wait_va_vdst", decodeWaitWord<WaitVaVdst>, encodeWaitWord<WaitVaVdst>,
       printWaitWord<WaitVaVdst>},
      {"wait_vm_vsrc", decodeWaitWord<WaitVmVsrc>, encodeWaitWord<WaitVmVsrc>,
       printWaitWord<WaitVmVsrc>},
  };
  return Kinds;
}
