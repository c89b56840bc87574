// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Between the registers of one lane and memory: widths, sign extension, register halves, atomics.
#pragma once

#include "oracles/machine/gcn/MicroOp.h"
#include "oracles/machine/gcn/memory/Atomics.h"
#include <optional>

namespace assay::gcn {

constexpr unsigned MaxAccessBytes = 16;

/// What a load or store mnemonic's last part ("ubyte", "d16_hi_b16", "dwordx2") means.
std::optional<MemoryAccess> findLoadWidth(llvm::StringRef name);
std::optional<MemoryAccess> findStoreWidth(llvm::StringRef name);

/// What a vector memory mnemonic means after its family ("load_b32", "atomic_add"). False: nothing
/// that is known.
bool findMemoryAccess(llvm::StringRef name, MemoryAccess &access);

/// Registers that one element takes; of an atomic, that its data operand takes (where new value and
/// compare value are one tuple).
unsigned accessDwords(const MemoryAccess &access);

/// Puts \p data into register \p index of \p lane and those after it.
void writeLoaded(Wave &wave, const MemoryAccess &access, unsigned index, unsigned lane,
                 const uint8_t *data);
/// Takes the bytes to store out of register \p index of \p lane and those after it.
void readStored(const Wave &wave, const MemoryAccess &access, unsigned index, unsigned lane,
                uint8_t *data);

/// The operands of one lane's atomic.
struct AtomicOperands {
  unsigned data = 0;              ///< First data register.
  unsigned compare = 0;           ///< First compare register, for operations that have one.
  std::optional<unsigned> result; ///< Where the old value goes.
};

/// Does the atomic at \p memory, which is of \p space, or nothing where it is null (out of range;
/// the old value is 0).
void doAtomic(Wave &wave, const MemoryAccess &access, const AtomicOperands &operands, unsigned lane,
              uint8_t *memory, MemorySpace space);

/// How atomics on floats treat denormals and NaNs in \p space.
AtomicMode atomicMode(const Wave &wave, const AtomicRow &row, MemorySpace space);

/// Where each dword of a lane's scratch lies: the lanes' dwords are interleaved.
uint64_t scratchAddress(const Wave &wave, uint64_t offset, unsigned lane);

/// The \p bytes of LDS at \p address, about to be read or, with \p writes, written by \p op. Null
/// after ending the run: they are beyond the declared size, or another wave's write to them may not
/// have happened yet.
uint8_t *findLds(Wave &wave, const MicroOp &op, unsigned lane, uint64_t address, unsigned bytes,
                 bool writes);

/// The same for memory that is not LDS; what \p op does there says whether it writes.
uint8_t *findGlobal(Wave &wave, const MicroOp &op, unsigned lane, uint64_t address, unsigned bytes);

/// What a load with the lds bit does instead of writing registers: lane by lane a dword (narrow
/// elements extended to one), at \p base of LDS on. False after ending the run.
bool storeLoadedToLds(Wave &wave, const MicroOp &op, unsigned lane, uint64_t base,
                      const uint8_t *data);

/// Ends the run with a memory trap.
void failAccess(Wave &wave, const MicroOp &op, unsigned lane, uint64_t address);

} // namespace assay::gcn
