// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The addresses of image instructions: how many components a dimension takes, what the hardware
// calls it, and how the direction into a cube becomes a face and a place on it.
#pragma once

#include "compiler/lgc/Image.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/IR/IRBuilder.h"

namespace assay::amdgpu {

/// What one ImageDim is to LLVM's intrinsics.
struct ImageDimInfo {
  llvm::StringLiteral sampled; ///< The intrinsic's suffix for sampling and queries.
  llvm::StringLiteral storage; ///< For loads, stores and atomics: a cube is a 2D array.
  unsigned texelCoordinates;   ///< Components of an integer coordinate.
  unsigned sampleCoordinates;  ///< Components of a float coordinate; 0 where none is sampled.
  unsigned gradients;          ///< Components of a derivative, before a cube's are projected.
  bool isArrayed;              ///< The last of sampleCoordinates is a layer.
  bool isCube;
};

const ImageDimInfo &getImageDimInfo(ImageDim dim);

/// What a sampling instruction is addressed with: derivatives (all of x, then all of y) and
/// coordinates, each f32.
struct SampleAddress {
  llvm::SmallVector<llvm::Value *, 6> gradients;
  llvm::SmallVector<llvm::Value *, 4> coordinates;
};

/// The address for \p coordinate (<4 x float>). \p gradientX and \p gradientY (<3 x float>) are
/// null where there are none.
SampleAddress makeSampleAddress(llvm::IRBuilder<> &builder, ImageDim dim, llvm::Value *coordinate,
                                llvm::Value *gradientX, llvm::Value *gradientY);

} // namespace assay::amdgpu
