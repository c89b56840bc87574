// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/machine/gcn/definitions/Access.h"

#include "llvm/ADT/SmallVector.h"

using namespace llvm;
using namespace assay;
using namespace assay::gcn::definitions;

/// One word of a name. False: it is none.
static bool takeWord(StringRef word, Width &width) {
  unsigned number = 0;
  if (word == "d16") {
    width.isHalf = true;
  } else if (word == "hi") {
    width.isHigh = true;
  } else if (word.consume_front("dword")) {
    width.bytes = 4;
    if (word.consume_front("x") && !word.getAsInteger(10, number))
      width.bytes *= number;
  } else if (word.ends_with("byte") || word.ends_with("short")) {
    width.bytes = word.ends_with("byte") ? 1 : 2;
    width.isSigned = word.starts_with("sb") || word.starts_with("ss");
  } else if (!word.drop_front().getAsInteger(10, number) && number % 8 == 0) {
    width.bytes = number / 8;
    width.isSigned = word.front() == 'i';
  } else {
    return false;
  }
  return true;
}

/// Words like "dwordx3", "sbyte_d16_hi" or "b128", joined by '_'. Nothing when a word is unknown;
/// without words, a dword.
std::optional<Width> gcn::definitions::findWidth(StringRef words) {
  SmallVector<StringRef, 4> parts;
  words.split(parts, '_');
  Width width;
  for (StringRef part : parts)
    if (part.empty() || !takeWord(part, width))
      return std::nullopt;
  width.isHalf |= width.isHigh;
  return width;
}

/// Bytes without a place load as zeros. What is narrower than a dword is extended; d16 writes half
/// of the register and keeps the other.
void gcn::definitions::loadLane(World &world, const Width &width, unsigned dst, unsigned lane,
                                Place place) {
  std::array<uint8_t, 64> bytes{};
  for (unsigned i = 0; i < width.bytes; ++i)
    if (const uint8_t *from = place(i))
      bytes[i] = *from;
  if (width.isSigned) // In all bytes above.
    for (unsigned i = width.bytes; i < 4; ++i)
      bytes[i] = bytes[width.bytes - 1] & 0x80 ? 0xff : 0;
  for (unsigned i = 0; i < width.dwords(); ++i) {
    uint32_t value = bytes[4 * i] + bytes[4 * i + 1] * 0x100u + bytes[4 * i + 2] * 0x10000u +
                     bytes[4 * i + 3] * 0x1000000u;
    uint32_t &to = world.v[dst + i][lane];
    if (!width.isHalf)
      to = value;
    else if (width.isHigh)
      to = to % 0x10000 + value % 0x10000 * 0x10000;
    else
      to = to / 0x10000 * 0x10000 + value % 0x10000;
  }
}

/// Bytes without a place are dropped.
void gcn::definitions::storeLane(World &world, const Width &width, unsigned data, unsigned lane,
                                 Place place) {
  for (unsigned i = 0; i < width.bytes; ++i) {
    unsigned byte = i + (width.isHigh ? 2 : 0);
    if (uint8_t *to = place(i))
      *to = static_cast<uint8_t>(world.v[data + byte / 4][lane] >> (byte % 4 * 8));
  }
}

/// The value of one VGPR or of a pair, for 32 or 64 \p bits.
static uint64_t registerBits(const World &world, unsigned index, unsigned bits, unsigned lane) {
  return bits == 64 ? world.vectorPair(index, lane) : world.v[index][lane];
}

/// Without a place, memory is left alone and the old value is 0. The result is written last, so it
/// may overwrite the data.
void gcn::definitions::atomicLane(World &world, const AtomicMeaning &meaning,
                                  const AtomicRegisters &registers, bool isShare, unsigned lane,
                                  Place place) {
  AtomicCell cell{meaning.bits, 0, registerBits(world, registers.data, meaning.bits, lane), 0};
  if (meaning.takesSecond)
    cell.second = registerBits(world, registers.second, meaning.bits, lane);
  applyDenormals(cell, meaning.denormals, isShare, world.gfx, world.mode);
  if (place(0)) {
    for (unsigned i = 0; i < meaning.bits / 8; ++i)
      cell.old |= uint64_t(*place(i)) << (8 * i);
    uint64_t value = meaning.compute(cell);
    for (unsigned i = 0; i < meaning.bits / 8; ++i)
      *place(i) = static_cast<uint8_t>(value >> (8 * i));
  }
  if (!registers.result)
    return;
  for (unsigned i = 0; i < meaning.bits / 32; ++i)
    world.v[*registers.result + i][lane] = static_cast<uint32_t>(cell.old >> (32 * i));
}
