// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// s_getreg and s_setreg: the hardware registers that the code of a user may look at. What tells of
// a place in a chip (which SIMD, which bank) says that the wave is at the first. Numbers:
// LLVM's Hwreg::Id; fields: AMD's ISA manuals, "Hardware Register Values", "STATUS", "TRAPSTS",
// "GPR_ALLOC".
#include "oracles/machine/gcn/Bind.h"
#include "oracles/machine/gcn/Operands.h"
#include "oracles/machine/gcn/Program.h"
#include "oracles/machine/gcn_isa/Isa.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;
using namespace assay;
using namespace assay::gcn;

namespace {

/// The operand of s_getreg and s_setreg.
struct HwregField {
  unsigned id, offset, width;
  uint32_t mask() const { return maskTrailingOnes<uint32_t>(width); }
};

/// A register on the chips that have it.
struct RegisterRow {
  uint8_t id;
  uint8_t chips;
  uint32_t (*read)(const Wave &wave);
  void (*write)(Wave &wave, uint32_t value); ///< Null: code of a user changes nothing.
};

} // namespace

/// Bits 5:0 are the number, 10:6 the offset, 15:11 the width less one.
static HwregField hwregField(const MicroOp &op) {
  return {op.simm16 & 63u, (op.simm16 >> 6) & 31u, ((op.simm16 >> 11) & 31u) + 1};
}

static uint32_t readMode(const Wave &wave) {
  return wave.getMode();
}
static void writeMode(Wave &wave, uint32_t value) {
  wave.setMode(value);
}

/// The bits of STATUS that the machine knows; the others are 0.
static uint32_t readStatus(const Wave &wave) {
  constexpr unsigned ExportReady = 8, ExecZero = 9, VccZero = 10, InGroup = 11, Valid = 16;
  return uint32_t(wave.scc) | 1u << ExportReady | uint32_t(wave.exec() == 0) << ExecZero |
         uint32_t(wave.vcc() == 0) << VccZero | uint32_t(wave.group->waveCount > 1) << InGroup |
         1u << Valid;
}

/// GFX12's STATUS lacks what the trap handler's STATE_PRIV has, SCC among it.
static uint32_t readStatePrivate(const Wave &wave) {
  constexpr unsigned Scc = 9;
  return uint32_t(wave.scc) << Scc;
}

/// No exceptions, no trap handler, no counters of other units, no POPS.
static uint32_t readZero(const Wave &) {
  return 0;
}

/// HW_ID: where the wave is in the chip.
static uint32_t readWaveNumber(const Wave &wave) {
  return wave.number & 31;
}

/// VGPR_SIZE and SGPR_SIZE, in blocks of four and eight, less one.
static uint32_t readRegisterCounts(const Wave &wave) {
  constexpr unsigned VgprSize = 8, SgprSize = 24;
  auto vgprs = static_cast<uint32_t>(divideCeil(std::max<size_t>(wave.v.size(), 1), 4) - 1);
  uint32_t sgprs = divideCeil(std::max(wave.group->program->options().sgprCount, 1u), 8u) - 1;
  return (vgprs & 63) << VgprSize | (sgprs & 15) << SgprSize;
}

/// LDS_SIZE in blocks of 128 dwords.
static uint32_t readLdsSize(const Wave &wave) {
  constexpr unsigned LdsSize = 12, BlockBytes = 512;
  return static_cast<uint32_t>(divideCeil(wave.group->lds.size(), BlockBytes) & 511) << LdsSize;
}

/// Upper 16 bits of both apertures' addresses.
static uint32_t readApertures(const Wave &) {
  return (SharedAperture >> 16) << 16 | PrivateAperture >> 16;
}

/// Half of FLAT_SCRATCH.
template <unsigned Shift> static uint32_t readScratchBase(const Wave &wave) {
  return static_cast<uint32_t>(wave.scratchBase >> Shift);
}
template <unsigned Shift> static void writeScratchBase(Wave &wave, uint32_t value) {
  uint64_t kept = wave.scratchBase & ~(0xffffffffull << Shift);
  wave.scratchBase = kept | uint64_t(value) << Shift;
}

static uint32_t readScheduleMode(const Wave &wave) {
  return wave.scheduleMode;
}
/// Only two bits are kept.
static void writeScheduleMode(Wave &wave, uint32_t value) {
  wave.scheduleMode = value & 3;
}

/// 20 bits up to GFX11, 32 on GFX12, where another register has the rest.
static uint32_t readClock(const Wave &wave) {
  return static_cast<uint32_t>(wave.gfxMajor >= 12 ? wave.instructions
                                                   : wave.instructions & 0xfffff);
}
static uint32_t readClockHigh(const Wave &wave) {
  return static_cast<uint32_t>(wave.instructions >> 32);
}

constexpr uint8_t UpToGfx11 = chips::Gfx9 | chips::Gfx10 | chips::Gfx11;

