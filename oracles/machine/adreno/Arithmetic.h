// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the public sources leave open about the arithmetic of Adreno GPUs: each a switch with its
// default.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>

namespace assay::adreno {

enum class ShiftRule : uint8_t {
  Modulo, ///< By the amount modulo the width.
  Zero,   ///< As if bit by bit: 0, or copies of the sign.
};

/// One choice for each thing that is open; the default is what turnip's code needs or suggests.
struct Arithmetic {
  /// mad.f32 and mad.f16 round once. Mesa 25.0, ir3_compiler.c, has NIR lower ffma to fmul and fadd
  /// and fuses them back into mad, so that it takes mad for two operations; it does not say that
  /// the hardware rounds twice.
  bool fusesMad = false;
  /// min.f and max.f of a number and a NaN are the number (NIR's fmin and fmax, which Mesa maps to
  /// them directly).
  bool minMaxIgnoresNan = true;
  /// Shifts by the width or more. NIR masks amounts, and Mesa emits no masking: modulo.
  ShiftRule shifts = ShiftRule::Modulo;
  /// Denormal sources and results of float operations become zero (turnip advertises flushing, and
  /// not preservation).
  bool flushesDenormals = true;
  /// Rounding field 0 of a conversion to a narrower float is toward zero (Mesa, instr-a3xx.h,
  /// ROUND_ZERO); else to nearest even. Conversions of integers to floats always round to nearest
  /// even where the field is 0.
  bool zeroRoundsTowardZero = true;
  /// cbits.b counts the lower 16 bits alone (Mesa, ir3_compiler_nir.c, nir_op_bit_count: "16b at a
  /// time on a5xx+a6xx").
  bool countsHalf = true;
  /// The byte offset of an element of a buffer wraps at 2^32. Turnip's code relies on it: the index
  /// before \p n is n + 0x3fffffff where elements have four bytes (Mesa, ir3_nir_lower_io_offsets.c
  /// shifts the constant alone).
  bool wrapsOffsets = true;
  /// Special functions (category 4) are so many units in the last place too small in magnitude. The
  /// hardware approximates them; Mesa does not say how well, and Vulkan allows some units for most
  /// of them.
  uint32_t specialUnits = 0;

  bool operator==(const Arithmetic &) const = default;
};

/// A switch of Arithmetic: what is sensitive to it is seen by changing it.
struct ArithmeticSwitch {
  llvm::StringLiteral name;
  /// Gives it the other value, or another one.
  void (*flip)(Arithmetic &arithmetic);
};
/// One for each member of Arithmetic.
llvm::ArrayRef<ArithmeticSwitch> arithmeticSwitches();

} // namespace assay::adreno
