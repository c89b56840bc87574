// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Waves of the stage that positions vertices: what registers and LDS hold before the first
// instruction, and what is left of their exports. Sources: AMD's ISA manuals ("Initial wave
// state"), AMD's register reference for PA_CL_VS_OUT_CNTL, Mesa 25's radv_shader_args.c and LGC's
// ShaderMerger and NggPrimShader for the order of SGPRs and VGPRs.
#pragma once

#include "oracles/machine/gcn/graphics/StageExports.h"
#include "oracles/machine/gcn/graphics/VertexGroups.h"
#include "oracles/machine/gcn/launch/Launch.h"
#include "oracles/machine/gcn/sanitizer/ExportRules.h"

namespace assay::gcn {

/// Values of a draw for its vertex shader.
struct VertexInputs {
  int32_t baseVertex = 0;
  uint32_t firstInstance = 0;
  /// Per binding of the state: address of its first byte and the bytes from there on.
  struct Source {
    uint32_t binding = 0;
    uint64_t address = 0;
    uint64_t bytes = 0;
    uint32_t stride = 0;
  };
  std::vector<Source> sources;
};

/// The results that the fragments of one primitive come from.
struct PrimitiveExports {
  std::array<const VertexExports *, 3> vertices{}; ///< As FragmentPrimitive::vertices.
  const VertexExports *provoking = nullptr;
  const ParameterValues *primitive = nullptr; ///< NGG: what was exported for the primitive.
};

/// Hardware VS: a workgroup is one wave, each lane one run of the vertex shader. NGG: a workgroup
/// has primitives and their vertices, and as many waves as it takes; a lane represents a vertex, a
/// primitive or both. With GFX11 and later, its parameters go to the attribute ring.
class VertexLaunch final : public Launch {
public:
  /// As Launch; \p registers and \p inputs outlive it.
  VertexLaunch(CodeImage &image, const VertexRegisters &registers, const VertexInputs &inputs,
               const TargetInfo &target, const CasePipeline &pipeline,
               llvm::ArrayRef<DescriptorWords> descriptors, std::vector<BufferState> &buffers,
               uint64_t seed);

  /// What the next dispatch runs; \p runs outlive it. Limit: more than the attribute ring holds.
  llvm::Error setRuns(llvm::ArrayRef<raster::VertexInvocation> runs,
                      llvm::ArrayRef<raster::AssembledPrimitive> primitives);
  /// Workgroups of the next dispatch.
  unsigned groupCount() const { return static_cast<unsigned>(m_groups.groups.size()); }

  Workgroup makeGroup(uint64_t index) override;
  std::unique_ptr<Wave> makeWave(Workgroup &group, unsigned number, const uint32_t id[3]) override;
  void takeResult(const Wave &wave) override;
  /// Takes the parameters of the last dispatch from the attribute ring, if there is one.
  void readRing();

  /// As setRuns() formed them.
  const VertexGroups &groups() const { return m_groups; }
  /// By slot.
  llvm::ArrayRef<VertexExports> exports() const { return m_exports; }
  /// Of \p primitive, whose vertices are some of those of \p whole.
  PrimitiveExports exportsOf(const raster::FragmentPrimitive &primitive,
                             const raster::AssembledPrimitive &whole) const;

private:
  /// The exports that a wave of \p group must make.
  std::unique_ptr<ExportPlan> makePlan(const VertexGroup &group) const;
  /// Writes the table of vertex buffers: a V# for each binding in VertexRegisters::vertexTable.
  void mapVertexBuffers();
  /// Allocates the attribute ring. Limit: it would be larger than the machine allows.
  llvm::Error mapRing();
  /// What the hardware counts: without the base vertex.
  uint32_t vertexNumber(const raster::VertexInvocation &run) const;
  void setVsInputs(Wave &wave, const VertexGroup &group, unsigned count) const;
  void setNggInputs(Wave &wave, const VertexGroup &group) const;
  void setVertexVgprs(Wave &wave, unsigned lane, const VertexLane &vertex) const;
  void setPrimitiveVgprs(Wave &wave, unsigned lane, const GroupPrimitive &primitive) const;
  /// Parameters go to memory instead of being exported (NGG from GFX11 on).
  bool hasRing() const { return m_registers.isNgg && target().major >= 11; }
  /// Bytes of the attribute ring that a workgroup has.
  uint64_t ringBytesOfGroup() const;
  /// Where the ring has parameter \p parameter of lane \p lane of workgroup \p group.
  uint64_t ringPlace(uint64_t group, unsigned lane, unsigned parameter) const;
  /// How many parameters each vertex has; those of primitives follow them.
  unsigned vertexParameters() const {
    return m_registers.parameterExports - m_registers.primitiveParameters;
  }
  /// \p firstLane is the workgroup's lane number of the wave's lane 0.
  void takePosition(const ExportRecord &record, const VertexGroup &group, unsigned firstLane);
  void takeParameter(const ExportRecord &record, const VertexGroup &group, unsigned firstLane);

  const VertexRegisters &m_registers;
  const VertexInputs &m_inputs;
  llvm::ArrayRef<raster::VertexInvocation> m_runs;
  VertexGroups m_groups;
  std::vector<VertexExports> m_exports;            ///< By slot.
  std::vector<ParameterValues> m_primitiveExports; ///< By the primitive's number.
  llvm::MutableArrayRef<uint8_t> m_ring;           ///< The attribute ring; empty: none.
  bool m_provokesLast = false;                     ///< The last vertex of a primitive provokes.
};

} // namespace assay::gcn
