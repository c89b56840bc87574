// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Slots of DS.
#include "oracles/machine/gcn_isa/MemorySlots.h"

#include "llvm/ADT/bit.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;
using namespace assay;
using namespace assay::gcn;

/// An unsigned offset of 16 bits.
static bool decodeOffset(DecodeState &state, const Slot &) {
  state.inst.mods.offset = static_cast<int64_t>(state.field(Field::Offset));
  return true;
}
/// False for a negative offset, and for one of more than 16 bits.
static bool encodeOffset(EncodeState &state, const Slot &) {
  return state.inst.mods.offset >= 0 &&
         state.setField(Field::Offset, static_cast<uint64_t>(state.inst.mods.offset));
}
static void printOffset(PrintState &state, const Slot &) {
  if (state.inst.mods.offset)
    state.os << " offset:" << state.inst.mods.offset;
}

/// Instructions with two elements have an offset of 8 bits for each.
static bool decodeTwoOffsets(DecodeState &state, const Slot &) {
  state.inst.mods.offset0 = static_cast<uint32_t>(state.field(Field::Offset0));
  state.inst.mods.offset1 = static_cast<uint32_t>(state.field(Field::Offset1));
  return true;
}
/// False for an offset of more than 8 bits.
static bool encodeTwoOffsets(EncodeState &state, const Slot &) {
  return state.setField(Field::Offset0, state.inst.mods.offset0) &&
         state.setField(Field::Offset1, state.inst.mods.offset1);
}
static void printTwoOffsets(PrintState &state, const Slot &) {
  if (state.inst.mods.offset0)
    state.os << " offset0:" << state.inst.mods.offset0;
  if (state.inst.mods.offset1)
    state.os << " offset1:" << state.inst.mods.offset1;
}

/// Bits of ds_swizzle's pattern (manuals, DS_SWIZZLE_B32; text as in LLVM's printSwizzle).
static constexpr unsigned RotateFirst = 0xc000; ///< From there on, rotations.
static constexpr unsigned FftFirst = 0xe000;
static constexpr unsigned QuadMask = 0xff00;
static constexpr unsigned QuadValue = 0x8000;
static constexpr unsigned LaneMask = 31;

/// For each bit of a lane's number: 0 or 1, or p (preserved) or i (inverted).
static void printBitmask(raw_ostream &os, unsigned andMask, unsigned orMask, unsigned xorMask) {
  unsigned ofZero = orMask ^ xorMask;
  unsigned ofOne = (andMask | orMask) ^ xorMask;
  for (unsigned bit = 16; bit; bit >>= 1) {
    bool zero = ofZero & bit;
    bool one = ofOne & bit;
    os << (zero == one ? (zero ? '1' : '0') : (zero ? 'i' : 'p'));
  }
}

/// Names the common patterns, and spells out the others bit by bit.
static void printLaneMasks(raw_ostream &os, unsigned pattern) {
  unsigned andMask = pattern & LaneMask;
  unsigned orMask = pattern >> 5 & LaneMask;
  unsigned xorMask = pattern >> 10 & LaneMask;
  unsigned group = LaneMask - andMask + 1;
  if (andMask == LaneMask && orMask == 0 && popcount(xorMask) == 1) {
    os << "SWAP," << xorMask;
  } else if (andMask == LaneMask && orMask == 0 && xorMask && isPowerOf2_32(xorMask + 1)) {
    os << "REVERSE," << xorMask + 1;
  } else if (group > 1 && isPowerOf2_32(group) && orMask < group && xorMask == 0) {
    os << "BROADCAST," << group << ',' << orMask;
  } else {
    os << "BITMASK_PERM,\"";
    printBitmask(os, andMask, orMask, xorMask);
    os << '"';
  }
}

/// A pattern that is none of these modes is printed as a number.
static void printSwizzle(PrintState &state, const Slot &) {
  unsigned pattern = static_cast<unsigned>(state.inst.mods.offset);
  raw_ostream &os = state.os;
  if (!pattern)
    return;
  os << " offset:";
  if (pattern < RotateFirst && (pattern & QuadMask) != QuadValue && (pattern & QuadValue)) {
    os << pattern;
    return;
  }
  os << "swizzle(";
  if (pattern >= FftFirst)
    os << "FFT," << (pattern & LaneMask);
  else if (pattern >= RotateFirst)
    os << "ROTATE," << (pattern >> 10 & 1) << ',' << (pattern >> 5 & LaneMask);
  else if (!(pattern & QuadValue))
    printLaneMasks(os, pattern);
  else
    os << "QUAD_PERM," << (pattern & 3) << ',' << (pattern >> 2 & 3) << ',' << (pattern >> 4 & 3)
       << ',' << (pattern >> 6 & 3);
  os << ')';
}

/// Registers of the streamout are 64 bits wide from number 8 on (RDNA 3 manual,
/// DS_ADD_GS_REG_RTN); LLVM always prints a pair.
static unsigned streamoutDwords(int64_t offset) {
  return (offset >> 2 & 15) > 7 ? 2 : 1;
}
/// The width of the result depends on the offset, which is a later slot.
static bool decodeStreamout(DecodeState &state, const Slot &) {
  auto offset = static_cast<int64_t>(state.field(Field::Offset));
  return decodeVector(state, Field::Vdst, streamoutDwords(offset));
}
/// How many registers there are depends on the offset.
static bool encodeStreamout(EncodeState &state, const Slot &) {
  return encodeVector(state, Field::Vdst, streamoutDwords(state.inst.mods.offset));
}

#define VECTOR(NAME, FIELD)                                                                        \
  {NAME, decodeVectorSlot<Field::FIELD>, encodeVectorSlot<Field::FIELD>, printNext}
/// Columns: name, decoder, encoder, printer.
ArrayRef<SlotKind> gcn::dataShareSlots() {
  static constexpr SlotKind Kinds[] = {
      VECTOR("ds_dst", Vdst),
      VECTOR("ds_addr", Addr),
      VECTOR("ds_data0", Data0),
      VECTOR("ds_data1", Data1),
      {"ds_dst_streamout", decodeStreamout, encodeStreamout, printNext},
      {"ds_offset", decodeOffset, encodeOffset, printOffset},
      {"ds_offset2", decodeTwoOffsets, encodeTwoOffsets, printTwoOffsets},
      {"ds_offset_swizzle", decodeOffset, encodeOffset, printSwizzle},
  };
  return Kinds;
}
#undef VECTOR
