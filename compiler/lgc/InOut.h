// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How inputs and outputs of graphics stages appear in the IR: places, types, interpolation and
// built-ins. The numbers are in the IR.
#pragma once

#include "compiler/api/ShaderStage.h"
#include <cstdint>
#include <tuple>

namespace llvm {
class LLVMContext;
class Type;
} // namespace llvm

namespace assay {

/// Where a scalar is (Vulkan 1.3, "Shader Interfaces"): a location, one of its four components, and
/// for fragment outputs the index (1: second source of blending). A scalar of 64 bits has two
/// places, low half first. Packing makes places of 16 bits: component 4 + 2 c is the low half of
/// component c, 5 + 2 c the high half. Flat inputs have such places, whose bits stay as they are,
/// and halves that are interpolated, in locations where all places are such.
struct InOutPlace {
  static constexpr uint32_t FirstHalf = 4, Components = 4; ///< Components: of a location.

  uint32_t location = 0;
  uint32_t component = 0;
  uint32_t index = 0;

  bool isHalf() const { return component >= FirstHalf; }
  bool isHighHalf() const { return isHalf() && component % 2 == 1; }
  /// The component of 32 bits that it is, or is in.
  uint32_t getDword() const { return isHalf() ? (component - FirstHalf) / 2 : component; }

  auto operator<=>(const InOutPlace &) const = default;
};

/// Signedness makes no difference. Halves of 64-bit scalars are I32.
enum class InOutType : uint32_t { F32 = 0, I32 = 1, F16 = 2, I16 = 3 };
constexpr uint32_t inOutTypeCount = 4;

/// How the fragment stage gets an input: bits 0-1 the kind, bits 2-3 the location of sampling.
/// Vertex inputs have Flat. PerVertex is that of inputs that are read by lgc.read.vertex.input;
/// what lgc.interpolate.input reads has Smooth.
enum class Interpolation : uint32_t {
  Smooth = 0,
  Flat = 1,
  Linear = 2, ///< NoPerspective.
  PerVertex = 3,
  SmoothCentroid = 4,
  LinearCentroid = 6,
  SmoothSample = 8,
  LinearSample = 10,
};
/// Whether \p number is an enumerator that lgc.read.input may have: any but PerVertex.
bool isInterpolation(uint64_t number);

/// Whether inputs of \p interpolation are interpolated, by whichever weights.
constexpr bool isInterpolated(Interpolation interpolation) {
  return interpolation != Interpolation::Flat && interpolation != Interpolation::PerVertex;
}

/// OpDPdx and its relatives. Without a suffix, either of Fine and Coarse.
enum class Derivative : uint32_t {
  X = 0,
  Y = 1,
  XFine = 2,
  YFine = 3,
  XCoarse = 4,
  YCoarse = 5,
};

enum class StageBuiltInType : uint8_t { F32, I32, Bool };

/// A built-in of graphics stages: a row of StageBuiltIns.def.
struct StageBuiltIn {
  const char *name;
  uint32_t number; ///< Of spv::BuiltIn.
  StageBuiltInType type;
  uint32_t elements; ///< Scalars in it, or the most there may be of an array.
  StageMask inputs;  ///< Stages that may read it.
  StageMask outputs; ///< Stages that may write it.
};

/// Null for a number that no row has.
const StageBuiltIn *findStageBuiltIn(uint64_t number);

/// The LLVM type of \p type.
llvm::Type *getInOutType(llvm::LLVMContext &context, InOutType type);

} // namespace assay
