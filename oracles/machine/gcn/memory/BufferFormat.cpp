// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Buffer accesses with conversion (MUBUF's format_*, MTBUF), of whole components or, with d16, of
// two in a register. Sources: AMD's ISA manuals, "Buffer Memory Instructions"; LLVM's names of
// formats.
#include "oracles/machine/gcn/memory/BufferAccess.h"
#include "llvm/ADT/APFloat.h"

using namespace llvm;
using namespace assay;
using namespace assay::gcn;

/// The number of the format in the encoding of a typed access (MTBUF; VBUFFER on GFX12). GFX9's
/// two fields stand the other way round than in descriptors.
static uint32_t typedFormat(const Inst &inst, unsigned gfxMajor) {
  if (gfxMajor >= 12)
    return inst.words[1] >> 23 & 0x7f;
  uint32_t field = inst.words[0] >> 19 & 0x7f;
  return gfxMajor == 9 ? (field & 15) << 3 | field >> 4 : field;
}

/// Sets BufferRun::texel from the instruction or the descriptor. False after ending the run: the
/// format is unknown.
bool gcn::chooseBufferFormat(Wave &wave, const MicroOp &op, BufferRun &run) {
  bool isTyped = StringRef(op.inst->mnemonic).starts_with("tbuffer_");
  uint32_t number = isTyped ? typedFormat(*op.inst, wave.gfxMajor) : run.descriptor.format;
  std::optional<HardwareFormat> format = decodeBufferFormat(number, wave.gfxMajor);
  if (!format) {
    wave.fail(OutcomeKind::Trap, "BAD-DESCRIPTOR", op, "its format is none");
    return false;
  }
  TexelView view;
  view.format = *format;
  for (unsigned i = 0; i < 4; ++i)
    view.select[i] = static_cast<uint8_t>(run.descriptor.dstSelect >> (3 * i) & 7);
  run.texel = view;
  return true;
}

/// A component as 16 bits: integers are cut, all others become f16.
uint32_t gcn::narrowComponent(uint32_t word, TexelClass kind) {
  if (kind == TexelClass::Uint || kind == TexelClass::Sint)
    return word & 0xffff;
  APFloat value(APFloat::IEEEsingle(), APInt(32, word));
  bool losesInfo = false;
  value.convert(APFloat::IEEEhalf(), APFloat::rmNearestTiesToEven, &losesInfo);
  return static_cast<uint32_t>(value.bitcastToAPInt().getZExtValue());
}

/// The reverse of narrowComponent(); bits from 16 on are ignored.
uint32_t gcn::widenComponent(uint32_t half, TexelClass kind) {
  if (kind == TexelClass::Uint)
    return half & 0xffff;
  if (kind == TexelClass::Sint)
    return static_cast<uint32_t>(int32_t(int16_t(half)));
  APFloat value(APFloat::IEEEhalf(), APInt(16, half & 0xffff));
  bool losesInfo = false;
  value.convert(APFloat::IEEEsingle(), APFloat::rmNearestTiesToEven, &losesInfo);
  return static_cast<uint32_t>(value.bitcastToAPInt().getZExtValue());
}

/// What a lane stores, by components; those that the instruction does not have are 0.
static TexelWords readComponents(const Wave &wave, const MicroOp &op, TexelClass kind,
                                 unsigned lane) {
  TexelWords words = {};
  unsigned first = op.sources[BufferData].operand.index;
  for (unsigned i = 0; i < op.memory.components; ++i) {
    if (!op.memory.d16) {
      words[i] = wave.v[first + i][lane];
      continue;
    }
    unsigned half = i + op.memory.high;
    words[i] = widenComponent(wave.v[first + half / 2][lane] >> (half % 2 ? 16 : 0), kind);
  }
  return words;
}

/// Writes the components of a load to the destination; with d16, two to a register.
static void writeComponents(Wave &wave, const MicroOp &op, const TexelWords &words, TexelClass kind,
                            unsigned lane) {
  unsigned first = op.destination.index;
  for (unsigned i = 0; i < op.memory.components; ++i) {
    if (!op.memory.d16) {
      wave.v[first + i][lane] = words[i];
      continue;
    }
    unsigned half = i + op.memory.high;
    uint32_t narrow = narrowComponent(words[i], kind);
    uint32_t &to = wave.v[first + half / 2][lane];
    to = half % 2 ? (to & 0xffff) | narrow << 16 : (to & 0xffff0000) | narrow;
  }
}

/// Out of range: the components that the format has are 0.
bool gcn::moveFormattedLane(Wave &wave, const MicroOp &op, const BufferRun &run, unsigned lane) {
  const TexelView &view = *run.texel;
  BufferAddress address = laneBufferAddress(wave, op, run, lane);
  uint8_t bytes[MaxAccessBytes] = {};
  MutableArrayRef<uint8_t> data(bytes, view.format.bytes());
  if (op.memory.isStore) {
    TexelWords words = readComponents(wave, op, view.format.kind, lane);
    completeStored(words, op.memory.components, wave.gfxMajor);
    encodeTexel(view.format, arrangeComponents(view, words), bytes);
    bool isOut = isOutOfRange(run.descriptor, address, view.format.bytes(), wave.gfxMajor);
    return isOut || moveBufferBytes(wave, op, run, address, lane, data, RangeCheck::Done);
  }
  bool isOut = isOutOfRange(run.descriptor, address, view.format.bytes(), wave.gfxMajor);
  if (!isOut && !moveBufferBytes(wave, op, run, address, lane, data, RangeCheck::Done))
    return false;
  TexelWords texel = isOut ? TexelWords{} : decodeTexel(view.format, bytes);
  TexelWords words = selectComponents(view, texel);
  if (op.inst->mods.lds) {
    std::memcpy(bytes, words.data(), sizeof(uint32_t));
    return storeLoadedToLds(wave, op, lane, (wave.s[sreg::M0] & 0xffff) + op.inst->mods.offset,
                            bytes);
  }
  writeComponents(wave, op, words, view.format.kind, lane);
  return true;
}

/// Parses a name without "buffer_" or "tbuffer_". False when it has no "format" or unknown
/// components.
bool gcn::findFormattedAccess(StringRef name, MemoryAccess &access) {
  struct Row {
    StringLiteral prefix;
    bool isStore, d16, high;
  };
  static constexpr Row Rows[] = {
      {"load_format_d16_hi_", false, true, true}, {"load_d16_hi_format_", false, true, true},
      {"load_format_d16_", false, true, false},   {"load_d16_format_", false, true, false},
      {"load_format_", false, false, false},      {"store_format_d16_hi_", true, true, true},
      {"store_d16_hi_format_", true, true, true}, {"store_format_d16_", true, true, false},
      {"store_d16_format_", true, true, false},   {"store_format_", true, false, false},
  };
  for (const Row &row : Rows) {
    StringRef letters = name;
    if (!letters.consume_front(row.prefix))
      continue;
    if (letters.empty() || !StringRef("xyzw").starts_with(letters) || (row.high && letters != "x"))
      return false;
    access.isStore = row.isStore;
    access.d16 = row.d16;
    access.high = row.high;
    access.components = static_cast<uint8_t>(letters.size());
    size_t dwords = row.d16 ? (letters.size() + 1) / 2 : letters.size();
    access.bytes = static_cast<uint8_t>(dwords * 4);
    return true;
  }
  return false;
}
