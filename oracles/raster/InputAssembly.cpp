// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/raster/InputAssembly.h"

#include "support/Fault.h"

using namespace llvm;
using namespace assay;
using namespace assay::raster;

/// For draws without indices.
std::vector<DrawVertex> raster::listVertices(uint32_t firstVertex, uint32_t count) {
  std::vector<DrawVertex> vertices(count);
  for (uint32_t i = 0; i < count; ++i)
    vertices[i].vertexIndex = firstVertex + i;
  return vertices;
}

std::vector<DrawVertex> raster::listVertices(ArrayRef<uint32_t> indices, unsigned indexBytes,
                                             bool restart, int32_t vertexOffset) {
  uint32_t ones = indexBytes == 4 ? ~0u : (1u << indexBytes * 8) - 1;
  std::vector<DrawVertex> vertices;
  for (uint32_t index : indices) {
    bool isRestart = restart && index == ones;
    if (isRestart && faultPlanted(Fault::RasterLostRestart))
      continue;
    vertices.push_back({isRestart ? 0 : index + uint32_t(vertexOffset), isRestart});
  }
  return vertices;
}

/// A topology as a table: primitive i of a run takes the vertices i * step + offset.
struct TopologyRow {
  unsigned step;         ///< Vertices from a primitive to the next.
  unsigned count;        ///< Vertices that a primitive needs.
  int8_t vertices[4];    ///< Offsets of the primitive's vertices; -1: none.
  int8_t adjacent[3];    ///< Offsets of adjacent vertices; -1: none.
  unsigned provoking[2]; ///< Index into vertices: first, last convention.
};

/// In the order of PrimitiveTopology. Strips, fans and patches have their own rules below.
static constexpr TopologyRow topologies[] = {
    {1, 1, {0, -1, -1, -1}, {-1, -1, -1}, {0, 0}}, // PointList
    {2, 2, {0, 1, -1, -1}, {-1, -1, -1}, {0, 1}},  // LineList
    {1, 2, {0, 1, -1, -1}, {-1, -1, -1}, {0, 1}},  // LineStrip
    {3, 3, {0, 1, 2, -1}, {-1, -1, -1}, {0, 2}},   // TriangleList
    {1, 3, {0, 1, 2, -1}, {-1, -1, -1}, {0, 2}},   // TriangleStrip
    {1, 3, {1, 2, 0, -1}, {-1, -1, -1}, {0, 1}},   // TriangleFan
    {4, 4, {1, 2, -1, -1}, {0, 3, -1}, {0, 1}},    // LineListWithAdjacency
    {1, 4, {1, 2, -1, -1}, {0, 3, -1}, {0, 1}},    // LineStripWithAdjacency
    {6, 6, {0, 2, 4, -1}, {1, 3, 5}, {0, 2}},      // TriangleListWithAdjacency
};

/// Returns the primitive with the vertices that \p row names, counted from \p first on. The results
/// are positions in the list of vertices, not vertex indices; primitiveId is set later.
static Primitive makePrimitive(const TopologyRow &row, uint32_t first, ProvokingVertex provoking) {
  Primitive primitive;
  for (int8_t offset : row.vertices)
    if (offset >= 0)
      primitive.vertices.push_back(first + uint32_t(offset));
  for (int8_t offset : row.adjacent)
    if (offset >= 0)
      primitive.adjacent.push_back(first + uint32_t(offset));
  bool isLast = provoking == ProvokingVertex::Last;
  if (faultPlanted(Fault::RasterWrongProvoking))
    isLast = !isLast;
  primitive.provoking = row.provoking[isLast];
  return primitive;
}

/// Odd triangles of a strip exchange two vertices, so that all have the same winding: the provoking
/// vertex stays ("Triangle Strips"): first convention {i, i + 2, i + 1}.
static void turnOddTriangle(Primitive &primitive) {
  if (faultPlanted(Fault::RasterStripWinding))
    return;
  std::swap(primitive.vertices[1], primitive.vertices[2]);
  if (primitive.provoking)
    primitive.provoking = 3 - primitive.provoking;
}

/// "Triangle Strips With Adjacency", the table of vertices: even and odd triangles, and the ends.
static Primitive makeStripAdjacency(uint32_t i, uint32_t count, uint32_t base,
                                    ProvokingVertex provoking) {
  bool isOdd = i & 1;
  uint32_t at = base + 2 * i;
  uint32_t before = i == 0 ? at + 1 : at - 2;
  uint32_t after = i + 1 == count ? at + 5 : at + 6;
  Primitive primitive;
  if (isOdd) {
    primitive.vertices = {at + 2, at, at + 4};
    primitive.adjacent = {before, at + 3, after};
  } else {
    primitive.vertices = {at, at + 2, at + 4};
    primitive.adjacent = {before, after, at + 3};
  }
  primitive.provoking = provoking == ProvokingVertex::Last ? 2 : isOdd;
  return primitive;
}

/// A run: vertices [begin, end) without a restart between them.
static void assembleRun(uint32_t begin, uint32_t end, const InputAssemblyState &state,
                        ProvokingVertex provoking, std::vector<Primitive> &out) {
  uint32_t count = end - begin;
  if (state.topology == PrimitiveTopology::PatchList) {
    uint32_t size = state.patchControlPoints;
    for (uint32_t first = begin; size && end - first >= size; first += size) {
      Primitive &patch = out.emplace_back();
      for (uint32_t i = 0; i < size; ++i)
        patch.vertices.push_back(first + i);
    }
    return;
  }
  if (state.topology == PrimitiveTopology::TriangleStripWithAdjacency) {
    uint32_t triangles = count >= 6 ? (count - 4) / 2 : 0;
    for (uint32_t i = 0; i < triangles; ++i)
      out.push_back(makeStripAdjacency(i, triangles, begin, provoking));
    return;
  }
  const TopologyRow &row = topologies[size_t(state.topology)];
  for (uint32_t i = 0, first = begin; end - first >= row.count && first < end;
       ++i, first += row.step) {
    Primitive primitive = makePrimitive(row, first, provoking);
    if (state.topology == PrimitiveTopology::TriangleStrip && (i & 1))
      turnOddTriangle(primitive);
    if (state.topology == PrimitiveTopology::TriangleFan)
      primitive.vertices[2] = begin;
    out.push_back(std::move(primitive));
  }
}

/// Restarts divide the vertices into runs. Primitives are numbered over all of them.
std::vector<Primitive> raster::assemblePrimitives(ArrayRef<DrawVertex> vertices,
                                                  const InputAssemblyState &state,
                                                  ProvokingVertex provoking) {
  std::vector<Primitive> primitives;
  uint32_t begin = 0;
  for (uint32_t i = 0; i <= vertices.size(); ++i) {
    if (i < vertices.size() && !vertices[i].restart)
      continue;
    assembleRun(begin, i, state, provoking, primitives);
    begin = i + 1;
  }
  for (size_t i = 0; i < primitives.size(); ++i)
    primitives[i].primitiveId = uint32_t(i);
  return primitives;
}

/// Returns the number of the element in the vertex buffer. A divisor of 0 gives all instances the
/// first one.
uint64_t raster::getElement(const VertexInputBinding &binding, uint32_t vertexIndex,
                            uint32_t instance, uint32_t firstInstance) {
  if (!binding.perInstance)
    return vertexIndex;
  if (faultPlanted(Fault::RasterDivisorIgnored))
    return uint64_t(firstInstance) + instance;
  return uint64_t(firstInstance) + (binding.divisor ? instance / binding.divisor : 0);
}
