// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/pal_elf/MsgPack.h"

#include "support/Error.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"
#include <exception>
#include <msgpack.hpp>

using namespace llvm;
using namespace assay;

static constexpr size_t maxDepth = 8; ///< Of nested containers.

StringRef assay::msgKindName(MsgKind kind) {
  static constexpr StringRef names[] = {"nil",   "bool",     "unsigned integer", "negative integer",
                                        "float", "string",   "binary",           "array",
                                        "map",   "extension"};
  return names[static_cast<unsigned>(kind)];
}

std::optional<uint64_t> MsgValue::asUint() const {
  return kind == MsgKind::Uint ? std::optional<uint64_t>(bits) : std::nullopt;
}

/// Of several equal keys the last one counts. Null for other kinds than maps.
const MsgValue *MsgValue::find(StringRef key) const {
  if (kind != MsgKind::Map)
    return nullptr;
  for (size_t i = items.size(); i >= 2; i -= 2)
    if (items[i - 2].isString(key))
      return &items[i - 1];
  return nullptr;
}

namespace {

/// Builds the tree from msgpack-cxx's events, whose parser keeps its own stack and allocates
/// nothing by the counts it reads. A count is refused when it is above the bytes that can still be
/// values: each value takes at least one byte, and those promised to open containers are spoken
/// for.
class TreeVisitor {
public:
  /// Counts of containers are checked against the number of bytes, so that they cannot exhaust
  /// memory.
  TreeVisitor(MsgValue &root, size_t bytes) : m_free(bytes ? bytes - 1 : 0) {
    m_open.push_back(&root);
  }

  // NOLINTBEGIN(readability-identifier-naming): the names that msgpack-cxx calls.
  bool visit_nil() { return scalar(MsgKind::Nil, 0); }
  bool visit_boolean(bool value) { return scalar(MsgKind::Bool, value); }
  bool visit_positive_integer(uint64_t value) { return scalar(MsgKind::Uint, value); }
  /// Encodings of negative integers may hold numbers that are not negative.
  bool visit_negative_integer(int64_t value) {
    return scalar(value < 0 ? MsgKind::Int : MsgKind::Uint, static_cast<uint64_t>(value));
  }
  bool visit_float32(float value) { return real(value); }
  bool visit_float64(double value) { return real(value); }
  bool visit_str(const char *data, uint32_t size) { return text(MsgKind::String, data, size); }
  bool visit_bin(const char *data, uint32_t size) { return text(MsgKind::Binary, data, size); }
  bool visit_ext(const char *data, uint32_t size) { return text(MsgKind::Extension, data, size); }
  bool start_array(uint32_t count) { return open(MsgKind::Array, count); }
  bool start_map(uint32_t count) { return open(MsgKind::Map, uint64_t(count) * 2); }
  bool start_array_item() { return true; }
  bool end_array_item() { return true; }
  bool end_array() { return close(); }
  bool start_map_key() { return true; }
  bool end_map_key() { return true; }
  bool start_map_value() { return true; }
  bool end_map_value() { return true; }
  bool end_map() { return close(); }
  bool referenced() const { return false; }
  void set_referenced(bool) {}
  void parse_error(size_t, size_t offset) { fail("malformed at byte " + Twine(offset)); }
  void insufficient_bytes(size_t, size_t offset) { fail("cut off at byte " + Twine(offset)); }
  // NOLINTEND(readability-identifier-naming)

  const std::string &error() const { return m_error; }

private:
  /// Keeps the first error. Returns false, with which msgpack-cxx stops.
  bool fail(const Twine &text) {
    if (m_error.empty())
      m_error = text.str();
    return false;
  }
  /// The place of the next value. m_open[0] is the root itself, the rest are open containers.
  MsgValue &next() {
    if (m_open.size() == 1)
      return *m_open[0];
    return m_open.back()->items.emplace_back();
  }
  /// Adds a value without text or children. Bools are 0 or 1, integers two's complement.
  bool scalar(MsgKind kind, uint64_t bits) {
    MsgValue &value = next();
    value.kind = kind;
    value.bits = bits;
    return true;
  }
  bool real(double number) {
    MsgValue &value = next();
    value.kind = MsgKind::Float;
    value.number = number;
    return true;
  }
  /// Adds a value that refers to \p data, which are the bytes of the caller of readMsgPack.
  bool text(MsgKind kind, const char *data, uint32_t size) {
    MsgValue &value = next();
    value.kind = kind;
    value.text = StringRef(data, size);
    return true;
  }
  /// Begins a container of \p children values; a map has two for each entry. Fails for more than
  /// the remaining bytes can hold, and for more than maxDepth levels.
  bool open(MsgKind kind, uint64_t children) {
    if (m_open.size() > maxDepth)
      return fail("nested deeper than " + Twine(maxDepth));
    if (children > m_free)
      return fail("a container of " + Twine(children) + " values in the last " + Twine(m_free) +
                  " bytes");
    m_free -= children;
    MsgValue &value = next();
    value.kind = kind;
    // Reserved at once: open containers are held by pointer and siblings must not move them.
    value.items.reserve(children);
    m_open.push_back(&value);
    return true;
  }
  bool close() {
    m_open.pop_back();
    return true;
  }

  SmallVector<MsgValue *, maxDepth + 1> m_open; ///< The root, then the open containers.
  size_t m_free;                                ///< Bytes that may still become values.
  std::string m_error;
};

} // namespace

/// Reads one value that must use all bytes. The tree points into \p bytes.
Expected<MsgValue> assay::readMsgPack(ArrayRef<uint8_t> bytes) {
  if (bytes.empty())
    return invalidInput("msgpack: there are no bytes");
  MsgValue root;
  TreeVisitor visitor(root, bytes.size());
  size_t offset = 0;
  std::string thrown;
  try {
    bool complete =
        msgpack::parse(reinterpret_cast<const char *>(bytes.data()), bytes.size(), offset, visitor);
    if (!complete && visitor.error().empty())
      thrown = "malformed";
  } catch (const std::exception &error) {
    thrown = error.what();
  }
  if (!visitor.error().empty())
    return invalidInput("msgpack: " + visitor.error());
  if (!thrown.empty())
    return invalidInput("msgpack: " + thrown);
  if (offset != bytes.size())
    return invalidInput("msgpack: " + Twine(bytes.size() - offset) +
                        " bytes are left after the value, which ends at byte " + Twine(offset));
  return root;
}

std::string assay::describeMsgValue(const MsgValue &value) {
  std::string text;
  raw_string_ostream os(text);
  switch (value.kind) {
  case MsgKind::Nil:
    os << "nil";
    break;
  case MsgKind::Bool:
    os << (value.bits ? "true" : "false");
    break;
  case MsgKind::Uint:
    os << value.bits;
    break;
  case MsgKind::Int:
    os << static_cast<int64_t>(value.bits);
    break;
  case MsgKind::Float:
    os << format("%g", value.number);
    break;
  case MsgKind::String:
    os << '"';
    printEscapedString(value.text.take_front(60), os);
    os << '"';
    break;
  case MsgKind::Binary:
  case MsgKind::Extension:
    os << msgKindName(value.kind) << " of " << value.text.size() << " bytes";
    break;
  case MsgKind::Array:
    os << "an array of " << value.items.size();
    break;
  case MsgKind::Map:
    os << "a map of " << value.mapSize();
    break;
  }
  return text;
}
