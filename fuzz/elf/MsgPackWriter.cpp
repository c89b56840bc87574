// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// MessagePack from a value tree, by the formats of its specification.
#include "fuzz/elf/MetadataMutation.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/bit.h"

using namespace llvm;
using namespace assay;
using namespace assay::fuzz;

/// \p code and \p size bytes of \p value, highest first.
static void writeNumber(Bytes &bytes, uint8_t code, uint64_t value, unsigned size) {
  bytes.push_back(code);
  for (unsigned i = size; i-- > 0;)
    bytes.push_back(static_cast<uint8_t>(value >> 8 * i));
}

/// Writes an unsigned integer in the shortest of the five forms.
static void writeUint(Bytes &bytes, uint64_t value) {
  if (value < 0x80)
    bytes.push_back(static_cast<uint8_t>(value));
  else if (value <= 0xff)
    writeNumber(bytes, 0xcc, value, 1);
  else if (value <= 0xffff)
    writeNumber(bytes, 0xcd, value, 2);
  else if (value <= 0xffffffff)
    writeNumber(bytes, 0xce, value, 4);
  else
    writeNumber(bytes, 0xcf, value, 8);
}

/// In 32 bits where no bit is lost; 0 in 64, as LLVM has it.
static void writeFloat(Bytes &bytes, double value) {
  auto single = static_cast<float>(value);
  if (static_cast<double>(single) == value && value != 0)
    writeNumber(bytes, 0xca, bit_cast<uint32_t>(single), 4);
  else
    writeNumber(bytes, 0xcb, bit_cast<uint64_t>(value), 8);
}

namespace {
/// How the length of a kind of value is written: in the first byte up to \p fixed, else in 1, 2 or
/// 4 bytes after a code; code8 is 0 where there is no form with one byte.
struct LengthForm {
  uint8_t base;  ///< First byte of the short form, with the length added to it.
  uint8_t fixed; ///< Longest length of the short form.
  uint8_t code8;
  uint8_t code16;
  uint8_t code32;
};
/// MessagePack's str, array and map families.
constexpr LengthForm StringForm = {0xa0, 31, 0xd9, 0xda, 0xdb};
constexpr LengthForm ArrayForm = {0x90, 15, 0, 0xdc, 0xdd};
constexpr LengthForm MapForm = {0x80, 15, 0, 0xde, 0xdf};
} // namespace

/// Writes the header of a string, array or map with this many bytes, items or pairs.
static void writeLength(Bytes &bytes, const LengthForm &form, uint64_t length) {
  if (length <= form.fixed)
    bytes.push_back(static_cast<uint8_t>(form.base | length));
  else if (form.code8 && length <= 0xff)
    writeNumber(bytes, form.code8, length, 1);
  else if (length <= 0xffff)
    writeNumber(bytes, form.code16, length, 2);
  else
    writeNumber(bytes, form.code32, length, 4);
}

/// Writes a value and its items. Int always has 8 bytes, and Binary and Extension a 4-byte length;
/// an odd item of a map is left out.
static void writeValue(Bytes &bytes, const MsgValue &value) {
  switch (value.kind) {
  case MsgKind::Nil:
    bytes.push_back(0xc0);
    break;
  case MsgKind::Bool:
    bytes.push_back(value.bits ? 0xc3 : 0xc2);
    break;
  case MsgKind::Uint:
    writeUint(bytes, value.bits);
    break;
  case MsgKind::Int:
    writeNumber(bytes, 0xd3, value.bits, 8);
    break;
  case MsgKind::Float:
    writeFloat(bytes, value.number);
    break;
  case MsgKind::String:
    writeLength(bytes, StringForm, value.text.size());
    append_range(bytes, value.text.bytes());
    break;
  case MsgKind::Binary:
    writeNumber(bytes, 0xc6, value.text.size(), 4);
    append_range(bytes, value.text.bytes());
    break;
  case MsgKind::Extension:
    // The reader counts the type of an extension among its bytes.
    writeNumber(bytes, 0xc9, value.text.empty() ? 0 : value.text.size() - 1, 4);
    append_range(bytes, value.text.empty() ? StringRef("\0", 1).bytes() : value.text.bytes());
    break;
  case MsgKind::Array:
    writeLength(bytes, ArrayForm, value.items.size());
    for (const MsgValue &item : value.items)
      writeValue(bytes, item);
    break;
  case MsgKind::Map:
    writeLength(bytes, MapForm, value.mapSize());
    for (const MsgValue &item : ArrayRef(value.items).take_front(value.mapSize() * 2))
      writeValue(bytes, item);
    break;
  }
}

Bytes fuzz::writeMsgPack(const MsgValue &value) {
  Bytes bytes;
  writeValue(bytes, value);
  return bytes;
}
