// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Descriptors as instructions name them: a bindless base, which is the set, and an index.
#pragma once

#include "compiler/ir3/select/Selector.h"
#include "compiler/lgc/Image.h"

namespace assay::ir3 {

/// One descriptor of an array of them.
struct BindingElement {
  uint64_t set = 0, binding = 0;
  const llvm::Value *index = nullptr; ///< i32.
  DescriptorPart part = DescriptorPart::Resource;
};

struct BoundPlace {
  uint32_t set = 0;
  Register slot; ///< An immediate below 256, or a register.
  SlotMode mode = SlotImmediate;
};

/// Nothing after Selector::fail().
std::optional<BoundPlace> findPlace(Selector &selector, const llvm::Instruction &inst,
                                    const BindingElement &element);
/// Of the descriptor of an image, texel buffer or sampler that \p descriptor has been loaded from.
std::optional<BoundPlace> findDescriptor(Selector &selector, const llvm::Instruction &inst,
                                         const llvm::Value *descriptor);
/// Whether \p pointer leads into a table of descriptors of images or samplers.
bool isDescriptorAddress(const llvm::Value *pointer);

/// Sets the fields of a category 6 instruction that name the descriptor.
void applyPlace(Instruction *access, const BoundPlace &place);

/// \p offset, of bytes, in dwords.
Register dwordIndex(Selector &selector, const Register &offset);

/// isam of \p count dwords of the buffer at \p place, from dword \p index on. Several need isam.v.
Instruction *fetchDwords(Selector &selector, const BoundPlace &place, Register index,
                         unsigned count);

} // namespace assay::ir3
