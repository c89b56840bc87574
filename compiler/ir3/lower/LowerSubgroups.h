// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "llvm/IR/PassManager.h"

namespace assay::ir3 {

/// Replaces subgroup operations by accesses of workgroup memory, where each wave has a slot for
/// every lane and a mask. This needs no barrier: the lanes of a wave execute each access together,
/// and a wave's accesses of workgroup memory are in order. The a630 has neither shfl nor
/// getfiberid, so the number of a lane is that of the invocation in the workgroup, modulo the size
/// of a wave (Mesa 25.0, ir3_nir.c, does the same for such chips).
///
/// Must run after all optimizations: LLVM takes these accesses for those of one invocation.
class LowerSubgroups : public llvm::PassInfoMixin<LowerSubgroups> {
public:
  llvm::PreservedAnalyses run(llvm::Module &module, llvm::ModuleAnalysisManager &analyses);
  static bool isRequired() { return true; }
};

} // namespace assay::ir3
