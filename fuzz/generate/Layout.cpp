// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fuzz/generate/Layout.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace assay::fuzz {

static uint32_t alignUp(uint32_t value, uint32_t alignment) {
  return static_cast<uint32_t>(alignTo(value, alignment));
}

/// Lays out a scalar, aligned to its size.
static Layout layScalar(Writer &writer, Id type) {
  uint32_t bytes = writer.info(type).width / 8;
  return {type, bytes, bytes, {{{}, type}}, {{0, type}}};
}

/// Vectors of 3 are aligned as those of 4.
static Layout layVector(Writer &writer, Id scalar, unsigned count) {
  Layout result = layScalar(writer, scalar);
  uint32_t bytes = result.size;
  result.type = writer.pool().vectorType(scalar, count);
  result.alignment = bytes * (count == 2 ? 2 : 4);
  result.size = bytes * count;
  result.objects = {{{}, result.type}};
  result.scalars.clear();
  for (uint32_t i = 0; i < count; ++i)
    result.scalars.push_back({i * bytes, scalar});
  return result;
}

namespace {
/// A structure that grows by members.
class Laying {
public:
  Laying(Writer &writer, LayoutRules rules) : m_writer(writer), m_rules(rules) {}

  /// Lays out \p members random members and decorates their offsets, strides and majorness.
  Layout structure(unsigned members, unsigned depth) {
    Layout result;
    SmallVector<Id, 6> types;
    struct Decoration {
      spv::Decoration decoration;
      SmallVector<uint32_t, 1> literals;
    };
    std::vector<std::vector<Decoration>> decorations;
    for (uint32_t i = 0; i < members; ++i) {
      uint32_t stride = 0;
      bool isRowMajor = false;
      Layout member = this->member(depth, stride, isRowMajor);
      uint32_t offset = alignUp(result.size, member.alignment);
      if (m_writer.random().oneIn(4)) // Holes are allowed.
        offset += member.alignment;
      types.push_back(member.type);
      decorations.push_back({{spv::Decoration::Offset, {offset}}});
      if (stride) {
        decorations.back().push_back({spv::Decoration::MatrixStride, {stride}});
        decorations.back().push_back(
            {isRowMajor ? spv::Decoration::RowMajor : spv::Decoration::ColMajor, {}});
      }
      result.size = offset + member.size;
      result.alignment = std::max(result.alignment, member.alignment);
      append(result, member, {i, 0}, offset);
    }
    if (m_rules == LayoutRules::Extended)
      result.alignment = alignUp(result.alignment, 16);
    result.size = alignUp(result.size, result.alignment);
    result.type = m_writer.pool().structType(types);
    for (auto [index, each] : enumerate(decorations))
      for (const Decoration &decoration : each)
        m_writer.pool().decorateMember(result.type, static_cast<uint32_t>(index),
                                       decoration.decoration, decoration.literals);
    return result;
  }

private:
  /// Adds \p part's places to \p whole, after \p step in their paths; its objects as they are.
  static void append(Layout &whole, const Layout &part, std::pair<uint32_t, uint32_t> step,
                     uint32_t offset) {
    for (LaidObject object : part.objects) {
      object.path.insert(object.path.begin(), step);
      whole.objects.push_back(std::move(object));
    }
    for (LaidScalar scalar : part.scalars)
      whole.scalars.push_back({offset + scalar.offset, scalar.type});
  }

  /// \p stride is of a matrix, or of arrays of them; 0 where there is none.
  Layout member(unsigned depth, uint32_t &stride, bool &isRowMajor) {
    Random &random = m_writer.random();
    switch (random.below(depth ? 7 : 4)) {
    case 0:
      return matrix(stride, isRowMajor);
    case 1:
      return layVector(m_writer, m_writer.randomNumber(),
                       static_cast<unsigned>(random.between(2, 4)));
    case 4:
      return structure(static_cast<unsigned>(random.between(1, 3)), depth - 1);
    case 5:
    case 6:
      return array(member(depth - 1, stride, isRowMajor));
    default:
      return layScalar(m_writer, m_writer.randomNumber());
    }
  }

