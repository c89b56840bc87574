// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where the buffers of a case are in a machine's memory, and what uninitialized memory holds.
#pragma once

#include "oracles/api/Case.h"
#include "oracles/api/Outcome.h"
#include "oracles/machine/simt/AddressSpace.h"

namespace assay::simt {

/// Address of the first buffer. Everything else that a machine maps (code, tables, private memory)
/// is at lower addresses.
constexpr uint64_t BufferBase = 0x0000'2345'0000'0000;
/// Least distance between the end of one buffer and the next, and alignment of all buffers. Nothing
/// is mapped between buffers, so that an access beyond one of them is a fault.
constexpr uint64_t BufferGap = 0x1'0000;

/// The addresses of buffers of \p sizes bytes: the same in every dispatch and in every run.
std::vector<uint64_t> placeBuffers(llvm::ArrayRef<size_t> sizes);
/// The addresses of the buffers of \p input, in their order.
std::vector<uint64_t> placeBuffers(const Case &input);

/// Maps \p buffers in place, at the addresses that placeBuffers() gives them. The caller keeps the
/// bytes. Returns the addresses.
std::vector<uint64_t> mapBuffers(AddressSpace &memory, std::vector<BufferState> &buffers);

/// What uninitialized storage holds. It depends on the seed: code whose results differ between two
/// seeds reads uninitialized storage, or races.
struct UninitializedPattern {
  explicit UninitializedPattern(uint64_t seed);

  uint32_t word; ///< Registers. A signalling NaN as f32, a large number as an integer.
  uint8_t byte;  ///< Memory. Neither a valid descriptor nor a useful pointer.
};

} // namespace assay::simt
