// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which registers an instruction of an Adreno GPU uses, read from its text alone: a second opinion
// on what machine adreno reads from fields. Counts of registers: Mesa 25.0, ir3_compiler_nir.c and
// ir3_a6xx.c.
#pragma once

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <optional>

namespace assay::syncs {

/// Where a register is. Shared: r48 to r55, one for the whole wave. Const: all of the const file.
enum class TextFile : uint8_t { Gpr, Shared, Address, Address1, Predicate, Const };

/// A register that an instruction reads or writes, in one step of its (rptN).
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

/// alias: what the next texture instruction reads in the place of a register.
struct TextAlias {
  RegisterUse replaced;
  std::optional<RegisterUse> source; ///< Nothing: a constant or an immediate.
};

/// What the text of one instruction says.
struct TextInst {
  bool isInstruction = false;    ///< False: raw words.
  bool ss = false, sy = false;   ///< It waits before it begins.
  unsigned repeat = 0, nops = 0; ///< (rptN) and (nopN), or the repetition of nop.
  unsigned category = 0;         ///< The first three bits of the word.
  llvm::StringRef name; ///< Up to the first space: "add.f", "ldib.b.untyped.1d.u32.1.imm.base0".
  Wait result = Wait::None;
  bool usesRelative = false; ///< A register that a0.x chooses: not among \p uses.
  /// In the order of the text; of category 6 the result comes last.
  llvm::SmallVector<RegisterUse, 12> uses;
  std::optional<TextAlias> alias; ///< Of alias.
};

/// \p text outlives the result; \p category is its first three bits.
TextInst readText(llvm::StringRef text, unsigned category);

/// Gives \p texture, a texture instruction, the sources that \p aliases before it say.
void applyAliases(TextInst &texture, llvm::ArrayRef<TextAlias> aliases);

} // namespace assay::syncs
