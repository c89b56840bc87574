// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads, writes and atomics at places, for instructions and intrinsics alike.
#pragma once

#include "oracles/ir/Machine.h"

namespace assay::ir {

/// What others see of an access.
struct AccessMode {
  bool isVolatile = false;
  bool isInvariant = false;
  bool isCopy = false;     ///< See Event.
  bool isExchange = false; ///< See Event.
  /// By a buffer instruction, which compares whatever bits memory has: poison as a freeze sees it.
  bool isInstruction = false;
  uint32_t cachePolicy = 0; ///< See Event.
  /// Of an atomic operation on floats: as arithmetic does there.
  llvm::DenormalMode denormals = llvm::DenormalMode::getIEEE();
  llvm::AtomicOrdering ordering = llvm::AtomicOrdering::NotAtomic;
  std::string scope; ///< Where ordering is one.
};

/// Of a load, store, atomicrmw, cmpxchg.
AccessMode accessMode(const llvm::Instruction &instruction);

/// Of a buffer instruction with cache policy \p policy, whose bit 31 says volatile.
AccessMode instructionMode(uint32_t policy);

/// A pointer operand's place, or nothing with the machine stopped. Poison as pointer is undefined.
std::optional<Place> locate(Machine &machine, Lane &lane, const Scalar &pointer,
                            const Request &request);

/// Where a buffer instruction accesses, as its operands say.
struct BufferPlace {
  Resource resource;
  BufferIndex index;
};
/// Operand \p resource is 128 bits of a pointer, or four dwords; from \p first on are the index
/// (if \p isIndexed), the offset and the scalar offset, which are added without wrapping at 32
/// bits. Undefined behaviour, and nothing, if any of them is poison.
std::optional<BufferPlace> readBufferPlace(Machine &machine, Lane &lane, const Inst &inst,
                                           unsigned resource, unsigned first, bool isIndexed);

/// Each records its event; \p place may be one of those whose reads give 0.
void readPlace(Machine &machine, Lane &lane, const Place &place, const Shape &shape,
               const AccessMode &mode, Scalar *values);
/// \p part: see Machine::noteWrite.
void writePlace(Machine &machine, Lane &lane, const Place &place, const Shape &shape,
                const AccessMode &mode, const Scalar *values, unsigned part = 0);
/// \p old: what was there.
void atomicPlace(Machine &machine, Lane &lane, const Place &place, const Shape &shape,
                 const AccessMode &mode, llvm::AtomicRMWInst::BinOp operation,
                 const Scalar *operand, Scalar *old);
/// Returns whether \p desired was written.
bool exchangePlace(Machine &machine, Lane &lane, const Place &place, const Shape &shape,
                   const AccessMode &mode, const Scalar &expected, const Scalar &desired,
                   Scalar &old);

/// Records what others see of an access of \p kind to \p place.
void recordAccess(Machine &machine, Lane &lane, const Place &place, uint64_t bytes,
                  const AccessMode &mode, Event::Kind kind);

/// Raw bytes with their poison, for copies: no event of their own.
void readBytes(const Place &place, uint64_t count, uint8_t *bytes, uint8_t *poison);
void writeBytes(Machine &machine, const Place &place, uint64_t count, const uint8_t *bytes,
                const uint8_t *poison);

/// The name of \p scope.
std::string scopeName(llvm::LLVMContext &context, llvm::SyncScope::ID scope);

} // namespace assay::ir
