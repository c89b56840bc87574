// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which lanes of which workgroups run a draw's vertex shader: hardware VS takes vertices one after
// the other, NGG takes primitives and gives each workgroup the vertices that its primitives have.
#pragma once

#include "oracles/raster/Draw.h"

namespace assay::gcn {

/// A lane that runs the vertex shader. Its results have a slot of their own.
struct VertexLane {
  uint32_t run = 0; ///< Number of the invocation.
  uint32_t primitiveId = 0;
};

/// A primitive of a workgroup.
struct GroupPrimitive {
  std::array<uint16_t, 3> vertices = {}; ///< Lanes of the workgroup; 0 where there is none.
  uint16_t provoking = 0;                ///< Lane of the provoking vertex.
  uint32_t number = 0;                   ///< Of the draw.
  uint32_t primitiveId = 0;
};

/// The vertices and primitives of one workgroup.
struct VertexGroup {
  uint32_t firstSlot = 0;                 ///< Of its first vertex; those of the others follow.
  std::vector<VertexLane> vertices;       ///< By lane.
  std::vector<GroupPrimitive> primitives; ///< NGG: one a lane.
};

/// All workgroups of a draw.
struct VertexGroups {
  std::vector<VertexGroup> groups;
  uint32_t slots = 0; ///< Of all workgroups together.
  /// By the primitive's number: the slots of its vertices.
  std::vector<std::array<uint32_t, 3>> primitiveSlots;
};

/// What a workgroup may have. Both are positive; three vertices at least.
struct GroupLimits {
  uint32_t vertices = 64;
  uint32_t primitives = 64;
  bool provokesLast = false; ///< Flat values come from the last vertex of a primitive.
};

/// Workgroups of NGG. A vertex of several primitives has one lane in each workgroup, or, with
/// \p ownVertices, one for each primitive, since code gives it the primitive's number.
VertexGroups groupPrimitives(llvm::ArrayRef<raster::AssembledPrimitive> primitives,
                             const GroupLimits &limits, bool ownVertices);

/// Waves of hardware VS, a workgroup each, of \p runs vertices; likewise.
VertexGroups groupVertices(uint32_t runs, llvm::ArrayRef<raster::AssembledPrimitive> primitives,
                           unsigned waveSize, bool ownVertices);

} // namespace assay::gcn
