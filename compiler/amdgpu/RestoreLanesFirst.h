// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A workaround for LLVM 22: lanes come back before anything else happens where control flow meets.
#pragma once

namespace assay::amdgpu {

/// From now on, every code generator of this process has a pass after FinalizeISel. Only what
/// changes EXEC at the very beginning of a block belongs to its prologue
/// (SIInstrInfo::isBasicBlockPrologue); in front of anything else go copies and reloads of vector
/// registers, in lanes that are not on yet, after a loop in none. The selection DAG may put scalar
/// arithmetic in front of SI_END_CF; and after the loop around an access by resources that differ,
/// a comparison that restores SCC is in front of the s_mov that gives the lanes back. The pass
/// moves both to the beginning, after the PHIs (bugs/README.md).
void restoreLanesFirst();

} // namespace assay::amdgpu
