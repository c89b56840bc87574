// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads and writes through pointers, with all checks.
#pragma once

#include "oracles/machine/spirv/ops/Ops.h"

namespace assay::reference {

/// \p memoryType is the pointee's. A non-zero \p alignment is what the address must have.
Status loadValue(Invocation &invocation, const Inst &inst, const Scalar &pointer,
                 uint32_t memoryType, Scalar *result, uint32_t alignment = 0);
Status storeValue(Invocation &invocation, const Inst &inst, const Scalar &pointer,
                  uint32_t memoryType, const Scalar *value, uint32_t alignment = 0);

/// Whether what \p inst does to memory counts: Next if it does, Yield of a helper invocation, whose
/// writes have no effect; Stop after the run was stopped.
Status checkEffect(Invocation &invocation, const Inst &inst);

/// The scalar that an atomic works on: in memory of scalars, or in a buffer, or nowhere.
struct AtomicTarget {
  Scalar *scalar = nullptr;
  BufferMemory *buffer = nullptr;
  uint64_t offset = 0;
  bool outside = false; ///< Robust buffer access: nothing is written; a read gives \p read.
  Scalar read = Scalar::undefined(Cause::Index);
};
/// Checks and notes an atomic access of inst.width bits. An Error means only that the run has been
/// stopped.
llvm::Expected<AtomicTarget> atomicTarget(Invocation &invocation, const Inst &inst,
                                          const Scalar &pointer, AccessKind kind);

/// Notes an access of \p view; false after a race or by an alias, which has stopped the run.
bool noteImageAccess(Invocation &invocation, const Inst &inst, const ImageView &view,
                     uint64_t offset, AccessKind kind);

/// Bytes bound to the descriptor that a pointer leads to. An Error means only that the run has been
/// stopped.
llvm::Expected<uint64_t> boundRange(Invocation &invocation, const Inst &inst,
                                    const Scalar &pointer);

/// Whether everybody who executes \p inst together goes to the same descriptor as this one, as far
/// as they have come.
Status checkUniform(Invocation &invocation, const Inst &inst, const Scalar &pointer);

} // namespace assay::reference
