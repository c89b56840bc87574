// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// LLVM IR, as the neutral middle-end leaves it, to the IR of the ir3 compiler.
#pragma once

#include "compiler/api/ResourceLayout.h"
#include "compiler/ir3/ir/Program.h"
#include "llvm/Support/Error.h"
#include <optional>

namespace llvm {
class Function;
} // namespace llvm

namespace assay::ir3 {

/// A binding of a set: descriptors [first, first + count) of the set's bindless base.
struct BindingPlace {
  uint32_t set = 0, binding = 0;
  uint32_t first = 0, count = 1;
  DescriptorKind kind = {};

  /// Descriptors of one element: an image and its sampler are two.
  uint32_t descriptors() const { return kind == DescriptorKind::CombinedImageSampler ? 2 : 1; }
};

/// Dwords of one element of a binding that the launch copies to the const file; 0 where the bound
/// range of the buffer ends earlier.
struct UniformRange {
  uint32_t set = 0, binding = 0, element = 0;
  uint32_t firstByte = 0; ///< Of what is bound.
  uint32_t dwords = 0;
  uint32_t constDword = 0;
};

/// What a launch must know of a selected shader, apart from the code.
struct Interface {
  std::vector<BindingPlace> bindings; ///< Of the whole layout, ascending set and binding.
  uint32_t pushConstantDwords = 0;    ///< At the start of the const file.
  uint32_t groupCountDword = 0;       ///< Where the three counts of workgroups are.
  /// Where the workgroup's id is, of chips with slots; it is in shared registers elsewhere.
  std::optional<uint32_t> workgroupIdDword;
  uint32_t constDwords = 0; ///< Of the const file, without the immediates.
  std::vector<UniformRange> uniforms;
  std::array<uint32_t, 3> localSize{1, 1, 1};
  bool placesArrays = false; ///< Small variables are arrays in registers, not private memory.
};

/// The places of all bindings of \p layout.
std::vector<BindingPlace> placeBindings(const ResourceLayout &layout);
/// The places on chips with slots, which all sets share: `first` is the number of a slot.
std::vector<BindingPlace> placeInSlots(const ResourceLayout &layout);

/// Registers that a launch fills: the local invocation id, and the shared ones of the workgroup.
constexpr unsigned LocalIdRegister = 0, WorkgroupIdRegister = reg::Shared;

/// Selects \p function, which has no calls but of intrinsics and ops, into \p program. Registers
/// and constants are those of \p interface, whose layout and sizes are filled in already.
/// Unsupported, with the instruction, for what has no selection.
llvm::Error select(llvm::Function &function, const Interface &interface, Program &program);

} // namespace assay::ir3
