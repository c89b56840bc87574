// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whether a function has anything to do with buffers: state that concerns them alone need not be
// read for the others.
#pragma once

namespace llvm {
class Function;
} // namespace llvm

namespace assay {

/// Whether a value in \p function is a buffer fat pointer or has one in it.
bool usesFatPointers(const llvm::Function &function);

/// Whether \p function uses fat pointers or calls an intrinsic that accesses a buffer.
bool accessesBuffers(const llvm::Function &function);

} // namespace assay
