// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The first bytes of the files that Assay itself makes, for readers that must say what they refuse.
#pragma once

#include "llvm/ADT/StringRef.h"

namespace assay {

/// Of a shader of turnip with what its launch needs (oracles/turnip/TurnipShader.h).
inline constexpr llvm::StringLiteral TurnipShaderMagic = "ASSAYTUR";
/// Of a shader of RADV with what its launch needs (oracles/radv/RadvShader.h).
inline constexpr llvm::StringLiteral RadvShaderMagic = "ASSAYRDV";
/// Of the shaders of a graphics pipeline of RADV (oracles/radv/RadvGraphics.h).
inline constexpr llvm::StringLiteral RadvGraphicsMagic = "ASSAYRDG";
/// Of an ir3 shader of Assay's compiler (compiler/ir3/VariantFile.cpp writes it,
/// oracles/ir3_variant reads it).
inline constexpr llvm::StringLiteral Ir3VariantMagic = "ASSAYIR3";

} // namespace assay
