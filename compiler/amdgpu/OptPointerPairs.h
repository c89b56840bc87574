// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Saves a copy for each pointer whose upper half is that of the program counter.
#pragma once

namespace assay::amdgpu {

/// From now on, every code generator of this process that optimizes has a pass after its peephole
/// optimizer (peephole-opt). MutateEntryPoint makes a pointer of a 32-bit user data entry and of
/// the upper half of the program counter. Instruction selection builds the pair from two copies,
/// and the register coalescer can remove neither, because it first joins the pair with the user
/// data entry. The pass inserts the entry into the pair that s_getpc_b64 returns instead: one copy
/// remains.
void optPointerPairs();

} // namespace assay::amdgpu
