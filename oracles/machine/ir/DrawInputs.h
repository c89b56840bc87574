// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What lanes of vertex and fragment stages read, and numbers between IR and oracles/raster.
#pragma once

#include "oracles/api/Case.h"
#include "oracles/api/Outcome.h"
#include "oracles/machine/ir/StageWave.h"
#include "oracles/raster/Draw.h"

namespace assay::irm {

/// The number that the 32 bits \p bits are in \p format; of integers, as \p isSigned says.
double toNumber(uint32_t bits, InterfaceFormat format, bool isSigned);
/// The reverse, rounded to the nearest.
uint32_t toBits(double number, InterfaceFormat format);

/// Inputs of vertices: attributes from buffers, and built-ins.
class VertexStageInputs final : public StageInputs {
public:
  /// All must outlive this; \p runs are those of the wave's lanes. \p primitiveId: of the
  /// primitive whose provoking vertices they are, as hardware tells it; unknown for other vertices.
  VertexStageInputs(const Draw &draw, const CasePipeline &pipeline,
                    llvm::ArrayRef<BufferState> buffers,
                    llvm::ArrayRef<raster::VertexInvocation> runs,
                    std::optional<uint32_t> primitiveId = std::nullopt)
      : m_draw(draw), m_pipeline(pipeline), m_buffers(buffers), m_runs(runs),
        m_primitiveId(primitiveId) {}
  ir::Scalar read(unsigned lane, const InputRequest &request) const override;
  ir::Scalar readBuiltIn(unsigned lane, const BuiltInPlace &place) const override;

private:
  const Draw &m_draw;
  const CasePipeline &m_pipeline;
  llvm::ArrayRef<BufferState> m_buffers;
  llvm::ArrayRef<raster::VertexInvocation> m_runs;
  std::optional<uint32_t> m_primitiveId;
};

/// Inputs of fragments: what vertices wrote, interpolated, and built-ins.
class FragmentStageInputs final : public StageInputs {
public:
  /// All must outlive this. \p vertices: the outputs of all vertices of the draw; \p quads: those
  /// of the wave's lanes.
  FragmentStageInputs(const raster::FragmentPrimitive &primitive,
                      llvm::ArrayRef<StageOutputs> vertices, llvm::ArrayRef<raster::Quad> quads,
                      unsigned samples)
      : m_primitive(primitive), m_vertices(vertices), m_quads(quads), m_samples(samples) {}
  ir::Scalar read(unsigned lane, const InputRequest &request) const override;
  ir::Scalar readBuiltIn(unsigned lane, const BuiltInPlace &place) const override;

private:
  raster::Place placeOf(unsigned lane, uint32_t interpolation) const;
  std::optional<double>
  interpolate(unsigned lane, uint32_t interpolation,
              llvm::function_ref<std::optional<ir::Scalar>(uint32_t vertex)> find,
              InterfaceFormat format) const;
  std::optional<double> builtInNumber(unsigned lane, const BuiltInPlace &place) const;
  std::optional<uint32_t> builtInBits(unsigned lane, const BuiltInPlace &place) const;

  const raster::FragmentPrimitive &m_primitive;
  llvm::ArrayRef<StageOutputs> m_vertices;
  llvm::ArrayRef<raster::Quad> m_quads;
  unsigned m_samples;
};

} // namespace assay::irm
