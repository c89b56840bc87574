// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which buffers a fat pointer leads into.
#pragma once

#include "llvm/ADT/SmallVector.h"
#include <optional>

namespace llvm {
class Value;
} // namespace llvm

namespace assay {
class LoadBufferDescOp;
} // namespace assay

namespace assay::ir3 {

/// Whether both ops name the same element of the same binding.
bool isSameBuffer(const LoadBufferDescOp &left, const LoadBufferDescOp &right);

using BufferRoots = llvm::SmallVector<const LoadBufferDescOp *, 4>;

/// The buffers that the fat pointer \p pointer may lead into, one op for each; null and undefined
/// pointers lead into none. Nothing where one of its sources is no op, so that it may be any
/// buffer.
std::optional<BufferRoots> findBufferRoots(const llvm::Value *pointer);

} // namespace assay::ir3
