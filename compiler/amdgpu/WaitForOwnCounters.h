// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A workaround for LLVM 22: waits for counters of the ALU are those of their own target.
#pragma once

namespace assay::amdgpu {

/// From now on, no code of this process depends on the target that it generated code for first.
/// LLVM keeps what s_waitcnt_depctr waits for where it waits for nothing from the first target that
/// asks, for the life of the process (AMDGPU::DepCtr::getDefaultDepCtrEncoding), and GFX10.1 lacks
/// the counter hold_cnt. So this asks for a target that has all, and every code generator has a
/// pass after its hazard recogniser that clears the counter's bit, which is reserved, on GFX10.1
/// (bugs/README.md). To be called once, before any code is generated; a fatal error where
/// something else has asked before.
void waitForOwnCounters();

} // namespace assay::amdgpu
