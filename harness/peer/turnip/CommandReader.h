// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Follows the command streams of a submission up to its dispatch: registers, and what is loaded.
// Facts: Mesa 25.0, src/freedreno/registers/adreno/adreno_pm4.xml.
#pragma once

#include "harness/peer/turnip/Submission.h"
#include <map>

namespace assay::turnip {

/// The device's memory as it was read: what is not there is 0.
class DeviceMemory {
public:
  explicit DeviceMemory(llvm::ArrayRef<MemoryRange> ranges) : m_ranges(ranges) {}
  std::vector<uint8_t> read(uint64_t address, uint64_t bytes) const;
  std::vector<uint32_t> readDwords(uint64_t address, uint64_t count) const;

private:
  llvm::ArrayRef<MemoryRange> m_ranges;
};

/// A Load before it is known where its dwords come from.
struct RawLoad {
  LoadSpace space = LoadSpace::Constants;
  uint32_t slot = 0, first = 0;
  std::vector<uint32_t> dwords;
};

class CommandReader {
public:
  CommandReader(const DeviceMemory &memory, Generation generation)
      : m_memory(memory), m_generation(generation) {}

  /// Unsupported for a packet whose effect is not known, and where no dispatch comes.
  llvm::Error run(llvm::ArrayRef<CommandStream> streams);

  const std::map<uint32_t, uint32_t> &registers() const { return m_registers; }
  llvm::ArrayRef<RawLoad> loads() const { return m_loads; }

private:
  llvm::Error follow(uint64_t address, uint64_t dwords, unsigned depth);
  void setRegisters(uint32_t first, llvm::ArrayRef<uint32_t> values);
  llvm::Error runPacket(uint32_t opcode, llvm::ArrayRef<uint32_t> payload, unsigned depth);
  llvm::Error load(llvm::ArrayRef<uint32_t> payload);
  void loadUniformBuffers(uint32_t firstSlot, llvm::ArrayRef<uint32_t> descriptors);

  const DeviceMemory &m_memory;
  Generation m_generation;
  std::map<uint32_t, uint32_t> m_registers;
  std::vector<RawLoad> m_loads;
  bool m_isDispatched = false;
  uint64_t m_dwordsLeft = 1u << 20; ///< More than any submission of one dispatch has.
};

} // namespace assay::turnip
