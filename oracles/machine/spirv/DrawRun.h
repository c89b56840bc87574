// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The shaders of one draw on the reference machine, for oracles/raster.
#pragma once

#include "oracles/machine/spirv/Fragment.h"

namespace assay::reference {

/// The bytes that a vertex binding reads.
struct VertexSource {
  const VertexInputBinding *layout = nullptr;
  BufferMemory *memory = nullptr; ///< Null: nothing is bound.
  uint64_t offset = 0;
};

/// What a draw's shaders get, apart from their resources.
struct DrawSetup {
  const GraphicsState *state = nullptr;
  std::vector<VertexSource> sources; ///< One a binding of the state.
  uint32_t firstInstance = 0;
  int32_t baseVertex = 0; ///< BaseVertex: vertexOffset, or firstVertex without indices.
  unsigned samples = 1;
  Robustness robustness = Robustness::None;
};

/// Runs vertex and fragment programs. An error from it means only that the run has ended: see
/// ending(), or that something is unsupported.
class DrawShaders final : public raster::ShaderExecutor, public FragmentInputs {
public:
  /// \p fragment is null without a fragment shader. All must outlive this object.
  DrawShaders(const DrawSetup &setup, Execution &vertex, Execution *fragment);

  llvm::Error runVertices(llvm::ArrayRef<raster::VertexInvocation> invocations,
                          llvm::MutableArrayRef<raster::VertexOutput> outputs) override;
  llvm::Error runFragments(const raster::FragmentPrimitive &primitive,
                           llvm::ArrayRef<raster::Quad> quads,
                           llvm::MutableArrayRef<raster::FragmentOutput> outputs) override;
  Scalar interpolateAt(const InterfaceScalar &scalar, const raster::FragmentPrimitive &primitive,
                       const raster::Place &place) const override;

  /// The first branch of a fragment shader that depends on how the implementation rounds; empty if
  /// there was none.
  const std::string &imprecision() const { return m_imprecision; }
  /// Why shaders stopped; Completed if they did not.
  const Ending &ending() const;

private:
  Scalar fetchAttribute(const InterfaceScalar &input, const raster::VertexInvocation &vertex);
  Scalar vertexInput(const InterfaceScalar &input, const raster::VertexInvocation &vertex);
  llvm::Error takeVertex(Invocation &invocation, raster::VertexOutput &output);
  Scalar fragmentInput(const InterfaceScalar &input, const FragmentPlace &place,
                       const Invocation &invocation) const;
  raster::FragmentOutput takeFragment(Invocation &invocation);
  raster::FragmentOutput openOutput() const;
  using QuadOutputs = std::array<raster::FragmentOutput, 4>;
  bool runQuadOnce(llvm::ArrayRef<FragmentPlace> places, uint32_t present, QuadOutputs &outputs);
  bool runQuad(llvm::ArrayRef<FragmentPlace> places, uint32_t present, QuadOutputs &outputs);
  bool runAllWays(llvm::ArrayRef<FragmentPlace> places, uint32_t present, QuadOutputs &outputs);
  bool leavesOpen() const;
  const Scalar *findOutput(const InterfaceScalar &input, uint32_t vertex) const;

  const DrawSetup &m_setup;
  Execution &m_vertex;
  Execution *m_fragment;
  std::vector<Scalar> m_outputs; ///< Of all vertices, in the order of Program::shaderOutputs.
  std::vector<int> m_sourceOf;   ///< By fragment input: the number of the output, or -1.
  uint32_t m_nextGroup = 0;
  Ways m_ways;
  std::string m_imprecision;
};

/// Whether the fragment shader runs per sample because of what it reads.
bool readsSamples(const Program &fragment);

} // namespace assay::reference
