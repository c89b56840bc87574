// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Atomic operations by name, the same for buffers, flat memory and LDS.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>

namespace assay::gcn {

/// How floats are treated: in LDS as MODE says, in memory as the chip does.
struct AtomicMode {
  bool flushSources = false; ///< Denormal sources count as zero.
  bool flushResult = false;  ///< Denormal sums become zero.
  bool isNumber = false;     ///< GFX12: a NaN of either kind loses against a number.
};

/// The new value of a memory cell. For compare-and-swap \p data is the new value.
using AtomicFunction = uint64_t (*)(uint64_t old, uint64_t data, uint64_t compare,
                                    const AtomicMode &mode);

/// Which denormal mode a float operation follows, and where it does not.
enum class AtomicFloat : uint8_t { None, Add32, AddHalves, Add64, Order32, Order64 };

struct AtomicRow {
  const char *names; ///< Without prefix ("buffer_atomic_", "ds_") and without "_rtn"; '|' between.
  uint8_t bytes;
  bool takesCompare; ///< Two data operands, or a data tuple of two.
  bool compareFirst; ///< DS: the compare value is the first of the two (ds_cmpst).
  AtomicFunction function;
  AtomicFloat floats = AtomicFloat::None;
};

/// What becomes of the bits of a memory cell. Replaces: the new value does not depend on the old
/// one. Mixes: a bit may depend on every bit of the old value.
enum class AtomicEffect : uint8_t { Mixes, Replaces, And, Or, Xor };
AtomicEffect effectOf(const AtomicRow &row);

/// All rows: those that every memory has, and what only DS has or spells in its own way.
llvm::ArrayRef<AtomicRow> atomicRows();
llvm::ArrayRef<AtomicRow> ldsAtomicRows();

/// The row called \p name, or null. \p name is "add", "add_x2", "add_u32", "cmpst_b64", ...
const AtomicRow *findAtomic(llvm::StringRef name);
/// The same for DS, where "min_f32" and the like mean other operations than plain "fmin".
const AtomicRow *findLdsAtomic(llvm::StringRef name);

} // namespace assay::gcn
