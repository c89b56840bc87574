// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The memory that interpreted IR sees: buffers after resources (V#), global memory, LDS; scratch
// is the interpreter's own.
#pragma once

#include <cstdint>
#include <vector>

namespace assay::ir {

/// A buffer and the resource through which it is seen. Facts of the resource's bits: base address
/// in bits 47:0, stride in 61:48, number of records in 95:64 (bytes where the stride is 0, else
/// elements), the rest in 127:96 (AMD ISA manuals, "Buffer Resource Descriptor").
struct BufferMemory {
  std::vector<uint8_t> bytes;
  std::vector<bool> poison; ///< By byte; empty = none.
  /// By byte; empty = none. Filled by a run: where a store of an aggregate left padding last, which
  /// is poison; bytes has what was there before.
  std::vector<bool> padding = {};
  uint64_t address = 0;    ///< Device address; buffers do not touch each other.
  uint16_t stride = 0;     ///< 0: raw.
  uint32_t numRecords = 0; ///< What the resource says; ~0: no bounds (raw behaviour: an access
                           ///< outside traps). Else reads outside give 0, writes are dropped.
  uint32_t flags = 0;      ///< Dword 3 of the resource: opaque, must arrive unchanged.
};

/// What a run did to a byte.
enum TouchFlags : uint8_t { ReadTouch = 1, WriteTouch = 2 };

struct Memory {
  std::vector<BufferMemory> buffers; ///< Also reachable through address space 1 at their addresses.
  std::vector<uint8_t> lds;          ///< Address space 3.
  /// A run fills footprint: TouchFlags of each byte of LDS, buffers and globals, region after
  /// region, in an order that the module and the buffers' addresses give.
  bool wantsFootprint = false;
  std::vector<uint8_t> footprint;
};

} // namespace assay::ir
