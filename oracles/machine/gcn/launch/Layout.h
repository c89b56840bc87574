// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where things lie in the machine's memory. Code, tables and scratch share the high 32 bits of
// their addresses, because shaders get pointers' low halves and complete them from the program
// counter; buffers share nothing with them, so that a confusion shows.
#pragma once

#include "oracles/machine/simt/CaseMemory.h"

namespace assay::gcn {

constexpr uint64_t ImageBase = 0x0000'1234'0001'0000;
constexpr uint64_t TableBase = 0x0000'1234'4000'0000;
/// RADV completes pointers to tables by a constant, 0xffff8000 (its address32_hi); of that, memory
/// sees the low 16 bits.
constexpr uint64_t RadvTableBase = 0xffff'8000'4000'0000;
constexpr uint64_t TableGap = 0x1'0000;
constexpr uint64_t ScratchBase = 0x0000'1234'8000'0000;
static_assert(ScratchBase < simt::BufferBase, "buffers are above everything else");

} // namespace assay::gcn
