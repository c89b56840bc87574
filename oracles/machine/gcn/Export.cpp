// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Exports and messages. Sources: AMD's ISA manuals, "Export" and "S_SENDMSG" (Vega 11.1, RDNA 1 and
// 2 chapter 11, RDNA 3 and 4 chapter 13/14); LLVM's Exp::Target and SendMsg::Id for the numbers.
#include "oracles/machine/gcn/Bind.h"
#include "oracles/machine/gcn/Events.h"
#include "oracles/machine/gcn/Operands.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/bit.h"

using namespace llvm;
using namespace assay;
using namespace assay::gcn;

namespace {

/// Numbers of targets from \c first on, on generations \c minGfx to \c maxGfx.
struct PlaceRow {
  uint8_t first, count;
  ExportTarget target;
  uint8_t minGfx, maxGfx;
};

constexpr PlaceRow Places[] = {
    {0, 8, ExportTarget::Color, 9, 12},        {8, 1, ExportTarget::Depth, 9, 12},
    {9, 1, ExportTarget::Nothing, 9, 10},      {12, 4, ExportTarget::Position, 9, 12},
    {16, 1, ExportTarget::Position, 10, 12},   {20, 1, ExportTarget::Primitive, 10, 12},
    {21, 2, ExportTarget::DualSource, 11, 12}, {32, 32, ExportTarget::Parameter, 9, 10},
};

/// The fields of an EXP or VEXPORT, which the encoding says better than its text.
struct ExportFields {
  unsigned enabled, target;
  bool isCompressed, isDone, isValidMask, hasRow;
};

/// The bits of M0 that are the row of an export: eight (RDNA 3.5, "Export", instruction fields).
constexpr uint32_t exportRowMask = 0xff;

/// The bits of s_sendmsg that are the message, without operation and stream.
constexpr unsigned oldMessageMask = 0xf;  ///< GFX9, GFX10.
constexpr unsigned newMessageMask = 0xff; ///< From GFX11 on.

/// A message that the generations \c minGfx to \c maxGfx have.
struct MessageRow {
  uint8_t id;
  uint8_t minGfx, maxGfx;
};

/// Messages that hardware takes from the shaders of a user. (The others belong to trap handlers and
/// debuggers.)
constexpr MessageRow Messages[] = {
    {1, 9, 12},   // INTERRUPT
    {2, 9, 10},   // GS
    {3, 9, 10},   // GS_DONE
    {2, 11, 12},  // HS_TESSFACTOR
    {3, 11, 12},  // DEALLOC_VGPRS
    {9, 9, 12},   // GS_ALLOC_REQ
    {4, 9, 10},   // SAVEWAVE
    {5, 9, 12},   // STALL_WAVE_GEN
    {6, 9, 12},   // HALT_WAVES
    {7, 9, 10},   // ORDERED_PS_DONE
    {8, 9, 9},    // EARLY_PRIM_DEALLOC
    {10, 9, 10},  // GET_DOORBELL
    {11, 10, 10}, // GET_DDID
};

constexpr unsigned returnedMessageMask = 0xff; ///< Of s_sendmsg_rtn.

} // namespace

/// What target number \p number means; nothing when the generation does not have it.
std::optional<ExportPlace> gcn::findExportPlace(unsigned number, unsigned gfxMajor) {
  for (const PlaceRow &row : Places)
    if (number >= row.first && number < unsigned(row.first) + row.count && gfxMajor >= row.minGfx &&
        gfxMajor <= row.maxGfx) {
      // POS4 has a row of its own after POS3.
      auto index = static_cast<uint8_t>(number - row.first);
      if (row.target == ExportTarget::Position)
        index = static_cast<uint8_t>(number - 12);
      return ExportPlace{row.target, index};
    }
  return std::nullopt;
}

/// COMPR and VM are there up to GFX10, the row from GFX11 on.
static ExportFields exportFields(const Inst &inst, unsigned gfxMajor) {
  uint32_t word = inst.words[0];
  bool isNew = gfxMajor >= 11;
  return {word & 15,
          word >> 4 & 63,
          !isNew && (word >> 10 & 1),
          bool(word >> 11 & 1),
          !isNew && (word >> 12 & 1),
          isNew && (word >> 13 & 1)};
}

/// The register that component \p component comes from.
static unsigned exportRegister(const Inst &inst, unsigned component) {
  return inst.words[1] >> (8 * component) & 0xff;
}

/// The lanes whose registers are read: with two sources (GFX11), both of a pair. LLVM, too, fills
/// inactive neighbours and exports with EXEC of the pixels (SIWholeQuadMode).
static uint64_t exportedLanes(const ExportRecord &record) {
  constexpr uint64_t even = 0x5555555555555555;
  if (record.place.target != ExportTarget::DualSource)
    return record.exec;
  return record.exec | (record.exec & even) << 1 | (record.exec >> 1 & even);
}

