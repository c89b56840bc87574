// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What each instruction that reaches memory is meant to do to a World, said a second time from the
// manuals and from the instruction's name alone: it shares no code with the handlers in gcn, whose
// judge it is. No machine runs it.
#pragma once

#include "oracles/machine/gcn/definitions/World.h"
#include "llvm/ADT/StringRef.h"
#include <functional>
#include <optional>

namespace assay::gcn::definitions {

/// How the offset of a DS instruction is written.
enum class OffsetForm : uint8_t { None, One, Two, Pattern };

/// The meaning of one mnemonic, and which operands it has: as many registers as these say.
struct Effect {
  unsigned dst = 0; ///< Registers written; of atomics, when the old value is asked for.
  unsigned data0 = 0;
  unsigned data1 = 0;
  bool hasAddress = false;
  bool isBuffer = false; ///< SMEM: the base is a descriptor.
  bool isAtomic = false; ///< Request::returns says whether dst is written.
  bool isStore = false;
  bool needsGds = false;
  bool allowsGds = false;
  /// What it does is nothing that code can see: caches, prefetches.
  bool isInert = false;
  OffsetForm offset = OffsetForm::None;
  std::function<void(const Request &request, World &world)> run;
};

/// Nothing for names that the family has not; what a generation has is for the instruction tables
/// to say.
std::optional<Effect> scalarMemoryEffect(llvm::StringRef name);
std::optional<Effect> shareEffect(llvm::StringRef name);
std::optional<Effect> flatEffect(llvm::StringRef name);
std::optional<Effect> bufferEffect(llvm::StringRef name);

} // namespace assay::gcn::definitions