  /// Lays out 1 to 4 elements; the stride may have additional padding.
  Layout array(const Layout &element) {
    Pool &pool = m_writer.pool();
    auto count = static_cast<uint32_t>(m_writer.random().between(1, 4));
    Layout result;
    result.alignment =
        m_rules == LayoutRules::Extended ? alignUp(element.alignment, 16) : element.alignment;
    uint32_t stride = alignUp(element.size, result.alignment);
    if (m_writer.random().oneIn(4))
      stride += result.alignment;
    result.type = pool.arrayType(element.type, pool.number(count), stride);
    result.size = stride * count;
    append(result, element, {0, count}, 0);
    for (uint32_t i = 1; i < count; ++i)
      for (LaidScalar scalar : element.scalars)
        result.scalars.push_back({i * stride + scalar.offset, scalar.type});
    return result;
  }

  /// Of f32 or f64; laid out as an array of columns, or of rows.
  Layout matrix(uint32_t &stride, bool &isRowMajor) {
    Pool &pool = m_writer.pool();
    Random &random = m_writer.random();
    Id scalar = m_writer.randomNumber();
    if (m_writer.info(scalar).kind != TypeInfo::Float)
      scalar = pool.floatType(32);
    auto columns = static_cast<unsigned>(random.between(2, 4));
    auto rows = static_cast<unsigned>(random.between(2, 4));
    isRowMajor = random.oneIn(2);
    Layout line = layVector(m_writer, scalar, isRowMajor ? columns : rows);
    Layout result;
    result.alignment =
        m_rules == LayoutRules::Extended ? alignUp(line.alignment, 16) : line.alignment;
    stride = alignUp(line.size, result.alignment);
    result.type = pool.matrixType(pool.vectorType(scalar, rows), columns);
    unsigned lines = isRowMajor ? rows : columns;
    result.size = stride * lines;
    result.objects = {{{}, result.type}};
    for (unsigned i = 0; i < lines; ++i)
      for (LaidScalar each : line.scalars)
        result.scalars.push_back({i * stride + each.offset, each.type});
    return result;
  }

  Writer &m_writer;
  LayoutRules m_rules;
};
} // namespace

/// \p depth limits how deeply structures and arrays are nested.
Layout makeStructure(Writer &writer, LayoutRules rules, unsigned members, unsigned depth) {
  return Laying(writer, rules).structure(members, depth);
}

/// Padding is 0xa5, so that a read of it shows.
std::vector<uint8_t> fillLayout(Writer &writer, const Layout &element, unsigned count) {
  std::vector<uint8_t> bytes(size_t(element.size) * count, 0xa5);
  for (unsigned i = 0; i < count; ++i)
    for (LaidScalar scalar : element.scalars) {
      TypeInfo shape = writer.info(scalar.type);
      uint64_t bits = shape.kind == TypeInfo::Float
                          ? floatBits(shape.width, static_cast<int>(writer.random().below(33)) - 16)
                          : writer.randomBits(shape.width);
      for (unsigned byte = 0; byte < shape.width / 8; ++byte)
        bytes[size_t(i) * element.size + scalar.offset + byte] =
            static_cast<uint8_t>(bits >> (8 * byte));
    }
  return bytes;
}

/// Little-endian. Bytes after the last whole word are dropped.
std::vector<uint64_t> wordsOf(ArrayRef<uint8_t> bytes) {
  std::vector<uint64_t> words(bytes.size() / 4);
  for (size_t i = 0; i < words.size() * 4; ++i)
    words[i / 4] |= uint64_t(bytes[i]) << (8 * (i % 4));
  return words;
}

namespace {
/// The capability for scalars of a width in bits in blocks of a kind.
struct StorageRow {
  unsigned width;
  GeneratedBinding kind;
  spv::Capability capability;
};
} // namespace

/// Widths that are not listed need no capability for storage.
static constexpr StorageRow storageRows[] = {
    {8, GeneratedBinding::Storage, spv::Capability::StorageBuffer8BitAccess},
    {8, GeneratedBinding::Uniform, spv::Capability::UniformAndStorageBuffer8BitAccess},
    {8, GeneratedBinding::PushConstant, spv::Capability::StoragePushConstant8},
    {16, GeneratedBinding::Storage, spv::Capability::StorageBuffer16BitAccess},
    {16, GeneratedBinding::Uniform, spv::Capability::UniformAndStorageBuffer16BitAccess},
    {16, GeneratedBinding::PushConstant, spv::Capability::StoragePushConstant16},
};

/// Adds the capabilities for scalars of 8 and 16 bits in such a buffer.
void requireStorage(Writer &writer, const Layout &layout, GeneratedBinding kind) {
  for (const LaidScalar &scalar : layout.scalars)
    for (const StorageRow &row : storageRows)
      if (row.kind == kind && row.width == writer.info(scalar.type).width)
        writer.pool().require(row.capability);
}

} // namespace assay::fuzz
