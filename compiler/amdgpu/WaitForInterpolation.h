// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A workaround for LLVM 22: halves are not interpolated right after M0 is written.
#pragma once

namespace assay::amdgpu {

/// From now on, every code generator of this process has a pass after its hazard recogniser. On
/// GFX9 interpolation reads M0 one wait state after a scalar instruction has written it at the
/// earliest (AMD's Vega ISA manual, "Manually Inserted Wait States"). LLVM waits ahead of
/// instructions of the encoding VINTRP, but not ahead of those of VOP3, which interpolate halves
/// (GCNHazardRecognizer::checkReadM0Hazards; bugs/llvm-interpolated-halves-m0-gfx9). The pass does.
void waitForInterpolation();

} // namespace assay::amdgpu