/// A number may occur twice, for different chips.
static constexpr RegisterRow Registers[] = {
    {1, chips::All, readMode, writeMode},
    {2, chips::All, readStatus, nullptr},
    {3, UpToGfx11, readZero, nullptr},         // TRAPSTS
    {4, chips::Gfx9, readWaveNumber, nullptr}, // HW_ID
    {4, chips::Gfx12, readStatePrivate, nullptr},
    {5, chips::All, readRegisterCounts, nullptr},
    {6, chips::All, readLdsSize, nullptr},
    {7, chips::All, readZero, nullptr},    // IB_STS
    {10, chips::Gfx12, readZero, nullptr}, // PERF_SNAPSHOT_DATA
    {11, chips::Gfx12, readZero, nullptr}, // PERF_SNAPSHOT_PC_LO
    {12, chips::Gfx12, readZero, nullptr}, // PERF_SNAPSHOT_PC_HI
    {13, chips::Gfx11, readZero, nullptr}, // FLUSH_IB
    {15, chips::All, readApertures, nullptr},
    {16, chips::Gfx9 | chips::Gfx10, readZero, nullptr}, // TBA_LO
    {17, chips::Gfx9 | chips::Gfx10, readZero, nullptr}, // TBA_HI
    {18, UpToGfx11, readZero, nullptr},                  // TMA_LO; PERF_SNAPSHOT_PC_LO on GFX11
    {19, UpToGfx11, readZero, nullptr},                  // TMA_HI; PERF_SNAPSHOT_PC_HI
    {17, chips::Gfx12, readZero, nullptr},               // EXCP_FLAG_PRIV
    {18, chips::Gfx12, readZero, nullptr},               // EXCP_FLAG_USER
    {19, chips::Gfx12, readZero, nullptr},               // TRAP_CTRL
    {20, chips::Gfx10Plus, readScratchBase<0>, writeScratchBase<0>},
    {21, chips::Gfx10Plus, readScratchBase<32>, writeScratchBase<32>},
    {22, chips::Gfx10_1, readZero, nullptr},         // XNACK_MASK
    {23, chips::Gfx10Plus, readWaveNumber, nullptr}, // HW_ID1
    {24, chips::Gfx10Plus, readZero, nullptr},       // HW_ID2
    {25, chips::Gfx10, readZero, nullptr},           // POPS_PACKER
    {26, chips::Gfx11Plus, readScheduleMode, writeScheduleMode},
    {27, chips::Gfx11Plus, readZero, nullptr}, // PERF_SNAPSHOT_DATA
    {28, chips::Gfx11Plus, readZero, nullptr}, // IB_STS2
    {29, chips::Gfx10_3 | chips::Gfx11Plus, readClock, nullptr},
    {30, chips::Gfx12, readClockHigh, nullptr},
    {31, chips::Gfx12, readZero, nullptr}, // DVGPR_ALLOC_LO
    {32, chips::Gfx12, readZero, nullptr}, // DVGPR_ALLOC_HI
};

/// Null after ending the run: the chip has no such register.
static const RegisterRow *findRegister(Wave &wave, const MicroOp &op) {
  unsigned id = hwregField(op).id;
  std::optional<Chip> chip = findChip(wave.group->program->options().targetName);
  for (const RegisterRow &row : Registers)
    if (row.id == id && chip && contains(row.chips, *chip))
      return &row;
  wave.fail(OutcomeKind::Trap, "HWREG", op, "hardware register " + Twine(id) + " does not exist");
  return nullptr;
}

static void runGetReg(Wave &wave, const MicroOp &op) {
  HwregField field = hwregField(op);
  if (const RegisterRow *row = findRegister(wave, op))
    wave.writeScalar(op.destination.index, row->read(wave) >> field.offset & field.mask());
}

/// Replaces one field; writes to read-only registers are ignored.
static void setRegister(Wave &wave, const MicroOp &op, uint32_t value) {
  const RegisterRow *row = findRegister(wave, op);
  if (!row || !row->write)
    return;
  HwregField field = hwregField(op);
  uint32_t mask = field.mask() << field.offset;
  row->write(wave, (row->read(wave) & ~mask) | (value << field.offset & mask));
}

static void runSetReg(Wave &wave, const MicroOp &op) {
  // Printed as "hwreg(...), s0"; the first operand is in simm16.
  setRegister(wave, op, static_cast<uint32_t>(readUniform(wave, op.sources[1])));
}

/// The value is the literal after the instruction.
static void runSetRegImm(Wave &wave, const MicroOp &op) {
  setRegister(wave, op, op.inst->words[1]);
}

/// MODE[3:0].
static void runRoundMode(Wave &wave, const MicroOp &op) {
  wave.setMode((wave.getMode() & ~0xfu) | (op.simm16 & 0xf));
}

/// MODE[7:4].
static void runDenormMode(Wave &wave, const MicroOp &op) {
  wave.setMode((wave.getMode() & ~0xf0u) | (op.simm16 & 0xf) << 4);
}

ArrayRef<OpRow> gcn::hardwareRegisterRows() {
  static constexpr OpRow Rows[] = {
      {"s_getreg_b32", runGetReg, 1},       {"s_setreg_b32", runSetReg},
      {"s_setreg_imm32_b32", runSetRegImm}, {"s_round_mode", runRoundMode},
      {"s_denorm_mode", runDenormMode},
  };
  return Rows;
}
