// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A ray against one node of a bounding volume hierarchy (image_bvh_intersect_ray and its kin): what
// descriptors say, and the arithmetic, which knows no wave. All of it is f32, each operation
// rounded to the nearest even, denormals kept; docs/errata-amdgpu.md, "Rays", has sources and what
// is not verified.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include <array>
#include <cstdint>
#include <optional>

namespace assay::gcn {

/// The T# of a hierarchy.
struct RayDescriptor {
  uint64_t base = 0;           ///< Address of node 0, in bytes.
  uint64_t lastNode = 0;       ///< In units of 64 bytes.
  uint32_t grow = 0;           ///< Units in the last place; only 0 is documented.
  bool sorts = false;          ///< Children of boxes are sorted.
  uint32_t heuristic = 0;      ///< GFX11: 0 closest, 1 largest, 2 midpoint first.
  bool trianglesFirst = false; ///< GFX12.
  bool hasPointerFlags = false;
  bool hasWideNodes = false; ///< GFX12: node type 4 is of another kind.
  bool givesBarycentrics = false;
  uint32_t type = 0; ///< 8.
};
RayDescriptor decodeRayDescriptor(llvm::ArrayRef<uint32_t> words, unsigned gfxMajor);

/// A ray as the instruction has it. \c inverse is an operand, not computed from the direction.
struct Ray {
  float extent = 0;
  std::array<float, 3> origin = {}, direction = {}, inverse = {};
};

/// Low bits of a pointer to a node.
enum class RayNode : uint8_t {
  Triangle = 0,
  BoxOfHalves = 4,
  Box = 5,
  Instance = 6,
  Procedure = 7
};
constexpr unsigned RayTriangleBytes = 64, RayHalfBoxBytes = 64, RayBoxBytes = 128;

using RayWords = std::array<uint32_t, 4>;

/// Pointers to the children that the ray hits, 0xffffffff for the others. \p words: four pointers,
/// then least x, y, z and most x, y, z of each child, as floats or halves.
RayWords intersectBoxes(llvm::ArrayRef<uint32_t> words, bool areHalves,
                        const RayDescriptor &descriptor, const Ray &ray);
/// Time, determinant, and two barycentrics (all times the determinant) or id and hit. \p words:
/// three corners, and at word 12 the id.
RayWords intersectTriangle(llvm::ArrayRef<uint32_t> words, const RayDescriptor &descriptor,
                           const Ray &ray);

} // namespace assay::gcn
