// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Matrix operations of a whole wave: WMMA (GFX11, GFX12) and SWMMAC, whose A is sparse (GFX12).
// Where the elements stand is from AMD's Matrix Instruction Calculator (ROCm), which prints it for
// every instruction; what is not documented - order of the sums, rounding, denormals, EXEC - is in
// docs/errata-amdgpu.md, "Matrix operations".
#pragma once

#include "oracles/machine/gcn/Bind.h"

namespace assay::gcn {

/// Unsupported when an operand has another size than the shape and the wave need, and for clamp on
/// floats.
BindResult bindMatrix(const Inst &inst, const ProgramOptions &options, MicroOp &op);

} // namespace assay::gcn
