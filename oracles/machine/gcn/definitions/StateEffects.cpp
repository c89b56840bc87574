// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scalar instructions on the wave's state: hardware registers, modes, EXEC, registers by index.
// Sources: AMD's ISA manuals ("Hardware Register Values", "STATUS", "GPR_ALLOC", the SOP1 and SOPK
// opcodes); LLVM's Hwreg::Id for numbers. What tells of a place in a chip is docs/gcn-machine.md's:
// the first one.
#include "oracles/machine/gcn/definitions/ControlMeaning.h"

using namespace llvm;
using namespace assay;
using namespace assay::gcn;
using namespace assay::gcn::definitions;

// --- Hardware registers

namespace {
/// A register that s_getreg can read, on generations \c minGfx to \c maxGfx.
struct HardwareRegister {
  unsigned number, minGfx, maxGfx;
  uint32_t (*read)(const World &world);
  void (*write)(World &world, uint32_t value); ///< Null: nothing happens.
};
} // namespace

/// STATUS of a wave that executes outside of a trap handler.
static uint32_t status(const World &w) {
  bool isVccZero = !(w.s[sreg::VccLo] | (w.lanes == 64 ? w.s[sreg::VccLo + 1] : 0));
  uint32_t bits = w.scc;
  bits += 1u << 8; // EXPORT_RDY
  bits += uint32_t(w.exec() == 0) << 9;
  bits += uint32_t(isVccZero) << 10;
  bits += uint32_t(w.waveCount > 1) << 11; // IN_TG
  return bits + (1u << 16);                // VALID
}

/// Half \p index of FLAT_SCRATCH.
static uint32_t scratchWord(const World &w, unsigned index) {
  return static_cast<uint32_t>(w.scratch.base >> (32 * index));
}
/// Replaces one half of the address of scratch; \p index 0 is the low one.
static void setScratchWord(World &w, unsigned index, uint32_t value) {
  uint64_t other = w.scratch.base & (index ? 0xffffffffull : ~0xffffffffull);
  w.scratch.base = other + (uint64_t(value) << (32 * index));
}

static uint32_t nothing(const World &) {
  return 0;
}
/// HW_ID of the first place in a chip: only the wave's number in the workgroup differs.
static uint32_t ownNumber(const World &w) {
  return w.waveNumber % 32;
}

/// Numbers may occur twice, for different generations.
static const HardwareRegister Registers[] = {
    {1, 9, 12, [](const World &w) { return w.mode; }, [](World &w, uint32_t v) { w.mode = v; }},
    {2, 9, 12, status, nullptr},
    {3, 9, 11, nothing, nullptr}, // TRAPSTS
    {4, 9, 9, ownNumber, nullptr},
    {4, 12, 12, [](const World &w) { return uint32_t(w.scc) << 9; }, nullptr}, // STATE_PRIV
    {5, 9, 12,
     [](const World &w) {
       return ((w.vgprBlocks - 1) % 64) << 8 | ((w.sgprBlocks - 1) % 16) << 24;
     },
     nullptr},
    {6, 9, 12, [](const World &w) { return uint32_t((w.lds.bytes.size() + 511) / 512) << 12; },
     nullptr},
    {7, 9, 12, nothing, nullptr},
    {10, 12, 12, nothing, nullptr},
    {11, 12, 12, nothing, nullptr},
    {12, 12, 12, nothing, nullptr},
    {13, 11, 11, nothing, nullptr},
    {15, 9, 12, [](const World &) { return 0x00010002u; }, nullptr}, // Apertures' upper halves.
    {16, 9, 10, nothing, nullptr},
    {17, 9, 10, nothing, nullptr},
    {17, 12, 12, nothing, nullptr},
    {18, 9, 12, nothing, nullptr},
    {19, 9, 12, nothing, nullptr},
    {20, 10, 12, [](const World &w) { return scratchWord(w, 0); },
     [](World &w, uint32_t v) { setScratchWord(w, 0, v); }},
    {21, 10, 12, [](const World &w) { return scratchWord(w, 1); },
     [](World &w, uint32_t v) { setScratchWord(w, 1, v); }},
    {22, 10, 10, nothing, nullptr},
    {23, 10, 12, ownNumber, nullptr},
    {24, 10, 12, nothing, nullptr},
    {25, 10, 10, nothing, nullptr},
    {26, 11, 12, [](const World &w) { return w.scheduleMode; },
     [](World &w, uint32_t v) { w.scheduleMode = v % 4; }},
    {27, 11, 12, nothing, nullptr},
    {28, 11, 12, nothing, nullptr},
    {29, 10, 12,
     [](const World &w) {
       return uint32_t(w.gfx == 12 ? w.instructions : w.instructions % 0x100000);
     },
     nullptr},
    {30, 12, 12, [](const World &w) { return uint32_t(w.instructions >> 32); }, nullptr},
    {31, 12, 12, nothing, nullptr},
    {32, 12, 12, nothing, nullptr},
};

