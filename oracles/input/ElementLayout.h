// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where the scalars of a buffer's elements stand: a format, or the members of a structure; and
// AmberScript's STRUCT itself.
#pragma once

#include "oracles/input/DataTypes.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace assay::input {

/// One scalar inside an element.
struct ScalarSlot {
  uint64_t offset = 0;
  ScalarKind kind = ScalarKind::Uint32;
};

/// The scalars of one element in the order in which a script writes them.
class ElementLayout {
public:
  ElementLayout() : ElementLayout(DataFormat{}) {}
  explicit ElementLayout(const DataFormat &format);
  /// A structure: \p slots is not empty, and they end before \p stride.
  ElementLayout(std::vector<ScalarSlot> slots, uint64_t stride);

  bool isStruct() const { return m_isStruct; }
  /// Of a structure: words or bytes, for what looks at memory without knowing members.
  const DataFormat &format() const { return m_format; }
  llvm::ArrayRef<ScalarSlot> slots() const { return m_slots; }
  uint64_t stride() const { return m_stride; }

  /// Kind and byte offset of the \p index-th scalar of an array of elements.
  ScalarKind kindAt(uint64_t index) const { return m_slots[index % m_slots.size()].kind; }
  uint64_t offsetAt(uint64_t index) const {
    return index / m_slots.size() * m_stride + m_slots[index % m_slots.size()].offset;
  }
  /// True when both have the same scalars at the same offsets; their formats may differ.
  bool sameAs(const ElementLayout &other) const;

private:
  std::vector<ScalarSlot> m_slots;
  uint64_t m_stride = 0;
  DataFormat m_format;
  bool m_isStruct = false;
};

/// The numbers of texels of \p format: dataFormatOf, but depth and stencil apart where each has
/// whole bytes.
ElementLayout layoutOfTexels(TexelFormat format);

struct ScriptStruct;

struct StructMember {
  std::string name;
  std::variant<DataType, const ScriptStruct *> type;
  std::optional<uint64_t> offset;       ///< OFFSET, in bytes from the structure.
  std::optional<uint64_t> matrixStride; ///< Bytes from column to column.
  unsigned line = 0;
};

/// A STRUCT. Members without OFFSET follow the rules of std140 or std430 (Vulkan 1.3, 15.6.4);
/// STRIDE gives its size.
struct ScriptStruct {
  std::vector<StructMember> members;
  std::optional<uint64_t> stride; ///< STRIDE, in bytes.
  uint64_t scalars = 0;           ///< With those of nested structures.
  unsigned depth = 1;             ///< 1 without nested structures.

  /// Adds a member. Limit above maxStructScalars and maxStructDepth, which bound every walk over
  /// the structure.
  llvm::Error add(StructMember member);
};

/// Lays \p type out. InvalidInput when members overlap or STRIDE is too small.
llvm::Expected<ElementLayout> layoutOf(const ScriptStruct &type, BlockLayout layout);

} // namespace assay::input
