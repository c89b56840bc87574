// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the handlers of buffer instructions share: one lane's address, and its bytes in memory.
#pragma once

#include "oracles/machine/gcn/image/TexelCodec.h"
#include "oracles/machine/gcn/memory/BufferDescriptor.h"
#include "oracles/machine/gcn/memory/Transfer.h"

namespace assay::gcn {

/// Operands: data, address, descriptor, scalar offset.
enum BufferSource : uint8_t { BufferData, BufferLane, BufferResource, BufferScalar };

/// One execution of an instruction.
struct BufferRun {
  BufferDescriptor descriptor;
  uint32_t scalarOffset = 0;
  std::optional<TexelView> texel; ///< Of formatted accesses.
};

BufferAddress laneBufferAddress(const Wave &wave, const MicroOp &op, const BufferRun &run,
                                unsigned lane);

/// Whether it is known already that an access is in range.
enum class RangeCheck : uint8_t { ToDo, Done };

/// Moves \p data to or from the buffer, in range or not: what is out of range reads as zeros.
/// Chunks of a swizzled buffer lie apart. False after ending the run.
bool moveBufferBytes(Wave &wave, const MicroOp &op, const BufferRun &run,
                     const BufferAddress &address, unsigned lane,
                     llvm::MutableArrayRef<uint8_t> data, RangeCheck check = RangeCheck::ToDo);

/// Chooses the format of \p op, from the encoding or from the descriptor. False after ending the
/// run: there is no such format.
bool chooseBufferFormat(Wave &wave, const MicroOp &op, BufferRun &run);

/// A load or store with conversion, of one lane. False after ending the run.
bool moveFormattedLane(Wave &wave, const MicroOp &op, const BufferRun &run, unsigned lane);

/// "load_format_xyz", "store_d16_format_x", "load_format_d16_hi_x": as many components as letters.
bool findFormattedAccess(llvm::StringRef name, MemoryAccess &access);

/// Two components of 16 bits a register: those of \p texel, as \p kind has them.
uint32_t narrowComponent(uint32_t word, TexelClass kind);
uint32_t widenComponent(uint32_t half, TexelClass kind);

} // namespace assay::gcn
