// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Input assembly (Vulkan 1.3, "Drawing Commands": "Primitive Topologies", "Primitive Order",
// "Programmable Primitive Shading"). Vertices become primitives; no shader runs here.
#pragma once

#include "compiler/api/GraphicsState.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include <optional>

namespace assay::raster {

/// One vertex of a draw: an element of the index buffer, or a number.
struct DrawVertex {
  uint32_t vertexIndex = 0; ///< VertexIndex: with firstVertex or vertexOffset.
  bool restart = false;     ///< The restart value; such a vertex does not exist.
  bool operator==(const DrawVertex &) const = default;
};

/// The vertices of a draw without indices.
std::vector<DrawVertex> listVertices(uint32_t firstVertex, uint32_t count);
/// The vertices of an indexed draw. \p indexBytes is 1, 2 or 4. With \p restart, an index whose
/// bits are all ones ends a primitive; \p vertexOffset is added to the others.
std::vector<DrawVertex> listVertices(llvm::ArrayRef<uint32_t> indices, unsigned indexBytes,
                                     bool restart, int32_t vertexOffset);

/// One primitive: which vertices of the draw it consists of.
struct Primitive {
  /// Numbers into the list of vertices, in the order of the specification's table for its topology,
  /// so that the winding of a triangle is that of the first three. Without adjacent vertices.
  llvm::SmallVector<uint32_t, 4> vertices;
  /// Adjacent vertices. Of a triangle: those across the edges 1-2, 2-3 and 3-1.
  llvm::SmallVector<uint32_t, 3> adjacent;
  uint32_t provoking = 0;   ///< Index into \p vertices.
  uint32_t primitiveId = 0; ///< PrimitiveID: counts on over restarts, from 0 in each instance.
  bool operator==(const Primitive &) const = default;
};

/// The primitives of one instance, in order. Incomplete ones are dropped.
std::vector<Primitive> assemblePrimitives(llvm::ArrayRef<DrawVertex> vertices,
                                          const InputAssemblyState &state,
                                          ProvokingVertex provoking);

/// The element of a vertex binding that a vertex reads ("Vertex Input Address Calculation").
/// \p instance counts from 0; \p firstInstance is added after the division.
uint64_t getElement(const VertexInputBinding &binding, uint32_t vertexIndex, uint32_t instance,
                    uint32_t firstInstance);

} // namespace assay::raster
