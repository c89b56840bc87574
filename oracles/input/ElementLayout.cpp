// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/input/ElementLayout.h"

#include "oracles/input/Limits.h"
#include "oracles/input/ScriptLines.h"
#include "support/Error.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;
using namespace assay;
using namespace assay::input;

/// One slot for each component of the format, in the order of values.
ElementLayout::ElementLayout(const DataFormat &format) : m_stride(format.stride), m_format(format) {
  for (unsigned i = 0; i < componentsOf(format); ++i)
    m_slots.push_back({valueOffset(format, i), format.scalar});
}

/// A structure. Its format is words where all slots are aligned to words, else bytes.
ElementLayout::ElementLayout(std::vector<ScalarSlot> slots, uint64_t stride)
    : m_slots(std::move(slots)), m_stride(stride), m_isStruct(true) {
  bool isWords = stride % 4 == 0 && all_of(m_slots, [](const ScalarSlot &slot) {
                   return slot.offset % 4 == 0 && scalarBytes(slot.kind) % 4 == 0;
                 });
  m_format =
      makeDataFormat(isWords ? ScalarKind::Uint32 : ScalarKind::Uint8, 1, 1, BlockLayout::Std430);
}

/// Depth and stencil in whole bytes are two slots; other texels are as dataFormatOf() says.
ElementLayout input::layoutOfTexels(TexelFormat format) {
  const TexelFormatInfo &info = getTexelFormatInfo(format);
  const TexelComponent *depth = info.find('D');
  if (!depth || !info.find('S') || depth->bits % 16 != 0)
    return ElementLayout(dataFormatOf(format));
  ScalarKind kind = info.numeric == TexelNumeric::Sfloat ? ScalarKind::Float32 : ScalarKind::Uint16;
  return {{{0, kind}, {depth->bits / 8u, ScalarKind::Uint8}}, info.bytes};
}

/// Compares slots and stride, not whether they come from a structure or a format.
bool ElementLayout::sameAs(const ElementLayout &other) const {
  auto same = [](const ScalarSlot &a, const ScalarSlot &b) {
    return a.offset == b.offset && a.kind == b.kind;
  };
  return m_stride == other.m_stride && m_slots.size() == other.m_slots.size() &&
         std::equal(m_slots.begin(), m_slots.end(), other.m_slots.begin(), same);
}

namespace {

/// Places the members of structures, one after another.
class Placement {
public:
  explicit Placement(BlockLayout layout) : m_layout(layout) {}

  /// Places \p type at \p base and gives its size.
  Expected<uint64_t> place(const ScriptStruct &type, uint64_t base);
  /// Bytes; the largest alignment of a member, at least 16 in std140.
  uint64_t alignOf(const ScriptStruct &type) const;
  std::vector<ScalarSlot> slots; ///< So far, in the order of members.

private:
  /// Places one member at \p base and returns the bytes that it takes, without padding after a
  /// vector.
  Expected<uint64_t> placeMember(const StructMember &member, uint64_t base);
  /// Bytes. A matrix is aligned like one of its columns.
  uint64_t alignOf(const StructMember &member) const;

  BlockLayout m_layout;
};

} // namespace

/// Columns of a matrix and elements of an array have padding after them.
static bool spreads(const DataType &type) {
  return type.columns > 1 || type.isArray;
}

/// In bytes.
uint64_t Placement::alignOf(const StructMember &member) const {
  if (const auto *nested = std::get_if<const ScriptStruct *>(&member.type))
    return alignOf(**nested);
  const DataType &type = std::get<DataType>(member.type);
  // The alignment of a scalar or a vector is std430's in both layouts; that of a column or of an
  // element of an array is not.
  BlockLayout layout = spreads(type) ? m_layout : BlockLayout::Std430;
  return makeDataFormat(type.scalar, type.rows, type.columns, layout).columnStride;
}

/// In bytes: that of the most aligned member, with std140 at least 16.
uint64_t Placement::alignOf(const ScriptStruct &type) const {
  uint64_t align = m_layout == BlockLayout::Std140 ? 16 : 1;
  for (const StructMember &member : type.members)
    align = std::max(align, alignOf(member));
  return align;
}

/// Adds the slots of a member at byte \p base and returns its size. Explicit matrix strides take
/// precedence over the layout's.
Expected<uint64_t> Placement::placeMember(const StructMember &member, uint64_t base) {
  if (const auto *nested = std::get_if<const ScriptStruct *>(&member.type))
    return place(**nested, base);
  const DataType &type = std::get<DataType>(member.type);
  uint64_t bytes = scalarBytes(type.scalar);
  uint64_t columnStride = member.matrixStride.value_or(alignOf(member));
  for (unsigned column = 0; column < type.columns; ++column)
    for (unsigned row = 0; row < type.rows; ++row)
      slots.push_back({base + column * columnStride + row * bytes, type.scalar});
  // After a vector of three is whatever fits; after a column of a matrix is nothing.
  return spreads(type) ? type.columns * columnStride : type.rows * bytes;
}

/// Adds the slots of a structure at byte \p base and returns its size. InvalidInput for members
/// that overlap and for a stride that is too small.
Expected<uint64_t> Placement::place(const ScriptStruct &type, uint64_t base) {
  uint64_t end = 0;
  for (const StructMember &member : type.members) {
    uint64_t offset = member.offset.value_or(alignTo(end, alignOf(member)));
    if (offset < end)
      return errorAt(member.line, "member '" + member.name + "' at byte " + Twine(offset) +
                                      " overlaps the one before, which ends at " + Twine(end));
    Expected<uint64_t> size = placeMember(member, base + offset);
    if (!size)
      return size.takeError();
    end = offset + *size;
  }
  if (!type.stride)
    return alignTo(end, alignOf(type));
  if (*type.stride < end)
    return errorAt(type.members.back().line, "the structure takes " + Twine(end) +
                                                 " bytes, more than its STRIDE of " +
                                                 Twine(*type.stride));
  return *type.stride;
}

/// Limit where the structure, with nested ones, has more than maxStructScalars scalars or
/// maxStructDepth levels.
Error ScriptStruct::add(StructMember member) {
  if (const auto *nested = std::get_if<const ScriptStruct *>(&member.type)) {
    scalars += (*nested)->scalars;
    depth = std::max(depth, (*nested)->depth + 1);
  } else {
    const DataType &type = std::get<DataType>(member.type);
    scalars += uint64_t(type.rows) * type.columns;
  }
  if (scalars > maxStructScalars || depth > maxStructDepth)
    return limitExceeded("line " + Twine(member.line) + ": a structure of more than " +
                         Twine(maxStructScalars) + " scalars or " + Twine(maxStructDepth) +
                         " levels");
  members.push_back(std::move(member));
  return Error::success();
}

/// The stride of an element is the size of the structure.
Expected<ElementLayout> input::layoutOf(const ScriptStruct &type, BlockLayout layout) {
  Placement placement(layout);
  Expected<uint64_t> size = placement.place(type, 0);
  if (!size)
    return size.takeError();
  return ElementLayout(std::move(placement.slots), *size);
}