/// Null after setting World::faults: there is no such register. Of GFX10, only 10.1 has register 22
/// (XNACK_MASK), and only 10.3 register 29 (SHADER_CYCLES).
static const HardwareRegister *findRegister(const Request &request, World &world) {
  bool isOfOtherHalf = world.gfx == 10 && request.hwreg == (world.isGfx10_3 ? 22u : 29u);
  for (const HardwareRegister &row : Registers)
    if (!isOfOtherHalf && row.number == request.hwreg && world.gfx >= row.minGfx &&
        world.gfx <= row.maxGfx)
      return &row;
  world.faults = true;
  return nullptr;
}

/// A mask of the field's width, at bit 0.
static uint32_t fieldMask(const Request &request) {
  return request.hwregWidth == 32 ? ~0u : (1u << request.hwregWidth) - 1;
}

static void getRegister(const Request &request, World &world) {
  if (const HardwareRegister *row = findRegister(request, world))
    world.s[request.dst] = row->read(world) >> request.hwregOffset & fieldMask(request);
}

/// Replaces one field; writes to read-only registers are ignored.
static void setRegister(const Request &request, World &world, uint32_t value) {
  const HardwareRegister *row = findRegister(request, world);
  if (!row || !row->write)
    return;
  uint32_t mask = fieldMask(request) << request.hwregOffset;
  row->write(world, (row->read(world) & ~mask) | (value << request.hwregOffset & mask));
}

// --- Registers by index

/// Beyond the SGPRs that can be named, the run ends.
static bool isBeyond(World &world, uint64_t index, unsigned count) {
  world.faults |= index + count > sreg::VccLo;
  return world.faults;
}

/// M0 is added to the number of the source.
static void moveFrom(const Request &request, World &world, unsigned count) {
  uint32_t from = request.data0 + world.s[sreg::M0]; // M0 may be negative.
  if (isBeyond(world, from, count))
    return;
  World before = world;
  for (unsigned i = 0; i < count; ++i)
    world.s[request.dst + i] = before.s[from + i];
}

/// M0 is added to the number of the destination.
static void moveTo(const Request &request, World &world, unsigned count) {
  uint32_t to = request.dst + world.s[sreg::M0];
  if (isBeyond(world, to, count))
    return;
  World before = world;
  for (unsigned i = 0; i < count; ++i)
    world.s[to + i] = before.s[request.data0 + i];
}

/// M0[9:0] for the source, M0[25:16] for the destination.
static void moveBoth(const Request &request, World &world) {
  unsigned from = request.data0 + world.s[sreg::M0] % 1024;
  unsigned to = request.dst + world.s[sreg::M0] / 0x10000 % 1024;
  world.faults |= std::max(from, to) >= world.sgprBlocks * 8 - 2;
  if (!world.faults)
    world.s[to] = world.s[from];
}

/// GFX9: which operands M0 is added to, by bit. M0[15:12] has a copy.
static void setIndexMode(World &world, unsigned mode) {
  world.gprIndexMode = mode;
  world.s[sreg::M0] = (world.s[sreg::M0] & ~0xf000u) | mode << 12;
}
static void setIndex(const Request &request, World &world) {
  world.s[sreg::M0] = world.s[sreg::M0] / 256 * 256 + world.s[request.data0] % 256;
}

#define DO(STATEMENT)                                                                              \
  [](const Request &r, World &w) {                                                                 \
    (void)r;                                                                                       \
    STATEMENT;                                                                                     \
  }

