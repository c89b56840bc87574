// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A workaround for LLVM 22: a ballot of true is not read in whole-wave code.
#pragma once

namespace assay::amdgpu {

/// From now on, every code generator of this process that optimises has a pass after its register
/// coalescer (register-coalescer). A ballot of true is a copy of EXEC; the coalescer lets what
/// uses it read EXEC itself. Where that is V_SET_INACTIVE_B32, it is in whole-wave code when
/// SIWholeQuadMode is through, and EXEC is all ones there. The pass copies EXEC in front of it:
/// SIWholeQuadMode keeps scalar instructions that read EXEC outside (bugs/README.md).
void keepBallots();

} // namespace assay::amdgpu
