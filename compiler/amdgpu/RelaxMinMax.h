// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A workaround for LLVM 22: constrained minima and maxima of floats can be selected.
#pragma once

namespace assay::amdgpu {

/// From now on, every code generator of this process has a pass of IR in front of instruction
/// selection. Where a function is strictfp, LLVM's expansion and its optimiser of atomics compute
/// minima and maxima by constrained intrinsics, which AMD's target cannot select ("unsupported
/// library call operation"). They do not round: the pass makes plain ones of them
/// (bugs/README.md).
void relaxMinMax();

} // namespace assay::amdgpu
