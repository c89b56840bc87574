// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "llvm/IR/PassManager.h"

namespace assay::ir3 {

/// Replaces subgroup operations by calls of the functions of WaveFunctions.h where the chip has
/// instructions for them, and the others - a lane of each fiber's choice, clusters, values that are
/// combined and are not of 32 bits - by accesses of workgroup memory, where each wave has a slot
/// for every lane. These need no barrier: the lanes of a wave execute each access together, and a
/// wave's accesses of workgroup memory are in order. The number of a lane is that of the invocation
/// in the workgroup, modulo the size of a wave; the a630 has no getfiberid (Mesa 25.0,
/// ir3_compiler.c, has_getfiberid), and turnip computes it in the same way there (ir3_nir.c,
/// ir3_nir_lower_subgroup_id_cs).
///
/// Must run after all optimizations: LLVM takes these accesses for those of one invocation.
class LowerSubgroups : public llvm::PassInfoMixin<LowerSubgroups> {
public:
  explicit LowerSubgroups(bool hasShuffle) : m_hasShuffle(hasShuffle) {}
  llvm::PreservedAnalyses run(llvm::Module &module, llvm::ModuleAnalysisManager &analyses);
  static bool isRequired() { return true; }

private:
  bool m_hasShuffle; ///< The chip has shfl.
};

} // namespace assay::ir3
