// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Directions into a cube (Vulkan 1.3, "Cube Map Face Selection").
#pragma once

namespace assay::irm {

/// Where a direction meets a cube: the face, as Vulkan numbers them; sc and tc of its table; twice
/// the coordinate of the major axis, with its sign.
struct CubeFace {
  float face = 0, s = 0, t = 0, major = 0;
};
CubeFace projectOnCube(float x, float y, float z);

} // namespace assay::irm
