// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the front-end knows of pointers beyond their LLVM values, and of functions that get them.
#pragma once

#include "compiler/lgc/Builder.h"
#include "compiler/spirv/Module.h"
#include <optional>
#include <vector>

namespace assay {

/// A descriptor: which element of which binding.
struct BufferReference {
  uint32_t set = 0;
  uint32_t binding = 0;
  llvm::Value *index = nullptr; ///< i32; null for an array of descriptors as a whole.
  std::optional<DescriptorPart> part = std::nullopt; ///< Of an image or sampler; none for a buffer.
  bool isAliased = false;                            ///< The variable is decorated Aliased.

  bool operator==(const BufferReference &) const = default;
};

/// What a pointer's LLVM value does not tell: how its pointee lies in memory.
struct PointerInfo {
  spirv::MemberLayout matrix;   ///< Layout of the matrices inside, from the member on the way.
  uint32_t componentStride = 0; ///< Bytes between components when this is a row-major column.
  uint32_t alignment = 1;       ///< Known of the address where the layout is explicit; a scalar is
                                ///< always aligned to its own size, or to four bytes.
  bool isVolatile = false;      ///< Decorated Volatile or Coherent.
  bool isInvariant = false;     ///< Nobody writes there while the shader runs.
  std::optional<BufferReference> buffer; ///< Points at a block, or at an array of blocks.
  /// Where a condition (i1) holds, this array of blocks instead of \p buffer; the last such counts.
  std::vector<std::pair<llvm::Value *, BufferReference>> choices;
  spirv::Id input = 0;                 ///< An Input variable, which has no address.
  std::optional<uint32_t> inputMember; ///< The member of that variable's structure.
  llvm::Value *component = nullptr;    ///< Component (i32) of that Input variable, or null.

  bool operator==(const PointerInfo &) const = default;
  /// The places of the LLVM values in here, which are values of one function only.
  llvm::SmallVector<llvm::Value **, 2> values();
};

/// A pointer with all that is known of it. \p value is null where PointerInfo says why.
struct Pointer {
  llvm::Value *value = nullptr;
  spirv::Id pointee = 0; ///< Type.
  spv::StorageClass storage = spv::StorageClass::Function;
  PointerInfo info;
};

/// What OpImageTexelPointer points at.
struct TexelPointer {
  ImageAccess access;
  spirv::Id pointee = 0; ///< Type.
};

/// A SPIR-V function as some of its calls need it: what their pointer arguments point at becomes
/// part of its code. \p parameters are next to those of \p source; each value in them (see
/// PointerInfo::values) is an argument of its own, after the others.
struct FunctionInstance {
  const spirv::Function *source = nullptr;
  std::vector<PointerInfo> parameters;
  llvm::Function *function = nullptr;
};

} // namespace assay
