// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/machine/ir/LaunchMemory.h"

#include "oracles/ir/ExecutionLog.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace assay;
using namespace assay::irm;

/// What memory holds that is uninitialized or poison.
static constexpr uint8_t unwrittenByte = 0xfb;
/// More than any shader has.
static constexpr uint64_t ldsBytes = 64 << 10;

/// Copies all ranges into memory that knows poison, at the same addresses. With a log, the
/// beginning counts as a barrier.
LaunchMemory::LaunchMemory(simt::AddressSpace &mapped, ir::ExecutionLog *log) : m_mapped(mapped) {
  for (const simt::AddressSpace::Range &range : mapped.ranges()) {
    ir::BufferMemory buffer;
    buffer.bytes.assign(range.bytes.begin(), range.bytes.end());
    buffer.address = range.base;
    m_memory.buffers.push_back(std::move(buffer));
  }
  if (log) {
    log->begin(m_memory);
    log->addBarrier(ir::noThread);
  }
  for (auto [range, buffer] : zip_equal(mapped.ranges(), m_memory.buffers))
    m_space.map(range.base, buffer.bytes, "memory", range.writable);
}

/// Copies writable ranges back. Bytes that are poison become unwrittenByte, unless they are
/// padding.
void LaunchMemory::writeBack() {
  for (auto [range, buffer] : zip_equal(m_mapped.ranges(), m_memory.buffers)) {
    if (!range.writable)
      continue;
    copy(buffer.bytes, range.bytes.begin());
    for (size_t i = 0; i < buffer.poison.size(); ++i)
      if (buffer.poison[i] && (buffer.padding.empty() || !buffer.padding[i]))
        range.bytes[i] = unwrittenByte;
  }
}

/// Fills LDS with unwrittenByte, as each group begins.
void LaunchMemory::resetLds() {
  m_memory.lds.assign(ldsBytes, unwrittenByte);
}
