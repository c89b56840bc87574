// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Halves are f32 after promotion (Narrow.h). Where one that was only copied becomes bits again, a
// conversion would flush a denormal and make a signaling NaN quiet.
#pragma once

namespace llvm {
class Function;
} // namespace llvm

namespace assay::ir3 {

/// Replaces conversions from f32 to the bits of a half by the bits that the half was made of,
/// followed through vectors, aggregates, selects and phis: those of memory or of an integer, or
/// those of the last rounding. Bits that also come from elsewhere stay conversions.
void keepHalfBits(llvm::Function &function);

} // namespace assay::ir3
