// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a fragment invocation knows of its place: for built-ins and interpolation functions.
#pragma once

#include "oracles/machine/spirv/Execution.h"
#include "oracles/raster/Draw.h"

namespace assay::reference {

struct FragmentPlace;

/// The inputs of a primitive's fragments, by the outputs of its vertices. Threads share it.
class FragmentInputs {
public:
  virtual ~FragmentInputs() = default;
  /// Input \p scalar (of Program::shaderInputs, no built-in) at \p place, as its decorations say.
  virtual Scalar interpolateAt(const InterfaceScalar &scalar,
                               const raster::FragmentPrimitive &primitive,
                               const raster::Place &place) const = 0;
  /// Input \p scalar of the fragment at \p place, built-ins included.
  virtual Scalar getInput(const InterfaceScalar &scalar, const FragmentPlace &place,
                          const Invocation &invocation) const = 0;
};

/// One fragment. It lives as long as its quad runs.
struct FragmentPlace {
  const raster::FragmentPrimitive *primitive = nullptr;
  const raster::Quad *quad = nullptr;
  unsigned number = 0; ///< In the quad.
  unsigned samples = 1;
  const FragmentInputs *inputs = nullptr;

  const raster::Fragment &get() const { return quad->fragments[number]; }
  int32_t x() const { return quad->x + int32_t(number % 2); }
  int32_t y() const { return quad->y + int32_t(number / 2); }
};

} // namespace assay::reference
