// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/machine/spirv/memory/MemoryType.h"

#include "support/Error.h"
#include <algorithm>

using namespace llvm;
using namespace assay;
using namespace assay::reference;
using spirv::TypeKind;

/// More scalars than this in one object are refused.
static constexpr uint64_t MaxScalars = 1u << 22;

/// A type to build, and the layout of the member that holds it.
struct MemoryTypes::Request {
  const spirv::Module &module;
  const spirv::Type &type;
  bool isExplicit;
  spirv::MemberLayout layout;
  LengthFunction lengthOf;
};

/// Layouts differ for matrices only, so that these are part of the key.
Expected<uint32_t> MemoryTypes::get(const spirv::Module &module, spirv::Id id, bool isExplicit,
                                    const spirv::MemberLayout &layout, LengthFunction lengthOf) {
  Key key{id, isExplicit, layout.matrixStride, layout.rowMajor};
  if (auto found = m_index.find(key); found != m_index.end())
    return found->second;
  MemoryType result;
  result.type = id;
  Request request{module, module.type(id), isExplicit, layout, lengthOf};
  result.kind = request.type.kind;
  if (Error error = build(request, result))
    return std::move(error);
  m_types.push_back(std::move(result));
  return m_index[key] = static_cast<uint32_t>(m_types.size() - 1);
}

/// Computes size and scalars of a type. Sizes are bytes for explicit layouts and scalars otherwise.
/// Unsupported for types that cannot be in such memory.
Error MemoryTypes::build(const Request &request, MemoryType &result) {
  const spirv::Type &type = request.type;
  switch (type.kind) {
  case TypeKind::Int:
    result.size = request.isExplicit ? type.width / 8 : 1;
    result.scalars = 1;
    return Error::success();
  case TypeKind::Float:
    if (type.width != 16 && type.width != 32 && type.width != 64)
      return unsupported("OpTypeFloat " + Twine(type.width) + " (%" + Twine(type.id) + ")");
    result.size = request.isExplicit ? type.width / 8 : 1;
    result.scalars = 1;
    return Error::success();
  case TypeKind::Bool:
  case TypeKind::Pointer: {
    bool isAddress = type.storageClass == spv::StorageClass::PhysicalStorageBuffer;
    if (request.isExplicit && !isAddress)
      return unsupported("boolean or pointer in a buffer (%" + Twine(type.id) + ")");
    result.size = request.isExplicit ? 8 : 1;
    result.scalars = 1;
    return Error::success();
  }
  case TypeKind::Image:
  case TypeKind::Sampler:
  case TypeKind::SampledImage: // A descriptor: its value is where it stands.
    result.size = 1;
    result.scalars = type.kind == TypeKind::SampledImage ? 2 : 1;
    return Error::success();
  case TypeKind::Vector:
  case TypeKind::Matrix:
    return buildVector(request, result);
  case TypeKind::Array:
  case TypeKind::RuntimeArray:
    return buildArray(request, result);
  case TypeKind::Struct:
    return buildStruct(request, result);
  default:
    return unsupported("type of %" + Twine(type.id) + " in memory");
  }
}

// A row-major matrix has its columns a scalar apart, and the components of a column a matrix stride
// apart; the layout is passed down so that a column knows.
Error MemoryTypes::buildVector(const Request &request, MemoryType &result) {
  bool isMatrix = request.type.kind == TypeKind::Matrix;
  const spirv::MemberLayout &layout = request.layout;
  Expected<uint32_t> element = get(request.module, request.type.element, request.isExplicit,
                                   isMatrix ? layout : spirv::MemberLayout(), request.lengthOf);
  if (!element)
    return element.takeError();
  result.element = *element;
  result.count = request.type.count;
  result.scalars = static_cast<uint32_t>(result.count * m_types[*element].scalars);
  result.stride = m_types[*element].size;
  if (request.isExplicit) {
    if (isMatrix)
      result.stride =
          layout.rowMajor ? m_types[m_types[*element].element].size : uint64_t(layout.matrixStride);
    else if (layout.rowMajor && layout.matrixStride)
      result.stride = layout.matrixStride;
  }
  result.size = (result.count - 1) * result.stride + m_types[*element].size;
  return Error::success();
}