/// Records the export in Wave::exports. A trap for unknown targets, and after MaxExports.
static void runExport(Wave &wave, const MicroOp &op) {
  ExportFields fields = exportFields(*op.inst, wave.gfxMajor);
  std::optional<ExportPlace> place = findExportPlace(fields.target, wave.gfxMajor);
  if (!place)
    return wave.fail(OutcomeKind::Trap, "EXPORT", op,
                     "target " + Twine(fields.target) + " does not exist");
  if (wave.exports.size() >= MaxExports)
    return wave.fail(OutcomeKind::Trap, "EXPORT", op,
                     "more than " + Twine(MaxExports) + " exports of one wave");
  ExportRecord &record = wave.exports.emplace_back();
  record.place = *place;
  record.enabled = static_cast<uint8_t>(fields.enabled);
  record.isCompressed = fields.isCompressed;
  record.isDone = fields.isDone;
  record.isValidMask = fields.isValidMask;
  record.exec = wave.exec();
  record.instruction = wave.instructions;
  if (fields.hasRow)
    record.row = wave.s[sreg::M0] & exportRowMask;
  for (unsigned i = 0; i < op.sourceCount; ++i) {
    const Source &source = op.sources[i];
    if (source.operand.type != OperandType::Vgpr)
      continue;
    for (uint64_t left = exportedLanes(record); left; left &= left - 1) {
      auto lane = static_cast<unsigned>(countr_zero(left));
      record.values[i][lane] = wave.v[source.operand.index][lane];
    }
  }
}

/// Sources are the registers of the enabled components; others are empty operands.
BindResult gcn::bindExport(const Inst &inst, const ProgramOptions &options, MicroOp &op) {
  if (inst.mnemonic != "exp" && inst.mnemonic != "export")
    return BindResult::NotMine;
  ExportFields fields = exportFields(inst, options.gfxMajor);
  op.run = runExport;
  // Compressed, each register holds two components, each of which enables both.
  unsigned count = fields.isCompressed ? 2 : 4;
  for (unsigned i = 0; i < count; ++i) {
    unsigned bits = fields.isCompressed ? fields.enabled >> (2 * i) & 3 : fields.enabled >> i & 1;
    Operand operand;
    if (bits) {
      operand.type = OperandType::Vgpr;
      operand.index = static_cast<uint16_t>(exportRegister(inst, i));
    }
    addSource(op, operand, OperandKind::U32);
  }
  return BindResult::Bound;
}

// --- Messages

/// Adds the message to Wave::messages. False after ending the run.
static bool recordMessage(Wave &wave, const MicroOp &op) {
  unsigned id = op.simm16 & (wave.gfxMajor >= 11 ? newMessageMask : oldMessageMask);
  bool known = id == 0 || any_of(Messages, [&](const MessageRow &row) {
                 return row.id == id && wave.gfxMajor >= row.minGfx && wave.gfxMajor <= row.maxGfx;
               });
  if (!known) {
    wave.fail(OutcomeKind::Trap, "MESSAGE", op, "message " + Twine(id) + " is none of the chip's");
    return false;
  }
  if (wave.messages.size() >= MaxMessages) {
    wave.fail(OutcomeKind::Trap, "MESSAGE", op,
              "more than " + Twine(MaxMessages) + " messages of one wave");
    return false;
  }
  wave.messages.push_back({op.simm16, wave.s[sreg::M0], wave.instructions});
  return true;
}

static void runSendMessage(Wave &wave, const MicroOp &op) {
  recordMessage(wave, op);
}

/// The wave stands still until a debugger, which is not there, lets it go on.
static void runSendMessageHalt(Wave &wave, const MicroOp &op) {
  if (recordMessage(wave, op))
    wave.fail(OutcomeKind::Trap, "HALT", op, "the wave halts for ever");
}

/// GFX11: the message is where SOP1 has its source, and the answer comes into SGPRs.
static void answerMessage(Wave &wave, const MicroOp &op, unsigned bits) {
  constexpr unsigned First = 0x80;
  constexpr unsigned GetRealTime = 0x83;
  constexpr unsigned SaveWave = 0x84;
  const unsigned last = wave.gfxMajor >= 12 ? 0x87 : 0x86;
  unsigned id = op.inst->words[0] & returnedMessageMask;
  if (id < First || id > last || id == SaveWave)
    return wave.fail(OutcomeKind::Trap, "MESSAGE", op,
                     "message " + Twine(id) + " has no answer for the code of a user");
  // Doorbell, dispatch number, trap handler and its memory: there are none.
  uint64_t answer = id == GetRealTime ? wave.instructions : 0;
  writeScalarResult(wave, op.destination, answer, bits);
}

static void runSendMessageReturn32(Wave &wave, const MicroOp &op) {
  answerMessage(wave, op, 32);
}
static void runSendMessageReturn64(Wave &wave, const MicroOp &op) {
  answerMessage(wave, op, 64);
}

ArrayRef<OpRow> gcn::messageRows() {
  static constexpr OpRow Rows[] = {
      {"s_sendmsg", runSendMessage},
      {"s_sendmsghalt", runSendMessageHalt},
      {"s_sendmsg_rtn_b32", runSendMessageReturn32, 1},
      {"s_sendmsg_rtn_b64", runSendMessageReturn64, 1},
  };
  return Rows;
}
