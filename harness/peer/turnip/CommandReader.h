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
  /// Returns \p bytes bytes from \p address on. The range may reach over several ranges and gaps.
  std::vector<uint8_t> read(uint64_t address, uint64_t bytes) const;
  /// The same, as little-endian dwords.
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

/// Runs the packets of command streams like the command processor, but follows only registers and
/// constants. Keeps a reference to the memory.
class CommandReader {
public:
  CommandReader(const DeviceMemory &memory, Generation generation)
      : m_memory(memory), m_generation(generation) {}

  /// Unsupported for a packet whose effect is not known, and where no dispatch comes.
  llvm::Error run(llvm::ArrayRef<CommandStream> streams);

  /// Register number to the value at the dispatch. Registers that were not set are missing.
  const std::map<uint32_t, uint32_t> &registers() const { return m_registers; }
  /// In the order of the packets.
  llvm::ArrayRef<RawLoad> loads() const { return m_loads; }

private:
  /// Runs the packets of a stream until its end or the dispatch. \p depth counts nested indirect
  /// buffers.
  llvm::Error follow(uint64_t address, uint64_t dwords, unsigned depth);
  /// Sets registers from \p first on. Shared constants of a7xx are registers, too, and become a
  /// load.
  void setRegisters(uint32_t first, llvm::ArrayRef<uint32_t> values);
  /// Runs a type-7 packet. Packets that change neither registers nor constants are skipped.
  llvm::Error runPacket(uint32_t opcode, llvm::ArrayRef<uint32_t> payload, unsigned depth);
  /// Runs CP_LOAD_STATE6. Loads into caches have no effect here.
  llvm::Error load(llvm::ArrayRef<uint32_t> payload);
  /// Adds the contents of each uniform buffer, two dwords of \p descriptors for each slot.
  void loadUniformBuffers(uint32_t firstSlot, llvm::ArrayRef<uint32_t> descriptors);

  const DeviceMemory &m_memory;
  Generation m_generation;
  std::map<uint32_t, uint32_t> m_registers;
  std::vector<RawLoad> m_loads;
  bool m_isDispatched = false;      ///< A dispatch was read; nothing after it is.
  uint64_t m_dwordsLeft = 1u << 20; ///< More than any submission of one dispatch has.
};

} // namespace assay::turnip