/// Columns as in jumpRows().
ArrayRef<ControlRow> gcn::definitions::stateRows() {
  using F = ScalarForm;
  static const ControlRow Rows[] = {
      {"getreg_b32", F::DstHwreg, 1, 0, getRegister},
      {"setreg_b32", F::HwregSource, 0, 1, DO(setRegister(r, w, w.s[r.data0]))},
      {"setreg_imm32_b32", F::HwregLiteral, 0, 0, DO(setRegister(r, w, r.immediate))},
      {"round_mode", F::Immediate, 0, 0, DO(w.mode = w.mode / 16 * 16 + r.immediate % 16)},
      {"denorm_mode", F::Immediate, 0, 0, DO(w.mode = (w.mode & ~0xf0u) + r.immediate % 16 * 16)},
      {"movrels_b32", F::DstSource, 1, 1, DO(moveFrom(r, w, 1))},
      {"movrels_b64", F::DstSource, 2, 2, DO(moveFrom(r, w, 2))},
      {"movreld_b32", F::DstSource, 1, 1, DO(moveTo(r, w, 1))},
      {"movreld_b64", F::DstSource, 2, 2, DO(moveTo(r, w, 2))},
      {"movrelsd_2_b32", F::DstSource, 1, 1, moveBoth},
      {"set_gpr_idx_on", F::SourceMode, 0, 1, DO(setIndex(r, w); setIndexMode(w, r.immediate))},
      {"set_gpr_idx_off", F::None, 0, 0, DO(w.gprIndexMode = 0)},
      {"set_gpr_idx_idx", F::Source, 0, 1, setIndex},
      {"set_gpr_idx_mode", F::Mode, 0, 0, DO(setIndexMode(w, r.immediate))},
      // Skipping vector instructions is not supported.
      {"setvskip", F::SourceSource, 0, 1, DO(w.faults = w.s[r.data0] >> (w.s[r.data1] % 32) & 1)},
      {"alloc_vgpr", F::Source, 0, 1, DO(w.scc = w.s[r.data0] % 512 <= w.vgprBlocks * 4)},
  };
  return Rows;
}

// --- EXEC

namespace {
/// Bit 2 * s + e: what source bit s and EXEC bit e become.
struct MaskOperation {
  StringLiteral names; ///< GFX9's and GFX11's.
  unsigned table;
};
constexpr MaskOperation MaskOperations[] = {{"and", 0b1000},
                                            {"or", 0b1110},
                                            {"xor", 0b0110},
                                            {"nand", 0b0111},
                                            {"nor", 0b0001},
                                            {"xnor", 0b1001},
                                            {"andn1|and_not0", 0b0010},
                                            {"andn2|and_not1", 0b0100},
                                            {"orn1|or_not0", 0b1011},
                                            {"orn2|or_not1", 0b1101}};
} // namespace

/// Of \p bits lanes, whatever the wave has. Else than saveexec, wrexec gives the new EXEC.
static void changeExec(const Request &request, World &world, unsigned table, unsigned bits,
                       bool givesNew) {
  uint64_t source = bits == 64 ? world.pair(request.data0) : world.s[request.data0];
  uint64_t old = bits == 64 ? world.pair(sreg::ExecLo) : world.s[sreg::ExecLo];
  uint64_t changed = 0;
  for (unsigned i = 0; i < bits; ++i)
    changed |= uint64_t(table >> ((source >> i & 1) * 2 + (old >> i & 1)) & 1) << i;
  uint64_t result = givesNew ? changed : old;
  for (unsigned i = 0; i < bits / 32; ++i) {
    world.s[request.dst + i] = static_cast<uint32_t>(result >> (32 * i));
    world.s[sreg::ExecLo + i] = static_cast<uint32_t>(changed >> (32 * i));
  }
  world.scc = changed != 0;
}

/// \p name is without "s_".
std::optional<Effect> gcn::definitions::execMaskEffect(StringRef name) {
  unsigned bits = name.ends_with("_b64") ? 64 : 32;
  if (!name.consume_back("_b64") && !name.consume_back("_b32"))
    return std::nullopt;
  bool givesNew = name.consume_back("_wrexec");
  if (!givesNew && !name.consume_back("_saveexec"))
    return std::nullopt;
  for (const MaskOperation &row : MaskOperations) {
    auto [first, second] = row.names.split('|');
    if (name != first && (second.empty() || name != second))
      continue;
    Effect effect;
    effect.scalar = ScalarForm::DstSource;
    effect.dst = effect.data0 = bits / 32;
    effect.run = [=, table = row.table](const Request &request, World &world) {
      changeExec(request, world, table, bits, givesNew);
    };
    return effect;
  }
  return std::nullopt;
}
