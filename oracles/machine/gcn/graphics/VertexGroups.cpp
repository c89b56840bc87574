// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/machine/gcn/graphics/VertexGroups.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace assay;
using namespace assay::gcn;
using raster::AssembledPrimitive;

namespace {
/// Adds primitives to the last workgroup, or begins another one.
class Grouping {
public:
  /// With \p ownVertices, primitives share no vertices: each has lanes with its primitive id.
  Grouping(const GroupLimits &limits, bool ownVertices)
      : m_limits(limits), m_ownVertices(ownVertices) {}

  void add(const AssembledPrimitive &primitive);
  VertexGroups take() { return std::move(m_result); }

private:
  unsigned countNew(const AssembledPrimitive &primitive) const;
  /// The lane that runs a vertex of \p primitive; adds one when the workgroup does not have it yet.
  uint16_t laneOf(const AssembledPrimitive &primitive, unsigned vertex);

  const GroupLimits &m_limits;
  bool m_ownVertices;
  VertexGroups m_result;
  DenseMap<uint32_t, uint16_t> m_lanes; ///< Of the last workgroup, by run.
};
} // namespace

/// Lanes that \p primitive needs in addition to those that the workgroup has.
unsigned Grouping::countNew(const AssembledPrimitive &primitive) const {
  if (m_ownVertices)
    return primitive.vertexCount;
  return static_cast<unsigned>(
      count_if(ArrayRef(primitive.vertices).take_front(primitive.vertexCount),
               [&](uint32_t run) { return !m_lanes.contains(run); }));
}

uint16_t Grouping::laneOf(const AssembledPrimitive &primitive, unsigned vertex) {
  VertexGroup &group = m_result.groups.back();
  uint32_t run = primitive.vertices[vertex];
  auto lane = static_cast<uint16_t>(group.vertices.size());
  if (!m_ownVertices)
    if (auto [found, isNew] = m_lanes.try_emplace(run, lane); !isNew)
      return found->second;
  group.vertices.push_back({run, primitive.primitiveId});
  ++m_result.slots;
  return lane;
}

/// Adds the primitive to the last workgroup if it fits there with all new vertices.
void Grouping::add(const AssembledPrimitive &primitive) {
  bool isFull = m_result.groups.empty();
  if (!isFull) {
    const VertexGroup &last = m_result.groups.back();
    isFull = last.primitives.size() >= m_limits.primitives ||
             last.vertices.size() + countNew(primitive) > m_limits.vertices;
  }
  if (isFull) {
    m_lanes.clear();
    m_result.groups.emplace_back().firstSlot = m_result.slots;
  }
  GroupPrimitive next;
  next.number = static_cast<uint32_t>(m_result.primitiveSlots.size());
  next.primitiveId = primitive.primitiveId;
  std::array<uint32_t, 3> slots{};
  // The hardware's order begins, or ends, with the provoking vertex.
  unsigned count = primitive.vertexCount;
  unsigned place = m_limits.provokesLast ? count - 1 : 0;
  for (unsigned i = 0; i < count; ++i) {
    unsigned vertex = (i + primitive.provoking + count - place) % count;
    next.vertices[i] = laneOf(primitive, vertex);
    slots[vertex] = m_result.groups.back().firstSlot + next.vertices[i];
  }
  next.provoking = next.vertices[place];
  m_result.groups.back().primitives.push_back(next);
  m_result.primitiveSlots.push_back(slots);
}

/// Workgroups of NGG: both vertices and primitives are limited.
VertexGroups gcn::groupPrimitives(ArrayRef<AssembledPrimitive> primitives,
                                  const GroupLimits &limits, bool ownVertices) {
  Grouping grouping(limits, ownVertices);
  for (const AssembledPrimitive &primitive : primitives)
    grouping.add(primitive);
  return grouping.take();
}

/// Waves of a plain vertex stage: every run once or, with \p ownVertices, once for each primitive
/// that uses it.
VertexGroups gcn::groupVertices(uint32_t runs, ArrayRef<AssembledPrimitive> primitives,
                                unsigned waveSize, bool ownVertices) {
  VertexGroups result;
  auto add = [&](uint32_t run, uint32_t primitiveId) {
    if (result.slots % waveSize == 0)
      result.groups.emplace_back().firstSlot = result.slots;
    result.groups.back().vertices.push_back({run, primitiveId});
    return result.slots++;
  };
  if (!ownVertices)
    for (uint32_t run = 0; run < runs; ++run)
      add(run, 0);
  for (const AssembledPrimitive &primitive : primitives) {
    std::array<uint32_t, 3> &slots = result.primitiveSlots.emplace_back(primitive.vertices);
    for (unsigned i = 0; ownVertices && i < primitive.vertexCount; ++i)
      slots[i] = add(primitive.vertices[i], primitive.primitiveId);
  }
  return result;
}
