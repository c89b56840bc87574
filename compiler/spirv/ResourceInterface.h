// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which descriptors and push constants an entry point can reach.
#pragma once

#include "compiler/api/Pipeline.h"
#include "compiler/spirv/Module.h"

namespace assay::spirv {

/// A module with the values of its specialization constants; those that are not named have their
/// defaults. Owns neither.
struct SpecializedModule {
  SpecializedModule(const Module &module, llvm::ArrayRef<SpecializationValue> values = {})
      : module(module), values(values) {}

  const Module &module;
  llvm::ArrayRef<SpecializationValue> values;
};

/// The value of a constant of 32-bit integers, as a length is one: of OpConstant, OpSpecConstant,
/// and OpSpecConstantOp with arithmetic, shifts and bitwise operations. Nothing for others, for
/// results that SPIR-V leaves undefined, and for expressions of more than 256 operations.
std::optional<uint32_t> evaluateLength(const SpecializedModule &source, Id constant);

/// Descriptors of all resource variables of a module, ascending (set, binding), and the bytes of
/// its push constants. An array's count is taken from its length constant; InvalidInput where
/// evaluateLength() knows no value; 0 for runtime arrays of descriptors.
struct ResourceInterface {
  std::vector<DescriptorBinding> bindings;
  uint32_t pushConstantBytes = 0;
};
llvm::Expected<ResourceInterface> collectResources(const SpecializedModule &source);

/// Bytes that a type with explicit layout takes, without trailing padding; a runtime array counts
/// none. Matrices by stride and majorness of \p layout.
uint64_t explicitSize(const SpecializedModule &source, Id type, const MemberLayout &layout = {});

/// The layout every part of Assay gives a pipeline whose stages are \p modules, each at most once.
/// Push constants get room for the longest block of any stage. InvalidInput where two stages
/// declare a binding with different kinds of descriptor; an image, a sampler and a combined image
/// sampler may share one. LimitExceeded for push constants above 64 KiB.
llvm::Expected<ResourceLayout> layoutFor(llvm::ArrayRef<SpecializedModule> modules);
inline llvm::Expected<ResourceLayout> layoutFor(const Module &module) {
  return layoutFor(SpecializedModule(module));
}

} // namespace assay::spirv
