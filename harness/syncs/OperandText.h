// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which registers an instruction of an Adreno GPU uses, read from its text alone: a second opinion
// on what machine adreno reads from fields. Counts of registers: Mesa 25.0, ir3_compiler_nir.c and
// ir3_a6xx.c.
#pragma once

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>

namespace assay::syncs {

enum class TextFile : uint8_t { Gpr, Shared, Address, Address1, Predicate, Const };

struct RegisterUse {
  TextFile file = TextFile::Gpr;
  bool writes = false;
  bool half = false;
  bool isMaybe = false; ///< The text leaves open whether it is used.
  bool isThird = false; ///< Third source of category 3.
  uint16_t number = 0;  ///< 4 * vector + component.
  uint8_t step = 0;     ///< Of (rptN).
};

/// How the result is waited for.
enum class Wait : uint8_t { None, Slots, Ss, Sy };

struct TextInst {
  bool isInstruction = false; ///< False: raw words.
  bool ss = false, sy = false;
  unsigned repeat = 0, nops = 0;
  unsigned category = 0;
  llvm::StringRef name; ///< Up to the first space: "add.f", "ldib.b.untyped.1d.u32.1.imm.base0".
  Wait result = Wait::None;
  bool usesRelative = false; ///< A register that a0.x chooses: not among \p uses.
  llvm::SmallVector<RegisterUse, 12> uses;
};

/// \p text outlives the result; \p category is its first three bits.
TextInst readText(llvm::StringRef text, unsigned category);

} // namespace assay::syncs
