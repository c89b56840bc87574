// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loads, stores and atomics of one lane, wherever its bytes are.
#pragma once

#include "oracles/machine/gcn/definitions/AtomicMeaning.h"
#include "oracles/machine/gcn/definitions/World.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include <optional>

namespace assay::gcn::definitions {

/// How many bytes an access moves, and which part of a register takes them.
struct Width {
  unsigned bytes = 4;
  bool isSigned = false;
  bool isHalf = false; ///< The other half of the register stays.
  bool isHigh = false;

  unsigned dwords() const { return (bytes + 3) / 4; }
};

/// The words of a load's or store's name after its family: "ubyte_d16_hi", "d16_hi_u8", "b96",
/// "dwordx3". Nothing when a word is not known.
std::optional<Width> findWidth(llvm::StringRef words);

/// Where byte \p index of an access lies. Null: nowhere, so that it reads as 0 and is not written.
using Place = llvm::function_ref<uint8_t *(unsigned index)>;

void loadLane(World &world, const Width &width, unsigned dst, unsigned lane, Place place);
void storeLane(World &world, const Width &width, unsigned data, unsigned lane, Place place);

/// The registers of one lane's atomic.
struct AtomicRegisters {
  unsigned data = 0;
  unsigned second = 0;
  std::optional<unsigned> result;
};
/// \p place gives all bytes or none; none: the old value is 0.
void atomicLane(World &world, const AtomicMeaning &meaning, const AtomicRegisters &registers,
                bool isShare, unsigned lane, Place place);

} // namespace assay::gcn::definitions
