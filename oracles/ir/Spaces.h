// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory of addresses: device memory (buffers, globals), LDS, and each lane's scratch; and
// where a resource's bounds put an access.
#pragma once

#include "oracles/ir/Program.h"
#include "llvm/ADT/MapVector.h"

namespace assay::ir {

/// Flags of a byte.
enum ByteFlags : uint8_t {
  PoisonByte = 1,
  WrittenByte = 2,   ///< By this run.
  InvariantByte = 4, ///< Read as memory that does not change.
  ReadByte = 8,      ///< By this run.
  PaddingByte = 16   ///< Nothing of the value that was stored here last.
};

/// Bytes somewhere.
struct Region {
  uint64_t address = 0;
  uint64_t size = 0;
  uint8_t *data = nullptr;
  std::vector<uint8_t> flags;
  std::vector<uint8_t> own; ///< What data points to, for globals.
  bool isConstant = false;
  std::optional<unsigned> buffer; ///< Number in Memory::buffers, for those.
};

/// A lane's private memory: allocas, as a stack.
struct Scratch {
  struct Alloca {
    uint32_t offset;
    uint32_t size;
  };
  static constexpr uint32_t Base = 64; ///< So that null is nothing.
  std::vector<uint8_t> bytes, flags;
  std::vector<Alloca> allocas;

  uint32_t top() const {
    return allocas.empty() ? Base : allocas.back().offset + allocas.back().size;
  }
  /// Offset of \p size new bytes, or nothing where they would end above \p limit.
  std::optional<uint32_t> allocate(uint64_t size, llvm::Align align, uint64_t limit);
  /// Whether [offset, offset + size) is within one alloca.
  bool contains(uint64_t offset, uint64_t size) const;
};

/// What an access found.
struct Place {
  uint8_t *data = nullptr;  ///< Null: reads give 0, writes go nowhere (or the run has stopped).
  uint8_t *flags = nullptr; ///< ByteFlags, one a byte.
  uint64_t address = 0;     ///< For events.
  bool isPrivate = false;   ///< Makes no events.
};

/// What is asked for.
struct Request {
  unsigned addressSpace = 0;
  uint64_t bytes = 0;
  llvm::Align align;
  bool isWrite = false;
  uint64_t distance = 0; ///< Bytes beyond the pointer. Of a fat one: PartialBounds where it wraps.
};

/// The parts of a buffer resource (see BufferMemory).
struct Resource {
  uint64_t base;
  uint32_t stride;
  uint32_t records;
  uint32_t flags;

  static Resource fromBits(const llvm::APInt &bits);
  llvm::APInt toBits() const;
};

/// A place in a buffer as an instruction has it.
struct BufferIndex {
  bool isIndexed = false;
  uint32_t index = 0;
  uint64_t offset = 0; ///< May exceed 32 bits where an instruction adds a scalar offset.
};

class Spaces : public SymbolAddresses {
public:
  /// Address spaces' upper half in flat addresses.
  static constexpr uint64_t SharedAperture = uint64_t(0x10000) << 32;
  static constexpr uint64_t PrivateAperture = uint64_t(0x20000) << 32;

  Spaces(Memory &memory, const llvm::Module &module);

  /// Gives globals memory and their initial values. Needs a program for constants.
  void initialize(Program &program, const llvm::Module &module, Machine &machine);
  /// Gives globals of scratch their place in that of \p lane, which has nothing else yet, and
  /// their initial values. False where they have none that can be known, or not enough room.
  bool addPrivateGlobals(Program &program, Lane &lane, uint64_t limit);
  /// Writes poison back into Memory.
  void finish();

  uint64_t addressOf(const llvm::GlobalValue &value) override;
  /// Null if \p address is no function's.
  const llvm::Function *functionAt(uint64_t address) const;

  /// Where \p pointer of \p request's address space leads. Stops \p machine where that is nowhere.
  Place locate(Machine &machine, Lane &lane, const Scalar &pointer, const Request &request);
  /// The same for a buffer of \p resource.
  Place locateBuffer(Machine &machine, const Resource &resource, const BufferIndex &index,
                     const Request &request);

private:
  Place locateDevice(Machine &machine, uint64_t address, const Request &request);
  Place locateShared(Machine &machine, uint64_t offset, const Request &request);
  Place locateScratch(Machine &machine, Lane &lane, uint64_t offset, const Request &request);
  Place locateFat(Machine &machine, const llvm::APInt &pointer, const Request &request);
  Place locateFlat(Machine &machine, Lane &lane, uint64_t address, const Request &request);

  Memory &m_memory;
  Region m_shared;
  std::vector<Region> m_regions; ///< By rising address.
  llvm::MapVector<const llvm::GlobalVariable *, uint64_t> m_globals;
  std::vector<const llvm::Function *> m_functions; ///< By number in m_functionNumbers.
  llvm::DenseMap<const llvm::Function *, unsigned> m_functionNumbers;
};

} // namespace assay::ir
