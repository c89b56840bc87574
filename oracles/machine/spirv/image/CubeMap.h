// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The six faces of a cube (Vulkan 1.3, "Cube Map Face Selection and Transformations", "Cube Map
// Edge Handling").
#pragma once

#include "oracles/machine/spirv/math/Interval.h"
#include "llvm/ADT/SmallVector.h"

namespace assay::reference {

/// Where a direction meets a face, normalized to [0, 1].
struct FacePoint {
  unsigned face = 0;
  Interval s, t;
};
/// The faces that an implementation may choose for \p direction, each with its point: several where
/// components are equally large. Empty for a direction that may be zero or is not a number.
llvm::SmallVector<FacePoint, 2> selectFaces(const Interval direction[3]);

/// How fast the point on \p face moves when \p direction moves by \p derivative: |ds|, |dt|.
struct FaceSpeed {
  Interval s, t;
};
FaceSpeed faceSpeed(unsigned face, const Interval direction[3], const Interval derivative[3]);

struct FaceTexel {
  unsigned face = 0;
  int64_t x = 0, y = 0;
};
/// The texel next to \p texel's face, of \p size texels squared, where one of its coordinates (and
/// only one) is outside by 1.
FaceTexel crossEdge(const FaceTexel &texel, int64_t size);

} // namespace assay::reference
