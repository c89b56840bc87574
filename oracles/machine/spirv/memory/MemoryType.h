// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Types as they lie in memory. Buffers count bytes and follow the explicit layout decorations; all
// other memory counts scalars and lies in the order of the flattened value.
#pragma once

#include "compiler/spirv/Module.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

namespace assay::reference {

/// One scalar of a flattened memory type.
struct FlatScalar {
  uint32_t offset = 0;
  uint8_t bytes = 4;
  bool isFloat = false;
  bool isPointer = false; ///< A device address.
};

struct MemoryType {
  spirv::TypeKind kind = spirv::TypeKind::Void;
  spirv::Id type = 0;
  uint32_t element = 0; ///< Index of the element's (component's, column's) memory type.
  uint64_t stride = 0;  ///< Between elements.
  uint64_t count = 0;   ///< Elements; 0 for a runtime array.
  std::vector<uint64_t> memberOffsets;
  std::vector<uint32_t> memberTypes;
  uint64_t size = 0;            ///< In the units of this memory; what a whole access spans.
  uint32_t scalars = 0;         ///< Of the flattened value; 0 if it ends in a runtime array.
  std::vector<FlatScalar> flat; ///< Explicit layout only; filled by MemoryTypes::flatten.

  /// An image, a sampler or both.
  bool isDescriptor() const {
    return kind == spirv::TypeKind::Image || kind == spirv::TypeKind::Sampler ||
           kind == spirv::TypeKind::SampledImage;
  }
};

/// The length of an array type, from its length constant.
using LengthFunction = llvm::function_ref<llvm::Expected<uint64_t>(spirv::Id lengthId)>;

/// Interns memory types of one module.
class MemoryTypes {
public:
  /// The memory type of \p type. Unsupported for types that memory can't hold here.
  llvm::Expected<uint32_t> get(const spirv::Module &module, spirv::Id type, bool isExplicit,
                               const spirv::MemberLayout &layout, LengthFunction lengthOf);
  const MemoryType &operator[](uint32_t index) const { return m_types[index]; }
  /// Fills \p flat of an explicit type.
  void flatten(uint32_t index);

private:
  /// Type, whether the layout is explicit, matrix stride, whether it is row-major.
  using Key = std::tuple<spirv::Id, bool, uint32_t, bool>;
  struct Request;
  /// Fills \p result by the kind of the type; elements and members are interned first.
  llvm::Error build(const Request &request, MemoryType &result);
  /// Vectors and matrices.
  llvm::Error buildVector(const Request &request, MemoryType &result);
  llvm::Error buildArray(const Request &request, MemoryType &result);
  llvm::Error buildStruct(const Request &request, MemoryType &result);
  void collectFlat(uint32_t index, uint64_t offset, std::vector<FlatScalar> &flat) const;

  std::map<Key, uint32_t> m_index;
  std::vector<MemoryType> m_types;
};

} // namespace assay::reference