/// Limit for more than MaxScalars scalars; Unsupported without ArrayStride in explicit layout.
Error MemoryTypes::buildArray(const Request &request, MemoryType &result) {
  if (request.type.kind == TypeKind::Array) {
    Expected<uint64_t> length = request.lengthOf(request.type.lengthId);
    if (!length)
      return length.takeError();
    result.count = *length;
  }
  Expected<uint32_t> element = get(request.module, request.type.element, request.isExplicit,
                                   request.layout, request.lengthOf);
  if (!element)
    return element.takeError();
  result.element = *element;
  const MemoryType &elementType = m_types[*element];
  if (result.count * elementType.scalars > MaxScalars)
    return limitExceeded("array %" + Twine(request.type.id) + " is too large");
  result.scalars = static_cast<uint32_t>(result.count * elementType.scalars);
  result.stride = request.isExplicit ? request.type.arrayStride : elementType.size;
  if (request.isExplicit && !result.stride)
    return unsupported("array %" + Twine(request.type.id) + " in a buffer without ArrayStride");
  if (result.count)
    result.size = (result.count - 1) * result.stride + elementType.size;
  return Error::success();
}

/// Without explicit layout, members follow each other. A structure that ends in a runtime array has
/// no number of scalars.
Error MemoryTypes::buildStruct(const Request &request, MemoryType &result) {
  uint64_t next = 0;
  bool endsOpen = false;
  for (uint32_t i = 0; i < request.type.members.size(); ++i) {
    spirv::MemberLayout layout = request.module.memberLayout(request.type.id, i);
    if (request.isExplicit && !layout.offset)
      return unsupported("member " + Twine(i) + " of %" + Twine(request.type.id) +
                         " in a buffer without Offset");
    Expected<uint32_t> member =
        get(request.module, request.type.members[i], request.isExplicit,
            request.isExplicit ? layout : spirv::MemberLayout(), request.lengthOf);
    if (!member)
      return member.takeError();
    const MemoryType &memberType = m_types[*member];
    uint64_t offset = request.isExplicit ? *layout.offset : next;
    result.memberTypes.push_back(*member);
    result.memberOffsets.push_back(offset);
    next = offset + memberType.size;
    result.size = std::max(result.size, next);
    result.scalars += memberType.scalars;
    endsOpen |= !memberType.scalars && memberType.kind != TypeKind::Struct;
  }
  if (endsOpen)
    result.scalars = 0;
  return Error::success();
}

/// Does nothing for types that are flat already, or have no size.
void MemoryTypes::flatten(uint32_t index) {
  if (!m_types[index].flat.empty() || !m_types[index].scalars)
    return;
  std::vector<FlatScalar> flat;
  flat.reserve(m_types[index].scalars);
  collectFlat(index, 0, flat);
  m_types[index].flat = std::move(flat);
}

/// Appends the scalars of type \p index at byte \p offset, in the order of the flattened value.
void MemoryTypes::collectFlat(uint32_t index, uint64_t offset,
                              std::vector<FlatScalar> &flat) const {
  const MemoryType &type = m_types[index];
  if (type.kind == TypeKind::Struct) {
    for (size_t i = 0; i < type.memberTypes.size(); ++i)
      collectFlat(type.memberTypes[i], offset + type.memberOffsets[i], flat);
  } else if (type.kind == TypeKind::Int || type.kind == TypeKind::Float ||
             type.kind == TypeKind::Pointer) {
    flat.push_back({static_cast<uint32_t>(offset), static_cast<uint8_t>(type.size),
                    type.kind == TypeKind::Float, type.kind == TypeKind::Pointer});
  } else {
    for (uint64_t i = 0; i < type.count; ++i)
      collectFlat(type.element, offset + i * type.stride, flat);
  }
}
