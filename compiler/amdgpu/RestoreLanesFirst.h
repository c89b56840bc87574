// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A mend for LLVM 22: lanes come back before anything else happens where control flow meets.
#pragma once

namespace assay::amdgpu {

/// From now on, every code generator of this process has a pass behind FinalizeISel. The selection
/// DAG may put scalar arithmetic in front of SI_END_CF, which then no longer belongs to the
/// beginning of its block (SIInstrInfo::isBasicBlockPrologue), and PHI elimination puts its copies
/// before it: vector registers are copied in lanes that are not on yet, behind a loop in none. The
/// pass moves SI_END_CF to where it stands in the IR, behind the PHIs (docs/found-bugs.md).
void restoreLanesFirst();

} // namespace assay::amdgpu
