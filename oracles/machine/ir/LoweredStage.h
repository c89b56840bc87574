// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Graphics stages whose inputs and outputs AMD's passes have lowered, before the entry point gets
// its signature: what hardware and driver give them, and what their exports mean. The numbers of
// lgc.stage.input, which the passes share, are written here a second time, from the contracts of
// compiler/amdgpu/passes/graphics alone.
#pragma once

#include "oracles/machine/gcn/graphics/GraphicsProgram.h"
#include "oracles/machine/gcn/launch/Launch.h"
#include "oracles/machine/ir/DrawInputs.h"
#include "oracles/machine/ir/StageRows.h"

namespace assay::irm {

/// lgc.stage.input of the number of a primitive.
constexpr uint32_t primitiveIdInput = 10;

/// A launch with the tables of vertex stages and an attribute ring for one wave.
class StageLaunch final : public gcn::Launch {
public:
  using Launch::Launch;

  /// Addresses are low halves.
  struct Tables {
    uint32_t vertexBuffers = 0, global = 0;
    uint32_t ringOffset = 0; ///< In units of 512 bytes; not 0.
  };
  /// \p addresses: of the buffers of the case. To be called once, before memory is read.
  const Tables &mapTables(const CasePipeline &pipeline, llvm::ArrayRef<BufferState> buffers,
                          llvm::ArrayRef<uint64_t> addresses);
  const Tables &tables() const { return m_tables; }
  /// Where the ring has parameter \p parameter of \p count of lane \p lane.
  static uint64_t getRingAddress(unsigned lane, unsigned parameter, unsigned count);

private:
  void mapVertexBuffers(const CasePipeline &pipeline, llvm::ArrayRef<BufferState> buffers,
                        llvm::ArrayRef<uint64_t> addresses);
  void mapRing();

  Tables m_tables;
};

/// Registers of vertices. One wave is a workgroup of NGG: with \p primitiveId, its only lane is the
/// provoking vertex of a primitive; without, there are no primitives.
class VertexHardware final : public HardwareInputs {
public:
  /// All must outlive this.
  VertexHardware(const Draw &draw, llvm::ArrayRef<raster::VertexInvocation> runs,
                 const StageLaunch::Tables &tables, std::optional<uint32_t> primitiveId)
      : m_draw(draw), m_runs(runs), m_tables(tables), m_primitiveId(primitiveId) {}
  std::optional<Words> readRegister(unsigned lane, uint32_t number) const override;
  std::optional<Words> readParameter(uint32_t, uint32_t) const override { return std::nullopt; }

private:
  const Draw &m_draw;
  llvm::ArrayRef<raster::VertexInvocation> m_runs;
  const StageLaunch::Tables &m_tables;
  std::optional<uint32_t> m_primitiveId;
};

/// Registers and parameters of fragments.
class FragmentHardware final : public HardwareInputs {
public:
  struct Stage {
    const StageRows &rows;
    gcn::PixelRegisters registers; ///< Of \p rows.
    unsigned samples = 1;
  };
  /// All must outlive this; as for FragmentStageInputs.
  FragmentHardware(const Stage &stage, const raster::FragmentPrimitive &primitive,
                   llvm::ArrayRef<StageOutputs> vertices, llvm::ArrayRef<raster::Quad> quads)
      : m_stage(stage), m_primitive(primitive), m_vertices(vertices), m_quads(quads) {}
  std::optional<Words> readRegister(unsigned lane, uint32_t number) const override;
  std::optional<Words> readParameter(uint32_t attribute, uint32_t channel) const override;

private:
  /// The barycentric input \p number of \p lane; the pull model has a third register.
  Words makeWeights(unsigned lane, uint32_t number) const;
  /// Element \p element (x, y, depth, w) of the position of \p lane, as bits of an f32.
  uint32_t makePosition(unsigned lane, uint32_t element) const;
  /// What vertex \p vertex has written at \p place; nothing where it has not or wrote poison.
  std::optional<uint32_t> findParameter(uint32_t vertex, InterfacePlace place) const;

  const Stage &m_stage;
  const raster::FragmentPrimitive &m_primitive;
  llvm::ArrayRef<StageOutputs> m_vertices;
  llvm::ArrayRef<raster::Quad> m_quads;
};

/// The exports of \p lane as the built-in outputs of a vertex; its parameters become outputs.
/// \p ring: of the lane, parameter after parameter, where there is a ring. InvalidInput: there is
/// no position.
llvm::Expected<raster::VertexOutput>
takeVertexExports(const StageRows &rows, llvm::ArrayRef<uint32_t> ring, StageOutputs &lane);

/// The exports of lane \p lane of \p wave as what a fragment leaves.
raster::FragmentOutput takeFragmentExports(const gcn::PixelRegisters &registers,
                                           const GraphicsState &state,
                                           llvm::ArrayRef<StageOutputs> wave, unsigned lane);

} // namespace assay::irm
