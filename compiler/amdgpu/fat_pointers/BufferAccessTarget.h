// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the target of a function means for its buffer instructions: generation, cache policy bits,
// alignment, and which atomics are native.
#pragma once

#include "compiler/amdgpu/fat_pointers/BufferAccess.h"

namespace assay::amdgpu {

/// Read from the function's attributes target-cpu, target-features and denormal-fp-math; without a
/// target-cpu nothing is native that some generation lacks.
struct BufferTarget {
  unsigned major = 0;
  unsigned minor = 0;
  unsigned stepping = 0;
  /// Dwords may be at any byte: LLVM's feature unaligned-access-mode. Without it an access is
  /// broken at its promised alignment, which is right whatever SH_MEM_CONFIG.ALIGNMENT_MODE says.
  bool unalignedAccess = false;
  /// A workgroup runs on one compute unit (LLVM's feature cumode; always so before GFX10).
  bool cuMode = true;
  bool flushesDenormals = false; ///< Of f32: what a function produces may be flushed.

  static BufferTarget of(const llvm::Function &function);

  /// GFX90A and GFX94x: the data centre branch of GFX9.
  bool isDataCentre() const { return major == 9 && (minor >= 4 || stepping >= 10); }
};

enum class AccessKind { Load, Store, ReadModifyWrite };

/// The auxiliary operand of a buffer intrinsic (IntrinsicsAMDGPU.td): bit 31 for volatile, from
/// which LLVM's memory legalizer makes cache bits, and the cache bits of an atomic load or store,
/// which it does not make, since the intrinsics carry no ordering. They are those that
/// SIMemoryLegalizer.cpp gives to a plain atomic of that scope. Non-temporal is metadata instead.
unsigned getCachePolicy(const llvm::Function &function, const AccessTraits &traits,
                        AccessKind kind);

/// Whether \p policy, the auxiliary operand of a buffer intrinsic, says volatile.
bool isVolatilePolicy(unsigned policy);

/// Whether the target has \p operation on \p type as a buffer instruction that means just that.
bool isNativeAtomic(const BufferTarget &target, llvm::AtomicRMWInst::BinOp operation,
                    llvm::Type *type, const AccessTraits &traits);

} // namespace assay::amdgpu
