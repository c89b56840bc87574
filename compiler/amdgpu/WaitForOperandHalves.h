// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A workaround for LLVM 22: the two registers of one operand are not forwarded from both sides of
// EXEC.
#pragma once

namespace assay::amdgpu {

/// From now on, every code generator of this process has a pass after its hazard recogniser. That
/// keeps wave64 code of GFX11 from reading one VGPR from before a SALU write of EXEC and one from
/// after it while both are forwarded, but counts operands: an operand of two registers is one to
/// it (GCNHazardRecognizer::fixVALUPartialForwardingHazard), where ACO counts registers
/// (VALUPartialForwardingHazard of its README-ISA). The pass waits for VALU in front of such a
/// reader of wide operands (bugs/README.md).
void waitForOperandHalves();

} // namespace assay::amdgpu
