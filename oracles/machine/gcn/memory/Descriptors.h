// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a driver writes into descriptor tables for the resources of a case.
#pragma once

#include "oracles/api/Case.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Error.h"

namespace assay::gcn {

using DescriptorWords = llvm::SmallVector<uint32_t, 12>;

/// The descriptor of each binding of \p pipeline, in their order; none for push constants.
/// \p addresses are those of the case's buffers. With \p hasPlanarLines, images of one dimension
/// are described as images of two, of height 1. Unsupported where GFX\p gfxMajor has
/// no format for a resource's texels.
llvm::Expected<std::vector<DescriptorWords>>
makeDescriptors(const Case &input, const CasePipeline &pipeline, llvm::ArrayRef<uint64_t> addresses,
                unsigned gfxMajor, bool hasPlanarLines = false);

} // namespace assay::gcn
