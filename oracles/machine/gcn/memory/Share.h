// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The memories that DS instructions reach: a workgroup's LDS and the chip's global data share
// (GDS), which has counters of its own (GS registers) and resources to wait for (GWS). All of the
// global share lies in the dispatch's address space, where no address of code can come.
#pragma once

#include "oracles/machine/gcn/memory/Transfer.h"

namespace assay::gcn {

/// After what addresses of code can say (48 bits).
constexpr uint64_t GlobalShareBase = uint64_t(1) << 60;
constexpr uint64_t GlobalShareBytes = 64 * 1024;
constexpr unsigned GsRegisterCount = 24;  ///< 8 of 32 bits, 8 of 64.
constexpr unsigned GwsResourceCount = 64; ///< A counter and a flag each.

/// Gives a dispatch its global share, all zeros.
void mapGlobalShare(AddressSpace &memory);

/// Where \p op's lane \p lane finds \p bytes of data share at \p address: nothing after the run has
/// ended, null where the global share ends (reads 0, writes nothing).
std::optional<uint8_t *> findShare(Wave &wave, const MicroOp &op, unsigned lane, uint64_t address,
                                   unsigned bytes, bool writes);

/// LDS, or the global share where the instruction says so.
MemorySpace shareSpace(const MicroOp &op);

/// The lanes that \p op works for: GFX11's global share takes the lowest only.
uint64_t shareLanes(const Wave &wave, const MicroOp &op);

/// Takes operands from \p index of the instruction on as sources: \p destinations go before. False:
/// they are not as many.
bool takeShareOperands(const Inst &inst, MicroOp &op, unsigned destinations, unsigned sources);

} // namespace assay::gcn
