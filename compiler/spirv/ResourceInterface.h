// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which descriptors and push constants an entry point can reach.
#pragma once

#include "compiler/api/Pipeline.h"
#include "compiler/spirv/Module.h"

namespace assay::spirv {

/// Descriptors of all resource variables of \p module, ascending (set, binding), and the bytes of
/// its push constants. An array's count is taken from its length constant; InvalidInput where that
/// is no plain constant; 0 for runtime arrays of descriptors.
struct ResourceInterface {
  std::vector<DescriptorBinding> bindings;
  uint32_t pushConstantBytes = 0;
};
llvm::Expected<ResourceInterface> collectResources(const Module &module);

/// Bytes that a type with explicit layout takes, without trailing padding; a runtime array counts
/// none. Matrices by stride and majorness of \p layout.
uint64_t explicitSize(const Module &module, Id type, const MemberLayout &layout = {});

/// The layout every part of Assay gives a pipeline whose stages are \p modules, each at most once.
/// Push constants get room for the longest block of any stage. InvalidInput where two stages
/// declare a binding with different kinds of descriptor; an image, a sampler and a combined image
/// sampler may share one. LimitExceeded for push constants above 64 KiB.
llvm::Expected<ResourceLayout> layoutFor(llvm::ArrayRef<const Module *> modules);
inline llvm::Expected<ResourceLayout> layoutFor(const Module &module) {
  return layoutFor(&module);
}

} // namespace assay::spirv
