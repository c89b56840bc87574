// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// MessagePack as a value tree that keeps what other readers throw away: the order of keys,
// duplicates, and keys that are not strings. Safe on hostile bytes.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace assay {

enum class MsgKind { Nil, Bool, Uint, Int, Float, String, Binary, Array, Map, Extension };
llvm::StringRef msgKindName(MsgKind kind); ///< "nil", "bool", "unsigned integer", ...

/// One value. A Map's items are key, value, key, value, ... in the order of the file.
struct MsgValue {
  MsgKind kind = MsgKind::Nil;
  uint64_t bits =
      0; ///< Bool: 0 or 1. Uint: the value. Int: the (negative) value, two's complement.
  double number = 0;    ///< Float.
  llvm::StringRef text; ///< String, Binary, Extension: the bytes, inside the input.
  std::vector<MsgValue> items;

  static MsgValue makeUint(uint64_t bits) { return {MsgKind::Uint, bits, 0, {}, {}}; }
  /// \p text must outlive it.
  static MsgValue makeString(llvm::StringRef text) { return {MsgKind::String, 0, 0, text, {}}; }
  /// An array or a map without entries.
  static MsgValue makeEmpty(MsgKind kind) { return {kind, 0, 0, {}, {}}; }

  bool isString(llvm::StringRef value) const { return kind == MsgKind::String && text == value; }
  std::optional<uint64_t> asUint() const;
  size_t mapSize() const { return items.size() / 2; }
  /// The value of the last entry with the string key \p key (the one PAL takes), or null.
  /// Null also when this is no map.
  const MsgValue *find(llvm::StringRef key) const;
};

/// Reads exactly one value that fills \p bytes. \p bytes must outlive it. InvalidInput for
/// malformed bytes, bytes left over, a count above the bytes that are left, or nesting deeper
/// than 8.
llvm::Expected<MsgValue> readMsgPack(llvm::ArrayRef<uint8_t> bytes);

/// A short one-line form for messages: 12, "x", [..3 items], {..2 entries}.
std::string describeMsgValue(const MsgValue &value);

} // namespace assay
