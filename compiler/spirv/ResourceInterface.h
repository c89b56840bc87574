// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which descriptors and push constants an entry point can reach.
#pragma once

#include "compiler/api/Pipeline.h"
#include "compiler/spirv/Module.h"

namespace assay::spirv {

/// A module with the values of its specialization constants; those that are not named have their
/// defaults. Owns neither.
struct SpecializedModule {
  const Module &module;
  llvm::ArrayRef<SpecializationValue> values;
};

/// The value of an integer constant of up to 32 bits that is the length of an array: OpConstant,
/// OpSpecConstant, or OpSpecConstantOp. Unsupported for other constants and for operations that the
/// evaluation lacks; InvalidInput where the result is undefined; LimitExceeded where it takes more
/// than 256 constants, each counted as often as it is used.
llvm::Expected<uint32_t> evaluateLength(const SpecializedModule &source, Id constant);

/// Descriptors of all resource variables of a module, ascending (set, binding), and the bytes of
/// its push constants. An array's count is that of evaluateLength(), whose errors are returned, and
/// 0 for runtime arrays of descriptors; InvalidInput for a length of 0.
struct ResourceInterface {
  std::vector<DescriptorBinding> bindings;
  uint32_t pushConstantBytes = 0;
};
llvm::Expected<ResourceInterface> collectResources(const SpecializedModule &source);

/// Bytes that a type with explicit layout takes, without trailing padding; a runtime array counts
/// none. Matrices by stride and majorness of \p layout. Errors are those of evaluateLength().
llvm::Expected<uint64_t> explicitSize(const SpecializedModule &source, Id type,
                                      const MemberLayout &layout = {});

/// The layout every part of Assay gives a pipeline whose stages are \p modules, each at most once.
/// Push constants get room for the longest block of any stage. InvalidInput where two stages
/// declare a binding with different kinds of descriptor; an image, a sampler and a combined image
/// sampler may share one. LimitExceeded for push constants above 64 KiB.
llvm::Expected<ResourceLayout> layoutFor(llvm::ArrayRef<SpecializedModule> modules);
inline llvm::Expected<ResourceLayout> layoutFor(const Module &module) {
  return layoutFor(SpecializedModule{module, {}});
}

} // namespace assay::spirv
